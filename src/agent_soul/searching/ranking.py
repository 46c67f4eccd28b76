"""How well each event answers a question: words, then context, then what breaks ties. Pure.

The weights are round on purpose. Ones fitted to a set of questions were measured to spoil the next set.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from typing import NamedTuple

from agent_soul.searching.question import Question, Unit
from agent_soul.searching.words import fold, terms

RECENCY_DAYS = 180
# An event that holds every word counts three times the sum of its words.
_COVERAGE = 2.0
# An event lends this share of its score to the next one before and after it in the same stretch of work, and then to
# the second next: what was said there is what it was about.
_LENT = (0.4, 0.2)
_LENDERS = 100
# The question names who said it.
_NAMED_SOURCE = 1.5
# Scores that differ by less than half of a word's worth are a tie, and what breaks it is worth no more than that.
_TIE = 0.5

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
        return (self.words + self.context + self.meaning) * (_NAMED_SOURCE if self.is_named_source else 1.0)

    @property
    def total(self) -> float:
        """The answer to half a word, plus less than half a word that breaks ties.

        What breaks them is how much of the question is held, and only where that is the same too (it changes by
        halves) the rest of the answer, recency, importance and corroboration.
        """
        step = round(self.answer / _TIE)
        rest = self.answer / _TIE - step + 0.5
        last = (rest + self.recency + self.importance + self.corroboration) / 4
        return _TIE * (step + (self.held + 0.49 * last) / (self.asked + 0.5))


class Ranked(NamedTuple):
    """An event by its number in the index, and its score."""

    number: int
    score: Score


def rank(
    question: Question,
    facts: Mapping[int, Facts],
    postings: Postings,
    neighbours: Neighbours,
    *,
    count: int,
    named: Collection[int] = (),
    meaning: Mapping[int, float] | None = None,
    today: str,
) -> list[Ranked]:
    """Return those of the events `facts` that hold a word of the question, best first.

    `count` events are in the index; `named` are those whose source the question names, `meaning` what a model adds in
    words' worth. `today` (`YYYY-MM-DD`) is what recency counts from.
    """
    scores = _by_words(question, facts, postings, count)
    whole = sum(unit.weight for unit in question.units)
    for number in meaning or ():
        scores.setdefault(number, Score(0.0, whole, 0.0))
    best = max(scores.values(), key=lambda score: score.words, default=Score(0.0, 0.0, 0.0))
    worth = best.words / best.held if best.held else 1.0
    for number, score in scores.items():
        score.words /= worth
        score.meaning = (meaning or {}).get(number, 0.0)
        score.is_named_source = number in named
        _note_ties(score, facts[number], today)

    def place(number: int) -> tuple[float, tuple[str, str, str]]:
        return scores[number].total, facts[number].order

    leader = max(scores, key=place, default=-1)
    _lend(scores, neighbours)
    ordered = sorted(scores, key=place, reverse=True)
    if ordered and ordered[0] != leader and scores[leader].held == whole:
        ordered.remove(leader)  # context takes the first place from no event that holds every word
        ordered.insert(0, leader)
    return [Ranked(number, scores[number]) for number in ordered]


def named_sources(question: Question, sources: Iterable[str]) -> list[str]:
    """Return the sources all parts of whose names stand in the question."""
    asked_for = set(question.terms)
    return [source for source in sources if asked_for.issuperset(terms(fold(source)))]


def _by_words(question: Question, facts: Mapping[int, Facts], postings: Postings, count: int) -> dict[int, Score]:
    """Score by BM25 over the units of the question, and by how much of the question an event holds."""
    sums: dict[int, float] = {}
    held: dict[int, float] = {}
    for unit in question.units:
        weights = _weights(unit, postings)
        rarity = math.log(1 + (count - len(weights) + 0.5) / (len(weights) + 0.5)) * unit.weight
        for number, weight in weights.items():
            if number in facts:
                sums[number] = sums.get(number, 0.0) + rarity * weight
                held[number] = held.get(number, 0.0) + unit.weight
    whole = sum(unit.weight for unit in question.units)
    return {
        number: Score(held[number], whole, words * (1 + _COVERAGE * held[number] / whole))
        for number, words in sums.items()
    }


def _weights(unit: Unit, postings: Postings) -> Mapping[int, float]:
    """Return what the unit weighs in each event that holds any of its terms."""
    if len(unit.terms) == 1:
        return postings.get(unit.terms[0], {})
    best: dict[int, float] = {}
    for term in unit.terms:
        for number, weight in postings.get(term, {}).items():
            best[number] = max(weight, best.get(number, 0.0))
    return best


def _lend(scores: Mapping[int, Score], neighbours: Neighbours) -> None:
    """Let the best events lend to their neighbours among those that were found."""
    lenders = sorted(scores, key=lambda number: (-scores[number].words, number))[:_LENDERS]
    for lender in lenders:
        for side in neighbours(lender):
            for share, number in zip(_LENT, side, strict=False):
                if number in scores:
                    scores[number].context += share * scores[lender].words


def _note_ties(score: Score, facts: Facts, today: str) -> None:
    age = date.fromisoformat(today).toordinal() - date.fromisoformat(facts.date).toordinal()
    score.recency = min(max(1 - age / RECENCY_DAYS, 0.0), 1.0)
    score.importance = facts.importance
    score.corroboration = 1 - 1 / facts.copies
