"""An event as rows of the index's tables."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterator, Mapping
from typing import Any

from agent_soul.conflicts import attribute_of, claimed_value
from agent_soul.event import Event, short_id
from agent_soul.searching.document import statement
from agent_soul.searching.index import stored_instant
from agent_soul.searching.meaning import is_cjk
from agent_soul.searching.words import fold

COLUMNS = (
    "id, short_id, path, line, identity, instant, date, lane, source, kind, scope, name, project, topic, tags,"
    " importance, text_key, is_cjk"
)


def row_of(event: Event) -> tuple[Any, ...]:
    """Return the values of `COLUMNS`."""
    in_scope = event.project if event.scope == "project" else event.agent
    data = event.data
    return (
        event.id,
        short_id(event.id),
        os.fsencode(event.path),  # not every name of a file is text
        event.line,
        _number(repr(event.identity)),
        stored_instant(event.instant),
        event.date,
        f"project {fold(event.project)}" if event.project else f"source {event.source}",
        event.source,
        event.kind,
        event.scope,
        fold(in_scope),
        fold(event.project),
        data.get("topic", ""),
        "".join(f"\n{fold(tag)}\n" for tag in data.get("tags", ())),
        event.importance,
        _number(statement(data)),
        is_cjk(statement(data)),
    )


def body_of(event: Event) -> tuple[str, str, str]:
    """Return what of the event is shown: summary, place, record."""
    return event.summary, event.place, json.dumps(dict(event.data), ensure_ascii=False)


def claim_of(event: Event) -> tuple[str, str]:
    """Return what an event with a claim gives a value to, and the value."""
    return repr(attribute_of(event)), claimed_value(event)


def days_of(record: Mapping[str, Any], day: str) -> tuple[str, ...]:
    """Return the writer's own date and the UTC date of an event."""
    return (str(record["ts"])[:10], day)


def targets_named(event: Event) -> Iterator[str]:
    """Yield the ids that an event acts upon, or seems to."""
    yield from event.supersedes
    yield from event.data.get("mark", {}).get("targets", ())


def _number(text: str) -> int:
    """Return a digest of the text as an integer that SQLite can hold."""
    return int.from_bytes(hashlib.blake2b(text.encode(), digest_size=8).digest(), "big", signed=True)
