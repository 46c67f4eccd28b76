"""One event: from a line of bytes to a value, and the one order of events.

A line that cannot be read is a `Problem`, never an exception: one bad line costs one line.
"""

from __future__ import annotations

import functools
import json
import re
from collections.abc import Mapping
from typing import Any, NamedTuple

from agent_soul import schemas
from agent_soul.errors import Problem
from agent_soul.instants import parse_instant, parse_utc_date, utc_date
from agent_soul.interrupts import load_native
from agent_soul.strict_json import RejectedError, column_of_key, is_bulk, load_object
from agent_soul.text import compare_key, neutralise, neutralise_block

SCHEMA_NUMBER = 1
SHORT_ID = 8
DEFAULT_IMPORTANCE = 0.5

KINDS = tuple(schemas.load("event")["properties"]["kind"]["enum"])
SCOPES = tuple(schemas.load("event")["properties"]["scope"]["enum"])
_FIELD_RANKS = {name: rank for rank, name in enumerate(schemas.load("event")["properties"])}
_REQUIRED = frozenset(schemas.load("event")["required"])

# Where a field of today's record stands when the line has no such name; see `normalise`.
_WRITTEN_AS = {"ts": "timestamp", "project": "scope", "agent": "scope"}

_UUID = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}", re.ASCII | re.IGNORECASE)

# What two events must share to say the same, besides kind, reach and summary; a retraction also what it takes back.
_SUBSTANCE = frozenset({"topic", "detail", "claim", "decision", "lesson", "metric", "mark"})


class Event(NamedTuple):
    """An event as read. `data` is the whole record in today's field names; the rest is worked out once, by `build`.

    `instant` counts nanoseconds since 1970 in UTC and `date` is its UTC date. `summary`, `project` and `agent` are one
    line each, without hidden characters. `sort_key` is the total order of events, defined here alone: (UTC instant,
    source, id).
    """

    id: str
    instant: int
    date: str
    sort_key: tuple[int, str, str]
    source: str
    kind: str
    scope: str
    project: str
    agent: str
    summary: str
    data: Mapping[str, Any]
    path: str = ""
    line: int = 0

    @property
    def local_date(self) -> str:
        """Date on the writer's own calendar."""
        return str(self.data["ts"])[:10]

    @property
    def importance(self) -> float:
        return float(self.data.get("importance", DEFAULT_IMPORTANCE))

    @property
    def reach(self) -> tuple[str, str]:
        """Where the statement holds: its scope and, for a project or agent, which one."""
        name = self.project if self.scope == "project" else self.agent if self.scope == "agent" else ""
        return (self.scope, name)

    @property
    def place(self) -> str:
        """Where it holds, in one word: `stable`, `project:shop`."""
        return ":".join(filter(None, self.reach))

    @property
    def detail(self) -> str:
        return neutralise_block(self.data.get("detail", ""))

    @property
    def supersedes(self) -> tuple[str, ...]:
        return tuple(self.data.get("supersedes", ()))

    @property
    def valid_from(self) -> str:
        """First UTC date on which it holds, or an empty string."""
        return str(self.data.get("valid_from", ""))

    @property
    def valid_until(self) -> str:
        """Last UTC date on which it holds, or an empty string."""
        return str(self.data.get("valid_until", ""))

    @property
    def substance(self) -> dict[str, Any]:
        """What the event says besides its statement, such as its detail; two events that differ in it are two."""
        return {name: self.data[name] for name in _SUBSTANCE if name in self.data}

    @property
    def identity(self) -> tuple[str, ...]:
        """Equal for events that say the same in the same words: normalised text, kind, reach, and what else they hold.

        A measurement is its own event at each instant, and a note belongs to its day.
        """
        moment = str(self.instant) if self.kind == "metric" else self.local_date if self.scope == "daily" else ""
        said = (self.kind, *self.reach, compare_key(self.summary), moment)
        if _SUBSTANCE.isdisjoint(self.data) and self.kind != "retraction":
            return said
        named = sorted(self.supersedes) if self.kind == "retraction" else []
        return (*said, json.dumps([self.substance, named], sort_keys=True))


class Line(NamedTuple):
    """An event as one line of a source file: `raw` has its newline; `path` is the file that holds it already, if any.

    A tenth of what the event itself weighs, so this is what bulk commands keep.
    """

    id: str
    source: str
    date: str
    raw: bytes
    path: str = ""


class SetAside(NamedTuple):
    """A line that a newer version wrote: kept where it is, left out for now, no error of the hub."""

    path: str
    line: int
    reason: str


def parse_line(raw: bytes, path: str, line: int) -> Event | Problem | SetAside:
    """Read one line (without its newline) of the source file `path`, whose number is `line`, counted from 1.

    Returns the event, or what is wrong with the line, or that a newer version made it.
    """
    try:
        return _parse(raw, path, line)
    except RejectedError as rejected:
        return Problem(path, line, rejected.column, rejected.code, rejected.message)


def _parse(raw: bytes, path: str, line: int) -> Event | SetAside:
    record = normalise(load_object(raw))
    newer = _made_by_newer_version(record)
    if newer:
        return SetAside(path, line, newer)
    if not schemas.validator("event").is_valid(record):
        field, message = _first_fault(record)
        raise RejectedError("schema", message, _column_of(raw, field))
    try:
        return build(record, path, line)
    except ValueError as error:
        field = str(error).partition(":")[0]
        raise RejectedError("value", str(error), _column_of(raw, field)) from error


