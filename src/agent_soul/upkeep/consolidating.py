"""What a consolidation finds, what it appends, and whether every key fact is still on its page afterwards. Pure.

It merges what says the same and keeps remarks that are worth it. Nothing is dropped: what was merged stays in the log,
a remark stays where it is, and what is stale or does not fit its page is listed only.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping
from typing import Any, NamedTuple, TypeVar

from agent_soul.compiler import Compiled, compile_log
from agent_soul.config import Config
from agent_soul.dedup import Cluster, disputed, find_clusters
from agent_soul.errors import RefusedError
from agent_soul.event import Event
from agent_soul.log import Log
from agent_soul.pages import PROFILE, STABLE, UPKEEP, home_of
from agent_soul.projects import folded
from agent_soul.resolve import Resolution, Status, Verdict, resolve
from agent_soul.tokens import estimate_tokens
from agent_soul.upkeep.fragments import Fragment, find_fragments
from agent_soul.upkeep.pruning import outdated

T = TypeVar("T")

_ID = re.compile(r"[A-Za-z0-9_.:-]*[A-Za-z0-9_-]")
"""An id as it stands in a line; what ends in `.` or `:` is looked for without that, as a form of lines may add it."""
_ALWAYS = ("index.md", PROFILE, STABLE)
_SIZES_SHOWN = 12
_REPLACED = (Status.SUPERSEDED, Status.DUPLICATE)

Draft = Callable[[Iterable[Mapping[str, Any]]], list[Event]]


class Consolidation(NamedTuple):
    """What was found, what would be appended for it, and the pages before and after that.

    `oversize` maps the path of each page that is too small for its lines to the number of pages in `more/` that hold
    the rest. `unwritable` says why some of what was found cannot be written: an old line may hold more than is taken
    today. `held` maps the ids of groups that are left out to the open conflicts of which they hold a side, and `nearly`
    counts those that are only nearly the same, `answered` those whose merge was proposed or taken back before. `key`
    are the active events of key importance and `lost` those of them that no page would show any more.
    """

    merges: tuple[Cluster, ...]
    fragments: tuple[Fragment, ...]
    outdated: tuple[Verdict, ...]
    oversize: Mapping[str, int]
    unwritable: tuple[str, ...]
    held: Mapping[str, tuple[str, ...]]
    nearly: int
    answered: int
    merged: tuple[Event, ...]
    kept: tuple[Event, ...]
    before: Compiled
    after: Compiled
    key: tuple[Event, ...]
    lost: tuple[Event, ...]

    def report(self, *, proposed: bool) -> dict[str, Any]:
        """Return the record of the line in the daily log that tells what was done, sizes in its detail."""
        merged = f"{_counted(len(self.merged), 'merge')} {'proposed' if proposed else 'made'}"
        summary = f"Consolidated: {merged}, {_counted(len(self.kept), 'remark')} kept; {self.key_facts}."
        detail = "\n".join(sizes(self.before.texts, self.after.texts))
        record = {"kind": "project-update", "scope": "daily", "summary": summary, "detail": detail}
        return record | {"importance": 0.3}

    @property
    def key_facts(self) -> str:
        """What the check of the key facts found, in words."""
        return f"{_counted(len(self.key), 'key fact')} checked, {len(self.lost) or 'none'} off the pages"


def consolidate(log: Log, config: Config, before: Compiled, draft: Draft, *, propose: bool) -> Consolidation:
    """Work out one consolidation of `log`, whose pages are `before`; `draft` makes events of records.

    With `propose` merges wait for a review and count for nothing until then; without, what is only nearly the same or
    in an open conflict is left to `soul dedup` and a person.
    """
    waits = {"proposed": True} if propose else {}
    suggested = find_clusters(before.resolution)
    clusters = open_clusters(before.resolution, suggested)
    held = {} if propose else disputed(clusters, before.conflicts)
    free = [cluster for cluster in clusters if cluster.id not in held]
    chosen = [cluster for cluster in free if propose or cluster.is_certain]
    merges, merged, long_merges = _drafted(draft, chosen, lambda c: c.replacement() | waits)
    resolution = before.resolution
    if merged:
        resolution = folded(resolve([*log.events, *merged], before.state.as_of, config))
    fragments, kept, long_fragments = _drafted(draft, find_fragments(resolution), Fragment.statement)
    new = [*merged, *kept]
    after = compile_log(log._replace(events=[*log.events, *new]), config, before.state) if new else before
    key = tuple(key_facts(before.resolution, config.upkeep.key_importance))
    return Consolidation(
        tuple(merges),
        tuple(fragments),
        tuple(outdated(before.resolution)),
        oversize_pages(before.texts),
        (*long_merges, *long_fragments),
        held,
        len(free) - len(chosen),
        len(suggested) - len(clusters),
        tuple(merged),
        tuple(kept),
        before,
        after,
        key,
        tuple(lost_facts(key, after)),
    )


def _drafted(
    draft: Draft, found: Iterable[T], record_of: Callable[[T], Mapping[str, Any]]
) -> tuple[list[T], list[Event], list[str]]:
    """Return what of `found` may be written, the events of it, and why the rest may not."""
    writable, events, refused = [], [], []
    for each in found:
        try:
            events += draft([record_of(each)])
        except RefusedError as error:
            refused.append(error.message)
        else:
            writable.append(each)
    return writable, events, refused


def open_clusters(resolution: Resolution, suggested: Iterable[Cluster] | None = None) -> list[Cluster]:
    """Return the suggested merges, found anew unless given, that nobody has proposed or taken back before."""
    answered = {frozenset(v.event.data.get("derived_from", ())) for v in resolution.verdicts}
    clusters = find_clusters(resolution) if suggested is None else suggested
    return [each for each in clusters if frozenset(member.id for member in each.members) not in answered]


def key_facts(resolution: Resolution, importance: float) -> Iterable[Event]:
    """Yield the active events that weigh at least `importance`; of a measurement only the newest has a line."""
    for verdict in resolution.active:
        if verdict.event.importance >= importance and verdict.event.kind != "metric":
            yield verdict.event


def standing_for(resolution: Resolution, id_: str) -> Verdict:
    """Return the verdict on what stands for the event `id_` today: itself, or what replaced it."""
    verdict = resolution.by_id[id_]
    while verdict.status in _REPLACED:
        verdict = resolution.by_id[verdict.by]
    return verdict


def lost_facts(key: Iterable[Event], after: Compiled) -> list[Event]:
    """Return the events that no line stands for any more, on their home page or where it puts what has no room."""
    parts: dict[str, list[str]] = defaultdict(list)
    for path, text in after.texts.items():
        parts[f"{path.removeprefix('more/').rpartition('/')[0]}.md" if path.startswith("more/") else path].append(text)
    words = {home: frozenset(_ID.findall("\n".join(texts))) for home, texts in parts.items()}
    lost = []
    for event in key:
        verdict = standing_for(after.resolution, event.id)
        name = after.resolution.name_of(verdict.event.id).rstrip(".:")
        if name not in words.get(home_of(verdict.event), ()):
            lost.append(event)
    return lost


def oversize_pages(texts: Mapping[str, str]) -> dict[str, int]:
    """Return the pages that have no room for all of their lines, with the number of pages in `more/` for the rest."""
    found: dict[str, int] = defaultdict(int)
    for path in texts:
        if path.startswith("more/"):
            found[f"{path.removeprefix('more/').rpartition('/')[0]}.md"] += 1
    return dict(found)


def sizes(before: Mapping[str, str], after: Mapping[str, str]) -> list[str]:
    """Return the sizes of the pages before and after, a line each: those always loaded, and those that changed most."""
    pages = {path for path in (*before, *after) if path.endswith(".md")} - {*_ALWAYS, UPKEEP}
    changed = [path for path in sorted(pages) if before.get(path) != after.get(path)]
    costs = {path: (_cost(before.get(path, "")), _cost(after.get(path, ""))) for path in (*_ALWAYS, *changed)}
    most = sorted(changed, key=lambda path: (-abs(costs[path][0] - costs[path][1]), path))[:_SIZES_SHOWN]
    rows = [f"{path}: {costs[path][0]:,} → {costs[path][1]:,} tokens" for path in (*_ALWAYS, *most)]
    total = [sum(len(text.encode("utf-8")) for text in texts.values()) for texts in (before, after)]
    return [*rows, f"all {len(after)} pages: {total[0]:,} → {total[1]:,} bytes"]


def _counted(number: int, what: str) -> str:
    return f"{number} {what}{'s' * (number != 1)}"


def _cost(text: str) -> int:
    return estimate_tokens(text) if text else 0
