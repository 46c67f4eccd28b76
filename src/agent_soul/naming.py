"""How ids are shown: short, but never so short that two events share a name. Pure."""

from __future__ import annotations

import posixpath
from collections import defaultdict
from collections.abc import Iterable, Mapping

from agent_soul.event import short_id


def shown_ids(ids: Iterable[str]) -> Mapping[str, str]:
    """Return the shown form of those of `ids` whose usual short form another one shares.

    All others are shown by `short_id`. A shown form is accepted wherever an id is taken, because it begins one id only.
    """
    groups: dict[str, list[str]] = defaultdict(list)
    for id_ in set(ids):
        groups[short_id(id_)].append(id_)
    return {
        id_: _unique_start(id_, group, len(short)) for short, group in groups.items() if len(group) > 1 for id_ in group
    }


def _unique_start(id_: str, group: Iterable[str], shortest: int) -> str:
    """Return the shortest start of `id_`, `shortest` or longer, that no other id of the group has."""
    shared = max(len(posixpath.commonprefix([id_, other])) for other in group if other != id_)
    return id_[: max(shared + 1, shortest)]
