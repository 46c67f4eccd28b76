"""The clauses of a statement: where they end, and whether each affirms or denies. Pure."""

from __future__ import annotations

import itertools
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import NamedTuple

from agent_soul.judging.denials import EXCEPTED, denials, times_turned, turning
from agent_soul.judging.lexicon import COPULAS
from agent_soul.judging.pieces import Token
from agent_soul.judging.quantities import LIMITING

_REASON_WEIGHT = 0.25
_INSTEAD = frozenset({"instead of", "rather than", "而不是", "而非"})
_CAUSES = frozenset({"because", "since", "as", "due to", "因为", "由于", "考虑到", "鉴于"})
"""An opening clause that begins so, up to its comma, is the reason of the next one."""
_END = Token("")
_PASSING = frozenset({"临时", "temporary"})
_OPINION = frozenset({"user", "like"})
_PREPOSITIONS = frozenset({"in", "on", "at", "from", "by"})
_JOINING = frozenset({"and", "but"})
_NAMED_WITHIN = 3
"""Words from the 的 of a description to the end of its clause."""
_RELATIVE = frozenset({"that", "which", "who", "what", "why", "whose"})
_REACH = 4
"""Words between `what` and the denial in the clause that it opens."""
_ONLY_AFFIRMED = frozenset({"exception", "mention"})


class Clause(NamedTuple):
    """A part of a statement that affirms (`sign` 1) or denies (-1) something; `weights` says of what.

    `is_reason` marks what is said only beside the statement: its reason, where it comes from, what it replaces;
    `denies_aside` that the denial is of a part of it: "say what is not covered"; `states` are those that turn its sense
    only for who speaks of them too: "a failing test".
    """

    weights: Mapping[str, float]
    sign: int
    is_reason: bool
    denies_aside: bool
    tokens: tuple[Token, ...]
    states: tuple[str, ...] = ()

    def towards(self, other: Collection[str]) -> Clause:
        """Return the clause as it affirms or denies for a statement of these concepts."""
        turns = sum(1 for state in self.states if state not in other)
        return self._replace(sign=-self.sign) if turns % 2 else self


NOTHING = Clause({}, 1, False, False, ())


def clauses_of(tokens: Sequence[Token]) -> tuple[Clause, ...]:
    """Return the clauses of a text, in order."""
    return tuple(_with_conditions(_with_amounts(_clauses(tokens))))


def _clauses(tokens: Sequence[Token]) -> Iterable[Clause]:
    """Part the tokens at punctuation and before reasons; an opening `On Linux,` or `If it fails,` stays where it is."""
    part: list[Token] = []
    is_reason = started = False
    for at, token in enumerate((*tokens, Token("", ends_clause=True))):
        surface = token.surface.lower()
        ends = token.ends_clause or (surface in _JOINING and _joins_clauses(tokens, at))
        if surface == "," and part and part[0].surface.lower() in _CAUSES:
            is_reason = True
        elif surface == "," and part and opens(part[0]):
            ends = False  # what it opens has its place in the same clause
        is_reason_word = token.has("reason") and not _says_when(tokens[at + 1 : at + 2])  # since 2020
        is_beside = is_reason_word or surface in _INSTEAD
        reasons = is_beside and (started or sum(word.weight for word in part) >= 1)
        if not (ends or reasons):
            part.append(token)
            continue
        if part:
            started = True
            yield _clause(part, is_reason)
        part = [] if ends else [token]
        is_reason = reasons or (is_reason and not ends)


def _with_amounts(clauses: Iterable[Clause]) -> list[Clause]:
    """Join a clause that is nothing but numbers, or an opinion, to the last main one, which says of what.

    `Opening date: 1 May`; `助手顺手重构旁边的代码，用户非常反感`.
    """
    joined: list[Clause] = []
    for clause in clauses:
        main = [at for at, before in enumerate(joined) if not before.is_reason]
        is_amount = not clause.weights and any(token.quantity for token in clause.tokens)
        if main and (is_amount or _is_opinion_of(joined[main[-1]], clause)):
            joined[main[-1]] = _clause((*joined[main[-1]].tokens, *clause.tokens), is_reason=False)
        else:
            joined.append(clause)
    return joined


def _is_opinion_of(before: Clause, clause: Clause) -> bool:
    """Tell whether a clause says nothing but that what the one before it affirms is liked, or is not."""
    is_opinion = "like" in clause.weights and clause.weights.keys() <= _OPINION and not clause.is_reason
    return is_opinion and before.sign > 0 and "like" not in before.weights


