"""What every reader of records shares: cleaned text, Markdown in blocks, rules by heading, and the event itself."""

from __future__ import annotations

import hashlib
import json
import re
import unicodedata
import uuid
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, NamedTuple

Event = dict[str, Any]

_IDS = uuid.UUID("6f1d0f0e-7f0e-5a39-9c51-0a8b1c0c7a11")
_SUMMARY_ROOM = 480


def event(
    origin: str, ts: str, source: str, kind: str, scope: str, summary: str, importance: float = 0.5, **fields: Any
) -> Event:
    """Return an event of the design's shape; fields without a value are left out.

    The id is made from origin, ts and summary: a changed rule changes only the ids of what it touches.
    """
    summary = short(summary, _SUMMARY_ROOM)
    return {
        "event_id": str(uuid.uuid5(_IDS, f"{origin}\n{ts}\n{summary}")),
        "ts": ts,
        "source": source,
        "kind": kind,
        "scope": scope,
        "summary": summary,
        "importance": importance,
        **{name: value for name, value in fields.items() if value},
        "origin": {"tool": origin.split("/")[0], "id": origin},
    }


def superseding(newer: Event, older: Iterable[str]) -> Event:
    """Return the event with these ids added to those that it supersedes."""
    return {**newer, "supersedes": sorted({*newer.get("supersedes", ()), *older})}


def decision(rationale: str, room: int, by: str, status: str = "approved") -> dict[str, str]:
    """Return the field of a decision, its rationale cut to the room in characters."""
    return {"status": status, "rationale": short(rationale, room), "by": by}


def at(day: str, minute: int) -> str:
    """Return the UTC time so many minutes after 08:00 of a day."""
    return utc(datetime.fromisoformat(day).replace(hour=8, tzinfo=UTC) + timedelta(minutes=minute))


def utc(moment: datetime) -> str:
    """Return an event's `ts` for a moment in UTC."""
    return moment.strftime("%Y-%m-%dT%H:%M:%SZ")


def share_of(text: str, parts: int) -> int:
    """Return a number below `parts` that looks like chance and is always the same for the text."""
    return int(hashlib.sha256(text.encode()).hexdigest()[:8], 16) % parts


def json_lines(files: Iterable[Path]) -> Iterator[Any]:
    """Yield the values of files with one JSON value a line."""
    for file in files:
        # Not `splitlines`: it would also cut at the line separators that a JSON string may hold.
        yield from (json.loads(line) for line in read(file).split("\n") if line.strip())


def read(file: Path) -> str:
    return file.read_text(encoding="utf-8")


def clean(text: str) -> str:
    """Return Markdown as one line of plain text."""
    text = re.sub(r"\[\[([^\]]+)\]\]", r"\1", text)
    text = re.sub(r"!?\[([^\]]*)\]\([^)]*\)", r"\1", text)
    text = re.sub(r"\*\*|`|__", "", text)
    return re.sub(r"\s+", " ", _printable(text)).strip(" |")


def _printable(text: str) -> str:
    """Return the text without control, format and private characters, emoji variants and telephone numbers."""
    kept = "".join(
        char
        for char in text
        if char in "\n\t" or (unicodedata.category(char) not in {"Cc", "Cf", "Co", "Cs"} and char not in "\ufe0e\ufe0f")
    )
    return re.sub(r"\b0\d{9}\b", "[number]", kept)


def short(text: str, room: int) -> str:
    """Return the clean text, cut to the room at the end of a sentence, a clause or a word."""
    text = clean(text)
    if len(text) <= room:
        return text
    ends = (text.rfind(mark, 0, room) for mark in (". ", "; ", ", ", " "))
    return text[: next((end for end in ends if end > room / 2), room)].rstrip(" ,;") + " …"


def first_sentence(text: str, room: int) -> str:
    """Return the first sentence of at least 40 characters, or as much of the clean text as there is room for."""
    text = clean(text)
    sentence = re.match(rf"(.{{40,{room}}}?[.!?])(?:\s|$)", text)
    return sentence[1] if sentence else short(text, room)


def body(text: str, room: int = 3000) -> str:
    """Return a detail: the text with its lines, as many of them as there is room for."""
    text = _printable(text).strip()
    return text if len(text) <= room else text[:room].rsplit("\n", 1)[0] + "\n…"


def undated(heading: str) -> str:
    """Return the clean heading without the signs, dates and times at its beginning."""
    heading = re.sub(r"^[^\w(]+", "", clean(heading))
    heading = re.sub(r"\(?\d{4}-\d\d-\d\d\)?( \d\d:\d\d)?( ?UTC)?\s*[—–-]*\s*", "", heading)
    return re.sub(r"^[\d.:–\- ]+(?:UTC)?\s*[—–-]*\s*", "", heading).strip()


def front_matter(text: str) -> tuple[dict[str, str], str]:
    """Return the plain fields of the front matter, and the text below it."""
    found = re.match(r"---\n(.*?)\n---\n", text, re.DOTALL)
    if not found:
        return {}, text
    return dict(re.findall(r"(?m)^(\w[\w-]*):[ ]*(.*)$", found[1])), text[found.end() :]


def sections(text: str, level: int) -> list[tuple[str, str]]:
    """Return heading and text of each section of this level."""
    parts = re.split(rf"(?m)^{'#' * level}\s+(.*)$", text)
    return list(zip(parts[1::2], parts[2::2], strict=True))


