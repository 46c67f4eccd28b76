"""Which events of an index are in an open conflict, noted beside them, so that a search only has to look it up.

Conflicts are found among few events, by the same code as everywhere: those with a claim that has several values, and
those whose texts a compile or the start of a session has found to contradict each other. No text is compared here.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable

from agent_soul.acts import is_mark
from agent_soul.conflicts import find_conflicts
from agent_soul.event import Event
from agent_soul.judgements import NotedContradictions
from agent_soul.projects import folded
from agent_soul.resolve import Resolution, Status, Verdict
from agent_soul.searching.statuses import Row, event_of, rows_where

_RIVALS_KEPT = 10
_CLAIMED_DIFFERENTLY = """
event.status = 'active' AND number IN (SELECT number FROM claim WHERE attribute IN (
  SELECT attribute FROM claim JOIN event USING (number) WHERE status = 'active'
  GROUP BY attribute HAVING count(DISTINCT value) > 1
))
"""
_DECISIONS = """
event.kind = 'mark' AND event.status = 'mark' AND (instr(record, '"settle"') OR instr(record, '"alias"'))
"""
# What was settled holds also for an event that says the same again later.
_SAYING_THE_SAME = """
SELECT other.id FROM event JOIN event AS other USING (identity)
WHERE event.id = ? AND event.status NOT IN ('', 'quarantined') AND other.status = 'active'
"""


def note_conflicts(database: sqlite3.Connection, found_before: NotedContradictions) -> None:
    """Write which events are in an open conflict; every event has its status already."""
    numbers = {row.id: row for row in rows_where(database, _CLAIMED_DIFFERENTLY)}
    for id_ in found_before.ids - numbers.keys():
        numbers |= {row.id: row for row in rows_where(database, "event.id = ? AND event.status = 'active'", id_)}
    conflicts = find_conflicts(_resolution(database, numbers.values()), found_before) if numbers else ()
    rows = [
        (numbers[id_].number, conflict.id, json.dumps(rivals[:_RIVALS_KEPT]))
        for conflict in conflicts
        for id_, rivals in conflict.against.items()
    ]
    database.execute("DELETE FROM conflict")
    database.executemany("INSERT INTO conflict VALUES (?, ?, ?)", rows)


def _resolution(database: sqlite3.Connection, active: Iterable[Row]) -> Resolution:
    """Return these active events as a resolution of the whole log has them: with projects by the names of today."""
    marks = [event_of(row) for row in rows_where(database, _DECISIONS)]
    verdicts = [*(Verdict(event_of(row), Status.ACTIVE) for row in active), *(Verdict(m, Status.MARK) for m in marks)]
    verdicts.sort(key=lambda verdict: (verdict.event.sort_key, verdict.event.path, verdict.event.line))
    settled = frozenset(_settled(database, mark) for mark in marks if is_mark(mark, "settle"))
    return folded(Resolution(tuple(verdicts), (), 0, settled))


def _settled(database: sqlite3.Connection, mark: Event) -> frozenset[str]:
    named = mark.data["mark"]["targets"]
    return frozenset(named).union(row[0] for id_ in named for row in database.execute(_SAYING_THE_SAME, (id_,)))
