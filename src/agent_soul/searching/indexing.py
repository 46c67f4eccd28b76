"""Bringing an index up to date: by the files that changed, and by the statuses that may have changed with them.

An event's status depends on the day, on the settings, and on those events alone that it is connected with: the same
id, the same statement, or named by an act. So new lines cost what they are connected with, not the size of the hub.
"""

# Names of columns are put into the statements, all of them from this module; values are always bound.
# ruff: noqa: S608

from __future__ import annotations

import contextlib
import gc
import hashlib
import json
import os
import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from agent_soul import __version__
from agent_soul.compiler import default_state, recorded_in
from agent_soul.config import Config
from agent_soul.errors import Problem
from agent_soul.event import Event
from agent_soul.hub import Hub
from agent_soul.instants import add_days
from agent_soul.judgements import noted_contradictions
from agent_soul.log import UTF16, SourceFiles, parse_log, read_source_file
from agent_soul.searching.disputes import note_conflicts
from agent_soul.searching.document import weigh
from agent_soul.searching.index import SCHEMA, connect
from agent_soul.searching.rows import COLUMNS, body_of, claim_of, days_of, row_of, targets_named
from agent_soul.searching.scanning import VERSION, Mark, Scan, location, scan
from agent_soul.searching.statuses import Affected, connected, restate, targets_of
from agent_soul.settings import load_config


class _Known(NamedTuple):
    """A file as the index has it."""

    mark: Mark
    digest: bytes
    lines: int
    is_whole: bool


def up_to_date(hub: Hub, place: Path, today: str) -> sqlite3.Connection:
    """Return a connection to the index at `place`, up to date; where it cannot be written, to one made in memory.

    A damaged one is made anew. Raises `RefusedError` for a bad soul.yaml.
    """
    for _ in range(2):
        with contextlib.suppress(OSError, sqlite3.OperationalError):  # read-only, full, in use for too long
            place.parent.mkdir(parents=True, exist_ok=True)
            try:
                return _updated(connect(place), hub, today)
            except sqlite3.OperationalError:
                raise
            except sqlite3.DatabaseError:  # damaged, or no database at all
                place.unlink()
                continue
        break
    return _updated(connect(":memory:"), hub, today)


def _updated(database: sqlite3.Connection, hub: Hub, today: str) -> sqlite3.Connection:
    collects = gc.isenabled()
    gc.disable()  # it would go through all events again and again and find nothing
    try:
        update(database, hub, today)
    except BaseException:
        database.close()
        raise
    finally:
        if collects:
            gc.enable()
    return database


def update(database: sqlite3.Connection, hub: Hub, today: str) -> None:
    """Make the index say what the hub's files say on the UTC date `today`, whole or not at all.

    Raises `sqlite3.Error` where the database cannot be written, and `RefusedError` for a bad soul.yaml.
    """
    database.execute("BEGIN IMMEDIATE")  # waits for another one that is at it
    try:
        found = scan(hub)
        config = load_config(hub)[0]
        as_of = default_state(None, recorded_in(hub), today).as_of
        basis = f"{VERSION} {__version__} {config.fuzzy_days}"
        if _meta(database, "basis") != basis:
            _start_anew(database)
        _Update(database, hub, config, as_of).run(found)
        for name, value in (("basis", basis), ("as_of", as_of), ("fingerprint", found.fingerprint(today))):
            database.execute("INSERT OR REPLACE INTO meta VALUES (?, ?)", (name, value))
        database.execute("COMMIT")
    except BaseException:
        with contextlib.suppress(sqlite3.Error):
            database.execute("ROLLBACK")
        raise


def _meta(database: sqlite3.Connection, name: str) -> str:
    try:
        row = database.execute("SELECT value FROM meta WHERE name = ?", (name,)).fetchone()
    except sqlite3.OperationalError:  # a new file has no tables
        return ""
    return str(row[0]) if row else ""


def _start_anew(database: sqlite3.Connection) -> None:
    for (name,) in database.execute("SELECT name FROM sqlite_master WHERE type = 'table'").fetchall():
        database.execute(f'DROP TABLE "{name}"')
    for command in filter(str.strip, SCHEMA.split(";")):
        database.execute(command)


