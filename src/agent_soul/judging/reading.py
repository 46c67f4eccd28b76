"""From pieces to tokens: numbers measured by the words around them."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator

from agent_soul.judging import quantities as q
from agent_soul.judging.amounts import in_digits
from agent_soul.judging.lexicon import load
from agent_soul.judging.phrases import joined, known
from agent_soul.judging.pieces import Token, pieces
from agent_soul.judging.quantities import Quantity

_TITLE = re.compile(r"\b(?:Mrs?|Ms|Dr)\. (?=[A-Z])")
_ACCENTED = re.compile("[\u00c0-\u024f]")


def read(text: str) -> list[Token]:
    """Return the tokens of a text in order, phrases joined and numbers measured."""
    return _counting(list(_with_units(joined(list(pieces(plain(text)))))))


def plain(text: str) -> str:
    """Return a text in one form of its characters: compatible, simplified Chinese, no accents, straight quotes."""
    if not text.isascii():
        text = unicodedata.normalize("NFKC", text).translate(load().simplified)
        text = _ACCENTED.sub(lambda found: unicodedata.normalize("NFD", found[0])[0], text)
    text = text.replace("`", " ")
    return in_digits(_TITLE.sub("", text) if "r. " in text or "s. " in text else text)


def _with_units(tokens: list[Token]) -> Iterator[Token]:
    """Measure English numbers by the words around them: `15 May`, `3 pm`, `two hours`, `Node 20`, `round one`."""
    position = 0
    while position < len(tokens):
        taken, token = _measure(tokens, position)
        yield token
        position += taken


_RELATIVE = frozenset({"that", "which", "who", "of", "can", "may", "must", "should"})
"""Before these `one` is a pronoun: "over one that holds"."""
_NTH = ("first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth")
_ORDINALS = {name: number for number, name in enumerate(_NTH, 1)} | {
    f"{number}{ending}": number for number in range(1, 32) for ending in ("st", "nd", "rd", "th")
}
_MEASURING = frozenset(
    {
        "a",
        "an",
        "per",
        "each",
        "every",
        "last",
        "最后",
        "最后一个",
        *q.WEEKDAYS,
        *map(str.lower, q.WEEKDAY_ABBREVIATIONS),
        *q.MONTHS,
        *q.NUMBER_WORDS,
        *q.HOURS,
    }
    | _ORDINALS.keys()
)


def _measure(tokens: list[Token], at: int) -> tuple[int, Token]:
    """Return how many tokens make the quantity that begins here, and it; or one and the token itself."""
    token = tokens[at]
    name = token.surface.lower()
    if token.concept in _ENDS_OF_A_MONTH:
        return 1, Token(token.surface, quantity=q.date(0, _ENDS_OF_A_MONTH[token.concept], token.surface))
    if not token.quantity and name not in _MEASURING:
        return 1, token
    before = tokens[at - 1] if at else Token("")
    following = tokens[at + 1] if at + 1 < len(tokens) else Token("")
    if dated := _measure_weekday(token, following) or _measure_date(tokens, at):
        return dated
    if name in _NTH and before.surface.lower() in ("the", "every") and not following.ends_clause:
        return 1, Token(token.surface, quantity=Quantity("ordinal", float(_ORDINALS[name]), token.surface))
    if name in q.HOURS:
        return 1, Token(token.surface, quantity=Quantity("clock", q.HOURS[name], token.surface))
    if name in _RATES and (rate := _rate(before, following)):
        return 2, rate
    unit = following.surface.lower()
    if name in ("a", "an", "every", "each") and q.UNITS.get(unit, ("",))[0] == "time":
        return 2, Token(f"{name} {following.surface}", quantity=q.measured(1.0, unit, following.surface))
    is_version = token.quantity is not None and token.quantity.kind.startswith("version")
    if is_version and unit not in _UNIT_WORDS and _names_something(before):
        return 1, Token(token.surface, quantity=q.version(before.concept, token.surface))
    number = _number(token, unit)
    return (1, token) if number is None else _measure_number(number, token, before, following)


def _measure_weekday(token: Token, following: Token) -> tuple[int, Token] | None:
    """Return a day of the week, or which of them it is: `the third Thursday`, `最后一个周五`."""
    name = token.surface.lower()
    if token.surface in q.WEEKDAY_ABBREVIATIONS:
        number = q.WEEKDAY_ABBREVIATIONS[token.surface]
        return 1, token._replace(weight=0.0, quantity=Quantity("weekday", number, token.surface))
    if name in q.WEEKDAYS:
        return 1, token._replace(weight=0.0, quantity=Quantity("weekday", q.WEEKDAYS[name], token.surface))
    nth = _ordinal_of(token) if _is_a_day(following) else 0.0
    return (1, Token(token.surface, quantity=Quantity("nth", nth, token.surface))) if nth else None


_ENDS_OF_A_MONTH = {"end of the month": 32, "last working day of the month": 33}
_LAST = -1.0


def _ordinal_of(token: Token) -> float:
    """Return which one a word says, the last as -1; 0 where it says none."""
    name = token.surface.lower()
    if name in ("last", "最后", "最后一个"):
        return _LAST
    is_ordinal = token.quantity is not None and token.quantity.kind == "ordinal"
    return float(str(token.quantity.value)) if token.quantity and is_ordinal else float(_ORDINALS.get(name, 0))


def _is_a_day(token: Token) -> bool:
    """Tell whether a token is a day of the week, of which the first and the third may be told apart."""
    return token.surface.lower() in q.WEEKDAYS or (token.quantity is not None and token.quantity.kind == "weekday")


def _number(token: Token, unit: str) -> float | None:
    """Return the number that a token is, in digits or as an English word."""
    name = token.surface.lower()
    if token.quantity:
        is_decimal = token.quantity.kind.startswith("version") and token.surface.count(".") == 1 and unit in _UNIT_WORDS
        is_plain = token.quantity.kind == "count" and isinstance(token.quantity.value, float)
        return q.numeral(token.surface) if is_decimal or is_plain else None
    is_pronoun = name == "one" and unit in _RELATIVE
    return (
        q.numeral(name) if name.isascii() and not is_pronoun and not (name == "once" and unit not in _RATES) else None
    )


_UNIT_WORDS = q.UNITS.keys() | {f"{name}s" for name in q.UNITS if name.isascii()}


def _measure_date(tokens: list[Token], at: int) -> tuple[int, Token] | None:
    """Return the date that begins here: `15 May 2026`, `May 15, 2026`, `in May`, `March 2028`, `since 2024`."""
    here, following = (tokens[n] if n < len(tokens) else Token("") for n in (at, at + 1))
    before = tokens[at - 1].surface.lower() if at else ""
    if (nth := _ORDINALS.get(here.surface.lower(), 0)) and before == "the" and _is_of_a_month(tokens[at + 1 : at + 4]):
        return 1, Token(here.surface, quantity=q.date(0, nth, here.surface))
    month, taken, day = q.MONTHS.get(here.surface.lower(), 0), 1, 0
    if month:
        day = _day_of_month(following)
        taken += bool(day)
        if not day and before not in _BEFORE_A_MONTH and not _year(tokens, at + 1)[1]:
            return None
    elif (day := _day_of_month(here)) and (month := q.MONTHS.get(following.surface.lower(), 0)):
        taken = 2
    elif before in _BEFORE_A_MONTH and (year := _year(tokens, at)[1]):
        return 1, Token(here.surface, quantity=Quantity("year", float(year), here.surface))
    if not month:
        return None
    more, year = _year(tokens, at + taken)
    shown = " ".join(token.surface for token in tokens[at : at + taken])
    return taken + more, Token(shown, quantity=q.date(month, day, shown, year))


def _is_of_a_month(following: list[Token]) -> bool:
    """Tell whether `of the month` or `of each month` follows."""
    words = [token.surface.lower() for token in following]
    return words[:1] == ["of"] and any(word.endswith("month") for word in words)


def _year(tokens: list[Token], at: int) -> tuple[int, str]:
    """Return how many tokens make the year that follows a date, a comma among them, and it."""
    at, taken = (at + 1, 2) if at < len(tokens) and tokens[at].surface == "," else (at, 1)
    surface = tokens[at].surface if at < len(tokens) else ""
    is_year = len(surface) == 4 and surface.isdigit() and surface[:2] in ("19", "20")
    return (taken, surface) if is_year else (0, "")


def _measure_number(number: float, token: Token, before: Token, following: Token) -> tuple[int, Token]:
    unit = following.surface.lower()
    both = f"{token.surface} {following.surface}"
    ends = following.ends_clause or not unit or unit in _AFTER_A_CLOCK
    if before.surface.lower() == "at" and number <= _HOURS and ends:
        return 1, Token(token.surface, quantity=Quantity("clock", number % _HOURS * 60, token.surface))
    if unit in ("am", "pm"):
        return 2, Token(both, quantity=Quantity("clock", (number % 12 + 12 * (unit == "pm")) * 60, both))
    if before.surface.lower() in _NUMBERED:
        return 1, Token(token.surface, quantity=Quantity("ordinal", number, token.surface))
    singular = unit.removesuffix("s")
    singular = "workday" if singular in _WORKDAYS else singular if singular in q.UNITS else unit
    if unit in ("版", "版本"):
        return 2, Token(both, quantity=q.version("", token.surface))
    if singular in q.UNITS:
        return 2, Token(both, quantity=q.measured(number, singular, both))
    is_edition = number < 100 or (number in _YEARS and before.word is not None and before.word.setting is not None)
    if token.surface.isdigit() and _names_something(before) and is_edition:
        return 1, Token(token.surface, quantity=q.version(before.concept, token.surface))
    return 1, Token(token.surface, quantity=Quantity("count", number, token.surface))


def _counting(tokens: list[Token]) -> list[Token]:
    """Tell each count what it counts: the next words of its clause. `Service 17` at its start is a name, no count."""
    counted = list(tokens)
    for at, token in enumerate(tokens):
        if token.quantity and token.quantity.kind == "version of ":
            name = next((t.concept for t in reversed(tokens[:at]) if _names_something(t)), "")
            counted[at] = token._replace(quantity=token.quantity._replace(kind=f"version of {name}"))
        elif token.quantity and token.quantity.kind == "count" and _is_numbered(tokens, at):
            counted[at] = token._replace(quantity=token.quantity._replace(kind="ordinal"))
        elif token.quantity and token.quantity.kind == "count":
            end = next((n for n in range(at + 1, len(tokens)) if tokens[n].ends_clause), len(tokens))
            things = [t.concept for t in tokens[at + 1 : end] if t.weight][:_COUNTED_WITHIN]
            if at and tokens[at - 1].surface.lower() in _MEASURED:
                things = []  # port 8080 counts nothing of what follows
            if token.surface.endswith(_TIMES):
                things += [t.concept for t in tokens[:at] if t.weight]
            counted[at] = token._replace(quantity=token.quantity._replace(things=frozenset(things)))
    return counted


def _is_numbered(tokens: list[Token], at: int) -> bool:
    """Tell whether a number names one of many: it ends the first words, which no verb or little word parts."""
    before = tokens[:at][-_OPENING:]
    if at > _OPENING or not before or not tokens[at].surface.isdigit():
        return False
    thing = before[-1]
    name = thing.surface.lower()
    is_one = name.isascii() and not name.endswith("s") and name not in _MEASURED
    is_amount = any(token.surface.lower() in q.LIMITING for token in before)
    return is_one and not is_amount and all(token.weight or token.surface.lower() == "the" for token in before)


_WORKDAYS = frozenset({"working day", "business day"})
_HOURS = 24
_AFTER_A_CLOCK = frozenset({"on", "in", "every", "each", "sharp", "and", "to", "until", "during", "daily"})
"""Behind these `at nine` is over: a clock time, no count of what follows."""
_YEARS = range(1990, 2100)
"""Of products these number an edition: Unity 2022, Windows Server 2019."""
_OPENING = 3
_MEASURED = frozenset({"port", "version", "size", "limit", "timeout", "level", "priority", "minimum"})
_COUNTED_WITHIN = 2
_TIMES = ("次", "遍", "回", "times")
"""What is counted so stands before or after: `连续失败 5 次就锁定`, `retries three times`."""
_RATES = frozenset({"a", "per", "each", "every"})
_LASTING = frozenset({"after", "for", "within", "in", "of", "about", "than", "under", "over"})


def _rate(before: Token, unit: Token) -> Token | None:
    """Return `a day` or `per week` as what `daily` and `weekly` are, unless it says how long: `within a day`."""
    if before.surface.lower() not in _LASTING and unit.surface.lower() in ("minute", "second"):
        return Token(unit.surface, quantity=q.measured(1.0, unit.surface.lower(), unit.surface))
    name = {"day": "daily", "week": "weekly", "month": "monthly", "year": "yearly"}.get(unit.surface.lower())
    if not name or before.surface.lower() in _LASTING:
        return None
    return known(name, name, is_name=False)


_BEFORE_A_MONTH = frozenset({"in", "of", "by", "until", "since", "early", "late", "mid", "for", "before", "after"})
_NUMBERED = frozenset(
    {"round", "phase", "part", "stage", "sprint", "chapter", "batch", "session", "version", "project", "section"}
    | {"step", "line", "item", "room", "issue", "ticket", "case", "example", "question", "number", "module"}
)
"""Things that are told apart by a number behind them."""


def _day_of_month(token: Token) -> int:
    value = token.quantity.value if token.quantity and token.quantity.kind in ("count", "ordinal") else None
    return int(value) if isinstance(value, float) and 1 <= value <= 31 else 0


def _names_something(token: Token) -> bool:
    word = token.word
    if word and (word.setting or (word.holder and word.holder[0] in ("language", "system"))):
        return True
    is_acronym = token.surface.isascii() and token.surface.isupper() and len(token.surface) > 1
    return is_acronym or (not word and not token.quantity and (token.is_name or token.surface[:1].isupper()))
