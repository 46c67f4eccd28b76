"""What is like the best answers to a question: about the same things, though it may share no word with the question.

The assumption is the cluster hypothesis of retrieval (van Rijsbergen, Information Retrieval, 1979, chapter 3): texts
that are alike answer the same questions. Each event is compared with one answer at a time, never with a mean of them:
answers of different sorts have different neighbours. The figures are round; docs/context.md has what was
measured.
"""

from __future__ import annotations

import heapq
import json
import math
from collections.abc import Container, Iterable, Mapping
from typing import NamedTuple

from agent_soul.searching.document import weigh
from agent_soul.searching.index import Index
from agent_soul.searching.words import STOP_WORDS

_ANSWERS = 20
"""So many of the best answers are compared with."""
_TERMS = 30
"""So many terms of each, the ones that tell most."""
_MUCH = 0.5
"""What tells this part of what an answer tells, or more, is as good as it; hardly two texts tell all the same."""
_NOT_SAID = {"source": "", "project": "", "agent": ""}
"""Fields that do not say what an event is about, but whose it is: all of a project would be alike."""


class Term(NamedTuple):
    """A term of an answer: its weight there, and how rare it is."""

    text: str
    weight: float
    rarity: float

    @property
    def worth(self) -> float:
        return self.weight * self.rarity


def likeness_to_answers(index: Index, answers: Mapping[int, float], among: Container[int]) -> dict[int, float]:
    """Return how like the best of the answers other events are, from 0 to 1, each times how good that answer is.

    `answers` are positive worths by the number of the event, of which only the proportion counts; an event is looked
    at if it is `among` the given ones. An event that is like several answers counts by the one that gives most.
    """
    best = heapq.nlargest(_ANSWERS, answers.items(), key=lambda each: (each[1], -each[0]))
    greatest = max(answers.values(), default=0.0)
    lent: dict[int, float] = {}
    for number, terms in _told_by(index, [number for number, _ in best]).items():
        share = answers[number] / greatest
        postings = index.postings(term.text for term in terms)
        for other, likeness in _likenesses(terms, postings).items():
            if other != number and other in among:
                lent[other] = max(lent.get(other, 0.0), share * likeness)
    return lent


def _likenesses(terms: Iterable[Term], postings: Mapping[str, Mapping[int, float]]) -> dict[int, float]:
    """Return how much of what the terms tell each event tells too, from 0 to 1 (much): a word counts by its rarity."""
    told: dict[int, float] = {}
    whole = 0.0
    for term in terms:
        whole += term.worth * term.weight
        for number, weight in postings[term.text].items():
            told[number] = told.get(number, 0.0) + term.worth * weight
    return {number: min(each / whole / _MUCH, 1.0) for number, each in told.items()}


def _told_by(index: Index, numbers: list[int]) -> dict[int, list[Term]]:
    """Return the terms that tell most of each event."""
    found = index.found(numbers)
    weights = {number: _weights(found[number].record) for number in numbers}
    counts = index.counts({term for each in weights.values() for term in each})
    indexed = index.count
    rarity = {term: math.log(1 + (indexed - held + 0.5) / (held + 0.5)) for term, held in counts.items()}
    return {
        number: heapq.nlargest(
            _TERMS,
            (Term(text, weight, rarity[text]) for text, weight in each.items()),
            key=lambda term: (term.worth, term.text),
        )
        for number, each in weights.items()
    }


def _weights(record: str) -> dict[str, float]:
    """Return what the words of an event weigh; its dates, single characters and function words tell nothing."""
    weighed = weigh(json.loads(record) | _NOT_SAID, ("0001-01-01",))
    return {
        term: weight
        for term, weight in weighed.items()
        if len(term) > 1 and not term.startswith("@") and term not in STOP_WORDS
    }
