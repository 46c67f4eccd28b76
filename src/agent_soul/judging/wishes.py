"""A rule for what the user likes to do and another statement forbids everybody."""

from __future__ import annotations

import itertools
from collections.abc import Mapping

from agent_soul.judging.apart import A_THING
from agent_soul.judging.cases import is_conditional
from agent_soul.judging.clauses import Clause
from agent_soul.judging.frames import Frame
from agent_soul.judging.pairs import Judgement, Label, Pair, shared_weight
from agent_soul.judging.pieces import Token

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
        is_rule = _SPEAKING_OF_USERS.isdisjoint(rule.weights)
        if is_rule and (_forbids(rule, _liked(wish)) or _demands(rule, _spared(wish))):
            return Judgement(Label.CONFLICT, "forbidden habit", (pair.frames[0].text, pair.frames[1].text))
    return None


def may_be_forbidden(pair: Pair) -> bool:
    """Tell whether `forbidden_habit` could find something, at a small part of its cost."""
    clauses = [clause for each in pair.frames for clause in each.clauses]
    denies = any(clause.sign < 0 or any(token.denies for token in clause.tokens) for clause in clauses)
    likes = [{"user", "like"} <= each.weights.keys() for each in pair.frames]
    return denies and likes[0] != likes[1] and pair.shared >= A_THING


def _liked(frame: Frame) -> Mapping[str, float]:
    """Return what the user likes to do; nothing where a statement tells of no liking, or of what is wanted."""
    aside = _SPEAKING_OF_USERS | frame.lesser | frame.denied
    liking = (clause for clause in frame.clauses if clause.sign > 0 and _tells_of_liking(clause, frame))
    return {concept: weight for clause in liking for concept, weight in clause.weights.items() if concept not in aside}


def _spared(frame: Frame) -> frozenset[str]:
    """Return what the user likes to do without, or dislikes: what stands behind the word that says so."""
    tokens = frame.said
    likes = next((n for n, token in enumerate(tokens) if token.concept == "like"), len(tokens))
    if "user" not in frame.weights or any(token.surface.lower() in _WANTING for token in tokens[likes : likes + 1]):
        return frozenset()
    spared = itertools.dropwhile(lambda token: not token.denies, tokens[likes:])
    return frozenset(token.concept for token in spared if token.weight >= A_THING)


def _tells_of_liking(clause: Clause, frame: Frame) -> bool:
    forms = [t.surface.lower() for t in clause.tokens if t.concept == "like" and t.word and t.word.sign > 0]
    return bool(forms) and "user" in frame.weights and _WANTING.isdisjoint(forms)


def _demands(rule: Frame, spared: frozenset[str]) -> bool:
    """Tell whether a clause asks for what the user likes to do without; of that by itself it may ask anything."""
    asked = spared - {token.concept for token in rule.subject}
    for clause in rule.clauses if rule.subject else ():
        is_told = clause.sign > 0 and not clause.is_reason and not asked.isdisjoint(clause.weights)
        if is_told and any(map(_binds, clause.tokens)):
            return True
    return False


def _binds(token: Token) -> bool:
    return token.has("universal") or (token.word is not None and token.concept == "must")


def _forbids(rule: Frame, liked: Mapping[str, float]) -> bool:
    for clause in rule.clauses:
        shared = shared_weight(clause.weights, liked)
        is_told = clause.sign < 0 and not (clause.is_reason or clause.denies_aside)
        if is_told and shared >= max(A_THING, _FORBIDDEN * sum(clause.weights.values())):
            return True
    return False
