"""Rules that find a contradiction: a number, value, owner or sense that differs where all else agrees."""

from __future__ import annotations

import functools
import re
from collections.abc import Iterable, Sequence

from agent_soul.judging.apart import A_THING
from agent_soul.judging.frames import ANY_VERB, Clause, Frame
from agent_soul.judging.lexicon import CJK, OWN_SUBJECT
from agent_soul.judging.pairs import Judgement, Label, Pair, listed, shared_weight
from agent_soul.judging.quantities import Quantity

# How much of the smaller statement must agree before a difference counts; a name or unit of its own asks for less.
_VERSION_TOPIC = 0.28
_NUMBER_TOPIC = 0.45
_BARE_NUMBER_TOPIC = 0.55
_GIVEN_UP_TOPIC = 0.25
_EXCLUDED_TOPIC = 0.45
_SETTING_TOPIC = 0.34
_LONG_SETTING_TOPIC = 0.25
_OWNER_TOPIC = 0.45
_VALUE_TOPIC = 0.55
_DENIED_TOPIC = 0.6
_LONG_SHARED = 2.0
"""Weight in common from which two long statements are on one subject although much else is said."""
_LEAST_VALUED = 2.0
"""A name is a value of something only if this much is said of that."""
_SENSE_TOPIC = 0.6
_CLAUSE = 0.55
"""Share that two clauses have in common when one may deny the other, and the weight of it."""
_CLAUSE_SHARED = 2.0
_LEAST_CLAUSES = 3.0
_NOTHING_BUT = 0.8
"""Share of a denying clause that the other statement must affirm."""


def given_up(pair: Pair) -> Judgement | None:
    """One says that X was left for Y, or rules X out; the other still gives X."""
    for one, other in (pair.frames, pair.frames[::-1]):
        given = {f"{row}={value}" for row, values in other.settings.items() for value in values} | other.names.keys()
        denied = one.denied | (one.excluded if pair.contained >= _EXCLUDED_TOPIC else frozenset())
        gone = denied & given - other.denied - other.excluded
        if gone and pair.contained >= _GIVEN_UP_TOPIC:
            return Judgement(Label.CONFLICT, "given up", (_as_written(gone, other),))
    return None


def _as_written(concepts: Iterable[str], frame: Frame) -> str:
    return listed(frame.names.get(concept, concept.rpartition("=")[2]) for concept in concepts)


def differing_number(pair: Pair) -> Judgement | None:
    """Two numbers that measure the same of the same."""
    for quantity in pair.left_over[0]:
        for rival in pair.left_over[1]:
            if quantity.is_like(rival) and pair.contained >= _topic_for(quantity, rival):
                return Judgement(Label.CONFLICT, "differing number", (quantity.shown, rival.shown))
    return None


def _topic_for(one: Quantity, other: Quantity) -> float:
    if one.is_version:
        return _VERSION_TOPIC
    return _NUMBER_TOPIC if one.kind != "count" or one.things & other.things else _BARE_NUMBER_TOPIC


def differing_setting(pair: Pair) -> Judgement | None:
    """Two values of one exclusive setting: tabs and spaces, npm and pnpm, dark and light."""
    first, second = (each.settings for each in pair.frames)
    both = sorted(first.keys() & second.keys())
    values = {f"{row}={value}" for row in both for value in first[row] | second[row]}
    topic = pair.contained_without(values, least=1.0)
    enough = _LONG_SETTING_TOPIC if pair.shared >= _LONG_SHARED else _SETTING_TOPIC
    for row in both if not pair.either("additive") else ():
        is_subject = row.endswith(OWN_SUBJECT) or topic >= enough
        if is_subject and not first[row] & second[row]:
            name = row.removesuffix(OWN_SUBJECT)
            return Judgement(Label.CONFLICT, f"differing {name}", (listed(first[row]), listed(second[row])))
    return None


def differing_owner(pair: Pair) -> Judgement | None:
    """Two persons who are said to own, lead, approve or do one thing."""
    first, second = (each.persons for each in pair.frames)
    if first and second and not first & second and pair.contained >= _OWNER_TOPIC:
        return Judgement(Label.CONFLICT, "differing owner", (listed(first), listed(second)))
    return None


def differing_value(pair: Pair) -> Judgement | None:
    """Two names given by one verb for one thing, whether or not a table knows them: built with X, built with Y."""
    first, second = (each.values for each in pair.frames)
    if first.keys() & second.keys() or pair.either("additive"):
        return None
    verbs = set(first.values()) & set(second.values()) or ({*first.values(), *second.values()} & {ANY_VERB})
    topic = pair.contained_without(first.keys() | second.keys(), least=_LEAST_VALUED)
    if first and second and verbs and topic >= _VALUE_TOPIC:
        shown = (_as_written(first, pair.frames[0]), _as_written(second, pair.frames[1]))
        return Judgement(Label.CONFLICT, "differing value", shown)
    return None


def opposite_sense(pair: Pair) -> Judgement | None:
    """Two clauses about the same, each the closest to the other, of which one affirms and one denies."""
    for clause in pair.frames[0].clauses if not pair.reports else ():
        other, share = _closest(clause, pair.frames[1].clauses)
        if other is None or share < _CLAUSE or other.sign == clause.sign or pair.contained < _SENSE_TOPIC:
            continue
        is_mutual = _closest(other, pair.frames[0].clauses)[0] is clause
        if is_mutual and shared_weight(clause.weights, other.weights) >= _CLAUSE_SHARED:
            return Judgement(Label.CONFLICT, "opposite sense", (_said(clause), _said(other)))
    return None


def _closest(clause: Clause, others: Sequence[Clause]) -> tuple[Clause | None, float]:
    """Return the clause that shares most with this one, the first of equals, and which share of both that is."""
    best, most = None, 0.0
    for other in others:
        shared = shared_weight(clause.weights, other.weights)
        if shared > most:
            best, most = other, shared
    total = sum(clause.weights.values()) + sum(best.weights.values()) if best else 0.0
    return best, 2 * most / max(total, _LEAST_CLAUSES)


def denied_beside(pair: Pair) -> Judgement | None:
    """A clause that denies nothing but what the other statement affirms."""
    for one, other, turned in ((*pair.frames, False), (*pair.frames[::-1], True)):
        affirmed = {c for clause in other.clauses if clause.sign > 0 for c in clause.weights}
        affirmed -= {c for clause in other.clauses if clause.sign < 0 for c in clause.weights}
        for clause in one.clauses if pair.contained >= _DENIED_TOPIC and not pair.reports else ():
            shared = sum(weight for concept, weight in clause.weights.items() if concept in affirmed)
            enough = max(A_THING, _NOTHING_BUT * sum(clause.weights.values()))
            if clause.sign < 0 and not clause.is_reason and shared >= enough:
                said = (_said(clause), other.text)
                return Judgement(Label.CONFLICT, "opposite sense", said[::-1] if turned else said)
    return None


def _said(clause: Clause) -> str:
    text = " ".join(token.surface for token in clause.tokens)
    return text if text.isascii() else _between_cjk().sub("", text)


@functools.cache
def _between_cjk() -> re.Pattern[str]:
    return re.compile(f"(?<=[{CJK}]) (?=[{CJK}])")
