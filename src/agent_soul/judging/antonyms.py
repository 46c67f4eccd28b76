"""Verbs that undo each other: what one statement keeps, the other deletes."""

from __future__ import annotations

import itertools

from agent_soul.judging.apart import A_THING
from agent_soul.judging.frames import Frame
from agent_soul.judging.lexicon import POLE_WEIGHT, related
from agent_soul.judging.pairs import Judgement, Label, Pair
from agent_soul.judging.pieces import Token

_ACTED_ON = 0.7
"""Share in common of what both acts are done to."""


def opposite_act(pair: Pair) -> Judgement | None:
    """Both say what is done to one thing, and one act undoes the other; for how long or until when is not said."""
    acts = opposite_acts(*pair.frames) or _opposite_states(*pair.frames)
    is_for_a_time = any(quantity.kind in ("time", "date") for each in pair.frames for quantity in each.quantities)
    if not acts or pair.reports or is_for_a_time:
        return None
    if pair.shared >= A_THING and pair.things_without(acts) >= _ACTED_ON:
        shown = tuple(_as_written(act, each) for act, each in zip(acts, pair.frames, strict=True))
        return Judgement(Label.CONFLICT, "opposite act", shown)
    return None


def _as_written(concept: str, frame: Frame) -> str:
    return next(t.surface for clause in frame.clauses for t in clause.tokens if t.concept == concept)


def opposite_acts(one: Frame, other: Frame) -> tuple[str, ...]:
    """Return the acts of two statements that undo each other, if both affirm or both deny them; else nothing."""
    table = related("opposite acts")
    signs = [
        {concept: c.sign for c in each.clauses if not c.is_reason for concept in c.weights} for each in (one, other)
    ]
    for act, undoing in itertools.product(signs[0].keys() & table.keys(), signs[1].keys() & table.keys()):
        is_turned = undoing in table[act] and act not in signs[1] and undoing not in signs[0]
        if is_turned and signs[0][act] == signs[1][undoing]:
            return act, undoing
    return ()


def _opposite_states(one: Frame, other: Frame) -> tuple[str, ...]:
    """Return a state that one statement affirms and the other denies, encrypted and unencrypted; else nothing."""
    if any("condition" in each.roles for each in (one, other)):
        return ()
    first, second = (
        {t.concept: c.sign for c in each.clauses for t in c.tokens if _is_state(t)} for each in (one, other)
    )
    return next(((state, state) for state in sorted(first.keys() & second.keys()) if first[state] != second[state]), ())


def _is_state(token: Token) -> bool:
    return token.has("state") and token.weight == POLE_WEIGHT
