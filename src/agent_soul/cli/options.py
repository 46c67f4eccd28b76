"""The options that describe an event, and the record that they make: one set, of which each command takes its part."""

from __future__ import annotations

import math
import re
import sys
from collections.abc import Callable, Mapping
from typing import Any, TypeVar

import click

from agent_soul.errors import RefusedError
from agent_soul.event import KINDS, SCOPES

F = TypeVar("F", bound=Callable[..., Any])

_SOURCE_HELP = "Your own id, chosen once: a-z, 0-9 and single hyphens, such as home-mac-claude."


# Python's own reading takes `1_000` and digits of every script, which a slip of the keyboard may be.
_NUMBER = re.compile(r"[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:e[+-]?\d+)?", re.ASCII | re.IGNORECASE)


class Number(click.ParamType):  # type: ignore[type-arg]  # generic in newer releases of click only
    """A number from `least` to `most`; what JSON does not know as a number is none."""

    name = "number"

    def __init__(self, least: float = -math.inf, most: float = math.inf) -> None:
        self._least, self._most = least, most

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float:
        number = finite_number(value)
        if number is None or not self._least <= number <= self._most:
            within = f" from {self._least:g} to {self._most:g}" if math.isfinite(self._least) else ""
            self.fail(f"{value!r} is not a number{within}", param, ctx)
        return number


def finite_number(text: str | float) -> float | None:
    """Return the number that the text writes, whole ones as such, or None where it writes none that JSON knows."""
    written = str(text).strip()
    if not _NUMBER.fullmatch(written):
        return None
    number = float(written)
    if not math.isfinite(number):
        return None
    return int(written) if written.lstrip("+-").isdigit() else number


_OPTIONS: Mapping[str, Callable[[Any], Any]] = {
    "source": click.option("--source", metavar="ID", envvar="AGENT_SOUL_SOURCE", help=_SOURCE_HELP),
    "kind": click.option("--kind", metavar="KIND", help=f"One of: {', '.join(KINDS)}."),
    "scope": click.option(
        "--scope", metavar="SCOPE", help=f"One of: {', '.join(SCOPES)}; also project:NAME and agent:ID."
    ),
    "summary": click.option("--summary", metavar="TEXT", help="The memory, one line: situation, fact, reason."),
    "project": click.option("--project", metavar="NAME", help="The project, with --scope project."),
    "agent": click.option("--agent", metavar="ID", help="The agent, with --scope agent."),
    "title": click.option("--title", metavar="TEXT", help="A short name."),
    "detail": click.option("--detail", metavar="TEXT", help="More than a line, up to 16 KiB."),
    "keywords": click.option(
        "--keyword", "keywords", metavar="WORD", multiple=True, help="A word that the summary lacks; repeatable."
    ),
    "tags": click.option("--tag", "tags", metavar="TAG", multiple=True, help="A label; repeatable."),
    "importance": click.option(
        "--importance", type=Number(0, 1), metavar="0-1", help="How much it matters; 0.5 if not given."
    ),
    "confidence": click.option("--confidence", type=Number(0, 1), metavar="0-1", help="How sure you are."),
    "valid_from": click.option("--valid-from", metavar="YYYY-MM-DD", help="First UTC date on which it holds."),
    "valid_until": click.option("--valid-until", metavar="YYYY-MM-DD", help="Last UTC date on which it holds."),
    "supersedes": click.option(
        "--supersedes", metavar="ID", multiple=True, help="The event that this one replaces; repeatable."
    ),
    "derived_from": click.option(
        "--derived-from", metavar="ID", multiple=True, help="An event that it was made from; repeatable."
    ),
    "entity": click.option("--entity", metavar="TEXT", help="With --attribute and --value: the fact in parts."),
    "attribute": click.option("--attribute", metavar="TEXT", help="Which property of the entity."),
    "value": click.option("--value", metavar="TEXT", help="Its value; two values of one attribute are a conflict."),
    "rationale": click.option("--rationale", metavar="TEXT", help="Why it was decided, with --kind decision."),
    "decided_by": click.option("--decided-by", "--by", metavar="NAME", help="Who decided."),
    "decision_status": click.option(
        "--decision-status", "--status", metavar="STATUS", help="approved, pending or deprecated."
    ),
    "context": click.option("--context", metavar="TEXT", help="Where it was learned, with --kind lesson."),
    "applies_to": click.option(
        "--applies-to", multiple=True, metavar="TEXT", help="Where the lesson applies; repeatable."
    ),
    "metric": click.option(
        "--metric", metavar="NAME", help="The measure, with --kind metric; --value is what was measured."
    ),
    "target": click.option("--target", type=Number(), metavar="NUMBER", help="What the measure should reach."),
    "unit": click.option("--unit", metavar="UNIT", help="Unit of value and target."),
    "topic": click.option("--topic", metavar="SLUG", help="The topic, with --kind topic."),
    "paths": click.option(
        "--path", "paths", metavar="FILE", multiple=True, help="A file that it is about; repeatable."
    ),
    "branch": click.option("--branch", metavar="NAME", help="The branch that it is about."),
    "commit": click.option("--commit", metavar="HASH", help="The commit that it comes from."),
    "refs": click.option("--ref", "refs", metavar="URL", multiple=True, help="An address outside; repeatable."),
    "ts": click.option("--ts", metavar="TIME", help="When it was stated, with an offset; now if not given."),
    "event_id": click.option("--event-id", metavar="ID", help="Its id; a new one if not given."),
    "allow_secret": click.option(
        "--allow-secret", is_flag=True, help="Keep it although something in it looks like a key or a token."
    ),
    "proposed": click.option("--proposed", is_flag=True, help="It waits for a review before it counts."),
}
source_option = _OPTIONS["source"]
_OF_KINDS = frozenset(
    {"entity", "attribute", "value", "rationale", "decided_by", "decision_status", "context", "applies_to"}
    | {"metric", "target", "unit", "topic"}
)
"""Options that say something about events of one kind only."""


