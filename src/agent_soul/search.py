"""Finding events by words. Pure: events in, ranked hits out.

A text ranks by how many of its words an event holds; keywords filter. Latin words match as parts of words, Chinese,
Japanese and Korean as pairs of characters, so that nothing needs a dictionary.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date

from agent_soul.event import Event
from agent_soul.resolve import Resolution, Status, Verdict

RECENCY_DAYS = 180
_RECENCY_WEIGHT = 0.5
_CJK = "\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7a3\uf900-\ufaff\U00020000-\U0003ffff"
_WORD = re.compile(rf"[{_CJK}]+|[^\W_{_CJK}]+")


@dataclass(frozen=True, slots=True)
class Query:
    """What is looked for. Empty parts do not filter; `statuses` empty means the active events."""

    text: str = ""
    keywords: tuple[str, ...] = ()
    scope: str = ""
    name: str = ""
    """Project or agent, with a scope of `project:x` or `agent:x`."""
    kind: str = ""
    source: str = ""
    project: str = ""
    since: str = ""
    until: str = ""
    statuses: frozenset[Status] = frozenset()


@dataclass(frozen=True, slots=True)
class Hit:
    """An event that was found: its score, the words that it holds, and what became of it."""

    verdict: Verdict
    score: float
    matched: tuple[str, ...]


class NoWordsError(ValueError):
    """The text to look for holds no word once punctuation is gone."""


def fold(text: str) -> str:
    """Return the form in which texts are compared: compatibility forms, case and accents aside."""
    if text.isascii():
        return text.lower()
    spread = unicodedata.normalize("NFKD", text).casefold()
    bare = "".join(
        character for character in spread if not unicodedata.combining(character) or character in "\u3099\u309a"
    )
    return unicodedata.normalize("NFKC", bare)


def terms_of(text: str) -> list[str]:
    """Return what is looked for in a text: its words, and the pairs of neighbours in scripts without spaces."""
    terms: dict[str, None] = {}
    for word in _WORD.findall(fold(text)):
        is_cjk = bool(re.match(f"[{_CJK}]", word))
        for term in [word[i : i + 2] for i in range(max(len(word) - 1, 1))] if is_cjk else [word]:
            terms[term] = None
    return list(terms)


def search(resolution: Resolution, query: Query, today: str) -> list[Hit]:
    """Return the hits, best first; without a text the newest first. `today` is a UTC date, for the bonus of the new.

    Raises `NoWordsError` where a text or keyword was given that holds no word.
    """
    terms = terms_of(query.text)
    keywords = [fold(keyword).strip() for keyword in query.keywords]
    if (query.text.strip() and not terms) or not all(map(terms_of, keywords)):
        raise NoWordsError("no searchable words")
    hits = []
    for verdict in resolution.verdicts:
        if not _passes(verdict, query):
            continue
        text = searchable(verdict.event)
        matched = tuple(term for term in (*keywords, *terms) if term in text)
        if all(keyword in text for keyword in keywords) and (not terms or any(term in text for term in terms)):
            hits.append(Hit(verdict, _score(verdict.event, matched, len(keywords) + len(terms), today), matched))
    newest_first = sorted(hits, key=lambda hit: hit.verdict.event.sort_key, reverse=True)
    return sorted(newest_first, key=lambda hit: hit.score, reverse=True) if terms or keywords else newest_first


def searchable(event: Event) -> str:
    """Return everything in an event that a search looks at, folded, one field a line."""
    data = event.data
    lists: Iterable[Sequence[str]] = (data.get("keywords", ()), data.get("tags", ()))
    fields = [event.summary, data.get("title", ""), event.detail, event.project, event.agent, event.source]
    fields += [event.id, data.get("topic", ""), *(" ".join(words) for words in lists), _claim(data)]
    return fold("\n".join(filter(None, fields)))


def _claim(data: Mapping[str, object]) -> str:
    claim = data.get("claim")
    return " ".join(map(str, claim.values())) if isinstance(claim, Mapping) else ""


def _passes(verdict: Verdict, query: Query) -> bool:
    event = verdict.event
    wanted = query.statuses or {Status.ACTIVE}
    return (
        verdict.status in wanted
        and query.scope in ("", event.scope)
        and query.name in ("", event.project if event.scope == "project" else event.agent)
        and query.kind in ("", event.kind)
        and query.source in ("", event.source)
        and fold(query.project) in ("", fold(event.project))
        and query.since <= event.date
        and (not query.until or event.date <= query.until)
    )


def _score(event: Event, matched: Sequence[str], wanted: int, today: str) -> float:
    """Words hit, plus at most half a word for being new, falling to nothing over 180 days."""
    if not wanted:
        return 0.0
    age = (date.fromisoformat(today) - date.fromisoformat(event.date)).days
    fresh = min(max(1 - age / RECENCY_DAYS, 0.0), 1.0)
    return round(len(matched) + _RECENCY_WEIGHT * fresh, 4)
