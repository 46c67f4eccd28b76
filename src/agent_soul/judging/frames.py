"""What a statement says, laid out for comparison: clauses with their sense, values, numbers, names and bounds."""

from __future__ import annotations

import functools
import math
import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import NamedTuple

from agent_soul.judging import values as given
from agent_soul.judging.ordering import Order, order
from agent_soul.judging.pieces import Token
from agent_soul.judging.quantities import Quantity
from agent_soul.judging.reading import read
from agent_soul.judging.values import ANY_VERB

__all__ = ["ANY_VERB", "Clause", "Frame", "frame", "is_thing"]

_REASON_WEIGHT = 0.25
_INSTEAD = frozenset({"instead of", "rather than", "而不是", "而非"})
_CAUSES = frozenset({"because", "since", "as", "due to", "因为", "由于", "考虑到", "鉴于"})
"""An opening clause that begins so, up to its comma, is the reason of the next one."""
_COPULAS = (
    frozenset({"is", "are", "was", "were", "be", "has", "have", "had", "does", "do", "did", "will"})
    | {"是", "在", "为", "有", "由", "归", "叫", "会", "将", "已经", "已", "都", "只", "也", "还", "把", "被", "从"}
    | {"一律", "统一"}
)
_ARTICLES = frozenset({"a", "an", "the", "all", "every", "any", "each", "this", "that"})
_FOLLOWING_A_VERB = _ARTICLES | {"to", "in", "on", "at", "by", "with", "from", "for", "into", "as", "after", "before"}
"""What comes after an inflected verb whether or not the tables know it, and seldom after a noun."""
_CJK_PREPOSITIONS = frozenset({"给", "对", "跟", "向", "对于", "关于", "和", "与", "在"})
_BOUNDS = frozenset({"until", "unless", "除非", "直到"})
"""With a denial these affirm: "do not merge until the build passes"."""
_EXCEPTING = frozenset({"except", "except for", "other than", "apart from", "but", "除了", "之外", "以外"})
_ANYONE = frozenset({"nobody", "no one", "none", "anyone", "anybody", "任何人", "谁", "其他人", "别人"})
_RELATIVE = frozenset({"that", "which", "who", "what", "why", "whose"})
_REACH = 4
"""Words between `what` and the denial in the clause that it opens."""
_OF_A_SENTENCE = frozenset({"may", "must", "like", "user"})
_NOT_DENIED = frozenset({"exception", "mention"})
_PAST = frozenset({"was", "were", "took", "found", "ran", "failed", "happened", "reached"})
_CJK_PAST = ("中断", "完成", "宕机", "发生", "出现了", "举行了")
_ACTS = (
    "add(?:ed)? fix(?:ed)? removed? renamed? bump(?:ed)? refactor(?:ed)? improved? revert(?:ed)? implement(?:ed)?"
    " prepared? cleaned updated changed moved released merged replaced upgraded published shipped verified deployed"
    " completed created introduced migrated switched closed finished tested built executed rewrote"
    " 修复了 新增了 更新了 删除了 完成了 合并了 发布了 重构了 优化了"
)


@functools.cache  # a few milliseconds that a hub without two statements need not pay
def _report() -> re.Pattern[str]:
    """Return how a statement begins that tells of one change, as commit subjects and change logs do."""
    return re.compile(
        r"\s*(?:\[[^]]*\]|(?:feat|fix|docs?|chore|refactor|style|test|build|ci|perf|wip|revert)(?:\([^)]*\))?!?:"
        rf"|(?:[\w./()-]+: )?(?:{'|'.join(_ACTS.split())})(?![a-z]))",
        re.IGNORECASE,
    )


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


_NOTHING = Clause({}, 1, False, False, ())


class Frame(NamedTuple):
    """A statement laid out.

    `weights` is what it is about, `things` that without verbs; `settings` the values of exclusive settings that it
    affirms; `holders` what it is limited to; `names` its names as they are written; `values` those that it gives, with
    the verb that gives each; `places` what else it says of where a thing is or comes from; `denied` what it gives up,
    `excluded` what it rules out, `lesser` what it likes less; `roles` what its words do in it (see oppositions.txt),
    `unknown` those of its words that no table knows; `order` what it puts first and what later; `is_sentence` that it
    says what holds, which a heading does not. `subject` are the words before the first verb, as far as that is known;
    `main` are the telling words of its main clause, and `slots` what must be equal there in a sentence of the same
    build: of numbers and settings only the kind.
    """

    text: str
    clauses: tuple[Clause, ...]
    weights: Mapping[str, float]
    things: Mapping[str, float]
    quantities: tuple[Quantity, ...]
    settings: Mapping[str, frozenset[str]]
    holders: Mapping[str, frozenset[str]]
    names: Mapping[str, str]
    values: Mapping[str, str]
    places: Mapping[str, frozenset[str]]
    denied: frozenset[str]
    excluded: frozenset[str]
    lesser: frozenset[str]
    subject: tuple[Token, ...]
    main: tuple[Token, ...]
    slots: tuple[str, ...]
    persons: frozenset[str]
    roles: frozenset[str]
    unknown: frozenset[str]
    order: Order
    is_sentence: bool
    is_past: bool
    is_report: bool

    @property
    def sign(self) -> int:
        """1 where the main clauses affirm, or deny twice."""
        return math.prod(clause.sign for clause in self.clauses if not clause.is_reason)

    @property
    def value_parts(self) -> frozenset[str]:
        """The values that it gives, and the characters of those in Chinese."""
        return frozenset(self.values).union(*(name for name in self.values if not name.isascii()))

    @property
    def total(self) -> float:
        """Weight of all that it is about."""
        return sum(self.weights.values())


