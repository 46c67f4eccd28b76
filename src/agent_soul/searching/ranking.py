"""How well each event answers a question: words, then context, then what breaks ties. Pure.

The weights are round on purpose. Ones fitted to a set of questions were measured to spoil the next set.
"""

from __future__ import annotations

import heapq
import math
from collections.abc import Callable, Collection, Container, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from types import MappingProxyType
from typing import NamedTuple

from agent_soul.searching.question import Question, Unit
from agent_soul.searching.words import fold, terms

RECENCY_DAYS = 180
# An event that holds every word counts three times the sum of its words.
_COVERAGE = 2.0
# An event lends this share of its score to the next one before and after it in the same stretch of work, and then to
# the second next: what was said there is what it was about. Half of what the borrower has itself is taken off first,
# so that one between two good ones does not rise above both.
_LENT = (0.5, 0.25)
_OWN = 0.5
_LENDERS = 100
# The question names who said it.
_NAMED_SOURCE = 1.5
# What holds no word of the question is a result only where a model says that it is worth one.
_ALIKE = 1.0
# Scores that differ by less than half of a word's worth are a tie, and what breaks it is worth no more than that.
_TIE = 0.5
# The last of what breaks ties never reaches half a word, by which what is held differs.
_BELOW_HALF = 0.49

Postings = Mapping[str, Mapping[int, float]]
"""Term to the events that hold it, by their numbers in the index, and what it weighs in each."""
Neighbours = Callable[[int], tuple[Sequence[int], Sequence[int]]]
"""Gives the events just before and just after one in the same stretch of work, nearest first."""


class Facts(NamedTuple):
    """What an event brings to the ranking besides its words. `order` is the total order of events."""

    order: tuple[str, str, str]
    date: str
    importance: float
    copies: int


@dataclass(slots=True)
class Score:
    """What the score of one event is made of, counted in words.

    A word's worth is what those of the best result have on average, so that it scores about as many as it holds.
    """

    held: float
    """Words of the question that the event holds, of `asked`; both are multiples of a half."""
    asked: float
    words: float
    context: float = 0.0
    meaning: float = 0.0
    is_named_source: bool = False
    recency: float = 0.0
    importance: float = 0.0
    corroboration: float = 0.0

    @property
    def answer(self) -> float:
        """What the event is worth as an answer, before ties are broken."""
        return (self.words + self.context + self.meaning) * self.factor

    @property
    def factor(self) -> float:
        return _NAMED_SOURCE if self.is_named_source else 1.0

    @property
    def total(self) -> float:
        """The answer to half a word, plus less than half a word that breaks ties.

        What breaks them is how much of the question is held, and only where that is the same too (it changes by
        halves) the rest of the answer, recency, importance and corroboration.
        """
        steps = self.answer / _TIE
        whole_steps = round(steps)
        last = (steps - whole_steps + 0.5 + self.recency + self.importance + self.corroboration) / 4
        return _TIE * (whole_steps + (self.held + _BELOW_HALF * last) / (self.asked + 0.5))

    def shares(self) -> dict[str, float]:
        """Return what the total is the sum of: the answer in whole halves, and what each thing adds to break ties."""
        steps = self.answer / _TIE
        asked = self.asked + 0.5
        last = _TIE * _BELOW_HALF / 4 / asked
        return {
            "answer": _TIE * round(steps),
            "held": _TIE * self.held / asked,
            "rest": last * (steps - round(steps) + 0.5),
            "recency": last * self.recency,
            "importance": last * self.importance,
            "corroboration": last * self.corroboration,
        }


class Ranked(NamedTuple):
    """An event by its number in the index, with its score."""

    number: int
    total: float
    score: Score


class Evidence(NamedTuple):
    """What is known about the events that a search looks at, all by their numbers."""

    passing: Container[int]
    """The events that the search looks at."""
    facts: Callable[[Collection[int]], Mapping[int, Facts]]
    postings: Postings
    neighbours: Neighbours
    indexed: int
    """Number of events in the index."""
    named: Container[int] = ()
    """Those whose source the question names."""
    meaning: Mapping[int, float] = MappingProxyType({})
    """What a model adds, in words' worth."""


class Ranking(NamedTuple):
    """The best events, best first, with what is known of them; `total` counts all that were found."""

    total: int
    best: list[Ranked]
    facts: Mapping[int, Facts]


