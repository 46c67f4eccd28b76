"""Words of two statements that may say the same, though they are of two concepts: found in the thesaurus. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from agent_soul.judging.lexicon import Word, rows_of
from agent_soul.judging.pieces import Token

_LEAST_WEIGHT = 0.3
"""Words that say less are left alone."""


def alike_in(one: Sequence[Token], other: Sequence[Token]) -> dict[str, Token]:
    """Return for concepts of `other`, by their names, the token of `one` that may say the same.

    Only what each has and the other lacks is looked at, and each token is given once: in the order of the texts, those
    that share more rows of the thesaurus first.
    """
    first, second = _lacking(one, other), _lacking(other, one)
    if not first or not second:
        return {}
    rows = {token.concept: rows_of(token.surface) for token in (*first, *second)}
    shared = (
        (-len(rows[mine.concept] & rows[theirs.concept]), at, beside, mine, theirs)
        for at, mine in enumerate(first)
        for beside, theirs in enumerate(second)
        if not rows[mine.concept].isdisjoint(rows[theirs.concept])
    )
    found: dict[str, Token] = {}
    taken: set[str] = set()
    for *_, mine, theirs in sorted(shared, key=lambda each: each[:3]):
        if mine.concept not in taken and theirs.concept not in found:
            taken.add(mine.concept)
            found[theirs.concept] = mine
    return found


def renamed(tokens: Iterable[Token], names: Mapping[str, Token]) -> list[Token]:
    """Return the tokens, those of the concepts in `names` as if they were the tokens named there."""
    return [
        token._replace(concept=like.concept, weight=like.weight, word=like.word, is_name=False)
        if (like := names.get(token.concept)) and not token.quantity and token.concept
        else token
        for token in tokens
    ]


def _lacking(one: Iterable[Token], other: Iterable[Token]) -> list[Token]:
    """Return the tokens of `one` of which `other` has no equal, each concept once."""
    there = {token.concept for token in other}
    lacking = {token.concept: token for token in one if token.concept not in there and _may_be_like(token)}
    return [*lacking.values()]


def _may_be_like(token: Token) -> bool:
    return token.weight >= _LEAST_WEIGHT and not token.quantity and _is_open(token.word)


def _is_open(word: Word | None) -> bool:
    """Tell whether a word has no sense of its own that another could turn: no pole, no setting, no holder."""
    return word is None or (word.sign > 0 and not word.setting and not word.holder and not word.parts)
