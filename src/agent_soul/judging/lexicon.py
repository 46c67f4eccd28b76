"""The word tables of the judge: what means the same, what excludes what, and what changes a statement's sense."""

from __future__ import annotations

import functools
import itertools
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

CJK = "\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7a3\uf900-\ufaff\U00020000-\U0003ffff"

OWN_SUBJECT = "*"
"""Ends the name of a setting whose values are said of nothing else."""

VALUE_CLASSES = ("being", "place", "origin", "making")
"""Verbs of one class give the same of a thing: what it is, where it is, where it comes from, what it is made with."""
_ROLES = (
    *VALUE_CLASSES,
    "mention",
    "exception",
    "reason",
    "aside",
    "universal",
    "condition",
    "placing",
    "value verbs",
    "owning",
    "verbs",
    "additive",
    "several",
    "unique",
    "above",
    "below",
    "little things",
)
_QUOTES = {ord("’"): "'", ord("‘"): "'", ord("‐"): "-", ord("‑"): "-"}
_WEAK_WEIGHT = 0.3
POLE_WEIGHT = 0.5
_SUFFIXES = {
    "y": ("ly", "y"),
    "s": ("ments", "ings", "ies", "es", "s"),
    "t": ("ment",),
    "g": ("ing",),
    "d": ("ied", "ed"),
    "e": ("e",),
}
"""By the last letter, the longest first: a start of the program stems thousands of words."""
_VOWELS = frozenset("aeiouy")
_SHORTEST_STEM = 3
_BEGINNING = 2
"""Letters that a word and its stem share in any case."""


class Word(NamedTuple):
    """What the tables say of a word or phrase.

    `concept` is what texts are compared by; `weight` how much it says of a topic, from 0. `sign` is -1 where it turns
    the sense of its clause. `setting` and `holder` are a row and the value of that row, or None.
    """

    concept: str
    weight: float = 1.0
    sign: int = 1
    setting: tuple[str, str] | None = None
    holder: tuple[str, str] | None = None
    roles: frozenset[str] = frozenset()


class Lexicon(NamedTuple):
    """Surface form to word: `words` may be inflected, what is in `exact` is found as it stands only.

    `by_beginning` holds the English forms of `words` by their first letters; `starts` are the stems that phrases begin
    with; `simplified` maps characters to what they are compared by.
    """

    words: dict[str, Word]
    exact: dict[str, Word]
    by_beginning: dict[str, list[str]]
    starts: frozenset[str]
    longest_cjk: int
    surnames: frozenset[str]
    simplified: dict[int, str]


@functools.lru_cache(maxsize=65_536)
def find(form: str) -> Word | None:
    """Return the word of a lower-case form: as it is listed, or else by its stems; `taxi` is not `tax`."""
    lexicon = load()
    listed = lexicon.exact.get(form) or lexicon.words.get(form) or lexicon.words.get(form.removesuffix("s"))
    return listed or (_stemmed(form[:_BEGINNING]).get(key_of(form)) if form.isascii() else None)


@functools.cache
def _stemmed(beginning: str) -> dict[str, Word]:
    """Return the words whose forms begin so by their stems, which a start that never asks for them need not find."""
    lexicon = load()
    stems: dict[str, Word] = {}
    for form in lexicon.by_beginning.get(beginning, ()):
        stems.setdefault(key_of(form), lexicon.words[form])
    return stems


@functools.cache
def stem(word: str) -> str:
    """Return the part of a lower-case English word that its inflected forms share: `caches`, `caching` give `cach`."""
    if not (word.isascii() and word.isalpha()) or len(word) <= _SHORTEST_STEM or word == "they":
        return word
    for suffix in _SUFFIXES.get(word[-1], ()):
        if word.endswith(suffix) and _may_lose(word, word[: -len(suffix)], suffix):
            word = word[: -len(suffix)]
            break
    if len(word) > _SHORTEST_STEM and word[-1] == word[-2] and word[-1] not in "aeiouls":
        word = word[:-1]
    return word[:-1] if len(word) > _SHORTEST_STEM and word.endswith(("e", "i", "y")) else word


def _may_lose(word: str, rest: str, suffix: str) -> bool:
    if len(rest) < _SHORTEST_STEM - (suffix == "s") + (suffix == "ly") or _VOWELS.isdisjoint(rest):
        return False
    return suffix not in ("s", "ed", "es") or not word.endswith(("ss", "us", "is", "eed"))


def key_of(form: str) -> str:
    """Return the stems of a surface form, joined by blanks; a form with a capital or of Chinese is its own key."""
    if form.isalpha():
        return stem(form) if form.isascii() and form.islower() else form
    if not form.isascii() or form != form.lower():
        return form
    return " ".join(map(stem, form.replace("-", " ").split()))


