"""The rules, in the order in which they are asked; the first that has an answer decides. See docs/judging.md."""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from enum import StrEnum
from typing import NamedTuple

from agent_soul.judging.frames import Clause, Frame, frame
from agent_soul.judging.quantities import Quantity
from agent_soul.judging.reading import Token
from agent_soul.text import compare_key

_PARALLEL = 0.5
_CLOSELY_PARALLEL = 0.74
_A_CHARACTER = 0.4
_TOPIC = 0.34
_LONG_TOPIC = 0.25
_LONG_SHARED = 2.0
_A_THING = 0.9
_TWO_THINGS = 2.5
_NUMBER_TOPIC = 0.45
_BARE_NUMBER_TOPIC = 0.55
_VERSION_TOPIC = 0.28
_GIVEN_UP_TOPIC = 0.25
_VALUE_TOPIC = 0.55
_DENIED_TOPIC = 0.6
_NOTHING_BUT = 0.8
_LITTLE = 0.5
_LONG = 4.0
_LEAST_VALUED = 2.0
_ANY = "use"
_SHORT = 3.0
_SHORT_SAME = 0.75
_CLAUSE = 0.5
_LEAST_CLAUSES = 3.0
_SAME = 0.55
_CONTAINED = 0.85
_NAMES_CONTAINED = 0.7


class Label(StrEnum):
    """What two statements are to each other."""

    DUPLICATE = "duplicate"
    CONFLICT = "conflict"
    DISTINCT = "distinct"


class Statement(NamedTuple):
    """What is judged: a text, the kind of its event, and where it holds."""

    text: str
    kind: str = "fact"
    reach: tuple[str, str] = ("stable", "")


class Judgement(NamedTuple):
    """A label, the rule that gave it, and what a person should see of the reason."""

    label: Label
    rule: str
    evidence: tuple[str, ...] = ()


@dataclass(frozen=True)
class Pair:
    """Two statements laid out beside each other."""

    one: Statement
    other: Statement

    @functools.cached_property
    def frames(self) -> tuple[Frame, Frame]:
        return _frame(self.one.text), _frame(self.other.text)

    @functools.cached_property
    def shared(self) -> float:
        return _shared(self.frames[0].weights, self.frames[1].weights)

    @functools.cached_property
    def contained(self) -> float:
        """Share of the smaller statement that the larger one holds too."""
        return self.shared / max(min(each.total for each in self.frames), 1e-9)

    @functools.cached_property
    def topic(self) -> float:
        """The same, leaving aside the settings that both give, as their values are what may differ."""
        given = self.frames[0].settings.keys() & self.frames[1].settings.keys()
        rest = [
            {concept: weight for concept, weight in each.weights.items() if concept.partition("=")[0] not in given}
            for each in self.frames
        ]
        return _shared(*rest) / max(min(sum(each.values()) for each in rest), 1.0)

    @functools.cached_property
    def alike(self) -> float:
        """Share of both statements that they have in common."""
        return 2 * self.shared / max(sum(each.total for each in self.frames), 1e-9)

    @functools.cached_property
    def left_over(self) -> tuple[list[Quantity], list[Quantity]]:
        """Quantities that the other side does not have."""
        first, second = (each.quantities for each in self.frames)
        return (
            [q for q in first if not any(map(q.equals, second))],
            [q for q in second if not any(map(q.equals, first))],
        )

    def either(self, role: str) -> bool:
        return any(role in each.roles for each in self.frames)

    def only_one(self, role: str) -> bool:
        return (role in self.frames[0].roles) != (role in self.frames[1].roles)


@functools.lru_cache(maxsize=50_000)
def _frame(text: str) -> Frame:
    return frame(text)


def _shared(first: Mapping[str, float], second: Mapping[str, float]) -> float:
    return sum(min(weight, second[concept]) for concept, weight in first.items() if concept in second)


