"""The text of a record as it is to be stored: NFC, tidy white space, nothing hidden. Pure."""

from __future__ import annotations

import math
import unicodedata
from collections.abc import Mapping
from typing import Any

from agent_soul.text import clean_block, clean_line, describe_hidden, find_hidden

_BLOCKS = frozenset({"detail", "rationale", "context"})
# Written for programs: tidying these would let `source\n` pass for `source`.
_EXACT = frozenset(
    ("event_id", "ts", "source", "kind", "scope", "supersedes", "derived_from", "valid_from", "valid_until")
)
# What a line of JSON holds where a string has an escape, two blanks in a row, or one at its begin or end.
_UNTIDY = ("\\", "  ", '" ', ' ",', ' ":', ' "}', ' "]')


def clean_fields(place: str, fields: Mapping[str, Any], faults: list[str]) -> dict[str, Any]:
    """Return the fields with their text as it is to be stored, unknown ones too; add what may not be to `faults`."""
    cleaned = {}
    for name, value in fields.items():
        inside = f"{place}.{name}" if place else name
        if not _is_tidy(name):
            _note_hidden(f"the name of {inside!r}", name, faults)
        cleaned[name] = value if isinstance(value, str) and _is_tidy(value) else _clean(inside, name, value, faults)
    return cleaned


def is_tidy_json(line: str) -> bool:
    """Tell whether cleaning would surely change nothing in any string of a line of JSON, names of fields included.

    One look at the line costs a tenth of a look at each of its strings. NFC of the whole is NFC of its parts.
    """
    if not line.isprintable():  # white space other than the blank is not
        return False
    for mark in _UNTIDY:
        if mark in line:
            return False
    return line.isascii() or (not find_hidden(line) and unicodedata.is_normalized("NFC", line))


def _clean(place: str, name: str, value: Any, faults: list[str]) -> Any:
    """Return a value cleaned; `place` names it in messages, `name` is its field's own name."""
    if isinstance(value, str):
        _note_hidden(place, value, faults)
        if name in _EXACT:
            return value
        return clean_block(value) if name in _BLOCKS else clean_line(value)
    if isinstance(value, (list, tuple)):
        return [_clean(f"{place}.{number}", name, item, faults) for number, item in enumerate(value)]
    if isinstance(value, Mapping):
        return clean_fields(place, value, faults)
    if isinstance(value, float) and not math.isfinite(value):
        faults.append(f"{place}: {value} is not a number that JSON knows")
    return value


def _is_tidy(text: str) -> bool:
    """Tell whether cleaning would surely change nothing, as for most texts it does not."""
    return text.isascii() and text.isprintable() and "  " not in text and text[:1] != " " and text[-1:] != " "


def _note_hidden(place: str, text: str, faults: list[str]) -> None:
    """Positions count in the text as it was given, because there the writer has to look."""
    hidden = find_hidden(text)
    if hidden:
        faults.append(f"{place}: holds characters that nobody can see: {describe_hidden(hidden)}")
