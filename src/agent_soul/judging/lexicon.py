"""The word tables of the judge: what means the same, what excludes what, and what changes a statement's sense."""

from __future__ import annotations

import functools
import itertools
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

from agent_soul.judging.stems import key_of, stem

OWN_SUBJECT = "*"
"""Ends the name of a setting whose values are said of nothing else."""

OF_A_PERSON = "@"
"""Ends the name of a setting of people: of one person a statement gives one value, whatever else it says."""

VALUE_CLASSES = ("being", "place", "origin", "making", "beginning")
"""Verbs of one class give the same of a thing: what it is, where it is, whence, made of what, with what at its ends."""
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
    "measures",
)
_OF_A_FORM = frozenset({"mention", "exception", "above", "below", "measures"})
"""Roles of a form alone, which other words of its concept do not have: "looked at" mentions, `watch` does not."""
_QUOTES = {ord("’"): "'", ord("‘"): "'", ord("‐"): "-", ord("‑"): "-"}
_WEAK_WEIGHT = 0.3
POLE_WEIGHT = 0.5
_BEGINNING = 2
"""Letters that a word and its stem share in any case."""


class Word(NamedTuple):
    """What the tables say of a word or phrase.

    `concept` is what texts are compared by; `weight` how much it says of a topic, from 0. `sign` is -1 where it turns
    the sense of its clause. `setting` and `holder` are a row and the value of that row, or None. `parts` are the words
    that a compound stands for: 夜班 is a night shift.
    """

    concept: str
    weight: float = 1.0
    sign: int = 1
    setting: tuple[str, str] | None = None
    holder: tuple[str, str] | None = None
    roles: frozenset[str] = frozenset()
    parts: tuple[str, ...] = ()


class Lexicon(NamedTuple):
    """What the tables say of each surface form; `word` puts it together for those that are asked for.

    Forms of `concepts` may be inflected; what is in `listed` is found as it stands only: negations, settings (git and
    gitee), little words. `by_beginning` holds the English forms of `concepts` by their first letters; `longest_cjk` is
    the length of the longest Chinese form; `simplified` maps characters to what they are compared by.
    """

    concepts: dict[str, str]
    listed: dict[str, str]
    senses: dict[str, Word]
    weights: dict[str, float]
    settings: dict[str, tuple[str, str]]
    holders: dict[str, tuple[str, str]]
    roles: dict[str, frozenset[str]]
    form_roles: dict[str, frozenset[str]]
    compounds: dict[str, tuple[str, ...]]
    by_beginning: dict[str, list[str]]
    longest_cjk: int
    surnames: frozenset[str]
    simplified: dict[int, str]

    def holds(self, form: str) -> bool:
        return form in self.listed or form in self.concepts


_PLAIN = Word("")
_NO_ROLES: frozenset[str] = frozenset()
_NOT = Word("not", 0.0, -1)


@functools.lru_cache(maxsize=65_536)
def find(form: str) -> Word | None:
    """Return the word of a lower-case form: as it is listed, or else by its stems; `taxi` is not `tax`."""
    if known := listed(form) or word(form):
        return known
    if form.endswith("ly") and form[:-2] in load().settings:
        return listed(form[:-2])  # formally, privately
    found = (word(form[:-1]) if form.endswith("s") else None) or (_inflected(form) if form.isascii() else None)
    return None if found and "being" in found.roles else found  # a host named ares


def _inflected(form: str) -> Word | None:
    """Return the word of a form by its stems, without the roles that its listed form alone has: not `reading that`."""
    found = _stemmed(form[:_BEGINNING]).get(key_of(form))
    return found._replace(roles=found.roles - _OF_A_FORM) if found else None


def entry(form: str) -> Word | None:
    """Return the word of a form that the tables hold as it stands, or None."""
    return listed(form) or word(form)


@functools.cache
def listed(form: str) -> Word | None:
    """Return the word of a form that no inflection may be confused with, or None."""
    lexicon = load()
    kind = lexicon.listed.get(form)
    if kind == "negation":
        return _NOT
    if kind == "setting":
        row, value = setting = lexicon.settings[form]
        known = word(form)
        base = known if known and (known.holder or known.roles) else _PLAIN
        return base._replace(concept=f"{row}={value}", setting=setting)
    if kind == "stop":
        known = word(form)
        return Word(form, 0.0, roles=known.roles if known else frozenset())
    return word(form) if kind else None  # Go and Rust, not go and rust


@functools.cache
def word(form: str) -> Word | None:
    """Return the word of a form that may be inflected, or None."""
    lexicon = load()
    concept = lexicon.concepts.get(form)
    if concept is None:
        return None
    return lexicon.senses.get(form, _PLAIN)._replace(
        concept=concept,
        weight=lexicon.weights.get(form, lexicon.senses.get(form, _PLAIN).weight),
        holder=lexicon.holders.get(form),
        roles=lexicon.roles.get(concept, _NO_ROLES) | lexicon.form_roles.get(form, _NO_ROLES),
        parts=lexicon.compounds.get(form, ()),
    )


@functools.cache
def _stemmed(beginning: str) -> dict[str, Word]:
    """Return the words whose forms begin so by their stems, which a start that never asks for them need not find."""
    stems: dict[str, Word] = {}
    for form in load().by_beginning.get(beginning, ()):
        if known := _NOT if load().listed.get(form) == "negation" else word(form):
            stems.setdefault(key_of(form), known)
    return stems


