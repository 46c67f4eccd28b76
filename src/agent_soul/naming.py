"""How ids are shown: short, but never so short that two events share a name. Pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from agent_soul.event import SHORT_ID, short_id


def long_names(ids: Iterable[str]) -> dict[str, str]:
    """Return how those of `ids` are shown whose first characters are not theirs alone: with as many as it takes.

    All others are shown by `short_id`. What is shown is accepted wherever an id is taken: it begins one id only.
    """
    unique = set(ids)
    starts = Counter(id_[:SHORT_ID] for id_ in unique)
    shared = sorted(id_ for id_ in unique if starts[id_[:SHORT_ID]] > 1)  # neighbors have most in common
    names = {}
    for before, id_, after in zip(["", *shared], shared, [*shared[1:], ""], strict=False):
        length = next(
            n for n in range(SHORT_ID, len(id_) + 1) if n == len(id_) or id_[:n] not in (before[:n], after[:n])
        )
        names[id_] = id_[:length] if short_id(id_) != id_ else id_
    return names
