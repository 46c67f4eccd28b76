"""`search`, `show` and `why`: from a question to events, and from a line to where it comes from."""

from __future__ import annotations

import contextlib
import re
from datetime import UTC, datetime, timedelta
from typing import Any

import click

from agent_soul.adding import find_event
from agent_soul.cli.common import line_of, open_hub, output_options, say, show, show_json
from agent_soul.cli.compiling import _date
from agent_soul.compiler import load_config, resolve_today
from agent_soul.errors import ExitCode, RefusedError
from agent_soul.event import KINDS, SCOPES, short_id
from agent_soul.hub import Hub
from agent_soul.log import parse_log, read_source_files
from agent_soul.resolve import Resolution, Status, Verdict

_DEFAULT_LIMIT = 20
_PROVENANCE = re.compile(r"\(([A-Za-z0-9_.:-]{3,128}) \d{4}-\d\d-\d\d")
"""What stands after a memory on a page, so that a whole line can be asked about."""


@click.command()
@click.argument("text", required=False, default="")
@click.option("--query", default="", metavar="TEXT", help="The same as TEXT.")
@click.option("--keyword", "keywords", multiple=True, metavar="WORD", help="Must occur; repeatable, then all must.")
@click.option("--scope", default="", metavar="SCOPE", help=f"One of: {', '.join(SCOPES)}; also project:NAME, agent:ID.")
@click.option("--kind", default="", type=click.Choice(["", *KINDS]), metavar="KIND", help="Only this kind.")
@click.option("--source", default="", metavar="ID", help="Only what this source wrote.")
@click.option("--project", default="", metavar="NAME", help="Only this project.")
@click.option("--since", default="", metavar="YYYY-MM-DD", help="Stated on or after this UTC date.")
@click.option("--until", default="", metavar="YYYY-MM-DD", help="Stated on or before this UTC date.")
@click.option(
    "--status", "statuses", multiple=True, type=click.Choice([str(s) for s in Status]), help="Instead of active."
)
@click.option("--all", "everything", is_flag=True, help="Whatever became of it; the status is shown.")
@click.option(
    "--limit", default=_DEFAULT_LIMIT, type=click.IntRange(min=0), help="How many; 0 is all.", show_default=True
)
@output_options
def search(
    text: str,
    query: str,
    keywords: tuple[str, ...],
    scope: str,
    statuses: tuple[str, ...],
    everything: bool,
    limit: int,
    as_json: bool,
    hub_name: str | None,
    **filters: str,
) -> int:
    """Find events, best first. TEXT ranks by how many of its words an event holds; without it the newest come first."""
    from agent_soul import search as finding

    if text and query:
        raise RefusedError(f"the text is given twice: {text!r} and --query {query!r}", hint="give one of them")
    scope, _, name = scope.partition(":")
    if scope not in ("", *SCOPES):
        raise RefusedError(
            f"--scope {scope!r} is not one of: {', '.join(SCOPES)}", hint="also project:NAME and agent:ID"
        )
    for bound in ("since", "until"):
        filters[bound] = _date(f"--{bound}", filters[bound])
    wanted = frozenset(Status) if everything else frozenset(Status(status) for status in statuses)
    asked = finding.Query(text or query, keywords, scope, name, statuses=wanted, **filters)
    resolution = _resolution(open_hub(hub_name))
    try:
        hits = finding.search(resolution, asked, datetime.now(UTC).date().isoformat())
    except finding.NoWordsError as error:
        raise RefusedError(
            f"no searchable words in {text or query or ' '.join(keywords)!r}", hint="give a word"
        ) from error
    shown = hits[:limit] if limit else hits
    if as_json:
        results = [_hit_fields(hit.verdict, score=hit.score, matched_keywords=list(hit.matched)) for hit in shown]
        show_json(ok=True, total=len(hits), results=results)
        return ExitCode.DONE
    for hit in shown:
        event = hit.verdict.event
        show(line_of(event, _status_text(hit.verdict), shown_id=resolution.name_of(event.id)))
    hidden = len(hits) - len(shown)
    say(f"{len(hits)} found" + (f", {hidden} more with --limit 0" if hidden else "") if hits else "nothing found")
    return ExitCode.DONE


