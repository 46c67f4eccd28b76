"""`show` and `why`: one event whole, and from a line to where it comes from."""

from __future__ import annotations

import contextlib
import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

import click

from agent_soul.cli.common import line_of, open_hub, output_options, say, show, show_json
from agent_soul.cli.text_command import TextCommand
from agent_soul.compiler import resolve_hub
from agent_soul.errors import ExitCode, RefusedError
from agent_soul.event import short_id
from agent_soul.hub import Hub
from agent_soul.references import find_event
from agent_soul.resolve import Resolution, Status, Verdict
from agent_soul.telling import with_commands

_PROVENANCE = re.compile(r"\(([A-Za-z0-9_.:-]{3,128}) \d{4}-\d\d-\d\d")
"""What stands after a memory on a page, so that a whole line can be asked about."""


@click.command(name="show")
@click.argument("event_id", metavar="ID")
@output_options
def show_event(event_id: str, as_json: bool, hub_name: str | None) -> int:
    """Show one event whole, what became of it, and its chain. ID may be the first characters of an id."""
    from agent_soul.provenance import trace

    hub = open_hub(hub_name)
    resolution = resolve_hub(hub)
    events = [verdict.event for verdict in resolution.verdicts]
    event = resolution.by_id[find_event(events, event_id).id].event
    found = trace(hub, resolution, event, with_origin=False)
    disputes = _disputes(hub, resolution).get(event.id, {})
    if as_json:
        show_json(
            ok=True,
            **_hit_fields(found.verdict),
            path=event.path,
            line=event.line,
            replaced=[verdict.event.id for verdict in found.replaced],
            replaced_by=[verdict.event.id for verdict in found.replaced_by],
            **_dispute_fields(disputes),
        )
        return ExitCode.DONE
    show(line_of(event))
    show(f"status     {_status_of(found.verdict)}")
    for id_, rivals in disputes.items():
        for rival in rivals:
            show(f"           ⚠ CONFLICT with {line_of(resolution.by_id[rival].event)} ({id_})")
    for verdict in resolution.verdicts:
        if verdict.event.id == event.id and verdict.event is not event:
            show(f"also       {verdict.event.path}:{verdict.event.line}: {verdict.event.summary}")
            show(f"           {_status_of(verdict)}")
    show(f"stated     {_local_time(event.instant)}")
    show(f"id         {event.id}")
    show(f"file       {event.path}:{event.line}")
    for name, value in event.data.items():
        if name not in _SHOWN_ABOVE:
            row = f"{name:<10} {_plain(value)}"
            show(row.replace("\n", "\n  "))  # text cannot pass for a row of ours
    _show_chain(found.replaced, found.replaced_by)
    return ExitCode.DONE


def _disputes(hub: Hub, resolution: Resolution) -> dict[str, dict[str, tuple[str, ...]]]:
    """Return, by the id of each event in an open conflict, what it contradicts in which; as a search says it.

    What no compile and no start of a session has compared yet is not known.
    """
    from agent_soul.conflicts import find_conflicts
    from agent_soul.judgements import noted_contradictions

    found: dict[str, dict[str, tuple[str, ...]]] = defaultdict(dict)
    for conflict in find_conflicts(resolution, noted_contradictions(hub)):
        for id_, rivals in conflict.against.items():
            found[id_][conflict.id] = rivals
    return found


def _dispute_fields(disputes: Mapping[str, Sequence[str]]) -> dict[str, list[str]]:
    """Return what a search says of an event in open conflicts too; of any other nothing."""
    against = list(dict.fromkeys(id_ for rivals in disputes.values() for id_ in rivals))
    return {"conflicts": list(disputes), "conflicts_with": against} if disputes else {}


_SHOWN_ABOVE = frozenset({"event_id", "ts", "source", "kind", "scope", "project", "agent", "summary"})


@click.command(cls=TextCommand)
@click.argument("words", nargs=-1, required=True, metavar="ID|TEXT")
@output_options
def why(words: tuple[str, ...], as_json: bool, hub_name: str | None) -> int:
    """Say where a line of a page comes from: page, event, source file and line, commit, and what it replaced."""
    from agent_soul.provenance import trace

    hub = open_hub(hub_name)
    resolution = resolve_hub(hub)
    what = " ".join(words)
    on_a_page = _PROVENANCE.search(what)
    events = _events_for(hub, resolution, on_a_page[1] if on_a_page else what)
    traces = [trace(hub, resolution, event) for event in events]
    disputes = _disputes(hub, resolution)
    if as_json:
        rows = [_trace_fields(found) | _dispute_fields(disputes.get(found.verdict.event.id, {})) for found in traces]
        show_json(ok=True, results=rows)
        return ExitCode.DONE
    for number, found in enumerate(traces):
        if number:
            show("")
        _show_trace(found, disputes.get(found.verdict.event.id, {}), resolution)
    return ExitCode.DONE


