"""The clauses of a statement: where they end, and whether each affirms or denies. Pure."""

from __future__ import annotations

import itertools
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import NamedTuple

from agent_soul.judging.pieces import Token
from agent_soul.judging.quantities import LIMITING

_REASON_WEIGHT = 0.25
_INSTEAD = frozenset({"instead of", "rather than", "而不是", "而非"})
_CAUSES = frozenset({"because", "since", "as", "due to", "因为", "由于", "考虑到", "鉴于"})
"""An opening clause that begins so, up to its comma, is the reason of the next one."""
COPULAS = (
    frozenset({"is", "are", "was", "were", "be", "has", "have", "had", "does", "do", "did", "will"})
    | {"是", "在", "为", "有", "由", "归", "叫", "会", "将", "已经", "已", "都", "只", "也", "还", "把", "被", "从"}
    | {"一律", "统一"}
)
_END = Token("")
_PASSING = frozenset({"临时", "temporary"})
_OPINION = frozenset({"user", "like"})
_ENDING = frozenset({"取消", "停止"})
"""Behind what it is said of each denies: `吊柜取消`; before it, it is an act: `取消订单`."""
_PREPOSITIONS = frozenset({"in", "on", "at", "from", "by"})
_BY = frozenset({"由", "被", "让"})
_THEREFORE = frozenset({"就"})
_JOINING = frozenset({"and", "but"})
_BOUNDS = frozenset({"until", "unless", "除非", "直到"})
"""With a denial these affirm: "do not merge until the build passes"."""
_NAMED_WITHIN = 3
"""Words from the 的 of a description to the end of its clause."""
_EXCEPTED = frozenset({"除外", "不在此列"})
_EXCEPTING = _EXCEPTED | {"except", "except for", "other than", "apart from", "but", "除了", "之外", "以外"}
_ANYONE = frozenset({"nobody", "no one", "none", "anyone", "anybody", "任何人", "谁", "其他人", "别人"})
_RELATIVE = frozenset({"that", "which", "who", "what", "why", "whose"})
_CJK_BEFORE = frozenset({"之前", "以前", "前"})
_NOT_YET = frozenset({"没有", "没", "未", "尚未", "还没", "还没有", "未经"})
_REACH = 4
"""Words between `what` and the denial in the clause that it opens."""
_KEEPING = frozenset({"keep", "leave"})
_OUT = frozenset({("out", "of"), ("away", "from")})
_REACH_OF_KEEPING = 7
"""Words from a verb of keeping to the end of `out of`."""
_ONLY_AFFIRMED = frozenset({"exception", "mention"})


NEEDLESS = frozenset({"no need", "needless", "not needed", "unnecessary", "not necessary"}) | {
    "无需",
    "无须",
    "不必",
    "不用",
    "用不着",
    "不需要",
}
"""Before a thing the English ones say which: needless apologies."""


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
        is_reason_word = _has_role(token, "reason") and not _says_when(tokens[at + 1 : at + 2])  # since 2020
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
    return bool(clause.tokens) and clause.tokens[-1].surface in _EXCEPTED


def _denies_which(clause: Clause) -> bool:
    """Tell whether a clause only says what the next one is about, by what was not done to it: `没看过的邮件，`."""
    words = [token.surface for token in clause.tokens]
    of = len(words) - 1 - words[::-1].index("的") if "的" in words else 0
    is_named = of and len(words) - of <= _NAMED_WITHIN
    is_of_it = all(at < of and not clause.tokens[at].weight for at in _denials(clause.tokens))
    return _denies_first(clause) or bool(is_named and is_of_it)


def _denies_first(clause: Clause) -> bool:
    return any(token.word and token.word.sign < 0 and not token.weight for token in clause.tokens[:2])


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
    return _has_role(token, "placing") or _has_role(token, "condition")


def _has_role(token: Token, role: str) -> bool:
    return token.word is not None and role in token.word.roles


def _clause(tokens: Sequence[Token], is_reason: bool) -> Clause:
    is_beside = is_reason or any(_has_role(token, "aside") for token in tokens[:2])
    factor = _REASON_WEIGHT if is_beside else 1.0
    weights = {token.concept: token.weight * factor for token in tokens if token.weight}
    denials = list(_denials(tokens))
    negative = [tokens[at] for at in denials if not _is_noun(tokens, at)]
    states = tuple(token.concept for token in negative if _has_role(token, "state"))
    is_bounded = not all(token.weight for token in negative) and _is_bounded(tokens)
    is_supposed = bool(denials) and not is_bounded and _are_supposed(tokens, denials)
    turns = (0 if is_supposed else _turns(negative)) + is_bounded + _keeps_out(tokens)
    aside = any(_RELATIVE & {t.surface.lower() for t in tokens[max(n - _REACH, 0) : n]} for n in denials)
    return Clause(weights, -1 if turns % 2 else 1, is_beside, aside, tuple(tokens), states)


