"""The index of a work tree: what it holds of our files, a copy of it, and waiting where a person's git holds it."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Mapping
from pathlib import Path

from agent_soul.gitio.process import GitError, run
from agent_soul.gitio.repository import git_dirs
from agent_soul.hub import Hub

REFRESH = ("update-index", "-q", "--refresh")
"""Tells git which files are unchanged all the same: those that the index was pointed at, and those only touched."""
_LOCKED_TRIES = 20
_LOCKED_SECONDS = 0.1


def gone(commit: str) -> str:
    """Return the index entry of a file that the index is to hold no longer."""
    return "0 " + "0" * len(commit)


def point_index(hub: Hub, entries: Mapping[str, str], env: Mapping[str, str]) -> None:
    """Let the index hold these entries, so that git moves on without touching the files.

    Files that it was pointed at earlier are looked into first: git would take them for changed as long as it has not.
    """
    if entries:
        rows = "".join(f"{entry}\t{path}\0" for path, entry in entries.items())
        arguments = (*REFRESH, "-z", "--add", "--index-info")
        run(hub, *arguments, stdin=os.fsencode(rows), env=env, ok=(0, 1))


def copy_index(hub: Hub, to: Path) -> None:
    """Make `to` what the index of this work tree is; nothing where there is none yet."""
    index = git_dirs(hub)[0] / "index"
    if index.exists():
        to.write_bytes(index.read_bytes())


def when_unlocked(hub: Hub, act: Callable[[], object]) -> None:
    """Do it; wait a little where a person's own git holds the index. Raises `GitError` with the lock's name."""
    lock = git_dirs(hub)[0] / "index.lock"
    for tries in range(_LOCKED_TRIES + 1):
        try:
            act()
        except GitError as error:
            if "index.lock" not in error.message and not lock.exists():  # a quiet git does not name it
                raise
            if tries == _LOCKED_TRIES:
                step = "when no git runs here, remove that file, then `soul sync`"
                raise GitError(f"{lock} is there: a git is at work, or was killed", hint=step) from error
        else:
            return
        time.sleep(_LOCKED_SECONDS)
