"""What should have been recorded and was not: long sessions with little in the log, days without a word. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import date, datetime
from itertools import groupby
from typing import NamedTuple

from agent_soul.acts import is_mark
from agent_soul.config import Config
from agent_soul.event import Event, serialise
from agent_soul.instants import add_days, parse_instant

RETIRED_DAYS = 90
"""A source that has been quiet for longer is taken to be at work no more."""
_MINUTE_NS = 60 * 10**9


class Session(NamedTuple):
    """Somebody's work with an agent. `start` and `end` are RFC 3339 with the local offset; no end: nobody said it."""

    source: str
    start: str
    end: str = ""
    name: str = ""


class Missed(NamedTuple):
    """A day on the source's own calendar, or a session that began then, of which too little was recorded."""

    source: str
    day: str
    what: str
    mend: str


class Quiet(NamedTuple):
    """A source that used to write, and the UTC date of its last event."""

    source: str
    last: str
    days: int

    def __str__(self) -> str:
        return f"{self.source} went quiet: its last event is of {self.last}, {self.days} days ago"


class Writes(NamedTuple):
    """What was missed, oldest first, and which sources went quiet."""

    missed: tuple[Missed, ...]
    quiet: tuple[Quiet, ...]


def check_writes(sessions: Iterable[Session], events: Iterable[Event], now: datetime, config: Config) -> Writes:
    """Compare sessions with what was recorded. `now` carries the local offset.

    Days before the last `config.quiet_days` are let be. A day counts as missed when it is over. A session whose end
    nobody told runs until `now` on the day of its start; after that its length is unknown, and only its day is looked
    at.
    """
    written = sorted(events, key=lambda event: event.sort_key)
    today = now.date().isoformat()
    first = add_days(today, -config.quiet_days)
    recent = sorted((each for each in sessions if first <= each.start[:10] <= today), key=_day_of)
    missed: list[Missed] = []
    for (day, source), some in groupby(recent, key=_day_of):
        theirs = [event for event in written if event.source == source]
        if day < today and not any(event.local_date == day for event in theirs):
            missed.append(_silent_day(source, day, list(some)))
        else:
            missed += [found for each in some if (found := _thin_session(each, theirs, now, config))]
    return Writes(tuple(missed), tuple(_quiet(written, now, config.quiet_days)))


def _day_of(session: Session) -> tuple[str, str]:
    return session.start[:10], session.source


def _silent_day(source: str, day: str, sessions: Sequence[Session]) -> Missed:
    number = f"{len(sessions)} sessions" if len(sessions) > 1 else "a session"
    return Missed(source, day, f"{source} had {number} on {day} and recorded nothing", _mend(sessions[-1]))


def _thin_session(session: Session, events: Sequence[Event], now: datetime, config: Config) -> Missed | None:
    end = session.end or (now.isoformat() if session.start[:10] == now.date().isoformat() else "")
    if not end:
        return None
    first, last = parse_instant(session.start), parse_instant(end)
    minutes = (last - first) // _MINUTE_NS
    size = sum(len(serialise(event.data)) for event in events if first <= event.instant <= last)
    if minutes <= config.session_minutes or size >= config.session_bytes:
        return None
    what = f"{session.source} recorded {size} bytes in the {minutes} minutes from {session.start[:16]} on"
    what += f"; {config.session_bytes} are looked for"
    return Missed(session.source, session.start[:10], what, _mend(session))


def _mend(session: Session) -> str:
    return f'soul note --source {session.source} --ts {session.end or session.start} "what happened, and why"'


def _quiet(events: Sequence[Event], now: datetime, days: int) -> Iterable[Quiet]:
    """Yield the sources that went quiet; one whose every event was archived, as the template's are, works no more."""
    archived = {id_ for event in events if is_mark(event, "archive") for id_ in event.data["mark"]["targets"]}
    working = {event.source for event in events if event.id not in archived}
    last = {event.source: event.date for event in events if event.source in working}
    today = now.date().toordinal()
    for source, day in sorted(last.items(), key=lambda row: (row[1], row[0])):
        since = today - date.fromisoformat(day).toordinal()
        if days <= since <= RETIRED_DAYS:
            yield Quiet(source, day, since)
