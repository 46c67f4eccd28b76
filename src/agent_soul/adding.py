"""Adding events to a hub: draft, find what they replace, append. The thin rim around `draft` and `outbox`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from agent_soul import outbox
from agent_soul.draft import advice, draft
from agent_soul.errors import RefusedError
from agent_soul.event import Event, short_id
from agent_soul.hub import Hub
from agent_soul.lock import exclusive
from agent_soul.log import parse_log, read_source_files


@dataclass(frozen=True, slots=True)
class Added:
    """One acknowledged event: the file that holds it, from the hub's folder, and what its writer should know."""

    event: Event
    path: str
    warnings: tuple[str, ...]


def add(hub: Hub, record: Mapping[str, Any]) -> Added:
    """Draft one event and append it. Raises `RefusedError` with nothing written where it is not taken."""
    now = datetime.now().astimezone()
    record, unknown = _with_whole_ids(hub, record)
    event = draft(record, now)
    appended = add_all(hub, [event])
    warnings = (*unknown, *advice(event, now.astimezone(UTC).date().isoformat()), *appended.warnings)
    return Added(event, appended.paths[event.id], warnings)


def add_all(hub: Hub, events: Sequence[Event]) -> outbox.Appended:
    """Append drafted events under the clone's lock, as one outbox file."""
    with exclusive(hub.lock_file, purpose="add"):
        return outbox.append(hub, events)


def find_event(events: Sequence[Event], wanted: str) -> Event:
    """Return the one event whose id is or starts with `wanted`; of equal lines the first.

    Raises `RefusedError` where none does, or several do.
    """
    exact = [event for event in events if event.id == wanted]
    found = exact or [event for event in events if event.id.startswith(wanted)]
    ids = sorted({event.id for event in found})
    if not wanted or not ids:
        raise RefusedError(f"no event has the id {wanted!r}", hint="find it with `soul search`; ids are on every page")
    if len(ids) > 1:
        raise RefusedError(
            f"{wanted!r} begins the ids of {len(ids)} events: {', '.join(ids[:5])}", hint="give more of the id"
        )
    return found[0]


def _with_whole_ids(hub: Hub, record: Mapping[str, Any]) -> tuple[Mapping[str, Any], list[str]]:
    """Return the record with the ids that it names written out, and warnings about ids that are not here.

    Only a record that names ids pays for reading the log.
    """
    named = record.get("supersedes") or []
    ids = [named] if isinstance(named, str) else list(named)
    if not ids:
        return record, []
    events = parse_log(read_source_files(hub.root)).events
    whole, warnings = [], []
    for id_ in ids:
        try:
            whole.append(find_event(events, str(id_)).id)
        except RefusedError as error:
            if "begins the ids of" in error.message:
                raise
            whole.append(id_)
            warnings.append(f"supersedes {short_id(str(id_))!r}, which is not in this hub yet; it counts once it is")
    return {**record, "supersedes": whole}, warnings
