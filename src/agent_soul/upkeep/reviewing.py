"""What waits for a review, and the marks by which a person decides. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from agent_soul.draft import refuse_credentials
from agent_soul.errors import RefusedError
from agent_soul.references import find_event
from agent_soul.resolve import Resolution, Status, Verdict
from agent_soul.upkeep.marks import marks_upon

DECISIONS = {"approve": "Approved.", "reject": "Rejected."}


def waiting(resolution: Resolution) -> list[Verdict]:
    """Return what waits for a review, oldest first."""
    return [verdict for verdict in resolution.verdicts if verdict.status is Status.PENDING]


def find_proposals(resolution: Resolution, wanted: Iterable[str], action: str) -> list[Verdict]:
    """Return the proposals that the ids name, each once. One that was decided may be decided anew, and the last holds.

    Raises `RefusedError` where an id names none or several, no proposal, or one of which that is decided already.
    """
    events = [verdict.event for verdict in resolution.verdicts]
    found = {event.id: resolution.by_id[event.id] for event in (find_event(events, id_) for id_ in wanted)}
    for verdict in found.values():
        name = resolution.name_of(verdict.event.id)
        if verdict.event.data.get("proposed") is not True:
            raise RefusedError(
                f"{name} was never proposed: it is {verdict.status}", hint="`soul review` lists what waits"
            )
        if verdict.status is not Status.PENDING and (verdict.status is Status.RETRACTED) == (action == "reject"):
            raise RefusedError(f"{name} is decided already: {verdict.status}", hint=f"`soul show {name}` tells by whom")
    return list(found.values())


def deciding(verdicts: Sequence[Verdict], action: str, reason: str) -> list[dict[str, Any]]:
    """Return the marks that `approve` or `reject` the proposals. Raises `RefusedError` for a key in the reason."""
    refuse_credentials({"reason": reason})
    return marks_upon((verdict.event for verdict in verdicts), action, reason or DECISIONS[action])
