"""What became of each event: one function gives each one status and a reason, and nothing else decides what is current.

The order of the checks is the order of `Status`: what is said first wins. Pure.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from enum import StrEnum
from functools import cached_property
from operator import attrgetter
from typing import NamedTuple

from agent_soul.acts import MARK_KINDS, Acts, Horizon, Identity
from agent_soul.config import Config
from agent_soul.digests import sha256
from agent_soul.errors import Problem
from agent_soul.event import SHORT_ID, Event, short_id
from agent_soul.instants import add_days
from agent_soul.naming import long_names
from agent_soul.references import KnownIds

DIGEST_LENGTH = 16
_CLASHES_NAMED = 3
# Lines of one id may share a sort key; their place then makes the order total.
_ORDER = attrgetter("sort_key", "path", "line")


class Status(StrEnum):
    """What became of an event, in the order in which it is decided."""

    QUARANTINED = "quarantined"
    RETRACTED = "retracted"
    SUPERSEDED = "superseded"
    PENDING = "pending"
    SCHEDULED = "scheduled"
    MARK = "mark"
    ARCHIVED = "archived"
    EXPIRED = "expired"
    STALE = "stale"
    DUPLICATE = "duplicate"
    ACTIVE = "active"


class Verdict(NamedTuple):
    """An event with its status. `by` is the id of the event that brought it about, where there is one.

    `copies` counts the statements that an active event stands for, the identical ones and those that it merged;
    `sources` who made them.
    """

    event: Event
    status: Status
    reason: str = ""
    by: str = ""
    copies: int = 1
    sources: tuple[str, ...] = ()


class _Resolved(NamedTuple):
    verdicts: tuple[Verdict, ...]
    problems: tuple[Problem, ...]
    repeated: int
    settled: frozenset[frozenset[str]]
    """Sets of ids that a person declared to be no conflict."""


class Resolution(_Resolved):
    """Every event once, in the total order, with what was odd about it. `repeated` counts repeated lines."""

    @cached_property
    def by_id(self) -> Mapping[str, Verdict]:
        """Id to verdict; of an id with several contents the one that was chosen, else the last."""
        quarantined = {v.event.id: v for v in self.verdicts if v.status is Status.QUARANTINED}
        return quarantined | {v.event.id: v for v in self.verdicts if v.status is not Status.QUARANTINED}

    @cached_property
    def _long_names(self) -> Mapping[str, str]:
        return long_names(verdict.event.id for verdict in self.verdicts)

    def name_of(self, id_: str) -> str:
        """Return how an id is shown: short, as long as it takes to name one event only."""
        return self._long_names.get(id_) or short_id(id_)

    @cached_property
    def _known_ids(self) -> KnownIds:
        return KnownIds(verdict.event.id for verdict in self.verdicts)

    def find(self, wanted: str) -> Verdict | None:
        """Return the verdict on the event that a text names: by its id, or by the start of one id only, as pages do."""
        ids = self._known_ids.beginning_with(wanted)
        is_named = ids == [wanted] or (len(ids) == 1 and len(wanted) >= SHORT_ID)
        return self.by_id[ids[0]] if is_named else None

    @cached_property
    def active(self) -> tuple[Verdict, ...]:
        return tuple(verdict for verdict in self.verdicts if verdict.status is Status.ACTIVE)

    @cached_property
    def counts(self) -> Mapping[Status, int]:
        """Number of events of each status; they add up to the number of events."""
        numbers = dict.fromkeys(Status, 0)
        for verdict in self.verdicts:
            numbers[verdict.status] += 1
        return numbers


def resolve(events: Iterable[Event], as_of: str, config: Config, *, grace_days: int = 1) -> Resolution:
    """Give each event its status on the UTC date `as_of` (`YYYY-MM-DD`).

    Events stated more than `grace_days` after `as_of` are scheduled: a day by default, because clocks differ, and
    none when somebody asks for a past day. The order of `events` does not matter.
    """
    ordered = sorted(events, key=_ORDER)
    single, clashing = _by_content(ordered)
    horizon = Horizon(as_of, stated=add_days(as_of, grace_days))
    acts = Acts.of(single, horizon, clashing)
    verdicts: list[Verdict] = []
    if clashing:
        chosen = _chosen(acts, clashing)
        open_ids = clashing.keys() - chosen.keys()
        acts = Acts.of(sorted([*single, *chosen.values()], key=_ORDER), horizon, open_ids)
        verdicts = [verdict for versions in clashing.values() for verdict in _clashes(versions, chosen, acts)]
    decided, survivors = _merge_duplicates([_status(event, acts, config) for event in acts.by_id.values()], acts)
    verdicts = sorted([*verdicts, *decided], key=lambda verdict: _ORDER(verdict.event)) if verdicts else decided
    repeated = len(ordered) - len(verdicts)
    return Resolution(tuple(verdicts), tuple(sorted(acts.problems)), repeated, _settled(acts, survivors))


def content_digest(event: Event) -> str:
    """Return the short name of an event's content, by which a person chooses between two contents of one id."""
    return sha256(_content(event).encode()).hexdigest()[:DIGEST_LENGTH]


