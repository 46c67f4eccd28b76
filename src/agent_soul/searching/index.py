"""The search index: one SQLite database, in the state folder or in memory, and the questions that it answers.

Nothing depends on it: what it holds is in the log, and it may be deleted at any time. It holds every line of the log
that can be read; a line that only repeats another has no status and is never found. Only the standard library is
imported: this is all that a search needs whose index is up to date.
"""

# Names of columns are put into the statements, all of them from this module; values are always bound.
# ruff: noqa: S608

from __future__ import annotations

import itertools
import json
import sqlite3
from collections.abc import Callable, Collection, Container, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple, Self

from agent_soul.searching.document import statement
from agent_soul.searching.filters import Filters
from agent_soul.searching.ranking import Facts
from agent_soul.searching.words import fold

FILE = "search.sqlite"
# Another search may be bringing the index up to date; building it anew takes a few seconds.
_WAIT_SECONDS = 10.0
# Old SQLite takes 999 variables in a statement.
_MOST_VARIABLES = 500
# Events belong together while less than this lies between each and the next.
_STRETCH_NS = 2 * 3600 * 10**9
_SIDE = 2
_YEAR_0_NS = 10**20
_SHORT = 8

SCHEMA = """
CREATE TABLE meta (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE file (
  path BLOB PRIMARY KEY, size INTEGER, modified INTEGER, changed INTEGER, inode INTEGER,
  digest BLOB, lines INTEGER, is_whole INTEGER
) WITHOUT ROWID;
CREATE TABLE event (
  number INTEGER PRIMARY KEY, id TEXT, short_id TEXT, path BLOB, line INTEGER, identity INTEGER,
  instant TEXT, date TEXT, lane TEXT, source TEXT, kind TEXT, scope TEXT, name TEXT, project TEXT,
  topic TEXT, tags TEXT, importance REAL,
  text_key INTEGER, is_cjk INTEGER,
  status TEXT NOT NULL DEFAULT '', reason TEXT, caused_by TEXT, copies INTEGER, sources TEXT
);
CREATE TABLE body (number INTEGER PRIMARY KEY, summary TEXT, place TEXT, record TEXT);
CREATE INDEX event_by_status ON event (status);
CREATE INDEX event_by_id ON event (id);
CREATE INDEX event_by_identity ON event (identity);
CREATE INDEX event_by_path ON event (path);
CREATE INDEX event_by_date ON event (date);
CREATE INDEX event_by_source ON event (source);
CREATE INDEX event_in_time ON event (lane, status, instant, source, id);
CREATE TABLE posting (term TEXT, number INTEGER, weight REAL, PRIMARY KEY (term, number)) WITHOUT ROWID;
CREATE TABLE act (target TEXT, number INTEGER, PRIMARY KEY (target, number)) WITHOUT ROWID;
CREATE INDEX act_by_number ON act (number);
CREATE TABLE turn (day TEXT, number INTEGER, PRIMARY KEY (day, number)) WITHOUT ROWID;
CREATE INDEX turn_by_number ON turn (number);
CREATE TABLE claim (number INTEGER PRIMARY KEY, attribute TEXT, value TEXT);
CREATE TABLE conflict (number INTEGER, id TEXT, rivals TEXT, PRIMARY KEY (number, id)) WITHOUT ROWID;
"""


class Found(NamedTuple):
    """An event as the index has it; `place` is its scope with the project or agent, `record` its JSON."""

    number: int
    id: str
    short_id: str
    date: str
    source: str
    kind: str
    place: str
    summary: str
    status: str
    reason: str
    by: str
    record: str


class Disputed(NamedTuple):
    """An open conflict that an event is in: its id, and the ids that the event contradicts, newest first.

    `rival` is how the first of them is shown.
    """

    id: str
    rivals: tuple[str, ...]
    rival: str


