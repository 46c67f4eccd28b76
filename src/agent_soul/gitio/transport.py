"""Sending and fetching: the remote branch that holds the memory, and commits made without touching the work tree."""

from __future__ import annotations

import contextlib
import os
import re
from collections.abc import Mapping
from enum import Enum, auto
from typing import NamedTuple

from agent_soul.gitio.looking import heads_of
from agent_soul.gitio.process import GitError, GitTimeoutError, attempt, run, run_all
from agent_soul.gitio.repository import BRANCH, commit_named, git_dirs, prefix_of, unnamed
from agent_soul.hub import Hub

OUTGOING = "refs/agent-soul/outgoing"
"""Names the commit that is being pushed, so that no `git gc` takes it meanwhile."""


_CRASH_REPORT = re.compile(r"\n.*\b(?P<name>fast_import_crash_\d+)")
"""The line in which a `git fast-import` that failed names the file that it leaves, with all that it was told."""
_NAME = re.compile("[0-9a-f]{40}|[0-9a-f]{64}")


class Target(NamedTuple):
    """The remote branch that holds the memory. `local` is the branch here that goes with it, if it is checked out."""

    remote: str
    branch: str
    url: str
    local: str

    @property
    def tracking(self) -> str:
        """The local name of what the remote branch was when we last looked."""
        return f"refs/remotes/{self.remote}/{self.branch}"


class Pushed(Enum):
    """How a push ended, as far as its answer tells."""

    ACCEPTED = auto()
    OVERTAKEN = auto()
    """Somebody else was first: fetch and build again."""
    DECLINED = auto()
    """The server does not want it: a hook, a protected branch, no permission. Trying again does not help."""
    UNKNOWN = auto()
    """No answer, or one that says nothing: it may have arrived. Look before trying again."""


def target_of(hub: Hub, noted: Mapping[str, str], *, timeout: float) -> Target | None:
    """Return the branch that this clone shares through, or None where it knows no remote.

    That is the one of the last conversation (`noted`: its url and branch); else the upstream of the branch that is
    checked out; else the remote's default. What a person has checked out for a while never makes a second branch there.
    Raises `GitError` where the remote has to be asked and does not answer within `timeout` seconds, or where git cannot
    read the settings: the repository would seem to have no remote.
    """
    listing, named = run_all(hub, SETTINGS, BRANCH, ok=(0, 1))
    return target_in(hub, noted, listing, named.decode().strip(), timeout=timeout)


def target_in(hub: Hub, noted: Mapping[str, str], listing: bytes, here: str, *, timeout: float) -> Target | None:
    """Do that, where the answer to `SETTINGS` is at hand, and the branch that is checked out."""
    settings = _settings(listing)
    if not any(key.startswith("core.") for key in settings):  # `git init` writes both
        raise GitError("git config did not read this repository's settings", hint="look at `git config --list`")
    remotes = sorted(key.split(".", 1)[1].removesuffix(".url") for key in settings if key.startswith("remote."))
    if not remotes:
        return None
    remote = settings.get(f"branch.{here}.remote", "") if here else ""
    if remote not in remotes:
        remote = "origin" if "origin" in remotes else remotes[0]
    url = settings[f"remote.{remote}.url"]
    merge = settings.get(f"branch.{here}.merge", "").removeprefix("refs/heads/") if here else ""
    name = noted.get("branch", "") if noted.get("url") == url else ""
    name = name or merge or _default_branch(hub, remote) or _asked_branch(hub, remote, here, timeout)
    return Target(remote, name, url, here if here and name in (merge, here) else "")


def _asked_branch(hub: Hub, remote: str, here: str, timeout: float) -> str:
    """Ask the remote for its default branch; one that is empty yet gets the branch that is checked out."""
    default, branches = heads_of(hub, remote, timeout=timeout)
    if default in branches:
        return default
    return here if here in branches or not branches else branches[0]


def tracked_head(hub: Hub, target: Target) -> str:
    """Return the hash of what the remote branch was when we last looked, or an empty string.

    A ref is a file of its own after a push or fetch (`gitrepository-layout(5)`); git is asked where it is not.
    """
    with contextlib.suppress(OSError, UnicodeDecodeError):
        said = (git_dirs(hub)[1] / target.tracking).read_text(encoding="ascii").strip()
        if _NAME.fullmatch(said):
            return said
    return run(hub, *commit_named(target.tracking), ok=(0, 1)).decode().strip()


