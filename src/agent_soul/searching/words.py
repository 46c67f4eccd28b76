"""From a text to the terms by which it is found. Pure.

A word of a script with spaces is one term, in English without its ending. Chinese, Japanese and Korean are searched
by single characters and pairs of neighbours, which finds every word without a dictionary: what jieba and MeCab would
bring was measured to find less, and takes longer to import than a whole search.
"""

from __future__ import annotations

import itertools
import re
import unicodedata
from collections.abc import Iterator
from typing import NamedTuple

from agent_soul.searching.stemming import stem

# Kana, Han, Hangul, and the marks that make words longer (々, ー).
_CJK = "\u3005\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7a3\uf900-\ufaff\U00020000-\U0003ffff"
_RUN = re.compile(rf"[{_CJK}]+|[^\W_{_CJK}]+")
_FIRST_CJK = "\u3005"
_PAIR = 2
# Names of code are written as one word of several: getCallers, HTTPServer, PowerMetricsV0.
# Runs of letters first: one pattern for all would take the square of a long run's length.
_LETTERS = re.compile(r"[A-Za-z]+")
_ONE_OF_SEVERAL = re.compile(r"[a-z][A-Z]|[A-Z]{2}[a-z]{2}")
_PART = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+")
_POSSESSIVE = re.compile(r"['’]s\b")
# Dakuten and handakuten make another kana, not the same with an accent.
_KANA_MARKS = "\u3099\u309a"

_ENGLISH_STOP_WORDS = """
a about after all also am an and any are aren as at be because been before being both but by can could couldn d did didn
do does doesn doing don done each for from had has have having he her here hers him his how i if in into is isn it its
itself just ll m may me might more most my of off on or our out over own re s shall she should so some such t than that
the their them then there these they this those through to too up us ve very was we were what when where which while who
whom whose why will with would you your
"""
STOP_WORDS = frozenset(_ENGLISH_STOP_WORDS.split())
# Function words and question words; a character or pair inside one says nothing about what is looked for.
_STOP_RUNS = (
    "什么时候|什么样|什么|甚么|为什么|为何|怎么样|怎么|怎样|如何|哪里|哪儿|哪个|哪些|哪位|哪|多少|是否|有没有|是不是|请问|谁|"
    "我们|你们|他们|这个|那个|这些|那些|[我你他她它这那吗呢吧啊呀嘛的了着过地得是在和与及或而并也都就还又很把被从对于以为有]|"
    "ですか|ますか|でした|です|ました|ます|から|まで|とは|には|では|のは|[のはがをにでともへか]"
)
# Whose it is stands before what is looked for, and what is asked of it behind: 我的猫叫什么.
_AROUND = re.compile(
    "^(?:谁|[我你他她它]们?|[这那][个些]?)的?|"
    "[在是有叫]?(?:什么时候|什么样?|为什么|怎么样?|哪[里儿个些位]?|谁|多少|[吗呢吧啊呀嘛]|[のはがをにでともへか])$"
)
# A particle belongs to no word: 花生的 and 医生的 share nothing.
_CLINGS = re.compile("的.|.[的了吗呢吧啊呀嘛是]")
_FIRST_HAN = "\u3400"
_NAME = re.compile(r"[^\W\d_]{2,}")


class Word(NamedTuple):
    """A word or a run of characters in a text: how it is written there, and where it begins."""

    text: str
    start: int
    is_cjk: bool


class Wanted(NamedTuple):
    """How a question wants a term: what it says, 1 or half as much, and whether an event that has it is a result."""

    weight: float
    finds: bool = True


def fold(text: str) -> str:
    """Return the form in which texts are compared: width, case, accents and the English possessive aside."""
    if not text.isascii():
        spread = unicodedata.normalize("NFKD", text).casefold()
        bare = "".join(each for each in spread if each in _KANA_MARKS or not unicodedata.combining(each))
        text = unicodedata.normalize("NFKC", bare)
    return _POSSESSIVE.sub("", text.lower())


def words(folded: str) -> Iterator[Word]:
    """Yield the words of a folded text, and whole runs of Chinese, Japanese and Korean characters."""
    for found in _RUN.finditer(folded):
        yield Word(found[0], found.start(), _is_cjk(found[0][0]))


def _is_cjk(character: str) -> bool:
    return character >= _FIRST_CJK and (character <= "\u30ff" or bool(re.match(f"[{_CJK}]", character)))


def terms(folded: str) -> Iterator[str]:
    """Yield every term of a folded text, in order and with repetitions: what an event is found by."""
    for word in words(folded):
        if not word.is_cjk:
            yield stem(word.text)
            continue
        yield from word.text
        yield from map("".join, itertools.pairwise(word.text))


def inner_terms(text: str) -> Iterator[str]:
    """Yield the terms of the words that names of code in a text, not folded, are made of, in order."""
    for name in filter(_ONE_OF_SEVERAL.search, _LETTERS.findall(text)):
        yield from (stem(part.lower()) for part in _PART.findall(name) if len(part) > 1)


def asked(folded: str) -> dict[str, Wanted]:
    """Return the terms that a folded question looks for: none where all are stop words.

    A character alone says half as much as a pair, and so does a pair of which one is in a stop word. Where there is
    nothing else, two characters are looked for although they are a stop word: 过得 is one only by its parts.
    """
    found: dict[str, Wanted] = {}
    runs = list(words(folded))
    for word in runs:
        wanted = {stem(word.text): Wanted(1.0)} if word.text not in STOP_WORDS else {}
        for term, way in (_telling(word.text) if word.is_cjk else wanted).items():
            found[term] = max(way, found.get(term, way), key=lambda each: (each.finds, each.weight))
    return found or {word.text: Wanted(1.0) for word in runs if word.is_cjk and len(word.text) == _PAIR}


def names_in(text: str) -> list[str]:
    """Return the stop words that a text, not folded, has as names: all in capitals, or after the first word with one.

    "IT" and "The Who" are names; "will" and "The" are not.
    """
    written = _NAME.findall(unicodedata.normalize("NFKC", text))
    names = [word for i, word in enumerate(written) if word.isupper() or (i and word[0].isupper())]
    return [stem(word) for word in map(fold, names) if word in STOP_WORDS]


def _telling(run: str) -> dict[str, Wanted]:
    """Return the characters of a run that are not in stop words, and the pairs that are not wholly in them.

    Two neighbours find an event, one character only where the run asks for no more than that.
    """
    telling = [1] * len(run)
    for found in re.finditer(_STOP_RUNS, run):
        telling[found.start() : found.end()] = [0] * len(found[0])
    has_word = any(map(min, itertools.pairwise(telling)))
    core = run if len(run) == _PAIR and min(run) >= _FIRST_HAN else _AROUND.sub("", run)
    wanted: dict[str, Wanted] = {}
    for i, character in enumerate(run):
        wanted |= {character: Wanted(0.5, character == core)} if telling[i] else {}
        if i and (tells := telling[i] + telling[i - 1]):
            pair = run[i - 1 : i + 1]
            wanted[pair] = Wanted(tells / 2, tells == _PAIR or not (has_word and _CLINGS.match(pair)))
    return wanted
