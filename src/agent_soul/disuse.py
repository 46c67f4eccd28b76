"""Since when nobody has used a correction or a passing remark. Pure: use is what the log holds, reading is no use.

Used is an event when it is made, and when a later one links, supersedes or repeats it, is derived from it, or is a mark
that uses, approves, settles or verifies it.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator

from agent_soul.acts import MARK_KINDS
from agent_soul.event import Event, short_id
from agent_soul.instants import add_days
from agent_soul.repeating import repeated_pairs
from agent_soul.resolve import Resolution, Status, Verdict

_VOID = frozenset({Status.QUARANTINED, Status.RETRACTED, Status.PENDING, Status.SCHEDULED})
_USING_MARKS = frozenset({"use", "approve", "settle", "verify"})
_UNCOMPARED = MARK_KINDS | {"metric", "topic"}
_LINK = re.compile(r"\[\[([A-Za-z0-9_.:-]{3,128})\]\]")


def is_ageing(event: Event) -> bool:
    """Tell whether the event fades when nobody uses it: corrections and fuzzy memory do, nothing else does."""
    return event.kind == "correction" or (event.scope == "fuzzy" and event.kind not in MARK_KINDS)


def unused_since(
    resolution: Resolution, as_of: str, days: int, statuses: Collection[Status] = (Status.ACTIVE,)
) -> dict[str, str]:
    """Return the UTC date of the last use of each ageing event that nobody has used for `days` days by id."""
    latest = add_days(as_of, -days)
    last = {
        verdict.event.id: verdict.event.date
        for verdict in resolution.verdicts
        if verdict.status in statuses and is_ageing(verdict.event) and verdict.event.date <= latest
    }
    if not last:
        return {}
    counting = [verdict for verdict in resolution.verdicts if verdict.status not in _VOID]
    _note_naming(last, counting)
    for id_ in [id_ for id_, date in last.items() if date > latest]:
        del last[id_]
    _note_repeating(last, counting)
    return {id_: date for id_, date in last.items() if date <= latest}


def _note_naming(last: dict[str, str], counting: Collection[Verdict]) -> None:
    """Raise the dates of `last` to those of the events that name them, or a statement that they stand for."""
    stands_for = {v.event.id: v.by for v in counting if v.status is Status.DUPLICATE and v.by in last}
    names = {id_: id_ for id_ in last} | stands_for
    names |= {short_id(id_): stands_for.get(id_, id_) for id_ in names}
    for verdict in counting:
        for name in _named_by(verdict.event):
            id_ = names.get(name)
            if id_ and id_ != verdict.event.id:
                last[id_] = max(last[id_], verdict.event.date)


def _named_by(event: Event) -> Iterator[str]:
    if event.kind == "mark":
        if event.data["mark"]["action"] in _USING_MARKS:
            yield from event.data["mark"]["targets"]
    elif event.kind != "retraction":
        yield from event.supersedes
        yield from event.data.get("derived_from", ())
        text = f"{event.data['summary']}\n{event.data.get('detail', '')}"
        if "[[" in text:
            yield from _LINK.findall(text)


def _note_repeating(last: dict[str, str], counting: Collection[Verdict]) -> None:
    statements = [verdict.event for verdict in counting if verdict.event.kind not in _UNCOMPARED]
    for earlier, later in repeated_pairs(statements, last.keys()):
        if earlier.id in last:
            last[earlier.id] = max(last[earlier.id], later.date)
