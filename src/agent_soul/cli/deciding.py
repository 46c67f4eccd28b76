"""`retract` and `resolve`: a person's decisions, as events."""

from __future__ import annotations

from typing import Any

import click

from agent_soul import adding, settling
from agent_soul.cli.common import line_of, open_hub, output_options, say, show_added
from agent_soul.compiler import resolve_hub
from agent_soul.conflicts import MAX_AGAINST, find_conflicts
from agent_soul.errors import ExitCode, RefusedError
from agent_soul.event import Event, short_id
from agent_soul.hub import Hub
from agent_soul.outbox import whole_log
from agent_soul.references import find_event
from agent_soul.resolve import Resolution, Status
from agent_soul.text import neutralise

_STAYING_SHOWN = 6

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
    before = resolve_hub(hub)
    _refuse_retracted(before, events)
    record = {"kind": "retraction", "supersedes": [event.id for event in events], "summary": reason}
    code = _add(hub, source, "retracted", events, record)
    _say_what_holds_again(before, resolve_hub(hub))
    return code


@click.command()
@click.argument("ids", nargs=-1, required=True, metavar="ID...")
@click.option(
    "--keep",
    metavar="EVENT",
    help="This one (or content, by digest) holds; what contradicts it is taken back, and the rest stays.",
)
@click.option("--both", metavar="WHY", help="All hold, and why; it is not asked again.")
@click.option("--write", "statement", metavar="TEXT", help="None holds as it stands; this replaces all.")
@click.option("--reason", default="", metavar="TEXT", help="Why, with --keep.")
@_source
@output_options
def resolve(
    ids: tuple[str, ...],
    keep: str | None,
    both: str | None,
    statement: str | None,
    reason: str,
    source: str,
    as_json: bool,
    hub_name: str | None,
) -> int:
    """Settle a conflict by one event. ID is a conflict's (see `soul conflicts`), one event's, or several events'."""
    hub = open_hub(hub_name)
    resolution = resolve_hub(hub)
    contents = settling.contents_of(resolution, ids)
    if contents:
        chosen, record = settling.choosing(contents, keep, reason)
        return _add(hub, source, "holds", [chosen], record)
    ways = [way for way in (keep, both, statement) if way is not None]
    if len(ways) != 1:
        raise RefusedError("say what holds, in one way", hint='--keep EVENT, --both "why" or --write "new statement"')
    _refuse_empty(both, '--both "why both hold"')
    _refuse_empty(statement, '--write "what holds"')
    events = [verdict.event for verdict in resolution.verdicts]
    dispute = settling.find_dispute(find_conflicts(resolution), events, ids)
    if keep is not None:
        return _keep(hub, source, dispute, settling.find_kept(dispute, events, keep), reason, resolution)
    if both is not None:
        then = "it is not asked again" if dispute.conflict else "neither a conflict nor a merge of them is suggested"
        return _add(
            hub, source, "holds", list(dispute.events), settling.keeping_all(dispute, both), then, option="--both"
        )
    record = settling.replacing(dispute, str(statement))
    return _add(hub, source, "replaced", list(dispute.events), record, option="--write")


def _keep(hub: Hub, source: str, dispute: settling.Dispute, kept: Event, reason: str, resolution: Resolution) -> int:
    """Take back what contradicts `kept`, with all that it had replaced, and say what goes, stays and holds again."""
    rivals = dispute.rivals_of(kept)
    with_them = settling.going_with(rivals, kept, resolution)
    code = _add(hub, source, "taken back", rivals, settling.keeping(kept, [*rivals, *with_them], reason))
    for event in with_them:
        say(f"taken back with it: {line_of(event, shown_id=resolution.name_of(event.id))}")
    _say_what_holds_again(resolution, resolve_hub(hub))
    _say_what_stays(dispute, kept, resolution)
    return code


def _refuse_empty(given: str | None, way: str) -> None:
    if given is not None and not neutralise(given):
        raise RefusedError(f"{way.split()[0]} says nothing; nothing was written", hint=f"say it: {way}")


def _say_what_stays(dispute: settling.Dispute, kept: Event, resolution: Resolution) -> None:
    """Name what a conflict holds besides the event that was kept and what contradicts that one."""
    if dispute.conflict and len(dispute.rivals_of(kept)) == MAX_AGAINST:
        say(f"{MAX_AGAINST} are taken back at a time; `soul conflicts` lists what is left")
        return
    others = dispute.beside(kept)
    for event in others[:_STAYING_SHOWN]:
        name = resolution.name_of(event.id)
        why = f"it was not found to contradict {resolution.name_of(kept.id)}"
        say(f"stays: {line_of(event, shown_id=name)}: {why}")
        if rivals := dispute.still_against(event, kept):
            say(f"  still in conflict with {resolution.name_of(rivals[0].id)}; `soul conflicts` asks again")
        else:
            say(f"  if it does not hold: `soul retract {name} --reason WHY --source YOUR-ID`")
    if len(others) > _STAYING_SHOWN:
        say(f"and {len(others) - _STAYING_SHOWN} more stay")


def _say_what_holds_again(before: Resolution, after: Resolution) -> None:
    """Name the events that were known before, did not hold, and do now."""
    for id_, verdict in after.by_id.items():
        if verdict.status is Status.ACTIVE and id_ in before.by_id and before.by_id[id_].status is not Status.ACTIVE:
            say(f"holds again, as what had replaced it is taken back: {line_of(verdict.event)}")


def _refuse_retracted(resolution: Resolution, events: list[Event]) -> None:
    done = [event for event in events if resolution.by_id[event.id].status is Status.RETRACTED]
    if done:
        named = ", ".join(short_id(event.id) for event in done)
        raise RefusedError(
            f"already retracted: {named}", hint=f"`soul show {short_id(done[0].id)}` tells why and by whom"
        )


def _find_all(hub: Hub, wanted: tuple[str, ...]) -> list[Event]:
    events = whole_log(hub).events
    return [find_event(events, id_) for id_ in wanted]


def _add(
    hub: Hub,
    source: str,
    done: str,
    events: list[Event],
    record: dict[str, Any],
    then: str = "",
    *,
    option: str = "--reason",
) -> int:
    """Append the decision with the reach of the first event that it is about, so that it is found there.

    `then` says what follows from it as long as nobody takes it back, `option` where its summary was given.
    """
    try:
        added = adding.add(hub, {"source": source, **settling.place_of(events[0]), **record})
    except RefusedError as error:
        raise RefusedError(_about(option, error.message), hint=error.hint) from error
    for event in events:
        say(f"{done}: {line_of(event)}")
    if then:
        say(f"{then}; `soul retract {short_id(added.event.id)} --reason WHY --source YOUR-ID` takes that back")
    say("the pages follow at the next `soul compile`, `share` or `sync`")
    show_added(added)
    return ExitCode.DONE


def _about(option: str, message: str) -> str:
    """Return a message about the summary in terms of the option that was typed for it."""
    return f"{option}{message.removeprefix('summary')}" if message.startswith("summary") else message
