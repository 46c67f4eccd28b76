"""One run of an upkeep command: all that it appends says so, in one step."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import UTC
from typing import Any

from agent_soul.adding import add_all, local_now
from agent_soul.draft import draft
from agent_soul.event import Event
from agent_soul.hub import Hub


class Run:
    """Drafts the events of one run of `soul <command>`: one moment, one source, and an `origin` that names the run."""

    def __init__(self, command: str, source: str) -> None:
        self._now = local_now()
        self._tool = f"soul {command}"
        self._batch = self._now.astimezone(UTC).isoformat(timespec="seconds")
        self._source = source
        self.events: list[Event] = []

    def draft(self, records: Iterable[Mapping[str, Any]]) -> list[Event]:
        """Return the events of `records`, not yet kept. Raises `RefusedError` where one may not be written."""
        drafted = []
        for number, record in enumerate(records, start=len(self.events) + 1):
            origin = {"tool": self._tool, "id": f"{self._batch} {number:05}", "batch": self._batch}
            drafted.append(draft({"source": self._source, **record, "origin": origin}, self._now))
        self.events += drafted
        return drafted

    def keep(self, hub: Hub) -> None:
        """Append all that was drafted as one outbox file; a run that found nothing to do leaves nothing."""
        if self.events:
            add_all(hub, self.events)


def apply_run(hub: Hub, command: str, source: str, records: Iterable[Mapping[str, Any]]) -> list[Event]:
    """Append the events of a run whose records are known at once, and return them."""
    run = Run(command, source)
    run.draft(records)
    run.keep(hub)
    return run.events
