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
"""Classes of verbs that each give one thing's value of one kind: what it is, where it is, where it is from, how it is made."""
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
    """Surface form to word: in `words` by the form as listed and by its stems, in `exact` what is found as it stands only.

    `starts` are the stems that longer phrases begin with; `simplified` maps characters to what they are compared by.
    """

    words: dict[str, Word]
    exact: dict[str, Word]
    starts: frozenset[str]
    longest_cjk: int
    surnames: frozenset[str]
    simplified: dict[int, str]

    def find(self, form: str) -> Word | None:
        """Return the word of a lower-case form: as it is listed, or else by its stems; `taxi` is not `tax`."""
        listed = self.exact.get(form) or self.words.get(form)
        return listed or self.words.get(form.removesuffix("s")) or self.words.get(key_of(form))


@functools.cache
def stem(word: str) -> str:
    """Return the part of a lower-case English word that its inflected forms share: `caches`, `caching` give `cach`."""
    if not (word.isascii() and word.isalpha()) or len(word) <= _SHORTEST_STEM or word == "they":
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
    """Return the stems of a surface form, joined by blanks; a form with a capital or of Chinese is its own key."""
    if form.isalpha():
        return stem(form) if form.isascii() and form.islower() else form
    if not form.isascii() or form != form.lower():
        return form
    return " ".join(map(stem, form.replace("-", " ").split()))


@functools.cache
def load() -> Lexicon:
    """Return the tables that ship with the package."""
    concepts, tables = _sections("concepts.txt"), _sections("oppositions.txt")
    words = _with_senses(tables)
    for row in itertools.chain.from_iterable(concepts.values()):
        forms = _forms(row)
        word = Word(forms[0])
        for form in forms:
            words.setdefault(form, word)
    weak = [form for row in tables["weak"] for form in _forms(row)]
    for form in weak:
        words.setdefault(form, Word(form))
    for form, word in tuple(words.items()):  # the forms first: one that is listed is no other word's stem
        words.setdefault(key_of(form), word)
    for row, value, form in _values(tables["holders"]):
        _enter(words, form, Word(value), holder=(row, value))
    _give_roles(words, {role: [form for row in tables[role] for form in _forms(row)] for role in _ROLES})
    for form in weak:
        _enter(words, form, Word(form), weight=_WEAK_WEIGHT)
    exact = _exact(words, tables)
    exact |= {form: words.pop(form) for form in list(words) if form != form.lower()}
    words |= {form: word for form, word in exact.items() if not form.isascii()}
    starts = frozenset(stem(form.split(None, 1)[0]) for form in (*words, *exact) if " " in form)
    longest = max(len(form) for form in words if not form.isascii())
    simplified = {ord(pair[0]): pair[1] for pair in " ".join(tables["simplified"]).split()}
    surnames = frozenset("".join(tables["surnames"]))
    return Lexicon(words, exact, starts, longest, surnames, simplified | _QUOTES)


def _with_senses(tables: Mapping[str, list[str]]) -> dict[str, Word]:
    """Return the forms of the poles and modals."""
    words: dict[str, Word] = {}
    for name, weight in (("poles", _POLE_WEIGHT), ("modals", 0.0)):
        for row in tables[name]:
            sides = [_forms(side) for side in row.split("|")]
            for sign, forms in zip((1, -1), sides, strict=True):
                words |= dict.fromkeys(forms, Word(sides[0][0], weight, sign))
    return words


def _exact(words: Mapping[str, Word], tables: Mapping[str, list[str]]) -> dict[str, Word]:
    """Return what no stem may confuse: negations, the names of settings (git and gitee), little words."""
    exact = {form: Word("not", 0.0, -1) for row in tables["negations"] for form in _forms(row)}
    for row, value, form in _values(tables["sets"]):
        known = words.get(form) or words.get(key_of(form)) or Word("")
        exact |= dict.fromkeys((form, f"{form}s"), known._replace(concept=f"{row}={value}", setting=(row, value)))
    for form in (form for row in tables["stop"] for form in _forms(row)):
        known = words.get(form) or words.get(key_of(form)) or Word(form)
        exact.setdefault(form, Word(form, 0.0, 1, roles=known.roles))
    return exact


def _enter(words: dict[str, Word], form: str, default: Word, **fields: Any) -> None:
    """Change the word of a form, as listed and as a stem, or enter it."""
    known = words.get(form) or words.get(key_of(form)) or default
    for key in {form, key_of(form)}:
        if words.get(key, known).concept == known.concept:
            words[key] = known._replace(**fields)


def _give_roles(words: dict[str, Word], forms: dict[str, list[str]]) -> None:
    """Give each role to its forms and to every other word of their concepts."""
    roles: dict[str, set[str]] = defaultdict(set)
    for role, known_by in forms.items():
        for form in known_by:
            key = form if form in words else key_of(form)
            known = words.setdefault(key, Word(key, 0.0 if " " in key or not key.isascii() else 1.0))
            roles[known.concept].add(role)
    shared = {concept: frozenset(names) for concept, names in roles.items()}
    for key, word in words.items():
        if word.concept in shared:
            words[key] = word._replace(roles=shared[word.concept])


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
