"""Which words of a clause turn its sense, and how often: not, never, keep out of, until, cancelled. Pure."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Sequence

from agent_soul.judging.lexicon import COPULAS
from agent_soul.judging.pieces import Token

_ENDING = frozenset({"取消", "停止"})
"""Behind what it is said of each denies: `吊柜取消`; before it, it is an act: `取消订单`."""
_BY = frozenset({"由", "被", "让"})
_THEREFORE = frozenset({"就"})
_BOUNDS = frozenset({"until", "unless", "除非", "直到"})
"""With a denial these affirm: "do not merge until the build passes"."""
EXCEPTED = frozenset({"除外", "不在此列"})
_EXCEPTING = EXCEPTED | {"except", "except for", "other than", "apart from", "but", "除了", "之外", "以外"}
_ANYONE = frozenset({"nobody", "no one", "none", "anyone", "anybody", "任何人", "谁", "其他人", "别人"})
_CJK_BEFORE = frozenset({"之前", "以前", "前"})
_NOT_YET = frozenset({"没有", "没", "未", "尚未", "还没", "还没有", "未经"})
_KEEPING = frozenset({"keep", "leave"})
_OUT = frozenset({("out", "of"), ("away", "from")})
_REACH_OF_KEEPING = 7
"""Words from a verb of keeping to the end of `out of`."""
NEEDLESS = frozenset({"no need", "needless", "not needed", "unnecessary", "not necessary"}) | {
    "无需",
    "无须",
    "不必",
    "不用",
    "用不着",
    "不需要",
}
"""Before a thing the English ones say which: needless apologies."""


def denials(tokens: Sequence[Token]) -> list[int]:
    """Return the positions of the words that deny in a clause; of what it says, or of a part of it."""
    return [at for at in range(len(tokens)) if _denies(tokens, at)]


def turning(tokens: Sequence[Token], at: Iterable[int]) -> list[Token]:
    """Return those of the words at these positions that deny and name no thing."""
    return [tokens[n] for n in at if not _is_noun(tokens, n)]


def times_turned(tokens: Sequence[Token], at: Sequence[int], negative: Sequence[Token]) -> int:
    """Return how often the sense of a clause is turned by what denies in it, by its bounds and by what it keeps out."""
    is_bounded = not all(token.weight for token in negative) and _is_bounded(tokens)
    is_supposed = bool(at) and not is_bounded and _are_supposed(tokens, at)
    return (0 if is_supposed else _turns(negative)) + is_bounded + _keeps_out(tokens)


def _denies(tokens: Sequence[Token], at: int) -> bool:
    """Tell whether a token turns the sense; before something has happened is when it has not: `没有通过之前`."""
    token = tokens[at]
    is_denial = token.denies or _is_ended(tokens, at)
    is_not_yet = is_denial and not token.weight and any(t.surface in _CJK_BEFORE for t in tokens[at + 1 :])
    return is_denial and not (is_not_yet and token.surface in _NOT_YET)


def _is_ended(tokens: Sequence[Token], at: int) -> bool:
    """Tell whether a clause ends by saying that a thing is cancelled, and not by whom it may be."""
    is_last = tokens[at].surface in _ENDING and at == len(tokens) - 1
    return is_last and not any(t.concept in ("may", "must", "not") or t.surface in _BY for t in tokens[:at])


def _is_noun(tokens: Sequence[Token], at: int) -> bool:
    """Tell whether `stop` is a thing: the emergency stop, a bus stop."""
    before = tokens[at - 1] if at else Token("")
    if tokens[at].surface.lower() in NEEDLESS and tokens[at].surface.isascii():
        return any(token.weight >= 1 for token in tokens[at + 1 : at + 2])  # needless apologies
    return tokens[at].surface == "stop" and bool(before.weight) and before.concept not in ("user", "like")


def _turns(negative: Sequence[Token]) -> int:
    """Return how often words turn a sense: one pole told twice, "boring and a waste of time", once."""
    poles = {token.concept for token in negative if token.weight}
    return len(poles) + sum(1 for token in negative if not token.weight)


def _condition(tokens: Sequence[Token]) -> range:
    """Return the positions of the condition that a clause names: `if no data came`, `不通过就回滚`, `没人的时候`."""
    at = next((n for n, token in enumerate(tokens) if _supposes(token)), None)
    if at is None:
        return range(0)
    if tokens[at].surface.isascii() or at == 0:
        return range(at, next((n for n in range(at, len(tokens)) if tokens[n].surface == ","), len(tokens)))
    return range(0) if any(token.concept == "like" for token in tokens[:at]) else range(at)


def _supposes(token: Token) -> bool:
    return token.surface in _THEREFORE or (token.has("condition") and token.surface not in EXCEPTED)


def _are_supposed(tokens: Sequence[Token], denials: Sequence[int]) -> bool:
    """Tell whether nothing but the condition of a clause denies, by a plain `not`: `不要一上来就` forbids."""
    condition = _condition(tokens)
    return all(at in condition and tokens[at].concept == "not" for at in denials)


def _is_bounded(tokens: Sequence[Token]) -> bool:
    """Tell whether a denial holds until a bound, or for all but one: then it affirms."""
    words = {token.surface.lower() for token in tokens}
    return bool(words & _BOUNDS or (words & _EXCEPTING and words & _ANYONE) or _is_denied_before(tokens))


def _is_denied_before(tokens: Sequence[Token]) -> bool:
    """Tell whether a denial holds up to a case: "never merge before the build has passed", "not outside a release"."""
    words = [token.surface.lower() for token in tokens]
    if "outside" in words[1:]:
        return _deny(tokens[: words.index("outside")])
    at = words.index("before") if "before" in words else 0
    return _deny(tokens[:at]) and any(w in COPULAS or w.endswith(("ing", "ed")) for w in words[at + 1 :])


def _deny(tokens: Sequence[Token]) -> bool:
    return any(token.is_not for token in tokens)


def _keeps_out(tokens: Sequence[Token]) -> bool:
    """Tell whether a clause denies by its verb and a far preposition: "keep passwords out of the logs"."""
    verb = next((at for at, token in enumerate(tokens) if token.concept in _KEEPING), len(tokens))
    words = (token.surface.lower() for token in tokens[verb : verb + _REACH_OF_KEEPING])
    return any(pair in _OUT for pair in itertools.pairwise(words))
