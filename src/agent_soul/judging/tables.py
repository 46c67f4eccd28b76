"""The word tables as people write them, `concepts.txt` and `oppositions.txt`, and the index that is made of them.

The judge reads the index alone (`lexicon`): to put the tables together and to stem their forms takes twenty times as
long, which each start that compares two statements would pay. `soul docs` writes the index anew.
"""

from __future__ import annotations

import itertools
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple

from agent_soul.judging.lexicon import (
    OF_A_FORM,
    PHRASES,
    POLE_WEIGHT,
    STEMS,
    VALUE_CLASSES,
    Word,
    beginning_of,
    key_of_phrase,
    sections,
)
from agent_soul.judging.stems import key_of

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
_QUOTES = ("’'", "‘'", "‐-", "‑-")
_WEAK_WEIGHT = 0.3
_PLAIN = Word("")


class Tables(NamedTuple):
    """What the tables say of each surface form.

    Forms of `concepts` may be inflected; what is in `listed` is found as it stands only: negations, settings (git and
    gitee), little words. `surnames` are characters, `simplified` pairs: a character and what it is compared by.
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
    surnames: str
    simplified: tuple[str, ...]

    def word(self, form: str) -> Word:
        """Return the word of a form that may be inflected; its concept is empty for one that may not."""
        if form not in self.concepts:
            return _PLAIN
        sense, concept = self.senses.get(form, _PLAIN), self.concepts[form]
        return sense._replace(
            concept=concept,
            weight=self.weights.get(form, sense.weight),
            holder=self.holders.get(form),
            roles=self.roles.get(concept, frozenset()) | self.form_roles.get(form, frozenset()),
            parts=self.compounds.get(form, ()),
        )

    def concept(self, form: str) -> str:
        """Return what a form is compared by where it stands for itself, as an entry of another table."""
        match self.listed.get(form):
            case "negation":
                return "not"
            case "setting":
                return "=".join(self.settings[form])
            case "stop":
                return form
        return self.concepts.get(form) or key_of(form)


def read() -> Tables:
    """Return the tables that ship with the package."""
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
    return Tables(
        concepts=concepts,
        listed=listed | {form: "name" for form in holders if form != form.lower()},
        senses=senses,
        weights=weights | weak,
        settings=settings,
        holders=holders,
        roles=roles,
        form_roles=form_roles,
        compounds=compounds,
        surnames="".join(tables["surnames"]),
        simplified=(*" ".join(tables["simplified"]).split(), *_QUOTES),
    )


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
            if role in OF_A_FORM:
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


def index() -> str:
    """Return the index of the tables: first what is there once, then blocks, sorted by their names.

    One each says what `related` does of a table. Of the forms of each beginning there are up to three: what the tables
    say of each form (the fields of a row are parted by tabs; those at the end that are empty are left out), the form
    that the stems of others mean, and the number of words of the longest phrase by the stems of its first two.
    """
    tables = read()
    blocks: dict[str, dict[str, str]] = defaultdict(dict)
    for form in dict.fromkeys(itertools.chain(tables.concepts, tables.listed)):
        word, kind, beginning = tables.word(form), tables.listed.get(form, ""), beginning_of(form)
        blocks[beginning][form] = _row(word, kind, tables.settings.get(form))
        if form.isascii() and (word.concept or kind == "negation"):
            blocks[beginning + STEMS].setdefault(key_of(form), form)
        if form.isascii() and " " in form:
            phrases, key = blocks[beginning + PHRASES], key_of_phrase(*form.replace("-", " ").split(" ", 2)[:2])
            phrases[key] = str(max(int(phrases.get(key, 0)), form.count(" ") + 1))
    for name, table in (("kinds", _kinds(tables)), ("opposite acts", _opposite_acts(tables))):
        blocks[f"\t{name}"] = {concept: "\t".join(sorted(others)) for concept, others in sorted(table.items())}
    longest = max(len(form) for form in tables.concepts if not form.isascii())
    head = "\n".join((str(longest), tables.surnames, " ".join(tables.simplified)))
    made = ("\n".join((name, *map("\t".join, rows.items()))) for name, rows in blocks.items())
    return "\n\n".join((head, *sorted(made, key=str.encode))) + "\n"  # as `bisect` compares them


def _kinds(tables: Tables) -> dict[str, set[str]]:
    """Return the concepts of the kinds of each genus; a row may name another genus, whose kinds are its own then."""
    rows = dict(line.split(": ", 1) for line in sections("oppositions.txt")["kinds"])
    listed = {genus: _forms(kinds) for genus, kinds in rows.items()}
    return {
        tables.concept(genus): {tables.concept(each) for kind in kinds for each in (kind, *listed.get(kind, ()))}
        for genus, kinds in listed.items()
    }


def _opposite_acts(tables: Tables) -> dict[str, set[str]]:
    """Return, for each concept of the table, those that undo it."""
    undone_by: dict[str, set[str]] = defaultdict(set)
    for row in sections("oppositions.txt")["opposite acts"]:
        sides = [{tables.concept(form) for form in _forms(side)} for side in row.split(" | ")]
        for side, others in (sides, sides[::-1]):
            for concept in side:
                undone_by[concept] |= others
    return undone_by


def _row(word: Word, kind: str, setting: tuple[str, str] | None) -> str:
    """Return what a line of the index says of a form."""
    fields = (
        kind,
        word.concept,
        "" if word.weight == 1 else str(word.weight),
        "" if word.sign == 1 else str(word.sign),
        *(setting or ("", "")),
        *(word.holder or ("", "")),
        ",".join(sorted(word.roles)),
        ",".join(word.parts),
    )
    return "\t".join(fields).rstrip("\t")
