"""Rules that tell two statements apart: another place, person, thing or occasion, or nothing said to hold."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence

from agent_soul.judging.clauses import Clause, conditions
from agent_soul.judging.frames import Frame, is_thing
from agent_soul.judging.pairs import Judgement, Label, Pair, listed, shared_weight
from agent_soul.judging.pieces import Token

_NO_MEASURE = frozenset({"ordinal", "nth", "time", "clock"})
"""Kinds of numbers that two dated events do not measure: which of them it is, and how long before it."""
_OPENING = 2
"""Telling words within which a date says when: `In May the build took 12 minutes`."""
_TOPIC = 0.34
"""Share of the smaller statement below which two speak of different things."""
_PARALLEL = 0.5
"""Share of equal words, in order, from which two sentences have one build."""
_CLOSELY_PARALLEL = 0.74
_FAIRLY_PARALLEL = 0.6
_HARDLY_PARALLEL = 0.4
_MUCH_ALIKE = 0.7
_MUCH_SHARED = 3.0
_CONDITION = 0.6
_QUALITIES = frozenset({"size class"})
"""Rows that part two things in "small orders ship free" and are what is chosen in "prefers small commits"."""
_WE = frozenset({"i", "my", "we", "our", "我", "我们", "我的"})
_OF_PERSONS = frozenset({"like", "use", "live", "drink", "eat", "drive", "wear", "work"})
"""What persons do, of whom another one may do otherwise."""
_OF_WHAT = frozenset({"for", "of"})
_WHOSE = 2
"""Words that name a relative of the user where the subject is not known: `User's wife`."""
A_THING = 0.9
"""Weight of what may be a thing by itself: a word, or two unknown Chinese characters ..."""
_A_CHARACTER = 0.4
"""... in a closely parallel sentence a single one."""
_OPPOSED_TOPIC = 0.5
"""Share of the smaller statement from which two that affirm and deny are left to the rule of opposite sense ..."""
_OPINION_TOPIC = 0.34
"""... and where both say what is liked."""
_REPORTED_TOPIC = 0.6
_SAME_REPORT = 0.9
"""Share in common from which two reports are of one act."""


def other_reach(pair: Pair) -> Judgement | None:
    """What holds in one project says nothing about another."""
    one, other = pair.one.reach, pair.other.reach
    if one != other and (one[1] or other[1]):
        return Judgement(Label.DISTINCT, "other reach", (":".join(one), ":".join(other)))
    return None


def mention_only(pair: Pair) -> Judgement | None:
    """Asking about a thing, or reading of it, decides nothing; that customers are to be asked is a rule."""
    sides = zip((pair.one, pair.other), pair.frames, strict=True)
    mentions = {"mention" in frame.roles and statement.kind != "rule" for statement, frame in sides}
    return Judgement(Label.DISTINCT, "mention only") if len(mentions) > 1 else None


def exception(pair: Pair) -> Judgement | None:
    """An exception, or what holds for a time, leaves the rule standing."""
    if pair.only_one("exception") or pair.one.is_temporary != pair.other.is_temporary:
        return Judgement(Label.DISTINCT, "exception")
    return None


def other_holder(pair: Pair) -> Judgement | None:
    """Production and tests, laptop and desktop, Python and Go: what is said of one is not said of the other."""
    first, second = (each.holders for each in pair.frames)
    choose = all("like" in each.weights for each in pair.frames)
    for row in sorted((first.keys() & second.keys()) - (_QUALITIES if choose else frozenset())):
        names_owners = row == "role" and all(each.persons for each in pair.frames)
        if not names_owners and not first[row] & second[row]:
            return Judgement(Label.DISTINCT, f"other {row}", (listed(first[row]), listed(second[row])))
    return None


def other_condition(pair: Pair) -> Judgement | None:
    """What holds when a thing is so says nothing about when it is not: with people in the aisle, and without."""
    first, second = (conditions(each.clauses) for each in pair.frames)
    for one, other in itertools.product(first, second):
        if _are_of_other_settings(one, other):
            return Judgement(Label.DISTINCT, "other condition")
        shared = shared_weight(one.weights, other.weights)
        longer = max(sum(one.weights.values()), sum(other.weights.values()))
        likes = any("like" in each.weights for each in (one, other))
        if one.sign != other.sign and shared >= _CONDITION * longer and not likes:
            return Judgement(Label.DISTINCT, "other condition")
    return None


def _are_of_other_settings(one: Clause, other: Clause) -> bool:
    """Tell whether two conditions give values of one setting, and none that both give: in English, in German."""
    first, second = ({c.partition("=")[0]: c for c in each.weights if "=" in c} for each in (one, other))
    return any(first[row] not in other.weights and second[row] not in one.weights for row in first.keys() & second)


def other_occasion(pair: Pair) -> Judgement | None:
    """The first and the second round, or two dated events that are over or were measured differently."""
    first, second = pair.left_over
    ordinals = [[q.shown for q in side if q.kind == "ordinal"] for side in (first, second)]
    if all(ordinals):
        return Judgement(Label.DISTINCT, "other occasion", (ordinals[0][0], ordinals[1][0]))
    dates = [[q.shown for q in side if q.is_date] for side in (first, second)]
    open_both = all(any(t.quantity and t.quantity.is_date for t in each.main[:_OPENING]) for each in pair.frames)
    no_measure = _NO_MEASURE - {"time"} if open_both else _NO_MEASURE
    measured = [[q for q in side if not q.is_date and q.kind not in no_measure] for side in (first, second)]
    is_over = all(each.is_past for each in pair.frames) or pair.one.kind == pair.other.kind == "observation"
    is_dated = all(any(q.kind in ("date", "year") for q in side) for side in (first, second))
    if all(dates) and (is_over or (is_dated and any(q.is_like(p) for q in measured[0] for p in measured[1]))):
        return Judgement(Label.DISTINCT, "other occasion", (dates[0][0], dates[1][0]))
    return None


def other_bound(pair: Pair) -> Judgement | None:
    """What holds above an amount says nothing about what is below it."""
    above, below = ([role in each.roles for each in pair.frames] for role in ("above", "below"))
    bounds = [each.bounds for each in pair.frames]
    are_tiers = all(len(side) > 1 for side in pair.left_over)  # 满一年的有十天, 满五年的有十五天
    if all(bounds) and (are_tiers or bounds[0].isdisjoint(bounds[1])):
        return Judgement(Label.DISTINCT, "other bound")
    if pair.agreed and above[0] != above[1] and below[0] != below[1] and above != below:
        return Judgement(Label.DISTINCT, "other bound")
    return None


def other_object(pair: Pair) -> Judgement | None:
    """Two sentences of one build with another thing in the same place speak of two things."""
    if pair.rivals and all(any(map(is_thing, each.subject)) for each in pair.frames):
        return None  # numbers of one kind about subjects that are known: `other_subject` has compared these
    are_opinions = all("like" in each.weights for each in pair.frames)
    enough = _OPINION_TOPIC if are_opinions else _OPPOSED_TOPIC
    if pair.frames[0].sign != pair.frames[1].sign and pair.contained >= enough:
        return None
    first, second = (each.main for each in pair.frames)
    ratio, opcodes = pair.alignment
    if ratio < _FAIRLY_PARALLEL and pair.alike >= _MUCH_ALIKE and pair.shared >= _MUCH_SHARED:
        return None  # so much else agrees that the one thing may be said in another word
    least = _A_CHARACTER if ratio >= _CLOSELY_PARALLEL else A_THING
    for kind, a1, a2, b1, b2 in opcodes if ratio >= _PARALLEL else ():
        if kind == "replace" and _is_framed_alike(first, (a1, a2), second, (b1, b2)):
            things = _things_in(first[a1:a2], *pair.frames), _things_in(second[b1:b2], *pair.frames[::-1])
            compared = _without_measures(pair, *(_comparable(pair, side) for side in things))
            if all(sum(t.weight for t in side) >= least for side in compared):
                return Judgement(Label.DISTINCT, "other object", tuple(" ".join(t.surface for t in s) for s in things))
    return None


def other_subject(pair: Pair) -> Judgement | None:
    """Each speaks of a thing of its own: the orders table and the invoices table, host ares and host hermes."""
    one, other = pair.frames
    if _is_of_one_alone(one, other) or _is_of_one_alone(other, one):
        return Judgement(Label.DISTINCT, "other subject")
    persons = _who_does(one), _who_does(other)
    if all(persons) and persons[0] != persons[1]:
        return Judgement(Label.DISTINCT, "other subject", persons)
    own = _without_measures(
        pair, _comparable(pair, _of_its_own(one, other)), _comparable(pair, _of_its_own(other, one))
    )
    is_one_kind = any(is_thing(token) and token.concept in other.weights for token in one.subject)
    least = _A_CHARACTER if is_one_kind else A_THING
    if not all(own) or not all(sum(t.weight for t in side) >= least for side in own):
        return None
    if pair.alignment[0] < _HARDLY_PARALLEL and not all(any(map(is_called, side)) for side in own):
        return None  # in quite other words the same may be called by another name, but no person is
    return Judgement(Label.DISTINCT, "other subject", tuple(" ".join(t.surface for t in s) for s in own))


def is_called(token: Token) -> bool:
    """Tell whether a token is a name, or at the beginning of a sentence may be one."""
    return token.is_name or (token.word is None and token.surface.isascii() and token.surface.istitle())


def _comparable(pair: Pair, things: list[Token]) -> list[Token]:
    """Return the things that tell two statements apart: across languages names, and words where numbers differ."""
    return [thing for thing in things if thing.is_name or (thing.word and pair.rivals)] if pair.is_bilingual else things


def _without_measures(pair: Pair, first: list[Token], second: list[Token]) -> tuple[list[Token], list[Token]]:
    """Return the things of two statements that give numbers without `each`, and what only names the measure: length."""
    if not pair.rivals:
        return first, second
    told = [[thing for thing in side if not thing.has("universal")] for side in (first, second)]
    measured = [[thing for thing in side if not thing.has("measures")] for side in told]
    return (measured[0], measured[1]) if any(measured) else (told[0], told[1])


def _who_does(frame: Frame) -> str:
    """Return the user, or the name with which a statement begins that tells what a person likes or does."""
    tokens = frame.clauses[0].tokens if frame.clauses else ()
    tokens = tokens[1:] if tokens and tokens[0].surface.lower() == "the" else tokens
    first, second = (*tokens, Token(""), Token(""))[:2]
    if first.surface.lower() in _WE or first.concept == "user":
        return "user"
    is_called = first.surface.istitle() and not first.word and first.surface.isascii()
    return first.concept if is_called and second.concept in _OF_PERSONS else ""


def _is_of_one_alone(frame: Frame, other: Frame) -> bool:
    """Tell whether a statement is about a relative of the user and the other one about the user."""
    first = other.clauses[0].tokens[0].surface.lower() if other.clauses else ""
    is_of_user = first in _WE or (bool(other.main) and other.main[0].concept == "user")
    return is_of_a_relative(frame) and "relative" not in other.holders and is_of_user


def is_of_a_relative(frame: Frame) -> bool:
    """Tell whether a statement is about a relative: by its subject or, where that is not known, by its first words."""
    words = [token.word for token in frame.subject or frame.main[:_WHOSE]]
    return any(word and word.holder and word.holder[0] == "relative" for word in words)


def _of_its_own(frame: Frame, other: Frame) -> list[Token]:
    """Return the things of the subject which the other statement lacks; a person or value that is given is none."""
    given = frame.value_parts | other.weights.keys()
    things = [token for token in _nouns(frame.subject) if token.concept not in given | frame.acts]
    return [token for token in things if not any(token.surface.lower() in person.lower() for person in frame.persons)]


def _nouns(subject: Sequence[Token]) -> Iterator[Token]:
    """Yield the things of a subject; behind a preposition also what may be a verb elsewhere: the topic for returns."""
    for before, token in itertools.pairwise((Token(""), *subject)):
        if is_thing(token) or (token.weight >= A_THING and before.surface.lower() in _OF_WHAT):
            yield token


def other_topic(pair: Pair) -> Judgement | None:
    """Too little in common."""
    return Judgement(Label.DISTINCT, "other topic") if pair.contained < _TOPIC else None


def as_reports(pair: Pair, found: Judgement) -> Judgement:
    """Return `found`, unless it is of reports, each of which tells of its own act.

    Two do not contradict each other, and are one only if nearly all agrees; one contradicts what holds only if both
    are plainly about the same.
    """
    is_conflict = found.label is Label.CONFLICT and found.rule != "given up"
    if pair.reports == 2 and (found.label is Label.CONFLICT or pair.alike < _SAME_REPORT):
        return Judgement(Label.DISTINCT, "two reports")
    if pair.reports == 1 and is_conflict and pair.contained < _REPORTED_TOPIC:
        return Judgement(Label.DISTINCT, "a report")
    return found


def _is_framed_alike(
    first: Sequence[Token], one: tuple[int, int], second: Sequence[Token], other: tuple[int, int]
) -> bool:
    """Tell whether the words beside two segments are equal; beside differing values a segment belongs to the value."""
    before = zip(first[one[0] - 1 : one[0]], second[other[0] - 1 : other[0]], strict=False)
    after = zip(first[one[1] : one[1] + 1], second[other[1] : other[1] + 1], strict=False)
    return all(a.concept == b.concept or _are_days(a, b) for a, b in (*before, *after))


def _are_days(one: Token, other: Token) -> bool:
    """Tell whether two tokens say when: piano on Sundays and chess on Thursdays are two things all the same."""
    return bool(one.quantity and other.quantity and one.quantity.kind == other.quantity.kind == "weekday")


def _things_in(segment: Sequence[Token], frame: Frame, other: Frame) -> list[Token]:
    """Return the things of a segment; none where it holds a person or value that is given, or what both speak of."""
    if any(person.startswith(token.surface) for token in segment for person in frame.persons):
        return []
    things = [token for token in segment if is_thing(token) and token.concept not in frame.acts]
    rivals = (frame.places[verbs] for verbs in frame.places.keys() & other.places.keys())
    known = frame.value_parts.union(frame.agents, other.weights, *rivals)
    return [] if any(token.concept in known for token in things) else things
