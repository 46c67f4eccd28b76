"""What a statement gives: values of settings, names by the verb that gives them, owners, holders, bounds."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Sequence

from agent_soul.judging.lexicon import VALUE_CLASSES, load
from agent_soul.judging.pieces import Token

ANY_VERB = "use"
"""`use X` and a bare `with X` may stand for any other verb."""
PLACE = "place"
_BEING = frozenset({"is", "are", "be", "was", "were"})
_DIRECT = frozenset({ANY_VERB, "decide", "name", "addressed as", *_BEING})
"""Verbs whose object is the value; all others give it after a preposition."""
_REACH_OF_A_VERB = 5
_REACH_OF_AN_OBJECT = 3
_JOINING = frozenset({"in", "on", "to", "at", "from"})
_INSTRUMENT = frozenset({"with", "by", "over", "via", "through", "using", "as"})
_BY = frozenset({"由", "改由", "交由", "交给", "归", "经", "经过", "经由"})
_AGENT = frozenset({"by", "由", "归", "找"})
_REACH_OF_AGENT = 4
"""Words between 由 and the name of who does it: `由运营的小蒋审核`."""
_OFFICES = frozenset(
    {"lead", "officer", "manager", "director", "engineer", "coordinator", "steward", "desk", "office", "team", "group"}
) | {"department", "committee", "board", "chair", "secretary", "librarian", "nurse", "editor"}
_OFFICES |= {"specialist", "专员", "主管", "小组", "部门", "团队", "中心"}
"""What ends the name of who owns a thing by a role: the payroll desk, the ethics committee."""
_REACH_OF_LEAVING = 3
_JOBS = frozenset({"job", "task", "duty", "turf", "call", "business", "area", "baby"})
_NAMED_HOLDERS = frozenset({"language", "file type", "system", "city"})
_LEAST_RUN = 2
_DOERS = frozenset({"we", "i", "you", "they", "to", "please", "always", "must"})
_DOING = frozenset({"value verbs", *VALUE_CLASSES})
_DETERMINERS = frozenset({"the", "our", "my", "his", "her", "their"})
_PLACING_CLASSES = frozenset(VALUE_CLASSES) - {"being"}
_SENDING = frozenset({"send", "move"})
_SENT = "destination"
"""Where a thing is sent says little of where it is kept otherwise: in the fridge, to the laboratory."""
_LONGEST_PLACE = 4
_TO_A_PLACE = frozenset("在到于至进自")
_SIDES = frozenset({"above", "below"})
_REACH_OF_A_BOUND = 2
_OF_WHICH = frozenset({"的", "时", "的时候"})
_LEAST_THING = 0.9


def settings(tokens: Iterable[Token], denied: frozenset[str]) -> dict[str, frozenset[str]]:
    """Return the values of exclusive settings that are affirmed, by setting."""
    found = (t.word.setting for t in tokens if t.word and t.word.setting and t.concept not in denied)
    return _grouped(found)


def holders(tokens: Sequence[Token]) -> dict[str, frozenset[str]]:
    """Return what the statement is limited to (an environment, a machine, a language ...), by the kind of limit."""
    found = (
        holder
        for at, token in enumerate(tokens)
        if token.word
        and (holder := token.word.holder)
        and (holder[0] not in _NAMED_HOLDERS or _verb_of(tokens, at) in ("", "own"))
    )
    return _grouped(found)


def _grouped(pairs: Iterable[tuple[str, str]]) -> dict[str, frozenset[str]]:
    groups: dict[str, set[str]] = {}
    for row, value in pairs:
        groups.setdefault(row, set()).add(value)
    return {row: frozenset(values) for row, values in groups.items()}


def values(tokens: Sequence[Token]) -> dict[str, str]:
    """Return the names that the statement gives as values, each with the verb that gives it, or that verb's class."""
    found = {t.concept: _verb_of(tokens, at) for at, t in enumerate(tokens) if _is_named(t) or is_product(t)}
    if len(tokens) > _LEAST_RUN and _is_named_first(*tokens[:3]):
        found[tokens[0].concept] = "being"
    elif len(tokens) > _LEAST_RUN and _does_it_all(tokens[0], tokens[1]):
        found[tokens[0].concept] = _class_of(tokens[1])
    return {name: verb for name, verb in (*found.items(), *_cjk_values(tokens)) if verb}


def _is_named(token: Token) -> bool:
    holder = token.word.holder if token.word else None
    is_reference = token.surface.startswith("#")
    return (token.is_name and not is_reference) or bool(holder and holder[0] in _NAMED_HOLDERS)


def is_product(token: Token) -> bool:
    """Tell whether a value of a setting is a name: Redis, not dark."""
    return bool(token.word and token.word.setting) and any(map(str.isupper, token.surface))


def _is_named_first(first: Token, second: Token, third: Token) -> bool:
    """Tell whether a sentence names its value first: `Gandi is the registrar of our domains`."""
    is_name = not first.word and first.surface.istitle() and first.surface.isascii()
    return is_name and second.surface in _BEING and third.surface in _DETERMINERS


