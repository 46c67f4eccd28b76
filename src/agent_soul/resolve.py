"""What became of each event: one function gives each one status and a reason, and nothing else decides what is current.

The order of the checks is the order of `Status`: what is said first wins. Pure.
"""

from __future__ import annotations

import hashlib
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from functools import cached_property

from agent_soul.config import Config
from agent_soul.errors import Problem
from agent_soul.event import Event, add_days, serialise, short_id
from agent_soul.graph import cut_cycles

MARK_KINDS = frozenset({"mark", "retraction"})
DIGEST_LENGTH = 16


class Status(StrEnum):
    """What became of an event, in the order in which it is decided."""

    QUARANTINED = "quarantined"
    MARK = "mark"
    RETRACTED = "retracted"
    SUPERSEDED = "superseded"
    PENDING = "pending"
    SCHEDULED = "scheduled"
    ARCHIVED = "archived"
    EXPIRED = "expired"
    STALE = "stale"
    DUPLICATE = "duplicate"
    ACTIVE = "active"


@dataclass(frozen=True, slots=True)
class Verdict:
    """An event with its status. `by` is the id of the event that brought it about, where there is one.

    `copies` counts the identical statements that an active event stands for, itself included; `sources` who made them.
    """

    event: Event
    status: Status
    reason: str = ""
    by: str = ""
    copies: int = 1
    sources: tuple[str, ...] = ()


@dataclass(frozen=True)
class Resolution:
    """Every event once, in the total order, with what was odd about it. `repeated` counts lines that repeat an event."""

    verdicts: tuple[Verdict, ...]
    problems: tuple[Problem, ...]
    repeated: int
    settled: frozenset[frozenset[str]]
    """Sets of ids that a person declared to be no conflict."""

    @cached_property
    def by_id(self) -> Mapping[str, Verdict]:
        """Id to verdict; of an id with several contents the last."""
        return {verdict.event.id: verdict for verdict in self.verdicts}

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
    ordered = sorted(events, key=lambda event: (*event.sort_key, event.path, event.line))
    unique, clashes, repeated = _unify(ordered, add_days(as_of, grace_days))
    acts = _Acts.of(unique, as_of, add_days(as_of, grace_days))
    statuses = {event.id: _status(event, acts, as_of, config) for event in unique}
    verdicts = [*clashes, *_merge_duplicates(acts.twins.values(), statuses)]
    verdicts.sort(key=lambda verdict: (*verdict.event.sort_key, verdict.event.path, verdict.event.line))
    settled = frozenset(frozenset(mark.data["mark"]["targets"]) for mark in acts.marks("settle"))
    return Resolution(tuple(verdicts), tuple(sorted(acts.problems)), repeated, settled)


def content_digest(event: Event) -> str:
    """Return the short name of an event's content, by which a person chooses between two contents of one id."""
    return hashlib.sha256(serialise(event.data)).hexdigest()[:DIGEST_LENGTH]


def _unify(ordered: Sequence[Event], horizon: str) -> tuple[list[Event], list[Verdict], int]:
    """Make one event of equal lines, and set ids with several contents apart until a person has chosen one."""
    contents: dict[str, list[Event]] = defaultdict(list)
    for event in ordered:
        if all(event.data != other.data for other in contents[event.id]):
            contents[event.id].append(event)
    chosen = {
        (mark.data["mark"]["targets"][0], mark.data["mark"].get("to", ""))
        for mark in ordered
        if _is_mark(mark, "settle") and len(mark.data["mark"]["targets"]) == 1 and mark.date <= horizon
    }
    unique, clashes = [], []
    for versions in contents.values():
        kept = versions
        if len(versions) > 1:
            kept = [version for version in versions if (version.id, content_digest(version)) in chosen]
            kept = kept if len(kept) == 1 else []
            clashes += [_clash(version, versions, kept) for version in versions if version not in kept]
        unique += kept
    unique.sort(key=lambda event: event.sort_key)
    return unique, clashes, len(ordered) - len(unique) - len(clashes)


