"""Everything that touches Git, and nothing else does: the program for what is hot, GitPython for reading history."""

from agent_soul.gitio.process import GitError, GitTimeoutError
from agent_soul.gitio.repository import (
    Origin,
    branch,
    changed_paths,
    commit_of_line,
    commit_paths,
    has_remote,
    head,
    operation_under_way,
    read_objects,
    upstream,
    writing,
)
from agent_soul.gitio.transport import (
    Pushed,
    Target,
    Tree,
    build_commit,
    fetch,
    is_ancestor,
    push,
    read_tree,
    target_of,
    tracked_head,
)
from agent_soul.gitio.worktree import Settled, bring_along

__all__ = [
    "GitError",
    "GitTimeoutError",
    "Origin",
    "Pushed",
    "Settled",
    "Target",
    "Tree",
    "branch",
    "bring_along",
    "build_commit",
    "changed_paths",
    "commit_of_line",
    "commit_paths",
    "fetch",
    "has_remote",
    "head",
    "is_ancestor",
    "operation_under_way",
    "push",
    "read_objects",
    "read_tree",
    "target_of",
    "tracked_head",
    "upstream",
    "writing",
]
