"""`share` and `sync`: bringing events to the other machines."""

from __future__ import annotations

from typing import Any

import click

from agent_soul.cli.common import open_hub, output_options, tell_agents
from agent_soul.cli.options import event_options
from agent_soul.cli.plain import LONGEST_BUDGET
from agent_soul.cli.reaching import exit_code, share_one, show_kept
from agent_soul.cli.text_command import TextCommand
from agent_soul.sync import DEFAULT_BUDGET, try_sync

_budget = click.option(
    "--budget",
    type=click.IntRange(1, LONGEST_BUDGET),
    default=DEFAULT_BUDGET,
    show_default=True,
    metavar="SECONDS",
    help="How long to try to reach the remote.",
)


@click.command(cls=TextCommand)
@click.argument("text", required=False)
@event_options
@_budget
@output_options
def share(text: str | None, budget: float, as_json: bool, hub_name: str | None, **fields: Any) -> int:
    """Record something and bring it to the other machines: add, compile, push.

    TEXT is the summary (or --summary, or stdin). Without more options it is an observation of scope fuzzy, shown for
    a week. With no remote, or in a copy of the template, it is kept here; exit 4 means safe here, not shared yet.
    """
    return share_one(open_hub(hub_name), text, fields, budget=budget, as_json=as_json)


@click.command()
@_budget
@click.option("--reattach", is_flag=True, help="Take a rewritten remote as it is, and send it the events that it lost.")
@output_options
def sync(budget: float, reattach: bool, as_json: bool, hub_name: str | None) -> int:
    """Bring this clone and the remote together: fetch, compile, push, and move the work tree along."""
    hub = open_hub(hub_name)
    kept = try_sync(hub, budget=budget, reattach=reattach)
    tell_agents(hub, looking=True)
    show_kept(kept, as_json=as_json)
    return exit_code(kept)
