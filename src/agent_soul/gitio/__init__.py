"""Everything that touches Git, and nothing else does: the program for what is hot, GitPython for reading history."""

from agent_soul.gitio.beginning import add_remote, clone, commit_all, make_repository, published_commit, remote_url
from agent_soul.gitio.differences import Asked, Survey, differing_sources, staged, survey, surveying
from agent_soul.gitio.local import move_branch, writing
from agent_soul.gitio.looking import Heads, Sight, heads_of, look, unmerged, without_credentials
from agent_soul.gitio.process import GitError, GitTimeoutError
from agent_soul.gitio.repository import (
    Origin,
    branch,
    commit_of_line,
    find_commit,
    has_remote,
    head,
    not_ignored,
    operation_under_way,
    tracked,
    upstream,
)
from agent_soul.gitio.snapshot import Tree, committed, lines_added, object_name, read_files, read_objects, read_tree
from agent_soul.gitio.transport import (
    Pushed,
    Target,
    build_commit,
    fetch,
    is_ancestor,
    push,
    target_of,
)
from agent_soul.gitio.worktree import Settle, Settled, bring_along, put_back

__all__ = [
    "Asked",
    "GitError",
    "GitTimeoutError",
    "Heads",
    "Origin",
    "Pushed",
    "Settle",
    "Settled",
    "Sight",
    "Survey",
    "Target",
    "Tree",
    "add_remote",
    "branch",
    "bring_along",
    "build_commit",
    "clone",
    "commit_all",
    "commit_of_line",
    "committed",
    "differing_sources",
    "fetch",
    "find_commit",
    "has_remote",
    "head",
    "heads_of",
    "is_ancestor",
    "lines_added",
    "look",
    "make_repository",
    "move_branch",
    "not_ignored",
    "object_name",
    "operation_under_way",
    "published_commit",
    "push",
    "put_back",
    "read_files",
    "read_objects",
    "read_tree",
    "remote_url",
    "staged",
    "survey",
    "surveying",
    "target_of",
    "tracked",
    "unmerged",
    "upstream",
    "without_credentials",
    "writing",
]