def _does_it_all(first: Token, second: Token) -> bool:
    """Tell whether a sentence begins with a tool and what it does: `VictoriaMetrics stores the readings`."""
    is_name = first.surface[:1].isupper() and first.surface.isascii() and not first.surface.endswith("s")
    is_tool = not first.word or first.word.setting is not None
    does = second.word is not None and not _DOING.isdisjoint(second.word.roles) and second.surface.endswith("s")
    return is_name and is_tool and does and second.surface not in _BEING


def _cjk_values(tokens: Sequence[Token]) -> Iterable[tuple[str, str]]:
    """Yield the runs of characters that no table knows behind a verb that gives a value: `叫豆包`, `住在杭州滨江区`."""
    for at, token in enumerate(tokens):
        if token.surface.isascii() or not gives_values(tokens, at):
            continue
        if _class_of(token) not in _PLACING_CLASSES or _takes_a_place(tokens, at):
            run = "".join(t.surface for t in itertools.takewhile(_is_character, tokens[at + 1 :]))
            if len(run) >= _LEAST_RUN:
                yield run, _class_of(token)


def _is_character(token: Token) -> bool:
    """Tell whether a token is one Chinese character that may be part of a name."""
    return len(token.surface) == 1 and not token.surface.isascii() and token.weight > 0


def _verb_of(tokens: Sequence[Token], at: int) -> str:
    """Return the verb that gives a token as its value: `use X`, `built with X`, `over X`, `用 X`; else nothing."""
    before = tokens[max(at - _REACH_OF_A_VERB, 0) : at]
    surfaces = [token.surface.lower() for token in before]
    if surfaces[-1:] == ["到"]:
        return PLACE  # 上报到 X
    is_means = bool(_INSTRUMENT & set(surfaces[-2:]))
    for verb in range(len(before) - 1, -1, -1):
        if not gives_values(tokens, at - len(before) + verb):
            continue
        is_joined = bool(_JOINING & {surfaces[verb].rpartition(" ")[2], *surfaces[verb + 1 :]})  # also "lives in"
        if is_joined and before[verb].concept in _BEING:
            return PLACE
        takes_objects = before[verb].concept in _DIRECT or not before[verb].surface.isascii()
        is_object = len(before) - verb <= _REACH_OF_AN_OBJECT and not is_joined
        if is_means or (is_object if takes_objects else is_joined):
            return _class_of(before[verb])
    if is_means:
        return ANY_VERB
    done = next((token for token in reversed(before[:-1]) if _is_participle(token)), None)
    return done.concept if done and _JOINING & {*surfaces[-2:]} else ""  # translated in X


def _class_of(verb: Token) -> str:
    """Return the class of verbs that give the same of a thing, such as where it is; of other verbs the verb itself."""
    classes = [role for role in verb.word.roles if role in VALUE_CLASSES] if verb.word else []
    return min(classes, default=verb.concept)


def gives_values(tokens: Sequence[Token], at: int) -> bool:
    """Tell whether a token is a verb that gives a value; what may be a noun too (a log), where it is used as a verb."""
    token = tokens[at]
    if not token.word:
        return _is_participle(token)
    is_verb = token.surface.endswith("ed") or (at > 0 and tokens[at - 1].surface.lower() in _DOERS)
    return "value verbs" in token.word.roles or (is_verb and not token.word.roles.isdisjoint(VALUE_CLASSES))


def _is_participle(token: Token) -> bool:
    return token.surface.isascii() and token.surface.endswith("ed") and not token.is_name


def places(clauses: Iterable[Sequence[Token]]) -> dict[str, frozenset[str]]:
    """Return what clauses say of where a thing is, comes from or is made with, in words that are no names.

    By the class of the verb that gives it: `stored in the cloud`, `写在配置文件里`.
    """
    return _grouped(each for tokens in clauses for each in _places(tokens))


def _places(tokens: Sequence[Token]) -> Iterable[tuple[str, str]]:
    for at, token in enumerate(tokens):
        gives = _class_of(token) if token.word and gives_values(tokens, at) else ""
        if gives not in _PLACING_CLASSES or not (token.surface.isascii() or _takes_a_place(tokens, at)):
            continue
        is_phrase = not token.surface.isascii() or " " in token.surface
        if start := at + 1 if is_phrase else _after_joining(tokens, at):
            things = (each for each in tokens[start : start + _LONGEST_PLACE] if each.weight >= _LEAST_THING)
            yield from ((_SENT if token.concept in _SENDING else gives, each.concept) for each in things)


def _takes_a_place(tokens: Sequence[Token], at: int) -> bool:
    """Tell whether a place stands behind a Chinese word: `存到`, `来自`, but neither `日志` nor `在写`."""
    following = tokens[at + 1].word if at + 1 < len(tokens) else None
    return tokens[at].surface[-1:] in _TO_A_PLACE and not (following and "verbs" in following.roles)


