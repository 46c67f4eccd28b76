"""`prune`: what time has taken off the pages."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import click

from agent_soul.cli.common import line_of, open_hub, output_options, say, show, show_json
from agent_soul.compiler import resolve_hub
from agent_soul.errors import ExitCode, RefusedError
from agent_soul.resolve import Resolution, Verdict
from agent_soul.upkeep.pruning import archiving, outdated
from agent_soul.upkeep.runs import draft_run, keep_run

PAGES_FOLLOW = "the pages follow at the next `soul compile`, `share` or `sync`"
_apply = click.option("--apply", "apply_", is_flag=True, help="Append the events that do it.")
_source = click.option(
    "--source", default="", envvar="AGENT_SOUL_SOURCE", metavar="ID", help="Who does it; with --apply."
)


@click.command()
@_apply
@_source
@output_options
def prune(apply_: bool, source: str, as_json: bool, hub_name: str | None) -> int:
    """List what is stale (fuzzy and too old) or expired. --apply archives it by a mark; the log keeps every line."""
    require_source(source, apply_=apply_)
    hub = open_hub(hub_name)
    resolution = resolve_hub(hub)
    found = outdated(resolution)
    events = draft_run("prune", source, archiving(found)) if apply_ else []
    keep_run(hub, events)
    if as_json:
        marks = [event.id for event in events]
        show_json(ok=True, total=len(found), applied=len(found) * apply_, marks=marks, items=verdict_fields(found))
        return ExitCode.DONE
    show_verdicts(found, resolution)
    if not found:
        say("nothing is stale or expired")
    elif apply_:
        say(f"{len(found)} archived; {PAGES_FOLLOW}")
    else:
        say(f"{len(found)} stale or expired; `soul prune --apply --source YOUR-ID` archives them")
    return ExitCode.DONE


def require_source(source: str, *, apply_: bool) -> None:
    """Refuse to write in nobody's name."""
    if apply_ and not source:
        raise RefusedError("--apply needs --source ID", hint="say who decides; or set AGENT_SOUL_SOURCE")


def show_verdicts(verdicts: Sequence[Verdict], resolution: Resolution, indent: str = "") -> None:
    for verdict in verdicts:
        line = line_of(verdict.event, verdict.status, shown_id=resolution.name_of(verdict.event.id))
        show(f"{indent}{line}")


def verdict_fields(verdicts: Sequence[Verdict]) -> list[dict[str, Any]]:
    return [
        {"event_id": v.event.id, "status": v.status, "reason": v.reason, "event": dict(v.event.data)} for v in verdicts
    ]
