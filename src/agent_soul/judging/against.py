"""Rules that find a contradiction: a number, value or sense that differs where all else agrees."""

from __future__ import annotations

import itertools
from collections.abc import Iterable

from agent_soul.judging.apart import A_THING
from agent_soul.judging.cases import is_of_a_case
from agent_soul.judging.frames import Frame, is_thing
from agent_soul.judging.lexicon import OF_A_PERSON, OWN_SUBJECT, VALUE_CLASSES
from agent_soul.judging.ordering import are_turned
from agent_soul.judging.pairs import Judgement, Label, Pair, listed, shared_weight
from agent_soul.judging.quantities import Quantity
from agent_soul.judging.senses import DIFFERING_SENSE, OPINION_TOPIC
from agent_soul.judging.values import ANY_VERB, PLACE

# How much of the smaller statement must agree before a difference counts; a name or unit of its own asks for less.
_VERSION_TOPIC = 0.28
_NUMBER_TOPIC = 0.35
_BARE_NUMBER_TOPIC = 0.42
_GIVEN_UP_TOPIC = 0.2
_EXCLUDED_TOPIC = 0.45
_SETTING_TOPIC = 0.34
_LONG_SETTING_TOPIC = 0.25
_ATTRIBUTE_TOPIC = 0.6
"""... where the values stand before different things."""
_LEAST_SUBJECT = 0.3
"""Weight of the user: a statement may say nothing but whose setting it gives."""
_VALUE_TOPIC = 0.55
_VALUE_TOPIC_OF_VERBS = 0.75
"""... where two verbs give the names that differ: translated in X, managed with Y."""
_LONG_SHARED = 2.0
"""Weight in common from which two long statements are on one subject although much else is said."""
_ADDRESSING = "addressed as"
"""Only the user is called by a name here."""
_VALUED_THINGS = 0.5
_PLACED_THINGS = 0.6
_LEAST_PLACED = 0.9
_LEAST_VALUED = 2.0
"""A name is a value of something only if this much is said of that."""
_CLAUSE = 0.55
"""Share of the smaller one that two clauses have in common when one may deny the other, and the weight of it."""
_ORDERED_TOPIC = 0.45


def may_contradict(pair: Pair) -> bool:
    """Tell whether any rule of this module could find something: what each needs, in the order of the rules.

    A rule that is added, or asks for less, has to be let through here: the labelled pairs tell if one is not.
    """
    one, other = pair.frames
    return bool(
        one.denied
        or other.denied
        or one.excluded
        or other.excluded
        or (one.lesser and other.lesser)
        or (one.order.is_given() and other.order.is_given())
        or (one.quantities and other.quantities)
        or one.settings.keys() & other.settings.keys()
        or one.persons
        or other.persons
        or (one.values and other.values)
        or one.places.keys() & other.places.keys()
        or (one.names and other.names)
        or pair.alike >= DIFFERING_SENSE  # a doer or an opposite act asks for more
        or (pair.contained >= OPINION_TOPIC and any(clause.sign < 0 for side in pair.clauses for clause in side))
    )


def given_up(pair: Pair) -> Judgement | None:
    """One says that X was left for Y, or rules X out; the other still gives X."""
    for one, other in (pair.frames, pair.frames[::-1]):
        given = {f"{row}={value}" for row, values in other.settings.items() for value in values}
        names = {name for name in other.names if "=" not in name}
        given = given.union(names, other.values, *other.places.values())
        denied = one.denied | (one.excluded if pair.contained >= _EXCLUDED_TOPIC else frozenset())
        if denied & other.denied:
            continue  # both leave the same behind
        gone = denied & given - other.denied - other.excluded - other.lesser
        if gone and pair.contained >= _GIVEN_UP_TOPIC:
            return Judgement(Label.CONFLICT, "given up", (_as_written(gone, other),))
    return None


def turned_choice(pair: Pair) -> Judgement | None:
    """One likes X more than Y, the other Y more than X."""
    one, other = pair.frames
    is_turned = one.lesser & other.weights.keys() - other.lesser and other.lesser & one.weights.keys() - one.lesser
    return Judgement(Label.CONFLICT, "turned choice", (one.text, other.text)) if is_turned else None


