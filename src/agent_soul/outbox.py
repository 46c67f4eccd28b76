"""Appending to the log so that an acknowledged event is never lost.

Every command's events are first one file in the outbox, inside Git's own folder where no `reset --hard`, `stash` or
`clean` reaches: once that file is durable they are acknowledged. Then they are appended to the day file of their
source. The outbox file goes only when its events are in a commit that counts; until then `replay` puts back whatever
is missing.
"""

from __future__ import annotations

import contextlib
import os
import time
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from agent_soul.clone import clone_id
from agent_soul.day_files import append_blocks, contents_of_day, day_file, refuse_unwritable
from agent_soul.errors import Problem, StoppedError
from agent_soul.event import Event, Line, as_line, parse_line
from agent_soul.files import install, make_folder, read_regular, remedy, sweep, sync_folder
from agent_soul.hub import EDITED, SOURCES, SUFFIX, Hub, is_being_rebased
from agent_soul.log import Log, parse_log, read_source_files

_IDS_NAMED = 3
_KEPT_DURING_REBASE = "a rebase is under way here: the event is kept beside the work tree, for the next sync or compile"


class Entry(NamedTuple):
    """One outbox file: the events of one command, in the order in which they were given.

    `whole` is false where something in the file cannot be read; such a file is never removed.
    """

    file: Path
    events: tuple[Event, ...]
    whole: bool = True


class Appended(NamedTuple):
    """Where acknowledged events stand: the source files in the hub by event id, and what went less than smoothly."""

    paths: Mapping[str, str]
    warnings: tuple[str, ...] = ()


def append(hub: Hub, lines: Sequence[Line]) -> Appended:
    """Acknowledge `lines` and append each to `sources/<source>/<UTC date>.<clone>.ndjson`. The lock must be held.

    Events that were read from the log are there already and stay as they are. In the middle of a person's rebase all
    wait in the outbox, because `git rebase --continue` refuses to go on over a changed file. Raises `RefusedError` or
    `StoppedError` before anything is kept, or where a fault of the disk leaves that unknown. After that nothing is
    raised: what could not be appended stays in the outbox, and a warning says so.
    """
    paths = {line.id: line.path for line in lines if _is_logged(line)}
    fresh = [line for line in lines if not _is_logged(line)]
    if not fresh:
        return Appended(paths)
    with _nothing_added(hub.outbox):
        clone = clone_id(hub)
        groups = _groups(fresh, clone)
        blocks = {} if is_being_rebased(hub) else _blocks(groups)
        refuse_unwritable(hub, blocks)
    entry = _acknowledge(hub, fresh)
    failures = append_blocks(hub, blocks)
    if hub.git_root is None and not failures:
        with contextlib.suppress(OSError):  # without Git nothing resets the files, and no commit will ever hold them
            entry.unlink()
    paths |= {line.id: path for path, group in groups.items() for line in group}
    notes = [_kept_all_the_same(path, error) for path, error in failures.items()]
    return Appended(paths, tuple(notes if blocks else [_KEPT_DURING_REBASE]))


def entries(hub: Hub) -> tuple[list[Entry], list[Problem]]:
    """Return the outbox, oldest command first, and what in it cannot be read; that is left where it is."""
    if hub.outbox.is_dir() and not os.access(hub.outbox, os.R_OK | os.X_OK):
        raise StoppedError(f"{hub.outbox} cannot be read; it may hold events", hint="mend its permissions")
    found, problems = [], []
    for file in sorted(hub.outbox.glob(f"*{SUFFIX}")):
        entry, fault = _read_entry(file)
        found.append(entry)
        if fault:
            problems.append(Problem(str(file), 0, 0, "outbox", f"{fault}; the file is kept, look at it", "notice"))
    return found, problems


def unsent(hub: Hub) -> int:
    """Return how many lines stand in the outbox; reading them as events takes a hundred times as long."""
    return sum(sum(map(bool, content.split(b"\n"))) for content in contents(hub).values())


def whole_log(hub: Hub) -> Log:
    """Return the log with what is acknowledged and stands in the outbox alone; the next compile puts that back."""
    return with_waiting(hub, parse_log(read_source_files(hub.root)))


def with_waiting(hub: Hub, log: Log) -> Log:
    """Return `log` with the events of the outbox that it lacks."""
    waiting = _waiting(entries(hub)[0], {event.id for event in log.events})
    return Log([*log.events, *waiting.values()], log.problems, log.set_aside)


def _waiting(found: Iterable[Entry], present: Collection[str]) -> dict[str, Event]:
    """Return the events of outbox entries whose ids are not `present`."""
    return {event.id: event for entry in found for event in entry.events if event.id not in present}


def contents(hub: Hub) -> dict[str, bytes]:
    """Return the bytes of the outbox's files by their names; what cannot be read is left out."""
    found = {}
    for file in sorted(hub.outbox.glob(f"*{SUFFIX}")):
        with contextlib.suppress(StoppedError):
            found[file.name] = read_regular(file)
    return found


class Replayed(NamedTuple):
    """What the log had lost and has again, and why other events of the outbox could not be put back."""

    events: list[Event]
    warnings: tuple[str, ...] = ()


