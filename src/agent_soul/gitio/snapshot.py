"""What a commit holds of the hub."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from agent_soul.digests import sha1, sha256
from agent_soul.errors import StoppedError
from agent_soul.files import read_regular
from agent_soul.gitio.process import run
from agent_soul.gitio.repository import prefix_of
from agent_soul.hub import Hub

PLACES = ("sources", "canonical")
"""The folders below the hub's that hold our files."""
_GROWN = 3
"""Lines that a log file may be ahead of a commit, and still tell what that has."""


class Tree(NamedTuple):
    """The hub's files in one commit: the object name of each by its path from the hub's folder.

    What is known of a commit that was just built saves asking for it: the commit it was built on (`parent`), the bytes
    of the files that it changed (`contents`), what the parent had in their places (`replaced`), and the paths of those
    that it `removed`. `strange` are the paths of links and submodules, which are never
    read and never written over.
    """

    commit: str
    objects: Mapping[str, str]
    parent: str = ""
    contents: Mapping[str, bytes] = {}
    removed: Collection[str] = ()
    replaced: Mapping[str, str] = {}
    strange: frozenset[str] = frozenset()


def read_tree(hub: Hub, commit: str) -> Tree:
    """Return what the commit holds below the hub's folder: log, pages and settings."""
    return parse_tree(hub, commit, run(hub, *tree_listing(hub, commit)) if commit else b"")


def read_objects(hub: Hub, names: Mapping[str, str]) -> dict[str, bytes]:
    """Return the bytes of the objects that the values name, under the same keys; what is not there is left out."""
    wanted = sorted(names)
    if not wanted:
        return {}
    answer = run(hub, "cat-file", "--batch", stdin="".join(f"{names[key]}\n" for key in wanted).encode())
    return dict(_read_batch(wanted, answer))


def committed(hub: Hub, paths: Iterable[str]) -> dict[str, bytes]:
    """Return the bytes of those of the files at `paths` (from the hub's folder) that the last commit has."""
    return read_objects(hub, {path: f"HEAD:{prefix_of(hub)}{path}" for path in paths})


def read_files(hub: Hub, tree: Tree, paths: Iterable[str]) -> dict[str, bytes]:
    """Return the bytes of those of the files at `paths` (from the hub's folder) that the commit has."""
    there = {path: tree.objects[path] for path in paths if path in tree.objects}
    known = {path: tree.contents[path] for path in there if path in tree.contents}
    known |= _held_here(hub, tree, there.keys() - known.keys())
    return known | read_objects(hub, {path: name for path, name in there.items() if path not in known})


def _held_here(hub: Hub, tree: Tree, paths: Iterable[str]) -> dict[str, bytes]:
    """Return those of the files that the work tree has as the commit has them; that saves a git, and unpacking them.

    A log file may have grown by some lines since. What proves it is the name that Git gives a content.
    """
    found = {}
    for path in paths:
        with contextlib.suppress(StoppedError):
            content = read_regular(hub.root / path)
            for _ in range(1 + (_GROWN if path.endswith(".ndjson") else 0)):
                if object_name(content, tree.commit) == tree.objects[path]:
                    found[path] = content
                    break
                content = content[: content.rfind(b"\n", 0, -1) + 1]
    return found


def object_name(content: bytes, commit: str) -> str:
    """Return what Git calls a file with this content, in a repository whose commits have names like `commit`."""
    make = sha256 if len(commit) == 64 else sha1
    return make(b"blob %d\0%s" % (len(content), content), usedforsecurity=False).hexdigest()


def lines_added(hub: Hub, old: str, new: str) -> int:
    """Return how many lines the source files have in the commit `new` and had not in `old`."""
    rows = run(hub, "diff", "--numstat", "--no-renames", old, new, "--", "sources").split(b"\n")
    return sum(int(row.split(b"\t")[0]) for row in rows if row[:1].isdigit())


def tree_listing(hub: Hub, commit: str) -> tuple[str, ...]:
    """Return the command that lists what the commit holds below the hub's folder."""
    parts = (f"{prefix_of(hub)}{part}" for part in (*PLACES, "soul.yaml"))
    return "ls-tree", "-r", "-z", "--full-tree", commit, "--", *parts


def parse_tree(hub: Hub, commit: str, listing: bytes) -> Tree:
    """Return what the answer to `tree_listing` says."""
    prefix = prefix_of(hub)
    objects, strange = {}, set()
    for row in filter(None, listing.split(b"\0")):
        kind, _, path = row.partition(b"\t")
        mode, _, name = kind.decode().split(" ")
        if mode in ("100644", "100755"):
            objects[os.fsdecode(path).removeprefix(prefix)] = name
        else:
            strange.add(os.fsdecode(path).removeprefix(prefix))
    return Tree(commit, objects, strange=frozenset(strange))


def is_ours(path: str) -> bool:
    """Tell whether a path from the hub's folder, in one of `PLACES`, is that of a log file or a page."""
    return path.endswith(".ndjson") if path.startswith("sources/") else path.endswith((".md", ".json"))


def _read_batch(wanted: Sequence[str], answer: bytes) -> Iterator[tuple[str, bytes]]:
    """Yield path and bytes from what `cat-file --batch` answers: a header line, then the object and a newline."""
    start = 0
    for path in wanted:
        end = answer.index(b"\n", start)
        header = answer[start:end]
        start = end + 1
        if not header.endswith(b" missing"):
            size = int(header.rsplit(b" ", 1)[1])
            yield path, answer[start : start + size]
            start += size + 1
