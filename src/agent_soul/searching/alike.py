"""Which events of one reach a model finds near in meaning.

Nothing under `canonical/` depends on it: pages are the same whether a model is installed or not.
"""

from __future__ import annotations

import heapq
from collections import defaultdict
from collections.abc import Hashable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from agent_soul.searching.index import Index
from agent_soul.searching.meaning import read_events
from agent_soul.searching.vectors import Vectors

LEAST_LIKENESS = 0.6
"""Cosine of two vectors without their languages' means. Of labelled pairs four of ten conflicts and nearly nine of ten
duplicates lie above it; of any two statements two in a thousand."""
_MOST = 2_000
_ROWS = 512


class Near(NamedTuple):
    """Two events by their ids, and how alike they are, up to 1."""

    likeness: float
    one: str
    other: str


def near_pairs(index: Index, vectors: Vectors, reaches: Mapping[str, Hashable]) -> list[Near]:
    """Return the pairs of events of one reach that are near in meaning, the nearest first.

    `reaches` says by id where an event holds; events that it lacks are left out.
    """
    read = read_events(index, vectors)
    found = index.found(read.numbers)
    ids = [found[number].id for number in read.numbers]
    groups: dict[Hashable, list[int]] = defaultdict(list)
    for row, id_ in enumerate(ids):
        if id_ in reaches:
            groups[reaches[id_]].append(row)
    rows = read.bare()
    pairs = (pair for group in groups.values() if len(group) > 1 for pair in _near_in(rows[group], group))
    best = heapq.nlargest(_MOST, ((likeness, ids[one], ids[other]) for likeness, one, other in pairs))
    return [Near(*pair) for pair in best]


def _near_in(rows: Any, numbers: Sequence[int]) -> Iterator[tuple[float, int, int]]:
    """Yield each near pair of `rows` once; not all at a time, as 20,000 by 20,000 likenesses would take gigabytes."""
    import numpy as np

    for start in range(0, len(rows), _ROWS):
        likenesses = rows[start : start + _ROWS] @ rows[start:].T
        for one, other in np.argwhere(likenesses >= LEAST_LIKENESS).tolist():
            if other > one:
                yield float(likenesses[one, other]), numbers[start + one], numbers[start + other]
