"""Which events act upon which: retractions, decisions about proposals, replacements, archiving. Pure.

Acts are worked through from the latest to the earliest, so that whether one counts is known when its turn comes. An
act is later than what it names, whatever the clocks say; nobody can name an event before it is written.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from functools import cache
from typing import NamedTuple

from agent_soul.errors import Problem
from agent_soul.event import Event, short_id
from agent_soul.graph import cut_cycles, latest_first

MARK_KINDS = frozenset({"mark", "retraction"})

Identity = tuple[str, ...]
_BEFORE_ALL = -(10**30)


class Horizon(NamedTuple):
    """The UTC dates that decide what counts by now: the day asked for, and the last day of a statement's `ts`."""

    as_of: str
    stated: str

    def is_ahead(self, event: Event) -> bool:
        return event.date > self.stated or event.valid_from > self.as_of


class _Reach(NamedTuple):
    """An act upon all identical statements that are later than `after` (ns) and not later than the act."""

    after: int
    act: Event


def _everything(_: str) -> int:
    return _BEFORE_ALL


class Coverage:
    """The newest act upon each event: one that names it, or one upon an identical event that is not older than it."""

    def __init__(self, identities: Mapping[str, Identity]) -> None:
        self._identities = identities
        self._named: dict[str, Event] = {}
        # Of each statement both `after` and the acts rise; who is older and reaches no further back decides nothing.
        self._alike: dict[Identity, list[_Reach]] = defaultdict(list)

    def add(self, act: Event, targets: Iterable[str], after: Callable[[str], int] = _everything) -> None:
        """Let `act` cover its targets and, of what is identical to one, all that is later than `after(target)`."""
        for target in targets:
            if target not in self._named or self._named[target].sort_key < act.sort_key:
                self._named[target] = act
            if target in self._identities:
                _extend(self._alike[self._identities[target]], _Reach(after(target), act))

    def of(self, event: Event) -> Event | None:
        """Return the newest act that covers the event, among those that were added so far."""
        named = self._named.get(event.id)
        reaches = self._alike.get(self._identities[event.id])
        place = bisect_left(reaches, event.instant, key=lambda reach: reach.after) if reaches else 0
        alike = reaches[place - 1].act if reaches and place else None
        if alike is None or alike.instant < event.instant:
            return named
        return alike if named is None or alike.sort_key > named.sort_key else named

    def upon(self, event_id: str) -> Event | None:
        """Return the newest act that names the id."""
        return self._named.get(event_id)

    def __bool__(self) -> bool:
        return bool(self._named)


