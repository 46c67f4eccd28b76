"""Which of two things a statement puts first: `A before B`, `after A, B`, `A first, then B`, `先 A 再 B`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from agent_soul.judging.pieces import Token

_BEFORE = frozenset({"before", "prior to", "ahead of", "until"})
_AFTER = frozenset({"after", "once", "as soon as", "following"})
_FIRST = frozenset({"first", "先", "首先", "先行"})
_THEN = frozenset({"then", "afterwards", "only then", "later", "再", "然后", "之后再", "才", "随后"})
_CJK_BEFORE = frozenset({"之前", "以前", "前"})
_CJK_AFTER = frozenset({"之后", "以后", "后"})
_MARKS = _BEFORE | _AFTER | _FIRST | _CJK_BEFORE | _CJK_AFTER
_BINDING = frozenset({"在", "等", "等到", "待"})
_WHO_WANTS = frozenset({"user", "like"})
_VERBS = frozenset({"verbs", "value verbs"})


class Order(NamedTuple):
    """What comes first and what comes later, each with its weights; both empty where a statement gives no order."""

    first: Mapping[str, float]
    later: Mapping[str, float]

    def is_given(self) -> bool:
        return bool(self.first and self.later)


_NONE = Order({}, {})


def order(tokens: Sequence[Token]) -> Order:
    """Return the order in which a statement puts what it speaks of; what is not done before a thing comes after it."""
    words = [token.surface.lower() for token in tokens]
    if _MARKS.isdisjoint(words):
        return _NONE
    for at, word in enumerate(words):
        if word == "until" and any(token.concept == "keep" for token in tokens[:at]):
            return _NONE  # what stays open until then is closed after it
        if word in _BEFORE | _AFTER:
            done, bound = _parts(tokens, at)
        elif word in _CJK_BEFORE | _CJK_AFTER and not _is_how_long(tokens[at + 1 : at + 2]):
            start = next((n for n in range(at) if words[n] in _BINDING), 0)
            bound, done = tokens[start:at], [*tokens[:start], *tokens[at + 1 :]]
        else:
            continue
        is_first = word in _BEFORE | _CJK_BEFORE and not _is_denied(done)
        return Order(_weights(done), _weights(bound)) if is_first else Order(_weights(bound), _weights(done))
    return _listed(tokens, words)


def _is_how_long(following: Sequence[Token]) -> bool:
    """Tell whether a time follows: `开场前半小时` is a moment, no order."""
    return any(token.quantity and token.quantity.kind == "time" for token in following)


def _is_denied(tokens: Sequence[Token]) -> bool:
    return sum(1 for token in tokens if token.is_not) % 2 == 1


def _parts(tokens: Sequence[Token], at: int) -> tuple[Sequence[Token], Sequence[Token]]:
    """Return what stands before and behind a word; of `Before A, B` what is behind it and then what it opens."""
    if any(token.weight for token in tokens[:at]):
        return tokens[:at], tokens[at + 1 :]
    end = next((n for n in range(at, len(tokens)) if tokens[n].surface == ","), len(tokens))
    return tokens[end:], tokens[at + 1 : end]


def _listed(tokens: Sequence[Token], words: Sequence[str]) -> Order:
    """Return the order of `A first, then B` and `先 A 再 B`."""
    first = next((at for at, word in enumerate(words) if word in _FIRST), None)
    then = next((at for at, word in enumerate(words) if word in _THEN and at > (first or 0)), None)
    if first is None or then is None:
        return _NONE
    leads = words[first].isascii() and any(t.weight and t.concept not in _WHO_WANTS for t in tokens[:first])
    end = first if leads else then
    return Order(_weights(tokens[:end]), _weights(tokens[end:]))


def _weights(tokens: Sequence[Token]) -> dict[str, float]:
    told = (token for token in tokens if token.surface.lower() not in _FIRST | _THEN)
    things = (token for token in told if not (token.word and token.word.roles & _VERBS))
    return {token.concept: token.weight for token in things if token.weight}


def are_turned(one: Order, other: Order) -> bool:
    """Tell whether what comes first in one comes later in the other and the other way round, and the later differ."""
    crossed = _common(one.first, other.later), _common(one.later, other.first)
    agrees = _common(one.later, other.later)
    return min(crossed) > 0 and not agrees and sum(crossed) >= _common(one.first, other.first)


def agree(one: Order, other: Order) -> bool:
    """Tell whether both put the same first and the same later: "not before it is confirmed", "once it is confirmed"."""
    return _common(one.first, other.first) > 0 and _common(one.later, other.later) > 0


def _common(first: Mapping[str, float], second: Mapping[str, float]) -> float:
    return sum(min(weight, second[concept]) for concept, weight in first.items() if concept in second)
