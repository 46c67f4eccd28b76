"""One item in a list of a YAML file, edited as text: the library here reads YAML and cannot write it as it was. Pure.

What cannot be told from the lines alone is left to a person: the library reads the result, and must find in it what
was there before, and our item.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from agent_soul.runtimes.edits import Mark, OddFileError, newline_of, with_newlines_of

_VALUE = r"(?P<value>\[.*\]|[^\s\[{#&*!|>].*?)"
"""A list on one line, or one word; no anchor, tag, block or mapping."""
_LINE_END = r"(?=[ \t]*(?:[ \t]#.*)?\r?$)"


@dataclass(frozen=True, slots=True)
class ListItem:
    """`item` in the list at the top-level key `key`."""

    key: str
    item: str

    @property
    def snippet(self) -> str:
        return f"{self.key}:\n  - {self._written()}\n"

    def put(self, text: str) -> str:
        said = _load(text)
        there = said.get(self.key)
        if isinstance(there, list) and self.item in there:
            return text
        if there is None and self.key in said:
            raise OddFileError(f"its {self.key!r} is empty")
        wanted = [*(there if isinstance(there, list) else [] if there is None else [there]), self.item]
        after = self._appended(text) if there is None else self._inserted(text)
        return _checked(after, said | {self.key: wanted})

    def take_out(self, text: str) -> str:
        said = _load(text)
        there = said.get(self.key)
        if not isinstance(there, list) or self.item not in there:
            return text
        end = re.escape(self._written())
        rest, number = re.subn(rf"(?m)^[ \t]*- {end}[ \t]*(?:\r?\n|\Z)", "", text)
        if not number:
            ours = rf"(?:,[ \t]*{end}(?=[ \t]*[\],])|{end}[ \t]*,[ \t]*|{end}(?=[ \t]*\]))"
            one_line = rf"(?m)^({re.escape(self.key)}:[ \t]*\[.*?){ours}"
            rest, number = re.subn(one_line, r"\1", text, count=1)
        left = [each for each in there if each != self.item]
        if not left:
            rest = re.sub(rf"(?m)^{re.escape(self.key)}:[ \t]*(?:\[[ \t]*\])?[ \t]*(?:\r?\n|\Z)", "", rest)
        others = {key: value for key, value in said.items() if key != self.key}
        return _checked(rest if number else text, others | ({self.key: left} if left else {}))

    def marks(self, text: str) -> Sequence[Mark]:
        return ()

    def _appended(self, text: str) -> str:
        gap = "" if not text or text.endswith("\n") else "\n"
        return text + with_newlines_of(text, gap + self.snippet)

    def _inserted(self, text: str) -> str:
        """Put the item behind the one value, or the list, that stands on the line of the key; else below its items."""
        found = re.search(rf"(?m)^{re.escape(self.key)}:[ \t]+{_VALUE}{_LINE_END}", text)
        if not found:
            return self._inserted_below(text)
        value = found["value"]
        inner = value[1:-1] if value.startswith("[") else value
        both = ", ".join(filter(str.strip, [inner.rstrip(" \t,"), self._written()]))
        return f"{text[: found.start('value')]}[{both}]{text[found.end('value') :]}"

    def _inserted_below(self, text: str) -> str:
        """Put the item after the last one of a list whose items stand on lines of their own."""
        lines = text.split("\n")
        start = next((number for number, line in enumerate(lines) if re.match(rf"{self.key}:\s*(#|$)", line)), None)
        items = [number for number in range((start or 0) + 1, len(lines)) if _is_item(lines, start, number)]
        if start is None or not items:
            raise OddFileError(f"its {self.key!r} is no list with its items on lines of their own")
        indent = lines[items[0]][: lines[items[0]].index("-")]
        last = lines[items[-1]]
        is_end = items[-1] == len(lines) - 1
        added = f"{indent}- {self._written()}" + ("\r" if newline_of(text) == "\r\n" and not is_end else "")
        lines[items[-1] : items[-1] + 1] = [last + ("\r" if is_end and newline_of(text) == "\r\n" else ""), added]
        return "\n".join(lines)

    def _written(self) -> str:
        return (
            self.item if re.fullmatch(r"[\w/.~-]+", self.item, re.ASCII) else json.dumps(self.item, ensure_ascii=False)
        )


def _is_item(lines: Sequence[str], start: int | None, number: int) -> bool:
    """Tell whether a line is an item of the list that begins after the line `start`."""
    between = lines[(start or 0) + 1 : number]
    return bool(re.match(r"\s*- ", lines[number])) and all(re.match(r"\s*(?:- |#|$)", line) for line in between)


def _load(text: str) -> dict[Any, Any]:
    import yaml  # only Aider's settings need it

    try:
        said = yaml.safe_load(text)
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        first = str(error).split("\n")[0]
        raise OddFileError(f"it is no YAML: {first}") from error
    if said is None:
        return {}
    if not isinstance(said, dict):
        raise OddFileError("it holds no keys")
    return said


def _checked(text: str, wanted: dict[Any, Any]) -> str:
    if _load(text) != wanted:
        raise OddFileError("it is written in a way in which no line can be added or taken safely")
    return text
