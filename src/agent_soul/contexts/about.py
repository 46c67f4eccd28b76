"""Which projects a task is about: those that are given or named, else the likely ones. Pure."""

from __future__ import annotations

import heapq
from collections import defaultdict
from collections.abc import Iterable

from agent_soul.contexts.asking import Memory, Request
from agent_soul.projects import aliases_of
from agent_soul.searching.document import sequence
from agent_soul.text import compare_key

_ANSWERS, _WRITTEN_LAST = 30, 50
"""So many of the best answers, and of the last events of the agent, say what the task is about."""
_LEAST_SHARE = 0.4
"""No more than two projects are likely at once."""


def projects_asked_for(request: Request, memory: Memory) -> frozenset[str]:
    """Return the projects that are meant: the one given, else all whose names stand in the task."""
    aliases = aliases_of(memory.resolution)
    if request.project:
        return frozenset([compare_key(aliases.name_for(request.project))])
    task = sequence(request.task)
    called = {verdict.event.project for verdict in memory.resolution.active} if task else set()
    meant = (name for name in called if name and _stands_in(task, aliases.names_for(name)))
    return frozenset(map(compare_key, meant))


def _stands_in(task: str, names: Iterable[str]) -> bool:
    return any((sequence(name) or "?") in task for name in names)


def likely_projects(request: Request, memory: Memory) -> dict[str, float]:
    """Return the projects that the task is probably about, where it names none: their keys, and how likely each is.

    Two things speak for a project: how much of what answers the task best is about it, and how much of what the agent
    wrote last.
    """
    active = {verdict.event.id: verdict.event for verdict in memory.resolution.active if verdict.event.project}
    best = heapq.nlargest(_ANSWERS, memory.relevance.items(), key=lambda each: (each[1], each[0]))
    by_answers = _shares((active[id_].project, worth) for id_, worth in best if id_ in active)
    agent = compare_key(request.agent)
    own = [event.project for event in active.values() if agent and compare_key(event.source) == agent]
    by_agent = _shares((project, 1.0) for project in own[-_WRITTEN_LAST:])
    answers, written = by_answers or by_agent, by_agent or by_answers
    likely = {key: (answers.get(key, 0.0) + written.get(key, 0.0)) / 2 for key in answers.keys() | written.keys()}
    return {key: share for key, share in likely.items() if share >= _LEAST_SHARE}


def _shares(weights: Iterable[tuple[str, float]]) -> dict[str, float]:
    """Return which part of all weight each project has, by its key."""
    total: dict[str, float] = defaultdict(float)
    for project, weight in weights:
        total[compare_key(project)] += weight
    whole = sum(total.values())
    return {key: weight / whole for key, weight in total.items()} if whole else {}


def unknown_project(request: Request, memory: Memory) -> str:
    """Return what to say where the project that was given has no line, and which one may be meant; else nothing."""
    names = sorted({verdict.event.project for verdict in memory.resolution.verdicts if verdict.event.project})
    keys = {compare_key(name): name for name in names}
    wanted = compare_key(aliases_of(memory.resolution).name_for(request.project))
    if not wanted or wanted in keys:
        return ""
    import difflib  # only a mistake pays for it

    near = [repr(keys[key]) for key in difflib.get_close_matches(wanted, keys, n=3)]
    advice = f"did you mean {' or '.join(near)}?" if near else "nothing is recorded for it yet"
    return f"no memory belongs to a project {request.project!r}; {advice}"
