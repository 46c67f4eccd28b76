"""Which active events cannot both hold. Pure.

A conflict is a group of statements about one thing; each member contradicts at least one other. The certain ones come
from `claim`, the suspected ones from the judge of texts. A stage is a function `(events, settled) -> conflicts`.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from functools import partial
from itertools import islice
from typing import NamedTuple

from agent_soul import judging
from agent_soul.digests import sha256
from agent_soul.event import Event
from agent_soul.judging import Judgement, Label, Statement
from agent_soul.judging.candidates import SHARED_BY_DUPLICATES, candidate_pairs
from agent_soul.judging.wording import in_words
from agent_soul.log import collector_at_rest
from agent_soul.resolve import Resolution
from agent_soul.text import compare_key, neutralise

MAX_AGAINST = 100
"""Ids that a member lists; ten thousand values of one attribute would else fill a hundred million places."""


_ID_LENGTH = 8
_LONGEST_JUDGED = 600
"""Characters of a statement that are judged: all that may be written. Longer ones came from elsewhere."""
_UNJUDGED = frozenset({"metric", "topic"})
"""Kinds of which the newest is the current one by itself: a measurement, the state of a topic."""


class Conflict(NamedTuple):
    """Events that contradict each other over `subject`: what a claim is about, else the rule that suspects it.

    `certain` ones are by claim. `members` are newest first. `against` maps each member's id to the ids it contradicts,
    newest first, up to `MAX_AGAINST` of them. `evidence` is what of the two newest cannot hold together, where a text
    gave it away.
    """

    subject: str
    members: tuple[Event, ...]
    against: Mapping[str, tuple[str, ...]]
    certain: bool = True
    evidence: tuple[str, ...] = ()

    @property
    def id(self) -> str:
        """Name of the conflict: the same everywhere, and while it grows, as it is made of the oldest contradiction."""
        oldest = self.members[-1].id
        pair = sorted((oldest, self.against[oldest][-1]))
        return f"c-{sha256(repr((self.certain, pair)).encode()).hexdigest()[:_ID_LENGTH]}"

    @property
    def headline(self) -> str:
        """What it is about, what of the two newest cannot hold together, and how sure that is."""
        differing = f": {' / '.join(self.evidence)}" if self.evidence else ""
        subject = self.subject if self.certain else in_words(self.subject)
        return f"{subject}{differing} ({'certain, by claim' if self.certain else 'suspected, by text'})"

    @property
    def is_group(self) -> bool:
        """Whether it has more than two sides, so that what is taken back depends on which one is kept."""
        return len(self.members) > 2

    def commands(self, name_of: Callable[[str], str]) -> dict[str, str]:
        """Return the command for each way out; `name_of` gives the id under which an event is shown.

        Of two the newest is offered. Of more it may be the one that is wrong, and would take back all that are right.
        """
        settle = f"soul resolve {self.id} --source YOUR-ID"
        return {
            "keep": f"{settle} --keep {'EVENT' if self.is_group else name_of(self.members[0].id)}",
            "both": f'{settle} --both "why"',
            "write": f'{settle} --write "what holds"',
        }


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
Judge = Callable[[Statement, Statement], Judgement]
Contradiction = tuple[Event, Event, Judgement]
Look = Callable[[Sequence[Event]], Iterable[Contradiction]]
"""From the statements of one reach to those two at a time that cannot both hold."""


def by_claim(events: Sequence[Event], settled: Settled) -> Iterable[Conflict]:
    """Yield a conflict for each attribute that has two values within one reach (the person, one project, one agent)."""
    attributes: dict[tuple[str, ...], list[Event]] = defaultdict(list)
    for event in events:
        if attribute := attribute_of(event):
            attributes[(*_reach(event), *attribute)].append(event)
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


def contradictions(events: Sequence[Event], judge: Judge | None = None) -> Iterable[Contradiction]:
    """Yield each two of `events`, all of one reach, that `judge` takes for a conflict, the older first.

    Without one it is `judging.contradiction`, whose rules are loaded when there are two to compare.
    """
    pairs = judged_pairs(events, judge or _contradiction)
    return (found for found in pairs if found[2].label is Label.CONFLICT)


def _contradiction(one: Statement, other: Statement) -> Judgement:
    return judging.contradiction(one, other)


def by_text(events: Sequence[Event], settled: Settled, look: Look = contradictions) -> Iterable[Conflict]:
    """Yield the conflicts that the judge of texts suspects among the statements of each reach."""
    reaches: dict[tuple[str, ...], list[Event]] = defaultdict(list)
    for event in events:
        if event.kind not in _UNJUDGED:
            reaches[stated_for(event)].append(event)
    for group in reaches.values():
        found = {
            (one.id, other.id): judgement
            for one, other, judgement in look(group)
            if settled.groups_of(one.id).isdisjoint(settled.groups_of(other.id)) and not _same_attribute(one, other)
        }
        yield from _connected(group, found)


def judged_pairs(
    events: Sequence[Event], judge: Judge | None = None, *, reports: bool = False
) -> Iterable[tuple[Event, Event, Judgement]]:
    """Yield each two of `events`, all of one reach, that are alike enough, the older first, and the judgement on them.

    Without a `judge` it is `judging.judge`. Two project updates tell of two moments and never contradict each other;
    with `reports` duplicates alone are looked for, and then they are judged all the same.
    """
    lasting = frozenset(number for number, event in enumerate(events) if event.kind != "project-update")
    statements = [statement_of(event) for event in events]
    texts = [statement.text for statement in statements]
    pairs = candidate_pairs(texts, least=SHARED_BY_DUPLICATES) if reports else candidate_pairs(texts, lasting)
    for one, other in pairs:
        if reports and not judging.may_be_duplicates(statements[one], statements[other]):
            continue
        yield events[one], events[other], (judge or judging.judge)(statements[one], statements[other])


def statement_of(event: Event) -> Statement:
    """Return what the judge reads of an event."""
    is_temporary = event.kind == "temporary" or bool(event.valid_until)
    return Statement(event.summary[:_LONGEST_JUDGED], event.kind, stated_for(event), is_temporary)


def find_conflicts(resolution: Resolution, look: Look = contradictions) -> tuple[Conflict, ...]:
    """Return the open conflicts among the active events, newest first; pairs that a person settled are left out.

    `look` does what `contradictions` does, where the caller knows a faster way.
    """
    stages: tuple[Stage, ...] = (by_claim, partial(by_text, look=look))
    active = [verdict.event for verdict in resolution.active]
    settled = Settled(resolution.settled)
    with collector_at_rest():
        found = [conflict for stage in stages for conflict in stage(active, settled)]
    return tuple(sorted(found, key=lambda conflict: conflict.members[0].sort_key, reverse=True))


def contradict_each_other(events: Iterable[Event]) -> bool:
    """Tell whether any two of the events cannot both hold, whatever a person said of them."""
    ordered = sorted(events, key=lambda event: event.sort_key)
    return any(True for stage in (by_claim, by_text) for _ in stage(ordered, Settled(())))


def _against(newest_first: Sequence[Event], settled: Settled) -> dict[str, tuple[str, ...]]:
    """Return the ids that each event contradicts. Events of one value and the same settled groups share the answer."""
    stances = {event.id: (claimed_value(event), settled.groups_of(event.id)) for event in newest_first}

    def opponents(stance: tuple[Hashable, frozenset[int]]) -> tuple[str, ...]:
        value, groups = stance
        others = (id_ for id_, (v, g) in stances.items() if v != value and groups.isdisjoint(g))
        return tuple(islice(others, MAX_AGAINST))

    answers = {stance: opponents(stance) for stance in dict.fromkeys(stances.values())}
    return {id_: answers[stance] for id_, stance in stances.items()}


def _connected(group: Sequence[Event], found: Mapping[tuple[str, str], Judgement]) -> Iterable[Conflict]:
    """Make one conflict of each set of events that contradictions connect."""
    opponents: dict[str, set[str]] = defaultdict(set)
    for one, other in found:
        opponents[one].add(other)
        opponents[other].add(one)
    newest_first = [event for event in group[::-1] if event.id in opponents]
    place = {event.id: number for number, event in enumerate(newest_first)}
    seen: set[str] = set()
    for event in newest_first:
        if event.id in seen:
            continue
        ids = _reachable(event.id, opponents)
        seen |= ids
        members = tuple(newest_first[number] for number in sorted(place[id_] for id_ in ids))
        against = {m.id: tuple(sorted(opponents[m.id], key=place.__getitem__))[:MAX_AGAINST] for m in members}
        rival = against[event.id][0]
        judgement = found.get((rival, event.id)) or found[event.id, rival]
        evidence = judgement.evidence[::-1] if (rival, event.id) in found else judgement.evidence
        yield Conflict(judgement.rule, members, against, certain=False, evidence=evidence)


def _reachable(start: str, opponents: Mapping[str, set[str]]) -> set[str]:
    seen, waiting = {start}, [start]
    while waiting:
        new = opponents[waiting.pop()] - seen
        seen |= new
        waiting += new
    return seen


def stated_for(event: Event) -> tuple[str, ...]:
    """Return where a statement holds: the person, a project, an agent, the last days; of the daily log, its day."""
    if event.scope in ("profile", "stable"):
        return ("person", "")
    return (*event.reach, event.local_date) if event.scope == "daily" else event.reach


def _same_attribute(one: Event, other: Event) -> bool:
    """Tell whether both are claims about one attribute, which are compared by their values."""
    return (attribute := attribute_of(one)) is not None and attribute == attribute_of(other)


def attribute_of(event: Event) -> tuple[str, str] | None:
    """Return what an event claims a value of, as names that are equal for one attribute; None where it claims nothing.

    Where the claim holds does not count.
    """
    claim = event.data.get("claim")
    return (compare_key(claim["entity"]), compare_key(claim["attribute"])) if claim else None


def _reach(event: Event) -> tuple[str, str]:
    """Return where a claim holds: the person is one reach, and so is each project and each agent."""
    return event.reach if event.scope in ("project", "agent") else ("person", "")


def claimed_value(event: Event) -> str:
    """Return what two equal values of claims share: `15`, `15.0` and `"15"` are one value, `1` and `true` are two."""
    value = event.data["claim"]["value"]
    if isinstance(value, str):
        return compare_key(value)
    if isinstance(value, bool):
        return str(value).lower()
    return str(int(value)) if value == int(value) else repr(value)
