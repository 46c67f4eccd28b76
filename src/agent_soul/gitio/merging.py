"""Merging what was shared with commits that a person has not pushed, in memory: no work tree, no index of theirs."""

from __future__ import annotations

import os

from agent_soul.gitio.process import GitError, UnmergedError, attempt, run
from agent_soul.gitio.repository import identity, prefix_of
from agent_soul.hub import Hub

_HOW_TO_START_OVER = (
    "`git branch before` keeps yours; once what you changed is committed or stashed,"
    " `git reset --hard {:.10}` takes the remote's"
)


def merged(hub: Hub, old: str, new: str, author: str) -> tuple[str, list[str]]:
    """Merge in memory and return the commit, or the paths in conflict. Pages are upstream's: they are made anew."""
    code, out, said = attempt(hub, "merge-tree", "--write-tree", "-z", "--name-only", "--no-messages", old, new)
    if "unrelated histories" in said:
        raise GitError("this branch and the remote's have no commit in common", hint=_HOW_TO_START_OVER.format(new))
    if code not in (0, 1):
        raise UnmergedError(
            f"git merge-tree failed: {said}", hint="git 2.38 or newer is needed; or `git pull --no-rebase`"
        )
    tree, *paths = (os.fsdecode(part) for part in out.split(b"\0") if part)
    canonical = f"{prefix_of(hub)}canonical/"
    conflicts = sorted({path for path in paths if not path.startswith(canonical)})
    if conflicts:
        return "", conflicts
    index = hub.state / f"index.{os.getpid()}"
    env = {"GIT_INDEX_FILE": str(index)}
    try:
        run(hub, "read-tree", tree, env=env)
        pages = run(hub, "ls-files", "-z", "--full-name", "--", "canonical", env=env)
        run(hub, "update-index", "-z", "--force-remove", "--stdin", stdin=_below(pages, prefix_of(hub)), env=env)
        if attempt(hub, "rev-parse", "--verify", "--quiet", f"{new}:{canonical}")[0] == 0:
            run(hub, "read-tree", f"--prefix={canonical}", f"{new}:{canonical}", env=env)
        tree = run(hub, "write-tree", env=env).decode().strip()
    finally:
        index.unlink(missing_ok=True)
    message = b"Merge the shared memory\n"
    commit = run(hub, "commit-tree", tree, "-p", old, "-p", new, stdin=message, env=identity(hub, author))
    return commit.decode().strip(), []


def _below(listing: bytes, prefix: str) -> bytes:
    """Return full names as names from the hub's folder, which is where git is run."""
    return b"".join(name.removeprefix(os.fsencode(prefix)) + b"\0" for name in listing.split(b"\0") if name)