def judge(one: Statement, other: Statement) -> Judgement:
    """Say what two statements are to each other. Equal for both orders, but for the order of the evidence."""
    pair = Pair(one, other)
    for rule in RULES:
        if found := rule(pair):
            return found
    return Judgement(Label.DISTINCT, "unlike")


def other_reach(pair: Pair) -> Judgement | None:
    one, other = pair.one.reach, pair.other.reach
    if one != other and (one[1] or other[1]):
        return Judgement(Label.DISTINCT, "other reach", (":".join(one), ":".join(other)))
    return None


def same_words(pair: Pair) -> Judgement | None:
    keys = ["".join(c for c in compare_key(text.text) if c.isalnum() or c in "+-#.%/") for text in (pair.one, pair.other)]
    return Judgement(Label.DUPLICATE, "same words") if keys[0] == keys[1] else None


def mention_only(pair: Pair) -> Judgement | None:
    return Judgement(Label.DISTINCT, "mention only") if pair.only_one("mention") else None


def exception(pair: Pair) -> Judgement | None:
    if pair.only_one("exception") or (pair.one.kind == "temporary") != (pair.other.kind == "temporary"):
        return Judgement(Label.DISTINCT, "exception")
    return None


def other_holder(pair: Pair) -> Judgement | None:
    first, second = (each.holders for each in pair.frames)
    for row in first.keys() & second.keys():
        if row == "role" and all(each.persons for each in pair.frames):
            continue
        if not first[row] & second[row]:
            return Judgement(Label.DISTINCT, f"other {row}", (_listed(first[row]), _listed(second[row])))
    return None


def other_occasion(pair: Pair) -> Judgement | None:
    first, second = pair.left_over
    ordinals = [[q.shown for q in side if q.kind == "ordinal"] for side in (first, second)]
    dates = [[q.shown for q in side if q.kind in ("date", "weekday")] for side in (first, second)]
    if all(ordinals):
        return Judgement(Label.DISTINCT, "other occasion", (ordinals[0][0], ordinals[1][0]))
    measured = [[q for q in side if q.kind not in ("date", "weekday", "ordinal")] for side in (first, second)]
    past = all(each.is_past for each in pair.frames) or pair.one.kind == pair.other.kind == "observation"
    if all(dates) and (past or any(q.is_like(p) for q in measured[0] for p in measured[1])):
        return Judgement(Label.DISTINCT, "other occasion", (dates[0][0], dates[1][0]))
    return None


def other_object(pair: Pair) -> Judgement | None:
    """Two sentences of one build with another thing in the same place speak of two things."""
    first, second = ([t for t in _main_clause(each).tokens if t.quantity or t.weight] for each in pair.frames)
    matcher = SequenceMatcher(None, [_slot(t) for t in first], [_slot(t) for t in second], autojunk=False)
    ratio = matcher.ratio()
    if ratio < _PARALLEL:
        return None
    least = _A_CHARACTER if ratio >= _CLOSELY_PARALLEL else _A_THING
    for kind, a1, a2, b1, b2 in matcher.get_opcodes():
        beside = zip((*first[a1 - 1 : a1], *first[a2 : a2 + 1]), (*second[b1 - 1 : b1], *second[b2 : b2 + 1]), strict=False)
        if kind == "replace" and all(t.concept == u.concept for t, u in beside):
            things = _things_in(first[a1:a2], *pair.frames), _things_in(second[b1:b2], *pair.frames[::-1])
            if all(sum(t.weight for t in side) >= least for side in things):
                return Judgement(Label.DISTINCT, "other object", tuple(" ".join(t.surface for t in s) for s in things))
    return None


def _things_in(segment: Sequence[Token], frame: Frame, other: Frame) -> list[Token]:
    """Return the things of a segment; none where it holds the value that the statement gives, or what both speak of."""
    if any(person.startswith(token.surface) for token in segment for person in frame.persons):
        return []
    things = [token for token in segment if _is_thing(token)]
    if any(token.concept in frame.values or token.concept in other.weights for token in things):
        return []
    return things


