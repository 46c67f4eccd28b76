"""What inflected forms of an English word share. Pure."""

from __future__ import annotations

import functools

_SUFFIXES = {
    "y": ("ly", "y"),
    "s": ("ments", "ings", "ies", "es", "s"),
    "t": ("ment",),
    "g": ("ing",),
    "d": ("ied", "ed"),
    "e": ("e",),
}
"""By the last letter, the longest first: a start of the program stems thousands of words."""
_VERBS = (
    "begin began begun|bear bore borne|become became|break broke broken|bring brought|build built|buy bought",
    "catch caught|choose chose chosen|come came|deal dealt|do did done does|draw drew drawn|drink drank drunk",
    "drive drove driven|eat ate eaten|fall fell fallen|feel felt|find found|fly flew flown",
    "forbid forbade forbidden|forget forgot forgotten|freeze froze frozen|get got gotten|give gave given",
    "go went gone goes|grow grew grown|hang hung|have has had|hear heard|hide hid hidden|hold held|keep kept",
    "know knew known|lay laid|lead led|leave left|lend lent|lie lain lies|lose lost|make made|mean meant",
    "meet met|pay paid|ride rode ridden|ring rang rung|rise rose risen|run ran|say said|see saw seen|sell sold",
    "send sent|show shown|sit sat|sleep slept|speak spoke spoken|spend spent|stand stood|steal stole stolen",
    "swim swam|take took taken|teach taught|tell told|think thought|throw threw thrown|understand understood",
    "wake woke woken|wear wore worn|win won|write wrote written",
)
IRREGULAR = {
    form: verb for row in _VERBS for each in row.split("|") for verb, *forms in [each.split(" ")] for form in forms
}
"""Verbs by those of their forms that no rule of endings finds."""
_VOWELS = frozenset("aeiouy")
_SHORTEST_STEM = 3


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
