"""What goes back to the client: text in which nothing hides, and errors that say the next step."""

from __future__ import annotations

import difflib
import itertools
import re
from collections.abc import Collection, Iterable, Mapping
from typing import Any

from agent_soul.bugs import write_report
from agent_soul.credentials import find_credentials
from agent_soul.errors import SoulError
from agent_soul.telling import shortened, told, with_commands
from agent_soul.text import terminal_safe

_OPTION = re.compile(r"--([a-z][a-z-]*)")
_TOOLS = {
    "soul add": "add_event",
    "soul search": "search_events",
    "soul project list": "list_projects",
    "soul mem write --help": "mem_write",
    "soul add --help": "add_event",
}
"""Commands that a message of ours names, and the tool that does the same here."""
# Options that may be repeated are lists with another name here.
_LISTS = {"keyword": "keywords", "tag": "tags", "related-path": "related_paths", "related-branch": "related_branches"}


def safe(value: Any) -> Any:
    """Return a value of JSON in whose texts, names too, all that could steer a terminal or hide is a visible escape."""
    if isinstance(value, str):
        return terminal_safe(value)
    if isinstance(value, Mapping):
        return {terminal_safe(str(name)): safe(each) for name, each in value.items()}
    if isinstance(value, (list, tuple)):
        return [safe(each) for each in value]
    return value


def failure(error: BaseException, where: str) -> str:
    """Return what an agent is told of an error, and what to do next. A bug of ours leaves a report in a file.

    Call it while the error is handled. `where` names the tool or resource.
    """
    if isinstance(error, (SoulError, OSError, UnicodeEncodeError)):
        _, message, hint = told(error)
    else:
        message, hint = f"a bug of ours: {type(error).__name__}: {error}", write_report(["mcp", where])
    return _with_next_step(message, hint)


def wrong_arguments(faults: Iterable[tuple[str, str]]) -> str:
    """Return what an agent is told of arguments that do not fit: each with what is wrong with it, but for keys."""
    said = "; ".join(f"{name}: {what}" if name else what for name, what in faults)
    for found in find_credentials(said.encode("utf-8", "replace")):
        return _with_next_step(f"the arguments do not fit, and hold what looks like {found}", "nothing was done")
    return _with_next_step(said, "nothing was done; mend the arguments and call again")


def unknown_arguments(given: Iterable[str], known: Collection[str]) -> str:
    """Return what an agent is told of arguments that a tool has not; they would be dropped without a word."""
    faults = []
    for name in given:
        close = difflib.get_close_matches(name, known, n=1)
        meant = f"did you mean {close[0]!r}?" if close else f"there are: {', '.join(known)}"
        faults.append((name, f"there is no such argument; {meant}"))
    return wrong_arguments(faults)


def _with_next_step(message: str, hint: str) -> str:
    lines = [with_commands(in_tools(part)) for part in (shortened(message), hint) if part]
    return terminal_safe("\n→ ".join(lines))


def in_tools(text: str) -> str:
    """Return talk of ours for somebody who calls tools: options are arguments, and commands tools where one is."""
    parts = text.split("`")
    commands = (_TOOLS.get(part, part) for part in parts[1::2])
    others = (_OPTION.sub(_argument, part) for part in parts[::2])
    return "`".join(part for pair in itertools.zip_longest(others, commands) for part in pair if part is not None)


def _argument(option: re.Match[str]) -> str:
    return _LISTS.get(option[1], option[1].replace("-", "_"))
