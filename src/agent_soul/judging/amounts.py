"""Amounts that are told in words or by marks, put into digits: `half an hour`, `€20`, `百分之二十`, `3 万`."""

from __future__ import annotations

import functools
import re

from agent_soul.judging import quantities as q

_HINT = re.compile(
    r"half|quarter|clock|dozen|illion|thousand|hundred|couple|single|square|per cent|\d\s?(?:to|-|–|till|until|and)\s?\d|\w/(?:min|sec|s|h|hour|day|week|month|year)\b|sq\b|ty[- ][a-z]|noon|midday"
    r"|\dk\b|\d\s?(?:h\b|hour)|[ap]\.?m\b|[€$£]|个半|刻钟|百分之|\d\s*[万亿]",
    re.IGNORECASE,
)
_SCALES = {"thousand": 1e3, "million": 1e6, "billion": 1e9, "k": 1e3, "万": 1e4, "亿": 1e8}
_CURRENCIES = {"€": "euros", "$": "dollars", "£": "pounds"}
_QUARTER = 15
_HALF_A_DAY = 12
_FIXED = {
    "square": "m2",
    "single": "1",
    "couple": "2",
    "half": "0.5",
    "dozen": "12",
    "price": "50% discount",
    "cent": "%",
}
_PER = {"min": "minute", "sec": "second", "s": "second", "h": "hour"}
_AFTER = {"half past": 30, "quarter past": 15, "": 0}


def in_digits(text: str) -> str:
    """Return a text whose amounts stand in digits with a unit that `reading` knows."""
    return _amount().sub(_digits, text) if _HINT.search(text) else text


@functools.cache  # most texts hold none of these
def _amount() -> re.Pattern[str]:
    number = r"\d+(?:[.,]\d+)*"
    words = "|".join(name for name in q.NUMBER_WORDS if name not in ("once", "twice"))
    months = "|".join(map(str.title, q.MONTHS))
    clock, to = r"\d\d?(?:[:.]\d\d)?", r"\s?(?:-|–|to|till|until|and)\s?"
    return re.compile(
        rf"""\b(?:(?P<from>{clock}){to})?(?P<time>{clock})\s?(?P<half_day>[ap])(?:m\b|\.m\.)
        | \b(?:noon|midday){to}(?P<till>\d\d?|{words})\b(?![:.]\d)
        | \b(?P<hours>\d+)\s?h(?:(?:ou)?rs?)?(?:\ and)?\s(?P<more_minutes>\d+)\s?m(?:in(?:ute)?s?)?\b
        | \b(?P<tens>{"|".join(q.TENS)})[-\ ](?P<ones>{words})\b
        | \b(?P<hundreds>an?|{words})\ hundred(?:\ and\ (?P<over>{words}))?\b
        | \b(?P<couple>a\ couple\ of)\b
        | \b(?P<single>a\ single)(?=\ (?:letter|character|word|line|sentence|page|item|day)\b)
        | \b(?P<square>square\ met(?:re|er)s?|sq\.?\ ?m\b\.?)
        | \b(?P<first>\d\d?){to}(?P<last>\d\d?)\ (?P<month>{months})\b
        | \b(?P<named>{months})\ (?P<one>\d\d?){to}(?P<other>\d\d?)\b
        | (?<=\w)(?<!km)(?<!bit)/(?P<per>min|minute|sec|second|s|h|hour|day|week|month|year)\b(?!/)
        | \b(?P<price>half\ (?:the\ )?price)\b | (?P<cent>(?<=\d\ )per\ cent)\b
        | \b(?P<half>half\ an?)(?=\ (?:day|week|month|year|minute|second|kilo|lit|pound))
        | (?P<hour_and_half>\ban\ hour\ and\ a\ half\b)
        | (?P<half_hour>\bhalf\ an\ hour\b) | \b(?:an?|(?P<three>three))\ quarters?\ of\ an\ hour\b
        | \b(?P<whole>\d+|{words})\ and\ a\ half(?=\ (?:hour|day|week|month|year))
        | \b(?:(?P<after>half\ past|quarter\ past)\ (?P<past>\d+|{words})|(?P<oclock>\d+|{words})\ o.clock)\b
          (?P<late>\ (?:at\ night|in\ the\ (?:evening|afternoon)))?
        | \b(?P<dozen>a\ dozen)\b
        | (?<![\w.])(?P<scaled>{number})\s?(?P<scale>thousand|million|billion|万|亿|k(?!\w))
        | (?P<currency>[€$£])\s?(?P<money>{number})
        | (?P<cjk_whole>\d+|{q.NUMERAL})个半(?=小时|钟头|月)
        | (?P<quarter>一|三)刻钟
        | 百分之(?P<share>\d+|{q.NUMERAL})""",
        re.VERBOSE | re.IGNORECASE,
    )


