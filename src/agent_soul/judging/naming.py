"""The rule of names: two statements about the same in which nothing but a name stands against a name."""

from __future__ import annotations

from agent_soul.judging.apart import A_THING, is_called
from agent_soul.judging.frames import Frame, is_product
from agent_soul.judging.pairs import Judgement, Label, Pair, listed
from agent_soul.judging.pieces import Token

_TOPIC = 0.6
_SHARED = 1.7
_SAID = 0.9
_LEFT = 2.0


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