def turned_order(pair: Pair) -> Judgement | None:
    """One puts first what the other puts later: tests before code, code before tests."""
    one, other = pair.frames
    if pair.contained >= _ORDERED_TOPIC and are_turned(one.order, other.order):
        return Judgement(Label.CONFLICT, "turned order", (one.text, other.text))
    return None


def _as_written(concepts: Iterable[str], frame: Frame) -> str:
    written = {token.concept: token.surface for clause in frame.clauses for token in clause.tokens}
    return listed(written.get(concept, concept) for concept in concepts)


def differing_number(pair: Pair) -> Judgement | None:
    """Two numbers that measure the same of the same."""
    topic = max(pair.contained, pair.things_without(()))
    for quantity, rival in pair.rivals if not is_of_a_case(pair) else ():
        if topic >= _topic_for(quantity, rival) or _topic_of_clauses(pair, quantity, rival) >= _CLAUSE:
            return Judgement(Label.CONFLICT, "differing number", (quantity.shown, rival.shown))
    return None


def _topic_of_clauses(pair: Pair, quantity: Quantity, rival: Quantity) -> float:
    """Return the share in common of the clauses that give two numbers; 0 where they share no whole word.

    And where there is but one clause in each, of which all has been compared.
    """
    if all(len(each.clauses) == 1 for each in pair.frames):
        return 0.0
    clauses, beside = (
        [clause.weights for clause in each.clauses if any(token.quantity == number for token in clause.tokens)]
        for each, number in zip(pair.frames, (quantity, rival), strict=True)
    )
    shares = (
        shared / min(sum(one.values()), sum(other.values()))
        for one, other in itertools.product(clauses, beside)
        if (shared := shared_weight(one, other)) >= A_THING
    )
    return max(shares, default=0.0)


def _topic_for(one: Quantity, other: Quantity) -> float:
    if one.is_version:
        return _VERSION_TOPIC
    return _NUMBER_TOPIC if one.kind != "count" or one.things & other.things else _BARE_NUMBER_TOPIC


def differing_setting(pair: Pair) -> Judgement | None:
    """Two values of one exclusive setting: tabs and spaces, npm and pnpm, dark and light."""
    first, second = (each.settings for each in pair.frames)
    both = sorted(first.keys() & second.keys())
    values = {f"{row}={value}" for row in both for value in first[row] | second[row]}
    topic = pair.contained_without(values, least=_LEAST_SUBJECT)
    enough = _LONG_SETTING_TOPIC if pair.shared >= _LONG_SHARED else _SETTING_TOPIC
    for row in both if not pair.gives_several else ():
        is_of_user = row.endswith(OF_A_PERSON) and all(each.main[0].concept == "user" for each in pair.frames)
        is_subject = (
            row.endswith(OWN_SUBJECT)
            or is_of_user
            or (
                topic >= (_ATTRIBUTE_TOPIC if _qualify_others(pair, row) else enough)
                and _is_of_one_thing(pair, row, topic)
            )
        )
        if is_subject and not first[row] & second[row]:
            name = row.rstrip(OWN_SUBJECT + OF_A_PERSON)
            return Judgement(Label.CONFLICT, f"differing {name}", (listed(first[row]), listed(second[row])))
    return None


def _is_of_one_thing(pair: Pair, row: str, topic: float) -> bool:
    """Tell whether so much agrees, or else so much of the clauses that give the values, that these are of one thing."""
    first, second = (
        [c.weights for c in each.clauses if any(concept.startswith(f"{row}=") for concept in c.weights)]
        for each in pair.frames
    )
    shared = (shared_weight(one, other) for one, other in itertools.product(first, second))
    return topic >= _SETTING_TOPIC or max(shared, default=0.0) >= A_THING


def _qualify_others(pair: Pair, row: str) -> bool:
    """Tell whether values of a setting qualify two things: long walks, short meetings."""
    one, other = pair.frames
    heads = [_qualified(frame, row) for frame in (one, other)]
    return all(heads) and heads[0] not in other.weights and heads[1] not in one.weights


def _qualified(frame: Frame, row: str) -> str:
    """Return the thing that stands directly behind a value of a setting; nothing if none does."""
    for clause in frame.clauses:
        for token, following in itertools.pairwise(clause.tokens):
            is_of_row = token.word and token.word.setting and token.word.setting[0] == row
            if is_of_row and is_thing(following) and following.weight >= A_THING and token.surface.isascii():
                return following.concept
    return ""


