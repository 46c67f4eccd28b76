"""From text to its pieces: words, names, dates, amounts, versions, characters of Chinese, ends of clauses."""

from __future__ import annotations

import functools
import re
from collections.abc import Callable, Iterator
from typing import NamedTuple

from agent_soul.judging import quantities as q
from agent_soul.judging.chinese import StandIns, is_cjk
from agent_soul.judging.lexicon import Lexicon, Word, entry, find, load
from agent_soul.judging.quantities import Quantity
from agent_soul.judging.stems import stem

NAME_WEIGHT = 1.3
_CHARACTER_WEIGHT = 0.45
_UNIT = f"(?:{q.LATIN_UNIT})(?![a-z])|{q.CJK_UNIT}"
_PARTS = "凌晨|早上|早晨|清晨|清早|上午|中午|下午|午后|晚上|夜里|夜间|深夜|半夜|傍晚"
_MINUTES = "(?:[二三四五]?十[一二三四五六七八九]?|零[一二三四五六七八九])(?!分钟|[个名位条人次天年月万千百])"
_PIECE = rf"""\s*(?:
    (?P<common>[a-z]+(?:['-][a-z]+)*(?![\w/+\#]|[.'-]\w))
    | (?P<reference>\#\d+)
    | (?P<path>https?://\S+ | [\w.~-]*/[\w./~-]*\w | \.[a-z]\w+(?:\.\w+)*
        | [\w-]+\.(?:md|py|js|ts|json|ya?ml|toml|txt|csv|lock)\b)
    | (?P<date>(?P<year>\d{{4}})-(?P<month>\d\d)-(?P<day>\d\d)(?!\d)
        | (?:(?P<year2>\d{{4}})\s*年\s*)?(?P<month2>\d\d?|{q.NUMERAL})\s*月\s*(?P<day2>\d\d?|{q.NUMERAL})\s*[日号]
        | (?:每个?|本|下|当)月\s*(?P<day3>\d\d?|{q.NUMERAL})\s*[日号])
    | (?P<monthend>(?:(?P<year3>\d{{4}})\s*年\s*)?(?P<month3>\d\d?|{q.NUMERAL})\s*月[底末初份]?)
    | (?P<inyear>(?:19|20)\d\d\s*年)
    | (?P<ordinal>第\s*(?P<nth>\d+|{q.NUMERAL})\s*[次轮期版批个届阶段]*)
    | (?P<weekday>(?:每个?|本|下|上)?(?:周|星期|礼拜)(?P<which>[一二三四五六日天])(?!期))
    | (?P<clock>(?!一点(?![钟半\d]))(?P<part>{_PARTS})?\s*(?P<hour>\d\d?|{q.NUMERAL})\s*
        (?:点钟?(?:\s*(?P<minutes>\d\d?(?=\s*分)|{_MINUTES})(?:\s*分)?)?|:(?P<minute>\d\d))(?P<half>半)?(?P<quarter>[一三]刻)?)
    | (?P<per>一(?:年|个?月|周|天)(?=[^，。；,;]{{0,6}}?[一两二三四五六\d]次))
    | (?P<each>每(?:分钟|秒钟?))
    | (?P<amount>(?P<number>\d+(?:,\d{{3}})*(?:\.\d+)?|{q.NUMERAL})\s*(?P<unit>{_UNIT}))
    | (?P<cjk_number>[一二两三四五六七八九][十百千万][一二两三四五六七八九十百千万零]*)
    | (?P<nth_one>\d\d?(?:st|nd|rd|th)\b)
    | (?P<series>v?\d+(?:\.\d+)*\.x\b)
    | (?P<version>v?\d+(?:\.\d+)+(?!\d*e-?\d))
    | (?P<plain>\d+(?:\.\d+)?e-?\d+\b|\d+(?:,\d{{3}})*)
    | (?P<han>(?-i:[CJK]))
    | (?P<word>[^\W\d_](?:[+\#'’.-]?(?-i:[^\WCJK])|[+\#](?=[\s+]|$))*)
    | (?P<end>[.,;:!?，。；：！？()（）…—–]|-\s)
    | (?P<other>\S)
    )"""
