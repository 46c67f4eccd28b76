"""What goes on which page, in what order, and how much of it. Pure; how it looks is `render`.

Every active event has one home page. Agent pages also show what a source wrote last, wherever that lives.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Literal, NamedTuple

from agent_soul.config import Config
from agent_soul.conflicts import Conflict
from agent_soul.event import Event
from agent_soul.resolve import Resolution, Verdict
from agent_soul.slug import slug
from agent_soul.tokens import estimate_tokens

PAGE_FORMAT = 2
"""Raised when pages change so that an older toolkit must not write over them."""

INDEX, PROFILE, STABLE = "index.md", "profile.md", "stable-memory.md"
FUZZY, METRICS, CONFLICTS, LIST = "fuzzy-memory.md", "metrics.md", "conflicts.md", "pages.md"
UPKEEP = "upkeep.md"
MEMORY = "memory.json"
_IN_USE: Mapping[str, str] = {}
AGENT_RECENT = 20
"""Newest events of a source that its agent page repeats; they all stand in full on their home pages."""


class Budget(NamedTuple):
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


class Room(NamedTuple):
    """What is left of a budget while a page is laid out; negative where it was not enough."""

    tenths: int
    """Of tokens. Texts are charged one by one, and the whole can cost a tenth more a line (see `estimate_tokens`)."""
    bytes: int

    @classmethod
    def of(cls, budget: Budget) -> Room:
        return cls(budget.tokens * 10, budget.bytes)

    def after(self, text: str) -> Room:
        """Return what is left when `text` and a line end are on the page."""
        tenths = self.tenths - 10 * estimate_tokens(text + "\n") - 1
        return Room(tenths, self.bytes - len(text.encode("utf-8")) - 1)

    @property
    def is_enough(self) -> bool:
        return self.tenths >= 0 and self.bytes >= 0

    def take(self, texts: Iterable[str]) -> list[str]:
        """Return as many of the texts, from the first, as there is room for; no more of them are made than that."""
        taken: list[str] = []
        left = self
        for text in texts:
            left = left.after(text)
            if not left.is_enough:
                break
            taken.append(text)
        return taken


def fits(text: str, budget: Budget) -> bool:
    """Tell whether a page keeps its ceiling in tokens and in bytes."""
    return len(text.encode("utf-8")) <= budget.bytes and estimate_tokens(text) <= budget.tokens


def longest_fitting(count: int, build: Callable[[int], str], budget: Budget) -> int:
    """Return the largest number up to `count` of items with which `build(number)` keeps the budget, by bisection."""
    if not count or fits(build(count), budget):
        return count
    low, high = 0, count - 1
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if fits(build(middle), budget) else (low, middle - 1)
    return low


class Line(NamedTuple):
    """One memory on a page: the event with what is said about it.

    `name` is its id and `against` the ids that it contradicts, all as they are shown. `unused_since` is the date of its
    last use, where that is long ago.
    """

    event: Event
    verdict: Verdict
    name: str
    home: str = ""
    against: tuple[str, ...] = ()
    unused_since: str = ""


class View(NamedTuple):
    """Lines that a page repeats though they are at home elsewhere, or do not hold any more, under their own heading.

    `command` shows what there is no room for, `more` counts what was left out before. `note` is said below them.
    """

    heading: str
    lines: tuple[Line, ...]
    command: str
    more: int = 0
    note: str = ""


class Page(NamedTuple):
    """What one page holds. `lines` are in the order in which they may stay; `views` come after them.

    `layout` says how the lines that stay are arranged: under headings by kind, a topic's truth before its history, or a
    day from morning to night. `name` is what people call the project, agent or topic, empty where the path says it all;
    `newest` is the newest event that is shown.
    """

    path: str
    title: str
    name: str
    newest: Event | None
    lines: tuple[Line, ...]
    layout: Literal["kinds", "topic", "day"] = "kinds"
    details: bool = False
    views: tuple[View, ...] = ()

    @property
    def has_several_sources(self) -> bool:
        """Whether it matters on this page who said what."""
        return len({line.event.source for line in self.lines}) > 1


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


_RANKS: Mapping[str, Callable[[Line], Any]] = {
    "importance": lambda line: line.event.importance,
    "corroboration": lambda line: len(line.verdict.sources),  # one voice that repeats itself is one voice
    "recency": lambda line: line.event.sort_key,
}


def ranked(lines: Iterable[Line], config: Config) -> list[Line]:
    """Return the lines in the order in which they may stay on a full page, by the ranking of the settings."""
    result = sorted(lines, key=_RANKS["recency"], reverse=True)  # ends every tie
    for name in reversed(config.ranking):
        if name != "recency" or name != config.ranking[-1]:
            result.sort(key=_RANKS[name], reverse=True)
    return result


def plan_pages(
    resolution: Resolution,
    conflicts: Sequence[Conflict],
    config: Config,
    unused: Mapping[str, str] = _IN_USE,
    among: Iterable[Verdict] | None = None,
) -> list[Page]:
    """Return every page of memory, sorted by path. Profile and stable memory are there even when empty.

    `unused` maps the ids of what nobody has used for long to the date of their last use. `among`: as of `active_lines`.
    """
    lines = active_lines(resolution, conflicts, unused, among)
    groups: dict[str, list[Line]] = defaultdict(list, {PROFILE: [], STABLE: []})
    by_source: dict[str, list[Line]] = defaultdict(list)
    for line in lines:
        if line.home == METRICS:
            continue  # measurements are a table of their own, `reports.render_metrics`
        groups[line.home].append(line)
        by_source[line.event.source].append(line)
    written = {agent_page(source): lines for source, lines in by_source.items()}
    return [
        _page(path, groups.get(path, []), written.get(path, []), config)
        for path in sorted(groups.keys() | written.keys())
    ]


def active_lines(
    resolution: Resolution,
    conflicts: Iterable[Conflict],
    unused: Mapping[str, str] = _IN_USE,
    among: Iterable[Verdict] | None = None,
) -> list[Line]:
    """Return every active event as a line, in the total order; or those of the active verdicts `among` alone."""
    name = resolution.name_of
    against = {id_: tuple(map(name, others)) for id_, others in contradictions(conflicts).items()}
    return [
        Line(
            verdict.event,
            verdict,
            name(verdict.event.id),
            home_of(verdict.event),
            against.get(verdict.event.id, ()),
            unused.get(verdict.event.id, ""),
        )
        for verdict in (resolution.active if among is None else among)
    ]


def _page(path: str, lines: Sequence[Line], written: Sequence[Line], config: Config) -> Page:
    folder, _, file = path.rpartition("/")
    name = _name(folder, (lines or written)[-1].event, views=not lines) if folder else ""
    title = f"{_TITLES[folder]} {name}" if folder else _TITLES[path]
    name = "" if file == f"{name}.md" else name
    newest = max((last[-1].event for last in (lines, written) if last), key=lambda event: event.sort_key, default=None)
    if folder == "daily":
        return Page(path, title, name, newest, tuple(reversed(lines)), "day")
    if folder == "topics":
        return Page(path, title, name, newest, tuple(reversed(lines)), "topic", details=True)
    return Page(
        path,
        title,
        name,
        newest,
        tuple(ranked(lines, config)),
        details=folder in ("projects", "agents"),
        views=_recent([line for line in reversed(written) if line.home != path]),
    )


def _recent(elsewhere: Sequence[Line]) -> tuple[View, ...]:
    """Return what a source wrote last for other pages."""
    if not elsewhere:
        return ()
    command = f"soul search --source {elsewhere[0].event.source} --limit 0"
    more = max(len(elsewhere) - AGENT_RECENT, 0)
    return (View("Written last, kept on other pages", tuple(elsewhere[:AGENT_RECENT]), command, more),)


_TITLES = {
    PROFILE: "Profile",
    STABLE: "Stable memory",
    FUZZY: "Fuzzy memory: the last days",
    "projects": "Project",
    "agents": "Agent",
    "topics": "Topic",
    "daily": "Log of",
}


def _name(folder: str, newest: Event, *, views: bool) -> str:
    """Return what the page that holds `newest` is about, in the words of that event."""
    match folder:
        case "projects":
            return newest.project
        case "agents":
            return newest.source if views else newest.agent
        case "topics":
            return str(newest.data["topic"])
    return newest.local_date


def contradictions(conflicts: Iterable[Conflict]) -> dict[str, tuple[str, ...]]:
    """Return the ids that each event contradicts, in any of the conflicts."""
    found: dict[str, tuple[str, ...]] = {}
    for conflict in conflicts:
        for id_, others in conflict.against.items():
            found[id_] = tuple(dict.fromkeys((*found.get(id_, ()), *others)))
    return found
