"""The commands that are written into other programs' files, and how ours are recognised there. Pure.

A command stays the same for as long as a join lasts: Codex asks anew about one that changes by a character.
"""

from __future__ import annotations

import itertools
import re
import shlex
from collections.abc import Sequence
from typing import Any, NamedTuple

PROGRAMS = frozenset({"soul", "soul.exe", "soul.py"})
EVENTS = frozenset({"session-start", "stop", "session-end"})
SERVER = "agent-soul"
"""Our name among a program's MCP servers."""
_NEEDS_NO_QUOTES = re.compile(r"[\w./:@%+=,~-]+", re.ASCII)
_SPECIAL = re.compile(r'["\\$`!]')


class HookCall(NamedTuple):
    """A command of ours, read back: the words before `hook`, and what it was written for."""

    program: tuple[str, ...]
    event: str
    runtime: str
    source: str
    hub: str


def hook_words(call: HookCall) -> list[str]:
    """Return the words that run a hook."""
    options = ["--runtime", call.runtime, "--source", call.source, "--hub", call.hub]
    return [*call.program, "hook", call.event, *options]


def hook_command(call: HookCall) -> str:
    """Return these words as one line that sh, bash, cmd and PowerShell take alike, blanks and Chinese in paths too."""
    return typed_line(hook_words(call))


def mcp_words(program: Sequence[str], source: str, hub: str) -> list[str]:
    """Return the words that run the MCP server."""
    return [*program, "mcp", "--source", source, "--hub", hub]


def read_hook(words: Sequence[str]) -> HookCall | None:
    """Return what a command of ours was written for, or None where it is not, word for word, one that we write.

    Other programs are called `soul` too, and ours may stand within a line that a person wrote.
    """
    if "hook" not in words:
        return None
    number = words.index("hook")
    event, named = "".join(words[number + 1 : number + 2]), options_of(words[number + 2 :])
    program = tuple(words[:number])
    call = HookCall(program, event, named.get("runtime", ""), named.get("source", ""), named.get("hub", ""))
    return call if _is_program(program) and event in EVENTS and hook_words(call) == list(words) else None


def _is_program(words: Sequence[str]) -> bool:
    """Tell whether the words start `soul`: by itself, or as a script after the program that runs it."""
    name = re.split(r"[/\\]", words[-1])[-1].lower() if words else ""
    return name in PROGRAMS and len(words) == (2 if name == "soul.py" else 1)


class ServerCall(NamedTuple):
    """The command of an MCP server of ours, read back."""

    program: tuple[str, ...]
    source: str
    hub: str


def read_server(words: Sequence[str]) -> ServerCall | None:
    """Return what an MCP server of ours was written for, or None where it is not, word for word, one that we write."""
    if "mcp" not in words:
        return None
    number = words.index("mcp")
    named = options_of(words[number:])
    call = ServerCall(tuple(words[:number]), named.get("source", ""), named.get("hub", ""))
    return call if _is_program(call.program) and mcp_words(*call) == list(words) else None


def options_of(words: Sequence[str]) -> dict[str, str]:
    """Return the long options with their values."""
    return {word[2:]: value for word, value in itertools.pairwise(words) if word.startswith("--")}


def words_of(handler: Any) -> list[str]:
    """Return the words of a hook's handler as programs write it: a line, or a program with its arguments.

    None come from a line that is quoted otherwise than we do: a person changed it, and a shell may do more there.
    """
    if not isinstance(handler, dict):
        return []
    line = next((handler[key] for key in ("command", "bash") if isinstance(handler.get(key), str)), "")
    arguments = handler.get("args")
    if isinstance(arguments, list):
        return [line, *map(str, arguments)]
    try:
        words = shlex.split(line)
    except ValueError:  # somebody's, with a quote left open
        return []
    return words if typed_line(words) == line else []


def typed_line(words: Sequence[str]) -> str:
    """Return words as they are typed in a shell, always in this form: programs compare what they allow as a text."""
    return " ".join(map(_quoted, words))


def _quoted(word: str) -> str:
    """Quote as all shells do; what stands for something within such quotes is quoted as sh does."""
    if _NEEDS_NO_QUOTES.fullmatch(word):
        return word
    return shlex.quote(word) if _SPECIAL.search(word) else f'"{word}"'
