"""What time has taken off the pages, and the marks that archive it for good. Pure."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from agent_soul.resolve import Resolution, Status, Verdict
from agent_soul.upkeep.marks import marks_upon

_WHY = {Status.STALE: "stale: fuzzy, and past its days", Status.EXPIRED: "expired: held until a day that is over"}


def outdated(resolution: Resolution) -> list[Verdict]:
    """Return what is stale or expired, newest first."""
    return [verdict for verdict in reversed(resolution.verdicts) if verdict.status in _WHY]


def archiving(verdicts: Iterable[Verdict]) -> list[dict[str, Any]]:
    """Return the marks that archive what `outdated` found; a longer `fuzzy_days` then brings none of it back."""
    found = list(verdicts)
    return [
        record
        for status, why in _WHY.items()
        for record in marks_upon((v.event for v in found if v.status is status), "archive", why)
    ]