def _digits(found: re.Match[str]) -> str:
    said = {name: value for name, value in found.groupdict().items() if value}
    if "time" in said:
        return _clock_times(said.get("from"), said["time"], is_afternoon=said["half_day"] in "pP")
    if "till" in said:
        return f"12:00 to {_value(said['till']) % _HALF_A_DAY + _HALF_A_DAY:.0f}:00"
    if "month" in said or "named" in said:
        month = said.get("month") or said["named"]
        return f"{said.get('first') or said['one']} {month} to {said.get('last') or said['other']} {month}"
    if "per" in said:
        return f" per {_PER.get(said['per'], said['per'])}"
    fixed = _FIXED.keys() & said.keys()
    if fixed:
        return _FIXED[fixed.pop()]
    if "tens" in said or "hundreds" in said:
        return _counted(said)
    if "whole" in said or "cjk_whole" in said:
        return f"{_value(said.get('whole') or said['cjk_whole']) + 0.5:g}" + (" 个" if "cjk_whole" in said else "")
    if "after" in said or "oclock" in said:
        hour = _value(said.get("past") or said["oclock"])
        is_late = "late" in said and hour < _HALF_A_DAY
        return f"{hour + _HALF_A_DAY * is_late:.0f}:{_AFTER[said.get('after', '').lower()]:02}{said.get('late', '')}"
    if "scaled" in said:
        return _scaled(found[0], said["scaled"], said["scale"].lower())
    if "currency" in said:
        return f"{said['money']} {_CURRENCIES[said['currency']]}"
    if "share" in said:
        return f"{_value(said['share']):g}%"
    return f"{_minutes(said)} {'分钟' if 'quarter' in said else 'minutes'}"


def _clock_times(start: str | None, end: str, *, is_afternoon: bool) -> str:
    """Return `7:30 pm` and `7 to 9 pm` by 24 hours; a span may begin before noon: `11 to 2 pm`."""
    late = _by_24_hours(end, is_afternoon)
    if not start:
        return late
    early = _by_24_hours(start, is_afternoon)
    return f"{early if early < late else _by_24_hours(start, not is_afternoon)} to {late}"


def _by_24_hours(clock: str, is_afternoon: bool) -> str:
    hour, _, minutes = clock.replace(".", ":").partition(":")
    return f"{int(hour) % _HALF_A_DAY + _HALF_A_DAY * is_afternoon:02}:{minutes or '00'}"


def _counted(said: dict[str, str]) -> str:
    """Return `twenty-four` and `two hundred and fifty` in digits."""
    if "hundreds" in said:
        return f"{100 * (_value(said['hundreds']) or 1) + _value(said.get('over', '')):.0f}"
    return f"{_value(said['tens']) + _value(said['ones']):.0f}"


def _value(text: str) -> float:
    return q.numeral(text.lower()) or 0.0


def _scaled(text: str, number: str, scale: str) -> str:
    """Return a scaled number in digits; 4k is a resolution."""
    is_resolution = scale == "k" and number in ("2", "4", "8")
    return text if is_resolution else f"{float(number.replace(',', '')) * _SCALES[scale]:.0f}"


def _minutes(said: dict[str, str]) -> int:
    if "hours" in said:
        return 60 * int(said["hours"]) + int(said["more_minutes"])
    if "hour_and_half" in said:
        return 90
    if "half_hour" in said:
        return 30
    return 45 if "three" in said or said.get("quarter") == "三" else _QUARTER