def build(record: Mapping[str, Any], path: str = "", line: int = 0) -> Event:
    """Make the event of a record that the schema accepts.

    Raises `ValueError` naming the field where a date, an instant or the folder is wrong.
    """
    instant = parse_instant(record["ts"])
    dates = {name: parse_utc_date(name, record[name]) for name in ("valid_from", "valid_until") if name in record}
    source = record["source"]
    if path.startswith("sources/") and not path.startswith(f"sources/{source}/"):
        folder = path.split("/")[1]
        raise ValueError(f"source: {source!r} stands in the folder of {folder!r}; a source writes its own only")
    return Event(
        id=record["event_id"],
        instant=instant,
        date=utc_date(instant),
        sort_key=(instant, source, record["event_id"]),
        source=source,
        kind=record["kind"],
        scope=record["scope"],
        project=_shown_name("project", record["project"]) if "project" in record else "",
        agent=_shown_name("agent", record["agent"]) if "agent" in record else "",
        summary=_shown("summary", record["summary"]),
        data={**record, **dates} if dates else record,
        path=path,
        line=line,
    )


def _shown(name: str, text: str) -> str:
    shown = neutralise(text)
    if not shown:
        raise ValueError(f"{name}: says nothing")
    return shown


@functools.lru_cache(maxsize=4096)  # few names stand in many lines
def _shown_name(name: str, text: str) -> str:
    return _shown(name, text)


def normalise(record: Mapping[str, Any]) -> dict[str, Any]:
    """Return the record in today's names: `timestamp` is `ts`, `project:x` is a scope with a project, ids are a list.

    An optional field that holds null counts as absent, as some writers of JSON fill in every field.
    """
    result = dict(record)
    if None in record.values():
        result = {key: value for key, value in record.items() if value is not None or key in _REQUIRED}
    if "timestamp" in result and "ts" not in result:
        result["ts"] = result.pop("timestamp")
    scope = result.get("scope")
    if isinstance(scope, str) and ":" in scope:
        kind_of_scope, _, name = scope.partition(":")
        if kind_of_scope in ("project", "agent") and result.get(kind_of_scope, name) == name:
            result.update({"scope": kind_of_scope, kind_of_scope: name})
    for name in ("supersedes", "derived_from"):
        if isinstance(result.get(name), str):
            result[name] = [result[name]] if result[name] else []
    return result


def in_field_order(record: Mapping[str, Any]) -> dict[str, Any]:
    """Return the record with its fields in the order of the schema, unknown ones last."""
    return {name: record[name] for name in _ordered(tuple(record))}


@functools.lru_cache(maxsize=1024)  # the lines of one writer have the same fields
def _ordered(names: tuple[str, ...]) -> list[str]:
    return sorted(names, key=lambda name: _FIELD_RANKS.get(name, len(_FIELD_RANKS)))


def serialise(record: Mapping[str, Any]) -> bytes:
    """Return the record as one line of a source file, newline included. Its numbers must be finite."""
    ordered = in_field_order(record)
    if is_bulk() or _has_power_of_ten(ordered):
        try:
            return load_native("orjson").dumps(ordered) + b"\n"  # type: ignore[no-any-return]  # a copy of its own length: `orjson` returns one with room to spare
        except TypeError:  # a whole number beyond 64 bits
            pass
    text = json.dumps(ordered, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    return text.encode("utf-8") + b"\n"


def _has_power_of_ten(value: Any) -> bool:
    """Tell whether a number in it is written like 1e-7: the two libraries differ in that, and in nothing else."""
    if isinstance(value, float):
        return "e" in repr(value)
    if isinstance(value, dict):
        return any(map(_has_power_of_ten, value.values()))
    return isinstance(value, list | tuple) and any(map(_has_power_of_ten, value))


def as_line(event: Event) -> Line:
    """Return the event as the line that a source file has of it."""
    return Line(event.id, event.source, event.date, serialise(event.data), event.path)


def is_report_of_upkeep(event: Event) -> bool:
    """Tell whether a run of upkeep tells of itself; what it makes of statements names them, and is a statement."""
    tool = event.data.get("origin", {}).get("tool", "")
    return str(tool).startswith("soul ") and not event.data.get("derived_from") and event.scope == "daily"


def short_id(event_id: str) -> str:
    """Return how an id is shown: 8 characters of a UUID, any other whole."""
    return event_id[:SHORT_ID] if _UUID.fullmatch(event_id) else event_id


def _made_by_newer_version(record: Mapping[str, Any]) -> str:
    number, kind = record.get("schema", SCHEMA_NUMBER), record.get("kind")
    if isinstance(number, (int, float)) and number > SCHEMA_NUMBER:
        return f"made by a newer version: schema {number}, this one reads {SCHEMA_NUMBER}"
    if isinstance(kind, str) and kind and kind not in KINDS:
        return f"made by a newer version: kind {kind[:60]!r} is not known here"
    return ""


def _first_fault(record: Mapping[str, Any]) -> tuple[str, str]:
    faults = schemas.explain("event", record)
    field, message = faults[0]
    name = str(field[0]) if field else ""
    place = ".".join(map(str, field))
    more = f" (and {len(faults) - 1} more)" if len(faults) > 1 else ""
    return name, (f"{place}: {message}" if place else message) + more


def _column_of(raw: bytes, field: str) -> int:
    """Return the column of a field in the line, under the name that the line gives it."""
    text = raw.decode("utf-8")
    found = column_of_key(text, field)
    return found if found > 1 else column_of_key(text, _WRITTEN_AS.get(field, field))
