"""Whole lines of a text file, such as patterns of what Git does not see. Pure."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from agent_soul.runtimes.edits import Mark, newline_of


@dataclass(frozen=True, slots=True)
class Lines:
    """These lines, each once, at the end of the file."""

    lines: tuple[str, ...]

    @property
    def snippet(self) -> str:
        return "".join(f"{line}\n" for line in self.lines)

    def put(self, text: str) -> str:
        there = {line.rstrip("\r") for line in text.split("\n")}
        newline = newline_of(text)
        for line in self.lines:
            if line not in there:
                text += ("" if not text or text.endswith("\n") else newline) + line + newline
        return text

    def take_out(self, text: str) -> str:
        for line in self.lines:
            text = re.sub(rf"(?m)^{re.escape(line)}(?:\r?\n|\Z)", "", text)
        return text

    def marks(self, text: str) -> Sequence[Mark]:
        return ()
