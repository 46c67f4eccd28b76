"""What a statement says, laid out for comparison: clauses with their sense, values, numbers, names and bounds."""

from __future__ import annotations

import functools
import itertools
import math
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from agent_soul.judging import giving_up
from agent_soul.judging import values as given
from agent_soul.judging.clauses import NOTHING, Clause, clauses_of, opens, roles_of
from agent_soul.judging.lexicon import COPULAS
from agent_soul.judging.ordering import Order, order
from agent_soul.judging.pieces import Token
from agent_soul.judging.quantities import Quantity
from agent_soul.judging.reading import read

_ARTICLES = frozenset({"a", "an", "the", "all", "every", "any", "each", "this", "that"})
_FOLLOWING_A_VERB = _ARTICLES | {"to", "in", "on", "at", "by", "with", "from", "for", "into", "as", "after", "before"}
"""What comes after an inflected verb whether or not the tables know it, and seldom after a noun."""
_BEHIND_A_NOUN = frozenset({"of", "above", "below", "over", "under", "between"})
"""Behind these a word that may be a verb is none: names of classes, transfers above 500 euros."""
_BEFORE_A_NOUN = frozenset({"of", "for"})
_NOUNS = frozenset({"above", "below", "measures"})
"""Roles of words that are no verbs where a subject may go on, though others of their concepts are: the upload limit."""
_CJK_PREPOSITIONS = frozenset({"给", "对", "跟", "向", "对于", "关于", "和", "与", "在"})
_OF_A_SENTENCE = frozenset({"may", "must", "like", "user"})
_PAST = frozenset({"was", "were", "took", "found", "ran", "failed", "happened", "reached", "went", "came", "saw"}) | {
    "visited",
    "travelled",
    "attended",
    "flew",
    "spent",
    "met",
    "won",
    "gave",
}
_CJK_PAST = (
    "中断",
    "完成",
    "宕机",
    "发生",
    "出现了",
    "举行了",
    "了一次",
    "做了",
    "开了",
    "办了",
    "跑了",
    "试了",
    "进行了",
)
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


_BEFORE_A_VERB = frozenset({"to", "we", "i", "you", "they", "he", "she", "will", "would", "don't", "do", "does", "did"})
_MODALS = frozenset({"may", "must"})


