"""From what somebody wants to record to an event that may be written. Pure, but for the id.

Everything that binds writing and not reading is here: lengths, hidden characters, days that exist. What is accepted
reads back as the same event.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from typing import Any

from agent_soul import schemas
from agent_soul.cleaning import clean_fields
from agent_soul.credentials import find_credentials
from agent_soul.errors import RefusedError
from agent_soul.event import Event, build, in_field_order, normalise, parse_line, serialise

MAX_DETAIL_BYTES = 16 << 10
ALLOW_SECRET = "allow_secret"  # noqa: S105 - the name of a field
"""Says in a record that what looks like a key in it may be kept. It is no field of the event."""
_HINT = "nothing was written; mend that and add again"
_HOW_TO_SPEAK_OF_KEYS = (
    "nothing was written, as no line ever leaves the memory again: say where the key is kept, not the key;"
    " if it is no key, or everybody may know it, add it again with `soul add --allow-secret`"
)
_MAX_REASON = 300

# What editors make of `--option`; the shell then takes it for a part of the text.
_DASHES = "\u2010\u2011\u2012\u2013\u2014\u2015\u2212"
_TYPED_OPTION = rf"(?s:[{_DASHES}][-{_DASHES}]?[a-z][a-z-]*(?:=.*)?)"
# In prose only what is hardly prose: two dashes or a long one, glued to an option of `add` that a value follows.
_OPTION_IN_TEXT = (
    rf"(?:^|(?<=\s))(?:[{_DASHES}-][{_DASHES}]|[{_DASHES}]-|[\u2014\u2015])"
    r"(source|kind|scope|summary|project|agent|supersedes|valid-until|valid-from|event-id|keyword|importance)(?:=|\s+)(?=\S)"
)

# From a record that the schema refuses to what is wrong with each of its fields.
Explain = Callable[[Mapping[str, Any]], Iterable[str]]


def draft(record: Mapping[str, Any], now: datetime) -> Event:
    """Return the event of `record`, cleaned and checked; id and time are added where they are missing.

    `now` carries the writer's own offset. Raises `RefusedError` naming each field that is wrong.
    """
    event = draft_record(record, lambda: now.isoformat(timespec="microseconds"), explain_well)
    event = event._replace(data=in_field_order(event.data))  # as the file has it; in bulk nobody looks
    refuse_unreadable(event)
    return event


def refuse_credentials(record: Mapping[str, Any]) -> None:
    """Raise `RefusedError` naming the field of a record in which something stands that looks like a key or a token.

    The log and Git's history never lose a line, so the only good moment to stop a key is before it is written; and
    before anything else is said of the record, as what is said of a field quotes it.
    """
    if not any(find_credentials(_as_text(record))):
        return
    for name, value in record.items():
        for found in find_credentials(_as_text({name: value})):
            where = "the name of a field" if any(find_credentials(_as_text({name: 0}))) else name
            raise RefusedError(f"{where} holds what looks like {found}", hint=_HOW_TO_SPEAK_OF_KEYS)


def _as_text(record: Mapping[str, Any]) -> bytes:
    """Return a record as JSON, whatever is in it: nobody has looked yet."""
    return json.dumps(record, ensure_ascii=False, default=str).encode("utf-8", "replace")


def reconcile(event: Event, earlier: Event | None, record: Mapping[str, Any]) -> Event:
    """Return the event to keep where `record` brought its own id, which `earlier` may have already.

    Whoever repeats a command whose outcome was unknown repeats the id and gets the first event back. Raises
    `RefusedError` where they differ in more than a time that `record` left to us: two contents of one id would void
    each other.
    """
    if earlier is None:
        return event
    ours = set() if "ts" in record or "timestamp" in record else {"ts"}
    names = (event.data.keys() | earlier.data.keys()) - ours
    differing = sorted(name for name in names if event.data.get(name) != earlier.data.get(name))
    if differing:
        raise RefusedError(
            f"event_id: {event.id!r} is the id of another event already (they differ in {', '.join(differing)})",
            hint="leave the id out and a new one is made; to correct the other event, name it with --supersedes",
        )
    return earlier


def advice(event: Event, today: str) -> list[str]:
    """Return warnings about an event that is accepted but may not do what its writer expects. `today` is a UTC date."""
    warnings = []
    if event.valid_until and event.valid_until < today:
        warnings.append(f"valid_until {event.valid_until} is over: the event is kept, but no page shows it")
    if event.date > today:
        warnings.append(f"ts lies on {event.date}, ahead of today ({today}): it counts from then on")
    holds_dash = any(dash in event.summary for dash in _DASHES)  # few do, and the pattern takes 2 ms to compile
    for found in re.finditer(_OPTION_IN_TEXT, event.summary) if holds_dash else ():
        seen = found[0].strip()
        warnings.append(f"the summary holds {seen!r}; if that is meant as an option, type two hyphens: --{found[1]}")
    return warnings


def typographic_option(arguments: Sequence[str]) -> str:
    """Return the argument that an editor turned from `--option` into a dash of another kind, or an empty string."""
    return next((argument for argument in arguments if re.fullmatch(_TYPED_OPTION, argument)), "")


def draft_record(record: Mapping[str, Any], now: Callable[[], str], explain: Explain, tidy: bool = False) -> Event:
    """Do what `draft` does but for the order of fields and the look at the whole line, which bulk seldom needs.

    `now` returns the time of a record that has none. `tidy` says that cleaning would change nothing in the record,
    which spares a third of the time.
    """
    filled = normalise(record)
    filled.pop("fingerprint", None)  # never trusted, so not worth its room
    if filled.get("event_id") is None:
        filled["event_id"] = _new_id()
    if filled.get("ts") is None:
        filled["ts"] = now()
    faults: list[str] = []
    if ":" in str(filled.get("scope")):
        faults += _two_names(filled)
    cleaned = filled if tidy else clean_fields("", filled, faults)
    try:
        if not schemas.validator("written").is_valid(cleaned):
            faults += explain(cleaned)
    except ValueError:  # no JSON: cleaning has named NaN and half a surrogate pair, the look at the whole line the rest
        pass
    if "detail" in cleaned:
        faults += _oversize(cleaned["detail"])
    if faults:
        raise RefusedError("; ".join(faults), hint=_HINT)
    try:
        event = build(cleaned)
    except ValueError as error:
        raise RefusedError(str(error), hint=_HINT) from error
    if event.valid_until and event.valid_from > event.valid_until:
        said = f"valid_from: {event.valid_from} lies after valid_until {event.valid_until}, so it would never hold"
        raise RefusedError(said, hint=_HINT)
    return event


def _two_names(record: dict[str, Any]) -> Iterator[str]:
    """Name the fault of a scope that carries another name than the field for it, and leave the plain scope."""
    scope = str(record["scope"]).partition(":")[0]
    if scope in ("project", "agent") and scope in record:
        yield f"{scope}: {record[scope]!r} is another name than in scope {record['scope']!r}; give one of them"
        record["scope"] = scope


def _new_id() -> str:
    """Return a random UUID (RFC 9562, version 4); `uuid.uuid4` takes four times as long for the same digits."""
    digits = os.urandom(16).hex()
    variant = "89ab"[int(digits[16], 16) & 3]
    return f"{digits[:8]}-{digits[8:12]}-4{digits[13:16]}-{variant}{digits[17:20]}-{digits[20:]}"


def explain_well(record: Mapping[str, Any]) -> Iterator[str]:
    """Name every fault in our own words, some milliseconds each."""
    for path, message in schemas.explain("written", record):
        place = ".".join(map(str, path))
        yield f"{place}: {message}" if place else message


def explain_plainly(record: Mapping[str, Any]) -> Iterator[str]:
    """Name the first fault in the words of the fast validator."""
    for error in schemas.compiled_validator("written").iter_errors(record):
        place = ".".join(map(str, error.instance_path))
        yield (f"{place}: {error.message}" if place else error.message)[:_MAX_REASON]
        return


def _oversize(detail: Any) -> Iterator[str]:
    if isinstance(detail, str) and len(detail) * 4 > MAX_DETAIL_BYTES:
        size = len(detail.encode("utf-8", "replace"))
        if size > MAX_DETAIL_BYTES:
            yield f"detail: has {size} bytes, at most {MAX_DETAIL_BYTES} are kept; put the rest where `refs` points"


def refuse_unreadable(event: Event) -> None:
    """Refuse what the reader would: too long or deep a line, or values that JSON does not know."""
    try:
        read = parse_line(serialise(event.data).rstrip(b"\n"), "", 0)
    except (TypeError, ValueError) as error:
        raise RefusedError(f"this cannot be written as JSON: {error}", hint=_HINT) from error
    if not isinstance(read, Event):
        raise RefusedError(f"this could not be read back: {getattr(read, 'message', read)}", hint=_HINT)
