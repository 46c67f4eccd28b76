"""Which active events cannot both hold. Pure.

A conflict is a group of statements about one thing; each member contradicts at least one other. The certain ones come
from `claim`. A judge of texts joins here later: a stage is a function `(events) -> conflicts`.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from agent_soul.event import Event
from agent_soul.resolve import Resolution
from agent_soul.text import compare_key, neutralise


@dataclass(frozen=True, slots=True)
class Conflict:
    """Events that contradict each other over `subject`; `certain` by claim, else suspected by text.

    `against` maps each member's id to the ids it contradicts, newest first.
    """

    subject: str
    members: tuple[Event, ...]
    against: Mapping[str, tuple[str, ...]]
    certain: bool = True


Stage = Callable[[Sequence[Event]], Iterable[Conflict]]


def by_claim(events: Sequence[Event]) -> Iterable[Conflict]:
    """Yield a conflict for each attribute that has two values within one reach (the person, one project, one agent)."""
    groups: dict[tuple[str, ...], list[Event]] = defaultdict(list)
    for event in events:
        claim = event.data.get("claim")
        if claim:
            groups[(*_reach(event), compare_key(claim["entity"]), compare_key(claim["attribute"]))].append(event)
    for group in groups.values():
        values = {event.id: _value(event) for event in group}
        if len(set(values.values())) > 1:
            newest_first = group[::-1]
            against = {
                event.id: tuple(other.id for other in newest_first if values[other.id] != values[event.id])
                for event in group
            }
            claim = group[-1].data["claim"]
            yield Conflict(neutralise(f"{claim['entity']} · {claim['attribute']}"), tuple(newest_first), against)


STAGES: tuple[Stage, ...] = (by_claim,)


def find_conflicts(resolution: Resolution, stages: Sequence[Stage] = STAGES) -> tuple[Conflict, ...]:
    """Return the open conflicts among the active events, newest first; pairs that a person settled are left out."""
    active = [verdict.event for verdict in resolution.active]
    found = [conflict for stage in stages for conflict in stage(active)]
    still_open = [left for conflict in found if (left := _without_settled(conflict, resolution.settled))]
    return tuple(sorted(still_open, key=lambda conflict: conflict.members[0].sort_key, reverse=True))


def _without_settled(conflict: Conflict, settled: Iterable[frozenset[str]]) -> Conflict | None:
    touching = [group for group in settled if sum(member.id in group for member in conflict.members) > 1]
    if not touching:
        return conflict
    against = {
        id_: tuple(other for other in others if not any({id_, other} <= group for group in touching))
        for id_, others in conflict.against.items()
    }
    members = tuple(member for member in conflict.members if against[member.id])
    return Conflict(conflict.subject, members, against, conflict.certain) if members else None


def _reach(event: Event) -> tuple[str, str]:
    """Return where a claim holds: everything said of the person shares one reach, each project and agent has its own."""
    return event.reach if event.scope in ("project", "agent") else ("person", "")


def _value(event: Event) -> str:
    """Return what two equal values share: `15` and `"15"` are one value, `1` and `true` are two."""
    value = event.data["claim"]["value"]
    if isinstance(value, str):
        return compare_key(value)
    return str(value).lower() if isinstance(value, bool) else f"{value:.15g}"