@functools.lru_cache(maxsize=65_536)
def longest_phrase(word: str, following: str) -> int:
    """Return the number of words of the longest phrase of the tables that begins with two lower-case words; 0 for none.

    However the words are inflected; of `built-in` the second word is `in`, whatever follows.
    """
    parts = word.split("-", 1)
    first, second = stem(parts[0]), _second(parts[1] if len(parts) > 1 else following)
    beginning = first[:_BEGINNING] if len(first) >= _BEGINNING else f"{first} "  # a nuisance
    return _phrases(beginning).get((first, second), 0)


@functools.cache
def _phrases(beginning: str) -> dict[tuple[str, str], int]:
    longest: dict[tuple[str, str], int] = {}
    for form in load().by_beginning.get(beginning, ()):
        if " " in form:
            first, second = form.replace("-", " ").split(" ", 2)[:2]
            key = stem(first), _second(second)
            longest[key] = max(longest.get(key, 0), form.count(" ") + 1)
    return longest


def _second(word: str) -> str:
    """Return what the inflected forms of the second word of a phrase share; also of two letters: PC, PCs."""
    return stem(word.partition("-")[0].removesuffix("'s")).removesuffix("s")


@functools.cache
def load() -> Lexicon:
    """Return the tables that ship with the package. Each start that judges two texts pays for it, some 10 ms."""
    rows, tables = sections("concepts.txt"), sections("oppositions.txt")
    compounds = {form: tuple(forms[0].split()) for forms in map(_forms, rows.pop("compounds")) for form in forms[1:]}
    senses = _senses(tables)
    weak = dict.fromkeys(_all_forms(tables["weak"]), _WEAK_WEIGHT)
    holders = {form: (row, value) for row, value, form in _values(tables["holders"])}
    settings = {form: (row, value) for row, value, form in _values(tables["sets"])}
    concepts = {form: sense.concept for form, sense in senses.items()}
    for forms in map(_forms, itertools.chain.from_iterable(rows.values())):
        for form in forms:
            concepts.setdefault(form, forms[0])  # a form belongs to the first row that has it
    concepts |= {form: " ".join(parts) for form, parts in compounds.items() if form not in concepts}
    concepts |= {form: form for form in weak if form not in concepts}
    concepts |= {form: value for form, (_, value) in holders.items() if form not in concepts}
    roles, form_roles, weights = _roles(concepts, tables)
    plurals = ((f"{form}s", setting) for form, setting in settings.items())
    settings = {form: setting for form, setting in plurals if form not in concepts} | settings  # a canvas, no Canva
    listed = dict.fromkeys(_all_forms(tables["stop"]), "stop")
    listed |= dict.fromkeys(_all_forms(tables["negations"]), "negation") | dict.fromkeys(settings, "setting")
    return Lexicon(
        concepts=concepts,
        listed=listed | {form: "name" for form in holders if form != form.lower()},
        senses=senses,
        weights=weights | weak,
        settings=settings,
        holders=holders,
        roles=roles,
        form_roles=form_roles,
        compounds=compounds,
        by_beginning=_by_beginning(itertools.chain(concepts, listed)),
        longest_cjk=max(map(len, itertools.filterfalse(str.isascii, concepts))),
        surnames=frozenset("".join(tables["surnames"])),
        simplified={ord(pair[0]): pair[1] for pair in " ".join(tables["simplified"]).split()} | _QUOTES,
    )


def _by_beginning(forms: Iterable[str]) -> dict[str, list[str]]:
    beginnings: dict[str, list[str]] = defaultdict(list)
    for form in filter(str.isascii, forms):
        beginnings[form[:_BEGINNING]].append(form)
    return dict(beginnings)


def _senses(tables: Mapping[str, list[str]]) -> dict[str, Word]:
    """Return the forms of the poles, states and modals."""
    words: dict[str, Word] = {}
    for name, weight in (("poles", POLE_WEIGHT), ("states", POLE_WEIGHT), ("modals", 0.0)):
        for row in tables[name]:
            sides = [_forms(side) for side in row.split(" | ")]
            for sign, forms in zip((1, -1), sides, strict=True):
                words |= dict.fromkeys(forms, Word(sides[0][0], weight, sign))
    return words


def _roles(
    concepts: dict[str, str], tables: Mapping[str, list[str]]
) -> tuple[dict[str, frozenset[str]], dict[str, frozenset[str]], dict[str, float]]:
    """Return the roles of concepts, those of forms, and the weights of forms that are only here, which are entered."""
    roles: dict[str, set[str]] = defaultdict(set)
    form_roles: dict[str, set[str]] = defaultdict(set)
    weights: dict[str, float] = {}
    for row in tables["states"]:
        roles[_forms(row.split(" | ")[0])[0]].add("state")
    for role in _ROLES:
        for form in _all_forms(tables[role]):
            if form not in concepts:
                concepts[form] = key_of(form)
                weights[form] = 0.0 if " " in form or not form.isascii() else 1.0
            if role in _OF_A_FORM:
                form_roles[form].add(role)
            else:
                roles[concepts[form]].add(role)
    return _frozen(roles), _frozen(form_roles), weights


def _frozen(roles: Mapping[str, set[str]]) -> dict[str, frozenset[str]]:
    return {known_by: frozenset(names) for known_by, names in roles.items()}


def _all_forms(rows: Iterable[str]) -> Iterator[str]:
    return itertools.chain.from_iterable(map(_forms, rows))


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