def _content(event: Event) -> str:
    """Return the record as text that is equal for equal records; in Python alone, `1` equals `true`."""
    return json.dumps(event.data, sort_keys=True)


def _by_content(ordered: Iterable[Event]) -> tuple[list[Event], dict[str, list[Event]]]:
    """Make one event of equal lines, and set ids with several contents apart."""
    first: dict[str, Event] = {}
    contents: dict[str, dict[str, Event]] = {}
    for event in ordered:
        known = first.setdefault(event.id, event)
        if known is not event:
            contents.setdefault(event.id, {_content(known): known}).setdefault(_content(event), event)
    clashing = {
        id_: [event for _, event in sorted(versions.items(), key=lambda item: (_ORDER(item[1]), item[0]))]
        for id_, versions in contents.items()
        if len(versions) > 1
    }
    return [event for event in first.values() if event.id not in clashing], clashing


def _chosen(acts: Acts, clashing: Mapping[str, Sequence[Event]]) -> dict[str, Event]:
    """Return the content that a settle mark chose for an id; the newest mark decides."""
    wanted = {}
    for mark in acts.marks("settle"):
        if len(mark.data["mark"]["targets"]) == 1 and "to" in mark.data["mark"]:
            wanted[mark.data["mark"]["targets"][0]] = mark.data["mark"]["to"]
    return {
        version.id: version
        for id_ in clashing.keys() & wanted.keys()
        for version in clashing[id_]
        if content_digest(version) == wanted[id_]
    }


def _clashes(versions: Sequence[Event], chosen: Mapping[str, Event], acts: Acts) -> list[Verdict]:
    """Return the verdicts on the contents of one id, but for the chosen one, which counts like any event."""
    id_ = versions[0].id
    if kept := chosen.get(id_):
        said = f"another content of this id was chosen: {kept.path}:{kept.line}"
        return [Verdict(version, Status.QUARANTINED, said) for version in versions if version is not kept]
    if act := acts.retracted.get(id_):
        return [Verdict(version, Status.RETRACTED, act.summary, act.id) for version in versions]
    return [Verdict(version, Status.QUARANTINED, _clash_reason(version, versions)) for version in versions]


def _clash_reason(event: Event, versions: Sequence[Event]) -> str:
    others = [f"{other.path}:{other.line}" for other in versions[: _CLASHES_NAMED + 1] if other is not event]
    shown = ", ".join(others[:_CLASHES_NAMED])
    hidden = len(versions) - 1 - len(others[:_CLASHES_NAMED])
    more = f" and {hidden} more" if hidden else ""
    said = f"the id has another content in {shown}{more}; neither counts until a person decides"
    digest = content_digest(event)
    return f"{said} (this one: `soul resolve {event.id} --keep {digest}`)"


