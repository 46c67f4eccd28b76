"""Moments and days: from RFC 3339 texts to nanoseconds since 1970 in UTC and to UTC dates. Pure."""

from __future__ import annotations

import functools
import re
from datetime import UTC, date, datetime, timedelta

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_NS = 1_000_000_000
# Narrower than `datetime.fromisoformat`, which takes other forms too, and hour 24 in some versions of Python.
_TIMESTAMP = re.compile(
    r"\d{4}-\d\d-\d\d[Tt ](?:[01]\d|2[0-3]):[0-5]\d(?::[0-5]\d(?:[.,](\d{1,30}))?)?"
    r"(?:[Zz]|[+-](?:[01]\d|2[0-3]):?[0-5]\d)",
    re.ASCII,
)


def parse_instant(ts: str) -> int:
    """Return nanoseconds since 1970 UTC of an RFC 3339 time; what is finer than a nanosecond is cut.

    Raises `ValueError` where it is no such time: no offset, no such day, a leap second, hour 24.
    """
    found = _TIMESTAMP.fullmatch(ts)
    if not found:
        raise ValueError(f"ts: {ts!r} is not a time with its offset, such as 2026-11-30T09:12:44+08:00")
    try:
        since = datetime.fromisoformat(ts.upper()) - _EPOCH
    except ValueError as error:
        raise ValueError(f"ts: {ts!r} is no time: {error}") from error
    whole = (since.days * 86400 + since.seconds) * _NS
    return whole + int(found[1][:9].ljust(9, "0")) if found[1] else whole


def just_after(ts: str) -> str:
    """Return the nanosecond after an RFC 3339 time, with its offset; the last one of a minute is returned as it is.

    So it stays on its day, in UTC and on the writer's calendar. Raises as `parse_instant` does.
    """
    instant = parse_instant(ts) + 1
    if instant % (60 * _NS) == 0:
        return ts
    offset = ts[-1:] if ts[-1] in "Zz" else ts[-6:].lstrip("0123456789.,")
    return f"{ts[:10]}T{ts[11:16]}:{instant // _NS % 60:02}.{instant % _NS:09}{offset}"


def utc_date(instant: int) -> str:
    """Return the UTC date of `instant` (ns since 1970) as `YYYY-MM-DD`; raises `ValueError` outside years 1 to 9999."""
    return _day_name(instant // (86400 * _NS))


def utc_time(instant: int) -> str:
    """Return the UTC time of `instant` (ns since 1970), cut to the second, as RFC 3339; raises as `utc_date` does."""
    seconds = instant // _NS % 86400
    return f"{utc_date(instant)}T{seconds // 3600:02}:{seconds // 60 % 60:02}:{seconds % 60:02}Z"


@functools.lru_cache(maxsize=4096)
def _day_name(day: int) -> str:
    try:
        return date.fromordinal(day + _EPOCH.toordinal()).isoformat()
    except (ValueError, OverflowError) as error:
        raise ValueError("ts: outside the years 1 to 9999 in UTC") from error


def add_days(day: str, days: int) -> str:
    """Return the date `days` after `day`, both `YYYY-MM-DD`; the calendar's ends stop it."""
    try:
        return (date.fromisoformat(day) + timedelta(days=days)).isoformat()
    except OverflowError:
        return "9999-12-31" if days > 0 else "0001-01-01"


def parse_date(text: str) -> str:
    """Return `text` if it is a date `YYYY-MM-DD` of the calendar, else raise `ValueError`."""
    if not re.fullmatch(r"\d{4}-\d\d-\d\d", text, re.ASCII):
        raise ValueError(f"{text!r} is not a date such as 2026-12-31")
    try:
        return date.fromisoformat(text).isoformat()
    except ValueError as error:
        raise ValueError(f"{text!r} is no date: {error}") from error


def parse_utc_date(name: str, text: str) -> str:
    """Return the UTC date of a date or an instant; raises `ValueError` that names the field `name`."""
    try:
        return parse_date(text) if len(text) == len("YYYY-MM-DD") else utc_date(parse_instant(text))
    except ValueError as error:
        raise ValueError(f"{name}: {str(error).removeprefix('ts: ')}") from error