def frame(text: str) -> Frame:
    """Lay out a statement."""
    clauses = tuple(_with_conditions([*_clauses(read(text))]))
    main = [clause for clause in clauses if not clause.is_reason] or list(clauses)
    said = [token for clause in main for token in clause.tokens]
    weights: dict[str, float] = {}
    for clause in clauses:
        for concept, weight in clause.weights.items():
            weights[concept] = max(weights.get(concept, 0.0), weight)
    denied = frozenset(name for clause in clauses for name in given.denied(clause.tokens))
    opening = next((c for c in main[:2] if sum(c.weights.values()) >= 1), main[0] if main else _NOTHING)
    told = tuple(token for token in opening.tokens if token.quantity or token.weight)
    affirmed = [clause for clause in main if clause.sign > 0]
    is_report = bool(_report().match(text))
    subject = tuple(_subject(opening.tokens))
    return Frame(
        text=text,
        clauses=clauses,
        weights=weights,
        things={t.concept: weights[t.concept] for t in said if not _does(t) and t.weight},
        quantities=tuple(dict.fromkeys(token.quantity for token in said if token.quantity)),
        settings=given.settings((token for clause in affirmed for token in clause.tokens), denied),
        holders=given.holders(said),
        names={token.concept: token.surface for token in said if token.is_name},
        values={name: verb for name, verb in given.values(said).items() if name not in denied},
        places=given.places([clause.tokens for clause in affirmed]),
        denied=denied,
        excluded=frozenset(n for c in clauses[1:] if c.sign < 0 for n in given.excluded(c.tokens)),
        lesser=frozenset(n for i, c in enumerate(clauses) for n in given.lesser(_with_next(clauses, i))),
        subject=() if is_report else subject,
        main=told,
        slots=tuple(map(_slot, told)),
        persons=frozenset(p for c in clauses if c.sign > 0 for p in given.persons(c.tokens)),
        roles=frozenset(role for clause in clauses for role in _roles(clause)),
        unknown=frozenset(t.concept for c in clauses for t in c.tokens if t.weight and not t.word and not t.is_name),
        order=_order(main, said),
        is_sentence=bool(subject) or any(map(_says_what_holds, said)),
        is_past=any(token.surface.lower() in _PAST for token in said) or any(word in text for word in _CJK_PAST),
        is_report=is_report,
    )


def _order(main: Sequence[Clause], said: Sequence[Token]) -> Order:
    """Return the order that a clause gives, or else that of the whole statement."""
    orders = [order(tokens) for tokens in (*(clause.tokens for clause in main), said)]
    return next(filter(Order.is_given, orders), orders[-1])


def _with_next(clauses: Sequence[Clause], at: int) -> tuple[Token, ...]:
    """Return the tokens of a clause and, after it, those of the one that says instead of what."""
    beside = clauses[at + 1].tokens if at + 1 < len(clauses) and clauses[at + 1].is_reason else ()
    return clauses[at].tokens + beside


def is_thing(token: Token) -> bool:
    """Tell whether a token may be what a statement is about: no verb, no little or weak word, no person who owns."""
    word = token.word
    if not word:
        return token.weight > 0
    is_other = word.roles & {"verbs", "value verbs", "owning"} or (word.holder and word.holder[0] == "role")
    return word.weight >= 1 and not is_other


def _subject(tokens: Sequence[Token]) -> Sequence[Token]:
    """Return what stands before the first verb; nothing if that is not known or a place or condition opens."""
    if not tokens or _opens(tokens[0]) or tokens[0].surface in _CJK_PREPOSITIONS:
        return ()
    following = tokens[1].surface.lower() if len(tokens) > 1 else ""
    if _does(tokens[0]) or (tokens[0].weight and following in _ARTICLES):
        return ()  # a request: "Name files after ...", "Inform the team ..."
    return next((tokens[:at] for at in range(1, len(tokens)) if _is_predicate(tokens, at)), ())


def _says_what_holds(token: Token) -> bool:
    """Tell whether a word is one of a sentence: `is`, `may`, `must`, what the user likes."""
    is_of_one = token.word is not None and token.concept in _OF_A_SENTENCE
    return is_of_one or token.surface.lower() in _COPULAS


def _does(token: Token) -> bool:
    return bool(token.word and token.word.roles & {"verbs", "value verbs", "owning"})