class Block(NamedTuple):
    """An item, a table row or a paragraph: the headings above it, its own text, and the lines below it."""

    headings: tuple[str, ...]
    text: str
    rest: str

    @property
    def heading(self) -> str:
        return self.headings[-1] if self.headings else ""


def blocks(text: str, *, with_intros: bool = False) -> list[Block]:
    """Return the blocks of a Markdown text; a line that ends in a colon with nothing below it only `with_intros`."""
    reader = _BlockReader()
    for line in text.split("\n"):
        reader.take(line)
    reader.close()
    whole = [
        block._replace(text=f"{block.text} {block.rest.strip().splitlines()[0]}")
        if block.text.endswith(":") and block.rest.strip()
        else block
        for block in reader.done
    ]
    return [block for block in whole if with_intros or block.rest or not block.text.endswith(":")]


@dataclass
class _OpenBlock:
    text: str
    is_item: bool
    rest: list[str] = field(default_factory=list)


class _BlockReader:
    """The state of reading Markdown line by line; `done` grows."""

    def __init__(self) -> None:
        self.done: list[Block] = []
        self._headings: list[tuple[int, str]] = []
        self._open: _OpenBlock | None = None
        self._columns: list[str] = []
        self._in_code = False

    def take(self, line: str) -> None:
        """Read the next line."""
        if line.startswith("```"):
            self._in_code = not self._in_code
        elif self._in_code:
            self._take_code(line)
        elif heading := re.match(r"(#{1,5})\s+(.*)", line):
            self._take_heading(len(heading[1]), heading[2])
        elif not line.strip():
            if self._open and not self._open.is_item:
                self.close()
        elif line.startswith(">") or re.match(r"\s*([-*_]\s*){3,}$", line):
            self.close()
        elif line.startswith("|"):
            self._take_row([clean(cell) for cell in line.strip().strip("|").split("|")])
        elif item := re.match(r"(?:[-*]|\d+\.)\s+(?:\[[ x]\]\s+)?(.*)", line):
            self.close()
            self._open = _OpenBlock(item[1], is_item=True)
        else:
            self._take_text(line)

    def close(self) -> None:
        """End the block that is being read, if any."""
        if self._open:
            self._add(self._open.text, "\n".join(self._open.rest))
        self._open = None

    def _add(self, text: str, rest: str) -> None:
        self.done.append(Block(tuple(title for _, title in self._headings), text, rest))

    def _take_code(self, line: str) -> None:
        if self._open:
            self._open.rest.append(line)
        elif self.done and self.done[-1].text.endswith(":"):
            last = self.done[-1]
            self.done[-1] = last._replace(rest=f"{last.rest}\n{line}".strip("\n"))

    def _take_heading(self, level: int, title: str) -> None:
        self.close()
        self._columns = []
        self._headings = [above for above in self._headings if above[0] < level] + [(level, clean(title))]

    def _take_row(self, cells: list[str]) -> None:
        self.close()
        if set("".join(cells)) <= set("-: "):
            return
        if not self._columns:
            self._columns = cells
            return
        named = zip(self._columns[1:], cells[1:], strict=False)
        row = "; ".join(f"{column}: {cell}" if column else cell for column, cell in named if cell)
        self._add(f"{cells[0]} — {row}", "")

    def _take_text(self, line: str) -> None:
        if self._open and not self._open.is_item:
            self._open.text += f" {line.strip()}"
        elif self._open and line.startswith((" ", "\t")):
            self._open.rest.append(line)
        else:
            self.close()
            self._open = _OpenBlock(line.strip(), is_item=False)


def in_one_line(some: Iterable[Block], room: int = 400) -> str:
    """Return the clean texts of blocks, as many of them as there is room for."""
    line = ""
    for block in some:
        text = clean(block.text).rstrip(" ;:.")
        if line and len(line) + len(text) > room:
            return line + " …"
        line += f"; {text}" if line else text
    return line


def by_heading(text: str) -> list[Block]:
    """Return one block for each heading: the texts below it in one line, and as a list."""
    found: dict[tuple[str, ...], list[Block]] = {}
    for block in blocks(text, with_intros=True):
        found.setdefault(block.headings, []).append(block)
    return [Block(headings, in_one_line(some), as_list(some)) for headings, some in found.items()]


def as_list(some: Iterable[Block]) -> str:
    """Return the blocks as a Markdown list."""
    return "\n".join(f"- {block.text}" + (f"\n{block.rest}" if block.rest else "") for block in some)


class Rule(NamedTuple):
    """What a block becomes when the pattern is in its headings, joined by ' / '; no kind: nothing."""

    pattern: str
    kind: str = ""
    scope: str = "project"
    importance: float = 0.5
    summary: str = "{heading}: {text}"


class Page(NamedTuple):
    """A Markdown file of rules and facts, and how it is read."""

    name: str
    day: str
    source: str
    rules: tuple[Rule, ...]
    grouped: str = ""  # pattern of the headings whose blocks become one
    least: int = 0  # characters of a text that says something


def ruled_blocks(file: Path, page: Page) -> Iterator[tuple[int, Block, Rule]]:
    """Yield place, block and first rule that fits, for every block of a page that becomes an event."""
    text = read(file)
    found = blocks(text)
    if page.grouped:
        found = [block for block in found if not re.search(page.grouped, block.heading)]
        found += [block for block in by_heading(text) if re.search(page.grouped, block.heading)]
    for place, block in enumerate(found):
        path = " / ".join(block.headings)
        rule = next((rule for rule in page.rules if re.search(rule.pattern, path)), None)
        if rule and rule.kind and len(clean(block.text)) >= page.least:
            yield place, block, rule
