"""The packs that our commits and fetches leave in a clone, a few kilobytes each, joined before they are many.

A pack is made durable at once, where its dozen objects, loose, would each wait for the disk. Git itself joins packs
only when a person works with it (`git gc --auto` after a commit or pull), and a clone may belong to agents alone.
"""

from __future__ import annotations

from pathlib import Path

from agent_soul.gitio.process import attempt
from agent_soul.gitio.repository import git_dirs
from agent_soul.hub import Hub

_MANY = 32
_SMALL_BYTES = 1 << 20
"""Larger packs are a person's history; to write them anew could take minutes."""


def join_small_packs(hub: Hub) -> None:
    """Make one pack of the small ones where they are many. Raises `GitError` where that takes too long.

    The old ones go when the new one is durable, and Git's readers look again where a pack went away under them.
    """
    packs = sorted((git_dirs(hub)[1] / "objects" / "pack").glob("*.pack"))
    if len(packs) < _MANY or any(pack.with_suffix(".promisor").exists() for pack in packs):
        return  # the latter are of a partial clone, which Git cannot join so
    others = [pack.name for pack in packs if not _is_small(pack)]
    if len(packs) - len(others) >= _MANY:
        keep = (f"--keep-pack={name}" for name in others)
        attempt(hub, "repack", "-q", "-d", "-l", "--geometric=2", *keep)


def _is_small(pack: Path) -> bool:
    try:
        return pack.stat().st_size < _SMALL_BYTES and not pack.with_suffix(".keep").exists()
    except FileNotFoundError:  # a person's `git gc` is at it
        return False