def replay(hub: Hub, present: Collection[str]) -> Replayed:
    """Append the outbox's events whose ids are not `present` in the log. The lock must be held.

    Those whose file cannot be written stay in the outbox.
    """
    tidy(hub)
    found = entries(hub)[0]
    waiting = _waiting(found, present)
    groups = _groups(map(as_line, waiting.values()), clone_id(hub)) if waiting else {}
    failures = append_blocks(hub, _blocks(groups))
    if hub.git_root is None and found and not failures:
        _settle_without_git(hub, found)
    failed = {line.id for path in failures for line in groups[path]}
    warnings = [
        f"{path} cannot be written: {error.strerror}; {len(groups[path])} of its events wait safely in {hub.outbox}"
        f" ({remedy(error)})"
        for path, error in failures.items()
    ]
    return Replayed([event for event in waiting.values() if event.id not in failed], tuple(warnings))


def tidy(hub: Hub) -> None:
    """Remove the half-written files that killed commands left in the hub and in its state. The lock must be held."""
    for folder in (hub.outbox, hub.state, hub.state / EDITED):
        sweep(folder)
    for folder in (hub.sources, hub.canonical):
        sweep(folder, below=True)


def discard(hub: Hub, committed: Collection[str]) -> int:
    """Remove the outbox files all of whose events are among the `committed` ids; return how many went.

    They must stand in the day files too: where those could not be written, the outbox alone shows the events here.
    """
    found = [entry for entry in entries(hub)[0] if entry.whole and all(e.id in committed for e in entry.events)]
    days = {day: contents_of_day(hub, *day) for day in {(e.source, e.date) for entry in found for e in entry.events}}
    settled = [entry for entry in found if all(_names(e) in days[e.source, e.date] for e in entry.events)]
    for entry in settled:
        entry.file.unlink(missing_ok=True)
    return len(settled)


def _names(event: Event) -> bytes:
    """Return the bytes by which a line of ours says that it is this event."""
    return b'"event_id":"%s"' % event.id.encode()


def _is_logged(line: Line) -> bool:
    return line.path.startswith(f"{SOURCES}/")


def _groups(lines: Iterable[Line], clone: str) -> dict[str, list[Line]]:
    """Return the lines by the file that they go to, in their order."""
    groups: dict[tuple[str, str], list[Line]] = defaultdict(list)
    for line in lines:  # many lines, few files
        groups[line.source, line.date].append(line)
    return {day_file(group[0], clone): group for group in groups.values()}


def _blocks(groups: Mapping[str, Sequence[Line]]) -> dict[str, bytes]:
    """Return what to append to each file, all of it in one piece."""
    return {path: b"".join([line.raw for line in group]) for path, group in groups.items()}


@contextlib.contextmanager
def _nothing_added(place: Path) -> Iterator[None]:
    """Whatever goes wrong in here happens before an event is acknowledged; say so."""
    try:
        yield
    except StoppedError as error:
        raise StoppedError(f"nothing was added: {error.message}", hint=error.hint) from error
    except OSError as error:
        raise StoppedError(
            f"nothing was added: {error.filename or place} cannot be written: {error.strerror}", hint=remedy(error)
        ) from error


def _acknowledge(hub: Hub, lines: Sequence[Line]) -> Path:
    entry = hub.outbox / f"{time.time_ns():020d}-{os.urandom(4).hex()}{SUFFIX}"
    with _nothing_added(entry):
        make_folder(hub.outbox)
        install(entry, b"".join(line.raw for line in lines))
    try:
        sync_folder(hub.outbox)
    except OSError as error:
        # The entry stays: whether it outlives a power cut nobody can know now, and a second fsync would not tell.
        raise StoppedError(
            f"outcome unknown: {hub.outbox} could not be made durable: {error.strerror}; it holds {_name_ids(lines)}",
            hint="run `soul compile`, then `soul show ID`; adding again with the same --event-id cannot double it",
        ) from error
    return entry


def _name_ids(lines: Sequence[Line]) -> str:
    more = len(lines) - _IDS_NAMED
    return ", ".join(line.id for line in lines[:_IDS_NAMED]) + (f" and {more} more" if more > 0 else "")


def _kept_all_the_same(path: str, error: OSError) -> str:
    return f"{path} could not be written ({error.strerror}); its events are safe, and the next `soul compile` adds them"


def _read_entry(file: Path) -> tuple[Entry, str]:
    """Return the entry with what can be read of it, and what is wrong with the rest."""
    try:
        raws = [raw for raw in read_regular(file).split(b"\n") if raw]
    except StoppedError as error:
        return Entry(file, (), whole=False), error.message
    events = tuple(event for event in (parse_line(raw, file.name, 0) for raw in raws) if isinstance(event, Event))
    if events and len(events) == len(raws):
        return Entry(file, events), ""
    fault = f"{len(raws) - len(events)} of its {len(raws)} events cannot be read" if raws else "holds no event"
    return Entry(file, events, whole=False), fault


def _settle_without_git(hub: Hub, found: Iterable[Entry]) -> None:
    """Empty the outbox of a hub that no commit will ever hold; only a killed command has left something there."""
    if hasattr(os, "sync"):
        os.sync()  # the killed one may not have come to its own fsync, and which files it reached is not known
    for entry in found:
        if entry.whole:
            with contextlib.suppress(OSError):
                entry.file.unlink()