def _is_predicate(tokens: Sequence[Token], at: int) -> bool:
    token = tokens[at]
    surface = token.surface.lower()
    if tokens[at - 1].surface.lower() in _ARTICLES or tokens[at - 1].surface.lower() == "no":
        return False  # the build machine
    if surface in _COPULAS or _does(token) or (token.word and token.word.sign < 0):
        return True
    if tokens[at - 1].concept == "user" and surface.isascii() and surface.endswith("s"):
        return True
    if token.word and not token.weight:
        return token.concept in ("may", "must")
    is_form = surface.isascii() and surface.endswith(("s", "ed")) and not surface.endswith(("ss", "'s"))
    following = tokens[at + 1].surface.lower() if at + 1 < len(tokens) else ""
    return is_form and not token.is_name and following in _FOLLOWING_A_VERB


def _slot(token: Token) -> str:
    if token.quantity:
        return f"<{token.quantity.kind}>"
    return f"<{token.word.setting[0]}>" if token.word and token.word.setting else token.concept


def _clauses(tokens: Sequence[Token]) -> Iterable[Clause]:
    """Part the tokens at punctuation and before reasons; an opening `On Linux,` or `If it fails,` stays where it is."""
    part: list[Token] = []
    is_reason = started = False
    for at, token in enumerate((*tokens, Token("", ends_clause=True))):
        ends = token.ends_clause or _joins_clauses(tokens, at)
        if token.surface == "," and part and part[0].surface.lower() in _CAUSES:
            is_reason = True
        elif token.surface == "," and part and _opens(part[0]):
            continue
        is_beside = _has_role(token, "reason") or token.surface.lower() in _INSTEAD
        reasons = is_beside and (started or sum(word.weight for word in part) >= 1)
        if not (ends or reasons):
            part.append(token)
            continue
        if part:
            started = True
            yield _clause(part, is_reason)
        part = [] if ends else [token]
        is_reason = reasons or (is_reason and not ends)


def _with_conditions(clauses: Sequence[Clause]) -> Iterable[Clause]:
    """Join a denied condition to the denial that hangs on it: `没有测试的改动，一律不得合并` asks for tests."""
    at = 0
    while at < len(clauses):
        clause, following = clauses[at], clauses[at + 1] if at + 1 < len(clauses) else _NOTHING
        hangs = clause.sign < 0 and following.sign < 0 and not (clause.is_reason or following.is_reason)
        is_one = hangs and _denies_first(clause) and _denies_first(following)
        yield _clause((*clause.tokens, *following.tokens), is_reason=False) if is_one else clause
        at += 1 + is_one


def _denies_first(clause: Clause) -> bool:
    return any(token.word and token.word.sign < 0 and not token.weight for token in clause.tokens[:2])


def _joins_clauses(tokens: Sequence[Token], at: int) -> bool:
    """Tell whether `and` or `but` stands before a verb of its own: "has no licence and does not drive"."""
    if at + 1 >= len(tokens) or tokens[at].surface.lower() not in ("and", "but"):
        return False
    following = tokens[at + 1]
    is_modal = bool(following.word and not following.weight and following.concept in ("may", "must", "not"))
    return is_modal or following.surface.lower() in _COPULAS


def _opens(token: Token) -> bool:
    if " " in token.surface and token.surface.split(" ")[0].lower() in ("in", "on", "at", "from", "by"):
        return True  # a phrase of the tables: "in the office"
    return _has_role(token, "placing") or _has_role(token, "condition")


def _has_role(token: Token, role: str) -> bool:
    return token.word is not None and role in token.word.roles


def _clause(tokens: Sequence[Token], is_reason: bool) -> Clause:
    is_beside = is_reason or any(_has_role(token, "aside") for token in tokens[:2])
    factor = _REASON_WEIGHT if is_beside else 1.0
    weights = {token.concept: token.weight * factor for token in tokens if token.weight}
    negative = [token for token in tokens if token.word and token.word.sign < 0]
    states = tuple(token.concept for token in negative if _has_role(token, "state"))
    turns = len(negative) + (not all(token.weight for token in negative) and _is_bounded(tokens))
    aside = any(_RELATIVE & {t.surface.lower() for t in tokens[max(n - _REACH, 0) : n]} for n in _denials(tokens))
    return Clause(weights, -1 if turns % 2 else 1, is_beside, aside, tuple(tokens), states)


def _is_bounded(tokens: Sequence[Token]) -> bool:
    """Tell whether a denial holds until a bound, or for all but one: then it affirms."""
    words = {token.surface.lower() for token in tokens}
    return bool(words & _BOUNDS or (words & _EXCEPTING and words & _ANYONE))


def _denials(tokens: Sequence[Token]) -> Iterable[int]:
    return (at for at, token in enumerate(tokens) if token.word and token.word.sign < 0)


def _roles(clause: Clause) -> Iterable[str]:
    """Yield the roles of a clause's words; a denied exception ("no exceptions") is none, nor is a denied question."""
    for token in clause.tokens:
        if token.word:
            yield from token.word.roles - (_NOT_DENIED if clause.sign < 0 else frozenset())