_AFTERNOON = frozenset({"中午", "下午", "午后", "晚上", "傍晚"})
_LABELS = frozenset("号楼栋")
"""Units that tell one of many by a number: line 4, the third floor."""
_NIGHT = frozenset({"凌晨", "晚上", "夜里", "夜间", "深夜", "半夜"})
_LATE = frozenset({"夜里", "夜间", "深夜", "半夜"})
_EVENING = 6
_LATE_MORNING = 9
_TITLE = (
    "(?<![对关由至]于)(?:老师|女士|先生|医生|大夫|护士|教授|博士|经理|主任|院长|校长|处长|科长|律师|师傅|教练|阿姨|奶奶|爷爷"
    "|(?P<may_begin_a_word>[总工姐哥叔婶董]))"
)
"""What stands behind a family name."""
_OF_A_PERSON = frozenset("负审批管说定来做的和与在评看拍写改签给接")
"""What is said of a person; before another character a title may begin a word."""
_FAMILIAR = frozenset("小老阿")
"""Stands before a family name among people who know each other."""
_NUMERALS = frozenset(f"{q.DIGITS}十百千万半")
_TERM = re.compile(r"[\d_.]")


class Token(NamedTuple):
    """A piece of a statement: a word of the tables, another word, a name, a quantity, or the end of a clause."""

    surface: str
    concept: str = ""
    weight: float = 0.0
    word: Word | None = None
    quantity: Quantity | None = None
    is_name: bool = False
    ends_clause: bool = False

    def has(self, role: str) -> bool:
        """Tell whether the tables give it a role, such as "condition"."""
        return self.word is not None and role in self.word.roles

    @property
    def denies(self) -> bool:
        """Tell whether it turns the sense of its clause: not, never, dislike."""
        return self.word is not None and self.word.sign < 0

    @property
    def is_not(self) -> bool:
        """Tell whether it denies and says nothing else, as `not` does and `dislike` does not."""
        return self.denies and not self.weight


_stand_ins = StandIns(_PIECE)


@functools.cache
def _piece() -> re.Pattern[str]:
    return re.compile(_PIECE.replace("CJK", _stand_ins.characters), re.VERBOSE | re.IGNORECASE)


def pieces(text: str) -> Iterator[Token]:
    """Yield the tokens of a text, each by itself: characters of Chinese joined to the words that the tables know."""
    lexicon, match, known = load(), _piece().match, _stand_ins.put_into(text)
    position = 0
    while found := match(known, position):
        position = found.end()
        kind = str(found.lastgroup)
        start = found.start(kind)
        if kind in ("han", "ordinal") or (kind in ("amount", "clock") and text[start] in _NUMERALS):
            longest = _longest(text, start, lexicon)
            if name := _person(text, start, longest, lexicon):
                yield Token(name, name, NAME_WEIGHT, is_name=True)
                position = start + len(name)
                continue
            if longest and (kind == "han" or len(longest) >= position - start):  # 一个小时 is no 一个, 第三方 no third
                yield from parts(_token(longest, entry(longest) or Word(longest)))
                position = start + len(longest)
                continue
        if kind != "other":
            yield _MAKERS[kind](text[start : found.end(kind)], found)


@functools.cache  # for texts that hold a family name
def _title() -> re.Pattern[str]:
    return re.compile(_TITLE)


def _longest(text: str, start: int, lexicon: Lexicon) -> str:
    """Return the longest entry of the tables that begins here."""
    for length in range(min(lexicon.longest_cjk, len(text) - start), 0, -1):
        if lexicon.holds(text[start : start + length]):
            return text[start : start + length]
    return ""


def _person(text: str, start: int, longest: str, lexicon: Lexicon) -> str:
    """Return the name that begins here as those who know a person say it, `小林`, `周老师`, `王总`; else nothing."""
    if len(longest) > 1:
        return ""
    if text[start] in lexicon.surnames and (title := _title().match(text, start + 1)):
        following = text[title.end() : title.end() + 1]
        begins_a_word = title["may_begin_a_word"] and is_cjk(following) and following not in _OF_A_PERSON
        return "" if begins_a_word else text[start : title.end()]
    is_familiar = text[start] in _FAMILIAR and text[start + 1 : start + 2] in lexicon.surnames
    return text[start : start + 2] if is_familiar and not _longest(text, start + 1, lexicon) else ""


def _token(surface: str, word: Word) -> Token:
    return Token(surface, word.concept, word.weight, word)


def parts(token: Token) -> list[Token]:
    """Return a token, or those of the words that it stands for; only the first of these has a surface."""
    if not token.word or not token.word.parts:
        return [token]
    words = [find(part) or Word(stem(part)) for part in token.word.parts]
    return [_token("" if at else token.surface, word) for at, word in enumerate(words)]


def _date(text: str, found: re.Match[str]) -> Token:
    month = q.numeral(found["month"] or found["month2"] or "0") or 0
    day = q.numeral(found["day"] or found["day2"] or found["day3"]) or 0
    return Token(text, quantity=q.date(int(month), int(day), text, found["year"] or found["year2"]))


