"""What the work tree and a commit hold of the hub, and how they differ."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from agent_soul.gitio.process import Answer, checked, run, run_all, running
from agent_soul.gitio.repository import HEAD, PEOPLE, commit_named, people_in, prefix_of
from agent_soul.hub import Hub

_OURS = ("sources", "canonical")
_STATUS = ("status", "--porcelain=v1", "-z", "--untracked-files=all", "--no-renames", "--", *_OURS)
_STRANGERS = ("ls-files", "--others", "-z", "--full-name", "--", "sources")


class Tree(NamedTuple):
    """The hub's files in one commit: the object name of each by its path from the hub's folder.

    What is known of a commit that was just built saves asking for it: the commit it was built on, and the bytes of
    some files and the paths of those that it lacks. `strange` are the paths of links and submodules, which are never
    read and never written over.
    """

    commit: str
    objects: Mapping[str, str]
    parent: str = ""
    contents: Mapping[str, bytes] = {}
    removed: Collection[str] = ()
    strange: frozenset[str] = frozenset()


def read_tree(hub: Hub, commit: str) -> Tree:
    """Return what the commit holds below the hub's folder: log, pages and settings."""
    return _parse_tree(hub, commit, run(hub, *_tree_listing(hub, commit)) if commit else b"")


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
    there = [path for path in paths if path in tree.objects]
    known = {path: tree.contents[path] for path in there if path in tree.contents}
    return known | read_objects(hub, {path: tree.objects[path] for path in there if path not in known})


def changed_paths(hub: Hub) -> list[str]:
    """Return our paths (from the hub's folder) that differ from HEAD: source files and pages."""
    return _changed_in(hub, run(hub, *_STATUS))


def head_and_changed_paths(hub: Hub) -> tuple[str, list[str]]:
    """Return what `head` and `changed_paths` do, asked side by side."""
    commit, listing = run_all(hub, HEAD, _STATUS, ok=(0, 1))
    return commit.decode().strip(), _changed_in(hub, listing)


def staged(hub: Hub) -> dict[str, str]:
    """Return the object names that the index has for our files, by path; a conflict that nobody settled has none."""
    rows = run(hub, "ls-files", "--stage", "-z", "--full-name", "--", *_OURS).split(b"\0")
    parted = (row.partition(b"\t") for row in rows if row)
    found = ((entry.decode().split(" "), os.fsdecode(path).removeprefix(prefix_of(hub))) for entry, _, path in parted)
    return {path: name for (_, name, stage), path in found if stage == "0" and _is_ours(path)}


class Survey(NamedTuple):
    """How the work tree differs from the branch and from a commit, and what that commit holds.

    `changed` are our paths (from the hub's folder) that differ from HEAD, `differing` the source files that the commit
    has otherwise, or not. `people` are author and committer as Git knows them, if it does; `tracked` is the commit that
    a ref names, where one was asked for.
    """

    changed: frozenset[str]
    differing: tuple[str, ...]
    tree: Tree
    people: tuple[str, str] | None
    tracked: str = ""


def survey(hub: Hub, commit: str) -> Survey:
    """Look at the work tree and at `commit` (empty: none yet), all side by side."""
    with surveying(hub, commit) as look:
        return look()


@contextlib.contextmanager
def surveying(hub: Hub, commit: str, ref: str = "") -> Iterator[Callable[[], Survey]]:
    """Do what `survey` does while the body does something else; what is yielded returns the survey, once.

    With `ref` it also tells which commit that names, if any.
    """
    looks = [_STATUS, _STRANGERS, _difference_to(commit), *([_tree_listing(hub, commit)] if commit else [])]
    named = [commit_named(ref)] if ref else []
    with running(hub, *looks, *PEOPLE, *named) as answers:
        yield lambda: _surveyed(hub, commit, looks, answers())


def _surveyed(hub: Hub, commit: str, looks: Sequence[Sequence[str]], answers: Sequence[Answer]) -> Survey:
    made_by, committed_by, *named = answers[len(looks) :]
    outs = [checked(look[0], *answer) for look, answer in zip(looks, answers, strict=False)]
    status, others, differing, *listing = outs
    return Survey(
        frozenset(_changed_in(hub, status)),
        tuple(_differing_in(hub, others + differing)),
        _parse_tree(hub, commit, b"".join(listing)),
        people_in([made_by, committed_by]),
        "".join(checked("rev-parse", *answer, (0, 1)).decode().strip() for answer in named),
    )


def differing_sources(hub: Hub, commit: str) -> list[str]:
    """Return the source files (from the hub's folder) of the work tree that the commit has otherwise, or not."""
    return _differing_in(hub, b"".join(run_all(hub, _STRANGERS, _difference_to(commit))))


def lines_added(hub: Hub, old: str, new: str) -> int:
    """Return how many lines the source files have in the commit `new` and had not in `old`."""
    rows = run(hub, "diff", "--numstat", "--no-renames", old, new, "--", "sources").split(b"\n")
    return sum(int(row.split(b"\t")[0]) for row in rows if row[:1].isdigit())


def _changed_in(hub: Hub, status: bytes) -> list[str]:
    prefix = prefix_of(hub)
    paths = (os.fsdecode(row[3:]).removeprefix(prefix) for row in status.split(b"\0") if row)
    return sorted(path for path in paths if _is_ours(path))


def _differing_in(hub: Hub, listing: bytes) -> list[str]:
    prefix = prefix_of(hub)
    paths = {os.fsdecode(path).removeprefix(prefix) for path in listing.split(b"\0") if path}
    return sorted(path for path in paths if _is_ours(path))


def _difference_to(commit: str) -> tuple[str, ...]:
    """Return what names the source files that Git knows of here and the commit has otherwise, or not."""
    if not commit:
        return "ls-files", "--cached", "-z", "--full-name", "--", "sources"
    return "diff", "--name-only", "--no-renames", "-z", commit, "--", "sources"


def _tree_listing(hub: Hub, commit: str) -> tuple[str, ...]:
    parts = (f"{prefix_of(hub)}{part}" for part in (*_OURS, "soul.yaml"))
    return "ls-tree", "-r", "-z", "--full-tree", commit, "--", *parts


def _parse_tree(hub: Hub, commit: str, listing: bytes) -> Tree:
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


def _is_ours(path: str) -> bool:
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
