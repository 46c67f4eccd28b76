"""A rule for two sentences that differ in nothing but the name that each gives: held in Hamburg, in Copenhagen."""

from __future__ import annotations

from collections.abc import Iterator

from agent_soul.judging.apart import A_THING
from agent_soul.judging.frames import Frame
from agent_soul.judging.pairs import Judgement, Label, Pair
from agent_soul.judging.pieces import Token

_PREPOSITIONS = frozenset({"in", "at", "with", "by", "from", "via", "through", "using", "near", "on", "under", "after"})
_ARTICLES = frozenset({"the", "a", "an", "our", "his", "her", "their"})


def differing_name(pair: Pair) -> Judgement | None:
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
    holder = token.word.holder if token.word else None
    return not token.quantity and (token.is_name or bool(holder and holder[0] == "city"))
