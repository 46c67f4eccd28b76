"""From a hub to what its contexts are chosen from: the rim around the pure part.

Nothing is written but the index and what was judged.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime

from agent_soul.compiler import default_state, recorded_in
from agent_soul.conflicts import find_conflicts
from agent_soul.contexts.asking import Memory, Request
from agent_soul.contexts.choosing import Context, make_context
from agent_soul.files import read_regular
from agent_soul.hub import Hub
from agent_soul.identity import L0_FILES
from agent_soul.judgements import remembered_contradictions
from agent_soul.log import Log
from agent_soul.outbox import whole_log
from agent_soul.projects import folded
from agent_soul.resolve import resolve
from agent_soul.settings import load_config

JUDGING_SECONDS = 1.5
"""Nobody waits longer for new statements to be compared; the next that reads goes on where this one ended."""


def context_of(hub: Hub, request: Request, now: datetime) -> Context:
    """Return the context of a request as of `now`, which carries the reader's own offset."""
    return make_context(request, recall(hub, whole_log(hub), request.task, now))


def recall(hub: Hub, log: Log, task: str, now: datetime, reading: float | None = None) -> Memory:
    """Return what the whole `log` of the hub says at `now`, and how well that answers the task.

    A model, where there is one, reads new events for `reading` seconds first, by default as long as for a search.
    """
    config = load_config(hub)[0]
    today = now.astimezone(UTC).date().isoformat()
    as_of = default_state(None, recorded_in(hub), today).as_of
    resolution = folded(resolve(log.events, as_of, config))
    relevance: Mapping[str, float] = {}
    if task.strip():  # at the start of a session there is no task, and nobody waits for the search to be loaded
        from agent_soul.contexts.relevance import relevance_of

        relevance = relevance_of(hub, task, today, reading)
    with remembered_contradictions(hub, seconds=JUDGING_SECONDS) as look:
        conflicts = find_conflicts(resolution, look)
    day = now.date().isoformat()
    return Memory(_identity(hub), resolution, conflicts, config, day, relevance, unjudged=look.unjudged)


def _identity(hub: Hub) -> dict[str, str]:
    files = {name: hub.root / name for name in L0_FILES}
    return {name: read_regular(file).decode("utf-8", "replace") for name, file in files.items() if file.exists()}