class Frame(NamedTuple):
    """A statement laid out.

    `weights` is what it is about, `things` that without verbs; `settings` the values of exclusive settings that it
    affirms; `holders` what it is limited to; `names` its names as they are written; `values` those that it gives,
    with the verb that gives each; `places` what else it says of where a thing is or comes from; `denied` what it
    gives up, `excluded` what it rules out, `lesser` what it likes less; `agents` who does it in words that are no
    names; `bounds` on which side of an amount it holds; `roles` what its words do in it (see oppositions.txt),
    `unknown` those of its words that no table knows, `acts` those that stand where a verb does; `order` what it
    puts first and what later; `is_sentence` that it says what holds, which a heading does not. `subject` are the
    words before the first verb, as far as that is known; `main` are the telling words of its main clause, and
    `slots` what must be equal there in a sentence of the same build: of numbers and settings only the kind.
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
    acts: frozenset[str]
    agents: frozenset[str]
    bounds: frozenset[str]
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
    def said(self) -> list[Token]:
        """The tokens of all that is no reason."""
        return [token for clause in self.clauses if not clause.is_reason for token in clause.tokens]

    @property
    def total(self) -> float:
        """Weight of all that it is about."""
        return sum(self.weights.values())


def frame(text: str, tokens: Sequence[Token] | None = None) -> Frame:
    """Lay out a statement; `tokens` are its own, where the caller has other ones than `read` finds."""
    clauses = clauses_of(read(text) if tokens is None else tokens)
    main = [clause for clause in clauses if not clause.is_reason] or list(clauses)
    said = [token for clause in main for token in clause.tokens]
    weights = _weights(clauses)
    denied = frozenset(name for clause in clauses for name in giving_up.denied(clause.tokens))
    opening = next((c for c in main[:2] if sum(c.weights.values()) >= 1), main[0] if main else NOTHING)
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
        names=_names(said),
        values={name: verb for name, verb in given.values(said).items() if name not in denied},
        places=given.places([clause.tokens for clause in affirmed]),
        denied=denied,
        excluded=frozenset(n for c in clauses[1:] if c.sign < 0 for n in giving_up.excluded(c.tokens)),
        lesser=frozenset(n for i, c in enumerate(clauses) for n in giving_up.lesser(_with_next(clauses, i))),
        subject=() if is_report else subject,
        main=told,
        slots=tuple(map(_slot, told)),
        acts=frozenset(act for clause in clauses for act in _acts_of(clause.tokens)),
        persons=frozenset(p for c in clauses if c.sign > 0 for p in given.persons(c.tokens)),
        agents=frozenset(next(filter(None, (tuple(given.agents(c.tokens)) for c in main)), ())),
        bounds=frozenset(given.bounds(said, subject)),
        roles=frozenset(role for clause in clauses for role in roles_of(clause)),
        unknown=frozenset(t.concept for c in clauses for t in c.tokens if t.weight and not t.word and not t.is_name),
        order=_order(main, said),
        is_sentence=bool(subject) or any(map(_says_what_holds, said)),
        is_past=_is_past(text, said),
        is_report=is_report,
    )


def _names(said: Iterable[Token]) -> dict[str, str]:
    named = (token for token in said if token.is_name or given.is_product(token) or given.is_city(token))
    return {token.concept: token.surface for token in named}


def _weights(clauses: Sequence[Clause]) -> dict[str, float]:
    """Return what the clauses are about, each concept by the most that it weighs in any."""
    weights: dict[str, float] = {}
    for clause in clauses:
        for concept, weight in clause.weights.items():
            weights[concept] = max(weights.get(concept, 0.0), weight)
    return weights


def _is_past(text: str, said: Sequence[Token]) -> bool:
    words = {word for token in said for word in token.surface.lower().split()}
    return not _PAST.isdisjoint(words) or any(word in text for word in _CJK_PAST)


def _order(main: Sequence[Clause], said: Sequence[Token]) -> Order:
    """Return the order that a clause gives, or else that of the whole statement."""
    orders = [order(tokens) for tokens in (*(clause.tokens for clause in main), said)]
    return next(filter(Order.is_given, orders), orders[-1])


def _with_next(clauses: Sequence[Clause], at: int) -> tuple[Token, ...]:
    """Return the tokens of a clause and, after it, those of the one that says instead of what."""
    beside = clauses[at + 1].tokens if at + 1 < len(clauses) and clauses[at + 1].is_reason else ()
    return clauses[at].tokens + beside


def _acts_of(tokens: Sequence[Token]) -> Iterator[str]:
    """Yield what is done by its place: behind a pronoun, `to`, or a word such as `must`, and no noun of the tables."""
    for before, token in itertools.pairwise(tokens):
        is_told = before.surface.lower() in _BEFORE_A_VERB or before.concept in _MODALS or before.concept == "not"
        if is_told and token.weight and token.surface.isascii() and token.surface.islower():
            yield token.concept


def is_thing(token: Token) -> bool:
    """Tell whether a token may be what a statement is about: no verb, no little or weak word, no person who owns."""
    word = token.word
    if not word:
        return token.weight > 0
    is_other = word.roles & {"verbs", "value verbs", "owning"} or (word.holder and word.holder[0] == "role")
    return word.weight >= 1 and not is_other


def _subject(tokens: Sequence[Token]) -> Sequence[Token]:
    """Return what stands before the first verb; nothing if that is not known or a place or condition opens."""
    if not tokens or opens(tokens[0]) or tokens[0].surface in _CJK_PREPOSITIONS:
        return ()
    following = tokens[1].surface.lower() if len(tokens) > 1 else ""
    if (_does(tokens[0]) and following not in _BEHIND_A_NOUN) or (tokens[0].weight and following in _ARTICLES):
        return ()  # a request: "Name files after ...", "Inform the team ..."
    return next((tokens[:at] for at in range(1, len(tokens)) if _is_predicate(tokens, at)), ())


def _says_what_holds(token: Token) -> bool:
    """Tell whether a word is one of a sentence: `is`, `may`, `must`, what the user likes."""
    is_of_one = token.word is not None and token.concept in _OF_A_SENTENCE
    return is_of_one or token.surface.lower() in COPULAS


def _does(token: Token) -> bool:
    return bool(token.word and token.word.roles & {"verbs", "value verbs", "owning"})


def _is_predicate(tokens: Sequence[Token], at: int) -> bool:
    token = tokens[at]
    surface = token.surface.lower()
    if tokens[at - 1].surface.lower() in _ARTICLES or tokens[at - 1].surface.lower() == "no":
        return False  # the build machine
    if tokens[at - 1].surface.lower() in _BEFORE_A_NOUN:
        return False  # the topic for returns
    if token.word and token.word.roles & _NOUNS:
        return False  # the concepts of these have verbs too
    if surface in COPULAS or _does(token) or token.denies:
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
