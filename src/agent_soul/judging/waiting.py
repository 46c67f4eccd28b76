"""Statements that make one thing wait for another: `merge only after a review`, `nothing is merged before`. Pure."""

from __future__ import annotations

from collections.abc import Iterable

from agent_soul.judging.clauses import NEEDLESS, Clause
from agent_soul.judging.pieces import Token

_ONLY = frozenset({"only", "只有", "只能"})
_MUST = frozenset({"必须", "must", "need", "needs", "have", "has", "须", "得"})
_FIRST = frozenset({"after", "once", "first", "之后", "以后", "后", "事先", "先"})
_THEN = _FIRST | {"when", "if", "with", "until", "时"}
_ONLY_THEN = frozenset({"才", "才能", "才可", "才可以", "才会", "方可", "必须先", "须先", "要先"})
_BEFOREHAND = frozenset(
    {"before", "until", "unless", "without", "long", "while", "之前", "以前", "前", "没有", "没", "未", "除非", "未经"}
)
"""With another denial these make one thing wait for another ..."""
_LACKING = frozenset({"without", "没有", "没", "未", "未经"})
"""... and by themselves these do not: `may be printed without asking`."""


def makes_wait(clauses: Iterable[Clause]) -> bool:
    """Tell whether main clauses make one thing wait for another: it is allowed only after it, or denied before it."""
    tokens = [token for clause in clauses if not clause.is_reason for token in clause.tokens]
    words = {word for token in tokens for word in token.surface.lower().split(" ")}
    denials = [token for token in tokens if token.word and token.word.sign < 0]
    must_wait = words & _MUST and words & _FIRST and not denials
    if words & _ONLY_THEN or (words & _ONLY and words & _THEN) or must_wait:
        return True
    is_told = any(token.surface.lower() not in _LACKING and token.concept != "approve" for token in denials)
    return is_told and not words.isdisjoint(_BEFOREHAND) and not any(map(_leaves_open, tokens))


def _leaves_open(token: Token) -> bool:
    """Tell whether a word allows a thing, or asks for none: `may be printed without asking` waits for nothing."""
    allows = token.concept == "may" and token.word is not None and token.word.sign > 0
    return allows or token.surface.lower() in NEEDLESS
