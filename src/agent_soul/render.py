"""Page to Markdown, within its budget. Pure.

The text of an event is literal everywhere: escaped, on one line of its own (its detail on indented ones). The only
links are made here, from `[[id]]` of an event that has a page.
"""

from __future__ import annotations

import functools
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from agent_soul.config import Config
from agent_soul.details import more_to_say
from agent_soul.event import Event, short_id
from agent_soul.markdown import MORE, TITLE_WIDTH, document, more_folder, shorten, title_text, wikilink
from agent_soul.pages import L2_BUDGET, Line, Page, Room, View, budget_of
from agent_soul.resolve import Status
from agent_soul.text import escape_markdown
from agent_soul.tokens import estimate_tokens

_REFERENCE = re.compile(r"\\\[\\\[((?:\\?[A-Za-z0-9_.:-]){3,128})\\\]\\\](\(?)")
_OFFSET = re.compile(r"[Zz]|[+-]\d\d:?\d\d")
_MONTHS_NAMED = 6
_NOTE_WIDTH = 300
_LINE_SHARE = 4
"""A statement takes at most this part of a page's tokens, so that no page is one line or none."""
_MOST_TOKENS = 3
"""No character is estimated at more tokens; it saves most estimates of what is short."""


class Style(NamedTuple):
    """How lines look: the settings, and the home page of every id (whole and short) that `[[id]]` may name."""

    config: Config
    homes: Mapping[str, str]


class Item(NamedTuple):
    """A line as it stands on its page: the list item, and rows below it of what more its event says."""

    line: Line
    text: str
    rows: str = ""


def render_page(page: Page, style: Style) -> dict[str, str]:
    """Return the page and the pages of what it had no room for: path (from `canonical/`) to text."""
    items, left = _laid(page, style)
    if page.details:
        items, left = _with_details(page, items, style, left)
    left_out = page.lines[len(items) :]
    blocks = [_note(page, _months(left_out)), *_sections(page, items, style)]
    for view in page.views:
        lines = left.take(_view_lines(page, view, style))
        left = functools.reduce(Room.after, lines, left)
        blocks.append(_view_block(view, lines))
    blocks = blocks if page.lines or page.views else ["Nothing yet."]
    text = document(page.path, page.title, *blocks, name=page.name)
    return {page.path: text, **_more_pages(page, left_out, style)}


def shown_lines(page: Page, style: Style) -> list[Line]:
    """Return the lines that the page itself has room for, best first."""
    return [item.line for item in _laid(page, style)[0]]


