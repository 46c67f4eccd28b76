"""Words of two statements that may say the same, though they are of other concepts: found in the thesaurus. Pure."""

from __future__ import annotations

import functools
import itertools
from collections.abc import Sequence
from typing import NamedTuple

from agent_soul.judging.pieces import Token
from agent_soul.judging.reading import read
from agent_soul.judging.thesaurus import LONGEST, rows_of

_LEAST_WEIGHT = 0.3
_LONGEST_CJK = 5
_KEPT = 1024
"""Who looks whether a pair is worth judging judges it at once."""
_TEXTS_KEPT = 32_768
_ROLES = frozenset({"verbs", "value verbs", "owning"})


class Span(NamedTuple):
    """Neighbouring tokens that are a form of the thesaurus, and its rows there."""

    start: int
    end: int
    rows: frozenset[int]


class _Match(NamedTuple):
    rank: tuple[float, ...]
    one: Span
    other: Span


@functools.lru_cache(maxsize=_KEPT)
def aligned(text: str, other_text: str) -> tuple[Sequence[Token], Sequence[Token]] | None:
    """Return the tokens of two statements, with one token in both for what may say the same in either; or None.

    The same whichever is named first.
    """
    if other_text < text:
        found = aligned(other_text, text)
        return found and found[::-1]
    one, other = tokens_of(text), tokens_of(other_text)
    matches = _matches(text, other_text)
    if not matches:
        return None
    names = [_name(one[m.one.start : m.one.end], other[m.other.start : m.other.end]) for m in matches]
    return (
        _replaced(one, [m.one for m in matches], names),
        _replaced(other, [m.other for m in matches], names),
    )


@functools.lru_cache(maxsize=_TEXTS_KEPT)
def tokens_of(text: str) -> tuple[Token, ...]:
    """Return the tokens of a statement."""
    return tuple(read(text))


def _matches(text: str, other_text: str) -> list[_Match]:
    """Return the pairs of spans that stand for each other, none of them overlapping, the plainest chosen first."""
    one, other = tokens_of(text), tokens_of(other_text)
    there, here = ({token.concept for token in tokens if token.weight} for tokens in (other, one))
    lacking = [[t for t in one if _is_lacking(t, there)], [t for t in other if _is_lacking(t, here)]]
    if not all(lacking) or all(token.is_name for token in itertools.chain(*lacking)):
        return []  # before the thesaurus is loaded
    found = []
    theirs = _lacking(other_text, here)
    for a, weight in _lacking(text, there) if theirs else ():
        for b, beside in theirs:
            if (shared := a.rows & b.rows) and _may_stand_for_each_other(one[a.start : a.end], other[b.start : b.end]):
                found.append(_Match((-min(weight, beside), -len(shared), a.start, b.start, a.end, b.end), a, b))
    chosen: list[_Match] = []
    for match in sorted(found):
        if not any(_overlap(match.one, m.one) or _overlap(match.other, m.other) for m in chosen):
            chosen.append(match)
    return chosen


def _lacking(text: str, there: set[str]) -> list[tuple[Span, float]]:
    """Return the spans that hold nothing which the other statement has too, with their weights."""
    lacking, tokens = [], tokens_of(text)
    for span in _spans_of(text):
        said = [token for token in tokens[span.start : span.end] if token.weight >= _LEAST_WEIGHT]
        if said and all(_is_lacking(token, there) for token in said):
            lacking.append((span, sum(token.weight for token in said)))
    return lacking


def _is_lacking(token: Token, there: set[str]) -> bool:
    return token.weight >= _LEAST_WEIGHT and token.concept not in there and _is_open(token)


@functools.lru_cache(maxsize=_TEXTS_KEPT)
def _spans_of(text: str) -> list[Span]:
    """Return the spans of a statement that the thesaurus knows and that turn no sense and bind no setting."""
    tokens = tokens_of(text)
    spans = []
    for start in range(len(tokens)):
        form = ""
        for end in range(start + 1, min(start + _LONGEST_CJK, len(tokens)) + 1):
            token = tokens[end - 1]
            if not _is_open(token):
                break
            blank = " " if form and token.surface.isascii() else ""
            form += blank + token.surface
            if form.count(" ") >= LONGEST:
                break
            is_whole = end == len(tokens) or tokens[end].surface
            is_term = token.is_name and end == start + 1 and not form.isalpha()  # service-3 is no word
            if token.surface and is_whole and not is_term and (rows := rows_of(form)):
                spans.append(Span(start, end, rows))
    return spans


def _is_open(token: Token) -> bool:
    """Tell whether a token has no sense of its own that another could turn: no pole, number, setting or holder."""
    word = token.word
    closed = word and (word.sign < 0 or word.setting or word.holder)
    return not (token.quantity or token.ends_clause or closed)


def _may_stand_for_each_other(one: Sequence[Token], other: Sequence[Token]) -> bool:
    """Tell whether neither two names meet (Fedora, Ubuntu), nor a word that is always a verb and one that never is."""
    if len(one) > 1 or len(other) > 1:
        return True
    if all(token.is_name and token.surface.isascii() for token in (*one, *other)):
        return False
    words = [token.word for token in (*one, *other) if token.word]
    return len(words) < len((*one, *other)) or len({word.roles.isdisjoint(_ROLES) for word in words}) == 1


def _overlap(one: Span, other: Span) -> bool:
    return one.start < other.end and other.start < one.end


def _name(one: Sequence[Token], other: Sequence[Token]) -> Token:
    """Return the token by which two spans go: a word that the tables know, rather than others."""
    for tokens in (one, other):
        if len(tokens) == 1 and tokens[0].word:
            return tokens[0]
    for token in (*one, *other):
        if token.word and token.word.roles & _ROLES:
            return token
    longest = max((*one, *other), key=lambda token: token.weight)
    return longest._replace(word=None, weight=max(longest.weight, 1.0))


def _replaced(tokens: Sequence[Token], spans: Sequence[Span], names: Sequence[Token]) -> tuple[Token, ...]:
    """Return the tokens, each span as the token of its name with its own surface."""
    at = {span.start: (span, name) for span, name in zip(spans, names, strict=True)}
    result: list[Token] = []
    position = 0
    while position < len(tokens):
        if position in at:
            span, name = at[position]
            parts = [token.surface for token in tokens[span.start : span.end] if token.surface]
            surface = (" " if all(map(str.isascii, parts)) else "").join(parts)
            result.append(name._replace(surface=surface))
            position = span.end
        else:
            result.append(tokens[position])
            position += 1
    return tuple(result)
