"""The packs that commits and fetches of ours leave in a clone stay few, and a person's are not written anew."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path

import pytest

from agent_soul import gitio
from agent_soul.gitio.packs import join_small_packs
from agent_soul.hub import open_hub
from agent_soul.sync import Reach, share, sync
from support import Machines, git

MANY = 32


def commit(folder: Path, contents: Iterable[bytes]) -> None:
    """Commit each content as a file, one commit after the other, as our commits are made."""
    hub = open_hub(folder)
    for content in contents:
        parent = git(folder, "rev-parse", "main").strip()
        made = gitio.build_commit(hub, parent, {"file.txt": content}, "m", author="desk", people=None)
        git(folder, "update-ref", "refs/heads/main", made)


def lines(count: int) -> Iterable[bytes]:
    return (b"Line %d.\n" % number for number in range(count))


def packs(folder: Path) -> set[Path]:
    return set((folder / ".git" / "objects" / "pack").glob("*.pack"))


def test_a_commit_of_ours_is_one_pack(git_hub: Path) -> None:
    before = git(git_hub, "count-objects")
    commit(git_hub, lines(1))
    assert len(packs(git_hub)) == 1
    assert git(git_hub, "count-objects") == before


def test_few_packs_stay_as_they_are(git_hub: Path) -> None:
    commit(git_hub, lines(MANY - 1))
    before = packs(git_hub)
    assert len(before) == MANY - 1
    join_small_packs(open_hub(git_hub))
    assert packs(git_hub) == before


@pytest.mark.parametrize("kept", ["large", "marked"])
def test_many_become_one_and_what_a_person_keeps_stays(git_hub: Path, kept: str) -> None:
    commit(git_hub, [os.urandom(1 << 21) if kept == "large" else b"small"])
    (persons,) = packs(git_hub)
    if kept == "marked":
        persons.with_suffix(".keep").touch()
    commit(git_hub, lines(MANY))
    before = git(git_hub, "log", "-p", "--format=%H", "main", "--", "file.txt")
    join_small_packs(open_hub(git_hub))
    assert persons in packs(git_hub)
    assert len(packs(git_hub)) == 2
    assert git(git_hub, "log", "-p", "--format=%H", "main", "--", "file.txt") == before
    assert git(git_hub, "fsck", "--strict", "--no-dangling") == ""


def test_sharing_and_syncing_keep_them_few(machines: Machines) -> None:
    one, other = machines.one, machines.other
    commit(one.root, lines(MANY))
    record = {"source": "desk", "kind": "fact", "scope": "stable", "summary": "Drinks tea."}
    assert share(one, record)[1].reach is Reach.SHARED
    assert len(packs(one.root)) == 1, "its own packs were joined"
    loose, known = git(other.root, "count-objects"), packs(other.root)
    assert sync(other).reach is Reach.SHARED
    assert len(packs(other.root) - known) == 1
    assert git(other.root, "count-objects") == loose, "what came is a pack"
