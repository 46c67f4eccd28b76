"""Rules of names: two statements about the same in which little but a name stands against a name."""

from __future__ import annotations

from collections.abc import Iterator

from agent_soul.judging.apart import A_THING, is_called
from agent_soul.judging.frames import Frame
from agent_soul.judging.pairs import Judgement, Label, Pair, listed
from agent_soul.judging.pieces import Token
from agent_soul.judging.values import is_city, is_product

_PREPOSITIONS = frozenset({"in", "at", "with", "by", "from", "via", "through", "using", "near", "on", "under", "after"})
_ARTICLES = frozenset({"the", "a", "an", "our", "his", "her", "their"})
_TOPIC = 0.6
"""Share of the smaller statement that agrees beside the names ..."""
_SHARED = 1.7
"""... and the weight of it ..."""
_SAID = 0.9
"""... and of what is said of the subjects."""
_LEFT = 2.0
"""Weight of the things that each may hold besides, from which they speak of others."""


def differing_name(pair: Pair) -> Judgement | None:
    """Each names one that the other lacks, in a place of its own, and most of the rest agrees."""
    one, other = pair.frames
    if not pair.are_sentences or pair.gives_several:
        return None
    own = _own_names(one, other), _own_names(other, one)
    if not all(own) or all(_are_subjects(names, frame) for names, frame in zip(own, pair.frames, strict=True)):
        return None
    aside = {token.concept for names in own for token in names}
    if pair.contained_without(aside, least=A_THING) < _TOPIC or pair.shared < _SHARED or pair.predicate < _SAID:
        return None
    if min(_left(one, other, aside), _left(other, one, aside)) >= _LEFT:
        return None
    return Judgement(Label.CONFLICT, "differing name", (_shown(own[0]), _shown(own[1])))


def _own_names(frame: Frame, other: Frame) -> list[Token]:
    there = other.weights.keys() | other.names.keys()
    return [t for t in frame.main if (is_called(t) or is_product(t)) and t.concept not in there]


def _are_subjects(names: list[Token], frame: Frame) -> bool:
    subject = {token.concept for token in frame.subject}
    return any(token.concept in subject for token in names)


def _left(frame: Frame, other: Frame, aside: set[str]) -> float:
    return sum(w for c, w in frame.things.items() if c not in other.weights and c not in aside)


def _shown(names: list[Token]) -> str:
    return listed(token.surface for token in names)


def differing_in_a_name(pair: Pair) -> Judgement | None:
    """Both give one name behind one preposition in what they say, and all else that they speak of agrees."""
    one, other = pair.frames
    found = [list(_named(a, b)) for a, b in ((one, other), (other, one))]
    if any(len(names) != 1 for names in found) or pair.gives_several or pair.reports or one.sign != other.sign:
        return None
    (name, preposition), (rival, other_preposition) = found[0][0], found[1][0]
    if not preposition or preposition != other_preposition or one.is_past or other.is_past:
        return None
    is_one = pair.things_without({name.concept, rival.concept}) >= 1 and pair.shared >= A_THING
    if not is_one or any(pair.left_over):
        return None
    return Judgement(Label.CONFLICT, "differing name", (name.surface, rival.surface))


def _named(frame: Frame, other: Frame) -> Iterator[tuple[Token, str]]:
    """Yield the names that only this statement has, with the preposition before each; "" for none, or a subject."""
    for clause in frame.clauses:
        for at, token in enumerate(clause.tokens):
            if _is_name(token) and token.concept not in other.weights and not clause.is_reason:
                before = [each.surface.lower() for each in clause.tokens[:at]]
                while before and before[-1] in _ARTICLES:
                    before.pop()
                is_given = bool(before) and before[-1] in _PREPOSITIONS and token not in frame.subject
                yield token, before[-1] if is_given else ""


def _is_name(token: Token) -> bool:
    return not token.quantity and (token.is_name or is_city(token))
