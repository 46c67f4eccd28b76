"""The ranking of task memory: how many of the keywords an event holds, and at most half a one for being new. Pure.

It is that of GitMemo (`score = keywords hit + recency`), which its users count on: simpler than `ranking`, and to be
checked by hand. As there, the long text of an entry is not searched.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from datetime import date
from typing import Any, NamedTuple

from agent_soul.searching.document import sequence
from agent_soul.searching.index import Found

RECENCY_DAYS = 180
_MOST_RECENT = 0.5
_TEXTS = ("title", "summary", "topic")
_LISTS = ("keywords", "tags")


class Hit(NamedTuple):
    """An event that holds a keyword, its score, and the keywords that it holds, as they were given."""

    found: Found
    score: float
    matched: tuple[str, ...]


def rank_by_keywords(events: Iterable[Found], keywords: Sequence[str], today: str) -> list[Hit]:
    """Return those of the events that hold any of the keywords, best first, the newer first where scores are equal.

    `today` (`YYYY-MM-DD`) is what recency counts from: it falls from a half to nothing in 180 days.
    """
    wanted = {keyword: sequence(keyword) for keyword in keywords}
    hits = []
    for found in events:
        record = json.loads(found.record)
        if matched := matched_keywords(record, wanted):
            hits.append((Hit(found, round(len(matched) + recency(found.date, today), 4), matched), record))
    hits.sort(key=lambda hit: (hit[0].score, hit[0].found.date, hit[1]["ts"], hit[0].found.id), reverse=True)
    return [hit for hit, _ in hits]


def matched_keywords(record: Mapping[str, Any], wanted: Mapping[str, str]) -> tuple[str, ...]:
    """Return the keywords whose words (keyword to `document.sequence`) stand together in a short text of the record."""
    texts = [record[name] for name in _TEXTS if name in record]
    texts += [text for name in _LISTS for text in record.get(name, ())]
    sequences = list(map(sequence, texts))
    return tuple(keyword for keyword, words in wanted.items() if any(words in text for text in sequences))


def recency(day: str, today: str) -> float:
    """Return what the age of an event adds to its score, from 0 to 0.5."""
    age = (date.fromisoformat(today) - date.fromisoformat(day)).days
    return _MOST_RECENT * min(max(1 - age / RECENCY_DAYS, 0.0), 1.0)
