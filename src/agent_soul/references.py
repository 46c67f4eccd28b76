"""Ids that a record names: written out whole before it is kept, because a line is read without knowing the others.

Pure. People and agents name events by the few characters that pages show.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterable, Mapping, Sequence
from itertools import islice
from typing import Any, Protocol

from agent_soul.errors import RefusedError
from agent_soul.event import Event

_LISTS = ("supersedes", "derived_from")
NAMING_FIELDS = frozenset({*_LISTS, "mark"})
"""Fields that name other events; most records have none of them."""
_IDS_NAMED = 5
_LINK = re.compile(r"\[\[([A-Za-z0-9_.:-]{3,128})\]\]")


class Ids(Protocol):
    """The ids of a hub's events, found by how they begin."""

    def beginning_with(self, wanted: str) -> list[str]:
        """Return the ids that begin so; the one alone where one is exactly that."""
        ...


class KnownIds:
    """Ids in memory; looking one up takes as long for a thousand as for a million."""

    def __init__(self, ids: Iterable[str]) -> None:
        self._sorted = sorted(set(ids))

    def beginning_with(self, wanted: str) -> list[str]:
        start = bisect_left(self._sorted, wanted)
        if not wanted:
            return []
        if self._sorted[start : start + 1] == [wanted]:
            return [wanted]
        found = []
        for id_ in islice(self._sorted, start, None):
            if not id_.startswith(wanted):
                break
            found.append(id_)
        return found


def links_in(*texts: str) -> list[str]:
    """Return the ids that stand in the texts as `[[id]]`, each once, as they are written."""
    return list(dict.fromkeys(id_ for text in texts if "[[" in text for id_ in _LINK.findall(text)))


def links_of(event: Event) -> list[str]:
    """Return what an event refers to: the `[[id]]` in its texts, then the ids that it was made from."""
    named = links_in(event.summary, str(event.data.get("detail", "")))
    return list(dict.fromkeys([*named, *event.data.get("derived_from", ())]))


def named_ids(record: Mapping[str, Any]) -> list[str]:
    """Return the ids of other events that a record names, as they stand in it; what is no id is left out."""
    lists = [record.get(name) for name in _LISTS]
    mark = record.get("mark")
    if isinstance(mark, Mapping) and mark.get("action") != "alias":  # an alias names projects, not events
        lists.append(mark.get("targets"))
    return [id_ for ids in lists for id_ in _listed(ids) if isinstance(id_, str)]


def with_whole_ids(record: Mapping[str, Any], known: Ids) -> tuple[dict[str, Any], list[str]]:
    """Return the record with the ids of other events written out, and what to say about ids that nothing here has.

    Raises `RefusedError` where an id begins those of several events.
    """
    result, warnings = dict(record), []

    def whole(name: str, ids: Any) -> Any:
        found = []
        for id_ in _listed(ids):
            complete = _whole(id_, known) if isinstance(id_, str) else id_
            found += [complete or id_] if (complete or id_) not in found else []
            if complete == "":
                warnings.append(
                    f"{name} {id_!r}: no event here has that id yet, and it counts only for one with exactly that id;"
                    " give ids of other machines whole"
                )
        return found if _listed(ids) else ids  # what is no list of ids is for the schema to refuse

    for name in _LISTS:
        if record.get(name):
            result[name] = whole(name, record[name])
    mark = record.get("mark")
    if isinstance(mark, Mapping) and mark.get("action") != "alias" and mark.get("targets"):
        result["mark"] = {**mark, "targets": whole("mark.targets", mark["targets"])}
    return result, warnings


def find_event(events: Sequence[Event], wanted: str) -> Event:
    """Return the one event whose id is or starts with `wanted`; of equal lines the first.

    Raises `RefusedError` where none does, or several do.
    """
    id_ = _whole(wanted, KnownIds(event.id for event in events))
    if not id_:
        raise RefusedError(f"no event has the id {wanted!r}", hint="find it with `soul search`; ids are on every page")
    return next(event for event in events if event.id == id_)


def _listed(ids: Any) -> list[Any]:
    return [ids] if isinstance(ids, str) else list(ids) if isinstance(ids, (list, tuple)) else []


def _whole(wanted: str, known: Ids) -> str:
    ids = known.beginning_with(wanted)
    if len(ids) > 1:
        named = ", ".join(ids[:_IDS_NAMED]) + (", …" if len(ids) > _IDS_NAMED else "")
        raise RefusedError(f"{wanted!r} begins the ids of {len(ids)} events: {named}", hint="give more of the id")
    return ids[0] if ids else ""
