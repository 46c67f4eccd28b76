"""`reflect`: a program of the user's proposes what to keep of a day."""

from __future__ import annotations

import click

from agent_soul.adding import local_now
from agent_soul.cli.common import line_of, open_hub, output_options, say, show, show_json
from agent_soul.compiler import resolve_today
from agent_soul.errors import ExitCode, RefusedError
from agent_soul.instants import parse_date
from agent_soul.outbox import whole_log
from agent_soul.upkeep.reflecting import DEFAULT_TIMEOUT, Proposals, ask, day_log, propose
from agent_soul.upkeep.runs import Run


@click.command()
@click.option("--command", required=True, metavar="COMMAND", help="The program with its arguments; no shell reads it.")
@click.option("--date", "day", default="", metavar="YYYY-MM-DD", help="The day; today if not given.")
@click.option(
    "--timeout",
    type=click.IntRange(1, 3600),
    default=DEFAULT_TIMEOUT,
    show_default=True,
    metavar="SECONDS",
    help="How long the program may take.",
)
@click.option("--source", required=True, envvar="AGENT_SOUL_SOURCE", metavar="ID", help="In whose name it proposes.")
@output_options
def reflect(command: str, day: str, timeout: int, source: str, as_json: bool, hub_name: str | None) -> int:
    """Let a program of yours propose what to keep of a day.

    It reads the day's events as NDJSON on stdin and prints candidate events as NDJSON: a summary at least, kind and
    scope as for `add`. They wait for `soul review` and count for nothing until then.
    """
    hub = open_hub(hub_name)
    day = _day(day)
    log = whole_log(hub)
    given = day_log(resolve_today(hub, log), day)
    if not given:
        say(f"nothing was recorded on {day}; the program was not asked")
    run = Run("reflect", source)
    answer = ask(command, given, timeout) if given else b""
    found = propose(run, answer.split(b"\n"), log.events)
    run.keep(hub)
    _show(found, as_json=as_json)
    return ExitCode.PROBLEMS if found.refused else ExitCode.DONE


def _day(given: str) -> str:
    try:
        return parse_date(given) if given else local_now().date().isoformat()
    except ValueError as error:
        raise RefusedError(f"--date {error}") from error


def _show(found: Proposals, *, as_json: bool) -> None:
    if as_json:
        show_json(
            ok=not found.refused,
            proposed=[event.id for event in found.events],
            known=found.known,
            refused=[{"line": refusal.line, "reason": refusal.reason} for refusal in found.refused],
        )
    else:
        for event in found.events:
            show(line_of(event))
    for refusal in found.refused:
        say(f"line {refusal.line} was refused: {refusal.reason}")
    say(f"{len(found.events)} proposed, {found.known} known already; `soul review` lists what waits")