def fetch(hub: Hub, target: Target, *, timeout: float) -> str:
    """Fetch the remote branch and return its hash, or an empty string where the remote has no such branch.

    Raises `GitError` with the server's words where the remote cannot be reached.
    """
    refspec = f"+refs/heads/{target.branch}:{target.tracking}"
    arguments = (
        "fetch",
        "--quiet",
        "--no-tags",
        "--no-recurse-submodules",
        "--no-auto-gc",
        "--",
        target.remote,
        refspec,
    )
    code, _, said = attempt(hub, *arguments, timeout=timeout)
    if code == 0:
        return tracked_head(hub, target)
    if "couldn't find remote ref" in said:
        return ""
    raise GitError(f"the remote {target.remote!r} cannot be read: {said}", hint="check `git fetch` by hand")


def push(hub: Hub, target: Target, commit: str, *, expected: str, timeout: float) -> tuple[Pushed, str]:
    """Push `commit`, which is built on `expected`, to the branch; return how it ended and what the server said.

    It is accepted only where the branch is still `expected` (empty: not there). A plain push would also put back a
    branch that somebody deleted or set back meanwhile. Git calls this condition a lease; nothing is ever overwritten
    by it, because every commit holds the one that it is built on.
    """
    branch = f"refs/heads/{target.branch}"
    arguments = (
        *("push", "--porcelain", "--no-verify", "--no-signed", "--no-recurse-submodules"),
        *(f"--force-with-lease={branch}:{expected}", "--", target.remote, f"{commit}:{branch}"),
    )
    try:
        code, out, said = attempt(hub, *arguments, timeout=timeout)
    except GitTimeoutError as error:
        return Pushed.UNKNOWN, error.message
    if code == 0:
        return Pushed.ACCEPTED, ""
    report = out.decode("utf-8", "replace")
    words = said or report.strip()
    if (
        "[rejected]" in report
        or "fetch first" in said
        or "non-fast-forward" in said
        or "cannot lock ref" in report + said
    ):
        return Pushed.OVERTAKEN, words
    return (Pushed.DECLINED if "[remote rejected]" in report else Pushed.UNKNOWN), words


def is_ancestor(hub: Hub, older: str, newer: str) -> bool:
    """Tell whether `newer` holds all that `older` has. A commit that this clone does not have is no ancestor."""
    return older == newer or attempt(hub, "merge-base", "--is-ancestor", older, newer)[0] == 0


def build_commit(
    hub: Hub,
    parent: str,
    changes: Mapping[str, bytes | None],
    message: str,
    *,
    author: str,
    people: tuple[str, str] | None,
) -> str:
    """Make a commit on `parent` in which the files at `changes` (from the hub's folder) hold these bytes, or are gone.

    It is made by `people`, author and committer, where Git knows them, else by the source `author`. One `git
    fast-import` makes it, without index and work tree; killed, it leaves a pack that nothing refers to at most.
    """
    made_by, committed_by = people or [unnamed(author)] * 2
    lines = [f"commit {OUTGOING}", "mark :1", f"author {made_by}", f"committer {committed_by}"]
    stream = [("\n".join(lines) + "\n").encode(), _data(message.encode("utf-8", "backslashreplace"))]
    stream.append(f"from {parent}\n".encode() if parent else b"")
    prefix = prefix_of(hub)
    for path, content in sorted(changes.items()):
        name = _quoted(f"{prefix}{path}")
        stream.append(b"D %s\n" % name if content is None else b"M 100644 inline %s\n%s" % (name, _data(content)))
    stream.append(b"get-mark :1\ndone\n")
    flags = ("--quiet", "--force", "--done", "--cat-blob-fd=1", "--date-format=raw")
    try:
        return run(hub, "fast-import", *flags, stdin=b"".join(stream)).decode().strip()
    except GitError as error:
        for report in _CRASH_REPORT.finditer(error.message):
            (git_dirs(hub)[0] / report["name"]).unlink(missing_ok=True)
        raise GitError(_CRASH_REPORT.sub("", error.message), hint=error.hint) from error


def _data(content: bytes) -> bytes:
    return b"data %d\n%s\n" % (len(content), content)


def _quoted(path: str) -> bytes:
    raw = os.fsencode(path)
    return b'"' + raw.replace(b"\\", b"\\\\").replace(b'"', b'\\"').replace(b"\n", b"\\n") + b'"'


SETTINGS = (
    "config",
    "-z",
    "--get-regexp",
    r"^(core\.(bare|repositoryformatversion)|remote\..*\.url|branch\..*\.(remote|merge))$",
)


def _settings(listing: bytes) -> dict[str, str]:
    rows = (row.partition("\n") for row in listing.decode("utf-8", "replace").split("\0") if row)
    found: dict[str, str] = {}
    for key, _, value in rows:
        found.setdefault(key, value)
    return found


def _default_branch(hub: Hub, remote: str) -> str:
    ref = run(hub, "symbolic-ref", "--quiet", f"refs/remotes/{remote}/HEAD", ok=(0, 1)).decode().strip()
    return ref.removeprefix(f"refs/remotes/{remote}/")