def rank(question: Question, evidence: Evidence, today: str, most: int = 0) -> Ranking:
    """Rank the events that hold a word of the question or its meaning.

    `today` (`YYYY-MM-DD`) is what recency counts from. With `most` only so many of them, the best by their words, are
    looked at closely; more where the last of them are equal.
    """
    asked = sum(unit.weight for unit in question.units)
    words, held = _by_words(question, evidence, asked)
    base = {number: worth for number, worth in evidence.meaning.items() if worth >= _ALIKE} | words
    for number in words.keys() & evidence.meaning.keys():
        base[number] += evidence.meaning[number]
    head = _head(base, evidence.named, most)
    facts = evidence.facts(head)
    first = date.fromisoformat(today).toordinal()
    scores = {number: _score(number, words, held, asked, evidence, facts[number], first) for number in head}

    _add_context(scores, _lend(base, evidence.neighbours))
    ordered = sorted(scores, key=lambda number: (scores[number].total, facts[number].order), reverse=True)
    best = [Ranked(number, scores[number].total, scores[number]) for number in ordered]
    return Ranking(len(base), best, facts)


def _head(base: Mapping[int, float], named: Container[int], most: int) -> list[int]:
    """Return the best by words and meaning, all where there are no more than `most`."""
    if not most or len(base) <= most:
        return list(base)
    worth = {number: score * (_NAMED_SOURCE if number in named else 1.0) for number, score in base.items()}
    least = heapq.nlargest(most, worth.values())[-1]
    return [number for number, each in worth.items() if each >= least]


def named_sources(question: Question, sources: Iterable[str]) -> list[str]:
    """Return the sources all parts of whose names stand in the question."""
    asked_for = set(question.terms)
    return [source for source in sources if asked_for.issuperset(terms(fold(source)))]


def _by_words(question: Question, evidence: Evidence, asked: float) -> tuple[dict[int, float], dict[int, float]]:
    """Return BM25 over the units of the question, raised by how much is held and in words' worth; and what is held.

    Both are of the events that a unit finds, or a model; the other units only add.
    """
    sums: dict[int, float] = {}
    held: dict[int, float] = {}
    found = {number for number, worth in evidence.meaning.items() if worth >= _ALIKE}
    for unit in question.units:
        weights = _weights(unit, evidence.postings)
        found.update(weights if unit.finds else ())
        rarity = math.log(1 + (evidence.indexed - len(weights) + 0.5) / (len(weights) + 0.5)) * unit.weight
        for number, weight in weights.items():
            if number in evidence.passing:
                sums[number] = sums.get(number, 0.0) + rarity * weight
                held[number] = held.get(number, 0.0) + unit.weight
    raised = {
        number: words * (1 + _COVERAGE * held[number] / asked) for number, words in sums.items() if number in found
    }
    best = max(raised, key=lambda number: (raised[number], held[number]), default=-1)
    worth = raised[best] / held[best] if raised else 1.0
    return {number: words / worth for number, words in raised.items()}, held


def _weights(unit: Unit, postings: Postings) -> Mapping[int, float]:
    """Return what the unit weighs in each event that holds any of its terms."""
    if len(unit.terms) == 1:
        return postings.get(unit.terms[0], {})
    best: dict[int, float] = {}
    for term in unit.terms:
        for number, weight in postings.get(term, {}).items():
            best[number] = max(weight, best.get(number, 0.0))
    return best


def _score(
    number: int,
    words: Mapping[int, float],
    held: Mapping[int, float],
    asked: float,
    evidence: Evidence,
    facts: Facts,
    today: int,
) -> Score:
    return Score(
        held=held.get(number, 0.0),
        asked=asked,
        words=words.get(number, 0.0),
        meaning=evidence.meaning.get(number, 0.0),
        is_named_source=number in evidence.named,
        recency=min(max(1 - (today - date.fromisoformat(facts.date).toordinal()) / RECENCY_DAYS, 0.0), 1.0),
        importance=facts.importance,
        corroboration=1 - 1 / facts.copies,
    )


def _add_context(scores: Mapping[int, Score], lent: Mapping[int, float]) -> None:
    """Add what was lent, but lift nothing over an event that holds every word; such a one needs no context."""
    complete = [score.answer for score in scores.values() if score.held == score.asked]
    for number in lent.keys() & scores.keys():
        score = scores[number]
        if score.held < score.asked:
            room = (min(complete) - score.answer) / score.factor if complete else math.inf
            score.context = min(lent[number], max(room, 0.0))


def _lend(base: Mapping[int, float], neighbours: Neighbours) -> dict[int, float]:
    """Return what each of the found events borrows from its neighbours, when the best of them lend."""
    lent: dict[int, float] = {}
    for lender in heapq.nlargest(_LENDERS, base, key=lambda number: (base[number], -number)):
        for side in neighbours(lender):
            for share, number in zip(_LENT, side, strict=False):
                if number in base:
                    more = max(base[lender] - _OWN * base[number], 0.0)
                    lent[number] = lent.get(number, 0.0) + share * more
    return lent
