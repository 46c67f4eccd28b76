"""Commands whose argument is text from anywhere, pasted lines of pages among them."""

from __future__ import annotations

import re
from typing import Any

import click

_OPTION = re.compile(r"--[a-z][a-z-]*(=.*)?", re.DOTALL)
# No argument of a process holds this character.
_AS_TEXT = "\0"


class TextCommand(click.Command):
    """A command to which `- two words` is text: click would take the dash for the beginning of an option."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        rest = super().parse_args(ctx, [f"{_AS_TEXT}{each}" if _is_text(each) else each for each in args])
        ctx.params = {name: _unmarked(value) for name, value in ctx.params.items()}
        return rest


def _is_text(argument: str) -> bool:
    return argument.startswith("-") and bool(re.search(r"\s", argument)) and not _OPTION.fullmatch(argument)


def _unmarked(value: Any) -> Any:
    if isinstance(value, tuple):
        return tuple(map(_unmarked, value))
    return value.removeprefix(_AS_TEXT) if isinstance(value, str) else value