def _clash(event: Event, versions: Sequence[Event], kept: Sequence[Event]) -> Verdict:
    if kept:
        return Verdict(
            event, Status.QUARANTINED, f"another content of this id was chosen: {kept[0].path}:{kept[0].line}"
        )
    others = ", ".join(f"{other.path}:{other.line}" for other in versions if other is not event)
    reason = f"the id has another content in {others}; neither counts until a person decides"
    return Verdict(event, Status.QUARANTINED, f"{reason} (this one is {content_digest(event)})")


@dataclass(frozen=True)
class _Acts:
    """Which events act upon which, once it is clear which of the acts count."""

    by_id: Mapping[str, Event]
    twins: Mapping[tuple[str, ...], Sequence[Event]]
    """Events of the same identity."""
    as_of: str
    horizon: str
    """Last UTC date on which an event may have been stated to count by now."""
    problems: list[Problem] = field(default_factory=list)
    retracted: dict[str, Event] = field(default_factory=dict)
    superseded: dict[str, Event] = field(default_factory=dict)
    archived: dict[str, Event] = field(default_factory=dict)
    approved: set[str] = field(default_factory=set)

    @classmethod
    def of(cls, events: Sequence[Event], as_of: str, horizon: str) -> _Acts:
        twins: dict[tuple[str, ...], list[Event]] = defaultdict(list)
        for event in events:
            twins[event.identity].append(event)
        acts = cls({event.id: event for event in events}, twins, as_of, horizon)
        acts._retract()
        acts._supersede()
        for mark in acts.marks("archive"):
            acts._cover(mark, mark.data["mark"]["targets"], acts.archived)
        return acts

    def marks(self, action: str) -> Iterator[Event]:
        """Yield the marks of one action that count, oldest first."""
        for event in self.by_id.values():
            if _is_mark(event, action) and self.counts(event):
                yield event

    def counts(self, event: Event) -> bool:
        """Tell whether the event may act upon others: not retracted, not waiting, not ahead of its time."""
        ahead = event.date > self.horizon or event.valid_from > self.as_of
        return not ahead and event.id not in self.retracted and not self.is_pending(event)

    def is_pending(self, event: Event) -> bool:
        return event.data.get("proposed") is True and event.id not in self.approved

    def _retract(self) -> None:
        """Work through retractions, approvals and rejections, an act only after those that act upon it."""
        edges = {event.id: self._targets(event) for event in self.by_id.values() if _is_judgement(event)}
        acyclic, cut = cut_cycles(edges, rank=lambda id_: self.by_id[id_].sort_key)
        self._report_cut(cut, "retract")
        for act_id in _actors_first(acyclic):
            act = self.by_id[act_id]
            if not self.counts(act):
                continue
            targets = sorted(acyclic.get(act_id, ()))
            if _is_mark(act, "approve"):
                self.approved.update(targets)
            elif act.kind == "retraction":
                self._cover(act, targets, self.retracted)
            else:
                proposed = [id_ for id_ in targets if self.by_id[id_].data.get("proposed") is True]
                self._cover(act, proposed, self.retracted)

    def _supersede(self) -> None:
        replacing = [e for e in self.by_id.values() if e.supersedes and e.kind not in MARK_KINDS]
        edges = {event.id: self._targets(event) for event in replacing if self.counts(event)}
        acyclic, cut = cut_cycles(edges, rank=lambda id_: self.by_id[id_].sort_key)
        self._report_cut(cut, "supersede")
        for event in replacing:
            self._cover(event, sorted(acyclic.get(event.id, ())), self.superseded)

    def _targets(self, event: Event) -> frozenset[str]:
        """Return the known ids that the event acts upon; report the others and itself."""
        ids = event.data["mark"]["targets"] if event.kind == "mark" else event.supersedes
        named = set(ids)
        for odd in sorted(named):
            if odd == event.id:
                self._report(event, "self-reference", f"{short_id(odd)} names itself; that is ignored")
            elif odd not in self.by_id:
                self._report(event, "unknown-id", f"{short_id(event.id)} names {odd!r}, an event that is not here")
        return frozenset(id_ for id_ in named if id_ in self.by_id and id_ != event.id)

    def _cover(self, act: Event, targets: Iterable[str], covered: dict[str, Event]) -> None:
        """Note that `act` covers its targets and their identical twins that are not newer than the act."""
        for target in targets:
            if target not in self.by_id:
                continue
            twins = [twin for twin in self.twins[self.by_id[target].identity] if twin.instant <= act.instant]
            for event in {target: self.by_id[target], **{twin.id: twin for twin in twins}}.values():
                if event.id != act.id and (event.id not in covered or covered[event.id].sort_key < act.sort_key):
                    covered[event.id] = act

    def _report_cut(self, cut: Iterable[str], verb: str) -> None:
        for id_ in cut:
            said = f"events {verb} each other in a circle; the newest, {short_id(id_)}, stays"
            self._report(self.by_id[id_], "cycle", said)

    def _report(self, event: Event, code: str, message: str) -> None:
        self.problems.append(Problem(event.path, event.line, 1, code, message, "notice"))


