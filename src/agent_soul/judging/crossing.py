"""Whether two statements join the same words differently: answers in Chinese and comments in English, or the reverse.

All other measures compare sets of words, in which such statements are nearly equal, or wholly.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Container, Iterable

from agent_soul.judging.apart import A_THING
from agent_soul.judging.frames import Frame, is_thing
from agent_soul.judging.pieces import Token

_PASSIVE = frozenset({"by", "由", "被", "给", "让"})


def are_crossed(one: Frame, other: Frame) -> bool:
    """Tell whether one says of a thing what the other says of another thing, though both hold nearly the same words."""
    sides = ((one, other), (other, one))
    if any(_gives_twice(*each) or _is_moved(*each) for each in sides):
        return True
    return _are_turned(one, other) or _act_on_each_other(one, other)


def _gives_twice(one: Frame, other: Frame) -> bool:
    """Tell whether one gives a value again in the place of the single one that only the other gives."""
    counts, others = Counter(_flat(_things(one))), Counter(_flat(_things(other)))
    more, less = counts - others, others - counts
    is_again = more.total() == less.total() == 1 and all(others[concept] for concept in more) and not less & counts
    return is_again and (_row(more) == _row(less) or (more.keys() <= one.unknown and less.keys() <= other.unknown))


def _is_moved(one: Frame, other: Frame) -> bool:
    """Tell whether a clause of one has a thing of another clause in the place of its own, and is nowhere whole.

    Its own must be in the other statement too, or be another value of the same setting: else it may be said in words
    that no table joins.
    """
    clauses, others = ([{*each} for each in _things(frame) if each] for frame in (one, other))
    for clause in clauses:
        elsewhere = {*_flat(clauses)} - clause
        near = [each for each in others if not each.isdisjoint(clause)]
        exchanged = [(clause - each, each - clause) for each in near]
        if all(own for own, _ in exchanged) and any(
            len(own) == len(new) == 1 and new <= elsewhere and (own <= {*_flat(others)} or _row(own) == _row(new))
            for own, new in exchanged
        ):
            return True
    return False


def _row(values: Iterable[str]) -> str:
    """Return the setting of a value, or the value itself where it is none of any."""
    return next(iter(values)).partition("=")[0]


def _are_turned(one: Frame, other: Frame) -> bool:
    """Tell whether values of one setting change places in a single clause, and what they are given of does not."""
    first, second = ([each for each in _things(frame) if each] for frame in (one, other))
    if len(first) != 1 or len(second) != 1:
        return False
    common = {*first[0]} & {*second[0]}
    rows = Counter(concept.partition("=")[0] for concept in common if "=" in concept)
    values = {concept for concept in common if rows[concept.partition("=")[0]] > 1}
    return _differ(first[0], second[0], values) and not _differ(first[0], second[0], common - values)


def _act_on_each_other(one: Frame, other: Frame) -> bool:
    """Tell whether who does it in one is whom it is done to in the other: Anna reviews Ben's code."""
    if any(len([each for each in _things(frame) if each]) != 1 for frame in (one, other)):
        return False
    first, second = (next(filter(_counts, each.clauses[0].tokens), None) for each in (one, other))
    if not first or not second or first.concept == second.concept or first.word or second.word:
        return False
    is_exchanged = first.concept in other.weights and second.concept in one.weights
    words = {token.surface.lower() for each in (one, other) for token in each.clauses[0].tokens}
    return is_exchanged and words.isdisjoint(_PASSIVE)


def _differ(first: Iterable[str], second: Iterable[str], among: Container[str]) -> bool:
    return [each for each in first if each in among] != [each for each in second if each in among]


def _things(frame: Frame) -> list[list[str]]:
    """Return what each clause that is no reason speaks of."""
    joined: list[list[str]] = []
    listed: list[str] = []
    for clause in frame.clauses:
        if clause.is_reason:
            continue
        listed += [token.concept for token in clause.tokens if _counts(token)]
        if not all(token.weight for token in clause.tokens):  # else one of a list: roads, rivers and bridges
            joined, listed = [*joined, listed], []
    return [*joined, listed] if listed else joined


def _counts(token: Token) -> bool:
    return token.weight >= A_THING and is_thing(token)


def _flat(clauses: Iterable[Iterable[str]]) -> Iterable[str]:
    return (concept for clause in clauses for concept in clause)
