"""Corrections that were made again and again, and the preference that each becomes. Pure."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from typing import Any, NamedTuple

from agent_soul.event import Event
from agent_soul.repeating import repeated_pairs
from agent_soul.resolve import Resolution, Status, Verdict
from agent_soul.settling import place_of
from agent_soul.upkeep.records import writable

_MADE = frozenset({Status.ACTIVE, Status.DUPLICATE, Status.SUPERSEDED, Status.STALE, Status.ARCHIVED, Status.EXPIRED})
_STANDING = frozenset({Status.ACTIVE, Status.STALE})


class Confirmation(NamedTuple):
    """A correction that was made often enough: how often, oldest first, and which of it still stands, newest last."""

    made: tuple[Event, ...]
    standing: tuple[Event, ...]

    @property
    def newest(self) -> Event:
        return self.standing[-1]

    def preference(self) -> dict[str, Any]:
        """Return the record of the preference that takes the place of what stands, in its newest words."""
        place = place_of(self.newest) if self.newest.scope in ("project", "agent") else {"scope": "profile"}
        return {
            "kind": "preference",
            **place,
            "summary": writable(self.newest.summary),
            "importance": max(event.importance for event in self.made),
            "confidence": 1,
            "supersedes": [event.id for event in self.standing],
            "derived_from": [event.id for event in self.made],
        }


def confirmations(resolution: Resolution, times: int) -> list[Confirmation]:
    """Return the corrections that were made `times` times in the same words or nearly so, and still stand.

    A correction that a preference came from before, also one that was taken back since, is not counted again.
    """
    spent = _spent(resolution)
    made = [v for v in resolution.verdicts if v.event.kind == "correction" and v.status in _MADE]
    standing = [v for v in made if v.status in _STANDING]
    if len(made) < times or not standing:
        return []
    alike = _alike([v.event for v in made], frozenset(v.event.id for v in standing))
    found: list[Confirmation] = []
    taken: set[str] = set()
    for verdict in reversed(standing):
        if verdict.event.id not in taken:
            group = [v for v in made if v.event.id in alike[verdict.event.id] and v.event.id not in taken]
            taken |= {v.event.id for v in group}
            found += [confirmation] if (confirmation := _confirmation(group, spent, times)) else []
    return found


def _confirmation(group: Sequence[Verdict], spent: frozenset[str], times: int) -> Confirmation | None:
    """Return what the group confirms; an event that was made from others is none of the times."""
    made = [v.event for v in group if v.event.id not in spent and not v.event.data.get("derived_from")]
    if len(made) < times:
        return None
    return Confirmation(tuple(made), tuple(v.event for v in group if v.status in _STANDING))


def _spent(resolution: Resolution) -> frozenset[str]:
    preferences = (v.event for v in resolution.verdicts if v.event.kind == "preference")
    return frozenset(id_ for event in preferences for id_ in event.data.get("derived_from", ()))


def _alike(made: Sequence[Event], standing: frozenset[str]) -> dict[str, set[str]]:
    """Return, for each correction that stands, the ids of all that say the same, its own included."""
    same_words: dict[tuple[str, ...], set[str]] = defaultdict(set)
    for event in made:
        same_words[event.identity].add(event.id)
    # Of equal words one stands for all: a hundred of them would be too common for a look at pairs.
    newest = list({event.identity: event for event in made}.values())
    words_of = {event.id: same_words[event.identity] for event in newest}
    alike = {id_: set(words_of.get(id_, {id_})) for id_ in standing}
    for one, other in repeated_pairs(sorted(newest, key=lambda event: event.sort_key), standing):
        for anchor, repeated in ((one, other), (other, one)):
            if anchor.id in alike:
                alike[anchor.id] |= words_of[repeated.id]
    return alike