def _main_clause(frame: Frame) -> Clause:
    """Return the clause that says most of the first two, as a statement may open with an aside."""
    return max(frame.clauses[:2], key=lambda clause: (not clause.is_reason, sum(clause.weights.values()) >= 1), default=_NOTHING)


_NOTHING = Clause({}, 1, False, ())


def _slot(token: Token) -> str:
    if token.quantity:
        return f"<{token.quantity.kind}>"
    return f"<{token.word.setting[0]}>" if token.word and token.word.setting else token.concept


def _is_thing(token: Token) -> bool:
    """Tell whether a token may be what a statement is about: no verb, no little or weak word, no person who owns."""
    word = token.word
    if word and (word.roles & {"verbs", "value verbs", "owning"} or word.weight < 1 or (word.holder or ("",))[0] == "role"):
        return False
    return token.weight > 0 and not token.quantity


def other_topic(pair: Pair) -> Judgement | None:
    return Judgement(Label.DISTINCT, "other topic") if pair.contained < _TOPIC else None


def two_reports(pair: Pair) -> Judgement | None:
    """Each tells of its own moment; what differs between them is what happened in between."""
    kinds = [each.kind for each in (pair.one, pair.other)]
    reports = [
        kind == "project-update" or (f.is_report and kind not in _BINDING)
        for kind, f in zip(kinds, pair.frames, strict=True)
    ]
    return says_the_same(pair) or Judgement(Label.DISTINCT, "two reports") if all(reports) else None


_BINDING = frozenset({"rule", "preference", "decision"})


def differing_number(pair: Pair) -> Judgement | None:
    for q in pair.left_over[0]:
        for p in pair.left_over[1]:
            if q.is_like(p) and pair.contained >= _topic_for(q, p):
                return Judgement(Label.CONFLICT, "differing number", (q.shown, p.shown))
    return None


def _topic_for(one: Quantity, other: Quantity) -> float:
    """Return how much else has to agree: less where a name or a unit says that both measure the same."""
    if one.kind.startswith("version of"):
        return _VERSION_TOPIC
    return _NUMBER_TOPIC if one.kind != "count" or one.things & other.things else _BARE_NUMBER_TOPIC


def differing_setting(pair: Pair) -> Judgement | None:
    first, second = (each.settings for each in pair.frames)
    for row in first.keys() & second.keys():
        if pair.either("additive"):
            continue
        enough = _LONG_TOPIC if pair.shared >= _LONG_SHARED else _TOPIC
        if not first[row] & second[row] and pair.topic >= enough:
            return Judgement(Label.CONFLICT, f"differing {row}", (_listed(first[row]), _listed(second[row])))
    return None


def given_up(pair: Pair) -> Judgement | None:
    for a, b in (pair.frames, pair.frames[::-1]):
        gone = a.denied & (b.names | {f"{row}={v}" for row, vs in b.settings.items() for v in vs}) - b.denied
        if gone and pair.contained >= _GIVEN_UP_TOPIC:
            return Judgement(Label.CONFLICT, "given up", tuple(sorted(gone)))
    return None


def differing_owner(pair: Pair) -> Judgement | None:
    first, second = (each.persons for each in pair.frames)
    if first and second and not first & second and pair.contained >= _NUMBER_TOPIC:
        return Judgement(Label.CONFLICT, "differing owner", (_listed(first), _listed(second)))
    return None


def differing_value(pair: Pair) -> Judgement | None:
    first, second = (each.values.keys() for each in pair.frames)
    rest = [{c: w for c, w in each.weights.items() if c not in first | second} for each in pair.frames]
    topic = _shared(*rest) / max(min(sum(each.values()) for each in rest), _LEAST_VALUED)
    apart = not first & second and any(
        _ANY in (verb, other_verb) or verb == other_verb
        for verb in pair.frames[0].values.values()
        for other_verb in pair.frames[1].values.values()
    )
    if apart and topic >= _VALUE_TOPIC and not pair.either("additive"):
        return Judgement(Label.CONFLICT, "differing value", (_listed(frozenset(first)), _listed(frozenset(second))))
    return None


