"""The word tables of the judge: what means the same, what excludes what, and what changes a statement's sense."""

from __future__ import annotations

import functools
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from agent_soul.judging.kept import kept

CJK = "\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7a3\uf900-\ufaff\U00020000-\U0003ffff"

OWN_SUBJECT = "*"
"""Ends the name of a setting whose values are said of nothing else."""

_ROLES = (
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
)
_WEAK_WEIGHT = 0.3
_POLE_WEIGHT = 0.5
_SUFFIXES = ("ly", "ments", "ment", "ings", "ing", "ies", "ied", "ed", "es", "s", "e", "y")
_VOWELS = frozenset("aeiouy")
_SHORTEST_STEM = 3


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
    """Surface form to word: English in `words` by stems, joined by blanks; in `exact` what is found only as it stands.

    `starts` are the stems that longer phrases begin with.
    """

    words: dict[str, Word]
    exact: dict[str, Word]
    starts: frozenset[str]
    longest_cjk: int
    surnames: frozenset[str]


@functools.cache
def stem(word: str) -> str:
    """Return the part of a lower-case English word that its inflected forms share: `caches`, `caching` give `cach`."""
    if not (word.isascii() and word.isalpha()) or len(word) <= _SHORTEST_STEM:
        return word
    for suffix in _SUFFIXES:
        rest = word.removesuffix(suffix)
        if rest != word and _may_lose(word, rest, suffix):
            word = rest
            break
    if len(word) > _SHORTEST_STEM and word[-1] == word[-2] and word[-1] not in "aeiouls":
        word = word[:-1]
    return word[:-1] if len(word) > _SHORTEST_STEM and word.endswith(("e", "i", "y")) else word


def _may_lose(word: str, rest: str, suffix: str) -> bool:
    if len(rest) < _SHORTEST_STEM - (suffix == "s") + (suffix == "ly") or not _VOWELS & set(rest):
        return False
    return not word.endswith(("ss", "us", "is", "eed")) or suffix not in ("s", "ed", "es")


def key_of(form: str) -> str:
    """Return the key under which a surface form is found; one with a capital is found as it is written only."""
    if not form.isascii() or form != form.lower():
        return form
    return " ".join(stem(part) for part in form.replace("-", " ").split())


_FILES = [Path(__file__), *map(Path(__file__).with_name, ("concepts.txt", "oppositions.txt"))]


@functools.cache
def load() -> Lexicon:
    """Return the tables that ship with the package. Making them of their files takes 15 ms, so they are kept."""
    words, exact, *others = kept(_FILES, _plain)
    return Lexicon(_each(Word._make, words), _each(Word._make, exact), *others)


def _plain() -> tuple[Any, ...]:
    """Return the fields of the tables, with tuples for words."""
    words, exact, *others = _build()
    return (_each(tuple, words), _each(tuple, exact), *others)


def _each(change: Callable[[Any], Any], words: Mapping[str, Any]) -> dict[str, Any]:
    return {form: change(word) for form, word in words.items()}


def _build() -> Lexicon:
    words: dict[str, Word] = {}
    concepts, tables = _sections("concepts.txt")["concepts"], _sections("oppositions.txt")
    for forms in map(_forms, concepts):
        for form in forms:
            words.setdefault(key_of(form), Word(forms[0]))
    _enter_oppositions(words, tables)
    exact = {form: Word("not", 0.0, -1) for row in tables["negations"] for form in _forms(row)}
    for row, value, form in _values(tables["sets"]):  # names, which no stem may confuse: git and gitee
        known = words.get(key_of(form), Word(""))
        exact |= dict.fromkeys((form, f"{form}s"), known._replace(concept=f"{row}={value}", setting=(row, value)))
    for form in (form for row in tables["stop"] for form in _forms(row)):
        known = words.get(key_of(form), Word(form))
        exact.setdefault(form, Word(form, 0.0, 1, roles=known.roles))
    for word in (form for row in tables["weak"] for form in _forms(row)):
        words[key_of(word)] = words.get(key_of(word), Word(key_of(word)))._replace(weight=_WEAK_WEIGHT)
    exact |= {form: words.pop(form) for form in list(words) if form != form.lower()}
    words |= {form: word for form, word in exact.items() if not form.isascii()}
    starts = frozenset(stem(form.split()[0]) for form in (*words, *exact) if " " in form)
    longest = max(len(form) for form in words if not form.isascii())
    return Lexicon(words, exact, starts, longest, frozenset("".join(tables["surnames"])))


def _enter_oppositions(words: dict[str, Word], tables: dict[str, list[str]]) -> None:
    for name, weight in (("poles", _POLE_WEIGHT), ("modals", 0.0)):
        for row in tables[name]:
            sides = [_forms(side) for side in row.split("|")]
            for sign, forms in zip((1, -1), sides, strict=True):
                words |= {key_of(form): Word(sides[0][0], weight, sign) for form in forms}
    for row, value, form in _values(tables["holders"]):
        words[key_of(form)] = words.get(key_of(form), Word(value))._replace(holder=(row, value))
    _give_roles(words, {role: [form for row in tables[role] for form in _forms(row)] for role in _ROLES})


def _give_roles(words: dict[str, Word], forms: dict[str, list[str]]) -> None:
    """Give each role to its forms and to every other word of their concepts."""
    roles: dict[str, set[str]] = defaultdict(set)
    for role, known_by in forms.items():
        for key in map(key_of, known_by):
            known = words.setdefault(key, Word(key, 0.0 if " " in key or not key.isascii() else 1.0))
            roles[known.concept].add(role)
    for key, word in words.items():
        if word.concept in roles:
            words[key] = word._replace(roles=frozenset(roles[word.concept]))


def _values(lines: Iterable[str]) -> Iterator[tuple[str, str, str]]:
    """Yield row, value and form of `theme: dark, 深色 | light, 浅色`; a value is named by its first form."""
    for line in lines:
        row, _, values = line.partition(": ")
        for forms in map(_forms, values.split("|")):
            yield from ((row, forms[0], form) for form in forms)


def _forms(text: str) -> list[str]:
    return [form.strip() for form in text.split(",") if form.strip()]


def _sections(name: str) -> dict[str, list[str]]:
    """Return the lines of each `[section]` of a table; `#` begins a comment."""
    sections: dict[str, list[str]] = {}
    lines: list[str] = []
    for line in Path(__file__).with_name(name).read_text(encoding="utf-8").split("\n"):
        if line.startswith("["):
            lines = sections.setdefault(line.strip("[]"), [])
        elif line.strip() and not line.startswith("#"):
            lines.append(line)
    return sections
