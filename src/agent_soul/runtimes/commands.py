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
    return " ".join(map(_quoted, hook_words(call)))


def mcp_words(program: Sequence[str], source: str, hub: str) -> list[str]:
    """Return the words that run the MCP server."""
    return [*program, "mcp", "--source", source, "--hub", hub]


def read_hook(words: Sequence[str]) -> HookCall | None:
    """Return what a command of ours was written for, or None where it is somebody else's."""
    for number, (word, following) in enumerate(itertools.pairwise(words)):
        if following == "hook" and re.split(r"[/\\]", word)[-1].lower() in PROGRAMS:
            event = words[number + 2] if len(words) > number + 2 else ""
            named = options_of(words[number + 2 :])
            program = tuple(words[: number + 1])
            return HookCall(program, event, named.get("runtime", ""), named.get("source", ""), named.get("hub", ""))
    return None


class ServerCall(NamedTuple):
    """The command of an MCP server of ours, read back."""

    program: tuple[str, ...]
    source: str
    hub: str


def read_server(words: Sequence[str]) -> ServerCall | None:
    """Return what an MCP server of ours was written for, or None where somebody else wrote it."""
    named = options_of(words)
    if "mcp" not in words or "hub" not in named:
        return None
    return ServerCall(tuple(words[: words.index("mcp")]), named.get("source", ""), named["hub"])


def options_of(words: Sequence[str]) -> dict[str, str]:
    """Return the long options with their values."""
    return {word[2:]: value for word, value in itertools.pairwise(words) if word.startswith("--")}


def words_of(handler: Any) -> list[str]:
    """Return the words of a hook's handler as programs write it: a line, or a program with its arguments."""
    if not isinstance(handler, dict):
        return []
    line = next((handler[key] for key in ("command", "bash") if isinstance(handler.get(key), str)), "")
    arguments = handler.get("args")
    if isinstance(arguments, list):
        return [line, *map(str, arguments)]
    try:
        return shlex.split(line)
    except ValueError:  # somebody's, with a quote left open
        return []


def _quoted(word: str) -> str:
    """Quote as all shells do; what stands for something within such quotes is quoted as sh does."""
    if _NEEDS_NO_QUOTES.fullmatch(word):
        return word
    return shlex.quote(word) if _SPECIAL.search(word) else f'"{word}"'
