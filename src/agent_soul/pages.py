"""What goes on which page, and in what order. Pure; how it looks is `render`.

Every active event has one home page. Agent pages also show what a source wrote last, wherever that lives.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from agent_soul.config import Config
from agent_soul.conflicts import Conflict
from agent_soul.event import Event
from agent_soul.resolve import Resolution, Verdict
from agent_soul.slug import slug

PAGE_FORMAT = 1
"""Raised when pages change so that an older toolkit must not write over them."""

INDEX, PROFILE, STABLE = "index.md", "profile.md", "stable-memory.md"
FUZZY, METRICS, CONFLICTS, LIST = "fuzzy-memory.md", "metrics.md", "conflicts.md", "pages.md"
MEMORY = "memory.json"
AGENT_RECENT = 20
"""Newest events of a source that its agent page repeats; they all stand in full on their home pages."""


@dataclass(frozen=True, slots=True)
class Budget:
    """The hard ceiling of a page, header included."""

    tokens: int
    bytes: int


# The bytes of L1 leave 6 KiB of its 16 KiB to the four L0 files.
BUDGETS: Mapping[str, Budget] = {
    INDEX: Budget(600, 2_400),
    PROFILE: Budget(800, 3_400),
    STABLE: Budget(1_100, 4_400),
}
L2_BUDGET = Budget(4_000, 12 << 10)


def budget_of(path: str) -> Budget:
    """Return the ceiling of the page at `path`, which counts from `canonical/`."""
    return BUDGETS.get(path, L2_BUDGET)


@dataclass(frozen=True, slots=True)
class Line:
    """One memory on a page: the event with what is said about it. `against` are the ids that it contradicts."""

    event: Event
    verdict: Verdict
    home: str = ""
    against: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Page:
    """What one page holds. `lines` are in the order in which they may stay; `recent` are views of lines at home elsewhere.

    `layout` says how the lines that stay are arranged: under headings by kind, a topic's truth before its history, or a
    day from morning to night. `more_recent` counts the views left out.
    """

    path: str
    title: str
    lines: tuple[Line, ...]
    layout: Literal["kinds", "topic", "day"] = "kinds"
    details: bool = False
    recent: tuple[Line, ...] = ()
    more_recent: int = 0


def home_of(event: Event) -> str:
    """Return the path of the page on which the event lives, counted from `canonical/`."""
    match event.kind:
        case "metric":
            return METRICS
        case "topic":
            return f"topics/{slug(event.data['topic'])}.md"
    match event.scope:
        case "profile":
            return PROFILE
        case "stable":
            return STABLE
        case "project":
            return f"projects/{slug(event.project)}.md"
        case "agent":
            return agent_page(event.agent)
        case "daily":
            return f"daily/{event.local_date}.md"
    return FUZZY


def agent_page(name: str) -> str:
    """Return the path of the page of a source or an agent."""
    return f"agents/{slug(name)}.md"


def ranked(lines: Iterable[Line], config: Config) -> list[Line]:
    """Return the lines in the order in which they may stay on a full page, by the ranking of the settings."""
    keys: Mapping[str, Callable[[Line], tuple[object, ...]]] = {
        "importance": lambda line: (line.event.importance,),
        "corroboration": lambda line: (len(line.verdict.sources), line.verdict.copies),
        "recency": lambda line: line.event.sort_key,
    }
    result = sorted(lines, key=keys["recency"], reverse=True)
    for name in reversed(config.ranking):
        result.sort(key=keys[name], reverse=True)  # type: ignore[arg-type]
    return result


def plan_pages(resolution: Resolution, conflicts: Sequence[Conflict], config: Config) -> list[Page]:
    """Return every page of memory, sorted by path. Profile and stable memory are there even when empty."""
    against = _contradictions(conflicts)
    lines = [Line(v.event, v, home_of(v.event), against.get(v.event.id, ())) for v in resolution.active]
    groups: dict[str, list[Line]] = defaultdict(list, {PROFILE: [], STABLE: []})
    by_source: dict[str, list[Line]] = defaultdict(list)
    for line in lines:
        groups[line.home].append(line)
        by_source[line.event.source].append(line)
    groups.pop(METRICS, None)  # measurements are a table of their own, `reports.render_metrics`
    views = {agent_page(source): written for source, written in by_source.items()}
    return [
        _page(path, groups.get(path, []), views.get(path, []), config) for path in sorted(groups.keys() | views.keys())
    ]


def _page(path: str, lines: Sequence[Line], written: Sequence[Line], config: Config) -> Page:
    folder = path.partition("/")[0]
    if folder == "daily":
        return Page(path, _title(path, lines, written), tuple(reversed(lines)), "day")
    if folder == "topics":
        return Page(path, _title(path, lines, written), tuple(reversed(lines)), "topic", details=True)
    elsewhere = [line for line in reversed(written) if line.home != path]
    return Page(
        path,
        _title(path, lines, written),
        tuple(ranked(lines, config)),
        details=folder in ("projects", "agents"),
        recent=tuple(elsewhere[:AGENT_RECENT]),
        more_recent=max(len(elsewhere) - AGENT_RECENT, 0),
    )


_TITLES = {PROFILE: "Profile", STABLE: "Stable memory", FUZZY: "Fuzzy memory: the last days"}


def _title(path: str, lines: Sequence[Line], written: Sequence[Line]) -> str:
    folder, _, _ = path.partition("/")
    match folder:
        case "projects":
            return f"Project {lines[-1].event.project}"
        case "agents":
            return f"Agent {lines[-1].event.agent if lines else written[-1].event.source}"
        case "topics":
            return f"Topic {lines[-1].event.data['topic']}"
        case "daily":
            return f"Log of {lines[-1].event.local_date}"
    return _TITLES[path]


def _contradictions(conflicts: Iterable[Conflict]) -> dict[str, tuple[str, ...]]:
    found: dict[str, tuple[str, ...]] = {}
    for conflict in conflicts:
        for id_, others in conflict.against.items():
            found[id_] = tuple(dict.fromkeys((*found.get(id_, ()), *others)))
    return found
