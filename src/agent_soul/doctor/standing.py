"""`soul status`: how a hub and this clone of it stand, on one screen. Nothing is asked of the network."""

from __future__ import annotations

import platform
import re
from collections.abc import Mapping
from datetime import datetime
from typing import Any, NamedTuple

from agent_soul import __version__, gitio, outbox
from agent_soul.canonical import read_text
from agent_soul.clone import clone_ids, last_together
from agent_soul.compiler import recorded_in, resolve_today
from agent_soul.doctor.runtimes import Reading
from agent_soul.errors import SoulError
from agent_soul.event import SCHEMA_NUMBER, Event
from agent_soul.hub import Hub
from agent_soul.identity import L0_BUDGET, L0_FILES
from agent_soul.pages import INDEX, PAGE_FORMAT, PROFILE, STABLE, budget_of
from agent_soul.pending import Pending
from agent_soul.resolve import Status
from agent_soul.tokens import estimate_tokens

_CONFLICTS = re.compile(r"^active \d+, conflicts (\d+)", re.MULTILINE)


class Cost(NamedTuple):
    """What a part of the always loaded memory costs, and its ceiling, in tokens."""

    name: str
    tokens: int
    limit: int


class Program(NamedTuple):
    """A joined program: its source id, and the files of ours that it reads by itself."""

    source: str
    readings: tuple[Reading, ...]


class Standing(NamedTuple):
    """How things stand. `sight` is None without Git, and `git_said` tells where git could not say."""

    hub: str
    clone: str
    sight: gitio.Sight | None
    git_said: str
    together: str
    as_of: str
    counts: Mapping[str, int]
    bad_lines: int
    conflicts: int
    unsent: int
    newest: tuple[Event, ...]
    """The newest event of each source, the newest first."""
    joined: Mapping[str, Program]
    """Each joined program by its name, with its project where it is one's."""
    costs: tuple[Cost, ...]
    versions: Mapping[str, str]


def stand(hub: Hub) -> Standing:
    """Return how the hub stands; raises `RefusedError` where its settings cannot be read."""
    log = outbox.whole_log(hub)
    resolution = resolve_today(hub, log)
    counts = {str(status): number for status, number in resolution.counts.items() if number}
    newest: dict[str, Event] = {}
    for event in sorted(log.events, key=lambda each: each.sort_key):
        newest[event.source] = event
    sight, said = _sight(hub)
    together = last_together(hub)
    state = recorded_in(hub)
    index = read_text(hub.canonical / INDEX)
    found = _CONFLICTS.search(index)
    return Standing(
        hub=str(hub.root),
        clone=next(iter(clone_ids(hub)), ""),
        sight=sight,
        git_said=said,
        together=f"{datetime.fromtimestamp(together).astimezone():%Y-%m-%d %H:%M}" if together else "",
        as_of=state.as_of if state else "",
        counts=counts,
        bad_lines=log.bad_lines,
        conflicts=int(found[1]) if found else 0,
        unsent=outbox.unsent(hub),
        newest=tuple(sorted(newest.values(), key=lambda each: each.sort_key, reverse=True)),
        joined=_joined(hub),
        costs=tuple(_costs(hub)),
        versions=_versions(sight, state.page_format if state else 0),
    )


def _sight(hub: Hub) -> tuple[gitio.Sight | None, str]:
    if hub.git_root is None:
        return None, "no Git repository holds this hub"
    try:
        return gitio.look(hub), ""
    except SoulError as error:
        return None, error.message


def _joined(hub: Hub) -> dict[str, Program]:
    from agent_soul.doctor.joins import readings_of
    from agent_soul.runtimes.standing import joined

    return {
        each.runtime.name + (f" in {each.project}" if each.project else ""): Program(
            each.source, tuple(readings_of(each))
        )
        for each in joined(hub)
    }


def _costs(hub: Hub) -> list[Cost]:
    identity = sum(estimate_tokens(read_text(hub.root / name)) for name in L0_FILES)
    pages = [Cost(path, estimate_tokens(read_text(hub.canonical / path)), budget_of(path).tokens) for path in _ALWAYS]
    return [Cost("identity", identity, L0_BUDGET.tokens), *pages]


_ALWAYS = (INDEX, PROFILE, STABLE)


def _versions(sight: gitio.Sight | None, page_format: int) -> dict[str, str]:
    there = f" (pages here: {page_format})" if page_format not in (0, PAGE_FORMAT) else ""
    return {
        "agent-soul": __version__,
        "schema": str(SCHEMA_NUMBER),
        "page format": f"{PAGE_FORMAT}{there}",
        "python": platform.python_version(),
        "git": ".".join(map(str, sight.version)) if sight else "",
    }


def standing_fields(standing: Standing) -> dict[str, Any]:
    """Return how things stand for programs. Pure."""
    sight = standing.sight
    fields = standing._asdict()
    fields["sight"] = sight and {
        **sight._asdict(),
        "url": gitio.without_credentials(sight.url),
        "locks": list(sight.locks),
    }
    fields["git"] = fields.pop("sight")
    fields["newest"] = {event.source: {"event_id": event.id, "ts": event.data["ts"]} for event in standing.newest}
    fields["joined"] = {
        name: {"source": program.source, "readings": [reading._asdict() for reading in program.readings]}
        for name, program in standing.joined.items()
    }
    fields["costs"] = {cost.name: {"tokens": cost.tokens, "limit": cost.limit} for cost in standing.costs}
    fields["waiting"] = [{"number": n, "what": what, "command": command} for n, what, command in waiting_of(standing)]
    return fields


def waiting_of(standing: Standing) -> list[tuple[int, str, str]]:
    """Return what waits for somebody: how many, of what, and the command that shows it. Pure."""
    pending = Pending(
        unsent=standing.unsent,
        conflicts=standing.conflicts,
        for_review=standing.counts.get(Status.PENDING, 0),
        quarantined=standing.counts.get(Status.QUARANTINED, 0),
        bad_lines=standing.bad_lines,
    )
    return pending.rows("not shared yet" if standing.sight and standing.sight.url else "not committed yet")