@click.command(name="show")
@click.argument("event_id", metavar="ID")
@output_options
def show_event(event_id: str, as_json: bool, hub_name: str | None) -> int:
    """Show one event whole, what became of it, and its chain. ID may be the first characters of an id."""
    from agent_soul.provenance import trace

    hub = open_hub(hub_name)
    resolution = _resolution(hub)
    event = find_event([verdict.event for verdict in resolution.verdicts], event_id)
    found = trace(hub, resolution, event, with_origin=False)
    if as_json:
        show_json(
            ok=True,
            **_hit_fields(found.verdict),
            path=event.path,
            line=event.line,
            replaced=[verdict.event.id for verdict in found.replaced],
            replaced_by=[verdict.event.id for verdict in found.replaced_by],
        )
        return ExitCode.DONE
    show(line_of(event))
    show(f"status     {found.verdict.status}" + (f": {found.verdict.reason}" if found.verdict.reason else ""))
    show(f"stated     {_local_time(event.instant)}")
    show(f"id         {event.id}")
    show(f"file       {event.path}:{event.line}")
    for name, value in event.data.items():
        if name not in _SHOWN_ABOVE:
            row = f"{name:<10} {_plain(value)}"
            show(row.replace("\n", "\n  "))  # text cannot pass for a row of ours
    _show_chain(found.replaced, found.replaced_by)
    return ExitCode.DONE


_SHOWN_ABOVE = frozenset({"event_id", "ts", "source", "kind", "scope", "project", "agent", "summary"})


@click.command(context_settings={"ignore_unknown_options": True})  # a line of a page begins with "- "
@click.argument("what", metavar="ID|TEXT")
@output_options
def why(what: str, as_json: bool, hub_name: str | None) -> int:
    """Say where a line of a page comes from: page, event, source file and line, commit, and what it replaced."""
    from agent_soul.provenance import trace

    hub = open_hub(hub_name)
    resolution = _resolution(hub)
    on_a_page = _PROVENANCE.search(what)
    events = _events_for(resolution, on_a_page[1] if on_a_page else what)
    traces = [trace(hub, resolution, event) for event in events]
    if as_json:
        show_json(ok=True, results=[_trace_fields(found) for found in traces])
        return ExitCode.DONE
    for number, found in enumerate(traces):
        if number:
            show("")
        _show_trace(found)
    return ExitCode.DONE


def _events_for(resolution: Resolution, what: str, most: int = 5) -> list[Any]:
    """Return the event whose id `what` is or begins; else the active ones that hold all of its words, best first."""
    from agent_soul import search as finding

    events = [verdict.event for verdict in resolution.verdicts]
    if any(event.id.startswith(what) for event in events):
        return [find_event(events, what)]
    words = tuple(word for word in what.split() if finding.terms_of(word))
    query = finding.Query(keywords=words)
    today = datetime.now(UTC).date().isoformat()
    hits = finding.search(resolution, query, today) if words else []
    if not hits:
        raise RefusedError(
            f"no event has the id {what!r}, and no active one holds these words", hint="try `soul search`"
        )
    if len(hits) > most:
        say(f"{len(hits)} events hold these words; the first {most} are shown")
    return [hit.verdict.event for hit in hits[:most]]


def _show_trace(found: Any) -> None:
    event = found.verdict.event
    show(line_of(event, found.verdict.status))
    if found.verdict.reason:
        show(f"  status  {found.verdict.status}: {found.verdict.reason}")
    for line in found.lines:
        show(f"  page    {line.path}:{line.number}: {line.text.strip()}")
    if not found.lines:
        waits = found.verdict.status is Status.ACTIVE
        show("  page    none yet: `soul compile`" if waits else "  page    none shows it now")
    show(f"  event   {event.id}")
    show(f"  source  {event.path}:{event.line}")
    if found.origin:
        show(f"  commit  {found.origin.commit[:12]} {found.origin.date} {found.origin.author}: {found.origin.subject}")
    else:
        why_none = f"unknown: {found.unknown}" if found.unknown else "none yet: it is on this machine only"
        show(f"  commit  {why_none}")
    _show_chain(found.replaced, found.replaced_by)


def _show_chain(replaced: tuple[Verdict, ...], replaced_by: tuple[Verdict, ...]) -> None:
    for verdict in replaced:
        word = "stands for" if verdict.status is Status.DUPLICATE else "replaces"
        show(f"  {word:<13}{line_of(verdict.event, verdict.status)}")
    for verdict in replaced_by:
        word = "taken back by" if verdict.event.kind == "retraction" else "replaced by"
        show(f"  {word:<13}{line_of(verdict.event, verdict.status)}")


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


def _resolution(hub: Hub) -> Resolution:
    return resolve_today(hub, parse_log(read_source_files(hub.root)), load_config(hub)[0])


def _status_text(verdict: Verdict) -> str:
    return f"{verdict.status}: {verdict.reason}" if verdict.status is not Status.ACTIVE else ""


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
