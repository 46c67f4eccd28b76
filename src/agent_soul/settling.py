"""How a conflict ends: which events it is about, and the record of the event that settles it. Pure."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from agent_soul.conflicts import Conflict
from agent_soul.errors import RefusedError
from agent_soul.event import Event, short_id
from agent_soul.references import KnownIds, find_event
from agent_soul.resolve import Resolution, Status, content_digest
from agent_soul.text import neutralise

_NAME_LENGTH = 80
_IDS_NAMED = 5
_SUMMARY_SHOWN = 60
CONFLICT_PREFIX = "c-"


@dataclass(frozen=True, slots=True)
class Dispute:
    """Events of which a person decides what holds, and the conflict that they make, where there is one."""

    events: tuple[Event, ...]
    conflict: Conflict | None = None

    def rivals_of(self, event: Event) -> list[Event]:
        """Return the events that cannot hold beside `event`: those that it contradicts, else all others."""
        against = self.conflict.against[event.id] if self.conflict else ()
        return [other for other in self.events if other.id != event.id and (not against or other.id in against)]

    def beside(self, event: Event) -> list[Event]:
        """Return the others, which stay where `event` is kept: what they contradict is a rival of it."""
        gone = {event.id, *(rival.id for rival in self.rivals_of(event))}
        return [other for other in self.events if other.id not in gone]

    def still_against(self, event: Event, kept: Event) -> list[Event]:
        """Return what stays beside `kept` and contradicts `event`, which stays too."""
        against = self.conflict.against[event.id] if self.conflict else ()
        return [other for other in self.beside(kept) if other.id in against]


def find_dispute(conflicts: Sequence[Conflict], events: Sequence[Event], wanted: Sequence[str]) -> Dispute:
    """Return what the ids name: a conflict, the one conflict of an event, or just the events, if they are several.

    An id may be the first characters of one. Raises `RefusedError` where an id names none, or several.
    """
    if len(wanted) == 1 and wanted[0].startswith(CONFLICT_PREFIX):
        named = [conflict for conflict in conflicts if conflict.id.startswith(wanted[0])]
        return _of_one(named, f"no open conflict has the id {wanted[0]!r}", wanted[0])
    found = list({event.id: event for event in (find_event(events, id_) for id_ in wanted)}.values())
    if len(found) > 1:
        return Dispute(tuple(found))
    held_in = [conflict for conflict in conflicts if found[0].id in conflict.against]
    return _of_one(held_in, f"{short_id(found[0].id)} is in no open conflict", wanted[0])


def _of_one(conflicts: Sequence[Conflict], none: str, wanted: str) -> Dispute:
    if not conflicts:
        raise RefusedError(none, hint="`soul conflicts` lists them; to settle events that it misses, name two or more")
    if len(conflicts) > 1:
        named = ", ".join(conflict.id for conflict in conflicts[:_IDS_NAMED])
        raise RefusedError(f"{wanted!r} stands for {len(conflicts)} conflicts: {named}", hint="give the id of one")
    return Dispute(conflicts[0].members, conflicts[0])


def find_kept(dispute: Dispute, events: Sequence[Event], wanted: str) -> Event:
    """Return the event in dispute whose id is or starts with `wanted`, out of all `events` here.

    One that says the same in the same words stands for it: pages show the newest alone, and people know the others.
    Raises `RefusedError` where none or several are named, or one that is not in dispute, and says which are.
    """
    if KnownIds(event.id for event in dispute.events).beginning_with(wanted):
        return find_event(dispute.events, wanted)
    other = find_event(events, wanted)
    if alike := [event for event in dispute.events if event.identity == other.identity]:
        return alike[0]
    place = f"in the conflict {dispute.conflict.id}" if dispute.conflict else "among the events named"
    named = ", ".join(short_id(event.id) for event in dispute.events[:_IDS_NAMED])
    more = f" and {len(dispute.events) - _IDS_NAMED} more" if len(dispute.events) > _IDS_NAMED else ""
    raise RefusedError(f"{short_id(other.id)} is not {place}", hint=f"--keep one of: {named}{more}")


def going_with(losing: Sequence[Event], kept: Event, resolution: Resolution) -> list[Event]:
    """Return what `losing` had replaced, and what that had: who takes back the one would let the other hold again.

    What says the same as an event that stays is left out, as a retraction covers identical statements too.
    """
    going = {event.id for event in losing}
    staying = {kept.identity, *(v.event.identity for v in resolution.active if v.event.id not in going)}
    replaced: dict[str, list[Event]] = defaultdict(list)
    for verdict in resolution.verdicts:
        if verdict.status is Status.SUPERSEDED and verdict.event.identity not in staying:
            replaced[verdict.by].append(verdict.event)
    found, waiting = list[Event](), list(losing)
    while waiting:
        for event in replaced.pop(waiting.pop().id, ()):
            waiting.append(event)
            found += [event] if event.id not in going else []
    return found


def keeping(kept: Event, gone: Sequence[Event], reason: str) -> dict[str, Any]:
    """Return the retraction of what `kept` stands against."""
    summary = reason or f"Of a conflict {short_id(kept.id)} holds."
    return {"kind": "retraction", "supersedes": [event.id for event in gone], "summary": summary}


def keeping_all(dispute: Dispute, reason: str) -> dict[str, Any]:
    """Return the mark that all hold, which is remembered."""
    return {"kind": "mark", "mark": {"action": "settle", "targets": [e.id for e in dispute.events]}, "summary": reason}


def replacing(dispute: Dispute, statement: str) -> dict[str, Any]:
    """Return the statement that takes the place of all, with the kind and the weight of the newest and heaviest."""
    ids = [event.id for event in dispute.events]
    record: dict[str, Any] = {"kind": dispute.events[0].kind, "summary": statement}
    record |= {"supersedes": ids, "derived_from": ids}
    return record | {"importance": max(event.importance for event in dispute.events)}


def contents_of(resolution: Resolution, wanted: Sequence[str]) -> list[Event]:
    """Return the contents of the one id that is named, where it has several and none counts; else nothing."""
    if len(wanted) != 1:
        return []
    found = [
        v.event for v in resolution.verdicts if v.status is Status.QUARANTINED and v.event.id.startswith(wanted[0])
    ]
    exact = [event for event in found if event.id == wanted[0]] or found
    return exact if len({event.id for event in exact}) == 1 else []


def choosing(contents: Sequence[Event], digest: str | None, reason: str) -> tuple[Event, dict[str, Any]]:
    """Return the content of an id that a person chose by its digest, and the mark that says so."""
    digests = {content_digest(event): event for event in contents}
    chosen = [event for name, event in digests.items() if digest and name.startswith(digest)]
    if len(chosen) != 1:
        named = "; ".join(f"{name}: {shorten(event.summary)}" for name, event in list(digests.items())[:_IDS_NAMED])
        raise RefusedError(
            f"{contents[0].id!r} stands for {len(digests)} contents, and {digest!r} chooses none of them"
            if digest
            else f"{contents[0].id!r} stands for {len(digests)} contents",
            hint=f"--keep one of them by its digest: {named}",
        )
    target = {"action": "settle", "targets": [chosen[0].id], "to": content_digest(chosen[0])}
    return chosen[0], {"kind": "mark", "mark": target, "summary": reason or f"Of {chosen[0].id} this content holds."}


def shorten(text: str) -> str:
    return text if len(text) <= _SUMMARY_SHOWN else f"{text[:_SUMMARY_SHOWN]}…"


def place_of(event: Event) -> dict[str, str]:
    """Return scope, project and agent of an event, so that what is said about it is found beside it."""
    # Names as they are shown: an old line may hold more than may be written today.
    names = {"project": event.project, "agent": event.agent}
    return {"scope": event.scope, **{name: neutralise(text)[:_NAME_LENGTH] for name, text in names.items() if text}}
