"""What a statement says, laid out for comparison: clauses with their sense, values, numbers, names and bounds."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from agent_soul.judging.lexicon import load
from agent_soul.judging.quantities import Quantity
from agent_soul.judging.reading import Token, read

_REASON_WEIGHT = 0.25
_REACH_OF_A_VERB = 5
_REACH_OF_AN_OBJECT = 3
_ANY_VERB = "use"
_DIRECT = frozenset({_ANY_VERB, "decide", "is", "are", "be"})
_JOINING = frozenset({"in", "on", "to", "at", "from"})
_INSTRUMENT = frozenset({"with", "by", "over", "via", "through", "using", "as"})
_BOUNDS = frozenset({"until", "unless", "除非", "直到"})
"""With a denial these affirm: "do not merge until the build passes"."""
_PAST = frozenset({"was", "were", "took", "found", "ran", "failed", "happened"})
_CJK_PAST = ("中断", "完成", "宕机", "发生", "出现了", "举行了")


_REPORT = re.compile(
    r"\s*(?:(?:feat|fix|docs?|chore|refactor|style|test|build|ci|perf|wip|revert)(?:\([^)]*\))?!?:"
    r"|(?:added|fixed|removed|updated|changed|renamed|moved|released|merged|bumped|refactored|improved|cleaned|reverted)\b"
    r"|(?:修复|新增|更新|删除|完成|合并|发布|重构|优化)了)",
    re.IGNORECASE,
)
"""How a statement begins that tells of one change, as commit subjects and change logs do."""


@dataclass(frozen=True, slots=True)
class Clause:
    """A part of a statement that affirms (`sign` 1) or denies (-1) something; `weights` says of what."""

    weights: Mapping[str, float]
    sign: int
    is_reason: bool
    tokens: tuple[Token, ...]


@dataclass(frozen=True, slots=True)
class Frame:
    """A statement laid out.

    `weights` is what it is about; `settings` its values of exclusive settings, each with the sign of its clause;
    `holders` what it is limited to; `values` the names that it gives as values, `denied` those it gives up.
    """

    text: str
    clauses: tuple[Clause, ...]
    weights: Mapping[str, float]
    quantities: tuple[Quantity, ...]
    settings: Mapping[str, frozenset[str]]
    holders: Mapping[str, frozenset[str]]
    names: frozenset[str]
    values: Mapping[str, str]
    denied: frozenset[str]
    persons: frozenset[str]
    roles: frozenset[str]
    conditions: frozenset[str] = field(default_factory=frozenset)
    is_past: bool = False
    is_report: bool = False

    @property
    def total(self) -> float:
        return sum(self.weights.values())


def frame(text: str) -> Frame:
    """Lay out a statement."""
    clauses = tuple(_clauses(read(text)))
    said = [token for clause in clauses if not clause.is_reason for token in clause.tokens]
    weights: dict[str, float] = {}
    for clause in clauses:
        for concept, weight in clause.weights.items():
            weights[concept] = max(weights.get(concept, 0.0), weight)
    denied = frozenset(_denied(clauses))
    return Frame(
        text=text,
        clauses=clauses,
        weights=weights,
        quantities=tuple(dict.fromkeys(token.quantity for token in said if token.quantity)),
        settings=_settings(clauses, denied),
        holders=_holders(said),
        names=frozenset(token.concept for token in said if token.is_name),
        values={name: verb for name, verb in _values(said).items() if name not in denied},
        denied=denied,
        persons=frozenset(person for clause in clauses if clause.sign > 0 for person in _persons(clause.tokens)),
        roles=frozenset(role for clause in clauses for role in _roles(clause)),
        is_past=_is_past(text, said),
        is_report=bool(_REPORT.match(text)),
    )


def _clauses(tokens: Sequence[Token]) -> Iterable[Clause]:
    """Part the tokens at punctuation and before a reason; an opening `On Linux,` or `If it fails,` stays with the rest."""
    part: list[Token] = []
    is_reason = started = False
    for token in (*tokens, Token("", ends_clause=True)):
        roles = token.word.roles if token.word else frozenset()
        if token.surface == "," and part and _opens(part[0]):
            continue
        gives_reason = "reason" in roles and (started or sum(word.weight for word in part) >= 1)
        if token.ends_clause or gives_reason or token.surface.lower() in ("instead of", "rather than", "而不是", "而非"):
            if part:
                started = True
                yield _clause(part, is_reason)
            part = [] if token.ends_clause else [token]
            is_reason = gives_reason or (is_reason and not token.ends_clause)
        else:
            part.append(token)


def _opens(token: Token) -> bool:
    return bool(token.word and token.word.roles & {"placing", "condition"})


def _clause(tokens: Sequence[Token], is_reason: bool) -> Clause:
    factor = _REASON_WEIGHT if is_reason or any(t.word and "aside" in t.word.roles for t in tokens[:2]) else 1.0
    weights: dict[str, float] = {}
    sign = 1
    for token in tokens:
        if token.weight:
            weights[token.concept] = token.weight * factor
        if token.word:
            sign *= token.word.sign
    if any(token.surface.lower() in _BOUNDS for token in tokens) and any(t.word and t.word.sign < 0 for t in tokens):
        sign = -sign
    return Clause(weights, sign, factor < 1, tuple(tokens))


def _denied(clauses: Sequence[Clause]) -> Iterable[str]:
    """Yield the names that a statement gives up: `moved from X to Y`, `instead of X`, `从 X 换成 Y`, `Y replaces X`."""
    for clause in clauses:
        words = [token.surface.lower() for token in clause.tokens]
        moves = any(token.word and token.concept == "move" for token in clause.tokens)
        for at, token in enumerate(clause.tokens):
            before = set(words[max(at - 2, 0) : at])
            beside = len(clause.weights) <= _ELLIPTIC and clause.sign < 0 and clause is not clauses[0]
            left = beside or moves and before & {"from", "从"} and set(words[at + 1 : at + 4]) & _ARRIVING
            if _is_setting_or_name(token) and (left or before & _REPLACING):
                yield token.concept


_ELLIPTIC = 2
"""A later clause of so few words leans on the one before it: "as CSV, never as Excel"."""
_ARRIVING = frozenset({"to", "迁移到", "迁到", "换成", "换到", "改为", "改用", "到", "转到"})
_REPLACING = frozenset({"replaces", "replaced", "instead of", "rather than", "而不是", "而非"})


def _is_setting_or_name(token: Token) -> bool:
    return token.is_name or bool(token.word and token.word.setting)


def _settings(clauses: Iterable[Clause], denied: frozenset[str]) -> dict[str, frozenset[str]]:
    found: dict[str, set[str]] = {}
    for clause in clauses:
        for token in clause.tokens:
            if token.word and token.word.setting and clause.sign > 0 and token.concept not in denied and not clause.is_reason:
                row, value = token.word.setting
                found.setdefault(row, set()).add(value)
    return {row: frozenset(values) for row, values in found.items()}


def _holders(tokens: Sequence[Token]) -> dict[str, frozenset[str]]:
    found: dict[str, set[str]] = {}
    for at, token in enumerate(tokens):
        if token.word and token.word.holder and not _verb_of(tokens, at):
            row, value = token.word.holder
            found.setdefault(row, set()).add(value)
    return {row: frozenset(values) for row, values in found.items()}


def _verb_of(tokens: Sequence[Token], at: int) -> str:
    """Return by which verb a statement gives a token as its value: `use X`, `built with X`, `over X`, `用 X`; else ""."""
    before = tokens[max(at - _REACH_OF_A_VERB, 0) : at]
    surfaces = [token.surface.lower() for token in before]
    by_means = bool(_INSTRUMENT & set(surfaces[-2:]))
    for verb in range(len(before) - 1, -1, -1):
        token = before[verb]
        if token.word and "value verbs" in token.word.roles or _is_participle(token):
            is_joined = bool(_JOINING & set(surfaces[verb + 1 :]))
            is_object = token.concept in _DIRECT or not token.surface.isascii()
            is_near = len(before) - verb <= _REACH_OF_AN_OBJECT and not is_joined
            if by_means or (is_near if is_object else is_joined):
                return token.concept
    return _ANY_VERB if by_means else ""


def _is_participle(token: Token) -> bool:
    return token.surface.isascii() and token.surface.endswith("ed") and not token.is_name


def _values(tokens: Sequence[Token]) -> dict[str, str]:
    """Return the names that a statement gives as values, each with the verb that gives it."""
    found = {token.concept: _verb_of(tokens, at) for at, token in enumerate(tokens) if _is_named(token)}
    return {name: verb for name, verb in found.items() if verb}


def _is_named(token: Token) -> bool:
    holder = token.word.holder if token.word else None
    return token.is_name or bool(holder and holder[0] in ("language", "file type", "system"))


def _persons(tokens: Sequence[Token]) -> Iterable[str]:
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


_AGENT = frozenset({"by", "由"})


def _roles(clause: Clause) -> Iterable[str]:
    for token in clause.tokens:
        if token.word:
            yield from token.word.roles - ({"exception"} if clause.sign < 0 else frozenset())


def _is_past(text: str, tokens: Sequence[Token]) -> bool:
    return any(token.surface.lower() in _PAST for token in tokens) or any(word in text for word in _CJK_PAST)
