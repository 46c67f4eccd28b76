"""The words of a text in the other language, Chinese or English: what a search without a model finds them by.

The table holds words that everybody uses, of software work first, and names nothing of any hub. It only widens what is
looked for; a model of the extra `[semantic]` does better where one is installed.
"""

from __future__ import annotations

import functools
from collections import defaultdict
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

from agent_soul.searching.stemming import stem
from agent_soul.searching.words import STOP_WORDS, fold, words

_TABLE = Path(__file__).with_name("glossary.txt")


class Glossary(NamedTuple):
    """Chinese words to English ones, and the stems of those to Chinese ones."""

    english: Mapping[str, tuple[str, ...]]
    chinese: Mapping[str, tuple[str, ...]]
    longest: int
    """Characters of the longest Chinese word."""


def translations(text: str) -> list[str]:
    """Return the words that stand for those of the text in the other language, each once, in their order."""
    table = glossary()
    found: dict[str, None] = {}
    for word in words(fold(text)):
        if word.is_cjk:
            found |= dict.fromkeys(each for part in _parts(word.text, table) for each in table.english[part])
        elif word.text not in STOP_WORDS:
            found |= dict.fromkeys(table.chinese.get(stem(word.text), ()))
    return list(found)


def _parts(run: str, table: Glossary) -> Iterator[str]:
    """Yield the words of the table that a run of characters is made of, the longest first where several begin."""
    start = 0
    while start < len(run):
        sizes = range(min(table.longest, len(run) - start), 0, -1)
        size = next((size for size in sizes if run[start : start + size] in table.english), 0)
        if size:
            yield run[start : start + size]
        start += size or 1


@functools.cache
def glossary() -> Glossary:
    """Read the table that ships with the package."""
    english: dict[str, tuple[str, ...]] = {}
    chinese: dict[str, dict[str, None]] = defaultdict(dict)
    for line in _TABLE.read_text(encoding="utf-8").split("\n"):
        if not line or line.startswith("#"):
            continue
        ours, theirs = (part.split() for part in line.split("\t"))
        for word in ours:
            english[word] = tuple(theirs)
        for word in theirs:
            chinese[stem(fold(word))] |= dict.fromkeys(ours)
    return Glossary(english, {word: tuple(rows) for word, rows in chinese.items()}, max(map(len, english)))
