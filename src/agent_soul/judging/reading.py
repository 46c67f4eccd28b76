"""From text to tokens: words and phrases by their concept, names, quantities, and where a clause ends."""

from __future__ import annotations

import functools
import re
import unicodedata
from collections.abc import Callable, Iterator
from typing import NamedTuple

from agent_soul.judging import quantities as q
from agent_soul.judging.lexicon import CJK, Lexicon, Word, load, stem
from agent_soul.judging.quantities import Quantity

_NAME_WEIGHT = 1.3
_CHARACTER_WEIGHT = 0.45
_UNIT = f"(?:{q.LATIN_UNIT})(?![a-z])|{q.CJK_UNIT}"
_PIECE = re.compile(
    rf"""\s*(?:
    (?P<common>[a-z]+(?:['-][a-z]+)*(?![\w/+\#]|[.'-]\w))
    | (?P<reference>\#\d+)
    | (?P<path>https?://\S+ | [\w.~-]*/[\w./~-]*\w | \.[a-z]\w+(?:\.\w+)*
        | [\w-]+\.(?:md|py|js|ts|json|ya?ml|toml|txt|csv|lock)\b)
    | (?P<date>(?P<year>\d{{4}})-(?P<month>\d\d)-(?P<day>\d\d)(?!\d)
        | (?P<month2>\d\d?|{q.NUMERAL})\s*月\s*(?P<day2>\d\d?|{q.NUMERAL})\s*[日号])
    | (?P<monthend>(?P<month3>\d\d?|{q.NUMERAL})\s*月[底末初])
    | (?P<ordinal>第\s*(?P<nth>\d+|{q.NUMERAL})\s*[次轮期版批个届阶段]*)
    | (?P<weekday>(?:每个?|本|下|上)?(?:周|星期|礼拜)(?P<which>[一二三四五六日天])(?!期))
    | (?P<clock>(?P<part>凌晨|早上|上午|中午|下午|晚上|傍晚)?\s*(?P<hour>\d\d?|{q.NUMERAL})\s*
        (?:点钟?|:(?P<minute>\d\d))(?P<half>半)?)
    | (?P<amount>(?P<number>\d+(?:,\d{{3}})*(?:\.\d+)?|{q.NUMERAL})\s*(?P<unit>{_UNIT}))
    | (?P<version>v?\d+(?:\.\d+)+)
    | (?P<plain>\d+(?:,\d{{3}})*)
    | (?P<word>[^\W\d_{CJK}](?:[^\W{CJK}]|[+\#'’.-](?=[^\W{CJK}])|[+\#](?=[\s+]|$))*)
    | (?P<han>[{CJK}])
    | (?P<end>[.,;:!?，。；：！？()（）…—–]|-\s)
    | (?P<other>\S)
    )""",
    re.VERBOSE | re.IGNORECASE,
)
_AFTERNOON = frozenset({"下午", "晚上", "傍晚"})


class Token(NamedTuple):
    """A piece of a statement: a word of the tables, another word, a name, a quantity, or the end of a clause."""

    surface: str
    concept: str = ""
    weight: float = 0.0
    word: Word | None = None
    quantity: Quantity | None = None
    is_name: bool = False
    ends_clause: bool = False


def read(text: str) -> list[Token]:
    """Return the tokens of a text in order, phrases joined and numbers measured."""
    plain = unicodedata.normalize("NFKC", text).replace("’", "'").replace("`", " ")
    return _counting(list(_with_units(_phrases(list(_pieces(plain)), load()))))


def _pieces(text: str) -> Iterator[Token]:
    lexicon = load()
    position = 0
    while found := _PIECE.match(text, position):
        position = found.end()
        kind = str(found.lastgroup)
        start = found.start(kind)
        if kind == "han" or (kind in ("amount", "clock") and text[start] in _NUMERALS):
            longest = _longest(text, start, lexicon)
            if longest:
                yield _token(longest, lexicon.words[longest])
                position = start + len(longest)
                continue
        if kind != "other":
            yield _MAKERS[kind](found[kind], found)


_NUMERALS = frozenset(f"{q.DIGITS}十百千万半")


def _longest(text: str, start: int, lexicon: Lexicon) -> str:
    """Return the longest entry of the tables that begins here."""
    for length in range(min(lexicon.longest_cjk, len(text) - start), 0, -1):
        if text[start : start + length] in lexicon.words:
            return text[start : start + length]
    return ""


def _token(surface: str, word: Word) -> Token:
    return Token(surface, word.concept, word.weight, word)


def _date(text: str, found: re.Match[str]) -> Token:
    month = q.numeral(found["month"] or found["month2"]) or 0
    day = q.numeral(found["day"] or found["day2"]) or 0
    return Token(text, quantity=Quantity("date", (int(month), int(day)), text))


def _month_end(text: str, found: re.Match[str]) -> Token:
    month = int(q.numeral(found["month3"]) or 0)
    return Token(text, quantity=Quantity("date", (month, 0), text))