def differing_value(pair: Pair) -> Judgement | None:
    """Two names given by one verb for one thing, whether or not a table knows them: built with X, built with Y."""
    first, second = (each.values for each in pair.frames)
    if not first or not second or pair.gives_several or _overlap(first, second):
        return None
    aside = pair.frames[0].value_parts | pair.frames[1].value_parts
    verbs = {*first.values()} & {*second.values()}
    may_be_one = PLACE in verbs and pair.contained_without(aside, least=A_THING) >= _VALUE_TOPIC
    if not may_be_one and not _are_rivals(first, second):
        return None  # what is kept in one place, a database or a file, is not kept in another
    if pair.is_bilingual and "own" in {*first.values(), *second.values()}:
        return None  # 李娜 may be Li Na
    if "being" not in verbs and any(_is_of_a_thing_alone(*each) for each in (pair.frames, pair.frames[::-1])):
        return None
    if _ADDRESSING in verbs or _live_elsewhere(pair, aside):
        is_one = True
    elif verbs & {*VALUE_CLASSES} or all("unique" in each.roles for each in pair.frames):
        is_one = pair.things_without(aside) >= _VALUED_THINGS
    else:
        verbs |= {*first.values(), *second.values()} & {ANY_VERB}
        enough = _VALUE_TOPIC if verbs else _VALUE_TOPIC_OF_VERBS
        is_long = bool(verbs) or pair.shared >= _LONG_SHARED
        is_all = bool(verbs) and pair.shared >= A_THING and pair.things_without(aside) >= 1
        is_one = is_all or (is_long and pair.contained_without(aside, least=_LEAST_VALUED) >= enough)
    if not is_one:
        return None
    shown = (_as_written(first, pair.frames[0]), _as_written(second, pair.frames[1]))
    return Judgement(Label.CONFLICT, "differing value", shown)


def _live_elsewhere(pair: Pair, aside: Iterable[str]) -> bool:
    """Tell whether two statements say where one and the same lives, and little else: the user, or who is named."""
    little = pair.contained_without(aside, least=A_THING) >= _VALUED_THINGS
    return little and all("live" in each.weights for each in pair.frames)


def _is_of_a_thing_alone(one: Frame, other: Frame) -> bool:
    """Tell whether one speaks of a thing of the user, such as the office, and the other one of the user."""
    own = [token for token in one.subject if is_thing(token) and token.concept not in other.weights]
    is_of_both = all(any(token.concept == "user" for token in each.subject) for each in (one, other))
    return is_of_both and bool(own) and not any(map(is_thing, other.subject))


def differing_place(pair: Pair) -> Judgement | None:
    """Two words that are no names, given of one thing by verbs of one class: stored in the cloud, on the device."""
    first, second = (each.places for each in pair.frames)
    for verbs in sorted(first.keys() & second.keys()):
        aside = first[verbs] | second[verbs]
        is_one = pair.things_without(aside) >= _PLACED_THINGS and pair.shared >= _LEAST_PLACED
        own = first[verbs] - pair.frames[1].weights.keys(), second[verbs] - pair.frames[0].weights.keys()
        shown = (_as_written(own[0], pair.frames[0]), _as_written(own[1], pair.frames[1]))
        is_other = _are_rivals(*own) and _letters(shown[0]) != _letters(shown[1])
        if is_one and all(own) and is_other and not first[verbs] & second[verbs] and not pair.gives_several:
            return Judgement(Label.CONFLICT, "differing place", shown)
    return None


def _letters(text: str) -> list[str]:
    """Return the letters of a text in one order: `App, Store` and `AppStore` are one place."""
    return sorted(filter(str.isalnum, text.lower()))


def _are_rivals(first: Iterable[str], second: Iterable[str]) -> bool:
    """Tell whether one could stand for the other: a bundler and a database are values of different settings."""
    rows = [{concept.partition("=")[0] for concept in side if "=" in concept} for side in (first, second)]
    return not all(rows) or not rows[0].isdisjoint(rows[1])


def _overlap(first: Iterable[str], second: Iterable[str]) -> bool:
    """Tell whether a name of one side is, or is part of, one of the other: `杭州` and `杭州滨江区`."""
    return any(one in other or other in one for one in first for other in second)
