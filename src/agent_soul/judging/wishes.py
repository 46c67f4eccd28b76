"""A rule for what the user likes to do and another statement forbids everybody."""

from __future__ import annotations

from collections.abc import Mapping

from agent_soul.judging.apart import A_THING
from agent_soul.judging.cases import is_conditional
from agent_soul.judging.frames import Frame
from agent_soul.judging.pairs import Judgement, Label, Pair, shared_weight

_WANTING = frozenset({"want", "wants", "wanted", "wish", "希望", "想要", "想", "期待", "想看", "想听", "想知道"})
"""Who wants a thing asks for it; who likes to do it does it."""
_SPEAKING_OF_USERS = frozenset({"user", "like", "agent"})
_FORBIDDEN = 0.4
"""Share of what is forbidden that the user likes to do."""


def forbidden_habit(pair: Pair) -> Judgement | None:
    """The user likes to do what a rule forbids: a liking for global variables, and a ban of them."""
    if pair.reports or pair.is_gated or is_conditional(pair):
        return None
    for wish, rule in (pair.frames, pair.frames[::-1]):
        liked = _liked(wish)
        if liked and _SPEAKING_OF_USERS.isdisjoint(rule.weights) and _forbids(rule, liked):
            return Judgement(Label.CONFLICT, "forbidden habit", (pair.frames[0].text, pair.frames[1].text))
    return None


def may_be_forbidden(pair: Pair) -> bool:
    """Tell whether `forbidden_habit` could find something, at a small part of its cost."""
    denies = [any(clause.sign < 0 for clause in each.clauses) for each in pair.frames]
    likes = ["like" in each.weights for each in pair.frames]
    return (likes[0] and denies[1]) or (likes[1] and denies[0])


def _liked(frame: Frame) -> Mapping[str, float]:
    """Return what the user likes to do; nothing where a statement tells of no liking, or of what is wanted."""
    for clause in frame.clauses:
        forms = [token.surface.lower() for token in clause.tokens if token.concept == "like"]
        if forms and clause.sign > 0 and "user" in frame.weights and _WANTING.isdisjoint(forms):
            aside = _SPEAKING_OF_USERS | frame.lesser | frame.denied
            return {concept: weight for concept, weight in clause.weights.items() if concept not in aside}
    return {}


def _forbids(rule: Frame, liked: Mapping[str, float]) -> bool:
    for clause in rule.clauses:
        shared = shared_weight(clause.weights, liked)
        is_told = clause.sign < 0 and not (clause.is_reason or clause.denies_aside)
        if is_told and shared >= max(A_THING, _FORBIDDEN * sum(clause.weights.values())):
            return True
    return False
