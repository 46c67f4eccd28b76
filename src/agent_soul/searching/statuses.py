"""What became of the events in an index: `resolve` over those whose status may have changed.

An event's status depends on the day, on the settings, and on those events alone that it is connected with: the same
id, the same statement, or named by an act. Resolving whatever is connected gives what resolving everything would.
"""

# Names of columns are put into the statements, all of them from this module; values are always bound.
# ruff: noqa: S608

from __future__ import annotations

import json
import os
import sqlite3
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

from agent_soul.config import Config
from agent_soul.event import Event, build
from agent_soul.resolve import resolve
from agent_soul.searching.scanning import OUTBOX

# Where so great a share of the hub is connected, one pass over all of it is faster than following the connections.
_MANY = 1 / 4


class Affected(NamedTuple):
    """Events by what connects them with others: their ids, and their statements."""

    ids: set[str]
    identities: set[int]


class Row(NamedTuple):
    """A line of the log as the index has it."""

    number: int
    record: str
    path: bytes
    line: int
    id: str
    identity: int


_COLUMNS = "event.number, body.record, event.path, event.line, event.id, event.identity"
_EVENTS = "event JOIN body USING (number)"


def connected(database: sqlite3.Connection, affected: Affected) -> list[Row]:
    """Return all that is connected with what is affected; the whole index where that is much of it."""
    most = database.execute("SELECT count(*) FROM event").fetchone()[0] * _MANY
    rows: dict[int, Row] = {}
    ids, identities = set(affected.ids), set(affected.identities)
    new_ids, new_identities = ids, identities
    while new_ids or new_identities:
        if len(ids) > most:
            return rows_where(database, "1")
        fresh = {
            **_rows(database, f"{_EVENTS} WHERE event.id", new_ids),
            **_rows(database, f"{_EVENTS} WHERE event.identity", new_identities),
            **_rows(database, "act JOIN event USING (number) JOIN body USING (number) WHERE act.target", new_ids),
        }
        fresh = {number: row for number, row in fresh.items() if number not in rows}
        rows |= fresh
        new_ids = ({row.id for row in fresh.values()} | targets_of(database, fresh)) - ids
        new_identities = {row.identity for row in fresh.values()} - identities
        ids, identities = ids | new_ids, identities | new_identities
    return list(rows.values())


def _rows(database: sqlite3.Connection, place: str, values: Iterable[Any]) -> dict[int, Row]:
    query = f"SELECT {_COLUMNS} FROM {place} = ?"
    return {row[0]: Row(*row) for value in values for row in database.execute(query, (value,))}


def rows_where(database: sqlite3.Connection, condition: str, *values: object) -> list[Row]:
    """Return the lines that meet a condition of SQL."""
    return [Row(*row) for row in database.execute(f"SELECT {_COLUMNS} FROM {_EVENTS} WHERE {condition}", values)]


def event_of(row: Row) -> Event:
    """Return the event of a line as the log would give it."""
    return build(json.loads(row.record), os.fsdecode(row.path), row.line)


def targets_of(database: sqlite3.Connection, numbers: Iterable[int]) -> set[str]:
    """Return the ids that the events of these numbers act upon."""
    query = "SELECT target FROM act WHERE number = ?"
    return {row[0] for number in numbers for row in database.execute(query, (number,))}


def restate(database: sqlite3.Connection, rows: Sequence[Row], as_of: str, config: Config) -> None:
    """Give the events of these rows the status that they have among each other on the UTC date `as_of`.

    What the outbox alone holds counts too: it was acknowledged, and the next compile puts it into the files.
    """
    numbers = {(os.fsdecode(row.path), row.line): row.number for row in rows}
    events = [event_of(row) for row in rows]
    in_files = {event.id for event in events if not event.path.startswith(OUTBOX)}
    counted = [event for event in events if not event.path.startswith(OUTBOX) or event.id not in in_files]
    database.executemany("UPDATE event SET status = '' WHERE number = ?", [(row.number,) for row in rows])
    database.executemany(
        "UPDATE event SET status = ?, reason = ?, caused_by = ?, copies = ?, sources = ? WHERE number = ?",
        [
            (str(v.status), _text(v.reason), v.by, v.copies, json.dumps(v.sources), numbers[v.event.path, v.event.line])
            for v in resolve(counted, as_of, config).verdicts
        ],
    )


def _text(reason: str) -> str:
    """Return the reason as text that can be stored: it may quote a file whose name is none."""
    return reason.encode("utf-8", "backslashreplace").decode("utf-8")
