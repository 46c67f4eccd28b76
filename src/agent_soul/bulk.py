"""Many records at once: from lines of NDJSON to events, on two cores where that pays. Pure, but for ids and a child."""

from __future__ import annotations

import contextlib
import functools
import json
import sys
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any, NamedTuple, NoReturn

from agent_soul import two_cores
from agent_soul.cleaning import is_tidy_json
from agent_soul.credentials import may_hold_one
from agent_soul.draft import (
    ALLOW_SECRET,
    draft_record,
    explain_plainly,
    explain_well,
    reconcile,
    refuse_credentials,
    refuse_unreadable,
)
from agent_soul.errors import RefusedError
from agent_soul.event import Event, Line, as_line
from agent_soul.log import collector_at_rest
from agent_soul.references import NAMING_FIELDS, KnownIds, named_ids, with_whole_ids
from agent_soul.strict_json import MAX_LINE_BYTES, RejectedError, load_object

_MICROSECONDS = 1_000_000
# Cleaning and JSON make no text sixteen times as long, so a shorter line needs no second look at its size.
_SURELY_SHORT = MAX_LINE_BYTES // 16
# Putting a refusal into good words takes a millisecond and more; after that many, the plain ones do.
_MAX_EXPLAINED = 100
_OFFSET_AT = len("YYYY-MM-DDThh:mm:ss")
_ESCAPED_ASCII = b"\\u00"
"""With such escapes a line can hold a key in which no sign of one stands."""
# What a child process costs is what this many lines take on one core.
_MIN_LINES_FOR_TWO_CORES = 2000


class Refusal(NamedTuple):
    """A record of a bulk command that was not taken, or was with a warning: its line, counted from 1, and why."""

    line: int
    reason: str


class Drafted(NamedTuple):
    """What became of the lines of a bulk command."""

    lines: list[Line]
    refused: list[Refusal]
    warnings: list[Refusal]


def draft_lines(
    lines: Sequence[bytes],
    defaults: Mapping[str, Any],
    now: datetime,
    seen: Callable[[int], object] = lambda _: None,
    existing: Callable[[], Mapping[str, Event]] = dict,
) -> Drafted:
    """Make events of NDJSON `lines`, and lines of a source file of them. `defaults` fill in fields that a line lacks.

    Events without a time of their own get `now` and the microseconds after it, so that they keep their order. `seen`
    is told the number of bytes of each line. `existing` gives the hub's events by id and is called at most once, when
    a line brings its own id or names others: a line that is there already comes back as that event, or is refused where
    it differs, and short ids that it names are written out.
    """
    with collector_at_rest():
        if len(lines) >= _MIN_LINES_FOR_TWO_CORES and two_cores.are_there():
            with contextlib.suppress(_LinkedError):
                return _draft_in_halves(lines, defaults, now, seen)
        return _Batch(defaults, now, existing).draft(lines, seen=seen)


def _draft_in_halves(
    lines: Sequence[bytes], defaults: Mapping[str, Any], now: datetime, seen: Callable[[int], object]
) -> Drafted:
    """Draft the second half in a child of ours meanwhile. Raises `_LinkedError` where a line depends on others."""
    middle = len(lines) // 2
    weights = [len(line) for line in lines[middle:]]  # both halves move alike, which is all that a progress bar asks
    with two_cores.in_child(lambda: _Batch(defaults, now, _refuse_links).draft(lines[middle:], middle)) as second_half:
        pace = iter(weights)
        first = _Batch(defaults, now, _refuse_links).draft(lines[:middle], seen=lambda size: seen(size + next(pace)))
        second = second_half()
    seen(sum(pace))
    return Drafted(first.lines + second.lines, first.refused + second.refused, first.warnings + second.warnings)


class _LinkedError(Exception):
    """A line brings its own id or names another event, so all lines must be read in their order."""


def _refuse_links() -> NoReturn:
    raise _LinkedError


