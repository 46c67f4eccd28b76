"""Numbers in statements, by what they measure: `30 days` and `一个月` are times, `3 pm` and `15:00` one clock time."""

from __future__ import annotations

import re
from typing import NamedTuple

DIGITS = "零〇一二两三四五六七八九"
NUMERAL = f"[{DIGITS}十百千万半]+"
NUMBER_WORDS = {
    name: float(number)
    for number, name in enumerate(
        (
            *("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven"),
            *("twelve", "thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen"),
        )
    )
}
TENS = {
    name: 10.0 * number
    for number, name in enumerate(("twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety"), 2)
}
NUMBER_WORDS |= TENS | {"once": 1.0, "twice": 2.0, "hundred": 100.0}

_MINUTE, _HOUR, _DAY = 60.0, 3600.0, 86400.0
_COUNTED = (
    "times 次 遍 回 个人 人 位 名 条 个 只 层 楼 栋 套 家 本 辆 盒 瓶 杯"
    " 支 间 张 份 台 块 行 轮 项 倍 格 片 件 字 篇 单 号 点 道 处 级"
    " 顿 趟 根 朵 棵 头 匹 袋 罐 桶 包 节 场 首 册 粒 滴 枚 颗 句 段"
)
_UNITS = {
    "time": {
        "ms millisecond 毫秒": 0.001,
        "sec second 秒 秒钟": 1.0,
        "min minute 分钟 分": _MINUTE,
        "hour hr h 小时 个小时 钟头 个钟头 个钟": _HOUR,
        "day 天 日 工作日 个工作日 workday": _DAY,
        "week 周 星期 个星期 礼拜": 7 * _DAY,
        "fortnight": 14 * _DAY,
        "month 个月 月": 30 * _DAY,
        "year 年": 365 * _DAY,
    },
    "size": {
        "kb kilobyte": 1e3,
        "mb megabyte 兆": 1e6,
        "gb gigabyte": 1e9,
        "tb terabyte": 1e12,
        "byte 字节": 1.0,
    },
    "share": {"percent % 成": 1.0},
    "length": {
        "metre meter m 米": 1.0,
        "km kilometre kilometer 公里 千米": 1e3,
        "cm centimetre centimeter 厘米": 0.01,
        "mm millimetre millimeter 毫米": 0.001,
        "inch inches 英寸 寸": 0.0254,
        "foot feet ft 英尺": 0.3048,
        "mile 英里": 1609.0,
        "yard": 0.9144,
    },
    "pixels": {"pixel px 像素": 1.0},
    "area": {"sqm m² m2 平方米 平米 平": 1.0, "hectare 公顷": 1e4, "acre 英亩": 4047.0, "亩": 667.0},
    "volume": {
        "litre liter l 升": 1.0,
        "gallon 加仑": 3.785,
        "hectolitre hl": 100.0,
        "ml millilitre milliliter 毫升": 0.001,
    },
    "weight": {
        "kg kilo kilogram 公斤 千克": 1.0,
        "gram g 克": 0.001,
        "ounce oz 盎司": 0.02835,
        "mg milligram 毫克": 1e-6,
        "tonne ton 吨": 1e3,
        "斤": 0.5,
    },
    "speed": {"km/h kmh kph": 1.0, "mph": 1.609},
    "power": {"watt 瓦": 1.0, "kilowatt kw 千瓦": 1e3},
    "energy": {"kwh 千瓦时 度电": 1.0},
    "nutrition": {"kcal calorie 千卡 大卡": 1.0},
    "voltage": {"volt 伏": 1.0},
    "frequency": {"hertz hz 赫兹": 1.0, "khz": 1e3, "mhz": 1e6, "ghz": 1e9},
    "data rate": {"mbit/s mbps mbit": 1.0, "gbit/s gbps gbit": 1e3, "kbit/s kbps kbit": 1e-3},
    "frame rate": {"fps": 1.0},
    "density of dots": {"dpi ppi": 1.0},
    "rotation": {"rpm": 1.0},
    "temperature": {"degree °c 摄氏度 度": 1.0},
    "euros": {"euro eur 欧元": 1.0},
    "dollars": {"dollar usd 美元": 1.0},
    "yuan": {"yuan rmb cny 元 块钱": 1.0, "万元": 1e4},
    "pounds": {"pound gbp 英镑": 1.0},
    "pages": {"page 页": 1.0},
    "count": {_COUNTED: 1.0},
}
UNITS = {
    name: (kind, size) for kind, table in _UNITS.items() for names, size in table.items() for name in names.split()
}
CJK_UNIT = "|".join(sorted((name for name in UNITS if not name.isascii()), key=len, reverse=True))
LATIN_UNIT = (
    "ms|sec|min|kb|mb|gb|tb|km/h|kmh|mph|km|cm|mm|px|kg|mg|ml|°c|hl|h|%|m2|mbit/s|gbit/s|kbit/s|mbps|gbps|kbps|m"
    "|l|(?-i:g)|kwh|kw|khz|mhz|ghz|hz|fps|dpi|rpm|kcal"
)
_WEEKDAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
_MONTHS = (
    *("january", "february", "march", "april", "may", "june"),
    *("july", "august", "september", "october", "november", "december"),
)
MONTHS = {name: number for number, full in enumerate(_MONTHS, 1) for name in (full, full[:3])} | {"sept": 9}
LIMITING = frozenset({"at most", "at least", "no more than", "no fewer than", "as many as", "up to"})
"""What stands before a number and opens neither a place nor the name of a thing."""
HOURS = {"midnight": 0.0, "午夜": 0.0, "noon": 720.0, "midday": 720.0, "正午": 720.0}
"""Names of clock times, in minutes."""
WEEKDAYS = {name: number for number, full in enumerate(_WEEKDAYS) for name in (full, f"{full}s")}
WEEKDAY_ABBREVIATIONS = {full[:3].title(): number for number, full in enumerate(_WEEKDAYS)} | {"Tues": 1, "Thurs": 3}
"""With their capital alone: the sun is no Sunday."""
CJK_WEEKDAYS = {name: number for number, name in enumerate("一二三四五六日")} | {"天": 6}


