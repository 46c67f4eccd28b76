"""Which words may say the same in some use: the thesaurus `kin.txt`, beside the one concept that each word has.

A word of several senses stands in several rows there, so a row makes no two words one. What it says is used only where
two statements are compared: words of one that the other lacks may be the other's words of a common row (`aligning`).
"""

from __future__ import annotations

import functools
from collections.abc import Iterator

from agent_soul.judging.lexicon import sections

LONGEST = 4
"""Words of the longest phrase that is looked for."""
_ENDINGS = (
    ("ies", "y"), ("ied", "y"), ("es", ""), ("s", ""), ("ed", ""), ("ed", "e"), ("ing", ""), ("ing", "e"), ("d", ""),
    ("er", ""), ("'s", ""),
)  # fmt: skip
_SHORTEST = 2


@functools.lru_cache(maxsize=65_536)
def rows_of(form: str) -> frozenset[int]:
    """Return the numbers of the rows in which a form stands, its first or last word inflected or not."""
    known = _index()
    small = form.lower()
    if small in known or not small.isascii():
        return frozenset(known.get(small, ()))
    return frozenset(row for other in _uninflected(small) for row in known.get(other, ()))


def _uninflected(form: str) -> Iterator[str]:
    first, blank, rest = form.partition(" ")
    for base in (first, *_bases(first)):
        before, between, last = f"{base}{blank}{rest}".rpartition(" ")
        yield from (f"{before}{between}{each}" for each in (last, *_bases(last)))


def _bases(word: str) -> Iterator[str]:
    """Yield what the word may be a form of: `stopped` of `stopp`, `stoppe` and `stop`."""
    for ending, instead in _ENDINGS:
        base = word.removesuffix(ending)
        if base != word and len(base) > _SHORTEST:
            yield base + instead
            if len(base) > _SHORTEST + 1 and base[-1] == base[-2]:
                yield base[:-1] + instead


@functools.cache
def _index() -> dict[str, list[int]]:
    """Return the rows of each form. It takes some 10 ms, once two statements are compared."""
    rows: dict[str, list[int]] = {}
    for number, row in enumerate(sections("kin.txt")["kin"]):
        for form in row.split(", "):
            rows.setdefault(form, []).append(number)
    return rows
