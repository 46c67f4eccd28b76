"""Rules that find a duplicate: nothing that matters differs, and nearly all agrees."""

from __future__ import annotations

import functools
import math
import re

from agent_soul.judging.antonyms import opposite_acts
from agent_soul.judging.apart import A_THING
from agent_soul.judging.certainty import are_told_apart, may_be_merged
from agent_soul.judging.clauses import Clause
from agent_soul.judging.crossing import are_crossed
from agent_soul.judging.frames import Frame, is_thing
from agent_soul.judging.lexicon import POLE_WEIGHT
from agent_soul.judging.pairs import Judgement, Label, Pair, shared_weight
from agent_soul.judging.pieces import Token
from agent_soul.text import compare_key

NEARLY_THE_SAME = "says nearly the same"
"""Much is in common and nothing is seen to differ: a suggestion for a person, never merged unasked."""
_FORM = re.compile(r"[\W_](?<![-+#.%/:])|[-+#.%/:](?![^\W_])")
"""What is form alone: punctuation, but for what stands before a letter or digit and may change it (`.env`, `-1`)."""
LEAST_ALIKE = 0.55
"""Share in common from which two statements say the same ..."""
_SHORT_SAME = 0.75
"""... or short ones, of which less than `_SHORT` agrees: a single word is much of them."""
_SHORT = 3.0
_CONTAINED = 0.85
"""Share of a statement that a longer one must hold to be it with an addition."""
_NAMES_CONTAINED = 0.7
_SAME_BUT_ONE = 0.74
_LESS_CERTAIN = 0.08
"""More of it where the thesaurus alone joins some of the words that agree."""
_ONE_THING = 1.0
_TWO_SHARED = 1.7
_LONG = 4.0
_TWO_THINGS = 2.5
NEARLY = 0.45
"""... or nearly the same, if they are sentences."""
_SAID_OF_IT = 1.4
_HALF = 0.5
_MORE_THAN_A_WORD = 1.2
_FEW_THINGS = 3.0
_MORE_THINGS = 3.0
_LITTLE = 0.5
_TWO_CHARACTERS = 0.9
_END = Token("")
_PRONOUNS = frozenset({"he", "she", "they", "it", "him", "her", "them", "there", "他", "她", "它", "他们", "这样"})
_UNTRANSLATED = 0.5
"""What a word that no table knows counts as missing in a statement of another language."""


def same_words(pair: Pair) -> Judgement | None:
    """The same letters and digits: case, width, blanks and punctuation aside."""
    first, second = (_letters(each.text) for each in (pair.one, pair.other))
    return Judgement(Label.DUPLICATE, "same words") if first == second else None


@functools.lru_cache(maxsize=8192)
def _letters(text: str) -> str:
    return _FORM.sub("", compare_key(text))


def says_the_same(pair: Pair) -> Judgement | None:
    """Nearly all in common, and no number, name, sense or thing that differs."""
    one, other = pair.frames
    names = other_names(one, other)
    if any(pair.left_over) or all(names) or (any(names) and pair.contained < _NAMES_CONTAINED):
        return None
    if not _are_of_one_sense(pair) or are_crossed(one, other) or _contradict(one, other) or are_told_apart(pair):
        return None
    left = sorted((_things_left(pair, one, other), _things_left(pair, other, one)))
    if pair.only_one("additive") and any(left) and pair.shared < _SHORT:
        return None  # what comes on top of something else is something else
    if left[0] < (A_THING if pair.shared < _LONG else _TWO_THINGS):
        is_longer_by_one = left[1] <= _ONE_THING and pair.contained >= _SHORT_SAME
        is_within = (is_longer_by_one or pair.contained >= _CONTAINED) and not pair.is_aligned
        is_plain = not left[1] or pair.agreed or pair.shared >= _SHORT or is_within
        enough = LEAST_ALIKE if is_plain else _SHORT_SAME + _LESS_CERTAIN * pair.is_aligned
    elif (
        left[1] <= _ONE_THING and pair.shared >= _TWO_SHARED
    ):  # in each one word that the other lacks: where so much agrees, of one meaning
        enough = LEAST_ALIKE if pair.agreed else _SAME_BUT_ONE + _LESS_CERTAIN * pair.is_aligned
    else:
        return None
    if pair.alike >= enough:
        rule = "says the same" if may_be_merged(pair) else NEARLY_THE_SAME
        return Judgement(Label.DUPLICATE, rule, (f"{pair.alike:.0%} in common",))
    return None


def says_nearly_the_same(pair: Pair) -> Judgement | None:
    """Much in common beyond the subject: what two statements do not share may be said in words that no table joins."""
    one, other = pair.frames
    if any(pair.left_over) or any(other_names(one, other)) or not _are_of_one_sense(pair) or are_told_apart(pair):
        return None
    if _contradict(one, other) or are_crossed(one, other) or _are_about_others(one, other) or pair.only_one("additive"):
        return None
    left = sorted((_things_left(pair, one, other), _things_left(pair, other, one)))
    is_near = pair.alike >= NEARLY and (pair.predicate >= _SAID_OF_IT or pair.is_bilingual or _is_reworded(pair))
    if not pair.are_sentences or not is_near or left[0] > _FEW_THINGS or left[1] > _MORE_THINGS:
        return None
    return Judgement(Label.DUPLICATE, NEARLY_THE_SAME, (f"{pair.alike:.0%} in common",))


