"""When an agent is done for now: one reminder, once, where a long session has left next to nothing in the memory."""

from __future__ import annotations

from agent_soul.hooking.call import Call
from agent_soul.hooking.memo import Memo, remembering
from agent_soul.hooking.place import Answer, Place
from agent_soul.instants import parse_instant
from agent_soul.missed import Session, check_writes
from agent_soul.outbox import whole_log
from agent_soul.sessions import known_sessions
from agent_soul.settings import load_config

_LOOK_AGAIN_SECONDS = 600
"""This hook runs at the end of every turn, and reading the log takes a moment."""
_MINUTE_NS = 60 * 10**9


def stop(call: Call, place: Place) -> Answer:
    """Return the reminder that the agent should see, or nothing."""
    session = _session(call, place)
    if session is None or call.is_final:
        return Answer()
    with remembering(place.hub, call.session) as memo:
        if not _is_time_to_look(memo, session, place):
            return Answer()
        memo.looked = place.now.timestamp()
        so_far = session._replace(end=place.now.isoformat(timespec="seconds"))
        config = load_config(place.hub)[0]
        missed = check_writes([so_far], whole_log(place.hub).events, place.now, config).missed
    if not missed:
        return Answer()
    return Answer(place.typed(_reminder(missed[0].what, place.source)), lambda: _note_reminded(call, place))


def _note_reminded(call: Call, place: Place) -> None:
    with remembering(place.hub, call.session) as memo:
        memo.reminded = True


def _session(call: Call, place: Place) -> Session | None:
    """Return the session that is going on; one that has no name is not known apart from others."""
    if not (place.source and call.session):
        return None
    known = [each for each in known_sessions(place.hub) if (each.source, each.name) == (place.source, call.session)]
    return known[-1] if known and not known[-1].end else None


def _is_time_to_look(memo: Memo, session: Session, place: Place) -> bool:
    if memo.reminded or 0 <= place.now.timestamp() - memo.looked < _LOOK_AGAIN_SECONDS:
        return False
    minutes = (parse_instant(place.now.isoformat()) - parse_instant(session.start)) // _MINUTE_NS
    return minutes > load_config(place.hub)[0].session_minutes


def _reminder(what: str, source: str) -> str:
    return (
        f"agent-soul, once a session: {what}. What was decided, learned or changed here is known to no other agent "
        f'until it is recorded: `soul note --source {source} "what happened, and why"`, or `soul add` for what holds '
        "for long. Where nothing is worth keeping, nothing is missing and the work is done."
    )
