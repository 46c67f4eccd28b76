"""From text to tokens: words and phrases by their concept, names, quantities, and where a clause ends."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass, replace

from agent_soul.judging import quantities as q
from agent_soul.judging.lexicon import CJK, Lexicon, Word, load, stem
from agent_soul.judging.quantities import Quantity

_NAME_WEIGHT = 1.3
_CHARACTER_WEIGHT = 0.45
_UNIT = f"(?:{q.LATIN_UNIT})(?![a-z])|{q.CJK_UNIT}"
_PIECE = re.compile(
    rf"""
    (?P<path>https?://\S+ | [\w.~-]*/[\w./~-]*\w | \.[a-z]\w+(?:\.\w+)* | [\w-]+\.(?:md|py|js|ts|json|ya?ml|toml|txt|csv|lock)\b)
    | (?P<date>(?P<year>\d{{4}})-(?P<month>\d\d)-(?P<day>\d\d)(?!\d)
        | (?P<month2>\d\d?|{q.NUMERAL})\s*月\s*(?P<day2>\d\d?|{q.NUMERAL})\s*[日号])
    | (?P<monthend>(?P<month3>\d\d?|{q.NUMERAL})\s*月[底末初])
    | (?P<ordinal>第\s*(?P<nth>\d+|{q.NUMERAL})\s*[次轮期版批个届阶段]*)
    | (?P<weekday>(?:每个?|本|下|上)?(?:周|星期|礼拜)(?P<which>[一二三四五六日天])(?!期))
    | (?P<clock>(?P<part>凌晨|早上|上午|中午|下午|晚上|傍晚)?\s*(?P<hour>\d\d?|{q.NUMERAL})\s*(?:点钟?|:(?P<minute>\d\d))
        (?P<half>半)?)
    | (?P<amount>(?P<number>\d+(?:,\d{{3}})*(?:\.\d+)?|{q.NUMERAL})\s*(?P<unit>{_UNIT}))
    | (?P<version>v?\d+(?:\.\d+)+)
    | (?P<plain>\d+(?:,\d{{3}})*)
    | (?P<word>[^\W\d_{CJK}](?:[^\W{CJK}]|[+\#'’.-](?=[^\W{CJK}])|[+\#](?=[\s+]|$))*)
    | (?P<han>[{CJK}])
    | (?P<end>[.,;:!?，。；：！？()（）…—–]|\s-\s)
    """,
    re.VERBOSE | re.IGNORECASE,
)
_AFTERNOON = frozenset({"下午", "晚上", "傍晚"})


@dataclass(frozen=True, slots=True)
class Token:
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
    while position < len(text):
        found = _PIECE.search(text, position)
        if not found:
            return
        position = found.end()
        kind = str(found.lastgroup)
        if kind == "han" or (kind in ("amount", "clock") and text[found.start()] in _NUMERALS):
            longest = _longest(text, found.start(), lexicon)
            if longest:
                yield _token(longest, lexicon.words[longest])
                position = found.start() + len(longest)
                continue
        if kind == "han":
            yield Token(found[0], found[0], _CHARACTER_WEIGHT)
        else:
            yield _MAKERS[kind](found)


_NUMERALS = frozenset(f"{q.DIGITS}十百千万半")


def _longest(text: str, start: int, lexicon: Lexicon) -> str:
    """Return the longest entry of the tables that begins here."""
    for length in range(min(lexicon.longest_cjk, len(text) - start), 0, -1):
        if text[start : start + length] in lexicon.words:
            return text[start : start + length]
    return ""


def _token(surface: str, word: Word) -> Token:
    return Token(surface, word.concept, word.weight, word)


def _date(found: re.Match[str]) -> Token:
    month = q.numeral(found["month"] or found["month2"]) or 0
    day = q.numeral(found["day"] or found["day2"]) or 0
    return Token(found[0], quantity=Quantity("date", (int(month), int(day)), found[0]))


def _month_end(found: re.Match[str]) -> Token:
    month = int(q.numeral(found["month3"]) or 0)
    return Token(found[0], quantity=Quantity("date", (month, 0), found[0]))


def _ordinal(found: re.Match[str]) -> Token:
    return Token(found[0], quantity=Quantity("ordinal", q.numeral(found["nth"]) or 0.0, found[0]))


def _weekday(found: re.Match[str]) -> Token:
    return Token(found[0], quantity=Quantity("weekday", q.CJK_WEEKDAYS[found["which"]], found[0]))


def _clock(found: re.Match[str]) -> Token:
    hour = (q.numeral(found["hour"]) or 0.0) + (12 if found["part"] in _AFTERNOON else 0)
    minutes = hour % 24 * 60 + int(found["minute"] or 0) + (30 if found["half"] else 0)
    return Token(found[0], quantity=Quantity("clock", minutes, found[0]))


def _amount(found: re.Match[str]) -> Token:
    value = q.numeral(found["number"]) or 0.0
    return Token(found[0], quantity=q.measured(value, found["unit"].lower(), found[0]))


def _version(found: re.Match[str]) -> Token:
    return Token(found[0], quantity=q.version("", found[0]))


def _plain(found: re.Match[str]) -> Token:
    return Token(found[0], quantity=Quantity("count", q.numeral(found[0]) or 0.0, found[0]))


def _word(found: re.Match[str]) -> Token:
    return Token(found[0], stem(found[0].lower().removesuffix("'s")), 1.0, is_name=_looks_like_a_name(found))


def _looks_like_a_name(found: re.Match[str]) -> bool:
    """Tell whether a word has a capital where a sentence needs none, or is a term with a digit or dot inside."""
    word = found[0]
    if any(letter.isupper() for letter in word[1:]) or re.search(r"[\d_.]", word):
        return True
    before = found.string[: found.start()].rstrip()
    return word[0].isupper() and bool(before) and before[-1] not in ".!?:。！？："


_MAKERS = {
    "path": lambda found: Token(found[0], found[0].lower(), _NAME_WEIGHT, is_name=True),
    "date": _date,
    "monthend": _month_end,
    "ordinal": _ordinal,
    "weekday": _weekday,
    "clock": _clock,
    "amount": _amount,
    "version": _version,
    "plain": _plain,
    "word": _word,
    "han": lambda found: Token(found[0], found[0], _CHARACTER_WEIGHT),
    "end": lambda found: Token(found[0], ends_clause=True),
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
        joined.append(_known(tokens[position : position + length], lexicon))
        position += length
    return joined


def _phrase_length(tokens: list[Token], start: int, lexicon: Lexicon) -> int:
    for length in range(min(_LONGEST_PHRASE, len(tokens) - start), 1, -1):
        phrase = tokens[start : start + length]
        if _phrase_key(phrase) in lexicon.words or " ".join(t.surface.lower() for t in phrase) in lexicon.exact:
            return length
    return 1


def _phrase_key(tokens: list[Token]) -> str:
    words = [token.surface.lower().removesuffix("'s") for token in tokens]
    return " ".join(stem(part) for word in words for part in word.replace("-", " ").split())


def _known(tokens: list[Token], lexicon: Lexicon) -> Token:
    surface = " ".join(token.surface for token in tokens)
    surface = surface.removesuffix("'s")
    as_written = lexicon.exact.get(surface) if tokens[0].is_name else None
    word = as_written or lexicon.exact.get(surface.lower()) or lexicon.words.get(_phrase_key(tokens))
    if not word and surface.lower().endswith("n't"):
        word = lexicon.exact["not"]
    if word:
        return Token(surface, word.concept, word.weight, word)
    return Token(surface, tokens[0].concept, _NAME_WEIGHT if tokens[0].is_name else 1.0, is_name=tokens[0].is_name)


def _with_units(tokens: list[Token]) -> Iterator[Token]:
    """Measure English numbers by the words around them: `15 May`, `3 pm`, `two hours`, `Node 20`, `round one`."""
    position = 0
    while position < len(tokens):
        taken, token = _measure(tokens, position)
        yield token
        position += taken


def _measure(tokens: list[Token], at: int) -> tuple[int, Token]:
    token = tokens[at]
    following = tokens[at + 1] if at + 1 < len(tokens) else Token("")
    before = tokens[at - 1] if at else Token("")
    name = token.surface.lower()
    if name in q.WEEKDAYS:
        return 1, Token(token.surface, quantity=Quantity("weekday", q.WEEKDAYS[name], token.surface))
    if name in q.MONTHS and before.surface.lower() in _BEFORE_A_MONTH and not _day_of_month(following):
        return 1, Token(token.surface, quantity=Quantity("date", (q.MONTHS[name], 0), token.surface))
    if name in ("a", "an") and q.UNITS.get(following.surface.lower(), ("",))[0] == "time":
        return 2, Token(f"{name} {following.surface}", quantity=q.measured(1.0, following.surface.lower(), following.surface))
    if name in q.MONTHS and (day := _day_of_month(following)):
        return 2, Token(f"{token.surface} {day}", quantity=Quantity("date", (q.MONTHS[name], day), f"{token.surface} {day}"))
    is_plain = token.quantity is not None and token.quantity.kind == "count"
    word_number = q.numeral(name) if name.isascii() and not token.quantity else None
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
    """Tell each count what it counts: the next words of its clause."""
    counted = list(tokens)
    for at, token in enumerate(tokens):
        if token.quantity and token.quantity.kind == "count":
            end = next((n for n in range(at + 1, len(tokens)) if tokens[n].ends_clause), len(tokens))
            things = [t.concept for t in tokens[at + 1 : end] if t.weight >= 1][:_COUNTED_WITHIN]
            counted[at] = replace(token, quantity=token.quantity._replace(things=frozenset(things)))
    return counted


_COUNTED_WITHIN = 2
_BEFORE_A_MONTH = frozenset({"in", "of", "by", "until", "since", "early", "late", "mid", "for", "before", "after"})
_NUMBERED = frozenset({"round", "phase", "part", "stage", "sprint", "chapter", "batch", "session", "version"})


def _day_of_month(token: Token) -> int:
    value = token.quantity.value if token.quantity and token.quantity.kind in ("count", "ordinal") else None
    return int(value) if isinstance(value, float) and 1 <= value <= 31 else 0


def _names_something(token: Token) -> bool:
    word = token.word
    if word and (word.setting or (word.holder and word.holder[0] in ("language", "system"))):
        return True
    return not word and not token.quantity and (token.is_name or token.surface[:1].isupper())