def _condition(tokens: Sequence[Token]) -> range:
    """Return the positions of the condition that a clause names: `if no data came`, `不通过就回滚`, `没人的时候`."""
    at = next((n for n, token in enumerate(tokens) if _supposes(token)), None)
    if at is None:
        return range(0)
    if tokens[at].surface.isascii() or at == 0:
        return range(at, next((n for n in range(at, len(tokens)) if tokens[n].surface == ","), len(tokens)))
    return range(0) if any(token.concept == "like" for token in tokens[:at]) else range(at)


def _supposes(token: Token) -> bool:
    return token.surface in _THEREFORE or (_has_role(token, "condition") and token.surface not in _EXCEPTED)


def _are_supposed(tokens: Sequence[Token], denials: Sequence[int]) -> bool:
    """Tell whether nothing but the condition of a clause denies, by a plain `not`: `不要一上来就` forbids."""
    condition = _condition(tokens)
    return all(at in condition and tokens[at].concept == "not" for at in denials)


def _is_noun(tokens: Sequence[Token], at: int) -> bool:
    """Tell whether `stop` is a thing: the emergency stop, a bus stop."""
    before = tokens[at - 1] if at else Token("")
    if tokens[at].surface.lower() in NEEDLESS and tokens[at].surface.isascii():
        return any(token.weight >= 1 for token in tokens[at + 1 : at + 2])  # needless apologies
    return tokens[at].surface == "stop" and bool(before.weight) and before.concept not in ("user", "like")


def _turns(negative: Sequence[Token]) -> int:
    """Return how often words turn a sense: one pole told twice, "boring and a waste of time", once."""
    poles = {token.concept for token in negative if token.weight}
    return len(poles) + sum(1 for token in negative if not token.weight)


def _denies(tokens: Sequence[Token], at: int) -> bool:
    """Tell whether a token turns the sense; before something has happened is when it has not: `没有通过之前`."""
    token = tokens[at]
    is_denial = (token.word is not None and token.word.sign < 0) or _is_ended(tokens, at)
    is_not_yet = is_denial and not token.weight and any(t.surface in _CJK_BEFORE for t in tokens[at + 1 :])
    return is_denial and not (is_not_yet and token.surface in _NOT_YET)


def _is_ended(tokens: Sequence[Token], at: int) -> bool:
    """Tell whether a clause ends by saying that a thing is cancelled, and not by whom it may be."""
    is_last = tokens[at].surface in _ENDING and at == len(tokens) - 1
    return is_last and not any(t.concept in ("may", "must", "not") or t.surface in _BY for t in tokens[:at])


def _is_bounded(tokens: Sequence[Token]) -> bool:
    """Tell whether a denial holds until a bound, or for all but one: then it affirms."""
    words = {token.surface.lower() for token in tokens}
    return bool(words & _BOUNDS or (words & _EXCEPTING and words & _ANYONE) or _is_denied_before(tokens))


def _is_denied_before(tokens: Sequence[Token]) -> bool:
    """Tell whether a denial holds up to a case: "never merge before the build has passed", "not outside a release"."""
    words = [token.surface.lower() for token in tokens]
    if "outside" in words[1:]:
        return _deny(tokens[: words.index("outside")])
    at = words.index("before") if "before" in words else 0
    return _deny(tokens[:at]) and any(w in COPULAS or w.endswith(("ing", "ed")) for w in words[at + 1 :])


def _deny(tokens: Sequence[Token]) -> bool:
    return any(token.word and token.word.sign < 0 and not token.weight for token in tokens)


def _keeps_out(tokens: Sequence[Token]) -> bool:
    """Tell whether a clause denies by its verb and a far preposition: "keep passwords out of the logs"."""
    verb = next((at for at, token in enumerate(tokens) if token.concept in _KEEPING), len(tokens))
    words = (token.surface.lower() for token in tokens[verb : verb + _REACH_OF_KEEPING])
    return any(pair in _OUT for pair in itertools.pairwise(words))


def _denials(tokens: Sequence[Token]) -> Iterable[int]:
    return (at for at in range(len(tokens)) if _denies(tokens, at))


def conditions(clauses: Iterable[Clause]) -> list[Clause]:
    """Return the conditions that a statement gives, each as a clause: `while it is plugged in`, `有人的时候`."""
    found = []
    for clause in clauses:
        tokens = clause.tokens
        at = next((n for n, token in enumerate(tokens) if _has_role(token, "condition")), None)
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
        is_supposed = is_supposed or _has_role(token, "condition")
        if token.word and not (token.surface in _PASSING and _is_named(following)):
            yield from token.word.roles - (_ONLY_AFFIRMED if clause.sign < 0 or is_supposed else frozenset())