_PEOPLE = frozenset({"person"})
"""Whoever is counted is a person: 16 players, 32 people."""


class Quantity(NamedTuple):
    """A number with what it measures: `kind` names the dimension, `value` is in its base unit (seconds, bytes ...).

    `things` are the concepts of what a count counts, and the year of a date, where the text says it.
    """

    kind: str
    value: float | tuple[int, ...]
    shown: str
    things: frozenset[str] = frozenset()

    @property
    def is_date(self) -> bool:
        return self.kind in ("date", "weekday", "year")

    @property
    def is_an_article(self) -> bool:
        is_said = self.shown.startswith("一") or (self.shown.lower() == "one" and bool(self.things))
        return self.kind == "count" and self.value == 1 and is_said

    @property
    def is_version(self) -> bool:
        return self.kind.startswith("version of ")

    def is_like(self, other: Quantity) -> bool:
        """Tell whether both measure the same."""
        is_of_people = _PEOPLE & self.things or _PEOPLE & other.things
        apart = self.things and other.things and not self.things & other.things and not is_of_people
        return self.kind == other.kind and not (self.kind == "count" and apart)

    def equals(self, other: Quantity) -> bool:
        is_other_year = self.kind == "date" and self.things and other.things and self.things != other.things
        return self.is_like(other) and not is_other_year and (self.value == other.value or self._is_about(other))

    def _is_about(self, other: Quantity) -> bool:
        """Tell whether one says in months, of thirty days each, what the other says in years: twelve, and 365 days."""
        if self.kind != "time":
            return False
        months, years = sorted((self, other), key=lambda each: each.value)
        is_told_in_months = "month" in months.shown or "月" in months.shown
        return is_told_in_months and 360 * float(str(years.value)) == 365 * float(str(months.value))


def numeral(text: str) -> float | None:
    """Return the value of a Chinese or Arabic numeral, or of an English number word; None where it is none."""
    if re.fullmatch(r"\d[\d,]*(\.\d+)?(e-?\d+)?", text):
        return float(text.replace(",", ""))
    if text in NUMBER_WORDS:
        return NUMBER_WORDS[text]
    return _cjk_numeral(text) if re.fullmatch(NUMERAL, text) else None


def _cjk_numeral(text: str) -> float:
    if text == "半":
        return 0.5
    total, digit = 0.0, 0.0
    for character in text:
        if character in DIGITS:
            digit = (0, 0, 1, 2, 2, 3, 4, 5, 6, 7, 8, 9)[DIGITS.index(character)]
        elif character == "半":
            digit += 0.5
        else:
            total += (digit or 1) * {"十": 10, "百": 100, "千": 1000, "万": 10000}[character]
            digit = 0
    return total + digit


def measured(value: float, unit: str, shown: str) -> Quantity:
    """Return the quantity of a number and the name of its unit, singular; an unknown unit counts things."""
    kind, size = UNITS.get(unit, ("count", 1.0))
    return Quantity(kind, round(value * size, 6), shown)


def date(month: int, day: int, shown: str, year: str | None = None) -> Quantity:
    """Return a date; 0 stands for a day or month that is not said."""
    return Quantity("date", (month, day), shown, frozenset({year} if year else ()))


def version(name: str, text: str) -> Quantity:
    """Return the version of a named thing: `3.10` is newer than `3.9`."""
    return Quantity(f"version of {name}", tuple(int(part) for part in text.lower().lstrip("v").split(".")), text)
