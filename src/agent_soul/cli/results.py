"""One page of what a search found, as text and as JSON."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Sequence
from typing import Any, NamedTuple

from agent_soul.cli.common import say, show, show_as_is, show_json, terminal_safe
from agent_soul.errors import RefusedError
from agent_soul.hub import Hub
from agent_soul.searching.finding import Answer
from agent_soul.searching.index import Found, Index
from agent_soul.searching.ranking import Score
from agent_soul.searching.stemming import stem
from agent_soul.searching.words import fold
from agent_soul.searching.words import words as words_of

_BOLD, _PLAIN = "\x1b[1m", "\x1b[22m"


class Row(NamedTuple):
    """One result. `score` is None where the search was kept: what it was made of is not."""

    found: Found
    short_id: str
    total: float
    matched: tuple[str, ...]
    score: Score | None


class Page(NamedTuple):
    """Some of the results of a search. `snapshot` names the whole list, if it was kept; `nearest` is for none."""

    total: int
    snapshot: str
    rows: Sequence[Row]
    hidden: int
    nearest: Sequence[str] = ()


def first_page(hub: Hub, answer: Answer, asked: Sequence[str], skip: int, limit: int) -> Page:
    """Return the page of a new search, and keep the whole list where one page does not show it."""
    results = answer.results(skip, limit)
    total = answer.ranking.total
    rows = [
        Row(found, answer.searched.short_name(found), round(ranked.total, 4), matched, ranked.score)
        for found, ranked, matched in results
    ]
    snapshot = ""
    if limit and total > limit:
        from agent_soul.searching.snapshots import Snapshot, keep

        scores = tuple(round(each.total, 4) for each in answer.ranking.best)
        snapshot = keep(hub, Snapshot(tuple(asked), tuple(answer.ids()), scores))
    nearest: Sequence[str] = ()
    if not total:
        from agent_soul.searching.suggesting import nearest_words

        nearest = nearest_words(answer.searched, answer.question)
    return Page(total, snapshot, rows, max(total - skip - len(rows), 0), nearest)


def kept_page(hub: Hub, index: Index, name: str, *, asked: Sequence[str], skip: int, limit: int, today: str) -> Page:
    """Return a page of a search that was kept. Raises `RefusedError` where it is gone, or asked something else."""
    from agent_soul.searching.document import weigh
    from agent_soul.searching.question import ask
    from agent_soul.searching.snapshots import load

    kept = load(hub, name)
    if any(asked) and tuple(asked) != kept.asked:
        raise RefusedError(f"the snapshot {name!r} is of another search", hint="give the same words, or none")
    ids = kept.ids[skip : skip + limit if limit else None]
    numbers = index.numbers_of_ids(ids)
    found = index.found(numbers.values())
    question = ask(kept.asked[0], kept.asked[1:], today)
    rows = []
    for id_, score in zip(ids, kept.scores[skip:], strict=False):
        if event := found.get(numbers.get(id_, -1)):
            record = json.loads(event.record)
            matched = tuple(question.matched(weigh(record, (str(record["ts"])[:10], event.date))))
            rows.append(Row(event, index.short_name(event), score, matched, None))
    return Page(len(kept.ids), name, rows, max(len(kept.ids) - skip - len(ids), 0))


def print_json(page: Page, *, explain: bool) -> None:
    results = [_fields(row) | ({"explain": _parts(row.score)} if explain and row.score else {}) for row in page.rows]
    near = {"nearest": list(page.nearest)} if not page.total else {}
    show_json(ok=True, total=page.total, snapshot=page.snapshot or None, results=results, **near)


def _fields(row: Row) -> dict[str, Any]:
    return {
        "event_id": row.found.id,
        "short_id": row.short_id,
        "score": row.total,
        "matched_keywords": list(row.matched),
        "status": row.found.status,
        "reason": row.found.reason,
        "by": row.found.by,
        "event": json.loads(row.found.record),
    }


def print_text(page: Page, *, explain: bool) -> None:
    """Print a line for each result, and on stderr how many there are and how to see more."""
    for row in page.rows:
        _show_row(row)
        if explain and row.score:
            show(f"  {row.total:g}  {_explained(row.score)}")
    if not page.total:
        near = f"; words that are there: {', '.join(page.nearest)}" if page.nearest else ""
        say(f"nothing found{near}")
        return
    more = f"--snapshot {page.snapshot} --skip N" if page.snapshot else "--limit 0"
    say(f"{page.total} found" + (f", {page.hidden} more with {more}" if page.hidden else ""))


def _show_row(row: Row) -> None:
    """Print one result on one line; on a terminal the words that were asked for stand out."""
    found = row.found
    note = "" if found.status == "active" else f" [{found.status}: {found.reason}]"
    start = f"{row.short_id}  {found.date}  {found.source}  {found.place}/{found.kind}  "
    summary = terminal_safe(found.summary)
    if sys.stdout.isatty():
        summary = mark(summary, row.matched)
    show_as_is(terminal_safe(start) + summary + terminal_safe(note))


def mark(text: str, matched: Sequence[str]) -> str:
    """Return the text with those of its words in bold that are among the folded words `matched`, in any form."""
    pieces = {word for word in map(fold, matched) if word}
    stems = {stem(word) for word in pieces}
    ends: list[tuple[int, int]] = []
    for word in words_of(text):
        if not word.is_cjk:
            ends += [(word.start, word.start + len(word.text))] if stem(fold(word.text)) in stems else []
            continue
        for found in re.finditer("|".join(map(re.escape, sorted(pieces, key=len, reverse=True))), word.text):
            ends.append((word.start + found.start(), word.start + found.end()))
    for start, end in reversed(ends):
        text = f"{text[:start]}{_BOLD}{text[start:end]}{_PLAIN}{text[end:]}"
    return text


def _parts(score: Score) -> dict[str, Any]:
    return {name: round(getattr(score, name), 4) for name in Score.__dataclass_fields__} | {
        "answer": round(score.answer, 4)
    }


def _explained(score: Score) -> str:
    parts = [f"words {score.words:.2f} (holds {score.held:g} of {score.asked:g})"]
    parts += [f"context {score.context:.2f}"] if score.context else []
    parts += [f"meaning {score.meaning:.2f}"] if score.meaning else []
    parts += ["source named ×1.5"] if score.is_named_source else []
    ties = f"recency {score.recency:.2f}, importance {score.importance:.2f}, corroboration {score.corroboration:.2f}"
    return " + ".join(parts) + f" = {score.answer:.2f}; ties: {ties}"
