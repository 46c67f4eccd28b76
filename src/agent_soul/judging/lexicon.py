"""The word tables of the judge: what means the same, what excludes what, and what changes a statement's sense.

They are read by their index (`tables`), block by block, as they are asked for.
"""

from __future__ import annotations

import bisect
import functools
from pathlib import Path
from typing import NamedTuple

from agent_soul.judging.stems import key_of, stem

INDEX = Path(__file__).with_name("lexicon.index")
STEMS, PHRASES = "\tstems", "\tphrases"
"""What follows the beginning in the names of the blocks that say which form stems mean, and how long phrases are."""

OWN_SUBJECT = "*"
"""Ends the name of a setting whose values are said of nothing else."""

OF_A_PERSON = "@"
"""Ends the name of a setting of people: of one person a statement gives one value, whatever else it says."""

COPULAS = (
    frozenset({"is", "are", "was", "were", "be", "has", "have", "had", "does", "do", "did", "will"})
    | {"是", "在", "为", "有", "由", "归", "叫", "会", "将", "已经", "已", "都", "只", "也", "还", "把", "被", "从"}
    | {"一律", "统一"}
)
"""Words that stand where a verb does, or begin one."""
VALUE_CLASSES = ("being", "place", "origin", "making", "beginning")
"""Verbs of one class give the same of a thing: what it is, where it is, whence, made of what, with what at its ends."""
OF_A_FORM = frozenset({"mention", "exception", "above", "below", "measures"})
"""Roles of a form alone, which other words of its concept do not have: "looked at" mentions, `watch` does not."""
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
    """What the index of the tables says once, and its `blocks`, each a name and lines.

    `longest_cjk` is the length of the longest Chinese form; `simplified` maps characters to what they are compared by.
    """

    longest_cjk: int
    surnames: frozenset[str]
    simplified: dict[int, str]
    blocks: list[bytes]

    def holds(self, form: str) -> bool:
        return form in _block(beginning_of(form))


class _Row(NamedTuple):
    kind: str = ""
    concept: str = ""
    weight: str = ""
    sign: str = ""
    setting: str = ""
    setting_value: str = ""
    holder: str = ""
    holder_value: str = ""
    roles: str = ""
    parts: str = ""


_NO_ROW = _Row()
_NOT = Word("not", 0.0, -1)
_NO_ROLES: frozenset[str] = frozenset()


@functools.lru_cache(maxsize=65_536)
def find(form: str) -> Word | None:
    """Return the word of a lower-case form: as it is listed, or else by its stems; `taxi` is not `tax`."""
    if known := listed(form) or word(form):
        return known
    if form.endswith("ly") and _row(form[:-2]).setting:
        return listed(form[:-2])  # formally, privately
    found = (word(form[:-1]) if form.endswith("s") else None) or (_inflected(form) if form.isascii() else None)
    return None if found and "being" in found.roles else found  # a host named ares


def _inflected(form: str) -> Word | None:
    """Return the word of a form by its stems, without the roles that its listed form alone has: not `reading that`."""
    meant = _block(beginning_of(form) + STEMS).get(key_of(form))
    found = meant and (_NOT if _row(meant).kind == "negation" else word(meant))
    return found._replace(roles=found.roles - OF_A_FORM) if found else None


def entry(form: str) -> Word | None:
    """Return the word of a form that the tables hold as it stands, or None."""
    return listed(form) or word(form)


@functools.cache
def listed(form: str) -> Word | None:
    """Return the word of a form that no inflection may be confused with, or None."""
    row = _row(form)
    if row.kind == "negation":
        return _NOT
    known = word(form)
    if row.kind == "setting":
        base = known if known and (known.holder or known.roles) else Word("")
        setting = row.setting, row.setting_value
        return base._replace(concept="=".join(setting), setting=setting)
    if row.kind == "stop":
        return Word(form, 0.0, roles=known.roles if known else _NO_ROLES)
    return known if row.kind else None  # Go and Rust, not go and rust


@functools.cache
def word(form: str) -> Word | None:
    """Return the word of a form that may be inflected, or None."""
    row = _row(form)
    if not row.concept:
        return None
    return Word(
        row.concept,
        float(row.weight or 1),
        int(row.sign or 1),
        holder=(row.holder, row.holder_value) if row.holder else None,
        roles=frozenset(row.roles.split(",")) if row.roles else _NO_ROLES,
        parts=tuple(row.parts.split(",")) if row.parts else (),
    )


@functools.lru_cache(maxsize=65_536)
def longest_phrase(word: str, following: str) -> int:
    """Return the number of words of the longest phrase of the tables that begins with two lower-case words; 0 for none.

    However the words are inflected; of `built-in` the second word is `in`, whatever follows.
    """
    parts = word.split("-", 1)
    key = key_of_phrase(parts[0], parts[1] if len(parts) > 1 else following)
    return int(_block(beginning_of(key) + PHRASES).get(key, 0))


def key_of_phrase(first: str, second: str) -> str:
    """Return what the inflected forms of the first two words of a phrase share; also of two letters: PC, PCs."""
    stemmed = stem(second.partition("-")[0].removesuffix("'s"))
    return f"{stem(first)} {stemmed.removesuffix('s')}"


def beginning_of(form: str) -> str:
    """Return the beginning that names the block of a form: as many letters as it shares with its stem in any case."""
    return form[:_BEGINNING] if form[:1].isascii() else form[:1]


@functools.cache
def related(table: str) -> dict[str, frozenset[str]]:
    """Return the concepts that a table relates to each: "kinds" of a genus, "opposite acts" that undo an act."""
    return {concept: frozenset(others.split("\t")) for concept, others in _block(f"\t{table}").items()}


def _row(form: str) -> _Row:
    said = _block(beginning_of(form)).get(form)
    return _Row(*said.split("\t")) if said else _NO_ROW


@functools.cache
def _block(name: str) -> dict[str, str]:
    """Return what the lines of a block say of each form, stem or first word, which many starts never ask."""
    head, blocks = f"{name}\n".encode("utf-8", "surrogatepass"), load().blocks
    at = bisect.bisect_left(blocks, head)
    is_there = at < len(blocks) and blocks[at].startswith(head)
    return dict(line.split("\t", 1) for line in blocks[at].decode().split("\n")[1:]) if is_there else {}


@functools.cache
def load() -> Lexicon:
    """Return the index that ships with the package; `tables` makes it, and says what a line holds."""
    head, *blocks = INDEX.read_bytes().removesuffix(b"\n").split(b"\n\n")
    longest, surnames, simplified = head.decode().split("\n")
    return Lexicon(int(longest), frozenset(surnames), {ord(pair[0]): pair[1] for pair in simplified.split(" ")}, blocks)


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
