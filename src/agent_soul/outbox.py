"""Appending to the log so that an acknowledged event is never lost.

Every command's events are first one file in the outbox, inside Git's own folder where no `reset --hard`, `stash` or
`clean` reaches: once that file is durable they are acknowledged. Then they are appended to the day file of their
source. The outbox file goes only when its events are in a commit that counts; until then `replay` puts back whatever
is missing.
"""

from __future__ import annotations

import contextlib
import json
import os
import platform
import secrets
import time
from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from agent_soul.errors import Problem, StoppedError
from agent_soul.event import Event, parse_line, serialise
from agent_soul.files import open_day_file, replace_file
from agent_soul.hub import Hub
from agent_soul.log import SOURCES, SUFFIX

_SWAP_TRIES = 3


@dataclass(frozen=True, slots=True)
class Entry:
    """One outbox file: the events of one command, in the order in which they were given."""

    file: Path
    events: tuple[Event, ...]


@dataclass(frozen=True, slots=True)
class Appended:
    """Where acknowledged events stand: the source files in the hub by event id, and what went less than smoothly."""

    paths: Mapping[str, str]
    warnings: tuple[str, ...] = ()


def append(hub: Hub, events: Sequence[Event]) -> Appended:
    """Acknowledge `events` and append each to `sources/<source>/<UTC date>.<clone>.ndjson`. The lock must be held.

    Raises `RefusedError` or `StoppedError` before anything is kept. After that nothing is raised: what could not be
    appended stays in the outbox, and a warning says so.
    """
    by_path = _by_day_file(hub, events)
    for path in by_path:
        # A link, a pipe or a read-only folder is refused before the events are acknowledged.
        os.close(open_day_file(hub.root, path))
    entry = _acknowledge(hub, events)
    warnings = []
    for path, group in by_path.items():
        try:
            _append_lines(hub, path, group)
        except OSError as error:
            warnings.append(
                f"{path} could not be written ({error.strerror}); the events are safe in the outbox and the next `soul compile` adds them"
            )
    if hub.git_root is None and not warnings:
        entry.unlink()  # without Git nothing resets the files, and nothing will ever commit them
    return Appended({event.id: path for path, group in by_path.items() for event in group}, tuple(warnings))


def entries(hub: Hub) -> tuple[list[Entry], list[Problem]]:
    """Return the outbox, oldest command first, and what in it cannot be read; that is left where it is."""
    found, problems = [], []
    files = sorted(hub.outbox.glob(f"*{SUFFIX}")) if hub.outbox.is_dir() else []
    for file in files:
        read = [parse_line(raw, file.name, n) for n, raw in enumerate(file.read_bytes().split(b"\n"), 1) if raw]
        events = tuple(event for event in read if isinstance(event, Event))
        if len(events) < len(read):
            said = f"{len(read) - len(events)} of its events cannot be read; the file is kept, look at it"
            problems.append(Problem(str(file), 0, 0, "outbox", said, "notice"))
        found.append(Entry(file, events))
    return found, problems


def replay(hub: Hub, present: Collection[str]) -> list[Event]:
    """Append the outbox's events whose ids are not `present` in the log, and return them. The lock must be held."""
    waiting = {event.id: event for entry in entries(hub)[0] for event in entry.events if event.id not in present}
    for path, group in _by_day_file(hub, list(waiting.values())).items():
        try:
            _append_lines(hub, path, group)
        except OSError as error:
            raise StoppedError(
                f"{path} cannot be written: {error.strerror}; {len(group)} events wait safely in {hub.outbox}",
                hint="mend that, then run `soul compile` again",
            ) from error
    return list(waiting.values())


def discard(hub: Hub, committed: Collection[str]) -> int:
    """Remove the outbox files all of whose events are among the `committed` ids; return how many went."""
    settled = [entry for entry in entries(hub)[0] if entry.events and all(e.id in committed for e in entry.events)]
    for entry in settled:
        entry.file.unlink(missing_ok=True)
    return len(settled)


def day_file(event: Event, clone: str) -> str:
    """Return the path of the one file that this clone appends the event to."""
    return f"{SOURCES}/{event.source}/{event.date}.{clone}{SUFFIX}"


def clone_id(hub: Hub) -> str:
    """Return the 8 hex digits that name this clone's files; made anew when the host or the folder is another one.

    A copied clone must not write to the files of the one it was copied from.
    """
    file = hub.state / "clone.json"
    here = {"host": platform.node(), "state": str(hub.state)}
    with contextlib.suppress(OSError, ValueError, KeyError):
        known = json.loads(file.read_text(encoding="utf-8"))
        if {key: known[key] for key in here} == here:
            return str(known["id"])
    made = secrets.token_hex(4)
    replace_file(file, json.dumps({"id": made, **here}, ensure_ascii=False).encode())
    return made


def _by_day_file(hub: Hub, events: Sequence[Event]) -> dict[str, list[Event]]:
    clone = clone_id(hub) if events else ""
    groups: dict[str, list[Event]] = defaultdict(list)
    for event in events:
        groups[day_file(event, clone)].append(event)
    return groups


def _acknowledge(hub: Hub, events: Sequence[Event]) -> Path:
    entry = hub.outbox / f"{time.time_ns():020d}-{secrets.token_hex(4)}{SUFFIX}"
    try:
        replace_file(entry, b"".join(serialise(event.data) for event in events))
    except OSError as error:
        entry.unlink(missing_ok=True)
        raise StoppedError(
            f"nothing was added: {entry.parent} cannot be written: {error.strerror}",
            hint="free some space or mend the permissions of that folder, then add again",
        ) from error
    return entry


def _append_lines(hub: Hub, path: str, events: Sequence[Event]) -> None:
    """Append all lines by one write; again if Git put another file in its place meanwhile."""
    lines = b"".join(serialise(event.data) for event in events)
    for _ in range(_SWAP_TRIES):
        fd = open_day_file(hub.root, path)
        try:
            _write_once(fd, lines)
            if hub.git_root is None:
                os.fsync(fd)  # with Git the outbox is the durable copy until a commit holds the events
            if os.path.samestat(os.fstat(fd), (hub.root / path).lstat()):
                return
        except FileNotFoundError:
            continue
        finally:
            os.close(fd)
    raise OSError(0, "another program keeps replacing the file")


def _write_once(fd: int, lines: bytes) -> None:
    size = os.fstat(fd).st_size
    if size:
        os.lseek(fd, size - 1, os.SEEK_SET)
        if os.read(fd, 1) != b"\n":
            lines = b"\n" + lines  # seal the line of a killed writer, or of an editor that leaves the newline out
    written = os.write(fd, lines)
    if written != len(lines):
        os.ftruncate(fd, size)
        raise OSError(0, f"only {written} of {len(lines)} bytes could be written")
