"""English words without their endings, so that "deployed" finds "deploys".

The algorithm is M. F. Porter's, "An algorithm for suffix stripping", Program 14 (1980), after a table of irregular
forms. `snowballstemmer` does the same, but imports its stemmers of all languages: longer than a whole search may take.
"""

from __future__ import annotations

import functools
import re

_IRREGULAR = """
arise arose arisen, awake awoke awoken, beat beaten, become became, begin began begun, bend bent, bite bit bitten,
blow blew blown, break broke broken, bring brought, build built, burn burnt, buy bought, catch caught, child children,
choose chose chosen, come came, creep crept, deal dealt, dig dug, do did done does, draw drew drawn, dream dreamt,
drink drank drunk, drive drove driven, eat ate eaten, fall fell fallen, feed fed, feel felt, fight fought, find found,
flee fled, fly flew flown, foot feet, forbid forbade forbidden, forget forgot forgotten, forgive forgave forgiven,
freeze froze frozen, get got gotten, give gave given, go went gone goes, grow grew grown, hang hung, have has had,
hear heard, hide hid hidden, hold held, keep kept, know knew known, lay laid, lead led, learn learnt, leave left,
lend lent, life lives, lose lost, make made, man men, mean meant, meet met, mouse mice, pay paid, person people,
ride rode ridden, ring rang rung, rise rose risen, run ran, say said, see saw seen, seek sought, sell sold, send sent,
shake shook shaken, shine shone, shoot shot, show shown, shrink shrank shrunk, sing sang sung, sink sank sunk, sit sat,
sleep slept, slide slid, speak spoke spoken, spend spent, spin spun, stand stood, steal stole stolen, stick stuck,
strike struck, swear swore sworn, sweep swept, swim swam swum, swing swung, take took taken, teach taught, tear tore
torn, tell told, think thought, throw threw thrown, tooth teeth, understand understood, wake woke woken, wear wore worn,
weave wove woven, wife wives, win won, woman women, write wrote written
"""
_BASE = {form: forms.split()[0] for forms in _IRREGULAR.split(",") for form in forms.split()[1:]}

_VOWELS = "aeiou"
_ENGLISH = re.compile(r"[a-z]{3,}")
# Steps 2 and 3 of the paper: an ending, and what takes its place where a syllable is left before it. The first that
# fits decides, so a longer ending stands before the shorter one that it ends in.
_STEP_2 = (
    ("ational", "ate"), ("tional", "tion"), ("enci", "ence"), ("anci", "ance"), ("izer", "ize"), ("bli", "ble"),
    ("alli", "al"), ("entli", "ent"), ("eli", "e"), ("ousli", "ous"), ("ization", "ize"), ("ation", "ate"),
    ("ator", "ate"), ("alism", "al"), ("iveness", "ive"), ("fulness", "ful"), ("ousness", "ous"), ("aliti", "al"),
    ("iviti", "ive"), ("biliti", "ble"), ("logi", "log"),
)  # fmt: skip
_STEP_3 = (
    ("icate", "ic"), ("ative", ""), ("alize", "al"), ("iciti", "ic"), ("ical", "ic"), ("ful", ""), ("ness", ""),
)  # fmt: skip
_STEP_4 = (
    "al", "ance", "ence", "er", "ic", "able", "ible", "ant", "ement", "ment", "ent", "sion", "tion", "ou", "ism", "ate",
    "iti", "ous", "ive", "ize",
)  # fmt: skip


@functools.lru_cache(maxsize=1 << 16)
def stem(word: str) -> str:
    """Return the stem of a folded word. Words that are not plain a to z, or shorter than three letters, stay."""
    if not _ENGLISH.fullmatch(word):
        return word
    word = _BASE.get(word, word)
    word = _without_participle(_without_plural(word))
    # As in his later Porter2 a y after a vowel stays, or "deploys" would be another word than "deployment".
    if word.endswith("y") and _has_vowel(word[:-1]) and word[-2] not in _VOWELS:
        word = word[:-1] + "i"
    word = _exchange(_exchange(word, _STEP_2), _STEP_3)
    return _tidy_end(_without_suffix(word))


def _without_plural(word: str) -> str:
    """Step 1a."""
    if word.endswith(("sses", "ies")):
        return word[:-2]
    return word[:-1] if word.endswith("s") and not word.endswith("ss") else word


def _without_participle(word: str) -> str:
    """Step 1b."""
    if word.endswith("eed"):
        return word[:-1] if _measure(word[:-3]) > 0 else word
    ending = next((ending for ending in ("ed", "ing") if word.endswith(ending)), "")
    rest = word[: len(word) - len(ending)]
    if not ending or not _has_vowel(rest):
        return word
    if rest.endswith(("at", "bl", "iz")):
        return rest + "e"
    if _ends_doubled(rest) and rest[-1] not in "lsz":
        return rest[:-1]
    return rest + "e" if _measure(rest) == 1 and _ends_short(rest) else rest


def _exchange(word: str, endings: tuple[tuple[str, str], ...]) -> str:
    for ending, other in endings:
        if word.endswith(ending):
            rest = word[: -len(ending)]
            return rest + other if _measure(rest) > 0 else word
    return word


def _without_suffix(word: str) -> str:
    """Step 4."""
    for ending in _STEP_4:
        if word.endswith(ending):
            rest = word[: 3 - len(ending) - 2] if ending in ("sion", "tion") else word[: -len(ending)]
            return rest if _measure(rest) > 1 else word
    return word


def _tidy_end(word: str) -> str:
    """Step 5."""
    if word.endswith("e"):
        rest = word[:-1]
        if _measure(rest) > 1 or (_measure(rest) == 1 and not _ends_short(rest)):
            word = rest
    return word[:-1] if word.endswith("ll") and _measure(word[:-1]) > 1 else word


def _shape(word: str) -> str:
    """Return the word with v for each vowel and c for each consonant; a y is a vowel after a consonant."""
    shape = ""
    for letter in word:
        is_vowel = letter in _VOWELS or (letter == "y" and shape.endswith("c"))
        shape += "v" if is_vowel else "c"
    return shape


def _measure(word: str) -> int:
    """Return how often a vowel is followed by a consonant: the paper's m."""
    return _shape(word).count("vc")


def _has_vowel(word: str) -> bool:
    return "v" in _shape(word)


def _ends_doubled(word: str) -> bool:
    return len(word) > 1 and word[-1] == word[-2] and _shape(word).endswith("c")


def _ends_short(word: str) -> bool:
    """Tell whether it ends consonant, vowel, consonant other than w, x and y: the paper's *o."""
    return _shape(word).endswith("cvc") and word[-1] not in "wxy"
