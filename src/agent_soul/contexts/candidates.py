"""Which lines may belong in a context, in which section each stands, and how much each is worth. Pure.

The weights are round and were not fitted to the labelled tasks: see docs/context.md.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from datetime import date
from typing import NamedTuple

from agent_soul.contexts.about import likely_projects, projects_asked_for
from agent_soul.contexts.asking import Memory, Request
from agent_soul.event import Event
from agent_soul.instants import add_days
from agent_soul.metrics import Series, metric_series
from agent_soul.pages import FUZZY, METRICS, PROFILE, STABLE, Line, active_lines
from agent_soul.repeating import PASSING, say_the_same
from agent_soul.text import compare_key

_RELEVANCE, _IMPORTANCE, _FRESHNESS = 2.0, 0.3, 0.3
"""What the best answer to the task is worth, what matters most, and what was said today."""
_HALF_LIFE_DAYS = 30
_KINDS: Mapping[str, float] = {
    **dict.fromkeys(("rule", "correction", "decision", "lesson"), 0.1),
    **dict.fromkeys(("project-update", "observation", "note"), -0.1),
}
"""What binds or was learned is worth more, and what merely happened less."""
_NEAR, _PERSON, _OWN, _LAST_DAYS = 0.3, 0.2, 0.2, 0.1
"""What a line is worth for its place: the project, the agent or yesterday; the person; who asks; the last days."""
_FIRST = 0.3
"""What the first of a section is worth more, the second half of it, and so on: every section gets its say."""
_LEAST_ELSEWHERE, _LEAST_BESIDE_PROJECT = 0.1, 0.75
"""How relevant a line of another project or agent must be to be shown at all: where no project is meant, and else.
Beside a project that is meant it must be nearly the best answer of all: elsewhere the same words mean other things."""

PROFILE_SECTION, STABLE_SECTION, TOPICS = "Profile", "Stable memory", "Topics"
PROJECT, DECISIONS, METRICS_SECTION, AGENT = "Project", "Decisions", "Metrics", "Agent"
LOG, CONFLICTS, LAST_DAYS, ELSEWHERE = "Log", "Conflicts", "Last days", "Also about the task"
SECTIONS = (
    PROFILE_SECTION,
    STABLE_SECTION,
    TOPICS,
    PROJECT,
    DECISIONS,
    METRICS_SECTION,
    AGENT,
    LOG,
    CONFLICTS,
    LAST_DAYS,
    ELSEWHERE,
)
"""In the order in which they are shown."""
ALWAYS = frozenset({PROFILE_SECTION, STABLE_SECTION})
"""L1, which every agent loads."""
_GUARANTEED = frozenset({TOPICS, DECISIONS, METRICS_SECTION, AGENT, LOG, CONFLICTS})


class Candidate(NamedTuple):
    """What is shown or left out as one: a line, two that contradict each other, or the measurements of one metric."""

    section: str
    lines: tuple[Line, ...]
    worth: float
    series: Series | None = None


def candidates(request: Request, memory: Memory) -> list[Candidate]:
    """Return what may be shown, the most worthy first."""
    place = _Place(request, memory)
    found: dict[str, list[Candidate]] = defaultdict(list)
    lines = {line.event.id: line for line in active_lines(memory.resolution, memory.conflicts)}
    in_conflict: set[str] = set()
    for pair in _contradicting(memory, lines, place):
        in_conflict.update(line.event.id for line in pair)
        found[CONFLICTS].append(Candidate(CONFLICTS, pair, max(map(place.worth, pair))))
    truths = {line.home: line.event.id for line in lines.values() if line.event.kind == "topic"}
    origins = _origins(lines, place)
    hidden = in_conflict.union(*origins.values())
    for id_, line in lines.items():
        if id_ in hidden or line.home == METRICS or truths.get(line.home, id_) != id_:
            continue  # shown as a pair, as what it was kept as, as a series, or what a topic once was
        if section := place.section(line):
            worth = max(place.worth(each) for each in (line, *(lines[origin] for origin in origins.get(id_, ()))))
            found[section].append(Candidate(section, (line,), worth))
    found[METRICS_SECTION] = list(_metrics(memory, lines, place))
    shown = (each for section in found for each in _with_first(section, found[section]) if _is_wanted(each, memory))
    return sorted(shown, key=lambda each: (each.worth, each.lines[0].event.sort_key), reverse=True)


def _is_wanted(candidate: Candidate, memory: Memory) -> bool:
    return memory.only is None or any(line.event.id in memory.only for line in candidate.lines)


def _with_first(section: str, found: Iterable[Candidate]) -> Iterator[Candidate]:
    ranked = sorted(found, key=lambda each: (each.worth, each.lines[0].event.sort_key), reverse=True)
    for rank, each in enumerate(ranked, start=1):
        yield each._replace(worth=each.worth + _FIRST / rank) if section in _GUARANTEED else each


class _Place:
    """Where a line stands as seen from what is asked."""

    def __init__(self, request: Request, memory: Memory) -> None:
        self._projects = projects_asked_for(request, memory)
        self._likely = {} if self._projects else likely_projects(request, memory)
        self._agent = compare_key(request.agent)
        self._relevance = memory.relevance
        self._days = (memory.today, add_days(memory.today, -1))
        self._today = date.fromisoformat(memory.today).toordinal()

    def section(self, line: Line) -> str:
        """Return the section of a line, or an empty string where it does not belong."""
        event = line.event
        if line.home in (PROFILE, STABLE):
            return PROFILE_SECTION if line.home == PROFILE else STABLE_SECTION
        if event.scope == "daily" and event.local_date in self._days:
            return LOG
        if self._is_own(event):
            return AGENT
        if compare_key(event.project) in self._projects or compare_key(event.project) in self._likely:
            return DECISIONS if event.kind == "decision" else PROJECT
        if self._is_truth_for_all(event):
            return TOPICS
        if line.home == FUZZY:
            return LAST_DAYS
        if event.kind == "decision" and not self._projects:
            return DECISIONS
        least = _LEAST_BESIDE_PROJECT if self._projects else _LEAST_ELSEWHERE
        return ELSEWHERE if self._relevance.get(event.id, 0.0) >= least else ""

    def _is_own(self, event: Event) -> bool:
        """Tell whether it is the agent's own: what was written for it, and lessons that it wrote itself."""
        if not self._agent:
            return False
        is_lesson = event.kind == "lesson" and compare_key(event.source) == self._agent
        return compare_key(event.agent) == self._agent or (is_lesson and not event.agent)

    def _is_truth_for_all(self, event: Event) -> bool:
        """Tell whether it is the truth of a topic that is not only another project's or agent's."""
        scope, name = event.reach
        return event.kind == "topic" and (not name or (scope == "project" and not self._projects))

    def is_near(self, event: Event) -> bool:
        """Tell whether a measurement or a conflict concerns who asks."""
        if event.scope in ("project", "agent") and event.reach[1]:
            wanted = self._projects if event.scope == "project" else {self._agent}
            return compare_key(event.reach[1]) in wanted or (event.scope == "project" and not self._projects)
        return event.scope != "daily" or event.local_date in self._days

    def worth(self, line: Line) -> float:
        event = line.event
        age = self._today - date.fromisoformat(event.date).toordinal()
        fresh: float = 0.5 ** (max(age, 0) / _HALF_LIFE_DAYS)
        relevance = _RELEVANCE * self._relevance.get(event.id, 0.0)
        own = _OWN if compare_key(event.source) == self._agent else 0.0
        said = _KINDS.get(event.kind, 0.0) + _IMPORTANCE * event.importance + _FRESHNESS * fresh
        return relevance + said + own + self._nearness(line)

    def _nearness(self, line: Line) -> float:
        event = line.event
        if self._is_own(event) or compare_key(event.project) in self._projects:
            return _NEAR
        if event.project:
            return _NEAR * self._likely.get(compare_key(event.project), 0.0)
        if event.scope == "daily":
            return _NEAR if event.local_date in self._days else 0.0
        return {PROFILE: _PERSON, STABLE: _PERSON, FUZZY: _LAST_DAYS}.get(line.home, 0.0)


