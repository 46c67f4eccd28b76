"""When nothing was found: the nearest words that events do hold."""

from __future__ import annotations

import difflib
import heapq
import json
from collections.abc import Iterable

from agent_soul.searching.document import fields
from agent_soul.searching.index import Index
from agent_soul.searching.question import Question
from agent_soul.searching.stemming import stem
from agent_soul.searching.words import Wanted, asked, fold, words

_PER_WORD = 3
_ALIKE = 0.7
_PAIR = 2
_NOTHING = Wanted(0.0)


def nearest_words(index: Index, question: Question) -> list[str]:
    """Return words of the hub's events that are spelled like those of the question that no event holds."""
    vocabulary = [term for term in index.vocabulary() if not term.startswith("@")]
    known = set(vocabulary)
    wanted = dict.fromkeys((*question.terms, *question.required_terms))
    near: dict[str, None] = {}
    for term in wanted:
        if term not in known:
            close = [other for other in vocabulary if abs(len(other) - len(term)) <= 1 + len(term) // 4]
            near |= dict.fromkeys(_sharing_a_character(index, term, vocabulary))
            near |= dict.fromkeys(difflib.get_close_matches(term, close, n=_PER_WORD, cutoff=_ALIKE))
    return list(dict.fromkeys(_as_written(index, term) for term in near))


def _sharing_a_character(index: Index, term: str, vocabulary: Iterable[str]) -> list[str]:
    """Return Chinese, Japanese and Korean words of two characters that have one of the term's, the commonest first."""
    if not (len(term) == _PAIR and all(word.is_cjk for word in words(term))):
        return []
    others = [other for other in vocabulary if len(other) == _PAIR and set(other) & set(term)]
    counts = index.counts(other for other in others if asked(other).get(other, _NOTHING).weight == 1)
    return heapq.nsmallest(_PER_WORD, counts, key=lambda other: (-counts[other], other))


def _as_written(index: Index, term: str) -> str:
    """Return a word that has the term, as an event spells it; the terms themselves are stems."""
    (postings,) = index.postings([term]).values()
    record = json.loads(index.found([min(postings)])[min(postings)].record)
    texts = [*(text for text, _ in fields(record)), record["source"]]
    return next((word.text for text in texts for word in words(fold(text)) if stem(word.text) == term), term)