def _is_reworded(pair: Pair) -> bool:
    """Tell whether half is in common though the build is another; in one build a word that differs is another thing."""
    is_other_build = min(pair.alike, 1 - pair.alignment[0]) >= _HALF
    return is_other_build and pair.said_of_things >= A_THING and pair.shared >= _MORE_THAN_A_WORD


def _may_be_given(token: Token) -> bool:
    return token.weight >= A_THING and is_thing(token)


def _are_about_others(one: Frame, other: Frame) -> bool:
    """Tell whether each has a subject that the other does not speak of: answers, and the weekly report."""
    subjects = [{token.concept for token in each.subject if _may_be_given(token)} for each in (one, other)]
    return all(subjects) and subjects[0].isdisjoint(other.weights) and subjects[1].isdisjoint(one.weights)


def other_names(one: Frame, other: Frame) -> tuple[frozenset[str], frozenset[str]]:
    """Return the names of each that the other one lacks."""
    first, second = (
        frozenset(a.names.keys() - b.weights.keys() - b.names.keys()) for a, b in ((one, other), (other, one))
    )
    return first, second


def _are_of_one_sense(pair: Pair) -> bool:
    return pair.is_gated or sense(pair, 0) == sense(pair, 1)


def _give_other_settings(one: Frame, other: Frame) -> bool:
    """Tell whether each gives a value that the other lacks, if of another setting: written to Kafka, to Fly.io."""
    return all(_settings(a) - b.weights.keys() for a, b in ((one, other), (other, one)))


def _contradict(one: Frame, other: Frame) -> bool:
    return _give_other_settings(one, other) or bool(opposite_acts(one, other))


def _settings(frame: Frame) -> frozenset[str]:
    """Return the values of settings, and the languages that things are written in."""
    words = [token.word for clause in frame.clauses for token in clause.tokens if token.word]
    languages = {word.concept for word in words if word.holder and word.holder[0] == "language"}
    return frozenset(languages).union(f"{row}={value}" for row, values in frame.settings.items() for value in values)


def sense(pair: Pair, at: int) -> int:
    """Return the product of the signs of the clauses that say of their subject what the other statement speaks of."""
    one, other = pair.frames[at], pair.frames[1 - at]
    told = [clause for clause in pair.clauses[at] if not clause.is_reason]
    of_things = [c for c in told if any(_tells(token, other) for token in c.tokens)]  # not "and avoids it"
    signs = [clause.sign for clause in of_things or told if _speaks_of(clause, one, other)]
    if -1 not in signs:
        signs += [clause.sign for clause in told if _likes_it(clause, other)]
    return math.prod(signs)


def _tells(token: Token, other: Frame) -> bool:
    """Tell whether a token is a thing, or an act of which the other statement speaks too; a state says it again."""
    is_state = token.has("state")
    return is_thing(token) or (token.weight >= A_THING and token.concept in other.weights and not is_state)


def _speaks_of(clause: Clause, frame: Frame, other: Frame) -> bool:
    subject = {token.concept for token in frame.subject}
    said = [token for token in clause.tokens if token.concept not in subject]
    weights = {t.concept: t.weight for t in said} if any(map(is_thing, said)) else clause.weights
    return (
        _likes_it(clause, other)
        or shared_weight({c: w for c, w in weights.items() if c != "like"}, other.weights) >= _LITTLE
    )


def _likes_it(clause: Clause, other: Frame) -> bool:
    """Tell whether a clause says of what was named before that it is liked or not: `he hates going there`."""
    words = (token.surface.lower() for token in clause.tokens)
    return "like" in clause.weights and "like" in other.weights and not _PRONOUNS.isdisjoint(words)


def _things_left(pair: Pair, one: Frame, other: Frame) -> float:
    """Return the weight of what one statement is about and the other does not hold; characters count together."""
    total = run = 0.0
    for token in (token for clause in one.clauses if not clause.is_reason for token in (*clause.tokens, _END)):
        is_left = token.weight and token.concept not in other.weights
        run = run + token.weight if is_left and token.weight < A_THING and not token.word else 0.0
        if is_left and ((is_thing(token) and token.weight >= A_THING) or _is_pole(token)):
            may_be_there = pair.is_bilingual and token.concept in one.unknown
            total += max(token.weight, A_THING) * (_UNTRANSLATED if may_be_there else 1.0)
        total += bool(is_left and _is_little_thing(token)) + (A_THING if run == _TWO_CHARACTERS else 0.0)
    return total


def _is_pole(token: Token) -> bool:
    """Tell whether a token says on which of two sides a thing is, encrypted or active; what one likes is left open."""
    return bool(token.word and token.weight == POLE_WEIGHT and token.concept != "like")


def _is_little_thing(token: Token) -> bool:
    """Tell whether a word that half of all statements hold, such as `version`, is yet what this one is about."""
    return token.has("little things")
