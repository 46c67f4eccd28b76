"""When two statements say so plainly the same that they may be merged before anybody looks. Pure.

A word that is known under the concept of another one may yet be another one here; so what is left to be merged unasked
agrees in its order, its denials and the little words that say who, when, how many and how surely.
"""

from __future__ import annotations

from collections.abc import Mapping

from agent_soul.judging.frames import Frame
from agent_soul.judging.pairs import Pair
from agent_soul.judging.pieces import Token

_LEAST_WEIGHT = 0.3
_ONE_OF_EACH: Mapping[str, str] = {
    word: words.split()[0]
    for words in (
        "before prior 之前 以前 前",
        "after once 之后 以后 后",
        "until till 直到",
        "since 以来",
        "all every each any 所有 全部 一律 每 每个 任何 都",
        "some 有些 一些 某些",
        "both 两者",
        "only just merely 只 只有 仅 仅仅 才",
        "most 大多数",
        "other another else 其他 其它 别的 另外",
        "almost nearly 差点 几乎",
        "maybe perhaps might could 可能 也许",
        "plan planned planning intend 计划 打算 准备",
        "first 先 首先",
        "then later 再 然后 随后",
        "last 最后",
        "next 下次",
        "more 更",
        "less fewer",
        "sometimes usually often rarely 有时 通常 一般 经常 偶尔",
        "immediately instantly 立即 马上 立刻",
        "still 仍 仍然 还",
        "already 已 已经",
        "i me my myself 我 我的 本人",
        "we us our 我们 咱们",
        "you your 你 您 你们",
        "he him his 他",
        "she her 她",
        "they them their 他们 她们",
        "least",
        "up",
        "over above exceed 超过 以上",
        "under below 不到 以下 以内",
    )
    for word in words.split()
}
"""Little words that tell something, by the one that stands for all that tell the same."""
_EXCLUSIVE = (("since", "until"), ("all", "some"), ("least", "most"), ("i", "he"), ("i", "she"))
_EXCLUSIVE_IN_ORDER = (*_EXCLUSIVE, ("before", "after"))
"""A before B is B after A, or no A after B."""


def may_be_merged(pair: Pair) -> bool:
    """Tell whether nothing in two statements of one sense could be meant otherwise: order, denials, little words."""
    one, other = pair.frames
    return (
        pair.is_certain
        and _little_words(one) == _little_words(other)
        and _turns(one) == _turns(other)
        and _in_order(one, other) == _in_order(other, one)
        and not (_own(one, other) and _own(other, one))
    )


def are_told_apart(pair: Pair) -> bool:
    """Tell whether a little word of one excludes one of the other: all and some; in one order also before and after."""
    one, other = pair.frames
    first, second = _little_words(one), _little_words(other)
    is_alike = _in_order(one, other) == _in_order(other, one) and _denials(one) == _denials(other)
    exclusive = _EXCLUSIVE_IN_ORDER if is_alike else _EXCLUSIVE
    sides = [({*words} & first, {*words} & second) for words in exclusive]
    return any(len(mine) == len(theirs) == 1 and mine != theirs for mine, theirs in sides)


def _little_words(frame: Frame) -> set[str]:
    words = (word for token in frame.said for word in token.surface.lower().split(" "))
    return {_ONE_OF_EACH[word] for word in words if word in _ONE_OF_EACH}


def _denials(frame: Frame) -> int:
    return sum(1 for token in frame.said if token.is_not)


def _turns(frame: Frame) -> int:
    return sum(1 for token in frame.said if token.denies)


def _in_order(frame: Frame, other: Frame) -> list[str]:
    """Return what both speak of in the order of one: orders that depend on users are no users that depend on orders."""
    return list(
        dict.fromkeys(t.concept for t in frame.said if t.weight >= _LEAST_WEIGHT and t.concept in other.weights)
    )


def _own(frame: Frame, other: Frame) -> set[str]:
    """Return what one alone speaks of, and the name or other word with a capital that it begins with."""
    tokens = frame.said
    theirs = {token.surface.lower() for token in other.said}
    own = {token.concept for token in tokens if token.weight >= _LEAST_WEIGHT and token.concept not in other.weights}
    first = tokens[0] if tokens else Token("")
    is_begun_by_it = first.surface.istitle() and not first.weight and first.surface.lower() not in theirs
    return own | ({first.surface.lower()} if is_begun_by_it else set())
