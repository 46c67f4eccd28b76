"""The way in: from words to events, over the index of a hub. It is brought up to date first where anything changed."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

from agent_soul.hub import Hub
from agent_soul.searching.document import fields, sequence
from agent_soul.searching.filters import Filters
from agent_soul.searching.index import FILE, Found, Index, connect_to_read
from agent_soul.searching.question import Question, ask
from agent_soul.searching.ranking import Postings, Ranked, Score, named_sources, rank
from agent_soul.searching.scanning import scan


class Result(NamedTuple):
    """An event that was found; `matched` are the words of the question that it holds."""

    found: Found
    score: Score
    matched: tuple[str, ...]


def open_index(hub: Hub, today: str) -> Index:
    """Return the hub's index as it is on the UTC date `today`: from the state folder, else made in memory.

    What keeps the one in the state folder from being used (it is read-only, damaged or in use) never shows but in time.
    """
    place = hub.state / FILE
    try:
        ready = connect_to_read(place)
        ready.execute("BEGIN")  # what another search writes meanwhile is not seen
        if Index(ready).meta("fingerprint") == scan(hub).fingerprint(today):
            return Index(ready)
        ready.close()
    except sqlite3.Error:
        pass
    from agent_soul.searching.indexing import up_to_date  # parses, resolves and compiles: 200 ms to import

    return Index(up_to_date(hub, place, today))


@dataclass(frozen=True, slots=True)
class Answer:
    """What a search found, best first, as numbers in the index; `results` gives the events themselves."""

    index: Index
    question: Question
    ranked: Sequence[Ranked]
    postings: Postings

    def results(self, first: int, most: int) -> list[Result]:
        """Return `most` results from the `first` on; 0 stands for all."""
        some = self.ranked[first : first + most if most else None]
        found = self.index.found([number for number, _ in some])
        return [Result(found[number], score, self._matched(number)) for number, score in some]

    def newest_first(self) -> Answer:
        """Return the same events, the newest first."""
        facts = self.index.facts(Filters(statuses=frozenset()), [number for number, _ in self.ranked])
        return replace(self, ranked=sorted(self.ranked, key=lambda each: facts[each.number].order, reverse=True))

    def _matched(self, number: int) -> tuple[str, ...]:
        return tuple(self.question.matched({term for term, weights in self.postings.items() if number in weights}))


class NoWordsError(ValueError):
    """The text to look for, or a keyword, holds no word once punctuation is gone."""


def find(index: Index, text: str, keywords: Sequence[str], filters: Filters, today: str) -> Answer:
    """Return the events that hold a word of the text and all keywords, best first; with neither all, newest first.

    Raises `NoWordsError` where a text or keyword was given that holds no word.
    """
    question = ask(text, keywords, today)
    if (not question.units and (text.strip() or keywords)) or not all(map(sequence, keywords)):
        raise NoWordsError("no searchable words")
    if not question.units:
        facts = index.facts(filters)
        newest = sorted(facts, key=lambda number: facts[number].order, reverse=True)
        return Answer(index, question, [Ranked(number, Score(0.0, 0.0, 0.0)) for number in newest], {})
    postings = index.postings((*question.terms, *question.required_terms))
    facts = index.facts(filters, _candidates(index, question, postings))
    named = index.numbers_of_sources(named_sources(question, index.sources()))
    ranked = rank(question, facts, postings, index.neighbours, count=index.count, named=named, today=today)
    return Answer(index, question, ranked, postings)


def _candidates(index: Index, question: Question, postings: Postings) -> set[int]:
    """Return the events that hold a term of the question and every keyword."""
    holding = {number for term in question.terms for number in postings[term]}
    for term in question.required_terms:
        holding &= postings[term].keys()
    if not any(" " in phrase.strip() for phrase in question.phrases):
        return holding
    found = index.found(holding)
    return {number for number in holding if _holds_all(json.loads(found[number].record), question.phrases)}


def _holds_all(record: Mapping[str, Any], phrases: Sequence[str]) -> bool:
    """Tell whether each phrase stands in one of the fields, word after word."""
    texts = [sequence(text) for text in (*(text for text, _ in fields(record)), record["source"])]
    return all(any(phrase in text for text in texts) for phrase in phrases)