def event_line(
    line: Line,
    style: Style,
    page_path: str,
    *,
    with_source: bool = True,
    when: str = "",
    more: bool = False,
    share: int = _LINE_SHARE,
) -> str:
    """Return the one line (without `- `) that shows an event on a page, in the form that the settings give it.

    `when` stands in place of the date where the page says that. `more` marks an event with more to say. The summary
    takes at most one `share`-th of the page's tokens.
    """
    event = line.event
    return style.config.line.format(
        summary=_summary(event, page_path, style, budget_of(page_path).tokens // share, more=more),
        marks=_marks(line),
        id=line.name,
        date=when or event.date,
        source=f" {event.source}" if with_source or line.against else "",
    )


def _summary(event: Event, page_path: str, style: Style, most: int, *, more: bool) -> str:
    text = shorten(event.summary, style.config.summary_width)
    literal = escape_markdown(text)
    if len(literal) * _MOST_TOKENS > most:
        while (cost := estimate_tokens(literal)) > most:
            text = shorten(text, len(text) * most // cost)
            literal = escape_markdown(text)
    if more and not text.endswith(MORE):
        literal += f" {MORE}"
    return _link(literal, page_path, style.homes) if "[[" in text else literal


def _marks(line: Line) -> str:
    """Return what is said about the statement between its text and its provenance."""
    event, verdict, marks = line.event, line.verdict, ""
    if verdict.status is not Status.ACTIVE:
        marks += f" [{verdict.reason if verdict.status is Status.SUPERSEDED else verdict.status}]"
    if line.against:
        others = f" +{len(line.against) - 1}" if len(line.against) > 1 else ""
        marks += f" ⚠ CONFLICT with {line.against[0]}{others}"
    if "decision" in event.data and event.data["decision"].get("status", "approved") != "approved":
        marks += f" [{event.data['decision']['status']}]"
    if event.valid_until:
        marks += f" [until {event.valid_until}]"
    if line.unused_since:
        marks += f" [unused since {line.unused_since}]"
    if verdict.copies > 1:
        sources = f" from {len(verdict.sources)} sources" if len(verdict.sources) > 1 else ""
        marks += f" ×{verdict.copies}{sources}"
    return marks


def _link(literal: str, page_path: str, homes: Mapping[str, str]) -> str:
    """Turn each escaped `[[id]]` that names an event with a page into a link to that page.

    A `(` right behind it would make it the name of a link to elsewhere, where Markdown knows no `[[`.
    """

    def target(found: re.Match[str]) -> str:
        id_ = found[1].replace("\\", "")
        home = homes.get(id_)
        if home is None:
            return found[0]
        return wikilink(home, page_path, escape_markdown(short_id(id_))) + found[2].replace("(", "\\(")

    return _REFERENCE.sub(target, literal)


def home_link(line: Line, page_path: str) -> str:
    """Return a space and the link to where a line is at home, empty on that page and for what does not hold."""
    elsewhere = line.verdict.status is Status.ACTIVE and line.home != page_path
    return f" {wikilink(line.home, page_path)}" if elsewhere else ""


def _item_text(line: Line, page: Page, style: Style, path: str, *, with_source: bool, in_full: bool = False) -> str:
    """Return a line of `page` as a list item of the page at `path`: `page` itself, or one of those in `more/`."""
    when = _local_time(line.event) if page.layout == "day" else ""
    more = not in_full and bool(more_to_say(line.event))
    return "- " + event_line(line, style, path, with_source=with_source, when=when, more=more)


def _local_time(event: Event) -> str:
    """Return the time of day with its offset, as the writer's clock showed it."""
    time = str(event.data["ts"])[11:]
    offset = _OFFSET.search(time)
    return time[:5] + (offset[0] if offset else "")


def _laid(page: Page, style: Style) -> tuple[list[Item], Room]:
    """Return the lines that the page has room for beside all else that it says, and the room that is left."""
    room = Room.of(budget_of(page.path)).after(document(page.path, page.title, name=page.name))
    for view in page.views:
        room = room.after("\n" + _view_block(view, []))
    items, left = _lay_lines(page, style, room)
    if len(items) < len(page.lines):
        longest_note = _note(page, Counter({month: len(page.lines) for month in _months(page.lines)}))
        items, left = _lay_lines(page, style, room.after("\n" + longest_note))
    return items, left


def _lay_lines(page: Page, style: Style, room: Room) -> tuple[list[Item], Room]:
    """Return as many lines as there is room for, best first, and the room that is left."""
    several = page.has_several_sources
    items: list[Item] = []
    headings: set[str] = set()
    for number, line in enumerate(page.lines):
        text = _item_text(line, page, style, page.path, with_source=several)
        heading = _heading(page, number, style)
        left = room.after(text)
        if heading not in headings:
            left = left.after("\n" + _section(heading, []))
        if not left.is_enough:
            break
        room = left
        headings.add(heading)
        items.append(Item(line, text))
    return items, room


def _with_details(page: Page, items: Sequence[Item], style: Style, room: Room) -> tuple[list[Item], Room]:
    """Return the lines, the best of them with what more their events say, as far as there is room."""
    several = page.has_several_sources
    result = []
    for item in items:
        literal = [_link(escape_markdown(row), page.path, style.homes) for row in more_to_say(item.line.event)]
        rows = "".join(f"\n  {row}" for row in literal)
        if rows and len(rows) < room.bytes and (left := room.after(rows)).is_enough:
            room = left
            text = _item_text(item.line, page, style, page.path, with_source=several, in_full=True)
            result.append(Item(item.line, text, rows))
        else:
            result.append(item)
    return result, room


def _heading(page: Page, number: int, style: Style) -> str:
    """Return the heading under which the line of this number (from 0) stands, empty for none."""
    if page.layout == "day":
        return ""
    if page.layout == "topic" and number > 0:
        return "Earlier"
    kind = page.lines[number].event.kind
    return style.config.headings.get(kind, kind)


def _sections(page: Page, items: Sequence[Item], style: Style) -> list[str]:
    """Return the lines under their headings, kinds in the order of the settings and a day from morning to night."""
    groups: dict[str, list[str]] = {}
    if page.layout == "kinds":
        groups = {heading: [] for heading in style.config.headings.values()}
    for number, item in enumerate(items):
        groups.setdefault(_heading(page, number, style), []).append(item.text + item.rows)
    if page.layout == "day":
        groups = {heading: lines[::-1] for heading, lines in groups.items()}
    return [_section(heading, lines) for heading, lines in groups.items() if lines]


def _section(heading: str, lines: Sequence[str]) -> str:
    return "\n".join([*([f"## {title_text(heading)}"] if heading else []), *lines])


def _view_lines(page: Page, view: View, style: Style) -> Iterator[str]:
    with_source = page.layout == "topic"  # on the page of a source all lines are its own
    for line in view.lines:
        yield f"- {event_line(line, style, page.path, with_source=with_source)}{home_link(line, page.path)}"


def _view_block(view: View, lines: Sequence[str]) -> str:
    """Return a view with the lines that have room, how many have none, and its note."""
    hidden = view.more + len(view.lines) - len(lines)
    rest = [f"- and {hidden} more: `{view.command}`"] if hidden else []
    note = [f"- {title_text(view.note, _NOTE_WIDTH)}"] if view.note else []
    return _section(view.heading, [*lines, *rest, *note])


def _months(lines: Iterable[Line]) -> Counter[str]:
    return Counter(line.event.date[:7] for line in lines)


def _note(page: Page, left_out: Counter[str]) -> str:
    """Return how many lines the page has no room for and where they are, `left_out` being their number by month."""
    if not left_out:
        return ""
    newest = sorted(left_out, reverse=True)
    named = ", ".join(f"{month} ({left_out[month]})" for month in newest[:_MONTHS_NAMED])
    older = f" and {len(newest) - _MONTHS_NAMED} older months" if len(newest) > _MONTHS_NAMED else ""
    folder = f"canonical/{more_folder(page.path)}/"
    return f"Left out for room: {left_out.total()} of {len(page.lines)}, by month in {folder}: {named}{older}."


def _more_pages(page: Page, left_out: Iterable[Line], style: Style) -> dict[str, str]:
    """Return the left-out lines by month, oldest first, in parts: what is written later changes the last part."""
    months: dict[str, list[Line]] = {}
    for line in sorted(left_out, key=lambda line: line.event.sort_key):
        months.setdefault(line.event.date[:7], []).append(line)
    return {path: text for month, lines in months.items() for path, text in _month_parts(page, month, lines, style)}


def _month_parts(page: Page, month: str, lines: Iterable[Line], style: Style) -> Iterator[tuple[str, str]]:
    stem = f"{more_folder(page.path)}/{month}"
    title = f"{shorten(page.title, TITLE_WIDTH - len(f': {month}, part 0000'))}: {month}"
    back = f"What {wikilink(page.path, f'{stem}.md')} has no room for."
    whole = Room.of(L2_BUDGET).after(document(f"{stem}.md", f"{title}, part 0000", back))
    room, parts = whole, [[]]  # type: tuple[Room, list[list[str]]]
    for line in lines:
        # With its source always: another source on the page does not change old months.
        text = _item_text(line, page, style, f"{stem}.md", with_source=True)
        room = room.after(text)
        if not room.is_enough:
            parts.append([])
            room = whole.after(text)
        parts[-1].append(text)
    for number, texts in enumerate(parts, start=1):
        part, suffix = (f", part {number}", f"-part-{number}") if number > 1 else ("", "")
        path = f"{stem}{suffix}.md"
        yield path, document(path, title + part, back, "\n".join(texts))
