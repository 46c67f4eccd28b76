"""The options that describe an event, as click takes them: one set, of which each command takes its part."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, TypeVar

import click

from agent_soul.cli.fields import OPTIONS, SHARED, Option, finite_number

F = TypeVar("F", bound=Callable[..., Any])


class Number(click.ParamType):  # type: ignore[type-arg]  # generic in newer releases of click only
    """A number from `least` to `most`; what JSON does not know as a number is none."""

    name = "number"

    def __init__(self, least: float = -math.inf, most: float = math.inf) -> None:
        self._least, self._most = least, most

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float:
        number = finite_number(value)
        if number is None or not self._least <= number <= self._most:
            within = f" from {self._least:g} to {self._most:g}" if math.isfinite(self._least) else ""
            self.fail(f"{value!r} is not a number{within}", param, ctx)
        return number


def _of_click(name: str, option: Option) -> Callable[[F], F]:
    return click.option(
        *option.flags,
        name,
        type=Number(*option.within) if option.within else None,
        metavar=option.metavar,
        multiple=option.multiple,
        is_flag=option.is_flag or None,  # False would mean that a value may be left out
        envvar=option.envvar,
        help=option.help,
    )


def with_options(*names: str) -> Callable[[F], F]:
    """Add the options that fill these parameters."""

    def add_to(command: F) -> F:
        for name in reversed(names):
            command = _of_click(name, OPTIONS[name])(command)
        return command

    return add_to


event_options = with_options(*OPTIONS)
"""Adds the options that describe any event."""
shared_options = with_options(*SHARED)
"""Adds the options that make sense for an event of every kind, for commands whose name says the kind."""
source_option = with_options("source")
