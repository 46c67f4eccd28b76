"""What an event is found by: its fields, and how much each of its terms weighs. Pure."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping
from typing import Any

from agent_soul.searching.dates import terms_in, terms_of_day
from agent_soul.searching.stemming import stem
from agent_soul.searching.words import fold, inner_terms, terms, words

# A hit in the long text says less than one in the statement; who said it is asked for by name.
_SUMMARY, _DETAIL, _SOURCE = 1.0, 0.5, 2.0
_PLAIN = ("title", "project", "agent", "topic")
_LISTS = ("keywords", "tags")
_NESTED = ("claim", "decision", "lesson", "metric")

# BM25 with little regard for repetition and length, as statements are short. Both were measured on conversations;
# the usual 1.2 and 0.75 find less. Length is measured against a fixed one, so that one event's weights never depend
# on the others.
_K1, _B, _USUAL_LENGTH = 0.7, 0.3, 25.0


def fields(record: Mapping[str, Any]) -> Iterator[tuple[str, float]]:
    """Yield the searchable texts of an event's record, and the weight of a word in each."""
    yield record["summary"], _SUMMARY
    for name in _PLAIN:
        if name in record:
            yield record[name], _SUMMARY
    for name in _LISTS:
        yield from ((text, _SUMMARY) for text in record.get(name, ()))
    for name in _NESTED:
        yield from ((text, _SUMMARY) for text in _texts(record.get(name)))
    if "detail" in record:
        yield record["detail"], _DETAIL


def _texts(value: Any) -> Iterator[str]:
    if isinstance(value, Mapping):
        for part in value.values():
            yield from _texts(part)
    elif isinstance(value, list):
        for part in value:
            yield from _texts(part)
    elif isinstance(value, str | int | float):
        yield str(value)


def statement(record: Mapping[str, Any]) -> str:
    """Return what of an event a model is given: its statement, and the words that its writer added."""
    return " ".join([record.get("title", ""), record["summary"], *record.get("keywords", ())]).strip()


def weigh(record: Mapping[str, Any], dates: tuple[str, ...]) -> dict[str, float]:
    """Return the weight of every term of an event, 1 for a word that stands once in a statement of usual length.

    `dates` are the days (`YYYY-MM-DD`) on which it was stated, the writer's own first.
    """
    counts: dict[str, float] = defaultdict(float)
    length = 0.0
    for text, weight in fields(record):
        folded = fold(text)
        for term in terms(folded):
            counts[term] += weight
            length += weight
        for term in inner_terms(text):
            counts[term] += weight
        counts |= dict.fromkeys(terms_in(folded, dates[0]), 1.0)
    for term in terms(fold(record["source"])):
        counts[term] += _SOURCE
    for day in dates:
        counts |= dict.fromkeys(terms_of_day(day), 1.0)
    room = _K1 * (1 - _B + _B * length / _USUAL_LENGTH)
    return {term: count * (_K1 + 1) / (count + room) for term, count in counts.items()}


def sequence(text: str) -> str:
    """Return the text as its words and characters in order, a space around each: a phrase is in it or is not."""
    spaced = "".join(_spaced(text))
    return f"{spaced} " if spaced else ""


def _spaced(text: str) -> Iterator[str]:
    for word in words(fold(text)):
        yield from (f" {part}" for part in (word.text if word.is_cjk else (stem(word.text),)))
