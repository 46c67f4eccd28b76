"""Searching task memory: ranked by keywords, 20 a page, and pages that stay while others write."""

from __future__ import annotations

import json
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any

from agent_soul.errors import RefusedError
from agent_soul.hub import Hub
from agent_soul.searching.document import sequence
from agent_soul.searching.filters import Filters
from agent_soul.searching.finding import open_index
from agent_soul.searching.index import Found, Index
from agent_soul.searching.keywords import Hit, matched_keywords, rank_by_keywords
from agent_soul.searching.snapshots import Snapshot, keep, load
from agent_soul.searching.words import fold, terms
from agent_soul.task_memory import MOST_KEYWORDS, title_of

PAGE = 20


def page(
    hub: Hub, keywords: Sequence[str], filters: Filters, *, skip: int = 0, limit: int = PAGE, snapshot: str = ""
) -> dict[str, Any]:
    """Return a page of a search of today, or of the one that was kept as `snapshot`; see `search` and `go_on`."""
    today = datetime.now(UTC).date().isoformat()
    with open_index(hub, today) as index:
        if snapshot:
            return go_on(hub, index, snapshot, keywords, skip=skip, limit=limit)
        return search(hub, index, keywords, filters, today, skip=skip, limit=limit)


def search(
    hub: Hub, index: Index, keywords: Sequence[str], filters: Filters, today: str, *, skip: int = 0, limit: int = PAGE
) -> dict[str, Any]:
    """Return a page of what holds any of 1 to 12 keywords, best first, and the name by which the list is kept.

    See `searching.keywords` for the score. Raises `RefusedError` for too many keywords, or one without a word.
    """
    hits = find(index, keywords, filters, today)
    asked = _asked(keywords)
    ids, scores = tuple(hit.found.id for hit in hits), tuple(hit.score for hit in hits)
    name = keep(hub, Snapshot(asked, ids, scores)) if len(hits) > limit else ""
    return _page(index, hits[skip : skip + limit], len(hits), skip, name)


def go_on(
    hub: Hub, index: Index, name: str, keywords: Sequence[str], *, skip: int, limit: int = PAGE
) -> dict[str, Any]:
    """Return a page of a search that was kept, by its name; with keywords only where they are the same.

    Raises `RefusedError` where it is gone, or was of something else.
    """
    kept = load(hub, name)
    if kept.asked[:1] != _asked(()) or (keywords and _asked(keywords) != kept.asked):
        raise RefusedError(f"the snapshot {name!r} is of another search", hint="give the same keywords, or none")
    wanted = {keyword: sequence(keyword) for keyword in kept.asked[1:]}
    ids = kept.ids[skip : skip + limit]
    numbers = index.numbers_of_ids(ids)
    found = index.found(numbers.values())
    hits = [
        Hit(each, score, matched_keywords(json.loads(each.record), wanted))
        for id_, score in zip(ids, kept.scores[skip:], strict=False)
        if (each := found.get(numbers.get(id_, -1)))
    ]
    return _page(index, hits, len(kept.ids), skip, name)


def find(index: Index, keywords: Sequence[str], filters: Filters, today: str) -> list[Hit]:
    """Return all that hold any of the keywords, best first."""
    if not 1 <= len(keywords) <= MOST_KEYWORDS:
        raise RefusedError(f"give 1 to {MOST_KEYWORDS} keywords, not {len(keywords)}", hint="soul mem search WORD...")
    in_terms = {keyword: set(terms(fold(keyword))) for keyword in keywords}
    for keyword, its_terms in in_terms.items():
        if not its_terms:
            raise RefusedError(f"no searchable words in {keyword!r}", hint="give a word")
    postings = index.postings(set.union(*in_terms.values()))
    holding = [set.intersection(*(set(postings[term]) for term in its_terms)) for its_terms in in_terms.values()]
    passing = set.union(*holding) & index.passing(filters)
    return rank_by_keywords(index.found(passing).values(), keywords, today)


def _asked(keywords: Sequence[str]) -> tuple[str, ...]:
    """Return what a snapshot says was asked; the first part tells it from one of `soul search`."""
    return ("task memory", *keywords)


def _page(index: Index, hits: Sequence[Hit], total: int, skip: int, name: str) -> dict[str, Any]:
    left = max(total - skip - len(hits), 0)
    return {
        "total": total,
        "skip": skip,
        "next_skip": skip + len(hits) if left else None,
        "snapshot": name or None,
        "results": [_row(index, hit) for hit in hits],
    }


def _row(index: Index, hit: Hit) -> dict[str, Any]:
    found: Found = hit.found
    record = json.loads(found.record)
    return {
        "event_id": found.id,
        "short_id": index.short_name(found),
        "score": hit.score,
        "matched_keywords": list(hit.matched),
        "kind": found.kind,
        "title": title_of(record),
        "summary": record["summary"],
        "keywords": record.get("keywords", []),
        "project": record.get("project", ""),
        "date": found.date,
        "source": found.source,
        "status": found.status,
    }
