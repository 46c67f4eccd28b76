"""The eight invariants, each a pure function from the recorded history and the repositories to its violations.

The form is Jepsen's: clients log what they saw, the repositories say what came of it, and nothing here runs anything.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise

from history.records import Clone, Commit, Operation, Outcome, World, lines_of

Check = Callable[[Sequence[Operation], World], Iterator[str]]
_EVIDENCE_LENGTH = 300


def violations(operations: Sequence[Operation], world: World) -> list[str]:
    """Return every violation with its evidence, each begun with the name of its invariant, I1 first."""
    return [
        f"{name}: {what[:_EVIDENCE_LENGTH]}" for name, check in INVARIANTS.items() for what in check(operations, world)
    ]


def nothing_lost(operations: Sequence[Operation], world: World) -> Iterator[str]:
    """I1: every acknowledged event is in the remote and in every clone."""
    for place, log in [("the remote", world.log()), *((clone.name, clone.log) for clone in world.clones)]:
        there = {(line.event_id, line.text) for line in lines_of(log)}
        for operation in _acknowledged(operations):
            if (operation.event_id, operation.text) not in there:
                yield f"{operation.event_id} ({operation.text!r}) was acknowledged and is not in {place}"


def nothing_invented(operations: Sequence[Operation], world: World) -> Iterator[str]:
    """I2: only what was invoked is there, and nothing of which the client was told that it was not added."""
    invoked = {(operation.event_id, operation.text) for operation in operations}
    open_or_ok = {operation.event_id for operation in operations if operation.outcome is not Outcome.FAIL}
    for line in lines_of(world.log()):
        if not line.readable:
            yield f"{line.path} holds a line that cannot be read: {line.raw!r}"
        elif (line.event_id, line.text) not in invoked:
            yield f"{line.path} holds {line.event_id} ({line.text!r}), which nobody recorded"
        elif line.event_id not in open_or_ok:
            yield f"{line.path} holds {line.event_id}, of which the client was told that it failed"


def nothing_doubled(operations: Sequence[Operation], world: World) -> Iterator[str]:
    """I3: each event is once in every log and at most once in each page, by its id and by its text."""
    for place, log in [("the remote", world.log()), *((clone.name, clone.log) for clone in world.clones)]:
        lines = [line for line in lines_of(log) if line.readable]
        counts = Counter(line.event_id for line in lines) + Counter(f"text {line.text!r}" for line in lines)
        yield from (f"{name} is {count} times in {place}" for name, count in counts.items() if count > 1)
    for path, content in world.pages().items():
        rows = content.decode("utf-8", "replace")
        for text in {operation.text for operation in operations}:
            if rows.count(text) > 1:
                yield f"{text!r} is {rows.count(text)} times in {path}"


def only_appended(_: Sequence[Operation], world: World) -> Iterator[str]:
    """I4: for each commit and its parent, the lines of every source file are a sub-multiset of the later ones."""
    by_name = {commit.name: commit for commit in world.commits}
    for commit in world.commits:
        for parent in (by_name[name] for name in commit.parents if name in by_name):
            yield from _lines_gone(parent, commit, world)


def all_the_same(_: Sequence[Operation], world: World) -> Iterator[str]:
    """I5: all clones have the remote's tree, in commit and in work tree, and the pages are those of a fresh compile."""
    for clone in world.clones:
        if clone.stuck:
            yield f"{clone.name} cannot sync: {clone.stuck}"
        if clone.tree != world.tree:
            yield f"{clone.name} has the tree {clone.tree}, the remote {world.tree}"
        if clone.dirty:
            yield f"{clone.name} has changes that are in no commit: {clone.dirty}"
        if clone.stale:
            yield f"{clone.name}: a fresh compile gives other pages: {clone.stale}"


def repositories_sound(_: Sequence[Operation], world: World) -> Iterator[str]:
    """I6: git fsck is clean, no lock and no half-done operation is left, and main is checked out."""
    if world.damage:
        yield f"git fsck of the remote: {world.damage}"
    for clone in world.clones:
        if clone.damage:
            yield f"git fsck of {clone.name}: {clone.damage}"
        if clone.leftovers:
            yield f"{clone.name} has {', '.join(clone.leftovers)}"
        if clone.branch != "main":
            yield f"{clone.name} is on {clone.branch or 'no branch'}"


def pages_whole(_: Sequence[Operation], world: World) -> Iterator[str]:
    """I7: every page in every commit is non-empty and parses."""
    verdicts: dict[tuple[bool, str], str] = {}
    for commit in world.commits:
        for path, blob in commit.files.items():
            if path.startswith("canonical/"):
                key = (path.endswith(".json"), blob)
                verdicts[key] = verdicts[key] if key in verdicts else _fault_of_page(path, world.blobs[blob])
                if verdicts[key]:
                    yield f"{path} in {commit.name}: {verdicts[key]}"


def order_kept(operations: Sequence[Operation], world: World) -> Iterator[str]:
    """I8: within a file, a source's acknowledged events stand in the order in which they were recorded."""
    position = {operation.event_id: operation.invoked for operation in reversed(_acknowledged(operations))}
    log = world.log()
    for path in log:
        known = [line.event_id for line in lines_of({path: log[path]}) if line.event_id in position]
        for earlier, later in pairwise(known):
            if position[earlier] > position[later]:
                yield f"{path} has {earlier} before {later}, which was recorded first"


INVARIANTS: dict[str, Check] = {
    "I1 lost": nothing_lost,
    "I2 invented": nothing_invented,
    "I3 doubled": nothing_doubled,
    "I4 not append-only": only_appended,
    "I5 not the same": all_the_same,
    "I6 not sound": repositories_sound,
    "I7 torn page": pages_whole,
    "I8 out of order": order_kept,
}


def _acknowledged(operations: Sequence[Operation]) -> list[Operation]:
    return [operation for operation in operations if operation.outcome is Outcome.OK]


def _lines_gone(parent: Commit, commit: Commit, world: World) -> Iterator[str]:
    for path, blob in parent.files.items():
        if path.startswith("sources/") and commit.files.get(path) != blob:
            now = world.blobs[commit.files[path]] if path in commit.files else b""
            gone = Counter(world.blobs[blob].split(b"\n")) - Counter(now.split(b"\n"))
            gone.pop(b"", None)
            if gone:
                yield f"{commit.name} takes {sum(gone.values())} lines from {path}: {next(iter(gone))!r}"


def _fault_of_page(path: str, content: bytes) -> str:
    if not content.strip():
        return "it is empty"
    try:
        text = content.decode("utf-8")
        if path.endswith(".json"):
            json.loads(text)
    except ValueError as error:
        return f"it does not parse: {error}"
    return "" if text.endswith("\n") else f"it ends in the middle of a line: {text[-40:]!r}"


__all__ = ["INVARIANTS", "Clone", "violations"]