def opposite_sense(pair: Pair) -> Judgement | None:
    for clause in pair.frames[0].clauses:
        other, share = _partner(clause, pair.frames[1].clauses)
        if not other or share < _CLAUSE or other.sign == clause.sign:
            continue
        if _partner(other, pair.frames[0].clauses)[0] is clause:
            return Judgement(Label.CONFLICT, "opposite sense", (_said(clause), _said(other)))
    return None


def denied_beside(pair: Pair) -> Judgement | None:
    """A clause that denies nothing but what the other statement affirms."""
    if pair.contained < _DENIED_TOPIC:
        return None
    for one, other in (pair.frames, pair.frames[::-1]):
        affirmed = {c: w for clause in other.clauses if clause.sign > 0 for c, w in clause.weights.items()}
        denied = {c for clause in other.clauses if clause.sign < 0 for c in clause.weights}
        for clause in one.clauses:
            total = sum(clause.weights.values())
            shared = sum(w for c, w in clause.weights.items() if c in affirmed and c not in denied)
            if clause.sign < 0 and not clause.is_reason and shared >= max(_A_THING, _NOTHING_BUT * total):
                return Judgement(Label.CONFLICT, "opposite sense", (_said(clause), other.text))
    return None


def _partner(clause: Clause, others: Sequence[Clause]) -> tuple[Clause | None, float]:
    best, most = None, 0.0
    for other in others:
        shared = _shared(clause.weights, other.weights)
        if shared > most:
            best, most = other, shared
    total = sum(clause.weights.values()) + sum(best.weights.values()) if best else 1.0
    return best, 2 * most / max(total, _LEAST_CLAUSES)


def _said(clause: Clause) -> str:
    return " ".join(token.surface for token in clause.tokens)


def says_the_same(pair: Pair) -> Judgement | None:
    first, second = pair.left_over
    one, other = pair.frames
    new_names = (one.names - other.weights.keys()) | (other.names - one.weights.keys())
    if first or second or (new_names and pair.contained < _NAMES_CONTAINED):
        return None
    left = min(_things_left(one, other), _things_left(other, one))
    if _sense(one, other) != _sense(other, one) or left >= (_A_THING if pair.shared < _LONG else _TWO_THINGS):
        return None
    enough = _SAME if pair.shared >= _SHORT else _SHORT_SAME
    if pair.alike >= enough or (pair.contained >= _CONTAINED and pair.alike >= _SAME):
        return Judgement(Label.DUPLICATE, "says the same", (f"{pair.alike:.2f}",))
    return None


def _sense(one: Frame, other: Frame) -> int:
    """Return the product of the signs of the clauses that have something in common with the other statement."""
    signs = [c.sign for c in one.clauses if not c.is_reason and _shared(c.weights, other.weights) >= _LITTLE]
    return functools.reduce(lambda product, sign: product * sign, signs, 1)


def _things_left(one: Frame, other: Frame) -> float:
    """Return the weight of what one statement is about and the other does not hold."""
    tokens = [t for clause in one.clauses if not clause.is_reason for t in clause.tokens]
    return sum(t.weight for t in tokens if _is_thing(t) and t.weight >= _A_THING and t.concept not in other.weights)


def _listed(values: frozenset[str]) -> str:
    return ", ".join(sorted(values))


RULES: tuple[Callable[[Pair], Judgement | None], ...] = (
    other_reach,
    same_words,
    mention_only,
    exception,
    other_holder,
    other_occasion,
    other_object,
    two_reports,
    given_up,
    differing_number,
    differing_setting,
    other_topic,
    differing_owner,
    differing_value,
    opposite_sense,
    denied_beside,
    says_the_same,
)
