"""`add` and `share`: recording events."""

from __future__ import annotations

import sys
from datetime import datetime
from typing import Any

import click

from agent_soul import adding
from agent_soul.cli.common import hub_option, open_hub, output_options, say, show, show_json
from agent_soul.draft import Refusal, draft_lines
from agent_soul.errors import ExitCode, RefusedError
from agent_soul.event import KINDS, SCOPES, short_id

_SOURCE_HELP = "Your own id, chosen once: a-z, 0-9 and single hyphens, such as home-mac-claude."
_MAX_REFUSALS_SHOWN = 20
_BUDGET_HELP = "How long to try to reach the remote."


def event_options(command: Any) -> Any:
    """Add the options that describe an event."""
    options = (
        click.option("--source", metavar="ID", envvar="AGENT_SOUL_SOURCE", help=_SOURCE_HELP),
        click.option("--kind", metavar="KIND", help=f"One of: {', '.join(KINDS)}."),
        click.option("--scope", metavar="SCOPE", help=f"One of: {', '.join(SCOPES)}; also project:NAME and agent:ID."),
        click.option("--summary", metavar="TEXT", help="The memory, one line: situation, fact, reason."),
        click.option("--project", metavar="NAME", help="The project, with --scope project."),
        click.option("--agent", metavar="ID", help="The agent, with --scope agent."),
        click.option("--title", metavar="TEXT", help="A short name."),
        click.option("--detail", metavar="TEXT", help="More than a line, up to 16 KiB."),
        click.option(
            "--keyword", "keywords", metavar="WORD", multiple=True, help="A word that the summary lacks; repeatable."
        ),
        click.option("--tag", "tags", metavar="TAG", multiple=True, help="A label; repeatable."),
        click.option("--importance", type=float, metavar="0-1", help="How much it matters; 0.5 if not given."),
        click.option("--confidence", type=float, metavar="0-1", help="How sure you are."),
        click.option("--valid-from", metavar="YYYY-MM-DD", help="First UTC date on which it holds."),
        click.option("--valid-until", metavar="YYYY-MM-DD", help="Last UTC date on which it holds."),
        click.option("--supersedes", metavar="ID", multiple=True, help="The event that this one replaces; repeatable."),
        click.option("--entity", metavar="TEXT", help="With --attribute and --value: the fact in parts."),
        click.option("--attribute", metavar="TEXT", help="Which property of the entity."),
        click.option("--value", metavar="TEXT", help="Its value; two values of one attribute are a conflict."),
        click.option("--topic", metavar="SLUG", help="The topic, with --kind topic."),
        click.option("--path", "paths", metavar="FILE", multiple=True, help="A file that it is about; repeatable."),
        click.option("--branch", metavar="NAME", help="The branch that it is about."),
        click.option("--commit", metavar="HASH", help="The commit that it comes from."),
        click.option("--ref", "refs", metavar="URL", multiple=True, help="An address outside; repeatable."),
        click.option("--ts", metavar="TIME", help="When it was stated, with an offset; now if not given."),
        click.option("--event-id", metavar="ID", help="Its id; a new one if not given."),
        click.option("--proposed", is_flag=True, help="It waits for a review before it counts."),
    )
    for option in reversed(options):
        command = option(command)
    return command


@click.command()
@event_options
@click.option("--stdin", "bulk", is_flag=True, help="Read many events from stdin, one JSON object a line.")
@click.option("--json", "as_json", is_flag=True, help="Accepted for symmetry: the answer is always JSON.")
@hub_option
def add(bulk: bool, as_json: bool, hub_name: str | None, **fields: Any) -> int:
    """Append one event, or many with --stdin. Prints JSON; exit 0 means that they are kept."""
    hub = open_hub(hub_name)
    record = to_record(fields)
    if bulk:
        return _add_lines(hub, record)
    _require(record, "source", "kind", "scope", "summary")
    added = adding.add(hub, record)
    for warning in added.warnings:
        say(f"note: {warning}")
    show_json(ok=True, event_id=added.event.id, path=added.path, event=added.event.data, warnings=list(added.warnings))
    return ExitCode.DONE


@click.command()
@click.argument("text", required=False)
@event_options
@click.option("--budget", type=click.FloatRange(1), default=60.0, show_default=True, metavar="SECONDS", help=_BUDGET_HELP)
@output_options
def share(text: str | None, budget: float, as_json: bool, hub_name: str | None, **fields: Any) -> int:
    """Record something and bring it to the other machines: add, compile, commit.

    TEXT is the summary (or --summary, or stdin). Without more options it is an observation of scope fuzzy, shown for
    a week. With no remote, or in a copy of the template, it is kept here.
    """
    from agent_soul.sync import Reach
    from agent_soul.sync import share as share_event

    hub = open_hub(hub_name)
    record = {"kind": "observation", "scope": "fuzzy", **to_record(fields)}
    record["summary"] = _text_of(text, record.get("summary"))
    _require(record, "source")
    added, kept = share_event(hub, record, budget=budget)
    for warning in added.warnings:
        say(f"note: {warning}")
    return show_kept(kept, as_json=as_json, short=short_id(added.event.id), event_id=added.event.id, path=added.path)


