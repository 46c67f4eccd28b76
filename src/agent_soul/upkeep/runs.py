"""One run of an upkeep command: all that it appends says so, in one step."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import UTC
from typing import Any

from agent_soul.adding import add_all, local_now
from agent_soul.draft import draft
from agent_soul.event import Event
from agent_soul.hub import Hub


def draft_run(command: str, source: str, records: Iterable[Mapping[str, Any]]) -> list[Event]:
    """Return the events of one run of `soul <command>`, not yet kept; their `origin` names the run."""
    now = local_now()
    batch = now.astimezone(UTC).isoformat(timespec="seconds")
    return [
        draft({"source": source, **record, "origin": _origin(command, batch, number)}, now)
        for number, record in enumerate(records, start=1)
    ]


def keep_run(hub: Hub, events: list[Event]) -> None:
    """Append the events of a run as one outbox file; a run that found nothing to do leaves nothing."""
    if events:
        add_all(hub, events)


def _origin(command: str, batch: str, number: int) -> dict[str, str]:
    return {"tool": f"soul {command}", "id": f"{batch} {number}", "batch": batch}