def _contradicting(memory: Memory, lines: Mapping[str, Line], place: _Place) -> Iterator[tuple[Line, ...]]:
    """Yield the two newest sides of every open conflict that concerns who asks."""
    taken: set[str] = set()
    for conflict in memory.conflicts:
        newest = conflict.members[0]
        pair = (newest.id, conflict.against[newest.id][0])
        if taken.isdisjoint(pair) and any(_concerns(lines[id_], place) for id_ in pair):
            taken.update(pair)
            yield tuple(lines[id_] for id_ in pair)


def _concerns(line: Line, place: _Place) -> bool:
    return place.is_near(line.event) and bool(place.section(line))


def _origins(lines: Mapping[str, Line], place: _Place) -> dict[str, list[str]]:
    """Return the passing remarks that each line keeps: it was made from them and says the same, so one is enough."""
    origins: dict[str, list[str]] = {}
    for id_, line in lines.items():
        remarks = [each for each in line.event.data.get("derived_from", ()) if each in lines and each != id_]
        if line.event.scope in PASSING or not remarks or not place.section(line):
            continue
        said = [lines[each].event for each in remarks if lines[each].event.scope in PASSING]
        origins[id_] = [event.id for event in said if say_the_same(event, line.event)]
    return origins


def _metrics(memory: Memory, lines: Mapping[str, Line], place: _Place) -> Iterator[Candidate]:
    for series in metric_series(memory.resolution):
        newest = lines[series[-1].id]
        if place.is_near(newest.event) or place.section(newest):
            yield Candidate(METRICS_SECTION, (newest,), place.worth(newest), series)
