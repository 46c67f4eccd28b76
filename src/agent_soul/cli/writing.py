"""`add`: recording events."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

import click

from agent_soul import adding
from agent_soul.cli.common import hub_option, open_hub, printed_if_possible, say, show_json
from agent_soul.cli.fields import to_record
from agent_soul.cli.options import event_options
from agent_soul.cli.single import add_one
from agent_soul.errors import ExitCode, RefusedError
from agent_soul.log import BOM
from agent_soul.recording import in_project

if TYPE_CHECKING:
    from agent_soul.bulk import Refusal

_MAX_LINES_SHOWN = 20


@click.command()
@event_options
@click.option("--stdin", "bulk", is_flag=True, help="Read many events from stdin, one JSON object a line.")
@click.option("--json", "as_json", is_flag=True, help="Accepted for symmetry: the answer is always JSON.")
@hub_option
def add(bulk: bool, as_json: bool, hub_name: str | None, **fields: Any) -> int:
    """Append one event, or many with --stdin. Prints JSON; exit 0 means that they are kept."""
    hub = open_hub(hub_name)
    return _add_lines(hub, in_project(to_record(fields))) if bulk else add_one(hub, fields)


def _add_lines(hub: Any, defaults: dict[str, Any]) -> int:
    """Add many events as one outbox file; refused lines are named and the others kept."""
    if sys.stdin is None:
        raise RefusedError("stdin is closed", hint="give one JSON object a line: soul add --stdin < events.ndjson")
    content = sys.stdin.buffer.read().removeprefix(BOM)
    with click.progressbar(
        length=len(content), label="Checking events", file=sys.stderr, hidden=not sys.stderr.isatty()
    ) as bar:
        pending = [0]

        def advance(size: int) -> None:
            pending[0] += size + 1
            if pending[0] > 1 << 16:
                bar.update(pending[0])
                pending[0] = 0

        (added, refused, warnings), appended = adding.add_lines(hub, content.split(b"\n"), defaults, advance)
    _name_lines("was refused", refused)
    _name_lines("is kept, but", warnings)
    with printed_if_possible(f"{len(added)} events"):
        show_json(
            ok=not refused,
            added=len(added),
            refused=[{"line": refusal.line, "reason": refusal.reason} for refusal in refused],
            paths=sorted(set(appended.paths.values())),
            warnings=[*(f"line {warning.line}: {warning.reason}" for warning in warnings), *appended.warnings],
        )
    if refused:
        return ExitCode.PROBLEMS if added else ExitCode.USAGE
    return ExitCode.DONE


def _name_lines(what: str, lines: list[Refusal]) -> None:
    for line in lines[:_MAX_LINES_SHOWN]:
        say(f"line {line.line} {what}: {line.reason}")
    hidden = len(lines) - _MAX_LINES_SHOWN
    if hidden > 0:
        say(f"and {hidden} more lines; stdout lists all of them")