def _ordinal(text: str, found: re.Match[str]) -> Token:
    return Token(text, quantity=Quantity("ordinal", q.numeral(found["nth"]) or 0.0, text))


def _weekday(text: str, found: re.Match[str]) -> Token:
    return Token(text, quantity=Quantity("weekday", q.CJK_WEEKDAYS[found["which"]], text))


def _clock(text: str, found: re.Match[str]) -> Token:
    hour = (q.numeral(found["hour"]) or 0.0) + (12 if found["part"] in _AFTERNOON else 0)
    minutes = hour % 24 * 60 + int(found["minute"] or 0) + (30 if found["half"] else 0)
    return Token(text, quantity=Quantity("clock", minutes, text))


def _amount(text: str, found: re.Match[str]) -> Token:
    value = q.numeral(found["number"]) or 0.0
    return Token(text, quantity=q.measured(value, found["unit"].lower(), text))


def _version(text: str, found: re.Match[str]) -> Token:
    return Token(text, quantity=q.version("", text))


def _plain(text: str, found: re.Match[str]) -> Token:
    return Token(text, quantity=Quantity("count", q.numeral(text) or 0.0, text))


def _word(text: str, found: re.Match[str]) -> Token:
    return Token(text, stem(text.lower().removesuffix("'s")), 1.0, is_name=_looks_like_a_name(text, found))


def _looks_like_a_name(word: str, found: re.Match[str]) -> bool:
    """Tell whether a word has a capital where a sentence needs none, or is a term with a digit or dot inside."""
    if any(map(str.isupper, word[1:])) or _TERM.search(word):
        return True
    if not word[0].isupper():
        return False
    before = found.string[: found.end() - len(word)].rstrip()
    return bool(before) and before[-1] not in ".!?:。！？："


_TERM = re.compile(r"[\d_.]")
_MAKERS: dict[str, Callable[[str, re.Match[str]], Token]] = {
    "common": _word,
    "path": lambda text, _: Token(text, text.lower(), _NAME_WEIGHT, is_name=True),
    "reference": lambda text, _: Token(text, text, is_name=True),
    "date": _date,
    "monthend": _month_end,
    "ordinal": _ordinal,
    "weekday": _weekday,
    "clock": _clock,
    "amount": _amount,
    "version": _version,
    "plain": _plain,
    "word": _word,
    "han": lambda text, _: Token(text, text, _CHARACTER_WEIGHT),
    "end": lambda text, _: Token(text, ends_clause=True),
}
_LONGEST_PHRASE = 5


def _phrases(tokens: list[Token], lexicon: Lexicon) -> list[Token]:
    """Join words into the longest phrases that the tables know, and look the other words up."""
    joined: list[Token] = []
    position = 0
    while position < len(tokens):
        token = tokens[position]
        if token.word or token.quantity or token.ends_clause or not token.surface[0].isascii():
            joined.append(token)
            position += 1
            continue
        length = _phrase_length(tokens, position, lexicon) if token.concept.split("-")[0] in lexicon.starts else 1
        phrase = tokens[position : position + length]
        joined.append(_known(" ".join(word.surface for word in phrase), token.concept, token.is_name))
        position += length
    return joined


def _phrase_length(tokens: list[Token], start: int, lexicon: Lexicon) -> int:
    surfaces = [token.surface.lower() for token in tokens[start : start + _LONGEST_PHRASE]]
    for length in range(len(surfaces), 1, -1):
        phrase = " ".join(surfaces[:length])
        if _phrase_key(phrase) in lexicon.words or phrase in lexicon.exact:
            return length
    return 1


def _phrase_key(phrase: str) -> str:
    return " ".join(stem(part) for word in phrase.split(" ") for part in word.removesuffix("'s").split("-"))


@functools.lru_cache(maxsize=50_000)
def _known(surface: str, concept: str, is_name: bool) -> Token:
    """Return the token of a word or phrase of letters."""
    lexicon = load()
    surface = surface.removesuffix("'s")
    as_written = lexicon.exact.get(surface) if is_name else None
    word = as_written or lexicon.exact.get(surface.lower()) or lexicon.words.get(_phrase_key(surface.lower()))
    if not word and surface.lower().endswith("n't"):
        word = lexicon.exact["not"]
    if word:
        return Token(surface, word.concept, word.weight, word)
    return Token(surface, concept, _NAME_WEIGHT if is_name else 1.0, is_name=is_name)


def _with_units(tokens: list[Token]) -> Iterator[Token]:
    """Measure English numbers by the words around them: `15 May`, `3 pm`, `two hours`, `Node 20`, `round one`."""
    position = 0
    while position < len(tokens):
        taken, token = _measure(tokens, position)
        yield token
        position += taken


_MEASURING = frozenset({"a", "an", "per", "each", "every", *q.WEEKDAYS, *q.MONTHS, *q.NUMBER_WORDS})


