"""From what somebody wants to record to an event that may be written. Pure, but for the id.

Everything that binds writing and not reading is here: lengths, hidden characters, days that exist.
"""

from __future__ import annotations

import re
import uuid
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from agent_soul import schemas
from agent_soul.errors import RefusedError
from agent_soul.event import Event, build, in_field_order, normalise
from agent_soul.strict_json import RejectedError, load_object
from agent_soul.text import clean_block, clean_line, describe_hidden, find_hidden

MAX_DETAIL_BYTES = 16 << 10
_BLOCKS = frozenset({"detail", "rationale", "context"})
_TICK = timedelta(microseconds=1)
# What editors make of `--option`; the shell then takes it for a part of the text.
_TYPOGRAPHIC_OPTION = re.compile(r"(?:^|\s)([\u2010-\u2015\u2212])\1?([a-z][a-z-]+)")
_OPTIONS = frozenset(
    ("source", "kind", "scope", "summary", "project", "agent", "supersedes", "valid-until", "valid-from")
)


@dataclass(frozen=True, slots=True)
class Refusal:
    """A record of a bulk command that was not taken: its line number, counted from 1, and why."""

    line: int
    reason: str


def draft(record: Mapping[str, Any], now: datetime) -> Event:
    """Return the event of `record`, cleaned and checked; id and time are added where they are missing.

    `now` carries the writer's own offset. Raises `RefusedError` naming each field that is wrong.
    """
    filled = {"event_id": str(uuid.uuid4()), "ts": now.isoformat(timespec="microseconds"), **normalise(record)}
    filled.pop("fingerprint", None)  # never trusted, so not worth its room
    cleaned = {name: _clean(name, value) for name, value in filled.items()}
    faults = [*_hidden_characters(filled), *_faults(cleaned)]
    if faults:
        raise RefusedError("; ".join(faults), hint="nothing was written; mend that and add again")
    try:
        return build(in_field_order(cleaned))
    except ValueError as error:
        raise RefusedError(str(error), hint="nothing was written; mend that and add again") from error


def draft_lines(
    lines: Iterator[bytes], defaults: Mapping[str, Any], now: datetime, seen: Callable[[int], None] = lambda _: None
) -> tuple[list[Event], list[Refusal]]:
    """Return the events of NDJSON `lines` and the refused ones. `defaults` fill in fields that a line lacks.

    Events without a time of their own get `now` and the microseconds after it, so that they keep their order. `seen`
    is told the number of bytes of each line.
    """
    events: list[Event] = []
    refused: list[Refusal] = []
    for number, raw in enumerate(lines, start=1):
        seen(len(raw))
        if not raw.strip():
            continue
        try:
            events.append(draft({**defaults, **load_object(raw.rstrip(b"\r\n"))}, now + number * _TICK))
        except RejectedError as error:
            refused.append(Refusal(number, f"column {error.column}: {error.message}"))
        except RefusedError as error:
            refused.append(Refusal(number, error.message))
    return events, refused


def advice(event: Event, today: str) -> list[str]:
    """Return warnings about an event that is accepted but may not do what its writer expects. `today` is a UTC date."""
    warnings = []
    if event.valid_until and event.valid_until < today:
        warnings.append(f"valid_until {event.valid_until} is over: the event is kept, but no page shows it")
    if event.date > today:
        warnings.append(f"ts lies on {event.date}, ahead of today ({today}): it counts from then on")
    for found in _TYPOGRAPHIC_OPTION.finditer(event.summary):
        if found[2] in _OPTIONS:
            warnings.append(
                f"the summary holds {found[0].strip()!r}; for an option type two plain hyphens: --{found[2]}"
            )
    return warnings


def typographic_option(arguments: Sequence[str]) -> str:
    """Return the argument that an editor turned from `--option` into a dash of another kind, or an empty string."""
    for argument in arguments:
        found = _TYPOGRAPHIC_OPTION.match(argument)
        if found and found[0] == argument:
            return argument
    return ""


def _clean(name: str, value: Any) -> Any:
    """Return the value with its text as it is to be stored; unknown fields are kept in the same clean form."""
    if isinstance(value, str):
        if value.isascii() and value.isprintable() and not value.startswith(" ") and "  " not in value:
            return value.rstrip(" ")
        return clean_block(value) if name in _BLOCKS else clean_line(value)
    if isinstance(value, list):
        return [_clean(name, item) for item in value]
    if isinstance(value, Mapping):
        return {key: _clean(key, item) for key, item in value.items()}
    return value


def _faults(record: Mapping[str, Any]) -> Iterator[str]:
    """Yield what the schema and the size of the detail forbid."""
    if not schemas.validator("written").is_valid(record):
        for path, message in schemas.explain("written", record):
            place = ".".join(map(str, path))
            yield f"{place}: {message}" if place else message
    detail = record.get("detail")
    if isinstance(detail, str) and len(detail) * 4 > MAX_DETAIL_BYTES:
        size = len(detail.encode("utf-8", "replace"))
        if size > MAX_DETAIL_BYTES:
            yield f"detail: has {size} bytes, at most {MAX_DETAIL_BYTES} are kept; put the rest where `refs` can point to"


def _hidden_characters(record: Mapping[str, Any]) -> Iterator[str]:
    for name, text in _texts("", record):
        if text.isascii() and text.isprintable():
            continue
        hidden = find_hidden(text)
        if hidden:
            yield f"{name}: holds characters that nobody can see: {describe_hidden(hidden)}"


def _texts(name: str, value: Any) -> Iterator[tuple[str, str]]:
    if isinstance(value, str):
        yield name, value
    elif isinstance(value, Mapping):
        for key, item in value.items():
            place = f"{name}.{key}" if name else key
            yield f"the name of {place!r}", key
            yield from _texts(place, item)
    elif isinstance(value, list):
        for number, item in enumerate(value):
            yield from _texts(f"{name}.{number}", item)
