"""Which words may say the same in some use: `thesaurus.txt`, beside the one concept that each word has.

A word of several senses stands in several rows there, so a row makes no two words one. What it says is used only where
two statements are compared: words of one that the other lacks may be the other's words of a common row (`aligning`).

It is read by its index, a line for each form, sorted, in blocks by how they begin: to make that of the text takes forty
times as long, which each start that compares two statements would pay. `soul docs` writes the index anew.
"""

from __future__ import annotations

import bisect
import functools
import itertools
from collections.abc import Iterator
from pathlib import Path

from agent_soul.judging.stems import IRREGULAR

TEXT, INDEX = (Path(__file__).with_name(f"thesaurus.{ending}") for ending in ("txt", "index"))
LONGEST = 4
"""Words of the longest phrase that is looked for."""
_ENDINGS = (
    ("ies", "y"), ("ied", "y"), ("es", ""), ("s", ""), ("ed", ""), ("ed", "e"), ("ing", ""), ("ing", "e"), ("d", ""),
    ("er", ""), ("'s", ""),
)  # fmt: skip
_SHORTEST = 2
_BEGINNING = 2


@functools.lru_cache(maxsize=65_536)
def rows_of(form: str) -> frozenset[int]:
    """Return the numbers of the rows in which a form stands, its first or last word inflected or not."""
    small = form.lower()
    forms = dict.fromkeys((small, *_uninflected(small))) if small.isascii() else (small,)
    return frozenset(row for each in forms for row in _rows(each))


def _rows(form: str) -> list[int]:
    key, blocks = f"{form}\t".encode(), _index()
    last = bisect.bisect_left(blocks, key + b"\xff")  # the one before it is the last that may hold the form
    _, is_there, rest = b"\n".join((b"", *blocks[max(last - 1, 0) : last])).partition(b"\n" + key)
    return [int(row) for row in rest.split(b"\n", 1)[0].split()] if is_there else []


@functools.cache
def _index() -> list[bytes]:
    return INDEX.read_bytes().split(b"\n\n")


def index(text: str | None = None) -> str:
    """Return the index of a thesaurus, of ours by default: each form, a tab, and the numbers of its rows; sorted.

    A blank line parts those that begin otherwise.
    """
    rows: dict[str, list[str]] = {}
    for number, line in enumerate((TEXT.read_text(encoding="utf-8") if text is None else text).split("\n")):
        if line and not line.startswith(("#", "[")):
            for form in line.split(", "):
                rows.setdefault(form, []).append(str(number))
    lines = sorted((f"{form}\t{' '.join(numbers)}" for form, numbers in rows.items()), key=str.encode)  # as `bisect`
    blocks = itertools.groupby(lines, key=lambda line: line[:_BEGINNING])
    return "\n\n".join("\n".join(block) for _, block in blocks)


def _uninflected(form: str) -> Iterator[str]:
    first, blank, rest = form.partition(" ")
    for base in (first, *_bases(first)):
        before, between, last = f"{base}{blank}{rest}".rpartition(" ")
        yield from (f"{before}{between}{each}" for each in (last, *_bases(last)))


def _bases(word: str) -> Iterator[str]:
    """Yield what the word may be a form of: `stopped` of `stopp`, `stoppe` and `stop`."""
    if word in IRREGULAR:
        yield IRREGULAR[word]
    for ending, instead in _ENDINGS:
        base = word.removesuffix(ending)
        if base != word and len(base) > _SHORTEST:
            yield base + instead
            if len(base) > _SHORTEST + 1 and base[-1] == base[-2]:
                yield base[:-1] + instead
