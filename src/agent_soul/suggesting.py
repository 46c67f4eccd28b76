"""What a person may want to look at beside the conflicts: statements near in meaning that share too few words."""

from __future__ import annotations

from collections.abc import Callable, Collection
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from agent_soul.conflicts import Conflict, stated_for, statement_of
from agent_soul.errors import RefusedError
from agent_soul.event import is_report_of_upkeep
from agent_soul.hub import Hub
from agent_soul.judging import judge
from agent_soul.resolve import Resolution

if TYPE_CHECKING:
    from agent_soul.searching.alike import Near

_STATES = frozenset({"metric", "topic", "task", "project-update"})
"""Kinds that tell of a moment: two of them are alike by their nature."""
_BY_WORDS = frozenset({"unlike", "other topic", "other subject"})
"""Answers of the judge that rest on words it did not find in both; a model may know them for the same."""
_READING_SECONDS = 600.0


def suggestions(
    hub: Hub, resolution: Resolution, conflicts: Collection[Conflict], tell: Callable[[int, int], None]
) -> list[Near]:
    """Return the pairs of active statements that a model finds near in meaning, the nearest first.

    Left out is what the rules are sure of: a conflict, a duplicate, an exception, another date. The model reads new
    events first, and `tell` is given how many it has read, and of how many. Raises `RefusedError` where no model is
    installed.
    """
    from agent_soul.searching.alike import near_pairs
    from agent_soul.searching.finding import open_index
    from agent_soul.searching.meaning import embed_missing
    from agent_soul.searching.models import installed
    from agent_soul.searching.vectors import Vectors

    model = installed()
    if model is None:
        raise RefusedError("no model is installed", hint="pip install 'agent-soul[semantic]', or see docs/search.md")
    events = {verdict.event.id: verdict.event for verdict in resolution.active}
    reaches = {
        id_: stated_for(event)
        for id_, event in events.items()
        if event.kind not in _STATES and not is_report_of_upkeep(event)
    }
    with open_index(hub, datetime.now(UTC).date().isoformat()) as index:
        vectors = Vectors(hub, model.name)
        embed_missing(index, vectors, model, _READING_SECONDS, tell)
        near = near_pairs(index, vectors, reaches)
    settled = {frozenset(group) for group in resolution.settled}
    known = {frozenset((id_, other)) for each in conflicts for id_, others in each.against.items() for other in others}
    return [
        pair
        for pair in near
        if frozenset((pair.one, pair.other)) not in known
        and not any({pair.one, pair.other} <= group for group in settled)
        and judge(statement_of(events[pair.one]), statement_of(events[pair.other])).rule in _BY_WORDS
    ]
