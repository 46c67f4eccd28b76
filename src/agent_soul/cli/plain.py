"""The usual calls of `add` and `share`, understood without click, which takes a tenth of their time to load.

A call is plain where it can mean one thing only: known options with their values, and the text. Everything else, such
as help, mistakes and words that begin with a dash, is for click to read.
"""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any

from agent_soul.cli.fields import OPTIONS, Option, finite_number
from agent_soul.hub import find_hub

LONGEST_BUDGET = 3600
"""Seconds for which a command may try to reach the remote at most."""
_HUB = Option(("--hub",))
ADD: Mapping[str, Option] = {**OPTIONS, "hub_name": _HUB, "as_json": Option(("--json",), is_flag=True)}
SHARE: Mapping[str, Option] = {**ADD, "budget": Option(("--budget",), within=(1, LONGEST_BUDGET), whole=True)}


def plainly_called(arguments: Sequence[str]) -> Callable[[], int] | None:
    """Return what a plain call asks for, ready to be run; None for every other."""
    hub, words = _hub_before(arguments)
    if words[:1] == ["add"]:
        given = read(words[1:], ADD)
        return None if given is None else partial(_add, hub, given)
    if words[:1] == ["share"]:
        given = read(words[1:], SHARE, takes_text=True)
        return None if given is None else partial(_share, hub, given)
    return None


def _hub_before(arguments: Sequence[str]) -> tuple[str, Sequence[str]]:
    """Return the hub that is named before the command, and the rest."""
    given = read(arguments[:2], {"hub_name": _HUB}) if arguments[:1] == ["--hub"] else None
    return (given["hub_name"], arguments[2:]) if given else ("", arguments)


def _add(hub: str, given: dict[str, Any]) -> int:
    from agent_soul.cli.single import add_one

    given.pop("as_json", None)  # its answer is always JSON
    return add_one(find_hub(given.pop("hub_name", "") or hub), given)


def _share(hub: str, given: dict[str, Any]) -> int:
    from agent_soul.cli.reaching import share_one
    from agent_soul.sync import DEFAULT_BUDGET

    text, budget = given.pop("text", None), given.pop("budget", DEFAULT_BUDGET)
    as_json, hub = given.pop("as_json", False), given.pop("hub_name", "") or hub
    return share_one(find_hub(hub), text, given, budget=budget, as_json=as_json)


def read(words: Iterable[str], options: Mapping[str, Option], *, takes_text: bool = False) -> dict[str, Any] | None:
    """Return the parameters that the words of a call give, its text as `text`; None where the call is not plain."""
    flags = {flag: name for name, option in options.items() for flag in option.flags}
    given: dict[str, Any] = {}
    rest = iter(words)
    for word in rest:
        is_text = takes_text and not word.startswith("-")
        name, value = ("text", word) if is_text else _option(word, rest, flags, options)
        several = name in options and options[name].multiple
        if value is None or (name in given and not several):
            return None
        given[name] = (*given.get(name, ()), value) if several else value
    variables = {name: os.environ.get(option.envvar) for name, option in options.items() if option.envvar}
    return {name: value for name, value in variables.items() if value} | given


def _option(
    word: str, rest: Iterator[str], flags: Mapping[str, str], options: Mapping[str, Option]
) -> tuple[str, str | float | bool | None]:
    """Return which parameter an option fills, and with what; its value is None where that is not plain."""
    flag, sign, value = word.partition("=")
    name = flags.get(flag, "")
    if not name:
        return name, None
    option = options[name]
    if option.is_flag:
        return name, None if sign else True
    value = value if sign else next(rest, "-")
    if value.startswith("-"):
        return name, None
    return name, _number(value, option) if option.within else value


def _number(value: str, option: Option) -> float | None:
    number = finite_number(value)
    least, most = option.within or (-math.inf, math.inf)
    is_meant = number is not None and least <= number <= most and (isinstance(number, int) or not option.whole)
    return number if is_meant else None
