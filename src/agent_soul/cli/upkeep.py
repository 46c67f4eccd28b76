"""`prune`, `heartbeat`, `used`: what time has taken off the pages, and what nobody has used."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import click

from agent_soul.cli.common import line_of, open_hub, output_options, say, show, show_json, take_turn
from agent_soul.compiler import default_state, recorded_in, resolve_hub
from agent_soul.errors import ExitCode, RefusedError
from agent_soul.event import Event
from agent_soul.hub import Hub
from agent_soul.outbox import whole_log
from agent_soul.references import find_event
from agent_soul.resolve import Resolution, Verdict
from agent_soul.settings import load_config
from agent_soul.upkeep.heartbeat import Beat, listen
from agent_soul.upkeep.marks import marks_upon
from agent_soul.upkeep.pruning import archiving, outdated
from agent_soul.upkeep.runs import apply_run

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
    hub = open_for_upkeep(hub_name, source, apply_=apply_)
    resolution = resolve_hub(hub)
    found = outdated(resolution)
    events = apply_run(hub, "prune", source, archiving(found)) if apply_ else []
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


@click.command()
@_apply
@_source
@output_options
def heartbeat(apply_: bool, source: str, as_json: bool, hub_name: str | None) -> int:
    """Let what nobody uses fade, and confirm what was corrected again and again. --apply appends the events.

    Corrections and fuzzy memory that nobody used for 30 days are marked on their page, for 90 days archived; a
    correction made three times becomes a preference. The figures stand in soul.yaml under `upkeep`.
    """
    hub = open_for_upkeep(hub_name, source, apply_=apply_)
    figures, as_of = load_config(hub)[0].upkeep, default_state(None, recorded_in(hub)).as_of
    resolution = resolve_hub(hub)
    beat = listen(resolution, as_of, figures)
    events = apply_run(hub, "heartbeat", source, beat.records()) if apply_ else []
    if as_json:
        show_json(ok=True, **_beat_fields(beat), applied=[event.id for event in events])
        return ExitCode.DONE
    _show_beat(beat, resolution, figures.unused_days)
    found = len(beat.archived) + len(beat.confirmed)
    if not found:
        say("nothing to archive or to confirm")
    elif apply_:
        say(f"{len(beat.archived)} archived, {len(beat.confirmed)} confirmed; {PAGES_FOLLOW}")
    else:
        say(f"{found} due; `soul heartbeat --apply --source YOUR-ID` does it")
    return ExitCode.DONE


def _show_beat(beat: Beat, resolution: Resolution, days: int) -> None:
    for title, events in ((f"unused for {days} days", beat.marked), (f"for {beat.archive_days}", beat.archived)):
        for event in events:
            show(f"{title}, since {beat.since[event.id]}: {line_of(event, shown_id=resolution.name_of(event.id))}")
    for each in beat.confirmed:
        show(f"corrected {len(each.made)} times: {line_of(each.newest, shown_id=resolution.name_of(each.newest.id))}")


def _beat_fields(beat: Beat) -> dict[str, Any]:
    def fields(events: Sequence[Event]) -> list[dict[str, Any]]:
        return [{"event_id": e.id, "unused_since": beat.since[e.id], "event": dict(e.data)} for e in events]

    confirmed = [{"times": len(each.made), "preference": each.preference()} for each in beat.confirmed]
    return {"marked": fields(beat.marked), "archived": fields(beat.archived), "confirmed": confirmed}


@click.command()
@click.argument("event_ids", nargs=-1, required=True, metavar="ID...")
@click.option("--source", required=True, envvar="AGENT_SOUL_SOURCE", metavar="ID", help="Who used them.")
@output_options
def used(event_ids: tuple[str, ...], source: str, as_json: bool, hub_name: str | None) -> int:
    """Say that events were of use, so that `heartbeat` lets them stay. Reading them alone is not kept anywhere."""
    hub = open_hub(hub_name)
    events = whole_log(hub).events
    found = list({event.id: event for event in (find_event(events, id_) for id_ in event_ids)}.values())
    marks = apply_run(hub, "used", source, marks_upon(found, "use", "It was of use."))
    if as_json:
        show_json(ok=True, used=[event.id for event in found], marks=[mark.id for mark in marks])
        return ExitCode.DONE
    for event in found:
        say(f"used: {line_of(event)}")
    return ExitCode.DONE


def open_for_upkeep(hub_name: str | None, source: str, *, apply_: bool) -> Hub:
    """Return the hub; one that is to be written waits its turn, and refuses to be written in nobody's name."""
    if apply_ and not source:
        raise RefusedError("--apply needs --source ID", hint="say who decides; or set AGENT_SOUL_SOURCE")
    hub = open_hub(hub_name)
    if apply_:
        take_turn(hub, "upkeep")
    return hub


def show_verdicts(verdicts: Sequence[Verdict], resolution: Resolution, indent: str = "") -> None:
    for verdict in verdicts:
        line = line_of(verdict.event, verdict.status, shown_id=resolution.name_of(verdict.event.id))
        show(f"{indent}{line}")


def verdict_fields(verdicts: Sequence[Verdict]) -> list[dict[str, Any]]:
    return [
        {"event_id": v.event.id, "status": v.status, "reason": v.reason, "event": dict(v.event.data)} for v in verdicts
    ]
