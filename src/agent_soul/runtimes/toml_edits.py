"""Our table in a TOML file, known by its name: Codex itself moves comments about, so none can mark it. Pure."""

from __future__ import annotations

import contextlib
import itertools
import json
import re
import tomllib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from agent_soul.runtimes.commands import SERVER, read_server
from agent_soul.runtimes.edits import Mark, OddFileError, TakenError, with_newlines_of

_SERVERS = "mcp_servers"
_HEADER = re.compile(r"^[ \t]*\[.*$", re.MULTILINE)
_OURS = re.compile(rf"""[ \t]*\[[ \t]*{_SERVERS}[ \t]*\.[ \t]*["']?{SERVER}["']?[ \t]*[.\]]""")


@dataclass(frozen=True, slots=True)
class ServerTable:
    """`[mcp_servers.agent-soul]` with the words that start the server."""

    words: tuple[str, ...]

    @property
    def snippet(self) -> str:
        command, *arguments = map(_string, self.words)
        return f"[{_SERVERS}.{SERVER}]\ncommand = {command}\nargs = [{', '.join(arguments)}]\n"

    def put(self, text: str) -> str:
        there = _server(text)
        if there is not None and _words(there) == list(self.words):
            return text
        if there is not None and not self.marks(text):
            raise TakenError(self, f"its {_SERVERS}.{SERVER} is somebody else's; rename that, then join again")
        rest = self._without(text)
        gap = "" if not rest else "\n" if rest.endswith("\n") else "\n\n"
        after = rest + with_newlines_of(rest, gap + self.snippet)
        return _checked(after, rest, tomllib.loads(self.snippet)[_SERVERS][SERVER])

    def take_out(self, text: str) -> str:
        if not self.marks(text):
            return text
        return self._without(text)

    @staticmethod
    def _without(text: str) -> str:
        """Return the text without our table; what looks like one may stand in a string, so each is tried."""
        if _server(text) is None:
            return text
        spans = _spans(text)
        for chosen in (*(spans[first:] for first in range(len(spans))), *([span] for span in spans)):
            with contextlib.suppress(OddFileError):
                return _checked(_cut(text, chosen), text)
        raise OddFileError(f"its entry {_SERVERS}.{SERVER} is written in a way that is not ours")

    def marks(self, text: str) -> list[Mark]:
        there = _server(text)
        if there is None:
            return []
        call = read_server(_words(there))
        return [Mark(call.hub, call.source, call.program)] if call else []


def _server(text: str) -> Any:
    servers = _load(text).get(_SERVERS, {})
    return servers.get(SERVER) if isinstance(servers, dict) else None


def _words(entry: Any) -> list[str]:
    if not isinstance(entry, dict) or not isinstance(entry.get("args", []), list):
        return []
    return [str(word) for word in (entry.get("command", ""), *entry.get("args", []))]


def _load(text: str) -> dict[str, Any]:
    try:
        return tomllib.loads(text.replace("\r\n", "\n"))
    except tomllib.TOMLDecodeError as error:
        raise OddFileError(f"it is no TOML: {error}") from error


def _spans(text: str) -> list[tuple[int, int]]:
    """Return where our table and those below it stand, without the comments that belong to what follows."""
    starts = [match.start() for match in _HEADER.finditer(text)] + [len(text)]
    spans: list[tuple[int, int]] = []
    for start, end in itertools.pairwise(starts):
        if not _OURS.match(text, start):
            continue
        is_followed_by_ours = end == len(text) or _OURS.match(text, end)
        spans.append((start, end if is_followed_by_ours else end - len(_comments_at_end(text[start:end]))))
    return spans


def _cut(text: str, spans: Sequence[tuple[int, int]]) -> str:
    for start, end in reversed(spans):
        before = text[:start]
        if end == len(text) and before.endswith(("\n\n", "\r\n\r\n")):
            before = before.removesuffix("\n").removesuffix("\r")
        text = before + text[end:]
    return text


def _comments_at_end(table: str) -> str:
    """Return the blank lines and comments at the end of a table's text: they belong to what follows."""
    lines = table.split("\n")
    number = len(lines) - 1
    while number and (not lines[number - 1].strip() or lines[number - 1].lstrip().startswith("#")):
        number -= 1
    return "\n".join(lines[number:])


def _checked(after: str, before: str, server: Any = None) -> str:
    """Return the text if it says what the one before said, with `server` as ours. Raises `OddFileError`."""
    if _server(after) != server or _others(after) != _others(before):
        raise OddFileError("it holds text that looks like a table and is none")
    return after


def _others(text: str) -> dict[str, Any]:
    """Return what a text says but for our server."""
    said = _load(text)
    servers = said.get(_SERVERS)
    if isinstance(servers, dict):
        servers.pop(SERVER, None)
        if not servers:
            said.pop(_SERVERS)
    return said


def _string(word: str) -> str:
    return json.dumps(word, ensure_ascii=False).replace("\x7f", "\\u007f")
