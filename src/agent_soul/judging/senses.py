"""Rules of sense: one statement affirms what the other one denies."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Mapping

from agent_soul.judging.apart import A_THING
from agent_soul.judging.cases import is_conditional
from agent_soul.judging.chinese import is_cjk
from agent_soul.judging.clauses import Clause
from agent_soul.judging.frames import Frame
from agent_soul.judging.lexicon import POLE_WEIGHT
from agent_soul.judging.ordering import agree as orders_agree
from agent_soul.judging.pairs import Judgement, Label, Pair, shared_weight
from agent_soul.judging.same import sense
from agent_soul.judging.waiting import spares_waiting

_LEAST_SUBJECT = 0.3
"""Weight of the user: a statement may say nothing but whose setting it gives."""
_DENIED_TOPIC = 0.55
_SENSE_TOPIC = 0.45
OPINION_TOPIC = 0.34
"""... where both say what is liked, whatever else they say of it; less is another topic."""
_CLAUSE = 0.55
"""Share of the smaller one that two clauses have in common when one may deny the other, and the weight of it."""
_CLAUSES = 0.25
_CLAUSE_SHARED = 1.7
_CLEARLY = 1.5
DIFFERING_SENSE = 0.45
_RESTATED = 0.6
"""Share in common from which a denial that no clause of the other one meets tells again what another clause does."""
_NOTHING_BUT = 0.8
"""Share of a denying clause that the other statement must affirm."""


def opposite_sense(pair: Pair) -> Judgement | None:
    """Two clauses about the same, of which one affirms and one denies, and more so than any two of one sense agree."""
    is_apart = pair.is_gated or orders_agree(*(each.order for each in pair.frames)) or is_conditional(pair)
    are_opinions = all("like" in each.weights for each in pair.frames)
    if pair.reports or is_apart or (pair.contained < _SENSE_TOPIC and not are_opinions):
        return None
    best = max(_opposed(pair), key=lambda found: found[0], default=None)
    if best is None:
        return None
    shared, clause, other = best
    same = (shared_weight(c.weights, o.weights) for c, o in _clauses_of(pair) if c.sign == o.sign)
    if shared <= _CLEARLY * max(same, default=0.0):
        return None
    return Judgement(Label.CONFLICT, "opposite sense", (_said(clause), _said(other)))


def _clauses_of(pair: Pair) -> Iterable[tuple[Clause, Clause]]:
    first, second = ([clause for clause in each if not clause.is_reason] for each in pair.clauses)
    return itertools.product(first, second)


def _opposed(pair: Pair) -> Iterator[tuple[float, Clause, Clause]]:
    """Yield the clauses of which one denies what the other affirms, with the weight of what both speak of."""
    for clause, other in _clauses_of(pair):
        shared = shared_weight(_meant(pair.frames[0], clause), _meant(pair.frames[1], other))
        less, more = sorted((sum(clause.weights.values()), sum(other.weights.values())))
        is_opposed = clause.sign != other.sign and not (clause.denies_aside or other.denies_aside)
        enough = max(_CLAUSE_SHARED, _CLAUSE * less, _CLAUSES * (less + more))
        if is_opposed and shared >= enough and not _say_others(pair, clause, other):
            yield shared, clause, other


def _meant(frame: Frame, clause: Clause) -> Mapping[str, float]:
    """Return the weights of a clause; of one that affirms without what it likes less or gives up."""
    passed_over = frame.lesser | frame.denied if clause.sign > 0 else frozenset()
    return {c: w for c, w in clause.weights.items() if c not in passed_over} if passed_over else clause.weights


def _say_others(pair: Pair, clause: Clause, other: Clause) -> bool:
    """Tell whether two clauses share nothing but the subject of both, and each says another thing of it."""
    subjects = [{t.concept for t in each.subject} for each in pair.frames]
    shared = clause.weights.keys() & other.weights.keys()
    subject = next((each for each in subjects if shared <= each), subjects[0] & subjects[1])
    first, second = ({c: w for c, w in each.weights.items() if c not in subject} for each in (clause, other))
    own = [sum(w for c, w in a.items() if c not in b) for a, b in ((first, second), (second, first))]
    if not subject or min(own) < A_THING:
        return False
    return shared_weight(first, second) < POLE_WEIGHT or _act_on_others(pair, first, second)


def _act_on_others(pair: Pair, first: Mapping[str, float], second: Mapping[str, float]) -> bool:
    """Tell whether two clauses share no thing beside their subject, but the verb, and each names a thing of its own."""
    told, beside = (
        {c for c in a if each.things.get(c, 0.0) >= A_THING}
        for a, each in zip((first, second), pair.frames, strict=True)
    )
    return bool(told and beside) and told.isdisjoint(beside)


def spared_wait(pair: Pair) -> Judgement | None:
    """One makes a thing wait for what the other does without: not before a review, without a review."""
    waits = pair.waits
    spares = [spares_waiting(each.clauses) for each in pair.frames]
    is_one = pair.contained >= _SENSE_TOPIC and pair.predicate >= A_THING and not pair.reports
    if is_one and not all(waits) and ((waits[0] and spares[1]) or (waits[1] and spares[0])):
        return Judgement(Label.CONFLICT, "spared wait", (pair.frames[0].text, pair.frames[1].text))
    return None


def denied_beside(pair: Pair) -> Judgement | None:
    """A clause that denies nothing but what the other statement affirms."""
    if pair.contained < _DENIED_TOPIC or pair.reports or pair.is_gated or is_conditional(pair):
        return None
    for at, text in ((0, pair.other.text), (1, pair.one.text)):
        other = pair.clauses[1 - at]
        affirmed = {c for clause in other if clause.sign > 0 for c in clause.weights}
        affirmed -= {c for clause in other if clause.sign < 0 for c in clause.weights}
        affirmed -= pair.frames[1 - at].lesser | pair.frames[1 - at].denied
        for clause in pair.clauses[at]:
            shared = sum(weight for concept, weight in clause.weights.items() if concept in affirmed)
            told = sum(w for concept, w in clause.weights.items() if w > _LEAST_SUBJECT and concept != "like")
            enough = max(A_THING, _NOTHING_BUT * told)
            if clause.sign < 0 and not (clause.is_reason or clause.denies_aside) and shared >= enough:
                said = (_said(clause), text)
                return Judgement(Label.CONFLICT, "opposite sense", said[::-1] if at else said)
    return None


def differing_sense(pair: Pair) -> Judgement | None:
    """On the whole one affirms and one denies, and no clause by itself is the other's denial."""
    one, other = pair.frames
    is_about_one = DIFFERING_SENSE <= pair.alike < _RESTATED and pair.predicate >= 1 and pair.shared >= _CLAUSE_SHARED
    denies_aside = any(clause.denies_aside for each in pair.frames for clause in each.clauses)
    is_told = not pair.reports and not denies_aside and one.subject and other.subject
    is_apart = pair.is_gated or orders_agree(one.order, other.order) or is_conditional(pair) or _opens_by_denying(pair)
    if not is_about_one or not is_told or is_apart or sense(pair, 0) == sense(pair, 1):
        return None
    if all(len(clauses) == 1 for clauses in pair.clauses) and _say_others(pair, pair.clauses[0][0], pair.clauses[1][0]):
        return None
    return Judgement(Label.CONFLICT, "differing sense", (one.text, other.text))


def _opens_by_denying(pair: Pair) -> bool:
    """Tell whether both begin with a denial, or one does and more is said: what follows may take it up again."""
    denials = sum(1 for clauses in pair.clauses if clauses and clauses[0].sign < 0)
    return denials > 1 or (denials == 1 and max(map(len, pair.clauses)) > 1)


def _said(clause: Clause) -> str:
    text = " ".join(token.surface for token in clause.tokens)
    spaces = (at for at, character in enumerate(text) if character == " " and is_cjk(text[at - 1 : at]))
    between = {at for at in spaces if is_cjk(text[at + 1 : at + 2])}
    return "".join(character for at, character in enumerate(text) if at not in between)
