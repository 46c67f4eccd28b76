"""Which active statements say the same in other words, and the event that would stand for each group. Pure.

A group forms around its newest statement: whatever is judged a duplicate of that one joins it. Since the newest wording
stays, no statement is ever merged into one from which it differs in a number, a denial or a name.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from agent_soul.conflicts import Conflict, Settled, contradict_each_other, judged_pairs, stated_for, statement_of
from agent_soul.digests import sha256
from agent_soul.event import Event, is_report_of_upkeep
from agent_soul.instants import just_after
from agent_soul.judging import NEARLY_THE_SAME, Label, judge
from agent_soul.resolve import Resolution
from agent_soul.settling import place_of

_ID_LENGTH = 8
_LIST_LIMIT = 12
_UNMERGED = frozenset({"metric", "topic", "task"})
"""Kinds of which each event stands for itself: a measurement, a state, something to do."""
_MUST_AGREE = ("claim", "valid_from", "valid_until")
_CARRIED = ("title", "detail", "decision", "lesson", "valid_from", "valid_until", "claim")
_UNITED = ("keywords", "tags")

Apart = Callable[[Event, Event], bool]
"""Tells of two events whether a person keeps them apart."""


@dataclass(frozen=True, slots=True)
class Cluster:
    """Statements that say the same, newest first, and why: `evidence` maps the older ones' ids to the reason."""

    members: tuple[Event, ...]
    evidence: dict[str, str]

    @property
    def id(self) -> str:
        """Name of the cluster, the same everywhere as long as its members are the same."""
        ids = sorted(member.id for member in self.members)
        return f"d-{sha256(repr(ids).encode()).hexdigest()[:_ID_LENGTH]}"

    @property
    def is_certain(self) -> bool:
        """Whether nothing in it is only nearly the same: then it may be merged without anybody looking at it."""
        return not any(reason.startswith(NEARLY_THE_SAME) for reason in self.evidence.values())

    @property
    def sources(self) -> tuple[str, ...]:
        return tuple(sorted({member.source for member in self.members}))

    def replacement(self) -> dict[str, Any]:
        """Return the record of the event that stands for all: the newest wording, what the newest knows, all keywords.

        `derived_from` names the members and so credits their sources. Its time is that of the newest, a nanosecond
        later: nobody has stated it anew, so it is neither newer than what was said since nor a note of today.
        """
        newest = self.members[0]
        ids = [member.id for member in self.members]
        record: dict[str, Any] = {"kind": newest.kind, **place_of(newest), "summary": newest.summary}
        record["ts"] = just_after(newest.data["ts"])
        for name in _CARRIED:
            given = [member.data[name] for member in self.members if name in member.data]
            if given and (name not in ("decision", "lesson") or newest.kind == name):
                record[name] = given[0]
        for name in _UNITED:
            united = list(dict.fromkeys(word for member in self.members for word in member.data.get(name, ())))
            record |= {name: united[:_LIST_LIMIT]} if united else {}
        importance = max(member.importance for member in self.members)
        return record | {"importance": importance, "supersedes": ids, "derived_from": ids}


def find_clusters(resolution: Resolution, scope: str = "") -> list[Cluster]:
    """Return the clusters of active statements, newest first; with `scope` those that hold one of that scope."""
    reaches: dict[tuple[str, ...], list[Event]] = defaultdict(list)
    for verdict in resolution.active:
        if verdict.event.kind not in _UNMERGED and not is_report_of_upkeep(verdict.event):
            reaches[stated_for(verdict.event)].append(verdict.event)
    apart = _kept_apart(resolution)
    clusters = [cluster for events in reaches.values() for cluster in _clusters_in(events, apart)]
    wanted = [c for c in clusters if not scope or any(member.scope == scope for member in c.members)]
    return sorted(wanted, key=lambda cluster: cluster.members[0].sort_key, reverse=True)


def disputed(clusters: Iterable[Cluster], conflicts: Sequence[Conflict]) -> dict[str, tuple[str, ...]]:
    """Return the ids of the clusters of which a statement is in an open conflict, each with those of the conflicts.

    Merging one would decide in passing what the conflict asks a person.
    """
    ids = {c.id: tuple(x.id for x in conflicts if any(m.id in x.against for m in c.members)) for c in clusters}
    return {cluster: named for cluster, named in ids.items() if named}


def _kept_apart(resolution: Resolution) -> Apart:
    """Return what tells whether two events stay apart for what a person said of them.

    Who says that two both hold keeps them apart. Who says it of a conflict means its sides, not what says the same on
    one of them; such may be merged, unless the merge would say more than each, and the conflict be asked again.
    """
    settled = Settled(resolution.settled)
    named = Settled(group for group in resolution.settled if not _is_conflict(group, resolution))

    def are_apart(one: Event, other: Event) -> bool:
        if not named.groups_of(one.id).isdisjoint(named.groups_of(other.id)):
            return True
        in_one_conflict = not settled.groups_of(one.id).isdisjoint(settled.groups_of(other.id))
        return in_one_conflict and one.substance != other.substance

    return are_apart


def _is_conflict(group: frozenset[str], resolution: Resolution) -> bool:
    events = [resolution.by_id[id_].event for id_ in group if id_ in resolution.by_id]
    return len(group) > 2 and contradict_each_other(events)


def _clusters_in(events: Sequence[Event], apart: Apart) -> Iterable[Cluster]:
    """Group the statements of one reach, again and again until a pass finds nothing, so that a second run will not."""
    groups: dict[str, tuple[Event, ...]] = {event.id: (event,) for event in events}
    evidence: dict[str, dict[str, str]] = defaultdict(dict)
    while merged := _merge_once(groups, apart):
        for older, newest, reason in merged:
            groups[newest] += groups.pop(older)
            evidence[newest] |= {older: reason, **evidence.pop(older, {})}
    for group in groups.values():
        if len(group) > 1:
            members = sorted(group, key=lambda event: event.sort_key, reverse=True)
            yield Cluster(tuple(members), evidence[members[0].id])


def _merge_once(groups: Mapping[str, tuple[Event, ...]], apart: Apart) -> list[tuple[str, str, str]]:
    """Return which group goes into which newer one, and why, by the ids of their newest; none goes on and on."""
    duplicates: dict[str, list[tuple[Event, str]]] = defaultdict(list)
    newest_of_each = [group[0] for group in groups.values()]
    for older, newer, judgement in judged_pairs(newest_of_each, reports=True):
        if judgement.label is Label.DUPLICATE and all(_may_merge(each, newer, apart) for each in groups[older.id]):
            duplicates[newer.id].append((older, ", ".join((judgement.rule, *judgement.evidence))))
    merged: list[tuple[str, str, str]] = []
    gone: set[str] = set()
    for newest in sorted(newest_of_each, key=lambda event: event.sort_key, reverse=True):
        for older, reason in duplicates[newest.id] if newest.id not in gone else ():
            if older.id not in gone:
                gone.add(older.id)
                merged.append((older.id, newest.id, reason))
    return merged


def _may_merge(one: Event, other: Event, apart: Apart) -> bool:
    """Tell whether one may stand for both: same text, nothing else in the way, and nobody keeps them apart."""
    agree = all(one.data.get(name) == other.data.get(name) for name in _MUST_AGREE)
    return agree and not apart(one, other) and judge(statement_of(one), statement_of(other)).label is Label.DUPLICATE
