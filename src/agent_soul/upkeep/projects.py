"""The projects of a hub: what there is, how they are called, and what stays when one is closed. Pure."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from typing import Any, NamedTuple

from agent_soul.draft import MAX_DETAIL_BYTES, refuse_credentials
from agent_soul.errors import RefusedError
from agent_soul.event import Event
from agent_soul.projects import aliases_of, nearest_name
from agent_soul.resolve import Resolution, Status, Verdict
from agent_soul.text import compare_key
from agent_soul.upkeep.marks import marks_upon
from agent_soul.upkeep.records import writable

CLOSED_WITH = "soul project"
"""The tool that a statement of a closing names as its origin."""
_HAN = re.compile("[\u4e00-\u9fff]")
_CLOSED = {
    False: (
        "Project {name} is closed. Decided: {decisions}.",
        "Project {name} is closed; it left no decision.",
        "; ",
        " Left undecided: {open}.",
    ),
    True: ("项目 {name} 已结束。决定：{decisions}。", "项目 {name} 已结束，没有留下决定。", "；", "未决：{open}。"),
}
_ENDS = ".。;；"
_DECIDED, _UNDECIDED = frozenset({None, "approved"}), frozenset({"pending"})
_LONGEST_LIST = 10_000


class Project(NamedTuple):
    """A project under the name that it is called now: its events, oldest first, and its other names.

    `closed_by` are the ids of the statements that tell of its closing, one for each time.
    """

    name: str
    verdicts: tuple[Verdict, ...]
    aliases: tuple[str, ...]
    closed_by: tuple[str, ...] = ()

    @property
    def active(self) -> list[Event]:
        return [verdict.event for verdict in self.verdicts if verdict.status is Status.ACTIVE]

    @property
    def is_closed(self) -> bool:
        """Whether nothing of it is active any more and something was archived."""
        return not self.active and any(verdict.status is Status.ARCHIVED for verdict in self.verdicts)

    @property
    def last_date(self) -> str:
        return self.verdicts[-1].event.date


def list_projects(resolution: Resolution) -> list[Project]:
    """Return the projects, the one that was written to last first; `resolution` has its names folded."""
    found: dict[str, list[Verdict]] = defaultdict(list)
    for verdict in resolution.verdicts:
        if verdict.event.scope == "project" and verdict.event.kind not in ("mark", "retraction"):
            found[verdict.event.project].append(verdict)
    aliases, closed = aliases_of(resolution), _closings(resolution)
    projects = [
        Project(name, tuple(v), tuple(aliases.names_for(name)[1:]), tuple(closed[name])) for name, v in found.items()
    ]
    return sorted(projects, key=lambda project: (project.verdicts[-1].event.sort_key, project.name), reverse=True)


def _closings(resolution: Resolution) -> Mapping[str, list[str]]:
    """Return the ids of the active statements that `closing` made, by the name of their project."""
    found: dict[str, list[str]] = defaultdict(list)
    for event in (verdict.event for verdict in resolution.active):
        if event.scope == "stable" and event.project and event.data.get("origin", {}).get("tool") == CLOSED_WITH:
            found[event.project].append(event.id)
    return found


def find_project(projects: Sequence[Project], name: str) -> Project:
    """Return the project of that name, by any of its names. Raises `RefusedError`, naming one that may be meant."""
    exact = [each for each in projects if name in (each.name, *each.aliases)]
    alike = [each for each in projects if compare_key(name) in map(compare_key, (each.name, *each.aliases))]
    found = exact or alike
    if len(found) == 1:
        return found[0]
    if found:
        named = ", ".join(repr(each.name) for each in found)
        raise RefusedError(f"{name!r} may be any of {named}", hint="write it as it is written there")
    near = nearest_name(name, [each for project in projects for each in (project.name, *project.aliases)])
    hint = f"did you mean {near!r}?" if near else "`soul project list` names all"
    raise RefusedError(f"there is no project {name!r}", hint=hint)


def project_fields(each: Project) -> dict[str, Any]:
    """Return a project for programs."""
    return {
        "name": each.name,
        "aliases": list(each.aliases),
        "state": "closed" if each.is_closed else "open",
        "active": len(each.active),
        "events": len(each.verdicts),
        "last_date": each.last_date,
    }


def naming(names: Sequence[str], called: str) -> dict[str, Any]:
    """Return the mark by which `names` are names of the project that is called `called`.

    Raises `RefusedError` where one of them looks like a key.
    """
    refuse_credentials({"name": [*names, called]})
    said = f"{', '.join(names)} is called {called}."
    mark = {"action": "alias", "targets": list(names), "to": called}
    return {"kind": "mark", "scope": "project", "project": called, "mark": mark, "summary": writable(said)}


def closing(project: Project) -> list[dict[str, Any]]:
    """Return what closes a project: one stable statement of what was decided, and the marks that archive the rest.

    The statement's detail links each decision. One that was closed before gets one statement for all of its decisions.
    Raises `RefusedError` where nothing of the project is active.
    """
    if not project.active:
        raise RefusedError(
            f"nothing of the project {project.name!r} is active",
            hint="it is closed; `soul search --all --project NAME` finds what it was" if project.is_closed else "",
        )
    decisions, undecided = (_decisions(project, of) for of in (_DECIDED, _UNDECIDED))
    statement = {
        "kind": "fact",
        "scope": "stable",
        "project": project.name,
        "summary": _summary(project.name, decisions, undecided),
        "importance": max((event.importance for event in decisions), default=0.5),
    }
    if decisions or undecided:
        ids = [event.id for event in (*decisions, *undecided)]
        statement |= {"detail": _links([*decisions, *undecided]), "derived_from": ids[:_LONGEST_LIST]}
    if project.closed_by:
        statement["supersedes"] = list(project.closed_by)
    return [statement, *marks_upon(project.active, "archive", writable(f"project {project.name} is closed"))]


def _decisions(project: Project, statuses: Collection[str | None]) -> list[Event]:
    """Return the project's decisions of these statuses, the weightiest first."""
    told = {Status.ACTIVE, Status.ARCHIVED} if project.closed_by else {Status.ACTIVE}
    events = (verdict.event for verdict in project.verdicts if verdict.status in told)
    found = (e for e in events if e.kind == "decision" and e.data.get("decision", {}).get("status") in statuses)
    return sorted(found, key=lambda event: (-event.importance, event.sort_key))


def _summary(name: str, decisions: Sequence[Event], undecided: Sequence[Event]) -> str:
    """Return the statement in the language in which most of the decisions are written, by the name without any."""
    texts = [event.summary for event in (*decisions, *undecided)] or [name]
    chinese = sum(bool(_HAN.search(text)) for text in texts) * 2 > len(texts)
    with_decisions, without, comma, still_open = _CLOSED[chinese]
    decided, left = (comma.join(e.summary.rstrip(_ENDS) for e in events) for events in (decisions, undecided))
    said = with_decisions.format(name=name, decisions=decided) if decided else without.format(name=name)
    return writable(said + (still_open.format(open=left) if left else ""))


def _links(decisions: Sequence[Event]) -> str:
    """Return a row for each decision, with its link, as many as a detail may hold."""
    rows: list[str] = []
    size = 0
    for event in decisions:
        row = f"[[{event.id}]] {event.date} {event.summary}"
        size += len(row.encode()) + 1
        if size > MAX_DETAIL_BYTES:
            break
        rows.append(row)
    return "\n".join(rows)
