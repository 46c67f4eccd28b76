"""Dates in a question and in a text, in English and Chinese, as terms that an index can hold. Pure.

A day is found by five terms: its year, its month, itself, and the month and the day without the year, as people leave
it out. Terms begin with @, which no word does.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Iterator
from datetime import date, timedelta
from typing import NamedTuple

_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_MONTH = (
    r"(?P<{0}>jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?"
    r"|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)\b\.?"
)
_DAY = r"(?P<{0}>\d\d?)(?:st|nd|rd|th)?\b"
_YEAR = r"(?P<{0}>(?:19|20)\d\d)"
_HAN = "一二三四五六七八九十"
_HAN_NUMBER = rf"(?:\d\d?|[{_HAN}]{{1,3}})"
# "May" and "march" are words too: alone they name a month only after one of these.
_IN = r"\b(?:in|during|of|since|until|till|before|after|from|by|last|this|early|mid|late|around)(?: the month of)? "
_RELATIVE = (
    r"(?P<relative>\b(?:today|yesterday|(?:last|this) (?:week|month|year))\b"
    r"|今天|昨天|前天|上个?周|上个?星期|这个?周|本周|这个?星期|上个?月|这个月|本月|今年|去年|前年)"
)
_FORMS = (
    rf"\b{_YEAR.format('y1')}[-/.](?P<m1>\d\d?)[-/.](?P<d1>\d\d?)\b",
    rf"\b{_YEAR.format('y2')}[-/](?P<m2>\d\d?)\b",
    rf"\b{_DAY.format('d3')}(?: of)? {_MONTH.format('m3')}(?:,? {_YEAR.format('y3')}\b)?",
    rf"\b{_MONTH.format('m4')} {_DAY.format('d4')}(?:,? {_YEAR.format('y4')}\b)?",
    rf"\b{_MONTH.format('m5')},?(?: of)? {_YEAR.format('y5')}\b",
    rf"{_IN}{_MONTH.format('m6')}(?:,? {_YEAR.format('y6')}\b)?",
    rf"{_IN}(?:the year )?{_YEAR.format('y7')}\b(?![-/.年]\d)",
    rf"{_YEAR.format('y8')}年(?:(?P<m8>{_HAN_NUMBER})月(?:份|(?P<d8>{_HAN_NUMBER})[日号]?)?)?",
    rf"(?<![\d{_HAN}])(?P<m9>{_HAN_NUMBER})月(?:份|(?P<d9>{_HAN_NUMBER})[日号]?)?",
    _RELATIVE,
)
# Most texts hold none of these; the patterns take 10 ms to compile.
_CLUE = re.compile(r"\d|today|yesterday|week|month|year|[年月天周]|星期|" + "|".join(_MONTHS))
_NUMBERED = range(1, 10)


class Phrase(NamedTuple):
    """A date as a text names it: the words, where they begin, and the terms any of which it is found by."""

    text: str
    start: int
    terms: tuple[str, ...]


def terms_of_day(day: str) -> tuple[str, ...]:
    """Return every term of a date `YYYY-MM-DD`."""
    return (f"@{day[:4]}", f"@{day[:7]}", f"@{day}", f"@-{day[5:7]}", f"@-{day[5:]}")


def phrases(folded: str, today: str) -> Iterator[Phrase]:
    """Yield the dates that a folded text names; `today` (`YYYY-MM-DD`) is the day on which it was written."""
    for found in _pattern().finditer(folded) if _CLUE.search(folded) else ():
        terms = _relative(found["relative"], date.fromisoformat(today)) if found["relative"] else _absolute(found)
        if terms:
            yield Phrase(found[0], found.start(), terms)


@functools.cache
def _pattern() -> re.Pattern[str]:
    return re.compile("|".join(_FORMS))


def terms_in(folded: str, today: str) -> Iterator[str]:
    """Yield the terms by which the dates named in a text are found, the wider ones of each included."""
    for phrase in phrases(folded, today):
        for term in phrase.terms:
            if len(term) == len("@YYYY-MM-DD"):
                yield from terms_of_day(term[1:])
            elif len(term) == len("@YYYY-MM"):
                yield from (term[:5], term, f"@-{term[-2:]}")
            else:
                yield from (term[:4], term) if term.startswith("@-") else (term,)


def _absolute(found: re.Match[str]) -> tuple[str, ...]:
    parts = found.groupdict()
    year, month, day = (next((parts[f"{name}{i}"] for i in _NUMBERED if parts.get(f"{name}{i}")), "") for name in "ymd")
    number, day_number = _month_number(month), _number(day)
    if (month and not 1 <= number <= 12) or (day and not 1 <= day_number <= 31):
        return ()
    if not month:
        return (f"@{year}",)
    return (f"@{year}-{number:02}" + (f"-{day_number:02}" if day else ""),)


def _month_number(name: str) -> int:
    return _MONTHS.index(name[:3]) + 1 if name[:3] in _MONTHS else _number(name)


def _number(text: str) -> int:
    """Return the number of digits or of a Chinese numeral up to 31; 0 for any other text."""
    if text.isascii():
        return int(text or 0)
    tens, ten, ones = text.rpartition("十")
    if len(tens) > 1 or len(ones) > 1:
        return 0
    return (10 * (_HAN.index(tens) + 1 if tens else 1) if ten else 0) + (_HAN.index(ones) + 1 if ones else 0)


_YEARS_BACK = {"last year": 1, "this year": 0, "今年": 0, "去年": 1, "前年": 2}
_DAYS_BACK = {"today": 0, "今天": 0, "yesterday": 1, "昨天": 1, "前天": 2}


def _relative(words: str, today: date) -> tuple[str, ...]:
    if words in _YEARS_BACK:
        return (f"@{today.year - _YEARS_BACK[words]:04}",)
    is_last = words.startswith(("last", "上"))
    if words.endswith(("month", "月")):
        first = today.replace(day=1)
        return (f"@{_back(first, 1) if is_last else first}"[:8],)
    if words in _DAYS_BACK:
        return (f"@{_back(today, _DAYS_BACK[words])}",)
    monday = _back(today, today.weekday() + (7 if is_last else 0))
    return tuple(f"@{_back(monday, -i)}" for i in range(7))


def _back(day: date, days: int) -> date:
    try:
        return day - timedelta(days=days)
    except OverflowError:  # at the ends of the calendar
        return day