def _month(text: str, found: re.Match[str]) -> Token:
    return Token(text, quantity=q.date(int(q.numeral(found["month3"]) or 0), 0, text, found["year3"]))


def _year(text: str, found: re.Match[str]) -> Token:
    return Token(text, quantity=Quantity("year", float(text[:4]), text))


def _ordinal(text: str, found: re.Match[str]) -> Token:
    if text.endswith("版"):
        number = f"{q.numeral(found['nth']) or 0:g}"
        return Token(number, quantity=q.version("", number))
    return Token(text, quantity=Quantity("ordinal", q.numeral(found["nth"]) or 0.0, text))


def _weekday(text: str, found: re.Match[str]) -> Token:
    return Token(text, quantity=Quantity("weekday", q.CJK_WEEKDAYS[found["which"]], text))


def _clock(text: str, found: re.Match[str]) -> Token:
    hour = q.numeral(found["hour"]) or 0.0
    is_late = found["part"] in _AFTERNOON or (found["part"] in _LATE and hour >= _EVENING)
    if is_late and hour < 12 and not (found["part"] == "中午" and hour > _LATE_MORNING):
        hour += 12
    elif found["part"] in _NIGHT and hour == 12:
        hour = 0
    minutes = hour % 24 * 60 + _minutes(found)
    return Token(text, quantity=Quantity("clock", minutes, text))


def _minutes(found: re.Match[str]) -> float:
    """Return the minutes past the hour: `:05`, `十分`, `半`, `三刻`."""
    quarters = {"一": 15, "三": 45}[found["quarter"][0]] if found["quarter"] else 0
    return (q.numeral(found["minute"] or found["minutes"] or "0") or 0) + (30 if found["half"] else quarters)


def _amount(text: str, found: re.Match[str]) -> Token:
    value = q.numeral(found["number"]) or 0.0
    if found["unit"] in _LABELS:
        return Token(text, quantity=Quantity("ordinal", value, text))
    return Token(text, quantity=q.measured(value, found["unit"].lower(), text))


def _version(text: str, found: re.Match[str]) -> Token:
    return Token(text, quantity=q.version("", text))


def _plain(text: str, found: re.Match[str]) -> Token:
    return Token(text, quantity=Quantity("count", q.numeral(text) or 0.0, text))


def _common(text: str, found: re.Match[str]) -> Token:
    return _plain_word(text) if text.islower() else _word(text, found)


@functools.lru_cache(maxsize=50_000)
def _plain_word(text: str) -> Token:
    """Return the token of a word without capitals, digits and dots, which is no name wherever it stands."""
    return Token(text, stem(text.removesuffix("'s")), 1.0)


def _word(text: str, found: re.Match[str]) -> Token:
    return Token(text, stem(text.lower().removesuffix("'s")), 1.0, is_name=_looks_like_a_name(text, found))


def _looks_like_a_name(word: str, found: re.Match[str]) -> bool:
    """Tell whether a word has a capital where a sentence needs none, or is a term with a digit or dot inside."""
    if any(map(str.isupper, word[1:])) or _TERM.search(word):
        return True
    if not word[0].isupper():
        return False
    after = found.string[found.end() : found.end() + 2]
    if len(word) == 1 and (is_cjk(after[:1]) or (after[:1].isspace() and is_cjk(after[1:]))):
        return True  # 甲乙丙丁 of our days: `A 区`
    before = found.string[: found.end() - len(word)].rstrip()
    return bool(before) and before[-1] not in ".!?:。！？："


_MAKERS: dict[str, Callable[[str, re.Match[str]], Token]] = {
    "common": _common,
    "path": lambda text, _: Token(text, text.lower(), NAME_WEIGHT, is_name=True),
    "reference": lambda text, _: Token(text, text, is_name=True),
    "date": _date,
    "monthend": _month,
    "inyear": _year,
    "ordinal": _ordinal,
    "nth_one": lambda text, _: Token(text, quantity=Quantity("ordinal", float(text[:-2]), text)),
    "weekday": _weekday,
    "clock": _clock,
    "per": lambda text, _: _token(text, entry("每" + text[1:]) or Word(text)),
    "each": lambda text, _: Token(text, quantity=q.measured(1.0, text[1:], text)),
    "amount": _amount,
    "series": lambda text, _: Token(text, text.lower().lstrip("v"), NAME_WEIGHT, is_name=True),
    "version": _version,
    "cjk_number": _plain,
    "plain": _plain,
    "word": _word,
    "han": lambda text, _: Token(text, text, _CHARACTER_WEIGHT if text != "一" else 0.0),
    "end": lambda text, _: Token(text, ends_clause=True),
}
