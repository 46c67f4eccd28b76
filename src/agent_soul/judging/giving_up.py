"""What a statement gives up, rules out or likes less: `moved from X to Y`, `never as X`, `Y rather than X`."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Sequence

from agent_soul.judging.pieces import Token
from agent_soul.judging.values import gives_values, is_setting_or_name

_A_WORD = 0.9
_LEAVING = frozenset({"from", "off", "out of", "left", "从", "由"})
_ARRIVING = frozenset(
    {"to", "into", "onto", "for", "到", "改为", "改用", "改成", "换成", "换到", "迁移到", "迁到", "迁至", "转到"}
) | {"转为", "切换到", "切到", "切换成", "搬到", "替换为", "替换成"}
_ARRIVING |= {"切换为", "切为", "换为", "迁移至", "迁移成", "升级为", "过渡到", "并入", "转移到", "移到", "挪到"}
_REPLACING = frozenset({"replaces", "replaced", "replace", "instead of", "rather than"}) | {
    "而不是",
    "而非",
    "取代",
    "替代",
    "代替",
}
_REACH_OF_LEAVING = 3
_REACH_OF_DROPPING = 4
_REACH_OF_REPLACING = 5
_OLD = frozenset({"old", "former", "previous", "旧", "老", "旧的", "原来的", "以前的"})
_CLOSED = frozenset(
    {"read-only", "closed", "archived", "deleted", "gone", "switched off", "shut down", "cancelled"}
) | {"只读", "关闭", "下线", "停用", "关停", "作废", "归档", "关了"}
_DROPPING = frozenset({"no longer", "stopped", "dropped", "abandoned", "ditched", "retired", "gave up", "given up"}) | {
    "got rid of",
    "取消",
    "去掉",
    "砍掉",
    "撤掉",
    "not any more",
    "不再",
    "弃用",
    "放弃",
    "停用",
    "告别",
    "废弃",
}
_USED_TO = frozenset({"used to", "used to be", "until recently", "in the past", "以前", "过去"})
_FORMERLY = frozenset({"formerly", "previously"})
"""Beside a verb that gives a value these say that it gave it; "previously missing" does not."""
_GONE = frozenset(
    {"cancelled", "canceled", "retired", "decommissioned", "phased out", "switched off", "shut down", "discontinued"}
) | {"作废", "退役", "下线", "下架", "停用", "注销", "取消", "清空", "拆除", "报废"}
_ADDING = frozenset({"and", "but", "while", "和", "以及", "而"})
_REACH_OF_GOING = 8
_KEEPING = frozenset({"support", "supported", "supporting", "支持"})
_REPLACED_BY = ("was replaced by", "is replaced by", "were replaced by", "has been replaced", "replaced by")
_DROPPED = frozenset(
    {"不再", "弃用", "停用", "已弃用", "废弃", "换成", "改成", "改用", "迁移到", "迁到", "切换到", "切到"}
)
"""Support for a thing that is dropped is no use of it."""
_MOVING = frozenset({"move", "move out", "migrate", "convert", "switch", "left and right=left"})
"""`left` is read as a side, and may be said of what was left for another."""
_WENT = frozenset({"went", "gone"})
_COMPARING = frozenset({"over", "than", "more than", "rather than", "instead of", "而不是", "而非", "不如"})
_OPENING = ("比起", "与其", "相比")
"""What a clause begins with that says what is liked less than the next one: `比起长篇文字，更喜欢表格`."""
_CHOOSING = frozenset({"decide", "like"})
_REACH_OF_PREFERRING = 5
_ELLIPTIC = 2
"""A later clause of so few words leans on the one before it: "as CSV, never as Excel"."""
_TELLING = _LEAVING | _DROPPED | _REPLACING | _OLD | _DROPPING | _USED_TO | _FORMERLY | _GONE | {"over", "left", "shut"}
"""What every clause holds that gives something up, but for `_REPLACED_BY`: most clauses are seen through at once."""


def denied(tokens: Sequence[Token]) -> Iterable[str]:
    """Yield the names that a clause gives up: `moved from X to Y`, `instead of X`, `dropped X`, `Y replaces X`."""
    words = [token.surface.lower() for token in tokens]
    if _TELLING.isdisjoint(words) and not any(phrase in " ".join(words) for phrase in _REPLACED_BY):
        return
    moves = any(token.word and token.concept in _MOVING for token in tokens) or not _WENT.isdisjoint(words)
    chooses = any(token.word and token.concept in _CHOOSING for token in tokens)
    gave = not _FORMERLY.isdisjoint(words) and any(gives_values(tokens, at) for at in range(len(tokens)))
    is_over = gave or not _USED_TO.isdisjoint(words)
    moves_from = "从" in words
    for at, token in enumerate(tokens):
        if not is_setting_or_name(token):
            if moves_from and _is_moved_from(tokens, at):
                yield token.concept
            continue
        before = set(words[max(at - _REACH_OF_LEAVING, 0) : at])
        after = words[at + 1 : at + 5]
        arrives = _ARRIVING.intersection(after) or _ARRIVING.intersection(map("".join, itertools.pairwise(after)))
        is_left = moves and before & _LEAVING and (arrives or "off" in before)
        is_less = chooses and words[at - 1 : at] == ["over"]
        is_old = bool(_OLD & {*words[max(at - 2, 0) : at]} and _CLOSED & {*words})
        is_replaced = before & _REPLACING and "by" not in before and "with" not in before
        if is_over or is_left or _is_start(tokens, at) or is_less or is_old or is_replaced or _is_dropped(words, at):
            yield token.concept


def _is_moved_from(tokens: Sequence[Token], at: int) -> bool:
    """Tell whether a Chinese word that is no name stands between 从 and where something moved to: `从邮箱搬到 Moka`."""
    near = [token.surface for token in (*tokens[max(at - 1, 0) : at], *tokens[at + 1 : at + 2])]
    return len(near) > 1 and tokens[at].weight >= _A_WORD and near[0] == "从" and near[1] in _ARRIVING


def _is_dropped(words: Sequence[str], at: int) -> bool:
    """Tell whether a clause says that what stands here is done with: `no longer use X`, `X was replaced by`."""
    before, after = words[max(at - _REACH_OF_DROPPING, 0) : at], words[at + 1 : at + 4]
    if _is_gone(words[at + 1 : at + 1 + _REACH_OF_GOING]) or (before[-2:-1] == ["shut"] and "down" in after):
        return True
    is_over = (before[-1:] == ["left"] or not _DROPPING.isdisjoint(before)) and _KEEPING.isdisjoint(before)
    is_done_with = bool(_DROPPED & {*after}) and not _KEEPING & {*after}
    following = " ".join(words[at + 1 : at + 1 + _REACH_OF_REPLACING])
    return is_over or is_done_with or any(phrase in following for phrase in _REPLACED_BY)


def _is_gone(following: Sequence[str]) -> bool:
    """Tell whether what stands before these words is said to be gone, and not what another `and` begins."""
    return not _GONE.isdisjoint(itertools.takewhile(lambda word: word not in _ADDING, following))


def _is_start(tokens: Sequence[Token], at: int) -> bool:
    """Tell whether a name is what something goes from: `from X to Y`."""
    words = [token.surface.lower() for token in tokens[max(at - 1, 0) : at + 2]]
    return words[:1] == ["from"] and words[2:] == ["to"] and any(map(is_setting_or_name, tokens[at + 2 : at + 3]))


def lesser(tokens: Sequence[Token]) -> Iterable[str]:
    """Yield what a clause ranks lower: `prefers email over phone calls`, `rather X than Y`."""
    words = [token.surface.lower() for token in tokens]
    if "".join(words[:2]).startswith(_OPENING):
        yield from (token.concept for token in tokens if token.weight)
    at = next((at for at, word in enumerate(words) if word in _COMPARING), len(words))
    likes = next((n for n, token in enumerate(tokens) if token.concept == "like"), len(tokens))
    if likes < at < len(tokens):
        yield from (token.concept for token in tokens[at:] if token.weight)
    elif likes < len(tokens) and words[likes].startswith("prefer"):
        near = range(likes + 2, min(likes + _REACH_OF_PREFERRING, len(tokens) - 1))
        is_act = any(word.endswith("ing") for word in words[likes + 1 : likes + _REACH_OF_PREFERRING])
        to = next((n for n in near if _is_preferred_to(tokens, n) and not is_act), len(tokens))
        yield from (token.concept for token in tokens[to:] if token.weight)


def _is_preferred_to(tokens: Sequence[Token], at: int) -> bool:
    """Tell whether a word is the `to` of `prefers tabs to spaces`, and begins no verb."""
    word = tokens[at + 1].word
    is_verb = word is not None and "verbs" in word.roles and not word.setting
    return tokens[at].surface.lower() == "to" and bool(tokens[at + 1].weight) and not is_verb


def excluded(tokens: Sequence[Token]) -> Iterable[str]:
    """Yield the names of a clause that denies, if it is so short that it leans on the one before it."""
    if sum(1 for token in tokens if token.weight) <= _ELLIPTIC:
        yield from (token.concept for token in tokens if is_setting_or_name(token))
