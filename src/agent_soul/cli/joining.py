"""`join`: at home in an agent program."""

from __future__ import annotations

import difflib
import shlex
from collections.abc import Iterator, Sequence
from pathlib import Path

import click

from agent_soul.cli.common import open_hub, output_options, say, show, show_json
from agent_soul.errors import ExitCode, RefusedError
from agent_soul.hub import Hub
from agent_soul.runtimes.following import find_again
from agent_soul.runtimes.joining import Outcome, end_join
from agent_soul.runtimes.joining import join as join_runtime
from agent_soul.runtimes.model import Options, Runtime
from agent_soul.runtimes.plan import Change, decode
from agent_soul.runtimes.registry import RUNTIMES, find
from agent_soul.runtimes.server import set_up_server
from agent_soul.runtimes.standing import joined


# No environment variable stands in for --source: an agent that joins another program would give it its own id.
@click.command()
@click.argument("runtime", required=False)
@click.option("--source", metavar="ID", help="The program's own source id, if not the one that is proposed.")
@click.option(
    "--project",
    is_flag=False,
    flag_value=".",
    metavar="[FOLDER]",
    help="Into this project (or the current folder) instead of your home; its files are kept out of Git.",
)
@click.option("--mcp", is_flag=True, help="Also the MCP server.")
@click.option("--allow", is_flag=True, help="Also rules that let agents run the memory's commands without asking.")
@click.option("--dry-run", is_flag=True, help="Print what would change as a unified diff; write nothing.")
@click.option("--replace", is_flag=True, help="Take over what a hub that is not there any more has joined.")
@click.option("--uninstall", is_flag=True, help="Take everything out again.")
@output_options
def join(
    runtime: str | None,
    source: str | None,
    project: str | None,
    mcp: bool,
    allow: bool,
    dry_run: bool,
    replace: bool,
    uninstall: bool,
    as_json: bool,
    hub_name: str | None,
) -> int:
    """Make the memory known to an agent program: what it reads at the start, hooks, skill.

    RUNTIME is one of those that the command names without it. Doing it again changes nothing, and keeps the source
    id. A file that cannot be understood is left alone, and what to paste into it is printed (exit 5).
    """
    hub = open_hub(hub_name)
    if runtime is None:
        return _show_all(hub, as_json=as_json)
    found = find(runtime)
    folder = _project(project)
    if uninstall:
        outcome = end_join(hub, found, project=folder, apply=not dry_run, replaces=replace)
    else:
        outcome = join_runtime(
            hub,
            found,
            source=source or "",
            project=folder,
            options=Options(mcp=mcp, allow=allow),
            apply=not dry_run,
            replaces=replace,
        )
        outcome = outcome._replace(notes=(*outcome.notes, *_served(outcome.server, dry_run=dry_run)))
    if as_json:
        _show_fields(outcome, found, folder, written=not dry_run)
    else:
        _show(outcome, found, folder, dry_run=dry_run, uninstall=uninstall)
    return ExitCode.STOPPED if outcome.plan.odd else ExitCode.DONE


def _show_all(hub: Hub, *, as_json: bool) -> int:
    """Print every program that is known, and the source id of those that are joined."""
    find_again(hub)
    standing = joined(hub)
    sources = {each.runtime.name: each.source for each in standing if each.project is None}
    projects = [[each.runtime.name, str(each.project)] for each in standing if each.project]
    if as_json:
        rows = [{"name": name, "title": each.title, "source": sources.get(name)} for name, each in RUNTIMES.items()]
        show_json(ok=True, runtimes=rows, projects=projects)
        return ExitCode.DONE
    for name, each in RUNTIMES.items():
        show(f"{name:16}{each.title:20}{f'joined as {sources[name]}' if name in sources else ''}".rstrip())
    for name, project in projects:
        show(f"{name:16}in {project}")
    return ExitCode.DONE


def _served(server: Sequence[str], *, dry_run: bool) -> Iterator[str]:
    """Set up what the program's MCP server needs, if anything; yield what a person should know of it."""
    if server and dry_run:
        yield f"the join also runs {shlex.join(server)!r}: that sets up what the MCP server needs, in about a minute"
    elif server and (fault := set_up_server(server)):
        what = f"the join stands, but what its MCP server needs could not be set up ({fault})"
        yield f"{what}: put right what is said above, then run {shlex.join(server)!r}"


def _project(name: str | None) -> Path | None:
    if name is None:
        return None
    folder = Path(name).expanduser().resolve()
    if not folder.is_dir():
        raise RefusedError(f"--project names {str(folder)!r}, which is not a folder", hint="name the project's folder")
    return folder


def _steps(runtime: Runtime, project: Path | None, offer: str) -> list[str]:
    """Return what is left to a person; in a project there are no hooks to trust and there is no text to paste."""
    steps = [f"start {runtime.title} anew in the project"] if project else list(runtime.afterwards)
    return [*steps, *filter(None, [offer])]


def _show(outcome: Outcome, runtime: Runtime, project: Path | None, *, dry_run: bool, uninstall: bool) -> None:
    changes = outcome.plan.changes
    if dry_run:
        for line in (line for change in changes for line in _diff(change)):
            show(line)
    else:
        for change in changes:
            verb = "removed" if change.after is None else "written"
            show(f"{verb} {change.path}: {change.what}")
    if not changes and not outcome.plan.odd and not runtime.is_pasted:
        say(f"nothing to change: {runtime.title} is {'not joined' if uninstall else 'joined already'}")
    for odd in outcome.plan.odd:
        say(f"left alone: {odd.path}: {odd.reason}")
        what = (
            "take this out of it by hand" if uninstall else "put this into it by hand, or mend the file and join again"
        )
        say(f"  → {what}:")
        show(odd.snippet.rstrip("\n"))
    for note in outcome.notes:
        say(f"note: {note}")
    if dry_run or uninstall or not (changes or outcome.paste):
        return
    say(f"source id: {outcome.source}")
    for number, step in enumerate(_steps(runtime, project, outcome.offer), start=1):
        say(f"{number}. {step}")
    if outcome.paste:
        show(outcome.paste.removesuffix("\n"))


def _diff(change: Change) -> Iterator[str]:
    before, after = (decode(content or b"")[1].split("\n") for content in (change.before, change.after))
    old = str(change.path) if change.before is not None else "/dev/null"
    new = str(change.path) if change.after is not None else "/dev/null"
    return difflib.unified_diff(before, after, old, new, lineterm="")


def _show_fields(outcome: Outcome, runtime: Runtime, project: Path | None, *, written: bool) -> None:
    show_json(
        ok=not outcome.plan.odd,
        runtime=runtime.name,
        source=outcome.source,
        written=written,
        changes=[
            {"path": str(change.path), "what": change.what, "removed": change.after is None}
            for change in outcome.plan.changes
        ],
        by_hand=[{"path": str(odd.path), "reason": odd.reason, "snippet": odd.snippet} for odd in outcome.plan.odd],
        notes=list(outcome.notes),
        paste=outcome.paste,
        afterwards=_steps(runtime, project, outcome.offer),
    )
