"""`project`: the projects of a hub, their names, and closing one."""

from __future__ import annotations

from typing import Any

import click

from agent_soul.cli.common import line_of, open_hub, output_options, say, show, show_json, take_turn
from agent_soul.cli.upkeep import PAGES_FOLLOW
from agent_soul.compiler import resolve_hub
from agent_soul.errors import ExitCode, RefusedError
from agent_soul.event import Event
from agent_soul.hub import Hub
from agent_soul.text import compare_key
from agent_soul.upkeep.projects import Project, closing, find_project, list_projects, naming, project_fields
from agent_soul.upkeep.runs import apply_run

_USAGE = {
    "rename": "soul project rename NAME NEW-NAME",
    "alias": "soul project alias NAME OTHER-NAME...",
    "close": "soul project close NAME",
}
_NAMES_LEAST = {"rename": 2, "alias": 2, "close": 1}
_NAMES_MOST = {"rename": 2, "alias": 100, "close": 1}


@click.command()
@click.argument("action", type=click.Choice(("list", *_USAGE)), metavar="list|rename|alias|close")
@click.argument("names", nargs=-1, metavar="[NAME]...")
@click.option("--source", default="", envvar="AGENT_SOUL_SOURCE", metavar="ID", help="Who does it; not for list.")
@output_options
def project(action: str, names: tuple[str, ...], source: str, as_json: bool, hub_name: str | None) -> int:
    """List the projects, or change one by appended events.

    `rename NAME NEW-NAME` and `alias NAME OTHER-NAME...` make the names one project, on one page. `close NAME` keeps
    what was decided as one stable event with links to each decision, and archives what is active of the project.
    """
    hub = open_hub(hub_name)
    if action != "list":
        take_turn(hub, f"project {action}")
    projects = list_projects(resolve_hub(hub))
    if action == "list":
        return _list(projects, as_json=as_json)
    if not _NAMES_LEAST[action] <= len(names) <= _NAMES_MOST[action]:
        raise RefusedError(f"{action} takes other names: {_USAGE[action]}", hint="`soul project list` names all")
    if not source:
        raise RefusedError("missing: --source", hint="say who decides; or set AGENT_SOUL_SOURCE")
    if action == "close":
        return _close(hub, find_project(projects, names[0]), source, as_json=as_json)
    return _name(hub, projects, action, names, source, as_json=as_json)


def _list(projects: list[Project], *, as_json: bool) -> int:
    if as_json:
        show_json(ok=True, total=len(projects), projects=[project_fields(each) for each in projects])
        return ExitCode.DONE
    for each in projects:
        other = f"  also: {', '.join(each.aliases)}" if each.aliases else ""
        state = "closed" if each.is_closed else f"{len(each.active)} active"
        show(f"{each.name}  {state}, last written {each.last_date}{other}")
    say(f"{len(projects)} projects" if projects else "no projects yet")
    return ExitCode.DONE


def _name(hub: Hub, projects: list[Project], action: str, names: tuple[str, ...], source: str, *, as_json: bool) -> int:
    """Append the mark that makes the names one: the last one is the new name, or the first one the name that stays."""
    found = find_project(projects, names[0])
    called, others = (names[1], [found.name]) if action == "rename" else (found.name, list(names[1:]))
    if called in others:
        raise RefusedError(f"{called!r} is its name already", hint=_USAGE[action])
    if action == "rename" and any(compare_key(each.name) == compare_key(called) for each in projects):
        say(f"note: there was a project {called!r} before; from now on both are one")
    events = apply_run(hub, "project", source, [naming(others, called)])
    if as_json:
        show_json(ok=True, name=called, aliases=others, **_ids(events))
        return ExitCode.DONE
    say(f"{', '.join(others)} is called {called}; {PAGES_FOLLOW}")
    return ExitCode.DONE


def _close(hub: Hub, found: Project, source: str, *, as_json: bool) -> int:
    events = apply_run(hub, "project", source, closing(found))
    if as_json:
        show_json(ok=True, name=found.name, archived=len(found.active), event=events[0].data, **_ids(events))
        return ExitCode.DONE
    show(line_of(events[0]))
    say(f"closed: {found.name}, {len(found.active)} archived; {PAGES_FOLLOW}")
    return ExitCode.DONE


def _ids(events: list[Event]) -> dict[str, Any]:
    return {"events": [event.id for event in events]}
