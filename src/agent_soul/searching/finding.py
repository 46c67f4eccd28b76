"""The way in: from words to events, over the index of a hub. It is brought up to date first where anything changed."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

from agent_soul.hub import Hub
from agent_soul.searching.document import fields, sequence
from agent_soul.searching.filters import Filters
from agent_soul.searching.index import FILE, Found, Index, connect_to_read
from agent_soul.searching.question import Question, ask
from agent_soul.searching.ranking import Evidence, Postings, Ranked, Ranking, Score, named_sources, rank
from agent_soul.searching.scanning import scan


class Result(NamedTuple):
    """An event that was found; `matched` are the words of the question that it holds."""

    found: Found
    ranked: Ranked
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


class Answer(NamedTuple):
    """What a search found, best first, as numbers in the index; `results` gives the events themselves."""

    searched: Index
    question: Question
    ranking: Ranking
    postings: Postings

    def results(self, first: int = 0, most: int = 0) -> list[Result]:
        """Return `most` results from the `first` on; 0 stands for all that were ranked."""
        some = self.ranking.best[first : first + most if most else None]
        found = self.searched.found([each.number for each in some])
        return [Result(found[each.number], each, self._matched(each.number)) for each in some]

    def ids(self) -> list[str]:
        """Return the ids of all results that were ranked."""
        return [self.ranking.facts[each.number].order[-1] for each in self.ranking.best]

    def newest_first(self) -> Answer:
        """Return the same events, the newest first."""
        facts = self.ranking.facts
        best = sorted(self.ranking.best, key=lambda each: facts[each.number].order, reverse=True)
        return self._replace(ranking=self.ranking._replace(best=best))

    def _matched(self, number: int) -> tuple[str, ...]:
        return tuple(self.question.matched({term for term, weights in self.postings.items() if number in weights}))


Meant = Callable[[Filters], Mapping[int, float]]


class NoWordsError(ValueError):
    """The text to look for, or a keyword, holds no word once punctuation and stop words are gone."""


def find(
    index: Index,
    text: str,
    keywords: Sequence[str],
    filters: Filters,
    today: str,
    most: int = 0,
    meant: Meant = lambda _: {},
) -> Answer:
    """Return the events that hold a word of the text and all keywords, best first; with neither all, newest first.

    `most` is how many have to be in their right order; 0 stands for all. `meant` says what a model finds among
    the events that pass the filters, in words' worth. Raises `NoWordsError` where a text or keyword holds no word.
    """
    question = ask(text, keywords, today)
    if (not question.units and (text or keywords)) or not all(map(sequence, keywords)):
        raise NoWordsError("no searchable words")
    if not question.units:
        facts = index.facts(index.passing(filters))
        newest = sorted(facts, key=lambda number: facts[number].order, reverse=True)
        return Answer(index, question, Ranking(len(newest), [Ranked(n, 0.0, _NO_SCORE) for n in newest], facts), {})
    postings = index.postings((*question.terms, *question.required_terms))
    meaning = meant(filters)
    passing = _with_keywords(index, question, postings, index.passing(filters, question.finding_terms) | meaning.keys())
    meaning = {number: worth for number, worth in meaning.items() if number in passing}
    named = index.numbers_of_sources(named_sources(question, index.sources()))
    evidence = Evidence(passing, index.facts, postings, index.neighbours, index.count, named, meaning)
    return Answer(index, question, rank(question, evidence, today, most), postings)


_NO_SCORE = Score(0.0, 0.0, 0.0)


def _with_keywords(index: Index, question: Question, postings: Postings, passing: set[int]) -> set[int]:
    """Return those of the events that hold every keyword."""
    for term in question.required_terms:
        passing = passing & postings[term].keys()
    if not any(" " in phrase.strip() for phrase in question.phrases):
        return passing
    found = index.found(passing)
    return {number for number in found if _holds_all(json.loads(found[number].record), question.phrases)}


def _holds_all(record: Mapping[str, Any], phrases: Sequence[str]) -> bool:
    """Tell whether each phrase stands in one of the fields, word after word."""
    texts = [sequence(text) for text in (*(text for text, _ in fields(record)), record["source"])]
    return all(any(phrase in text for text in texts) for phrase in phrases)