class Acts:
    """What the acts that count have brought about: id of the event to the act that decides.

    `clashing` are the ids that stand for several contents; they can be taken back, and nothing else.
    """

    def __init__(
        self,
        by_id: Mapping[str, Event],
        identities: Mapping[str, Identity],
        horizon: Horizon,
        clashing: frozenset[str] = frozenset(),
    ) -> None:
        self.by_id, self.identities, self.horizon, self.clashing = by_id, identities, horizon, clashing
        self.problems: list[Problem] = []
        self.retracted: dict[str, Event] = {}
        self.superseded: dict[str, Event] = {}
        self.archived: dict[str, Event] = {}
        self.reviewed: dict[str, Event] = {}

    @classmethod
    def of(cls, events: Sequence[Event], horizon: Horizon, clashing: Iterable[str] = ()) -> Acts:
        """Work out what `events` do to each other. They are in the total order, each id once."""
        by_id = {event.id: event for event in events}
        identities = {event.id: event.identity for event in events}
        acts = cls(by_id, identities, horizon, frozenset(clashing))
        acts._judge([event for event in events if _is_judgement(event)])
        acts._supersede([event for event in events if "supersedes" in event.data and event.kind not in MARK_KINDS])
        acts._archive()
        for mark in acts.marks("settle"):
            acts._targets(mark)  # reports what is odd about them; `resolve` applies them
        return acts

    def marks(self, action: str) -> Iterator[Event]:
        """Yield the marks of one action that count, oldest first."""
        for event in self.by_id.values():
            if event.kind == "mark" and is_mark(event, action) and self.counts(event):
                yield event

    def counts(self, event: Event) -> bool:
        """Tell whether the event may act upon others: not retracted, not waiting, not ahead of its time."""
        return event.id not in self.retracted and not self.is_pending(event) and not self.horizon.is_ahead(event)

    def is_pending(self, event: Event) -> bool:
        return event.data.get("proposed") is True and event.id not in self.reviewed

    def _judge(self, judgements: Iterable[Event]) -> None:
        """Decide what is retracted and what is approved; of two decisions on one proposal the later one holds."""
        edges = {event.id: self._targets(event) for event in judgements if not self.horizon.is_ahead(event)}
        coverage = Coverage(self.identities)
        restated = cache(self._restated)
        for act, targets in self._in_turn(edges, "retract"):
            self._note(self.retracted, act, coverage)
            if not self.counts(act):
                continue
            if act.kind == "retraction":
                coverage.add(act, targets, after=restated)
            else:
                self._review(act, targets)
        self._note_all(self.retracted, coverage, besides=edges)
        for id_ in self.clashing:
            if taken_back := coverage.upon(id_):
                self.retracted[id_] = taken_back

    def _restated(self, id_: str) -> int:
        """Return the instant (ns) of the newest identical statement that an event replaces, before all time if none.

        A merge keeps the words of one of its statements. Who takes it back undoes the merge, and that statement holds
        again with the others.
        """
        replaced = self.by_id[id_].supersedes if id_ in self.by_id else ()
        others = [self.by_id[other] for other in replaced if other in self.by_id and other != id_]
        alike = (other.instant for other in others if self.identities[other.id] == self.identities[id_])
        return max(alike, default=_BEFORE_ALL)

    def _review(self, decision: Event, targets: Iterable[str]) -> None:
        proposals = [id_ for id_ in targets if id_ in self.by_id and self.by_id[id_].data.get("proposed") is True]
        for id_ in proposals:
            if self.reviewed.setdefault(id_, decision) is decision and is_mark(decision, "reject"):
                self.retracted[id_] = decision

    def _supersede(self, replacing: Iterable[Event]) -> None:
        edges = {event.id: self._replaceable(event) for event in replacing if self.counts(event)}
        coverage = Coverage(self.identities)
        for act, targets in self._in_turn(edges, "supersede"):
            self._note(self.superseded, act, coverage)
            coverage.add(act, targets)
        self._note_all(self.superseded, coverage, besides=edges)

    def _archive(self) -> None:
        coverage = Coverage(self.identities)
        for mark in self.marks("archive"):
            coverage.add(mark, self._targets(mark))
        self._note_all(self.archived, coverage)

    def _note(self, outcome: dict[str, Event], event: Event, coverage: Coverage) -> None:
        if act := coverage.of(event):
            outcome[event.id] = act

    def _note_all(self, outcome: dict[str, Event], coverage: Coverage, besides: Container[str] = ()) -> None:
        if coverage:
            for event in self.by_id.values():
                if event.id not in besides:
                    self._note(outcome, event, coverage)

    def _in_turn(self, edges: Mapping[str, frozenset[str]], verb: str) -> Iterator[tuple[Event, list[str]]]:
        """Yield each act with its targets, cut free of circles, the latest act first."""

        def rank(id_: str) -> tuple[int, str, str]:
            return self.by_id[id_].sort_key if id_ in self.by_id else (0, "", id_)

        acyclic, cut = cut_cycles(edges, rank=rank)
        for id_ in cut:
            said = f"events {verb} each other in a circle; the newest, {short_id(id_)}, stays"
            self._report(self.by_id[id_], "cycle", said)
        complete = {id_: acyclic.get(id_, frozenset()) for id_ in edges}
        for id_ in latest_first(complete, rank=rank):
            yield self.by_id[id_], sorted(complete[id_])

    def _replaceable(self, event: Event) -> frozenset[str]:
        """Return the targets without acts and clashing ids, which only a retraction or a settling changes."""
        targets = self._targets(event)
        fixed = {id_ for id_ in targets if id_ in self.clashing or self.by_id[id_].kind in MARK_KINDS}
        for odd in sorted(fixed):
            said = f"{short_id(event.id)} cannot replace {short_id(odd)}, no statement; `soul retract` takes it back"
            self._report(event, "not-replaceable", said)
        return targets - fixed

    def _targets(self, event: Event) -> frozenset[str]:
        """Return the known ids that the event acts upon; report the others and itself."""
        named = set(event.data["mark"]["targets"] if event.kind == "mark" else event.supersedes)
        known = {id_ for id_ in named if id_ in self.by_id or id_ in self.clashing}
        for odd in sorted(named - known):
            self._report(event, "unknown-id", f"{short_id(event.id)} names {odd!r}, an event that is not here")
        if event.id in named:
            self._report(event, "self-reference", f"{short_id(event.id)} names itself; that is ignored")
        return frozenset(known - {event.id})

    def _report(self, event: Event, code: str, message: str) -> None:
        self.problems.append(Problem(event.path, event.line, 1, code, message, "notice"))


def is_mark(event: Event, action: str) -> bool:
    return event.kind == "mark" and event.data["mark"]["action"] == action


def _is_judgement(event: Event) -> bool:
    return event.kind == "retraction" or is_mark(event, "approve") or is_mark(event, "reject")


def _extend(reaches: list[_Reach], new: _Reach) -> None:
    """Put an act in place of the older ones that reach no further back, unless a newer one reaches as far itself."""
    place = bisect_left(reaches, new.act.sort_key, key=lambda reach: reach.act.sort_key)
    if place < len(reaches) and reaches[place].after <= new.after:
        return
    start = bisect_left(reaches, new.after, hi=place, key=lambda reach: reach.after)
    reaches[start:place] = [new]
