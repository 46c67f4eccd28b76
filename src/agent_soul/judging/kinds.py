"""A rule for what one statement rules out as a whole and the other one does with a kind of it: no dairy, and cheese."""

from __future__ import annotations

from collections.abc import Iterator

from agent_soul.judging.apart import A_THING, is_of_a_relative
from agent_soul.judging.frames import Frame, is_thing
from agent_soul.judging.lexicon import related
from agent_soul.judging.pairs import Judgement, Label, Pair

_MOST_THINGS = 2
"""Things that a denial may name, one of them the genus: "no children", "no dairy products"."""


def denied_kind(pair: Pair) -> Judgement | None:
    """One denies a genus, by itself or by what the user is, and the other affirms one of its kinds of the same."""
    for one, other in (pair.frames, pair.frames[::-1]):
        if pair.reports or not _is_of_the_same(one, other):
            continue
        affirmed = {t.concept: t.surface for c in other.clauses if c.sign > 0 and not c.is_reason for t in c.tokens}
        for shown, kinds in _ruled_out(one):
            if found := sorted(affirmed[kind] for kind in kinds & affirmed.keys()):
                evidence = (shown, found[0])
                return Judgement(Label.CONFLICT, "denied kind", evidence if one is pair.frames[0] else evidence[::-1])
    return None


def may_deny_a_kind(pair: Pair) -> bool:
    """Tell whether `denied_kind` could find something, at a small part of its cost."""
    return any(True for each in pair.frames for _ in _ruled_out(each))


def _is_of_the_same(one: Frame, other: Frame) -> bool:
    """Tell whether both speak first of the user, or of one thing; of nobody's sister alone."""
    first, second = (each.main[0].concept if each.main else "" for each in (one, other))
    return first == second and is_of_a_relative(one) == is_of_a_relative(other)


def _ruled_out(frame: Frame) -> Iterator[tuple[str, frozenset[str]]]:
    """Yield what a statement rules out, as it says it, with the concepts of its kinds."""
    kinds = related("kinds")
    for clause in frame.clauses:
        things = [token for token in clause.tokens if token.weight >= A_THING and is_thing(token)]
        for token in things:
            is_denied = clause.sign < 0 and len(things) <= _MOST_THINGS
            is_out = is_denied or _is_a_diet(token.concept, clause.sign)
            if token.concept in kinds and is_out and not clause.is_reason:
                yield token.surface, kinds[token.concept]


def _is_a_diet(concept: str, sign: int) -> bool:
    """Tell whether a word rules out by being said of someone: a vegan eats no cheese."""
    return "=" in concept and sign > 0
