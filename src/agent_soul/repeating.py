"""Which statements say again what an earlier one said, wherever they were recorded. Pure.

The last days, the daily log, the profile and stable memory all speak about the person; a project or an agent is apart.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection, Hashable, Iterable, Iterator

from agent_soul import judging
from agent_soul.event import Event
from agent_soul.judging import Label, Statement
from agent_soul.judging.candidates import SHARED_BY_DUPLICATES, candidate_pairs

PASSING = frozenset({"fuzzy", "daily"})
"""The scopes of remarks: what is said there passes, unless it is kept elsewhere."""


def subject_of(event: Event) -> tuple[str, str]:
    """Return whom or what the statement is about: a project, an agent, or the person."""
    return event.reach if event.scope in ("project", "agent") else ("person", "")


def repeated_pairs(
    events: Iterable[Event], anchors: Collection[str], subject: Callable[[Event], Hashable] = subject_of
) -> Iterator[tuple[Event, Event]]:
    """Yield `(earlier, later)` where both say the same of one `subject` and one is among the ids `anchors`.

    `events` are in the total order. What is the same is for the judge of texts to say; see docs/judging.md.
    """
    groups: dict[Hashable, list[Event]] = defaultdict(list)
    for event in events:
        groups[subject(event)].append(event)
    for group in groups.values():
        wanted = frozenset(number for number, event in enumerate(group) if event.id in anchors)
        for one, other in candidate_pairs([event.summary for event in group], wanted, SHARED_BY_DUPLICATES):
            if say_the_same(group[one], group[other]):
                yield group[one], group[other]


def say_the_same(one: Event, other: Event) -> bool:
    """Tell whether the judge of texts takes two statements for one, whatever they are about."""
    return judging.judge(_statement(one), _statement(other)).label is Label.DUPLICATE


def _statement(event: Event) -> Statement:
    is_temporary = event.kind == "temporary" or bool(event.valid_until)
    return Statement(event.summary, event.kind, is_temporary=is_temporary)
