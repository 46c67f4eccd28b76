"""How the work tree differs from what Git holds: from the branch that is checked out, and from any commit."""

from __future__ import annotations

import contextlib
import functools
import os
from collections.abc import Callable, Iterator, Mapping
from typing import NamedTuple

from agent_soul.gitio.process import Answer, attempt_all, checked, run, running
from agent_soul.gitio.repository import BRANCH, PEOPLE, people_in, prefix_of
from agent_soul.gitio.snapshot import PLACES, Tree, is_ours, parse_tree, tree_listing
from agent_soul.gitio.transport import SETTINGS, Target, target_in
from agent_soul.hub import Hub

_STATUS = (
    *("status", "--porcelain=v2", "--branch", "--no-ahead-behind", "-z"),
    *("--untracked-files=all", "--ignored", "--no-renames", "--", *PLACES),
)
_FIELDS_BEFORE_PATH = {b"1": 7, b"u": 9}


class Status(NamedTuple):
    """What `git status` says of our files, by path from the hub's folder.

    `head` is the commit that is checked out (empty before the first one), `branch` its branch (empty where HEAD is
    detached). `changed` differ from it, `staged` are those of them that differ in the index already. `others` are files
    of which Git knows nothing, with those that a .gitignore hides.
    """

    head: str
    branch: str
    changed: tuple[str, ...]
    staged: frozenset[str]
    others: frozenset[str]


def status_of(hub: Hub) -> Status:
    """Ask `git status` about our files: the log and the pages."""
    return _status(hub, run(hub, *_STATUS))


def _status(hub: Hub, listing: bytes) -> Status:
    """Read porcelain version 2; see `git-status(1)`."""
    prefix, said = prefix_of(hub), {b"branch.oid": b"", b"branch.head": b""}
    found: dict[str, bytes] = {}
    for row in filter(None, listing.split(b"\0")):
        kind, _, rest = row.partition(b" ")
        if kind == b"#":
            name, _, said[name] = rest.partition(b" ")
            continue
        fields = rest.split(b" ", _FIELDS_BEFORE_PATH.get(kind, 0))
        path = os.fsdecode(fields[-1]).removeprefix(prefix)
        if is_ours(path):
            found[path] = found.get(path, b"") + (fields[0][:1] if kind in _FIELDS_BEFORE_PATH else kind)
    return Status(
        said[b"branch.oid"].decode().replace("(initial)", ""),
        os.fsdecode(said[b"branch.head"]).replace("(detached)", ""),
        tuple(sorted(path for path, kinds in found.items() if kinds != b"!")),
        frozenset(path for path, kinds in found.items() if kinds.strip(b".?!")),
        frozenset(path for path, kinds in found.items() if kinds in (b"?", b"!")),
    )


def staged(hub: Hub) -> dict[str, str]:
    """Return the object names that the index has for our files, by path; a conflict that nobody settled has none."""
    rows = run(hub, "ls-files", "--stage", "-z", "--full-name", "--", *PLACES).split(b"\0")
    parted = (row.partition(b"\t") for row in rows if row)
    found = ((entry.decode().split(" "), os.fsdecode(path).removeprefix(prefix_of(hub))) for entry, _, path in parted)
    return {path: name for (_, name, stage), path in found if stage == "0" and is_ours(path)}


class Survey(NamedTuple):
    """How the work tree differs from the branch and from a commit, and what that commit holds.

    `changed` are our paths (from the hub's folder) that differ from HEAD, `differing` the source files that the commit
    has otherwise, or not. `people` are author and committer as Git knows them, if it does.
    """

    changed: frozenset[str]
    differing: tuple[str, ...]
    tree: Tree
    people: tuple[str, str] | None


class Asked:
    """What git commands say of a clone that look at it side by side. A part is read, or its failure raised, when used.

    `noted` is what the clone knew then of the remote (url, branch, head); the survey is about that head.
    """

    def __init__(self, hub: Hub, noted: Mapping[str, str], answers: Callable[[], Mapping[str, Answer]]) -> None:
        self.noted, self._hub, self._answers = noted, hub, functools.cache(answers)

    def target(self, *, timeout: float) -> Target | None:
        """Return what `target_of` does."""
        code, listing, _ = self._answers()["status"]
        named = _status(self._hub, listing).branch if code == 0 else run(self._hub, *BRANCH, ok=(0, 1)).decode().strip()
        settings = checked("config", *self._answers()["config"], (0, 1))
        return target_in(self._hub, self.noted, settings, named, timeout=timeout)

    def survey(self) -> Survey | None:
        """Return what `survey` does of the remote's head as it is noted; it may be gone. None where none is."""
        head = self.noted.get("head", "")
        return _surveyed(self._hub, head, self._answers()) if head else None


@contextlib.contextmanager
def surveying(hub: Hub, noted: Mapping[str, str]) -> Iterator[Asked]:
    """Ask git about the clone, and do something else meanwhile: nothing is raised before an answer is wanted."""
    commands = {"config": SETTINGS, "status": _STATUS}
    if head := noted.get("head", ""):
        commands |= _looks(hub, head)
    with running(hub, *commands.values()) as answers:
        yield Asked(hub, noted, lambda: dict(zip(commands, answers(), strict=True)))


def survey(hub: Hub, commit: str) -> Survey:
    """Look at the work tree and at `commit` (empty: none yet), all side by side."""
    looks = _looks(hub, commit)
    return _surveyed(hub, commit, dict(zip(looks, attempt_all(hub, *looks.values()), strict=True)))


def _looks(hub: Hub, commit: str) -> dict[str, tuple[str, ...]]:
    looks = {"status": _STATUS, "author": PEOPLE[0], "committer": PEOPLE[1]}
    return looks | ({"tree": tree_listing(hub, commit)} if commit else {})


def _surveyed(hub: Hub, commit: str, answers: Mapping[str, Answer]) -> Survey:
    seen = _status(hub, checked("status", *answers["status"]))
    tree = checked("ls-tree", *answers["tree"]) if commit else b""
    return Survey(
        frozenset(seen.changed),
        _differing(hub, seen, commit),
        parse_tree(hub, commit, tree),
        people_in([answers["author"], answers["committer"]]),
    )


def differing_sources(hub: Hub, commit: str) -> tuple[str, ...]:
    """Return the source files (from the hub's folder) of the work tree that the commit has otherwise, or not."""
    return _differing(hub, status_of(hub), commit)


def _differing(hub: Hub, seen: Status, commit: str) -> tuple[str, ...]:
    found = seen.changed
    if commit != seen.head:
        listing = run(hub, *_difference_to(commit)).split(b"\0")
        found = tuple(os.fsdecode(path).removeprefix(prefix_of(hub)) for path in listing)
    return tuple(sorted(path for path in seen.others.union(found) if path.startswith("sources/") and is_ours(path)))


def _difference_to(commit: str) -> tuple[str, ...]:
    """Return what names the source files that Git knows of here and the commit has otherwise, or not."""
    if not commit:
        return "ls-files", "--cached", "-z", "--full-name", "--", "sources"
    return "diff", "--name-only", "--no-renames", "-z", commit, "--", "sources"
