"""`add`: recording events."""

from __future__ import annotations

import math
import sys
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import click

from agent_soul import adding
from agent_soul.cli.common import hub_option, open_hub, printed_if_possible, say, show_added, show_json
from agent_soul.errors import ExitCode, RefusedError
from agent_soul.event import KINDS, SCOPES
from agent_soul.log import BOM

if TYPE_CHECKING:
    from agent_soul.bulk import Refusal

_SOURCE_HELP = "Your own id, chosen once: a-z, 0-9 and single hyphens, such as home-mac-claude."
_MAX_LINES_SHOWN = 20


class UnitNumber(click.ParamType):  # type: ignore[type-arg]  # generic in newer releases of click only
    """A number from 0 to 1; what JSON does not know as a number is none."""

    name = "number"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float:
        try:
            number = float(value)
        except ValueError:
            number = math.nan
        if not 0 <= number <= 1:
            self.fail(f"{value!r} is not a number from 0 to 1", param, ctx)
        return number


_EVENT_OPTIONS = (
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
    click.option("--importance", type=UnitNumber(), metavar="0-1", help="How much it matters; 0.5 if not given."),
    click.option("--confidence", type=UnitNumber(), metavar="0-1", help="How sure you are."),
    click.option("--valid-from", metavar="YYYY-MM-DD", help="First UTC date on which it holds."),
    click.option("--valid-until", metavar="YYYY-MM-DD", help="Last UTC date on which it holds."),
    click.option("--supersedes", metavar="ID", multiple=True, help="The event that this one replaces; repeatable."),
    click.option("--entity", metavar="TEXT", help="With --attribute and --value: the fact in parts."),
    click.option("--attribute", metavar="TEXT", help="Which property of the entity."),
    click.option("--value", metavar="TEXT", help="Its value; two values of one attribute are a conflict."),
    click.option("--rationale", metavar="TEXT", help="Why it was decided, with --kind decision."),
    click.option("--decided-by", metavar="NAME", help="Who decided."),
    click.option("--decision-status", metavar="STATUS", help="approved, pending or deprecated."),
    click.option("--context", metavar="TEXT", help="Where it was learned, with --kind lesson."),
    click.option("--applies-to", multiple=True, metavar="TEXT", help="Where the lesson applies; repeatable."),
    click.option("--metric", metavar="NAME", help="The measure, with --kind metric; --value is what was measured."),
    click.option("--target", type=float, metavar="NUMBER", help="What the measure should reach."),
    click.option("--unit", metavar="UNIT", help="Unit of value and target."),
    click.option("--topic", metavar="SLUG", help="The topic, with --kind topic."),
    click.option("--path", "paths", metavar="FILE", multiple=True, help="A file that it is about; repeatable."),
    click.option("--branch", metavar="NAME", help="The branch that it is about."),
    click.option("--commit", metavar="HASH", help="The commit that it comes from."),
    click.option("--ref", "refs", metavar="URL", multiple=True, help="An address outside; repeatable."),
    click.option("--ts", metavar="TIME", help="When it was stated, with an offset; now if not given."),
    click.option("--event-id", metavar="ID", help="Its id; a new one if not given."),
    click.option("--proposed", is_flag=True, help="It waits for a review before it counts."),
)


def event_options(command: Any) -> Any:
    """Add the options that describe an event."""
    for option in reversed(_EVENT_OPTIONS):
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
    require(record, "source", "kind", "scope", "summary")
    show_added(adding.add(hub, record))
    return ExitCode.DONE


_PARTS: Mapping[str, Mapping[str, str]] = {
    "decision": {"rationale": "rationale", "by": "decided_by", "status": "decision_status"},
    "lesson": {"context": "context", "applies_to": "applies_to"},
    "metric": {"name": "metric", "value": "value", "target": "target", "unit": "unit"},
    "claim": {"entity": "entity", "attribute": "attribute", "value": "value"},
}
"""Fields that are made of several options: part to option."""


def to_record(fields: dict[str, Any]) -> dict[str, Any]:
    """Return the event's record that the options describe; options that were not given are absent."""
    given: dict[str, Any] = {name: list(value) if isinstance(value, tuple) else value for name, value in fields.items()}
    given = {name: value for name, value in given.items() if value not in (None, [], False)}
    if "metric" not in given and (alone := given.keys() & {"target", "unit"}):
        raise RefusedError(f"--{min(alone)} says something about a metric; missing: --metric")
    for field, parts in _PARTS.items():
        if field == "metric" and "metric" not in given:
            continue  # --value belongs to a claim then
        found = {part: given.pop(option) for part, option in parts.items() if option in given}
        if found:
            given[field] = found
    if "metric" in given:
        given["metric"]["value"] = _number(given["metric"].get("value"))
    if "claim" in given and len(given["claim"]) < len(_PARTS["claim"]):
        missing = ", ".join(f"--{part}" for part in _PARTS["claim"] if part not in given["claim"])
        raise RefusedError(f"a claim needs --entity, --attribute and --value; missing: {missing}")
    if "project" in given and given.get("scope", "project") == "project":
        given["scope"] = "project"
    return given


def _number(text: str | None) -> float:
    try:
        number = float(text or "")
    except ValueError:
        number = math.nan
    if not math.isfinite(number):
        raise RefusedError(f"--value {text!r} is not a number, as that of a metric must be", hint="such as 0.87")
    return number


def require(record: dict[str, Any], *names: str) -> None:
    """Refuse a record that lacks one of `names`."""
    missing = [f"--{name}" for name in names if not record.get(name)]
    if missing:
        hint = f"--source: {_SOURCE_HELP}" if "--source" in missing else "`soul add --help` explains each"
        raise RefusedError(f"missing: {', '.join(missing)}", hint=hint)


def _add_lines(hub: Any, defaults: dict[str, Any]) -> int:
    """Add many events as one outbox file; refused lines are named and the others kept."""
    if sys.stdin is None:
        raise RefusedError("stdin is closed", hint="give one JSON object a line: soul add --stdin < events.ndjson")
    content = sys.stdin.buffer.read().removeprefix(BOM)
    with click.progressbar(
        length=len(content), label="Checking events", file=sys.stderr, hidden=not sys.stderr.isatty()
    ) as bar:
        pending = [0]

        def advance(size: int) -> None:
            pending[0] += size + 1
            if pending[0] > 1 << 16:
                bar.update(pending[0])
                pending[0] = 0

        (added, refused, warnings), appended = adding.add_lines(hub, content.split(b"\n"), defaults, advance)
    _name_lines("was refused", refused)
    _name_lines("is kept, but", warnings)
    with printed_if_possible(f"{len(added)} events"):
        show_json(
            ok=not refused,
            added=len(added),
            refused=[{"line": refusal.line, "reason": refusal.reason} for refusal in refused],
            paths=sorted(set(appended.paths.values())),
            warnings=[*(f"line {warning.line}: {warning.reason}" for warning in warnings), *appended.warnings],
        )
    if refused:
        return ExitCode.PROBLEMS if added else ExitCode.USAGE
    return ExitCode.DONE


def _name_lines(what: str, lines: list[Refusal]) -> None:
    for line in lines[:_MAX_LINES_SHOWN]:
        say(f"line {line.line} {what}: {line.reason}")
    hidden = len(lines) - _MAX_LINES_SHOWN
    if hidden > 0:
        say(f"and {hidden} more lines; stdout lists all of them")