def _after_joining(tokens: Sequence[Token], verb: int) -> int:
    """Return the position behind the preposition that a verb gives its value with; 0 where there is none."""
    near = range(verb + 1, min(verb + _REACH_OF_A_VERB, len(tokens)))
    return next((n + 1 for n in near if tokens[n].surface.lower() in _JOINING | _INSTRUMENT), 0)


def persons(tokens: Sequence[Token]) -> Iterable[str]:
    """Yield who owns or does something: roles, names with a capital, Chinese family names, in a clause that says so."""
    owns = any(token.has("owning") for token in tokens) or _is_a_job(tokens)
    acts = any(token.surface.lower() in _AGENT for token in tokens)
    for at, token in enumerate(tokens):
        if (not owns and not (acts and _is_agent(tokens, at))) or _is_left_by(tokens, at):
            continue
        if token.word and token.word.holder and token.word.holder[0] == "role":
            yield " ".join((*_of_what(tokens, at), token.word.holder[1]))
        elif token.surface in load().surnames:
            yield from _cjk_name(tokens, at)
        elif _may_be_called(token) and (token.surface.istitle() if token.surface.isascii() else token.is_name):
            yield token.concept
        elif token.surface.lower() in _OFFICES and at and tokens[at - 1].weight:
            yield f"{tokens[at - 1].concept} {token.concept}"


def _of_what(tokens: Sequence[Token], at: int) -> tuple[str, ...]:
    """Return what stands before a role and tells it from others: the logistics lead, `硬件组长`."""
    before = tokens[at - 1] if at else Token("")
    is_told = before.weight >= _LEAST_THING and not (
        before.word and before.word.roles & {"owning", "verbs", "value verbs"}
    )
    return (before.concept,) if is_told else ()


def _is_left_by(tokens: Sequence[Token], at: int) -> bool:
    """Tell whether a thing came from who is named here: `Ann took over the tests from Ben`."""
    before = [token.surface.lower() for token in tokens[max(at - _REACH_OF_LEAVING, 0) : at]]
    return "from" in before or "从" in before


def _is_a_job(tokens: Sequence[Token]) -> bool:
    """Tell whether a clause says whose job a thing is: `The newsletter is Paul's job`."""
    pairs = itertools.pairwise(tokens)
    return any(_may_have_a_job(name) and job.surface.lower() in _JOBS for name, job in pairs)


def _may_have_a_job(token: Token) -> bool:
    """Tell whether a token is a name, or a role: Paul's job, the admin's job."""
    is_role = token.word is not None and token.word.holder is not None and token.word.holder[0] == "role"
    return is_role or (not token.word and token.surface.istitle())


def _may_be_called(token: Token) -> bool:
    """Tell whether no table says what a word is, or only that it is a city: the Berlin team."""
    return not token.word or is_city(token)


def is_city(token: Token) -> bool:
    """Tell whether a token is a city of the tables, which is a name in both languages."""
    return bool(token.word and token.word.holder and token.word.holder[0] == "city")


def agents(tokens: Sequence[Token]) -> Iterable[str]:
    """Yield the first word behind 由 or 交给, or the characters that make one: who does it, by whatever name."""
    by = next((at for at, token in enumerate(tokens) if token.surface in _BY), len(tokens))
    weight = 0.0
    for token in tokens[by + 1 :]:
        if token.weight and weight < _LEAST_THING:
            weight += token.weight
            yield token.concept


def _is_agent(tokens: Sequence[Token], at: int) -> bool:
    """Tell whether a token stands behind `by`, or near 由."""
    before = [token.surface.lower() for token in tokens[max(at - _REACH_OF_AGENT, 0) : at]]
    return "由" in before or (before[-1:] != [] and before[-1] in _AGENT)


def _cjk_name(tokens: Sequence[Token], at: int) -> Iterable[str]:
    """Yield the name that a family name begins: `张伟`."""
    if at + 1 < len(tokens) and _is_character(tokens[at + 1]):
        yield tokens[at].surface + tokens[at + 1].surface


def bounds(tokens: Sequence[Token], subject: Sequence[Token]) -> Iterable[str]:
    """Yield on which side of an amount that is said which things are meant is `above` it or `below` it.

    `低于五十元的商品`, `when it is above 30 °C`; a limit that is set, `至多五十元`, bounds nothing.
    """
    for at, token in enumerate(tokens):
        if not token.quantity:
            continue
        near = [*tokens[max(at - _REACH_OF_A_BOUND, 0) : at], *tokens[at + 1 : at + 2]]
        side = {role for each in near if each.word for role in each.word.roles & _SIDES}
        is_said_of = any(each.surface in _OF_WHICH for each in tokens[at + 1 : at + 3])
        is_said_of = is_said_of or (
            token in subject and token.surface.isascii() and near[0].surface.isascii()
        )  # transfers above 500 euros wait
        is_condition = any(each.has("condition") for each in tokens[:at])
        if len(side) == 1 and (is_said_of or is_condition):
            yield from side


def is_setting_or_name(token: Token) -> bool:
    """Tell whether a token is a name, or the value of an exclusive setting."""
    return _is_named(token) or bool(token.word and token.word.setting)
