"""What a statement gives: values of settings, names by the verb that gives them, owners, holders, what it gives up."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from agent_soul.judging.lexicon import load
from agent_soul.judging.pieces import Token

ANY_VERB = "use"
"""`use X` and a bare `with X` may stand for any other verb."""
_DIRECT = frozenset({ANY_VERB, "decide", "is", "are", "be"})
"""Verbs whose object is the value; all others give it after a preposition."""
_REACH_OF_A_VERB = 5
_REACH_OF_AN_OBJECT = 3
_JOINING = frozenset({"in", "on", "to", "at", "from"})
_INSTRUMENT = frozenset({"with", "by", "over", "via", "through", "using", "as"})
_AGENT = frozenset({"by", "由"})
_LEAVING = frozenset({"from", "从"})
_ARRIVING = frozenset({"to", "迁移到", "迁到", "换成", "换到", "改为", "改用", "到", "转到"})
_REPLACING = frozenset({"replaces", "replaced", "instead of", "rather than", "而不是", "而非"})
_NAMED_HOLDERS = frozenset({"language", "file type", "system"})
_ELLIPTIC = 2
"""A later clause of so few words leans on the one before it: "as CSV, never as Excel"."""


def settings(tokens: Iterable[Token], denied: frozenset[str]) -> dict[str, frozenset[str]]:
    """Return the values of exclusive settings that are affirmed, by setting."""
    found = (t.word.setting for t in tokens if t.word and t.word.setting and t.concept not in denied)
    return _grouped(found)


def holders(tokens: Sequence[Token]) -> dict[str, frozenset[str]]:
    """Return what the statement is limited to (an environment, a machine, a language ...), by the kind of limit."""
    found = (
        token.word.holder
        for at, token in enumerate(tokens)
        if token.word and token.word.holder and not _verb_of(tokens, at)
    )
    return _grouped(found)


def _grouped(pairs: Iterable[tuple[str, str]]) -> dict[str, frozenset[str]]:
    groups: dict[str, set[str]] = {}
    for row, value in pairs:
        groups.setdefault(row, set()).add(value)
    return {row: frozenset(values) for row, values in groups.items()}


def values(tokens: Sequence[Token]) -> dict[str, str]:
    """Return the names that the statement gives as values, each with the verb that gives it."""
    found = {token.concept: _verb_of(tokens, at) for at, token in enumerate(tokens) if _is_named(token)}
    return {name: verb for name, verb in found.items() if verb}


def _is_named(token: Token) -> bool:
    holder = token.word.holder if token.word else None
    is_reference = token.surface.startswith("#")
    return (token.is_name and not is_reference) or bool(holder and holder[0] in _NAMED_HOLDERS)


def _verb_of(tokens: Sequence[Token], at: int) -> str:
    """Return the verb that gives a token as its value: `use X`, `built with X`, `over X`, `用 X`; else nothing."""
    before = tokens[max(at - _REACH_OF_A_VERB, 0) : at]
    surfaces = [token.surface.lower() for token in before]
    is_means = bool(_INSTRUMENT & set(surfaces[-2:]))
    for verb in range(len(before) - 1, -1, -1):
        if not _gives_values(before[verb]):
            continue
        is_joined = bool(_JOINING & set(surfaces[verb + 1 :]))
        takes_objects = before[verb].concept in _DIRECT or not before[verb].surface.isascii()
        is_object = len(before) - verb <= _REACH_OF_AN_OBJECT and not is_joined
        if is_means or (is_object if takes_objects else is_joined):
            return before[verb].concept
    return ANY_VERB if is_means else ""


def _gives_values(token: Token) -> bool:
    if token.word:
        return "value verbs" in token.word.roles
    return token.surface.isascii() and token.surface.endswith("ed") and not token.is_name  # a participle


def persons(tokens: Sequence[Token]) -> Iterable[str]:
    """Yield who owns or does something: roles, names with a capital, Chinese family names, in a clause that says so."""
    surnames = load().surnames
    owns = any(token.word and "owning" in token.word.roles for token in tokens)
    for at, token in enumerate(tokens):
        if not owns and (not at or tokens[at - 1].surface.lower() not in _AGENT):
            continue
        if token.word and token.word.holder and token.word.holder[0] == "role":
            yield token.word.holder[1]
        elif token.surface in surnames and at + 1 < len(tokens):
            yield token.surface + tokens[at + 1].surface
        elif not token.word and token.surface.isascii() and token.surface.istitle():
            yield token.concept


def denied(tokens: Sequence[Token]) -> Iterable[str]:
    """Yield the names that a clause gives up: `moved from X to Y`, `instead of X`, `从 X 换成 Y`, `Y replaces X`."""
    words = [token.surface.lower() for token in tokens]
    moves = any(token.word and token.concept == "move" for token in tokens)
    for at, token in enumerate(tokens):
        before = set(words[max(at - 2, 0) : at])
        is_left = moves and before & _LEAVING and set(words[at + 1 : at + 4]) & _ARRIVING
        if (is_left or before & _REPLACING) and _is_setting_or_name(token):
            yield token.concept


def excluded(tokens: Sequence[Token]) -> Iterable[str]:
    """Yield the names of a clause that denies, if it is so short that it leans on the one before it."""
    if sum(1 for token in tokens if token.weight) <= _ELLIPTIC:
        yield from (token.concept for token in tokens if _is_setting_or_name(token))


def _is_setting_or_name(token: Token) -> bool:
    return token.is_name or bool(token.word and token.word.setting)
