"""The end of a session: it is noted, and what waits is sent by a process that outlives the hook."""

from __future__ import annotations

import contextlib

from agent_soul import outbox
from agent_soul.errors import RefusedError, StoppedError
from agent_soul.hooking import detached
from agent_soul.hooking.call import Call
from agent_soul.hooking.memo import remembering
from agent_soul.hooking.place import Place
from agent_soul.sessions import end_session


def end(call: Call, place: Place) -> None:
    """Send what waits and note the end. Programs give this a second or two, so nothing here waits for a network."""
    if outbox.entries(place.hub)[0]:
        detached.start(place.hub, "sync")
    if place.source:
        with contextlib.suppress(RefusedError, StoppedError):  # none is open, or nothing can be noted
            end_session(place.hub, place.source, place.now, call.session)
    with remembering(place.hub, call.session) as memo:
        memo.ran.clear()  # whoever resumes it within a minute is no second program
