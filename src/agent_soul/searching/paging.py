"""One page of what a search found: the search itself, or a further page of one that was kept."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from typing import Any, ClassVar, NamedTuple

from agent_soul.errors import RefusedError
from agent_soul.hub import Hub
from agent_soul.searching.filters import Filters
from agent_soul.searching.finding import Answer, NoWordsError, find, open_index
from agent_soul.searching.index import Disputed, Found, Index
from agent_soul.searching.models import meant_by
from agent_soul.searching.ranking import Score

_MOST_KEPT = 500


class Asked(NamedTuple):
    """What somebody looks for, and which part of the list is wanted; a `limit` of 0 is all of it.

    `snapshot` names a search that was kept: its list is gone on with, whatever was written since.
    """

    text: str = ""
    keywords: tuple[str, ...] = ()
    filters: Filters = Filters()
    skip: int = 0
    limit: int = 20
    newest: bool = False
    snapshot: str = ""

    @property
    def words(self) -> tuple[str, ...]:
        """The text and the keywords, by which a search that was kept is recognised."""
        return (self.text, *self.keywords)


class NoWordsRefusedError(RefusedError):
    """What was given holds no word that can be looked for. Programs count on a list of results: it is empty."""

    fields: ClassVar = {"total": 0, "results": []}

    def __init__(self, said: str) -> None:
        hint = "give a word that says more, a name in capitals (IT), or any word as a keyword"
        super().__init__(f"no searchable words in {said!r}", hint=hint)


class Row(NamedTuple):
    """One result, with the open conflicts that it is in.

    `score` is None where the search was kept: what it was made of is not.
    """

    found: Found
    short_id: str
    total: float
    matched: tuple[str, ...]
    score: Score | None
    conflicts: Sequence[Disputed] = ()


class Page(NamedTuple):
    """Some of the results of a search. `snapshot` names the whole list, if it was kept; `nearest` is for none."""

    total: int
    snapshot: str
    rows: Sequence[Row]
    hidden: int
    nearest: Sequence[str] = ()


def search(hub: Hub, asked: Asked, tell_missing: Callable[[int], object] = lambda _: None) -> Page:
    """Return the page that is asked for. Raises `RefusedError` for words without a letter, or a snapshot that is gone.

    `tell_missing` is told how many events a model has not read yet, if there is one.
    """
    today = datetime.now(UTC).date().isoformat()
    with open_index(hub, today) as index:
        if asked.snapshot:
            return _kept_page(hub, index, asked, today)
        return _first_page(hub, _found(hub, index, asked, today, tell_missing), asked)


def _found(hub: Hub, index: Index, asked: Asked, today: str, tell_missing: Callable[[int], object]) -> Answer:
    # By time any may be the first; else the list that is kept for the next pages is long enough.
    most = max(asked.skip + asked.limit, _MOST_KEPT) if asked.limit and not asked.newest else 0
    meant = meant_by(hub, index, asked.text, tell_missing)
    try:
        answer = find(index, asked.text, asked.keywords, asked.filters, today, most, meant)
    except NoWordsError as error:
        raise NoWordsRefusedError(asked.text or " ".join(asked.keywords)) from error
    return answer.newest_first() if asked.newest else answer


def row_fields(row: Row) -> dict[str, Any]:
    """Return one result for programs."""
    fields = {
        "event_id": row.found.id,
        "short_id": row.short_id,
        "score": row.total,
        "matched_keywords": list(row.matched),
        "status": row.found.status,
        "reason": row.found.reason,
        "by": row.found.by,
        "event": json.loads(row.found.record),
    }
    if row.conflicts:
        fields["conflicts"] = [each.id for each in row.conflicts]
        fields["conflicts_with"] = list(dict.fromkeys(id_ for each in row.conflicts for id_ in each.rivals))
    return fields


def _first_page(hub: Hub, answer: Answer, asked: Asked) -> Page:
    """Return the page of a new search, and keep the whole list where one page does not show it."""
    results = answer.results(asked.skip, asked.limit)
    total = answer.ranking.total
    disputed = answer.searched.conflicts([found.number for found, _, _ in results])
    rows = [
        Row(
            found,
            answer.searched.short_name(found),
            round(ranked.total, 4),
            matched,
            ranked.score,
            disputed.get(found.number, ()),
        )
        for found, ranked, matched in results
    ]
    snapshot = ""
    if asked.limit and total > asked.limit:
        from agent_soul.searching.snapshots import Snapshot, keep

        scores = tuple(round(each.total, 4) for each in answer.ranking.best)
        snapshot = keep(hub, Snapshot(asked.words, tuple(answer.ids()), scores))
    nearest: Sequence[str] = ()
    if not total:
        from agent_soul.searching.suggesting import nearest_words

        nearest = nearest_words(answer.searched, answer.question)
    return Page(total, snapshot, rows, max(total - asked.skip - len(rows), 0), nearest)


def _kept_page(hub: Hub, index: Index, asked: Asked, today: str) -> Page:
    """Return a page of a search that was kept. Raises `RefusedError` where it is gone, or asked something else."""
    from agent_soul.searching.document import weigh
    from agent_soul.searching.question import ask
    from agent_soul.searching.snapshots import load

    kept = load(hub, asked.snapshot)
    if any(asked.words) and asked.words != kept.asked:
        raise RefusedError(f"the snapshot {asked.snapshot!r} is of another search", hint="give the same words, or none")
    ids = kept.ids[asked.skip : asked.skip + asked.limit if asked.limit else None]
    numbers = index.numbers_of_ids(ids)
    found = index.found(numbers.values())
    disputed = index.conflicts(found.keys())
    question = ask(kept.asked[0], kept.asked[1:], today)
    rows = []
    for id_, score in zip(ids, kept.scores[asked.skip :], strict=False):
        if event := found.get(numbers.get(id_, -1)):
            record = json.loads(event.record)
            matched = tuple(question.matched(weigh(record, (str(record["ts"])[:10], event.date))))
            conflicts = disputed.get(event.number, ())
            rows.append(Row(event, index.short_name(event), score, matched, None, conflicts))
    return Page(len(kept.ids), asked.snapshot, rows, max(len(kept.ids) - asked.skip - len(ids), 0))
