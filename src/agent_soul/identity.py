"""The four files that people write about themselves and their agent (L0): what in them is filled in. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from agent_soul.pages import Budget

L0_FILES = ("SOUL.md", "IDENTITY.md", "USER.md", "VOICE.md")
L0_BUDGET = Budget(1_500, 6 << 10)
UNFILLED = re.compile(r"\[(?:fill in|填写)[:：][^\]\n]*\]?", re.IGNORECASE)
EXAMPLE = re.compile(r"^> ?[✔✘]", re.MULTILINE)
_TO_THE_OWNER = re.compile(r"^> Owner:")
_COMMENT = re.compile(r"<!--.*?-->", re.DOTALL)
_HEADING = re.compile(r"(#{1,6}) ")


class Statement(NamedTuple):
    """A line of one of the files, and the headings that it stands under, outermost first."""

    text: str
    headings: tuple[str, ...]


def has_template_in(text: str) -> bool:
    """Tell whether a file still holds a place to be filled in, an example, or a word to its owner."""
    lines = _COMMENT.sub("", text).split("\n")
    return any(UNFILLED.search(line) or EXAMPLE.match(line) or _TO_THE_OWNER.match(line) for line in lines)


def statements(text: str) -> Iterator[Statement]:
    """Yield what a file says, line by line; places still to be filled in, examples and comments say nothing."""
    headings: list[str] = []
    for line in filter(str.strip, _COMMENT.sub("", text).split("\n")):
        if heading := _HEADING.match(line):
            above = (each for each in headings if len(each.split(" ")[0]) < len(heading[1]))
            headings = [*above, line.rstrip()]
        elif not (UNFILLED.search(line) or EXAMPLE.match(line) or _TO_THE_OWNER.match(line)):
            yield Statement(line.rstrip(), tuple(headings))
