"""Which sessions agents had on this machine: state of the clone's own, and what of them the log lacks."""

from __future__ import annotations

import contextlib
import json
import re
from collections.abc import Iterable, Sequence
from datetime import datetime
from pathlib import Path

from agent_soul import schemas
from agent_soul.errors import RefusedError, StoppedError
from agent_soul.event import Event
from agent_soul.files import read_regular, replace_file
from agent_soul.hub import Hub
from agent_soul.instants import parse_instant
from agent_soul.lock import exclusive
from agent_soul.missed import Session, Writes, check_writes
from agent_soul.settings import load_config

_MOST_KEPT = 500
"""More sessions than anybody has in the days that are looked at; older ones are forgotten."""


def start_session(hub: Hub, source: str, now: datetime, name: str = "") -> Session:
    """Note that a session begins at `now`; one of the same name that is still open goes on instead."""
    refuse_no_source(source)
    with exclusive(hub.lock_file, purpose="session"):
        sessions = known_sessions(hub)
        going_on = [each for each in sessions if name and _is_open(each, source, name)]
        if going_on:
            return going_on[-1]
        session = begun(source, now, name)
        _write(hub, [*sessions, session])
    return session


def begun(source: str, now: datetime, name: str = "") -> Session:
    """Return a session that begins at `now`."""
    return Session(source, now.isoformat(timespec="seconds"), "", name)


def end_session(hub: Hub, source: str, now: datetime, name: str = "") -> Session:
    """Note that the last open session of the source (of that name) ends. Raises `RefusedError` where there is none."""
    with exclusive(hub.lock_file, purpose="session"):
        sessions = known_sessions(hub)
        numbers = [number for number, each in enumerate(sessions) if _is_open(each, source, name)]
        if not numbers:
            raise RefusedError(f"no session of {source!r} is open here", hint="`soul session start` begins one")
        ended = sessions[numbers[-1]]._replace(end=now.isoformat(timespec="seconds"))
        sessions[numbers[-1]] = ended
        _write(hub, sessions)
    return ended


def known_sessions(hub: Hub) -> list[Session]:
    """Return the sessions that this clone remembers, in the order of their beginnings."""
    with contextlib.suppress(StoppedError, ValueError, TypeError, RecursionError):
        sessions = [Session(*map(str, row)) for row in json.loads(read_regular(_file(hub)))]
        for moment in (moment for each in sessions for moment in (each.start, each.end) if moment):
            parse_instant(moment)
        return sessions
    return []  # none yet, or a file that somebody spoiled: it is a help, and no truth


def writes_of(hub: Hub, events: Iterable[Event], now: datetime) -> Writes:
    """Return what of the sessions on this machine the log, whose `events` these are, should hold and does not."""
    return check_writes(known_sessions(hub), events, now, load_config(hub)[0])


def refuse_no_source(source: str) -> None:
    """Raise `RefusedError` for what cannot be a source id."""
    form = schemas.load("event")["properties"]["source"]
    if not (re.fullmatch(form["pattern"], source) and form["minLength"] <= len(source) <= form["maxLength"]):
        raise RefusedError(f"{source!r} is not {form['x-form']}", hint="nothing was noted; give --source YOUR-ID")


def _is_open(session: Session, source: str, name: str) -> bool:
    return session.source == source and not session.end and (not name or session.name == name)


def _write(hub: Hub, sessions: Sequence[Session]) -> None:
    replace_file(_file(hub), json.dumps(sessions[-_MOST_KEPT:]).encode())


def _file(hub: Hub) -> Path:
    return hub.state / "sessions.json"
