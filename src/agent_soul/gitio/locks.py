"""Git's own lock files, left behind when a git of ours was killed: removed by the next command, a person's never.

Git makes `index.lock`, `HEAD.lock` and the like beside what it changes, and waits for none of them for long; killed,
it leaves them, and every later git fails. We note when we are at it, and a note that is still there later was left by
a command that was killed, or that had to end its git. A lock made soon after such a note, which no running git and no
other program holds, is ours.
"""

from __future__ import annotations

import contextlib
import os
import subprocess
import sys
import time
from collections.abc import Collection, Iterator
from pathlib import Path

from agent_soul.hub import Hub

_NAMED = ("index.lock", "HEAD.lock", "packed-refs.lock", "shallow.lock", "FETCH_HEAD.lock", "ORIG_HEAD.lock")
_LONGEST = 3600.0
"""Seconds for which the longest of our commands may run: what came later is not its lock."""
_SURELY_DEAD = 600.0
"""Age in seconds after which a lock counts as left where nobody can be asked for running programs."""


@contextlib.contextmanager
def noted(hub: Hub, git_dirs: tuple[Path, ...]) -> Iterator[None]:
    """Run git commands that write in here; locks of an earlier run that was killed are removed first.

    `git_dirs` are the folder of this work tree and the one that all work trees share. A lock of ours must be held, so
    that no other command of ours is at it.
    """
    note = hub.state / "git-at-work"
    if _is_repaired(note, git_dirs):
        hub.state.mkdir(parents=True, exist_ok=True)
        note.touch()
    before = all_locks(git_dirs)
    try:
        yield
    finally:
        if all_locks(git_dirs) <= before:  # else a git that had to be ended may have left one
            note.unlink(missing_ok=True)


def _is_repaired(note: Path, git_dirs: tuple[Path, ...]) -> bool:
    """Remove what the writer of the note left; tell whether nothing of it is there any more."""
    try:
        since = note.stat().st_mtime
    except OSError:
        return True
    left = [lock for lock in all_locks(git_dirs) if since <= _made(lock) <= since + _LONGEST]
    if left and _somebody_is_at_it(git_dirs, left):
        return False
    for lock in left:
        lock.unlink(missing_ok=True)
    return True


def all_locks(git_dirs: tuple[Path, ...]) -> set[Path]:
    """Return the lock files that git has now, in the folder of a work tree and in the one that all share."""
    folders = {*git_dirs}
    named = {folder / name for folder in folders for name in _NAMED}
    walks = (walk for folder in folders for walk in os.walk(folder / "refs"))  # `rglob` takes five times as long
    of_refs = {Path(place, name) for place, _, names in walks for name in names if name.endswith(".lock")}
    return {lock for lock in named if lock.exists()} | of_refs


def _made(lock: Path) -> float:
    with contextlib.suppress(OSError):
        return lock.stat().st_mtime
    return 0.0


def _somebody_is_at_it(git_dirs: tuple[Path, ...], left: Collection[Path]) -> bool:
    """Tell whether a git runs in this repository or a program has one of the locks open.

    Where nobody can say that: whether any git runs, or a lock is young.
    """
    if sys.platform == "win32":
        return time.time() - max(map(_made, left)) < _SURELY_DEAD
    if Path("/proc/self/comm").exists():
        places = {place for folder in git_dirs for place in (folder, folder.parent)}
        processes = [process for process in Path("/proc").iterdir() if process.name.isdigit()]
        return any(_is_git_in(process, places) or _has_open(process, left) for process in processes)
    listing = subprocess.run(["ps", "-A", "-o", "comm="], capture_output=True, text=True, check=False).stdout  # noqa: S607
    return any(Path(line.strip()).name.startswith("git") for line in listing.split("\n"))


def _is_git_in(process: Path, places: set[Path]) -> bool:
    try:
        if (process / "comm").read_text(encoding="utf-8", errors="replace").startswith("git"):
            here = (process / "cwd").readlink()  # one that has ended already has none
            return any(here.is_relative_to(place) for place in places)
    except PermissionError:  # another user's
        return True
    except OSError:
        pass
    return False


def _has_open(process: Path, locks: Collection[Path]) -> bool:
    with contextlib.suppress(OSError):
        return any(_target(descriptor) in locks for descriptor in (process / "fd").iterdir())
    return False


def _target(link: Path) -> Path | None:
    with contextlib.suppress(OSError):
        return link.readlink()
    return None