class Index:
    """Answers questions from one database. It holds no state of its own."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self.connection = connection

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        """Close it: one that is still read keeps others in a process that lives on from writing what is new."""
        self.connection.close()

    @property
    def count(self) -> int:
        """Number of lines that the index holds."""
        return int(self.connection.execute("SELECT count(*) FROM event").fetchone()[0])

    def meta(self, name: str) -> str:
        row = self.connection.execute("SELECT value FROM meta WHERE name = ?", (name,)).fetchone()
        return str(row[0]) if row else ""

    def postings(self, terms: Iterable[str]) -> dict[str, dict[int, float]]:
        """Return the events that hold each term, by number, and what it weighs in them."""
        query = "SELECT number, weight FROM posting WHERE term = ?"
        return {term: dict(self.connection.execute(query, (term,))) for term in terms}

    def counts(self, terms: Iterable[str]) -> dict[str, int]:
        """Return how many events hold each term."""
        query = "SELECT count(*) FROM posting WHERE term = ?"
        return {term: self.connection.execute(query, (term,)).fetchone()[0] for term in terms}

    def passing(self, filters: Filters, terms: Sequence[str] = ()) -> set[int]:
        """Return the events that pass the filters; with terms, those of them that hold any."""
        where, values = _conditions(filters, _alone if filters.scope == "agent" else self._project_names)
        if terms:
            where += f" AND number IN (SELECT number FROM posting WHERE term IN ({_marks(terms)}))"
        rows = self.connection.execute(f"SELECT number FROM event WHERE {where}", (*values, *terms))
        return {row[0] for row in rows}

    def facts(self, numbers: Collection[int]) -> dict[int, Facts]:
        """Return what ranking needs of these events."""
        columns = "number, instant, source, id, date, importance, copies"
        return {row[0]: Facts(row[1:4], *row[4:]) for row in self._by("number", columns, list(numbers))}

    def found(self, numbers: Collection[int]) -> dict[int, Found]:
        """Return the events of these numbers."""
        columns = "number, id, short_id, date, source, kind, place, summary, status, reason, caused_by, record"
        return {
            row[0]: Found(*row) for row in self._by("number", columns, list(numbers), "event JOIN body USING (number)")
        }

    def conflicts(self, numbers: Collection[int]) -> dict[int, list[Disputed]]:
        """Return the open conflicts of those of the events that are in one."""
        rows = [*self._by("number", "number, id, rivals", list(numbers), "conflict")]
        first = {json.loads(rivals)[0] for _, _, rivals in rows}
        names = {each.id: self.short_name(each) for each in self.found(self.numbers_of_ids([*first]).values()).values()}
        found: dict[int, list[Disputed]] = {}
        for number, id_, rivals in rows:
            against = tuple(json.loads(rivals))
            found.setdefault(number, []).append(Disputed(id_, against, names[against[0]]))
        return found

    def neighbours(self, number: int) -> tuple[list[int], list[int]]:
        """Return the events just before and just after one in its stretch of work, nearest first.

        A stretch of work is what goes on in one project, or from one source, without a pause of two hours.
        """
        key = self.connection.execute(
            "SELECT lane, instant, source, id FROM event WHERE number = ?", (number,)
        ).fetchone()
        return self._beside(key, "<", "DESC"), self._beside(key, ">", "ASC")

    def _beside(self, key: Sequence[object], than: str, order: str) -> list[int]:
        lane, instant, *rest = map(str, key)
        rows = self.connection.execute(
            f"SELECT number, instant FROM event WHERE lane = ? AND status = 'active'"
            f" AND (instant, source, id) {than} (?, ?, ?)"
            f" ORDER BY instant {order}, source {order}, id {order} LIMIT {_SIDE}",
            (lane, instant, *rest),
        ).fetchall()
        moments = [int(instant), *(int(row[1]) for row in rows)]
        near = itertools.takewhile(lambda i: abs(moments[i + 1] - moments[i]) < _STRETCH_NS, range(len(rows)))
        return [rows[i][0] for i in near]

    def sources(self) -> list[str]:
        """Return every source that wrote an event."""
        return [row[0] for row in self.connection.execute("SELECT DISTINCT source FROM event ORDER BY source")]

    def numbers_of_sources(self, sources: Collection[str]) -> set[int]:
        rows = [self.connection.execute("SELECT number FROM event WHERE source = ?", (each,)) for each in sources]
        return {row[0] for found in rows for row in found}

    def numbers_of_ids(self, ids: Sequence[str]) -> dict[str, int]:
        """Return the number of each id that is still there, of several lines the one with a status."""
        rows = self._by("id", "id, number", ids)
        return {row[0]: row[1] for row in rows}

    def ids_beginning(self, start: str) -> list[str]:
        """Return the ids, each once and at most a hundred, that begin with the text."""
        query = "SELECT DISTINCT id FROM event WHERE id >= ? AND id < ? ORDER BY id LIMIT 100"
        return [row[0] for row in self.connection.execute(query, (start, start + "\U0010ffff"))]

    def short_name(self, found: Found) -> str:
        """Return how the event's id is shown: short, but as long as it takes to name one event only."""
        alike = self.ids_beginning(found.id[:_SHORT]) if found.short_id != found.id else []
        if len(alike) <= 1:
            return found.short_id
        from agent_soul.naming import long_names

        return long_names(alike).get(found.id, found.short_id)

    def text_keys(self) -> list[tuple[int, int, int]]:
        """Return number, key of the text, and whether it is Chinese, Japanese or Korean, of every active event."""
        return self.connection.execute("SELECT number, text_key, is_cjk FROM event WHERE status = 'active'").fetchall()

    def texts_without(self, known: Container[int]) -> list[tuple[int, str]]:
        """Return key and text of the active events whose text is not among the known ones, the newest first."""
        rows = self.connection.execute(
            "SELECT text_key, number FROM event WHERE status = 'active' ORDER BY instant DESC, source, id"
        )
        wanted = {number: key for key, number in rows if key not in known}
        bodies = {row[0]: row[1] for row in self._by("number", "number, record", list(wanted), "body")}
        texts = {key: statement(json.loads(bodies[number])) for number, key in wanted.items()}
        return list(texts.items())

    def vocabulary(self) -> list[str]:
        """Return every term of the index."""
        return [row[0] for row in self.connection.execute("SELECT DISTINCT term FROM posting ORDER BY term")]

    def _project_names(self, name: str) -> list[str]:
        """Return all names of the project that has one, as the `alias` marks say."""
        query = (
            "SELECT record FROM event JOIN body USING (number) WHERE kind = 'mark' AND status = 'mark'"
            " AND instr(record, '\"alias\"') ORDER BY instant, source, id"
        )
        marks = (json.loads(row[0]).get("mark", {}) for row in self.connection.execute(query))
        named = [(mark["targets"], mark["to"]) for mark in marks if mark.get("action") == "alias" and mark.get("to")]
        if not named:
            return [name]
        from agent_soul.projects import Aliases  # reads the rules of events, which most searches need not

        return [name, *Aliases(named).names_for(name)]

    def _by(self, key: str, columns: str, wanted: Sequence[object], table: str = "event") -> Iterator[tuple[Any, ...]]:
        for start in range(0, len(wanted), _MOST_VARIABLES):
            some = wanted[start : start + _MOST_VARIABLES]
            condition = "" if table in ("body", "conflict") else " AND status != ''"
            query = f"SELECT {columns} FROM {table} WHERE {key} IN ({_marks(some)}){condition}"
            yield from self.connection.execute(query, some)


