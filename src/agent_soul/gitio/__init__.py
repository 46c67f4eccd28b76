"""Everything that touches Git, and nothing else does: the program for what is hot, GitPython for reading history."""

from agent_soul.gitio.local import move_branch, writing
from agent_soul.gitio.process import GitError, GitTimeoutError
from agent_soul.gitio.repository import (
    Origin,
    branch,
    commit_of_line,
    find_commit,
    has_remote,
    head,
    operation_under_way,
    tracked,
    upstream,
)
from agent_soul.gitio.snapshot import (
    Survey,
    Tree,
    differing_sources,
    read_files,
    read_objects,
    read_tree,
    staged,
    survey,
    surveying,
)
from agent_soul.gitio.transport import (
    Pushed,
    Target,
    build_commit,
    fetch,
    is_ancestor,
    push,
    target_of,
    tracked_head,
)
from agent_soul.gitio.worktree import Settle, Settled, bring_along, put_back

__all__ = [
    "GitError",
    "GitTimeoutError",
    "Origin",
    "Pushed",
    "Settle",
    "Settled",
    "Survey",
    "Target",
    "Tree",
    "branch",
    "bring_along",
    "build_commit",
    "commit_of_line",
    "differing_sources",
    "fetch",
    "find_commit",
    "has_remote",
    "head",
    "is_ancestor",
    "move_branch",
    "operation_under_way",
    "push",
    "put_back",
    "read_files",
    "read_objects",
    "read_tree",
    "staged",
    "survey",
    "surveying",
    "target_of",
    "tracked",
    "tracked_head",
    "upstream",
    "writing",
]
