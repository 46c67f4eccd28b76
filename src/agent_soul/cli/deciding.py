"""`retract` and `resolve`: a person's decisions, as events."""

from __future__ import annotations

from typing import Any

import click

from agent_soul import adding
from agent_soul.cli.common import line_of, open_hub, output_options, say, show_added
from agent_soul.compiler import load_config, resolve_today
from agent_soul.errors import ExitCode, RefusedError
from agent_soul.event import Event, short_id
from agent_soul.hub import Hub
from agent_soul.log import parse_log, read_source_files
from agent_soul.resolve import Status

_NAME_LENGTH = 80
_source = click.option("--source", required=True, envvar="AGENT_SOUL_SOURCE", metavar="ID", help="Who decides.")
_reason = click.option("--reason", required=True, metavar="TEXT", help="Why; kept with the decision.")


@click.command()
@click.argument("event_ids", nargs=-1, required=True, metavar="ID...")
@_reason
@_source
@output_options
def retract(event_ids: tuple[str, ...], reason: str, source: str, as_json: bool, hub_name: str | None) -> int:
    """Take events back. The lines stay in the log; no page shows them, and identical older statements go with them."""
    hub = open_hub(hub_name)
    events = _find_all(hub, event_ids)
    _refuse_retracted(hub, events)
    record = {"kind": "retraction", "supersedes": [event.id for event in events], "summary": reason}
    return _add(hub, source, "retracted", events, record)


@click.command()
@click.argument("event_ids", nargs=-1, required=True, metavar="ID...")
@_reason
@_source
@output_options
def resolve(event_ids: tuple[str, ...], reason: str, source: str, as_json: bool, hub_name: str | None) -> int:
    """Settle a conflict for good: the events named can all hold. To decide for one, retract the others."""
    hub = open_hub(hub_name)
    events = _find_all(hub, event_ids)
    if len({event.id for event in events}) < 2:
        raise RefusedError(
            "a conflict is between two events or more", hint="name all that are meant; conflicts.md lists them"
        )
    mark = {"action": "settle", "targets": [event.id for event in events]}
    return _add(hub, source, "settled", events, {"kind": "mark", "mark": mark, "summary": reason})


def _refuse_retracted(hub: Hub, events: list[Event]) -> None:
    verdicts = resolve_today(hub, parse_log(read_source_files(hub.root)), load_config(hub)[0]).by_id
    done = [event for event in events if verdicts[event.id].status is Status.RETRACTED]
    if done:
        named = ", ".join(short_id(event.id) for event in done)
        raise RefusedError(
            f"already retracted: {named}", hint=f"`soul show {short_id(done[0].id)}` tells why and by whom"
        )


def _find_all(hub: Hub, wanted: tuple[str, ...]) -> list[Event]:
    events = parse_log(read_source_files(hub.root)).events
    return [adding.find_event(events, id_) for id_ in wanted]


def _add(hub: Hub, source: str, done: str, events: list[Event], record: dict[str, Any]) -> int:
    """Append the decision with the reach of the first event that it is about, so that it is found there."""
    about = events[0]
    # Names as they are shown: an old line may hold more than may be written today.
    names = {"project": about.project[:_NAME_LENGTH], "agent": about.agent[:_NAME_LENGTH]}
    reach = {"scope": about.scope, **{name: text for name, text in names.items() if text}}
    added = adding.add(hub, {"source": source, **reach, **record})
    for event in events:
        say(f"{done}: {line_of(event)}")
    say("the pages follow at the next `soul compile`, `share` or `sync`")
    show_added(added)
    return ExitCode.DONE