class Moments:
    """The times of lines that bring none: `now` and as many microseconds after it as the line's number.

    Made from parts, as `isoformat` takes a tenth of all the time that a line takes.
    """

    def __init__(self, now: datetime) -> None:
        self._second, self._microsecond = now.replace(microsecond=0), now.microsecond
        self._date_and_time = functools.cache(self._format)

    def text(self, number: int) -> str:
        """Return the time of the line of this number, in RFC 3339 to the microsecond."""
        seconds, microsecond = divmod(self._microsecond + number, _MICROSECONDS)
        time, offset = self._date_and_time(seconds)
        return f"{time}.{microsecond:06}{offset}"

    def _format(self, seconds: int) -> tuple[str, str]:
        text = (self._second + timedelta(seconds=seconds)).isoformat()
        return text[:_OFFSET_AT], text[_OFFSET_AT:]


class _Batch:
    """The lines of one bulk command as they are read."""

    def __init__(self, defaults: Mapping[str, Any], now: datetime, existing: Callable[[], Mapping[str, Event]]) -> None:
        self._lines: dict[str, Line] = {}
        self._named_by_writer: dict[str, Event] = {}
        self._refused: list[Refusal] = []
        self._warnings: list[Refusal] = []
        self._defaults, self._moments = defaults, Moments(now)
        as_json = json.dumps(defaults, ensure_ascii=False, default=str)
        self._as_json = as_json.encode("utf-8", "surrogateescape")
        self._looks_for_keys = True
        self._tidy = is_tidy_json(as_json)
        self._surely_short = _SURELY_SHORT - len(as_json)
        self._existing = functools.cache(existing)
        self._ids = functools.cache(lambda: KnownIds(self._existing()))

    def draft(self, lines: Sequence[bytes], before: int = 0, seen: Callable[[int], object] = lambda _: None) -> Drafted:
        """Return what becomes of `lines`, `before` which as many others stand."""
        texts = b"\n".join([*lines, self._as_json])
        self._looks_for_keys = may_hold_one(texts) or _ESCAPED_ASCII in texts
        for number, raw in enumerate(lines, start=before + 1):
            seen(len(raw))
            if raw.strip():
                self._take(number, raw.rstrip(b"\r\n"))
        return Drafted(list(self._lines.values()), self._refused, self._warnings)

    def _take(self, number: int, raw: bytes) -> None:
        try:
            event = self._event(number, raw)
        except RejectedError as error:
            self._refused.append(Refusal(number, sys.intern(f"column {error.column}: {error.message}")))
        except RefusedError as error:
            self._refused.append(Refusal(number, sys.intern(error.message)))
        else:
            self._lines[event.id] = as_line(event)

    def _event(self, number: int, raw: bytes) -> Event:
        record = {**self._defaults, **load_object(raw)}
        if not record.pop(ALLOW_SECRET, False) and self._looks_for_keys:
            refuse_credentials(record)
        record = self._with_whole_ids(number, record)
        explain = explain_well if len(self._refused) < _MAX_EXPLAINED else explain_plainly
        now = functools.partial(self._moments.text, number)
        event = draft_record(record, now, explain, self._tidy and is_tidy_json(raw.decode()))
        if len(raw) > self._surely_short:
            refuse_unreadable(event)
        if record.get("event_id") is None:
            return event
        earlier = self._named_by_writer.get(event.id) or self._existing().get(event.id)
        return self._named_by_writer.setdefault(event.id, reconcile(event, earlier, record))

    def _with_whole_ids(self, number: int, record: dict[str, Any]) -> dict[str, Any]:
        if NAMING_FIELDS.isdisjoint(record) or all(id_ in self._lines for id_ in named_ids(record)):
            return record
        record, warnings = with_whole_ids(record, self)
        self._warnings += [Refusal(number, warning) for warning in warnings]
        return record

    def beginning_with(self, wanted: str) -> list[str]:
        """Return the ids that begin so, of the hub and of earlier lines; of the latter, whole ones only."""
        return [wanted] if wanted in self._lines else self._ids().beginning_with(wanted)