class _Update:
    """One update, inside a transaction of its caller's."""

    def __init__(self, database: sqlite3.Connection, hub: Hub, config: Config, as_of: str) -> None:
        self._database = database
        self._hub = hub
        self._config = config
        self._as_of = as_of
        self._affected = Affected(set(), set())

    def run(self, found: Scan) -> None:
        known = self._known()
        self._note_day()
        for path in known.keys() - found.log.keys():
            self._forget(path)
        events: list[Event] = []
        for path, mark in found.log.items():
            if path not in known or known[path].mark != mark:
                events += self._refresh(path, mark, known.get(path))
        self._insert(events)
        if self._affected.ids or self._affected.identities:
            restate(self._database, connected(self._database, self._affected), self._as_of, self._config)
        note_conflicts(self._database, noted_contradictions(self._hub))

    def _known(self) -> dict[str, _Known]:
        rows = self._database.execute(
            "SELECT path, size, modified, changed, inode, digest, lines, is_whole FROM file"
        ).fetchall()
        return {os.fsdecode(row[0]): _Known(row[1:5], row[5], row[6], bool(row[7])) for row in rows}

    def _note_day(self) -> None:
        """Note the events whose status a new day may change: see the comparisons with dates in `resolve`."""
        before = _meta(self._database, "as_of")
        if before in ("", self._as_of):
            return
        first, last = sorted((before, self._as_of))
        rows = self._database.execute(
            "SELECT id, identity FROM event WHERE status = 'scheduled' OR date BETWEEN ? AND ?"
            " OR number IN (SELECT number FROM turn WHERE day BETWEEN ? AND ?)",
            (first, add_days(last, 1), first, last),
        )
        self._note(rows)

    def _note(self, keys: Iterable[tuple[str, int]]) -> None:
        for id_, identity in keys:
            self._affected.ids.add(id_)
            self._affected.identities.add(identity)

    def _refresh(self, path: str, mark: Mark, known: _Known | None) -> list[Event]:
        """Note the file as it is now and return the events of its new lines, after forgetting those that are gone."""
        content = read_source_file(location(self._hub, path), path)
        content = b"" if isinstance(content, Problem) else content  # gone, or something else since the scan
        digest = _digest(content)
        start = lines = 0
        if known and _goes_on(content, known):
            start, lines = known.mark[0], known.lines
        elif known:
            self._forget(path)
        self._database.execute(
            "INSERT OR REPLACE INTO file VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
            (
                os.fsencode(path),
                len(content),
                *mark[1:],
                digest,
                content.count(b"\n"),
                content[-1:] in (b"\n", b""),
            ),
        )
        events = parse_log(SourceFiles({path: content[start:]})).events
        return [event._replace(line=event.line + lines) for event in events] if lines else events

    def _forget(self, path: str) -> None:
        """Take the events of a file out of the index."""
        name = os.fsencode(path)
        rows = self._database.execute(
            "SELECT number, id, identity, record, date FROM event JOIN body USING (number) WHERE path = ?", (name,)
        )
        gone = rows.fetchall()
        self._note((row[1], row[2]) for row in gone)
        # What they acted on is no longer connected with anything, once they are gone.
        self._affected.ids.update(targets_of(self._database, (row[0] for row in gone)))
        held = [
            (term, number)
            for number, _, _, record, day in gone
            for term in weigh(json.loads(record), days_of(json.loads(record), day))
        ]
        self._database.executemany("DELETE FROM posting WHERE term = ? AND number = ?", held)
        for table in ("act", "turn", "claim", "body", "event"):
            self._database.executemany(f"DELETE FROM {table} WHERE number = ?", [(row[0],) for row in gone])
        self._database.execute("DELETE FROM file WHERE path = ?", (name,))

    def _insert(self, events: Sequence[Event]) -> None:
        first = self._database.execute("SELECT coalesce(max(number), 0) + 1 FROM event").fetchone()[0]
        numbered = list(enumerate(events, start=first))
        rows = [(number, *row_of(event)) for number, event in numbered]
        self._note((row[1], row[5]) for row in rows)
        marks = ", ".join("?" * (COLUMNS.count(",") + 2))
        self._database.executemany(f"INSERT INTO event (number, {COLUMNS}) VALUES ({marks})", rows)
        bodies = [(number, *body_of(event)) for number, event in numbered]
        self._database.executemany("INSERT INTO body VALUES (?, ?, ?, ?)", bodies)
        postings = [
            (term, number, round(weight, 4))
            for number, event in numbered
            for term, weight in weigh(event.data, days_of(event.data, event.date)).items()
        ]
        self._database.executemany("INSERT INTO posting VALUES (?, ?, ?)", sorted(postings))
        acts = {(target, number) for number, event in numbered for target in targets_named(event)}
        self._database.executemany("INSERT INTO act VALUES (?, ?)", sorted(acts))
        claims = [(number, *claim_of(event)) for number, event in numbered if "claim" in event.data]
        self._database.executemany("INSERT INTO claim VALUES (?, ?, ?)", claims)
        turns = {(day, number) for number, event in numbered for day in self._turns(event)}
        self._database.executemany("INSERT INTO turn VALUES (?, ?)", sorted(turns))

    def _turns(self, event: Event) -> Iterator[str]:
        """Yield the days on which the event's status may change."""
        if event.valid_from:
            yield event.valid_from
        if event.valid_until:
            yield add_days(event.valid_until, 1)
        if event.scope == "fuzzy":
            yield add_days(event.date, self._config.fuzzy_days + 1)


def _digest(content: bytes) -> bytes:
    return hashlib.blake2b(content, digest_size=16).digest()


def _goes_on(content: bytes, known: _Known) -> bool:
    """Tell whether the file is what it was, with lines after that."""
    size = known.mark[0]
    return (
        known.is_whole
        and len(content) >= size
        and not content.startswith(UTF16)
        and _digest(content[:size]) == known.digest
    )