def _with_conditions(clauses: Sequence[Clause]) -> Iterable[Clause]:
    """Join a denied condition to the denial that hangs on it: `没有测试的改动，一律不得合并` asks for tests."""
    at = 0
    while at < len(clauses):
        clause, following = clauses[at], clauses[at + 1] if at + 1 < len(clauses) else NOTHING
        deny = all(each.towards(()).sign < 0 for each in (clause, following))
        hangs = deny and not (clause.is_reason or following.is_reason)
        is_one = (hangs and _denies_which(clause) and _denies_first(following)) or (
            clause.sign < 0 and _excepts(following)
        )
        yield _clause((*clause.tokens, *following.tokens), is_reason=False) if is_one else clause
        at += 1 + is_one


def _excepts(clause: Clause) -> bool:
    """Tell whether a clause only says to whom the one before it does not apply: `任何人不得重启，值班人员除外`."""
    return bool(clause.tokens) and clause.tokens[-1].surface in EXCEPTED


def _denies_which(clause: Clause) -> bool:
    """Tell whether a clause only says what the next one is about, by what was not done to it: `没看过的邮件，`."""
    words = [token.surface for token in clause.tokens]
    of = len(words) - 1 - words[::-1].index("的") if "的" in words else 0
    is_named = of and len(words) - of <= _NAMED_WITHIN
    is_of_it = all(at < of and not clause.tokens[at].weight for at in denials(clause.tokens))
    return _denies_first(clause) or bool(is_named and is_of_it)


def _denies_first(clause: Clause) -> bool:
    return any(token.is_not for token in clause.tokens[:2])


def _says_when(following: Sequence[Token]) -> bool:
    """Tell whether a moment or a version follows, and no number of things: `since two servers are enough`."""
    return any(token.quantity and token.quantity.kind not in ("count", "time") for token in following)


def _joins_clauses(tokens: Sequence[Token], at: int) -> bool:
    """Tell whether `and` or `but` stands before a verb of its own: "has no licence and does not drive"."""
    if at + 1 >= len(tokens):
        return False
    following = tokens[at + 1]
    is_modal = bool(following.word and not following.weight and following.concept in ("may", "must", "not"))
    is_pole = bool(following.word and following.concept == "like")
    return is_modal or is_pole or following.surface.lower() in COPULAS


def opens(token: Token) -> bool:
    """Tell whether a word opens a place or a condition: what comes before its comma is no clause of its own."""
    surface = token.surface.lower()
    if surface in LIMITING:
        return False
    if " " in surface and surface.split(" ")[0] in _PREPOSITIONS:
        return True  # a phrase of the tables: "in the office"
    return token.has("placing") or token.has("condition")


def _clause(tokens: Sequence[Token], is_reason: bool) -> Clause:
    is_beside = is_reason or any(token.has("aside") for token in tokens[:2])
    factor = _REASON_WEIGHT if is_beside else 1.0
    weights = {token.concept: token.weight * factor for token in tokens if token.weight}
    at = denials(tokens)
    negative = turning(tokens, at)
    states = tuple(token.concept for token in negative if token.has("state"))
    sign = -1 if times_turned(tokens, at, negative) % 2 else 1
    aside = any(_RELATIVE & {t.surface.lower() for t in tokens[max(n - _REACH, 0) : n]} for n in at)
    return Clause(weights, sign, is_beside, aside, tuple(tokens), states)


def conditions(clauses: Iterable[Clause]) -> list[Clause]:
    """Return the conditions that a statement gives, each as a clause: `while it is plugged in`, `有人的时候`."""
    found = []
    for clause in clauses:
        tokens = clause.tokens
        at = next((n for n, token in enumerate(tokens) if token.has("condition")), None)
        if at is None:
            continue
        end = next((n for n in range(at, len(tokens)) if tokens[n].surface == ","), len(tokens))
        part = tokens[at + 1 : end] if tokens[at].surface.isascii() or at == 0 else tokens[:at]
        if any(token.weight for token in part):
            found.append(_clause(part, is_reason=False))
    return found


def _is_named(token: Token) -> bool:
    """Tell whether a token is a thing, so that 临时 before it says which one: 临时文件."""
    return token.weight >= 1 and not (token.word and token.word.roles & {"verbs", "value verbs"})


def roles_of(clause: Clause) -> Iterable[str]:
    """Yield the roles of a clause's words; an exception or a question that is denied or only supposed is none."""
    is_supposed = False
    for token, following in itertools.pairwise((*clause.tokens, _END)):
        is_supposed = is_supposed or token.has("condition")
        if token.word and not (token.surface in _PASSING and _is_named(following)):
            yield from token.word.roles - (_ONLY_AFFIRMED if clause.sign < 0 or is_supposed else frozenset())
