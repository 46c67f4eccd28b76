"""Which words may say the same in some use: the thesaurus `kin.txt`, beside the one concept that each word has.

A word of several senses stands in several rows there, so a row makes no two words one. What it says is used where two
statements are compared: a word of one that the other lacks may be the other's word of a common row (see `aligning`).
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Sequence
from typing import NamedTuple

from agent_soul.judging.quantities import DIGITS, HOURS, MONTHS, NUMBER_WORDS, UNITS, WEEKDAYS

_MEASURES = frozenset({*NUMBER_WORDS, *MONTHS, *WEEKDAYS, *HOURS, *UNITS, "half", "first", "second", "third"})
_BEGINS_A_MEASURE = frozenset(f"0123456789{DIGITS}十百千万半几第每")


class Kin(NamedTuple):
    """What the thesaurus adds: forms with the concept that they turn out to have, and the rows of other forms."""

    concepts: dict[str, str]
    like: dict[str, str]
    """Of each of these forms one that the tables know and that it is in all else like."""
    rows: dict[str, tuple[int, ...]]
    """The rows of each form that stands beside forms of other concepts."""


def kin_of(
    rows: Sequence[Sequence[str]], concept_of: Callable[[str], str | None], may_join: Callable[[str], bool]
) -> Kin:
    """Work out what the rows of the thesaurus add to the tables.

    `concept_of` gives the concept of a form that the tables know; `may_join` tells whether a phrase that they do not
    know may be read as one word. A form of one row, whose other forms are of one concept, is of that concept.
    """
    held = Counter(form for row in rows for form in row)
    concepts: dict[str, str] = {}
    like: dict[str, str] = {}
    at: dict[str, list[int]] = defaultdict(list)
    for number, row in enumerate(rows):
        known = {form: concept for form in row if (concept := concept_of(form))}
        new = [form for form in row if form not in known and not _is_measure(form) and may_join(form)]
        if len(set(known.values())) <= 1:
            alone = [form for form in new if held[form] == 1]
            concepts |= dict.fromkeys(alone, next(iter(known.values()), row[0]))
            like |= dict.fromkeys(alone, next(iter(known))) if known else {}
        concepts |= {form: form for form in new if form not in concepts}
        for form in (*known, *new):
            at[form].append(number)
    return Kin(concepts, like, {form: tuple(numbers) for form, numbers in at.items()})


def _is_measure(form: str) -> bool:
    """Tell whether a form could hide a number from who measures it."""
    return form[0] in _BEGINS_A_MEASURE or not _MEASURES.isdisjoint(form.split(" "))
