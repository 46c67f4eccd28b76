"""Amounts that are told in words or by marks, put into digits: `half an hour`, `€20`, `百分之二十`, `3 万`."""

from __future__ import annotations

import functools
import re
from collections.abc import Callable, Mapping

from agent_soul.judging import quantities as q

_HINT = re.compile(
    r"half|quarter|clock|dozen|illion|thousand|hundred|couple|single|square|times|per cent|sq\b|ty[- ][a-z]|noon|midday"
    r"|\dk\b|\d\s?(?:h\b|hour|to|-|–|till|until|and)|[ap]\.?m\b|\w/[a-z]|[€$£]|个半|刻钟|百分之|\d\s*[万亿]"
)
"""What a text in small letters holds that may hold such an amount."""
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
    return _amount().sub(_digits, text) if _HINT.search(text.lower()) else text


@functools.cache  # most texts hold none of these
def _amount() -> re.Pattern[str]:
    number = r"\d+(?:[.,]\d+)*"
    words = "|".join(name for name in q.NUMBER_WORDS if name not in ("once", "twice"))
    months = f"(?-i:{'|'.join(map(str.title, q.MONTHS))})"  # May, may
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
        | \b(?P<dozen>a\ dozen)\b | \b(?P<often>\d+)\ times\ (?:per|a|each|every)\ second\b
        | (?<![\w.])(?P<scaled>{number})\s?(?P<scale>thousand|million|billion|万|亿|k(?!\w))
        | (?P<currency>[€$£])\s?(?P<money>{number})
        | (?P<cjk_whole>\d+|{q.NUMERAL})个半(?=小时|钟头|月)
        | (?P<quarter>一|三)刻钟
        | 百分之(?P<share>\d+|{q.NUMERAL})""",
        re.VERBOSE | re.IGNORECASE,
    )


def _digits(found: re.Match[str]) -> str:
    said = {name: value for name, value in found.groupdict().items() if value}
    return next(read for name, read in _READ_BY.items() if name in said or not name)(said)


def _hour(said: Mapping[str, str]) -> str:
    hour = _value(said.get("past") or said["oclock"])
    is_late = "late" in said and hour < _HALF_A_DAY
    return f"{hour + _HALF_A_DAY * is_late:.0f}:{_AFTER[said.get('after', '').lower()]:02}{said.get('late', '')}"


def _clock_times(said: Mapping[str, str]) -> str:
    """Return `7:30 pm` and `7 to 9 pm` by 24 hours; a span may begin before noon: `11 to 2 pm`."""
    is_afternoon = said["half_day"] in "pP"
    late = _by_24_hours(said["time"], is_afternoon)
    if "from" not in said:
        return late
    early = _by_24_hours(said["from"], is_afternoon)
    return f"{early if early < late else _by_24_hours(said['from'], not is_afternoon)} to {late}"


def _by_24_hours(clock: str, is_afternoon: bool) -> str:
    hour, _, minutes = clock.replace(".", ":").partition(":")
    return f"{int(hour) % _HALF_A_DAY + _HALF_A_DAY * is_afternoon:02}:{minutes or '00'}"


def _fixed(name: str, _: Mapping[str, str]) -> str:
    return _FIXED[name]


def _value(text: str) -> float:
    return q.numeral(text.lower()) or 0.0


def _scaled(said: Mapping[str, str]) -> str:
    """Return a scaled number in digits; 4k is a resolution."""
    number, scale = said["scaled"], said["scale"].lower()
    is_resolution = scale == "k" and number in ("2", "4", "8")
    return f"{number}{said['scale']}" if is_resolution else f"{float(number.replace(',', '')) * _SCALES[scale]:.0f}"


def _minutes(said: Mapping[str, str]) -> str:
    if "hours" in said:
        return f"{60 * int(said['hours']) + int(said['more_minutes'])} minutes"
    if "hour_and_half" in said:
        return "90 minutes"
    if "half_hour" in said:
        return "30 minutes"
    quarters = 3 if "three" in said or said.get("quarter") == "三" else 1
    return f"{quarters * _QUARTER} {'分钟' if 'quarter' in said else 'minutes'}"


_READ_BY: dict[str, Callable[[Mapping[str, str]], str]] = {
    "time": _clock_times,
    "till": lambda said: f"12:00 to {_value(said['till']) % _HALF_A_DAY + _HALF_A_DAY:.0f}:00",
    "month": lambda said: f"{said['first']} {said['month']} to {said['last']} {said['month']}",
    "named": lambda said: f"{said['one']} {said['named']} to {said['other']} {said['named']}",
    "per": lambda said: f" per {_PER.get(said['per'], said['per'])}",
    **{name: functools.partial(_fixed, name) for name in _FIXED},
    "tens": lambda said: f"{_value(said['tens']) + _value(said['ones']):.0f}",
    "hundreds": lambda said: f"{100 * (_value(said['hundreds']) or 1) + _value(said.get('over', '')):.0f}",
    "whole": lambda said: f"{_value(said['whole']) + 0.5:g}",
    "cjk_whole": lambda said: f"{_value(said['cjk_whole']) + 0.5:g} 个",
    "often": lambda said: f"{said['often']} Hz",
    "past": _hour,
    "oclock": _hour,
    "scaled": _scaled,
    "currency": lambda said: f"{said['money']} {_CURRENCIES[said['currency']]}",
    "share": lambda said: f"{_value(said['share']):g}%",
    "": _minutes,
}
"""What the first group of a match that is filled reads; the nameless one what none of the others does."""
