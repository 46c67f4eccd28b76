"""Statements that make one thing wait for another: `merge only after a review`, `nothing is merged before`. Pure."""

from __future__ import annotations

from collections.abc import Iterable

from agent_soul.judging.clauses import Clause
from agent_soul.judging.denials import NEEDLESS
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
_NEEDED = frozenset({"need", "needs", "needed", "required", "necessary", "需要", "必要"})


def makes_wait(clauses: Iterable[Clause]) -> bool:
    """Tell whether main clauses make one thing wait for another: it is allowed only after it, or denied before it."""
    tokens = [token for clause in clauses if not clause.is_reason for token in clause.tokens]
    words = {word for token in tokens for word in token.surface.lower().split(" ")}
    denials = [token for token in tokens if token.denies]
    must_wait = words & _MUST and words & _FIRST and not denials
    if words & _ONLY_THEN or (words & _ONLY and words & _THEN) or must_wait:
        return True
    is_told = any(token.surface.lower() not in _LACKING and token.concept != "approve" for token in denials)
    return is_told and not words.isdisjoint(_BEFOREHAND) and not any(map(_leaves_open, tokens))


def spares_waiting(clauses: Iterable[Clause]) -> bool:
    """Tell whether main clauses allow a thing without what others have to wait for: `may merge, no review needed`."""
    main = [clause.tokens for clause in clauses if not clause.is_reason]
    denials = [_spares(token, tokens) for tokens in main for token in tokens if token.denies]
    allows = any(token.concept == "may" and not token.denies for tokens in main for token in tokens)
    return allows and bool(denials) and all(denials)


def _spares(token: Token, tokens: Iterable[Token]) -> bool:
    """Tell whether a denial is of what a thing would have to wait for: without, no need to, no review is needed."""
    is_of_need = any(each.surface.lower() in _NEEDED for each in tokens)
    return is_of_need or token.surface.lower() in NEEDLESS | _LACKING or token.concept in ("must", "approve")


def _leaves_open(token: Token) -> bool:
    """Tell whether a word allows a thing, or asks for none: `may be printed without asking` waits for nothing."""
    return (token.concept == "may" and not token.denies) or token.surface.lower() in NEEDLESS
