"""What the options of the command line say of an event: the options themselves, and the record that they make.

Without click, which takes 30 ms to load: `plain` understands the usual calls without it.
"""

from __future__ import annotations

import math
import re
import sys
from collections.abc import Mapping
from typing import Any, NamedTuple

from agent_soul.errors import RefusedError
from agent_soul.event import KINDS, SCOPES

_SOURCE_HELP = "Your own id, chosen once: a-z, 0-9 and single hyphens, such as home-mac-claude."
# Python's own reading takes `1_000` and digits of every script, which a slip of the keyboard may be.
_NUMBER = re.compile(r"[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:e[+-]?\d+)?", re.ASCII | re.IGNORECASE)
_ANY = (-math.inf, math.inf)


class Option(NamedTuple):
    """One option; `within` are the least and the most of a number, `envvar` is where its value stands otherwise.

    A number may have to be `whole`.
    """

    flags: tuple[str, ...]
    metavar: str | None = None
    help: str = ""
    multiple: bool = False
    is_flag: bool = False
    within: tuple[float, float] | None = None
    whole: bool = False
    envvar: str | None = None


def _option(*flags: str, **more: Any) -> Option:
    return Option(flags, **more)


def finite_number(text: str | float) -> float | None:
    """Return the number that the text writes, whole ones as such, or None where it writes none that JSON knows."""
    written = str(text).strip()
    if not _NUMBER.fullmatch(written):
        return None
    number = float(written)
    if not math.isfinite(number):
        return None
    return int(written) if written.lstrip("+-").isdigit() else number


OPTIONS: Mapping[str, Option] = {
    "source": _option("--source", metavar="ID", envvar="AGENT_SOUL_SOURCE", help=_SOURCE_HELP),
    "kind": _option("--kind", metavar="KIND", help=f"One of: {', '.join(KINDS)}."),
    "scope": _option("--scope", metavar="SCOPE", help=f"One of: {', '.join(SCOPES)}; also project:NAME and agent:ID."),
    "summary": _option("--summary", metavar="TEXT", help="The memory, one line: situation, fact, reason."),
    "project": _option("--project", metavar="NAME", help="The project, with --scope project."),
    "agent": _option("--agent", metavar="ID", help="The agent, with --scope agent."),
    "title": _option("--title", metavar="TEXT", help="A short name."),
    "detail": _option("--detail", metavar="TEXT", help="More than a line, up to 16 KiB."),
    "keywords": _option("--keyword", metavar="WORD", multiple=True, help="A word that the summary lacks; repeatable."),
    "tags": _option("--tag", metavar="TAG", multiple=True, help="A label; repeatable."),
    "importance": _option("--importance", within=(0, 1), metavar="0-1", help="How much it matters; 0.5 if not given."),
    "confidence": _option("--confidence", within=(0, 1), metavar="0-1", help="How sure you are."),
    "valid_from": _option("--valid-from", metavar="YYYY-MM-DD", help="First UTC date on which it holds."),
    "valid_until": _option("--valid-until", metavar="YYYY-MM-DD", help="Last UTC date on which it holds."),
    "supersedes": _option(
        "--supersedes", metavar="ID", multiple=True, help="The event that this one replaces; repeatable."
    ),
    "derived_from": _option(
        "--derived-from", metavar="ID", multiple=True, help="An event that it was made from; repeatable."
    ),
    "entity": _option("--entity", metavar="TEXT", help="With --attribute and --value: the fact in parts."),
    "attribute": _option("--attribute", metavar="TEXT", help="Which property of the entity."),
    "value": _option("--value", metavar="TEXT", help="Its value; two values of one attribute are a conflict."),
    "rationale": _option("--rationale", metavar="TEXT", help="Why it was decided, with --kind decision."),
    "decided_by": _option("--decided-by", "--by", metavar="NAME", help="Who decided."),
    "decision_status": _option(
        "--decision-status", "--status", metavar="STATUS", help="approved, pending or deprecated."
    ),
    "context": _option("--context", metavar="TEXT", help="Where it was learned, with --kind lesson."),
    "applies_to": _option("--applies-to", multiple=True, metavar="TEXT", help="Where the lesson applies; repeatable."),
    "metric": _option(
        "--metric", metavar="NAME", help="The measure, with --kind metric; --value is what was measured."
    ),
    "target": _option("--target", within=_ANY, metavar="NUMBER", help="What the measure should reach."),
    "unit": _option("--unit", metavar="UNIT", help="Unit of value and target."),
    "topic": _option("--topic", metavar="SLUG", help="The topic, with --kind topic."),
    "paths": _option("--path", metavar="FILE", multiple=True, help="A file that it is about; repeatable."),
    "branch": _option("--branch", metavar="NAME", help="The branch that it is about."),
    "commit": _option("--commit", metavar="HASH", help="The commit that it comes from."),
    "refs": _option("--ref", metavar="URL", multiple=True, help="An address outside; repeatable."),
    "ts": _option("--ts", metavar="TIME", help="When it was stated, with an offset; now if not given."),
    "event_id": _option("--event-id", metavar="ID", help="Its id; a new one if not given."),
    "allow_secret": _option(
        "--allow-secret", is_flag=True, help="Keep it although something in it looks like a key or a token."
    ),
    "proposed": _option("--proposed", is_flag=True, help="It waits for a review before it counts."),
}
"""By the parameter that each fills."""
_OF_KINDS = frozenset(
    {"entity", "attribute", "value", "rationale", "decided_by", "decision_status", "context", "applies_to"}
    | {"metric", "target", "unit", "topic"}
)
"""Options that say something about events of one kind only."""

SHARED = tuple(name for name in OPTIONS if name not in _OF_KINDS | {"kind", "summary"})
"""Parameters that make sense for an event of every kind."""

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
    given = {name: value for name, value in given.items() if value is not None and value is not False and value != []}
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
