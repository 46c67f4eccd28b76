"""`note`, `session` and `check-writes`: the log of a day, and what it lacks."""

from __future__ import annotations

from typing import Any

import click

from agent_soul import adding
from agent_soul.cli.common import open_hub, output_options, say, show, show_added, show_json
from agent_soul.cli.fields import require, text_of, to_record
from agent_soul.cli.options import event_options, source_option
from agent_soul.cli.text_command import TextCommand
from agent_soul.errors import ExitCode
from agent_soul.telling import as_typed

_name = click.option("--name", default="", metavar="TEXT", help="What the program calls the session.")


@click.command(cls=TextCommand)
@click.argument("text", required=False)
@event_options
@output_options
def note(text: str | None, as_json: bool, hub_name: str | None, **fields: Any) -> int:
    """Write into the log of the day, canonical/daily/DATE.md: what happened, and why. Prints JSON.

    TEXT is the summary (or --summary, or stdin). The day is that of your own clock, or of --ts.
    """
    hub = open_hub(hub_name)
    record = {"kind": "note", **to_record({**fields, "scope": fields["scope"] or "daily"})}
    record["summary"] = text_of(text, record.get("summary"), "note")
    require(record, "source")
    show_added(adding.add(hub, record))
    return ExitCode.DONE


@click.command()
@click.argument("act", type=click.Choice(["start", "end"]))
@source_option
@_name
@output_options
def session(act: str, source: str | None, name: str, as_json: bool, hub_name: str | None) -> int:
    """Note on this machine that a session starts or ends, so that `check-writes` can tell what it left in the log."""
    from agent_soul.sessions import end_session, start_session

    hub = open_hub(hub_name)
    require({"source": source}, "source")
    found = (start_session if act == "start" else end_session)(hub, str(source), adding.local_now(), name)
    if as_json:
        show_json(ok=True, session=found._asdict())
    else:
        show(f"{act} of a session of {found.source}: {found.end or found.start}")
    return ExitCode.DONE


@click.command(name="check-writes")
@click.option("--source", default="", metavar="ID", help="Only what this source missed.")
@output_options
def check_writes(source: str, as_json: bool, hub_name: str | None) -> int:
    """Say which sessions and days left too little in the log, and which sources went quiet. Exit 1 for what was missed.

    A session counts when it was longer than `writes.session_minutes` and left less than `writes.session_bytes`; a day
    when it had a session and no event. Sessions are known from `soul boot` and `soul session`.
    """
    from agent_soul.outbox import whole_log
    from agent_soul.sessions import writes_of

    hub = open_hub(hub_name)
    found = writes_of(hub, whole_log(hub).events, adding.local_now())
    missed = [each for each in found.missed if source in ("", each.source)]
    quiet = [each for each in found.quiet if source in ("", each.source)]
    if as_json:
        show_json(ok=not missed, missed=[each._asdict() for each in missed], quiet=[each._asdict() for each in quiet])
        return ExitCode.PROBLEMS if missed else ExitCode.DONE
    for each in missed:
        show(f"{each.what}\n  mend: {as_typed(each.mend)}")
    for silent in quiet:
        show(str(silent))
    if not missed and not quiet:
        say("nothing was missed")
    return ExitCode.PROBLEMS if missed else ExitCode.DONE
