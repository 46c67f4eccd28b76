"""Git's own lock files, left behind when a git of ours was killed: removed by the next command, a person's never.

Git makes `index.lock`, `HEAD.lock` and the like beside what it changes, and waits for none of them for long; killed,
it leaves them, and every later git fails. We note when we are at it. What lies there although nobody runs git, and is
younger than a note whose writer is gone, is ours.
"""

from __future__ import annotations

import contextlib
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

from agent_soul.hub import Hub

_NAMED = ("index.lock", "HEAD.lock", "packed-refs.lock", "shallow.lock", "FETCH_HEAD.lock", "ORIG_HEAD.lock")
_CLOCK_STEP = 2.0
"""Seconds by which the time stamps of some file systems are coarse."""
_SURELY_DEAD = 600.0
"""Age in seconds after which a lock counts as left where nobody can be asked for running programs."""


@contextlib.contextmanager
def noted(hub: Hub, git_dirs: tuple[Path, ...]) -> Iterator[None]:
    """Run git commands that write in here; locks of an earlier run that was killed are removed first.

    `git_dirs` are the folder of this work tree and the one that all work trees share. A lock of ours must be held, so
    that no other command of ours is at it.
    """
    note = hub.state / "git-at-work"
    _repair(note, git_dirs)
    hub.state.mkdir(parents=True, exist_ok=True)
    note.touch()
    try:
        yield
    finally:
        _repair(note, git_dirs)  # a git that had to be ended for its time limit
        note.unlink(missing_ok=True)


def _repair(note: Path, git_dirs: tuple[Path, ...]) -> None:
    try:
        since = note.stat().st_mtime - _CLOCK_STEP
    except OSError:
        return
    left = [lock for lock in _locks(git_dirs) if _is_since(lock, since)]
    if left and not _somebody_runs_git(git_dirs, min(_age(lock) for lock in left)):
        for lock in left:
            lock.unlink(missing_ok=True)


def _locks(git_dirs: tuple[Path, ...]) -> set[Path]:
    named = {folder / name for folder in git_dirs for name in _NAMED}
    return {lock for lock in named if lock.exists()} | {
        lock for folder in git_dirs for lock in (folder / "refs").rglob("*.lock")
    }


def _is_since(lock: Path, since: float) -> bool:
    with contextlib.suppress(OSError):
        return lock.stat().st_mtime >= since
    return False


def _age(lock: Path) -> float:
    with contextlib.suppress(OSError):
        return time.time() - lock.stat().st_mtime
    return 0.0


def _somebody_runs_git(git_dirs: tuple[Path, ...], age: float) -> bool:
    """Tell whether a git runs in this repository; where nobody can say that, whether any does, or the lock is young."""
    if sys.platform == "win32":
        return age < _SURELY_DEAD
    if Path("/proc/self/comm").exists():
        places = {place for folder in git_dirs for place in (folder, folder.parent)}
        return any(_is_git_in(process, places) for process in Path("/proc").iterdir() if process.name.isdigit())
    listing = subprocess.run(["ps", "-A", "-o", "comm="], capture_output=True, text=True, check=False).stdout  # noqa: S607
    return any(Path(line.strip()).name.startswith("git") for line in listing.split("\n"))


def _is_git_in(process: Path, places: set[Path]) -> bool:
    with contextlib.suppress(OSError):
        if (process / "comm").read_text(encoding="utf-8", errors="replace").startswith("git"):
            here = (process / "cwd").readlink()  # one that has ended already has none
            return any(here.is_relative_to(place) for place in places)
    return False
