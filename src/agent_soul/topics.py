"""Topics: one current truth each, which a new one replaces."""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

from agent_soul.draft import ALLOW_SECRET, refuse_credentials
from agent_soul.event import Event, build
from agent_soul.hub import Hub
from agent_soul.recording import kept
from agent_soul.searching.filters import Filters
from agent_soul.searching.finding import open_index
from agent_soul.settling import place_of
from agent_soul.slug import stem


def truth(hub: Hub, topic: str, given: Mapping[str, Any]) -> dict[str, Any]:
    """Return the record of a topic's new truth: it replaces all that holds now, and is kept where that was kept.

    `Data Base` is the topic `data-base`: two spellings would else be two truths. What holds under the very name that
    was given is replaced too. Raises `RefusedError` for a key in the name: the spelling that is kept would hide it.
    """
    if not given.get(ALLOW_SECRET):
        refuse_credentials({"topic": topic})
    name = stem(topic) or topic
    now = of_any_spelling(hub, topic)
    reach = place_of(now[0]) if now and not given.keys() & {"scope", "project", "agent"} else {}
    ids = dict.fromkeys([*given.get("supersedes", ()), *(event.id for event in now)])
    record = kept({**reach, **given, "kind": "topic", "topic": name})
    return record | ({"supersedes": list(ids)} if ids else {})


def of_any_spelling(hub: Hub, topic: str) -> list[Event]:
    """Return the active events of a topic under the name that is given and under its slug, newest first."""
    found = {event.id: event for spelling in (stem(topic) or topic, topic) for event in current(hub, spelling)}
    return sorted(found.values(), key=lambda event: event.sort_key, reverse=True)


def current(hub: Hub, topic: str) -> list[Event]:
    """Return the active events of a topic, newest first; more than one where two machines wrote it."""
    with open_index(hub, datetime.now(UTC).date().isoformat()) as index:
        found = index.found(index.passing(Filters(topic=topic, kind="topic"))).values()
    return sorted((build(json.loads(each.record)) for each in found), key=lambda event: event.sort_key, reverse=True)
