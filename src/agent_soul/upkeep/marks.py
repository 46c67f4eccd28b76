"""Records of marks upon many events: one for each place, so that each is found beside what it is about. Pure."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from typing import Any

from agent_soul.event import Event
from agent_soul.settling import place_of

_MOST_TARGETS = 4_000
"""Ids of one mark; at their longest (128 characters) its line stays below the 1 MiB that a reader takes."""


def marks_upon(events: Iterable[Event], action: str, why: str) -> list[dict[str, Any]]:
    """Return the records of marks with one `action` that together name every event; `why` is their summary."""
    places: dict[tuple[str, str], list[Event]] = defaultdict(list)
    for event in events:
        places[event.reach].append(event)
    return [
        {
            "kind": "mark",
            **place_of(group[0]),
            "mark": {"action": action, "targets": [event.id for event in group[start : start + _MOST_TARGETS]]},
            "summary": why,
        }
        for group in places.values()
        for start in range(0, len(group), _MOST_TARGETS)
    ]
