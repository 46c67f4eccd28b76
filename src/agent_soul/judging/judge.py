"""The rules, in the order in which they are asked; the first that has an answer decides. See docs/judging.md."""

from __future__ import annotations

import functools
from collections.abc import Callable

from agent_soul.judging.against import (
    differing_number,
    differing_place,
    differing_setting,
    differing_value,
    given_up,
    may_contradict,
    turned_choice,
    turned_order,
)
from agent_soul.judging.antonyms import opposite_act
from agent_soul.judging.apart import (
    as_reports,
    exception,
    mention_only,
    other_bound,
    other_condition,
    other_holder,
    other_object,
    other_occasion,
    other_reach,
    other_subject,
    other_topic,
)
from agent_soul.judging.cases import other_case
from agent_soul.judging.doing import differing_doer, differing_owner
from agent_soul.judging.kinds import denied_kind, may_deny_a_kind
from agent_soul.judging.naming import differing_in_a_name, differing_name
from agent_soul.judging.pairs import Judgement, Label, Pair, Statement
from agent_soul.judging.same import LEAST_ALIKE, NEARLY, same_words, says_nearly_the_same, says_the_same
from agent_soul.judging.senses import denied_beside, differing_sense, opposite_sense, spared_wait
from agent_soul.judging.wishes import forbidden_habit, may_be_forbidden

_JUDGED_KEPT = 1024
"""Who groups duplicates asks for a pair again at once."""
RULES: tuple[Callable[[Pair], Judgement | None], ...] = (
    other_reach,
    same_words,
    mention_only,
    exception,
    other_holder,
    other_bound,
    other_condition,
    other_occasion,
    given_up,
    turned_choice,
    turned_order,
    other_case,
    other_subject,
    denied_kind,
    other_object,
    differing_number,
    differing_setting,
    differing_owner,
    differing_value,
    differing_in_a_name,
    differing_place,
    opposite_act,
    forbidden_habit,
    other_topic,
    opposite_sense,
    spared_wait,
    denied_beside,
    differing_doer,
    differing_name,
    says_the_same,
    differing_sense,
    says_nearly_the_same,
)


def may_be_duplicates(one: Statement, other: Statement) -> bool:
    """Tell whether two statements are alike enough for a duplicate, at a small part of what judging them costs."""
    pair = Pair(one, other)
    least = NEARLY if pair.are_sentences else LEAST_ALIKE
    return pair.alike >= least or same_words(pair) is not None


def contradiction(one: Statement, other: Statement) -> Judgement:
    """Say what `judge` says where that is a conflict, at a small part of its cost where it cannot be one."""
    pair = Pair(one, other)
    may_be = may_contradict(pair) or may_deny_a_kind(pair) or may_be_forbidden(pair)
    return judge(one, other) if may_be else Judgement(Label.DISTINCT, "nothing to contradict")


@functools.lru_cache(maxsize=_JUDGED_KEPT)
def judge(one: Statement, other: Statement) -> Judgement:
    """Say what two statements are to each other; the same for both orders, but for the order of the evidence."""
    if other.text < one.text:  # parts of the work, such as the alignment, depend on the order
        label, rule, evidence = judge(other, one)
        return Judgement(label, rule, evidence[::-1])
    pair = Pair(one, other)
    found = next(filter(None, (rule(pair) for rule in RULES)), Judgement(Label.DISTINCT, "unlike"))
    if found.label is Label.DISTINCT or found.rule == "same words":
        return found
    return as_reports(pair, found)
