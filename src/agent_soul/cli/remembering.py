"""`context`, `boot`: what an agent should know now."""

from __future__ import annotations

from typing import Any

import click

from agent_soul.adding import local_now
from agent_soul.boot import PULL_SECONDS, boot_fields
from agent_soul.boot import boot as boot_hub
from agent_soul.cli.common import open_hub, output_options, say, show, show_json, speak_to_agent, tell_agents
from agent_soul.cli.fields import require
from agent_soul.cli.options import source_option
from agent_soul.contexts.asking import DEFAULT_BUDGET, LEAST_BUDGET, Request
from agent_soul.contexts.choosing import Context, context_fields
from agent_soul.contexts.gathering import context_of
from agent_soul.errors import ExitCode
from agent_soul.telling import invoked_as

_REQUEST_OPTIONS = (
    click.option("--project", default="", metavar="NAME", help="The project that is worked on."),
    click.option("--task", default="", metavar="TEXT", help="What is to be done; lines that help with it come first."),
    click.option(
        "--budget",
        default=DEFAULT_BUDGET,
        show_default=True,
        type=click.IntRange(min=LEAST_BUDGET),
        metavar="TOKENS",
        help="What it may cost at most.",
    ),
    click.option(
        "--format", "form", default="md", show_default=True, type=click.Choice(["md", "json"]), help="Text, or JSON."
    ),
)


def request_options(command: Any) -> Any:
    """Add the options that describe what a context is for."""
    for option in reversed(_REQUEST_OPTIONS):
        command = option(command)
    return command


@click.command()
@click.option("--agent", default="", metavar="ID", help="Whose own lessons and notes are wanted.")
@request_options
@output_options
def context(agent: str, project: str, task: str, budget: int, form: str, as_json: bool, hub_name: str | None) -> int:
    """Print what an agent should know now, and never more than the budget.

    Identity and lasting memory come first; then, by relevance to the task and freshness, the project, decisions,
    metrics, the agent's lessons, the log of yesterday and today, and open conflicts.
    """
    hub = open_hub(hub_name)
    speak_to_agent(hub, source=agent)
    found = context_of(hub, Request(agent, project, task, budget, invoked_as()), local_now())
    _say_note(found)
    if as_json or form == "json":
        show_json(ok=True, **context_fields(found))
    else:
        show(found.text.removesuffix("\n"))
    return ExitCode.DONE


@click.command()
@source_option
@request_options
@click.option(
    "--timeout",
    "seconds",
    default=PULL_SECONDS,
    show_default=True,
    type=click.IntRange(1, 600),
    metavar="SECONDS",
    help="How long to wait for the remote.",
)
@click.option("--changed-since", default="", metavar="COMMIT", help="Of the memory only what is new since this commit.")
@output_options
def boot(
    source: str | None,
    project: str,
    task: str,
    budget: int,
    form: str,
    seconds: float,
    changed_since: str,
    as_json: bool,
    hub_name: str | None,
) -> int:
    """Start a session: bring what is new, say what was missed and what waits, then print the context.

    The order is: the remote, yesterday's log, what waits for somebody, the context. A remote that does not answer is
    said, and nothing waits for it longer than --timeout. The source is the agent whose lessons are shown.
    """
    hub = open_hub(hub_name)
    require({"source": source}, "source")
    speak_to_agent(hub, source=str(source))
    request = Request(str(source), project, task, budget, invoked_as())
    found = boot_hub(hub, str(source), request, local_now(), seconds=seconds, changed_since=changed_since)
    tell_agents(hub)
    _say_note(found.context)
    if not (as_json or form == "json"):
        show(found.text.removesuffix("\n"))
        return ExitCode.DONE
    show_json(ok=True, **boot_fields(found, budget))
    return ExitCode.DONE


def _say_note(found: Context) -> None:
    if found.note:
        say(f"note: {found.note}")
