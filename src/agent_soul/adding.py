"""Adding events to a hub: draft, find what they replace, append. The thin rim around `draft` and `outbox`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any, NamedTuple

from agent_soul import outbox
from agent_soul.draft import advice, draft, reconcile
from agent_soul.errors import RefusedError
from agent_soul.event import Event, short_id
from agent_soul.hub import Hub
from agent_soul.lock import exclusive
from agent_soul.log import SourceFiles, parse_log, read_source_files


class Added(NamedTuple):
    """One acknowledged event: the file that holds it, from the hub's folder, and what its writer should know."""

    event: Event
    path: str
    warnings: tuple[str, ...]


def add(hub: Hub, record: Mapping[str, Any]) -> Added:
    """Draft one event and append it. Raises `RefusedError` with nothing written where it is not taken.

    A record that brings its own id may be added again: the event that is there already comes back.
    """
    now = local_now()
    record, notes = _with_whole_ids(hub, record)
    event = draft(record, now)
    with exclusive(hub.lock_file, purpose="add"):
        if record.get("event_id") is not None:
            earlier = [known for known in _events_naming(hub, [event.id]) if known.id == event.id]
            event = reconcile(event, earlier[-1] if earlier else None, record)
        appended = outbox.append(hub, [event])
    if event.path:
        notes.append(f"{event.id} was added before; it is there once")
    warnings = (*notes, *advice(event, now.astimezone(UTC).date().isoformat()), *appended.warnings)
    return Added(event, appended.paths[event.id], warnings)


def local_now() -> datetime:
    """Return this moment with the offset of the local clock, or in UTC where that is none that RFC 3339 can write."""
    now = datetime.now(UTC)
    try:
        here = now.astimezone()
        offset = here.utcoffset() or timedelta()
    except (ValueError, OverflowError):
        return now
    return now if offset % timedelta(minutes=1) else here


def add_all(hub: Hub, events: Sequence[Event]) -> outbox.Appended:
    """Append drafted events under the clone's lock, as one outbox file."""
    with exclusive(hub.lock_file, purpose="add"):
        return outbox.append(hub, events)


def events_by_id(hub: Hub) -> dict[str, Event]:
    """Return every event of the hub by its id, those in the outbox too; an event in the log knows its file."""
    return {event.id: event for event in _parse(_contents(hub))}


def find_event(events: Sequence[Event], wanted: str) -> Event:
    """Return the one event whose id is or starts with `wanted`; of equal lines the first.

    Raises `RefusedError` where none does, or several do.
    """
    found = _matching(events, wanted)
    ids = sorted({event.id for event in found})
    if not ids:
        raise RefusedError(f"no event has the id {wanted!r}", hint="find it with `soul search`; ids are on every page")
    if len(ids) > 1:
        raise RefusedError(
            f"{wanted!r} begins the ids of {len(ids)} events: {', '.join(ids[:5])}", hint="give more of the id"
        )
    return found[0]


def _matching(events: Sequence[Event], wanted: str) -> list[Event]:
    """Return the events with exactly the id `wanted`, else those whose ids start with it."""
    exact = [event for event in events if event.id == wanted]
    return exact or [event for event in events if wanted and event.id.startswith(wanted)]


def _events_naming(hub: Hub, ids: Sequence[str]) -> list[Event]:
    """Return the events in whose lines one of `ids` stands: parsing a large log whole takes seconds."""
    needles = [id_.encode("utf-8", "replace") for id_ in ids if id_]
    lines: dict[str, bytes] = {}
    for path, content in _contents(hub).items():
        if any(needle in content for needle in needles):
            lines[path] = b"\n".join(line for line in content.split(b"\n") if any(n in line for n in needles))
    return _parse(lines)


def _contents(hub: Hub) -> dict[str, bytes]:
    """Return the bytes of the outbox's files, then of the log's."""
    return {**outbox.contents(hub), **read_source_files(hub.root).contents}


def _parse(contents: Mapping[str, bytes]) -> list[Event]:
    return [event for path in contents for event in parse_log(SourceFiles({path: contents[path]})).events]


def _with_whole_ids(hub: Hub, record: Mapping[str, Any]) -> tuple[Mapping[str, Any], list[str]]:
    """Return the record with the ids that it names written out, and warnings about ids that are not here.

    Only a record that names ids pays for reading the log.
    """
    named = record.get("supersedes") or []
    ids = [named] if isinstance(named, str) else named
    if not ids or not isinstance(ids, (list, tuple)):
        return record, []
    events = _events_naming(hub, [str(id_) for id_ in ids])
    whole: dict[Any, None] = {}
    warnings = []
    for id_ in ids:
        if _matching(events, str(id_)):
            whole[find_event(events, str(id_)).id] = None
        else:
            whole[id_] = None
            warnings.append(f"supersedes {short_id(str(id_))!r}, which is not in this hub yet; it counts once it is")
    return {**record, "supersedes": list(whole)}, warnings
