"""What holds now and an agent has not read, and what it has read and does not hold any more. Pure.

An agent reads L0 and L1 from files of its own program before any hook runs; what came since is told by the hook.
"""

from __future__ import annotations

import hashlib
import re
import string
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from agent_soul.contexts.asking import Memory
from agent_soul.hooking.envelope import MOST_TEXT_BYTES, text_bytes
from agent_soul.identity import L0_FILES, statements
from agent_soul.markdown import title_text
from agent_soul.pages import PROFILE, STABLE, Line, home_of, plan_pages
from agent_soul.render import Style, event_line, shown_lines
from agent_soul.resolve import Status
from agent_soul.text import neutralise

_SECTIONS = {PROFILE: "Profile", STABLE: "Stable memory"}
_ENDED_SECTION = "No longer holds"
_ENDED = frozenset({Status.QUARANTINED, Status.RETRACTED, Status.SUPERSEDED, Status.ARCHIVED, Status.EXPIRED})
_WIDTH = 80
_CONFLICT = "⚠ CONFLICT"
_FIELDS = {
    "summary": ".*",
    "marks": ".*",
    "id": r"(?P<id>[A-Za-z0-9_.:-]+)",
    "date": r"[0-9-]+",
    "source": r"(?: [a-z0-9-]+)?",
}
_REPORT_SHARE = 4
"""What is reported before the memory takes at most this part of the room."""


class Row(NamedTuple):
    """One line to tell. `key` is the same as long as it says the same: an event in a conflict says something else."""

    key: str
    section: str
    text: str


class Told(NamedTuple):
    """What is told, and the keys of the rows that it holds."""

    text: str
    keys: frozenset[str]


def current_rows(memory: Memory) -> list[Row]:
    """Return what every agent should have read, line by line: L0, then the events that the pages of L1 show."""
    return [*_identity_rows(memory.identity), *_page_rows(memory)]


def keys_read(rows: Iterable[Row], text: str, line_format: str) -> frozenset[str]:
    """Return the keys of those of the rows that `text`, which an agent has read, says."""
    said = {_statement_key(line) for line in text.split("\n")} | event_keys(text, line_format)
    return frozenset(row.key for row in rows if row.key in said)


def ended_rows(memory: Memory, shown: Collection[str]) -> list[Row]:
    """Return what does not hold any more of the events whose keys are `shown`, with the reason."""
    resolution = memory.resolution
    found = []
    for verdict in (each for each in resolution.verdicts if each.status in _ENDED):
        name = resolution.name_of(verdict.event.id)
        if not {name, name + _CONFLICT}.isdisjoint(shown):
            why = title_text(verdict.reason or verdict.status, _WIDTH)
            said = f"- {title_text(verdict.event.summary, _WIDTH)} ({name} {verdict.event.date}): {why}"
            found.append(Row(f"ended {name}", _ENDED_SECTION, said))
    return found


def tell(head: str, report: Sequence[str], rows: Sequence[Row], more: str) -> Told:
    """Return the head, the report and the rows under their sections, within what every program takes whole.

    `more` says, with the number of lines for which there was no room, how to see them.
    """
    room = MOST_TEXT_BYTES - text_bytes(f"{head}\n\n{more}\n") - len(str(len(rows) + len(report)))
    said = _fitting(report, room // _REPORT_SHARE)
    room -= sum(text_bytes(f"{row}\n") for row in said)
    blocks = ["\n".join([head, *said])]
    taken = _fitting_rows(rows, room)
    blocks += [
        "\n".join([f"## {section}", *(row.text for row in taken if row.section == section)])
        for section in dict.fromkeys(row.section for row in taken)
    ]
    left_out = len(rows) + len(report) - len(taken) - len(said)
    blocks += [more.format(left_out)] if left_out else []
    return Told("\n\n".join(blocks) + "\n", frozenset(row.key for row in taken))


def _fitting(texts: Iterable[str], room: int) -> list[str]:
    taken = []
    for text in texts:
        if (size := text_bytes(f"{text}\n")) <= room:
            room -= size
            taken.append(text)
    return taken


def _fitting_rows(rows: Iterable[Row], room: int) -> list[Row]:
    """Return those of the rows, first to last, that there is room for with the headings of their sections."""
    taken: list[Row] = []
    sections: set[str] = set()
    for row in rows:
        heading = "" if row.section in sections else f"\n## {row.section}\n"
        size = text_bytes(f"{heading}{row.text}\n")
        if size <= room:
            room -= size
            sections.add(row.section)
            taken.append(row)
    return taken


def _identity_rows(identity: Mapping[str, str]) -> Iterator[Row]:
    for name in (name for name in L0_FILES if name in identity):
        for said in statements(identity[name]):
            headings = [heading.lstrip("# ") for heading in said.headings] or [name]
            yield Row(_statement_key(said.text), neutralise(" / ".join(headings)), neutralise(said.text))


def _page_rows(memory: Memory) -> Iterator[Row]:
    style = Style(memory.config, {})
    among = [verdict for verdict in memory.resolution.active if home_of(verdict.event) in _SECTIONS]
    for page in plan_pages(memory.resolution, memory.conflicts, memory.config, among=among):
        if page.path in _SECTIONS:
            for line in shown_lines(page, style):
                yield Row(_event_key(line), _SECTIONS[page.path], f"- {event_line(line, style, page.path)}")


def _event_key(line: Line) -> str:
    return line.name + (_CONFLICT if line.against else "")


def event_keys(text: str, line_format: str) -> set[str]:
    """Return the keys of the events that the list items of a text show, which have the form of `Config.line`."""
    form = re.compile(rf"^- {_pattern(line_format)}\r?$", re.MULTILINE)
    shown = {found["id"]: found[0] for found in form.finditer(text)}
    return shown.keys() | {id_ + _CONFLICT for id_, line in shown.items() if _CONFLICT in line}


def _pattern(line_format: str) -> str:
    parts = string.Formatter().parse(line_format)
    return "".join(re.escape(literal) + (_FIELDS.get(field or "") or "") for literal, field, _, _ in parts)


def _statement_key(line: str) -> str:
    """Return a short key for what a line of L0 says; how far it is indented does not matter."""
    return hashlib.blake2b(line.strip().encode("utf-8", "replace"), digest_size=6).hexdigest()