@functools.cache
def load() -> Lexicon:
    """Return the tables that ship with the package. Each start that judges two texts pays for it, some 30 ms."""
    concepts, tables = sections("concepts.txt"), sections("oppositions.txt")
    words = _with_senses(tables)
    for forms in map(_forms, itertools.chain.from_iterable(concepts.values())):
        word = Word(forms[0])
        for form in forms:
            words.setdefault(form, word)
    weak = [form for row in tables["weak"] for form in _forms(row)]
    for form in weak:
        words.setdefault(form, Word(form))
    holders = list(_values(tables["holders"]))
    for row, value, form in holders:
        _enter(words, form, Word(value), holder=(row, value))
    _give_roles(words, {role: [form for row in tables[role] for form in _forms(row)] for role in _ROLES})
    for form in weak:
        _enter(words, form, Word(form), weight=_WEAK_WEIGHT)
    exact = _exact(words, tables)
    exact |= {form: words.pop(form) for _, _, form in holders if form != form.lower()}  # Go and Rust, not go and rust
    words |= {form: word for form, word in exact.items() if word is _NOT or not form.isascii()}  # skips, gives up
    starts = frozenset(stem(form.split(" ", 1)[0]) for form in (*words, *exact) if " " in form)
    longest = max(map(len, itertools.filterfalse(str.isascii, words)))
    simplified = {ord(pair[0]): pair[1] for pair in " ".join(tables["simplified"]).split()}
    surnames = frozenset("".join(tables["surnames"]))
    by_beginning: dict[str, list[str]] = defaultdict(list)
    for form in filter(str.isascii, words):
        by_beginning[form[:_BEGINNING]].append(form)
    return Lexicon(words, exact, dict(by_beginning), starts, longest, surnames, simplified | _QUOTES)


def _with_senses(tables: Mapping[str, list[str]]) -> dict[str, Word]:
    """Return the forms of the poles and modals."""
    words: dict[str, Word] = {}
    for name, weight in (("poles", POLE_WEIGHT), ("modals", 0.0)):
        for row in tables[name]:
            sides = [_forms(side) for side in row.split(" | ")]
            for sign, forms in zip((1, -1), sides, strict=True):
                words |= dict.fromkeys(forms, Word(sides[0][0], weight, sign))
    return words


def _exact(words: Mapping[str, Word], tables: Mapping[str, list[str]]) -> dict[str, Word]:
    """Return what no stem may confuse: negations, the names of settings (git and gitee), little words."""
    exact = {form: _NOT for row in tables["negations"] for form in _forms(row)}
    plain: dict[tuple[str, str], Word] = {}
    for row, value, form in _values(tables["sets"]):
        setting, concept = (row, value), f"{row}={value}"
        known = words.get(form)
        word = plain.setdefault(setting, Word(concept, setting=setting))
        if known and (known.holder or known.roles):
            word = known._replace(concept=concept, setting=setting)
        exact[form] = exact[f"{form}s"] = word
    for form in (form for row in tables["stop"] for form in _forms(row)):
        exact.setdefault(form, Word(form, 0.0, 1, None, None, words.get(form, _NO_WORD).roles))
    return exact


_NO_WORD = Word("")
_NOT = Word("not", 0.0, -1)


def _enter(words: dict[str, Word], form: str, default: Word, **fields: Any) -> None:
    """Change the word of a form, or enter it."""
    words[form] = words.get(form, default)._replace(**fields)


def _give_roles(words: dict[str, Word], forms: dict[str, list[str]]) -> None:
    """Give each role to its forms and to every other word of their concepts."""
    roles: dict[str, set[str]] = defaultdict(set)
    for role, known_by in forms.items():
        for form in known_by:
            if form not in words:
                words[form] = Word(key_of(form), 0.0 if " " in form or not form.isascii() else 1.0)
            roles[words[form].concept].add(role)
    shared = {concept: frozenset(names) for concept, names in roles.items()}
    changed: dict[Word, Word] = {}  # the forms of a concept are mostly one word
    for form, word in words.items():
        if word.concept in shared:
            if word not in changed:
                changed[word] = word._replace(roles=shared[word.concept])
            words[form] = changed[word]


def _values(lines: Iterable[str]) -> Iterator[tuple[str, str, str]]:
    """Yield row, value and form of `theme: dark, 深色 | light, 浅色`; a value is named by its first form."""
    for line in lines:
        row, _, values = line.partition(": ")
        for forms in map(_forms, values.split(" | ")):
            yield from ((row, forms[0], form) for form in forms)


def _forms(row: str) -> list[str]:
    return row.split(", ")


def sections(name: str) -> dict[str, list[str]]:
    """Return the lines of each `[section]` of a table; `#` begins a comment."""
    sections: dict[str, list[str]] = {}
    lines: list[str] = []
    for line in Path(__file__).with_name(name).read_text(encoding="utf-8").split("\n"):
        if line.startswith("["):
            lines = sections.setdefault(line.strip("[]"), [])
        elif line.strip() and not line.startswith("#"):
            lines.append(line)
    return sections
