"""One page of what a search found, printed as text and as JSON."""

from __future__ import annotations

import itertools
import re
import sys
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from agent_soul.cli.common import say, show, show_as_is, show_json, terminal_safe
from agent_soul.searching.paging import Page, Row, row_fields
from agent_soul.searching.ranking import Score
from agent_soul.searching.stemming import stem
from agent_soul.searching.words import fold
from agent_soul.searching.words import words as words_of

_BOLD, _PLAIN = "\x1b[1m", "\x1b[22m"


def print_json(page: Page, *, explain: bool) -> None:
    results = [row_fields(row) | ({"explain": _parts(row.score)} if explain and row.score else {}) for row in page.rows]
    near = {"nearest": list(page.nearest)} if not page.total else {}
    show_json(ok=True, total=page.total, snapshot=page.snapshot or None, results=results, **near)


def print_text(page: Page, *, explain: bool) -> None:
    """Print a line for each result, and on stderr how many there are and how to see more."""
    for row in page.rows:
        _show_row(row)
        if explain and row.score:
            for line in _explained(row.score, row.total):
                show(f"  {line}")
    if not page.total:
        near = f"; words that are there: {', '.join(page.nearest)}" if page.nearest else ""
        say(f"nothing found{near}")
        return
    more = f"--snapshot {page.snapshot} --skip N" if page.snapshot else "--limit 0"
    say(f"{page.total} found" + (f", {page.hidden} more with {more}" if page.hidden else ""))
    if disputed := next((row.conflicts[0] for row in page.rows if row.conflicts), None):
        ways = "with --keep EVENT, --both WHY or --write TEXT"
        say(f"⚠ CONFLICT: the user decides; `soul resolve {disputed.id} --source YOUR-ID` {ways} settles it")


def _show_row(row: Row) -> None:
    """Print one result on one line; on a terminal the words that were asked for stand out."""
    found = row.found
    note = "" if found.status == "active" else f" [{found.status}: {found.reason}]"
    for disputed in row.conflicts:
        others = f" +{len(disputed.rivals) - 1}" if len(disputed.rivals) > 1 else ""
        note += f" ⚠ CONFLICT with {disputed.rival}{others} ({disputed.id})"
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
    parts: dict[str, Any] = {name: round(getattr(score, name), 4) for name in Score.__dataclass_fields__}
    return parts | {"answer": round(score.answer, 4), "sum": rounded(score.shares(), 4)}


def _explained(score: Score, total: float) -> Iterator[str]:
    """Yield what the answer is made of, then what the score: the numbers of each line add up as they stand there."""
    parts = rounded({"words": score.words, "context": score.context, "meaning": score.meaning}, 2)
    held = f" (holds {score.held:g} of {score.asked:g})"
    said = " + ".join(
        f"{name} {part:.2f}{held if name == 'words' else ''}" for name, part in parts.items() if part or name == "words"
    )
    answer = sum(parts.values())
    if score.is_named_source:
        said = f"({said}) ×{score.factor:g} as its source is named"
        answer *= score.factor
    shares = rounded(score.shares(), 4)
    whole = shares.pop("answer")
    yield f"{said} = {round(answer, 4):g}, in whole halves {whole:g}"
    yield f"{whole:g}" + "".join(f" + {name} {part:.4f}" for name, part in shares.items() if part) + f" = {total:.4f}"


def rounded(parts: Mapping[str, float], digits: int) -> dict[str, float]:
    """Return the parts rounded so that they add up to the rounded sum: each is what it adds to those before it."""
    sums = [0.0, *(round(each, digits) for each in itertools.accumulate(parts.values()))]
    steps = itertools.pairwise(sums)
    return {name: round(after - before, digits) for name, (before, after) in zip(parts, steps, strict=True)}