def _conditions(filters: Filters, names_of: Callable[[str], Sequence[str]]) -> tuple[str, list[object]]:
    """Return the filters as a condition of SQL and the values that it names; `names_of` gives a project's names."""
    plain = {
        "scope": filters.scope,
        "kind": filters.kind,
        "source": filters.source,
        "topic": filters.topic,
    }
    parts = [f"{column} = ?" for column, value in plain.items() if value]
    values: list[object] = [value for value in plain.values() if value]
    for column, name in (("name", filters.name), ("project", filters.project)):
        if name:
            names = sorted({fold(each) for each in names_of(name)})
            parts.append(f"{column} IN ({_marks(names)})")
            values += names
    for condition, value in (("date >= ?", filters.since), ("date <= ?", filters.until)):
        if value:
            parts.append(condition)
            values.append(value)
    if filters.tag:
        parts.append("instr(tags, ?)")
        values.append(f"\n{fold(filters.tag)}\n")
    statuses = sorted(filters.statuses)
    parts.append(f"status IN ({_marks(statuses)})" if statuses else "status != ''")
    return " AND ".join(parts), [*values, *statuses]


def _alone(name: str) -> list[str]:
    return [name]


def _marks(values: Sequence[object]) -> str:
    return ", ".join("?" * len(values))


def stored_instant(instant: int) -> str:
    """Return nanoseconds since 1970 as text that sorts by time: SQLite's integers end in the year 2262."""
    return f"{instant + _YEAR_0_NS:021}"


def connect(place: str | Path) -> sqlite3.Connection:
    """Open a database file, or ":memory:". Raises `sqlite3.Error` where it cannot be had."""
    return sqlite3.connect(place, timeout=_WAIT_SECONDS, isolation_level=None)


def connect_to_read(place: Path) -> sqlite3.Connection:
    """Open a database file that must be there and is not written. Raises `sqlite3.Error`."""
    return sqlite3.connect(f"{place.as_uri()}?mode=ro", uri=True, timeout=_WAIT_SECONDS, isolation_level=None)