def _events_for(hub: Hub, resolution: Resolution, what: str, most: int = 5) -> list[Any]:
    """Return the event whose id `what` is or begins; else the active ones that hold all of its words, best first."""
    events = [verdict.event for verdict in resolution.verdicts]
    if any(event.id.startswith(what) for event in events):
        return [find_event(events, what)]
    hits = _ids_holding(hub, what.split())
    if not hits:
        raise RefusedError(
            f"no event has the id {what!r}, and no active one holds these words", hint="try `soul search`"
        )
    if len(hits) > most:
        say(f"{len(hits)} events hold these words; the first {most} are shown")
    return [resolution.by_id[id_].event for id_ in hits[:most]]


def _ids_holding(hub: Hub, words: Sequence[str]) -> list[str]:
    """Return the active events that hold every word, best first."""
    from agent_soul.searching.document import sequence
    from agent_soul.searching.filters import Filters
    from agent_soul.searching.finding import find, open_index

    keywords = [word for word in words if sequence(word)]
    if not keywords:
        return []
    today = datetime.now(UTC).date().isoformat()
    with open_index(hub, today) as index:
        return [result.found.id for result in find(index, "", keywords, Filters(), today).results()]


def _show_trace(found: Any, disputes: Mapping[str, Sequence[str]], resolution: Resolution) -> None:
    event = found.verdict.event
    show(line_of(event, found.verdict.status))
    if found.verdict.reason:
        show(f"  status  {_status_of(found.verdict)}")
    for id_, rivals in disputes.items():
        others = f" +{len(rivals) - 1}" if len(rivals) > 1 else ""
        show(f"  ⚠ CONFLICT with {resolution.name_of(rivals[0])}{others} ({id_})")
    for line in found.lines:
        show(f"  page    {line.path}:{line.number}: {line.text.strip()}")
    if not found.lines:
        waits = found.verdict.status is Status.ACTIVE
        show(with_commands("  page    none yet: `soul compile`") if waits else "  page    none shows it now")
    show(f"  event   {event.id}")
    show(f"  source  {event.path}:{event.line}")
    if found.origin:
        show(f"  commit  {found.origin.commit[:12]} {found.origin.date} {found.origin.author}: {found.origin.subject}")
    else:
        why_none = f"unknown: {found.unknown}" if found.unknown else "none yet: it is on this machine only"
        show(f"  commit  {why_none}")
    _show_chain(found.replaced, found.replaced_by)


def _status_of(verdict: Verdict) -> str:
    """Return status and reason, which may say the same word."""
    said, status = verdict.reason, str(verdict.status)
    return said if said.startswith(f"{status} ") else f"{status}: {said}" if said else status


def _show_chain(replaced: tuple[Verdict, ...], replaced_by: tuple[Verdict, ...]) -> None:
    for verdict in replaced:
        word = "stands for" if verdict.status is Status.DUPLICATE else "replaces"
        show(f"  {word:<14}{line_of(verdict.event, verdict.status)}")
    for verdict in replaced_by:
        word = "taken back by" if verdict.event.kind == "retraction" else "replaced by"
        show(f"  {word:<14}{line_of(verdict.event, verdict.status)}")


def _trace_fields(found: Any) -> dict[str, Any]:
    event, origin = found.verdict.event, found.origin
    commit = {name: getattr(origin, name) for name in ("commit", "author", "date", "subject")} if origin else None
    return {
        **_hit_fields(found.verdict),
        "lines": [{"path": line.path, "line": line.number, "text": line.text} for line in found.lines],
        "source_file": event.path,
        "source_line": event.line,
        "commit": commit,
        "commit_unknown": found.unknown,
        "replaced": [verdict.event.id for verdict in found.replaced],
        "replaced_by": [verdict.event.id for verdict in found.replaced_by],
    }


def _hit_fields(verdict: Verdict, **more: Any) -> dict[str, Any]:
    return {
        "event_id": verdict.event.id,
        "short_id": short_id(verdict.event.id),
        **more,
        "status": str(verdict.status),
        "reason": verdict.reason,
        "by": verdict.by,
        "event": verdict.event.data,
    }


def _local_time(instant: int) -> str:
    moment = datetime(1970, 1, 1, tzinfo=UTC) + timedelta(microseconds=instant // 1000)
    with contextlib.suppress(ValueError, OverflowError):  # at the ends of the calendar UTC has to do
        moment = moment.astimezone()
    return moment.isoformat(sep=" ", timespec="seconds")


def _plain(value: Any) -> str:
    if isinstance(value, list):
        return ", ".join(map(_plain, value))
    if isinstance(value, dict):
        return ", ".join(f"{key}: {_plain(item)}" for key, item in value.items())
    return str(value)