def event_options(command: F) -> F:
    """Add the options that describe any event."""
    return with_options(*_OPTIONS)(command)


SHARED = tuple(name for name in _OPTIONS if name not in _OF_KINDS | {"kind", "summary"})
"""Parameters that make sense for an event of every kind."""


def shared_options(command: F) -> F:
    """Add the options that make sense for an event of every kind, for commands whose name says the kind."""
    return with_options(*SHARED)(command)


def with_options(*names: str) -> Callable[[F], F]:
    """Add the options that fill these parameters."""

    def add_to(command: F) -> F:
        for name in reversed(names):
            command = _OPTIONS[name](command)
        return command

    return add_to


_PARTS: Mapping[str, Mapping[str, str]] = {
    "decision": {"rationale": "rationale", "by": "decided_by", "status": "decision_status"},
    "lesson": {"context": "context", "applies_to": "applies_to"},
    "metric": {"name": "metric", "value": "value", "target": "target", "unit": "unit"},
    "claim": {"entity": "entity", "attribute": "attribute", "value": "value"},
}
"""Fields that are made of several options: part to option."""


def to_record(fields: dict[str, Any]) -> dict[str, Any]:
    """Return what the options say of an event; options that were not given are absent."""
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
        value = given["metric"].get("value")
        given["metric"]["value"] = finite_number(value or "")
        if given["metric"]["value"] is None:
            raise RefusedError(f"--value {value!r} is not a number, as that of a metric must be", hint="such as 0.87")
    if "claim" in given and len(given["claim"]) < len(_PARTS["claim"]):
        missing = ", ".join(f"--{part}" for part in _PARTS["claim"] if part not in given["claim"])
        raise RefusedError(f"a claim needs --entity, --attribute and --value; missing: {missing}")
    return given


def require(record: dict[str, Any], *names: str) -> None:
    """Refuse a record that lacks one of `names`."""
    missing = [f"--{name}" for name in names if not record.get(name)]
    if missing:
        hint = f"--source: {_SOURCE_HELP}" if "--source" in missing else "`soul add --help` explains each"
        raise RefusedError(f"missing: {', '.join(missing)}", hint=hint)


def text_of(argument: str | None, option: str | None, command: str) -> str:
    """Return the text that a command records: its argument, else --summary, else what stands on stdin."""
    if argument and option:
        raise RefusedError(f"the text is given twice: {argument!r} and --summary {option!r}", hint="give one of them")
    text = argument or option
    if not text and sys.stdin and not sys.stdin.isatty():
        text = sys.stdin.buffer.read().decode("utf-8", "surrogateescape")
    if not text or not text.strip():
        raise RefusedError(
            f"there is nothing to {command}",
            hint=f'give the text: `soul {command} --source YOUR-ID "what you learned"`',
        )
    return text