def _status(event: Event, acts: Acts, config: Config) -> Verdict:
    """Return the verdict on one event by itself; `_merge_duplicates` then looks at the active ones together."""
    id_, as_of = event.id, acts.horizon.as_of
    if act := acts.retracted.get(id_):
        why = act.summary if act.kind == "retraction" else f"rejected: {act.summary}"
        return Verdict(event, Status.RETRACTED, why, act.id)
    if act := acts.superseded.get(id_):
        return Verdict(event, Status.SUPERSEDED, f"superseded by {short_id(act.id)}", act.id)
    if acts.is_pending(event):
        return Verdict(event, Status.PENDING, "proposed; waits for a review")
    if event.date > acts.horizon.stated:
        return Verdict(event, Status.SCHEDULED, f"stated on {event.date}, after {as_of}")
    if event.valid_from > as_of:
        return Verdict(event, Status.SCHEDULED, f"holds from {event.valid_from}")
    if event.kind in MARK_KINDS:
        return Verdict(event, Status.MARK, str(event.data["mark"]["action"] if event.kind == "mark" else "retract"))
    if act := acts.archived.get(id_):
        return Verdict(event, Status.ARCHIVED, f"archived: {act.summary}", act.id)
    if event.valid_until and event.valid_until < as_of:
        return Verdict(event, Status.EXPIRED, f"held until {event.valid_until}")
    if event.scope == "fuzzy" and add_days(event.date, config.fuzzy_days) < as_of:
        return Verdict(event, Status.STALE, f"fuzzy and from {event.date}; shown for {config.fuzzy_days} days")
    return Verdict(event, Status.ACTIVE, "", "", 1, (event.source,))


def _merge_duplicates(verdicts: list[Verdict], acts: Acts) -> tuple[list[Verdict], dict[Identity, Event]]:
    """Of identical statements that are all active let the newest survive and count the others, also what each merged.

    Returns the verdicts in their order, and the survivor of each statement.
    """
    groups: dict[Identity, list[Event]] = defaultdict(list)
    replaced: dict[str, list[Event]] = defaultdict(list)
    for verdict in verdicts:
        if verdict.status is Status.ACTIVE:
            groups[acts.identities[verdict.event.id]].append(verdict.event)
        elif verdict.status is Status.SUPERSEDED:
            replaced[verdict.by].append(verdict.event)
    merged: dict[str, Verdict] = {}
    for group in groups.values():
        newest = group[-1]
        said = f"the same as {short_id(newest.id)}"
        merged.update({event.id: Verdict(event, Status.DUPLICATE, said, newest.id) for event in group[:-1]})
        if len(group) > 1 or newest.id in replaced:
            statements = _statements(group, replaced, acts)
            sources = tuple(sorted({event.source for event in statements}))
            merged[newest.id] = Verdict(newest, Status.ACTIVE, "", "", len(statements), sources)
    survivors = {identity: group[-1] for identity, group in groups.items()}
    return [merged.get(verdict.event.id, verdict) for verdict in verdicts], survivors


def _statements(group: Iterable[Event], replaced: Mapping[str, Sequence[Event]], acts: Acts) -> list[Event]:
    """Return the statements that events stand for: of one that merged others under the wording of one, those others."""
    statements, waiting = [], list(group)
    while waiting:
        event = waiting.pop()
        others = replaced.get(event.id, ()) if "derived_from" in event.data else ()
        if any(acts.identities[other.id] == acts.identities[event.id] for other in others):
            waiting += others
        else:
            statements.append(event)
    return statements


def _settled(acts: Acts, survivors: Mapping[Identity, Event]) -> frozenset[frozenset[str]]:
    """Return what was declared to be no conflict; it holds also for an event that says the same again later."""
    settled = set()
    for mark in acts.marks("settle"):
        named = set(mark.data["mark"]["targets"])
        statements = [acts.identities[id_] for id_ in named if id_ in acts.identities]
        settled.add(frozenset(named | {survivors[statement].id for statement in statements if statement in survivors}))
    return frozenset(settled)