@click.command()
@click.option("--budget", type=click.FloatRange(1), default=60.0, show_default=True, metavar="SECONDS", help=_BUDGET_HELP)
@click.option("--reattach", is_flag=True, help="Take a rewritten remote as it is, and send it the events that it lost.")
@output_options
def sync(budget: float, reattach: bool, as_json: bool, hub_name: str | None) -> int:
    """Bring this clone and the remote together: fetch, compile, push, and move the work tree along."""
    from agent_soul.sync import sync as synchronise

    return show_kept(synchronise(open_hub(hub_name), budget=budget, reattach=reattach), as_json=as_json)


def show_kept(kept: Any, *, as_json: bool, short: str = "", **more: Any) -> int:
    """Print how far a command brought the memory, one line or one object, and return the exit code for it."""
    from agent_soul.sync import Reach

    safe_only = kept.reach is Reach.NOT_SHARED
    if as_json:
        show_json(ok=not safe_only, outcome=kept.reach, reason=kept.reason, commit=kept.commit, note=kept.note, **more)
    else:
        show(f"{kept} ({short})" if short else str(kept))
        if kept.note:
            say(f"note: {kept.note}")
    return ExitCode.NOT_SHARED if safe_only else ExitCode.DONE


def to_record(fields: dict[str, Any]) -> dict[str, Any]:
    """Return the event's record that the options describe; options that were not given are absent."""
    claim = {name: fields.pop(name) for name in ("entity", "attribute", "value")}
    given = {name: list(value) if isinstance(value, tuple) else value for name, value in fields.items()}
    record = {name: value for name, value in given.items() if value not in (None, [], False)}
    if any(part is not None for part in claim.values()):
        if None in claim.values():
            missing = ", ".join(f"--{name}" for name, part in claim.items() if part is None)
            raise RefusedError(f"a claim needs --entity, --attribute and --value; missing: {missing}")
        record["claim"] = claim
    if "project" in record and record.get("scope", "project") == "project":
        record["scope"] = "project"
    return record


def _require(record: dict[str, Any], *names: str) -> None:
    missing = [f"--{name}" for name in names if not record.get(name)]
    if missing:
        hint = f"--source: {_SOURCE_HELP}" if "--source" in missing else "`soul add --help` explains each"
        raise RefusedError(f"missing: {', '.join(missing)}", hint=hint)


def _text_of(argument: str | None, option: str | None) -> str:
    if argument and option:
        raise RefusedError(f"the text is given twice: {argument!r} and --summary {option!r}", hint="give one of them")
    text = argument or option
    if not text and not sys.stdin.isatty():
        text = sys.stdin.buffer.read().decode("utf-8", "surrogateescape")
    if not text or not text.strip():
        raise RefusedError(
            "there is nothing to share", hint='give the text: soul share --source YOUR-ID "what you learned"'
        )
    return text


def _add_lines(hub: Any, defaults: dict[str, Any]) -> int:
    """Add many events as one outbox file; refused lines are named and the others kept."""
    content = sys.stdin.buffer.read()
    now = datetime.now().astimezone()
    with click.progressbar(
        length=len(content), label="Checking events", file=sys.stderr, hidden=not sys.stderr.isatty()
    ) as bar:
        pending = [0]

        def advance(size: int) -> None:
            pending[0] += size + 1
            if pending[0] > 1 << 16:
                bar.update(pending[0])
                pending[0] = 0

        events, refused = draft_lines(iter(content.split(b"\n")), defaults, now, advance)
    appended = adding.add_all(hub, events) if events else None
    warnings = list(appended.warnings) if appended else []
    _name_refused(refused)
    show_json(
        ok=not refused,
        added=len(events),
        refused=[{"line": refusal.line, "reason": refusal.reason} for refusal in refused],
        paths=sorted(set(appended.paths.values())) if appended else [],
        warnings=warnings,
    )
    return ExitCode.USAGE if refused else ExitCode.DONE


def _name_refused(refused: list[Refusal]) -> None:
    for refusal in refused[:_MAX_REFUSALS_SHOWN]:
        say(f"line {refusal.line} was refused: {refusal.reason}")
    hidden = len(refused) - _MAX_REFUSALS_SHOWN
    if hidden > 0:
        say(f"and {hidden} more lines; stdout lists all of them")
