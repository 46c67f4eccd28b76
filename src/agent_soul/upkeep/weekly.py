"""What a person should know of the last days: what changed, what conflicts, what is old, what to decide. Pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

from agent_soul.compiler import Compiled
from agent_soul.config import Config
from agent_soul.conflicts import Conflict
from agent_soul.dedup import Cluster
from agent_soul.disuse import unused_since
from agent_soul.instants import add_days
from agent_soul.metrics import Crossing, crossings
from agent_soul.resolve import Resolution, Status, Verdict
from agent_soul.upkeep.consolidating import open_clusters, oversize_pages
from agent_soul.upkeep.fragments import Fragment, find_fragments
from agent_soul.upkeep.projects import Project, list_projects
from agent_soul.upkeep.pruning import outdated
from agent_soul.upkeep.reviewing import waiting

_GONE = (Status.SUPERSEDED, Status.RETRACTED)


class Report(NamedTuple):
    """The state of a memory on `as_of` and what the `days` before it brought; what weighs most comes first.

    `new` are active, `gone` were replaced or taken back by an event of these days; `unused` maps ids to the date of
    their last use, `undecided` are decisions that are pending, `expiring` hold until a day of the next `days`, `quiet`
    are projects that nobody wrote to for long.
    """

    as_of: str
    days: int
    new: tuple[Verdict, ...]
    places: tuple[tuple[str, int], ...]
    gone: tuple[Verdict, ...]
    conflicts: tuple[Conflict, ...]
    unused: dict[str, str]
    expiring: tuple[Verdict, ...]
    quiet: tuple[Project, ...]
    outdated: int
    waiting: tuple[Verdict, ...]
    undecided: tuple[Verdict, ...]
    crossed: tuple[Crossing, ...]
    quarantined: tuple[str, ...]
    merges: tuple[Cluster, ...]
    fragments: tuple[Fragment, ...]
    oversize: tuple[str, ...]


def weekly(compiled: Compiled, config: Config, days: int = 7) -> Report:
    """Return the report of the last `days` days before the day that `compiled` is of, that day included."""
    resolution, as_of = compiled.resolution, compiled.state.as_of
    since = add_days(as_of, 1 - days)
    new = [v for v in resolution.active if v.event.date >= since]
    soon = add_days(as_of, days)
    quiet_since = add_days(as_of, -config.upkeep.unused_days)
    return Report(
        as_of,
        days,
        tuple(_weightiest_first(new)),
        tuple(Counter(v.event.place for v in new).most_common()),
        tuple(_gone_since(resolution, since)),
        compiled.conflicts,
        unused_since(resolution, as_of, config.upkeep.unused_days),
        tuple(v for v in resolution.active if v.event.valid_until and v.event.valid_until <= soon),
        tuple(p for p in list_projects(resolution) if p.active and p.last_date <= quiet_since),
        len(outdated(resolution)),
        tuple(waiting(resolution)),
        tuple(v for v in resolution.active if v.event.data.get("decision", {}).get("status") == "pending"),
        crossings(resolution, config.thresholds),
        tuple(dict.fromkeys(v.event.id for v in resolution.verdicts if v.status is Status.QUARANTINED)),
        tuple(open_clusters(resolution)),
        tuple(find_fragments(resolution)),
        tuple(oversize_pages(compiled.texts)),
    )


def _weightiest_first(verdicts: Sequence[Verdict]) -> list[Verdict]:
    newest_first = reversed(verdicts)
    return sorted(newest_first, key=lambda v: (-v.event.importance, -len(v.sources)))


def _gone_since(resolution: Resolution, since: str) -> list[Verdict]:
    """Return what was replaced or taken back by an event of the date `since` or later, newest first."""
    return [
        verdict
        for verdict in reversed(resolution.verdicts)
        if verdict.status in _GONE and verdict.by and resolution.by_id[verdict.by].event.date >= since
    ]
