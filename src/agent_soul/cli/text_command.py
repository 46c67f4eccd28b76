"""Commands whose argument is text from anywhere, pasted lines of pages among them."""

from __future__ import annotations

import re
from typing import Any

import click

_OPTION = re.compile(r"--[a-z][a-z-]*(=.*)?", re.DOTALL)
_NUMBER = re.compile(r"-\.?\d\S*", re.ASCII)
# No argument of a process holds this character.
_AS_TEXT = "\0"


class TextCommand(click.Command):
    """A command to which `- two words` and `-5` are text: click would take the dash for the beginning of an option."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        pairs = zip(["", *args], args, strict=False)
        marked = [f"{_AS_TEXT}{each}" if _is_text(each, last) else each for last, each in pairs]
        rest = super().parse_args(ctx, marked)
        ctx.params = {name: _unmarked(value) for name, value in ctx.params.items()}
        return rest


def _is_text(argument: str, last: str) -> bool:
    """Tell whether an argument is text though it begins with a dash; a number may be the value of the `last` one."""
    if _NUMBER.fullmatch(argument):
        return not _OPTION.fullmatch(last)
    return argument.startswith("-") and bool(re.search(r"\s", argument)) and not _OPTION.fullmatch(argument)


def _unmarked(value: Any) -> Any:
    if isinstance(value, tuple):
        return tuple(map(_unmarked, value))
    return value.removeprefix(_AS_TEXT) if isinstance(value, str) else value
