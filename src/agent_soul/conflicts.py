"""Which active events cannot both hold. Pure.

A conflict is a group of statements about one thing; each member contradicts at least one other. The certain ones come
from `claim`. A judge of texts joins here later: a stage is a function `(events, settled) -> conflicts`.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from itertools import islice
from typing import NamedTuple

from agent_soul.event import Event
from agent_soul.resolve import Resolution
from agent_soul.text import compare_key, neutralise

MAX_AGAINST = 100
"""Ids that a member lists; ten thousand values of one attribute would else fill a hundred million places."""


class Conflict(NamedTuple):
    """Events that contradict each other over `subject`; `certain` by claim, else suspected by text.

    `members` are newest first. `against` maps each member's id to the ids it contradicts, newest first, up to
    `MAX_AGAINST` of them.
    """

    subject: str
    members: tuple[Event, ...]
    against: Mapping[str, tuple[str, ...]]
    certain: bool = True


class Settled:
    """What a person declared to be no conflict, as groups of ids that can all hold."""

    def __init__(self, groups: Iterable[frozenset[str]]) -> None:
        found: dict[str, set[int]] = defaultdict(set)
        for number, group in enumerate(sorted(groups, key=sorted)):
            for id_ in group:
                found[id_].add(number)
        self._groups = {id_: frozenset(numbers) for id_, numbers in found.items()}

    def groups_of(self, event_id: str) -> frozenset[int]:
        """Return the numbers of the groups that hold the id; two ids that share one do not contradict each other."""
        return self._groups.get(event_id, frozenset())


Stage = Callable[[Sequence[Event], Settled], Iterable[Conflict]]


def by_claim(events: Sequence[Event], settled: Settled) -> Iterable[Conflict]:
    """Yield a conflict for each attribute that has two values within one reach (the person, one project, one agent)."""
    attributes: dict[tuple[str, ...], list[Event]] = defaultdict(list)
    for event in events:
        claim = event.data.get("claim")
        if claim:
            attributes[(*_reach(event), compare_key(claim["entity"]), compare_key(claim["attribute"]))].append(event)
    for group in attributes.values():
        against = _against(group[::-1], settled)
        members = tuple(event for event in group[::-1] if against[event.id])
        if members:
            claim = members[0].data["claim"]
            yield Conflict(
                neutralise(f"{claim['entity']} · {claim['attribute']}"),
                members,
                {event.id: against[event.id] for event in members},
            )


STAGES: tuple[Stage, ...] = (by_claim,)


def find_conflicts(resolution: Resolution, stages: Sequence[Stage] = STAGES) -> tuple[Conflict, ...]:
    """Return the open conflicts among the active events, newest first; pairs that a person settled are left out."""
    active = [verdict.event for verdict in resolution.active]
    settled = Settled(resolution.settled)
    found = [conflict for stage in stages for conflict in stage(active, settled)]
    return tuple(sorted(found, key=lambda conflict: conflict.members[0].sort_key, reverse=True))


def _against(newest_first: Sequence[Event], settled: Settled) -> dict[str, tuple[str, ...]]:
    """Return the ids that each event contradicts. Events of one value and the same settled groups share the answer."""
    stances = {event.id: (_value(event), settled.groups_of(event.id)) for event in newest_first}

    def opponents(stance: tuple[Hashable, frozenset[int]]) -> tuple[str, ...]:
        value, groups = stance
        others = (id_ for id_, (v, g) in stances.items() if v != value and groups.isdisjoint(g))
        return tuple(islice(others, MAX_AGAINST))

    answers = {stance: opponents(stance) for stance in dict.fromkeys(stances.values())}
    return {id_: answers[stance] for id_, stance in stances.items()}


def _reach(event: Event) -> tuple[str, str]:
    """Return where a claim holds: the person is one reach, and so is each project and each agent."""
    return event.reach if event.scope in ("project", "agent") else ("person", "")


def _value(event: Event) -> str:
    """Return what two equal values share: `15`, `15.0` and `"15"` are one value, `1` and `true` are two."""
    value = event.data["claim"]["value"]
    if isinstance(value, str):
        return compare_key(value)
    if isinstance(value, bool):
        return str(value).lower()
    return str(int(value)) if value == int(value) else repr(value)
