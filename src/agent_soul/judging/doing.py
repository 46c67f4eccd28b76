"""Rules about who owns or does a thing. Pure."""

from __future__ import annotations

import itertools
from collections.abc import Iterator

from agent_soul.judging.apart import A_THING
from agent_soul.judging.frames import Frame, is_thing
from agent_soul.judging.pairs import Judgement, Label, Pair, listed
from agent_soul.judging.pieces import Token

_OWNER_TOPIC = 0.36
_DONE_TOPIC = 0.75
DONE_ALIKE = 0.55
_DONE_AS_WELL = 0.65
"""... where not both are sentences, but more agrees."""
_DONE_BY = frozenset({"by", "in", "at", "由"})
_SELVES = frozenset({"himself", "herself", "themselves", "myself", "ourselves", "自己", "亲自"})
_LONGEST_AGENT = 5
_LEAST_AGENT = 0.3
"""Weight of a word that tells anything of who does it."""
_LEAST_DONE = 2.0
"""Weight of what is done, below which it is no one thing."""


def differing_owner(pair: Pair) -> Judgement | None:
    """Two persons who are said to own, lead, approve or do one thing."""
    first, second = (each.persons for each in pair.frames)
    first, second = first or _doer(pair.frames[0], second), second or _doer(pair.frames[1], first)
    if not (first and second):
        return _differing_agents(pair)
    if pair.is_bilingual and any(one.isascii() != other.isascii() for one in first for other in second):
        return None  # 李娜 may be Li Na
    topic = max(pair.contained, pair.things_without(first | second))
    if topic < _OWNER_TOPIC or any(_are_one(one, other) for one in first for other in second):
        return None
    return Judgement(Label.CONFLICT, "differing owner", (_shown(first, pair.frames[0]), _shown(second, pair.frames[1])))


def _are_one(person: str, other: str) -> bool:
    """Tell whether two names may be of one: the lead, the logistics lead."""
    return person == other or person.endswith(f" {other}") or other.endswith(f" {person}")


def _shown(persons: frozenset[str], frame: Frame) -> str:
    """Return persons as the statement names them: roles by its own words."""
    return listed(next((s for name, s in _roles(frame) if name == person), person) for person in persons)


def _roles(frame: Frame) -> Iterator[tuple[str, str]]:
    """Yield the roles that a statement names, each as `persons` has it and as it is written."""
    for clause in frame.clauses:
        for before, token in itertools.pairwise((Token(""), *clause.tokens)):
            if token.word and token.word.holder:
                blank = " " if before.surface.isascii() else ""
                yield token.word.holder[1], token.surface
                yield f"{before.concept} {token.word.holder[1]}", f"{before.surface}{blank}{token.surface}"


def _differing_agents(pair: Pair) -> Judgement | None:
    """One thing is done by this group and by that one, in words that are no names: 由风控组复核, 由支行行长复核."""
    first, second = (each.agents for each in pair.frames)
    own = first - pair.frames[1].weights.keys(), second - pair.frames[0].weights.keys()
    if not all(own) or pair.contained_without(own[0] | own[1], least=_LEAST_DONE) < _DONE_TOPIC:
        return None
    return Judgement(Label.CONFLICT, "differing owner", (listed(own[0]), listed(own[1])))


def differing_doer(pair: Pair) -> Judgement | None:
    """One thing is done by this one, or here, and by that one, or there, and nothing else differs."""
    for one, other in (pair.frames, pair.frames[::-1]):
        agent, doer = _adjunct(one, other), _opening(other, one)
        aside = {token.concept for token in (*agent, *doer)}
        done = pair.contained_without(aside, least=_LEAST_DONE)
        is_one = pair.alike >= DONE_ALIKE and done >= _DONE_TOPIC
        is_told = pair.are_sentences or (pair.alike >= _DONE_AS_WELL and not pair.reports)
        if agent and doer and is_one and is_told and not pair.gives_several:
            shown = tuple(" ".join(token.surface for token in side) for side in (agent, doer))
            return Judgement(Label.CONFLICT, "differing doer", shown if one is pair.frames[0] else shown[::-1])
    return None


def _adjunct(frame: Frame, other: Frame) -> list[Token]:
    """Return the things behind a `by` or `in`, if the other statement has none of them."""
    main = frame.said
    at = next((n for n, token in enumerate(main) if n and token.surface.lower() in _DONE_BY), len(main))
    things = [token for token in main[at + 1 : at + 1 + _LONGEST_AGENT] if token.weight >= _LEAST_AGENT]
    own = [token for token in things if token.concept not in other.weights]
    return own if any(token.weight >= A_THING for token in own) and len(own) >= len(things) - 1 else []


def _opening(frame: Frame, other: Frame) -> list[Token]:
    """Return the things with which a statement begins, as far as the other one lacks them."""
    main = [token for token in frame.said if token.weight]
    own = list(itertools.takewhile(lambda token: token.concept not in other.weights, main))
    return own if any(map(is_thing, own)) and len(own) < len(main) else []


def _doer(frame: Frame, named: frozenset[str]) -> frozenset[str]:
    """Return who does it where the other statement names who it is done by.

    `Hannah reviews ...`, `reviewed by ...`; `User does his taxes himself`, `done by an accountant`.
    """
    words = {token.surface.lower() for clause in frame.clauses for token in clause.tokens}
    if named and not _SELVES.isdisjoint(words):
        return frozenset({"self"})
    called = [t for t in frame.subject[:1] if _is_called(t)] or [
        t for c in frame.clauses for t in c.tokens if _is_cjk_name(t)
    ]
    return frozenset(token.concept for token in called) if named else frozenset()


def _is_cjk_name(token: Token) -> bool:
    return token.is_name and not token.surface.isascii()


def _is_called(token: Token) -> bool:
    return not token.word and token.surface.isascii() and token.surface.istitle()