def _measure(tokens: list[Token], at: int) -> tuple[int, Token]:
    token = tokens[at]
    if not token.quantity and token.surface.lower() not in _MEASURING:
        return 1, token
    following = tokens[at + 1] if at + 1 < len(tokens) else Token("")
    before = tokens[at - 1] if at else Token("")
    name = token.surface.lower()
    if name in q.WEEKDAYS:
        return 1, Token(token.surface, quantity=Quantity("weekday", q.WEEKDAYS[name], token.surface))
    if name in q.MONTHS and before.surface.lower() in _BEFORE_A_MONTH and not _day_of_month(following):
        return 1, Token(token.surface, quantity=Quantity("date", (q.MONTHS[name], 0), token.surface))
    if name in _RATES and (rate := _rate(before, following)):
        return 2, rate
    if name in ("a", "an") and q.UNITS.get(following.surface.lower(), ("",))[0] == "time":
        return 2, Token(
            f"{name} {following.surface}", quantity=q.measured(1.0, following.surface.lower(), following.surface)
        )
    if name in q.MONTHS and (day := _day_of_month(following)):
        return 2, Token(
            f"{token.surface} {day}", quantity=Quantity("date", (q.MONTHS[name], day), f"{token.surface} {day}")
        )
    is_plain = token.quantity is not None and token.quantity.kind == "count"
    is_word = name.isascii() and not token.quantity and not (name == "once" and following.surface.lower() not in _RATES)
    word_number = q.numeral(name) if is_word else None
    number = token.quantity.value if is_plain and token.quantity else word_number
    if token.quantity and token.quantity.kind.startswith("version") and _names_something(before):
        return 1, Token(token.surface, quantity=q.version(before.concept, token.surface))
    if not isinstance(number, float):
        return 1, token
    return _measure_number(number, token, before, following)


def _measure_number(number: float, token: Token, before: Token, following: Token) -> tuple[int, Token]:
    unit = following.surface.lower()
    both = f"{token.surface} {following.surface}"
    if unit in q.MONTHS and number <= 31:
        return 2, Token(both, quantity=Quantity("date", (q.MONTHS[unit], int(number)), both))
    if unit in ("am", "pm"):
        return 2, Token(both, quantity=Quantity("clock", (number % 12 + 12 * (unit == "pm")) * 60, both))
    if before.surface.lower() in _NUMBERED:
        return 1, Token(token.surface, quantity=Quantity("ordinal", number, token.surface))
    singular = unit.removesuffix("s") if unit.removesuffix("s") in q.UNITS else unit
    if singular in q.UNITS:
        return 2, Token(both, quantity=q.measured(number, singular, both))
    if token.surface.isdigit() and _names_something(before) and number < 100:
        return 1, Token(token.surface, quantity=q.version(before.concept, token.surface))
    return 1, Token(token.surface, quantity=Quantity("count", number, token.surface))


def _counting(tokens: list[Token]) -> list[Token]:
    """Tell each count what it counts: the next words of its clause. `Service 17` at its start is a name, no count."""
    counted = list(tokens)
    for at, token in enumerate(tokens):
        if token.quantity and token.quantity.kind == "count" and _is_numbered(tokens, at):
            counted[at] = token._replace(quantity=token.quantity._replace(kind="ordinal"))
        elif token.quantity and token.quantity.kind == "count":
            end = next((n for n in range(at + 1, len(tokens)) if tokens[n].ends_clause), len(tokens))
            things = [t.concept for t in tokens[at + 1 : end] if t.weight >= 1][:_COUNTED_WITHIN]
            counted[at] = token._replace(quantity=token.quantity._replace(things=frozenset(things)))
    return counted


def _is_numbered(tokens: list[Token], at: int) -> bool:
    """Tell whether a number names one of many: it ends the first words, which no verb or little word parts."""
    before = tokens[:at][-_OPENING:]
    if at > _OPENING or not before or not tokens[at].surface.isdigit():
        return False
    thing = before[-1]
    is_one = thing.surface.isascii() and not thing.surface.endswith("s") and thing.concept not in _MEASURED
    return is_one and all(token.weight or token.surface.lower() == "the" for token in before)


_OPENING = 3
_MEASURED = frozenset({"port", "version", "size", "limit", "timeout", "level", "priority", "minimum"})
_COUNTED_WITHIN = 2
_RATES = frozenset({"a", "per", "each", "every"})
_LASTING = frozenset({"after", "for", "within", "in", "of", "about", "than", "under", "over"})


def _rate(before: Token, unit: Token) -> Token | None:
    """Return `a day` or `per week` as what `daily` and `weekly` are, unless it says how long: `within a day`."""
    name = {"day": "daily", "week": "weekly", "month": "monthly", "year": "yearly"}.get(unit.surface.lower())
    if not name or before.surface.lower() in _LASTING:
        return None
    return _known(name, name, is_name=False)


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
    return not word and not token.quantity and (token.is_name or token.surface[:1].isupper())
