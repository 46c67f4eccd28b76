"""How a clone stands, without asking anybody: branch, remote, what is ahead and behind, what git left lying about."""

from __future__ import annotations

import re
import time
from collections.abc import Mapping
from typing import NamedTuple

from agent_soul.gitio.locks import all_locks
from agent_soul.gitio.process import GitError, attempt, attempt_all, checked, run
from agent_soul.gitio.repository import BRANCH, HEAD, git_dirs, operation_under_way
from agent_soul.hub import Hub

_REMOTES = ("config", "-z", "--get-regexp", r"^remote\..*\.url$")
_UPSTREAM = ("rev-parse", "--abbrev-ref", "--symbolic-full-name", "@{upstream}")
_CREDENTIALS = re.compile(r"(?<=//)[^/@]+:[^/@]+(?=@)")
_ASKING_SECONDS = 5.0
"""How long a command waits that only wants to know what a remote has."""


class Sight(NamedTuple):
    """How a clone stands. Texts are empty where there is no such thing.

    `ahead` and `behind` count commits between the branch and what was last fetched of `upstream`; `locks` are git's
    own lock files with their age in seconds.
    """

    branch: str
    head: str
    operation: str
    remote: str
    url: str
    upstream: str
    ahead: int
    behind: int
    locks: Mapping[str, float]
    version: tuple[int, ...]


class Heads(NamedTuple):
    """The branches of a remote, and the one that a clone of it checks out; empty where it has no such branch."""

    default: str
    branches: tuple[str, ...]

    def missed(self, branch: str) -> tuple[str, str] | None:
        """Return what a clone gets instead of `branch`, if it is there, and what mends that; else None."""
        if branch not in self.branches or self.default == branch:
            return None
        gets = f"the branch {self.default!r}" if self.default else "nothing, for its HEAD names no branch that it has"
        mend = f"choose {branch!r} as its default branch (`git symbolic-ref HEAD refs/heads/{branch}` on the server)"
        return f"a clone of the remote gets {gets}; the memory is on {branch!r}", mend


def look(hub: Hub) -> Sight:
    """Return how the clone of the hub stands. Raises `GitError` where git is missing or cannot read it."""
    answers = attempt_all(hub, BRANCH, HEAD, _REMOTES, _UPSTREAM, ("version",))
    branch, head, remotes, upstream, version = (out.decode("utf-8", "replace").strip() for _, out, _ in answers)
    checked("symbolic-ref", *answers[0], (0, 1))
    known = dict(row.split("\n", 1) for row in remotes.split("\0") if "\n" in row)
    url = known.get("remote.origin.url") or next(iter(known.values()), "")
    remote = next((key.split(".", 1)[1].removesuffix(".url") for key, value in known.items() if value == url), "")
    upstream = upstream if answers[3][0] == 0 else _tracked(hub, remote, branch)
    ahead, behind = _distance(hub, upstream) if head and upstream else (0, 0)
    numbers = tuple(int(number) for number in re.findall(r"\d+", version)[:3])
    operation, locks = operation_under_way(hub), _ages(hub)
    return Sight(branch, head, operation, remote, url, upstream, ahead, behind, locks, numbers)


def without_credentials(url: str) -> str:
    """Return the address of a remote as it may be printed; equal where it holds no password."""
    return _CREDENTIALS.sub("***", url)


def heads_of(hub: Hub, remote: str, *, timeout: float | None = None) -> Heads:
    """Ask a remote, by its name or address, for its branches. Never prompts.

    Raises `GitError` with the server's words where it does not answer within `timeout` seconds, by default a few.
    """
    seconds = _ASKING_SECONDS if timeout is None else timeout
    code, out, said = attempt(hub, "ls-remote", "--symref", "--", remote, "HEAD", "refs/heads/*", timeout=seconds)
    if code:
        raise GitError(f"the remote {remote!r} cannot be read: {said}", hint="check `git ls-remote` by hand")
    rows = [row.split("\t") for row in out.decode("utf-8", "replace").split("\n") if "\t" in row]
    branches = [name.removeprefix("refs/heads/") for _, name in rows if name.startswith("refs/heads/")]
    default = next((what.removeprefix("ref: refs/heads/") for what, _ in rows if what.startswith("ref: ")), "")
    return Heads(default, tuple(sorted(branches)))


def unmerged(hub: Hub) -> list[str]:
    """Return the paths that a merge has left undecided, from the hub's folder."""
    listing = run(hub, "diff", "--name-only", "--relative", "--diff-filter=U", "-z", ok=(0, 1))
    return [path for path in listing.decode("utf-8", "surrogateescape").split("\0") if path]


def _tracked(hub: Hub, remote: str, branch: str) -> str:
    name = f"{remote}/{branch}"
    return (
        name
        if remote and branch and not attempt(hub, "rev-parse", "--quiet", "--verify", f"refs/remotes/{name}")[0]
        else ""
    )


def _distance(hub: Hub, upstream: str) -> tuple[int, int]:
    code, out, _ = attempt(hub, "rev-list", "--left-right", "--count", f"HEAD...{upstream}", "--")
    ahead, behind = out.split() if code == 0 else (0, 0)
    return int(ahead), int(behind)


def _ages(hub: Hub) -> dict[str, float]:
    ages = {}
    for lock in sorted(all_locks(git_dirs(hub))):
        try:
            ages[str(lock)] = time.time() - lock.stat().st_mtime
        except OSError:
            continue  # gone meanwhile
    return ages
