"""One beat: what nobody has used for long, and which corrections have become preferences. Pure."""

from __future__ import annotations

from typing import Any, NamedTuple

from agent_soul.config import Upkeep
from agent_soul.disuse import unused_since
from agent_soul.event import Event
from agent_soul.instants import add_days
from agent_soul.resolve import Resolution, Status
from agent_soul.upkeep.confirming import Confirmation, confirmations
from agent_soul.upkeep.marks import marks_upon


class Beat(NamedTuple):
    """What a heartbeat finds: events marked as unused on their pages, events to archive, corrections to confirm.

    `since` maps the ids of the first two to the UTC date of their last use.
    """

    marked: tuple[Event, ...]
    archived: tuple[Event, ...]
    confirmed: tuple[Confirmation, ...]
    since: dict[str, str]
    archive_days: int

    def records(self) -> list[dict[str, Any]]:
        """Return what `--apply` appends: preferences, and marks that archive; a mark on a page needs no event."""
        why = f"nobody used it for {self.archive_days} days"
        return [*(each.preference() for each in self.confirmed), *marks_upon(self.archived, "archive", why)]


def listen(resolution: Resolution, as_of: str, figures: Upkeep) -> Beat:
    """Return what is due on the UTC date `as_of`. Stale fuzzy memory is off its page and can only be archived."""
    confirmed = confirmations(resolution, figures.confirming_corrections)
    replaced = {event.id for each in confirmed for event in each.standing}
    least = min(figures.unused_days, figures.archive_days)
    since = unused_since(resolution, as_of, least, (Status.ACTIVE, Status.STALE))
    unused = [resolution.by_id[id_] for id_ in since if id_ not in replaced]
    archived = [v.event for v in unused if since[v.event.id] <= add_days(as_of, -figures.archive_days)]
    done = {event.id for event in archived}
    marked = [v.event for v in unused if v.status is Status.ACTIVE and v.event.id not in done]
    return Beat(tuple(marked), tuple(archived), tuple(confirmed), since, figures.archive_days)
