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


def answers(hub: Hub, remote: str, *, timeout: float) -> str:
    """Ask the remote for its branches; return what stands in the way, or an empty string. Never prompts."""
    try:
        run(hub, "ls-remote", "--heads", "--", remote, timeout=timeout)
    except GitError as error:
        return error.message
    return ""


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