def _actors_first(edges: Mapping[str, frozenset[str]]) -> list[str]:
    """Return the nodes that point at others, each after all that point at it."""
    pointing_at: dict[str, list[str]] = defaultdict(list)
    for actor, targets in edges.items():
        for target in targets:
            pointing_at[target].append(actor)
    done: dict[str, None] = {}
    for start in sorted(edges):
        stack = [start]
        while stack:  # no recursion: a chain of retractions may be long
            waiting = [actor for actor in sorted(pointing_at[stack[-1]]) if actor not in done]
            if waiting:
                stack.append(waiting[0])
            else:
                done.setdefault(stack.pop())
    return [node for node in done if node in edges]


def _status(event: Event, acts: _Acts, as_of: str, config: Config) -> Verdict:
    id_ = event.id
    if act := acts.retracted.get(id_):
        why = act.summary if act.kind == "retraction" else f"rejected: {act.summary}"
        return Verdict(event, Status.RETRACTED, why, act.id)
    if event.kind in MARK_KINDS:
        return Verdict(event, Status.MARK, str(event.data.get("mark", {}).get("action", "retract")))
    if act := acts.superseded.get(id_):
        return Verdict(event, Status.SUPERSEDED, f"superseded by {short_id(act.id)}", act.id)
    if acts.is_pending(event):
        return Verdict(event, Status.PENDING, "proposed; waits for a review")
    if event.date > acts.horizon:
        return Verdict(event, Status.SCHEDULED, f"stated on {event.date}, after {as_of}")
    if event.valid_from > as_of:
        return Verdict(event, Status.SCHEDULED, f"holds from {event.valid_from}")
    if act := acts.archived.get(id_):
        return Verdict(event, Status.ARCHIVED, f"archived: {act.summary}", act.id)
    if event.valid_until and event.valid_until < as_of:
        return Verdict(event, Status.EXPIRED, f"held until {event.valid_until}")
    if event.scope == "fuzzy" and add_days(event.date, config.fuzzy_days) < as_of:
        return Verdict(event, Status.STALE, f"fuzzy and from {event.date}; shown for {config.fuzzy_days} days")
    return Verdict(event, Status.ACTIVE)


def _merge_duplicates(groups: Iterable[Sequence[Event]], statuses: Mapping[str, Verdict]) -> Iterator[Verdict]:
    """Yield every verdict; of identical statements that are all active the newest survives and counts the others."""
    for group in groups:
        active = [event for event in group if statuses[event.id].status is Status.ACTIVE]
        yield from (statuses[event.id] for event in group if statuses[event.id].status is not Status.ACTIVE)
        if active:
            newest = active[-1]
            sources = tuple(sorted({event.source for event in active}))
            yield Verdict(newest, Status.ACTIVE, copies=len(active), sources=sources)
        for event in active[:-1]:
            yield Verdict(event, Status.DUPLICATE, f"the same as {short_id(newest.id)}", newest.id)


def _is_mark(event: Event, action: str) -> bool:
    return event.kind == "mark" and event.data["mark"]["action"] == action


def _is_judgement(event: Event) -> bool:
    return event.kind == "retraction" or _is_mark(event, "approve") or _is_mark(event, "reject")
