"""The case that a statement opens with: `On premiere days ...`, `For documentation changes ...`."""

from __future__ import annotations

from collections.abc import Sequence

from agent_soul.judging.apart import A_THING
from agent_soul.judging.clauses import opens
from agent_soul.judging.frames import Frame, is_thing
from agent_soul.judging.pairs import Judgement, Label, Pair
from agent_soul.judging.pieces import Token

_NEVER = frozenset({"never", "ever", "under no circumstances", "on no account", "绝不", "从不"})
_EXCEPTING = frozenset({"unless", "除非", "except"})
"""What these open is left out, and all else is meant."""
_LONGEST_CASE = 5
_NAMED_BY = 2
"""Words that open a statement, and things among them, that may name a case: `For documentation changes ...`."""
_BEGINNING = frozenset(
    {"the", "a", "an", "no", "all", "every", "each", "we", "it", "they", "there", "only", "never", "not"}
)
"""Words that begin what is said of the case."""


def other_case(pair: Pair) -> Judgement | None:
    """Each opens with a case of its own: on the development robot, on the competition robot."""
    one, other = pair.frames
    cases = [_own(_case(a), b) for a, b in ((one, other), (other, one))]
    if all(cases):
        return Judgement(Label.DISTINCT, "other case", tuple(" ".join(t.surface for t in case) for case in cases))
    return None


def is_of_a_case(pair: Pair) -> bool:
    """Tell whether one statement is limited to a case of which the other, that is limited to none, does not speak.

    Not where the other one says never: that holds in every case.
    """
    return any(_is_narrower(*each) for each in (pair.frames, pair.frames[::-1]))


def is_conditional(pair: Pair) -> bool:
    """Tell whether one statement alone is limited: to a case, or by opening with a condition."""
    sides = zip(pair.frames, pair.frames[::-1], strict=True)
    return is_of_a_case(pair) or any(_is_conditional(one) and "condition" not in other.roles for one, other in sides)


def _is_narrower(one: Frame, other: Frame) -> bool:
    case = _case(one)
    is_absolute = any(token.surface.lower() in _NEVER for clause in other.clauses[:1] for token in clause.tokens)
    return bool(case) and not is_absolute and not _case(other) and len(_own(case, other)) == len(case)


def _is_conditional(frame: Frame) -> bool:
    """Tell whether a statement opens with a condition: `If a request fails with 400, ...`."""
    word = frame.clauses[0].tokens[0].word if frame.clauses and frame.clauses[0].tokens else None
    return word is not None and "condition" in word.roles


def _case(frame: Frame) -> Sequence[Token]:
    """Return the things by which the opening words name a case; nothing where a statement opens with none."""
    opening = frame.clauses[0].tokens if frame.clauses else ()
    if not opening or not opens(opening[0]) or opening[0].surface.lower() in _EXCEPTING:
        return ()
    named = (n for n in range(_NAMED_BY, len(opening)) if opening[n].surface.lower() in _BEGINNING)
    case = opening[: min(next(named, _LONGEST_CASE), _LONGEST_CASE)]
    return [token for token in case if is_thing(token) and token.weight >= A_THING][:_NAMED_BY]


def _own(case: Sequence[Token], other: Frame) -> list[Token]:
    return [token for token in case if token.concept not in other.weights]
