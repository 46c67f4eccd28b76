"""Edits of JSON settings: a member, words in a list, hooks. Pure."""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from agent_soul.runtimes import json_text
from agent_soul.runtimes.commands import HookCall, read_hook, read_server, words_of
from agent_soul.runtimes.edits import Mark, OddFileError, TakenError


def _nested(path: Sequence[str], value: Any) -> str:
    for key in reversed(path):
        value = {key: value}
    return json.dumps(value, ensure_ascii=False, indent=2) + "\n"


def _no_other(_: str) -> bool:
    return False


@dataclass(frozen=True, slots=True)
class Member:
    """The member at `path` is an MCP server of ours among others; one of that name that somebody else wrote is not."""

    path: tuple[str, ...]
    value: Any

    @property
    def snippet(self) -> str:
        return _nested(self.path, self.value)

    def put(self, text: str) -> str:
        if json_text.look(text, self.path) and not self.marks(text):
            raise TakenError(self, f"its {'.'.join(self.path)} is somebody else's; rename that, then join again")
        return json_text.put_member(text, self.path, self.value)

    def take_out(self, text: str) -> str:
        return json_text.remove(text, self.path) if self.marks(text) else text

    def marks(self, text: str) -> list[Mark]:
        found = json_text.look(text, self.path)
        call = read_server(_server_words(found.value)) if found else None
        return [Mark(call.hub, call.source, call.program)] if call else []


def _server_words(entry: Any) -> list[str]:
    """Return the command of an MCP server, which programs write as a word with arguments, or as one list."""
    if not isinstance(entry, dict):
        return []
    command, arguments = entry.get("command"), entry.get("args")
    words = [
        *(command if isinstance(command, list) else [command]),
        *(arguments if isinstance(arguments, list) else []),
    ]
    return [word for word in words if isinstance(word, str)]


@dataclass(frozen=True, slots=True)
class Preset:
    """A member that the program wants in the file, whoever made it; it goes where nothing else is left."""

    key: str
    value: Any

    @property
    def snippet(self) -> str:
        return _nested((self.key,), self.value)

    def put(self, text: str) -> str:
        return text if json_text.look(text, (self.key,)) else json_text.put_member(text, (self.key,), self.value)

    def take_out(self, text: str) -> str:
        alone = json_text.parse(text).value == {self.key: self.value}
        return json_text.remove(text, (self.key,)) if alone else text

    def marks(self, text: str) -> list[Mark]:
        return []


@dataclass(frozen=True, slots=True)
class Words:
    """Strings of ours in the list at `path`. `is_ours` knows those of an earlier join, too."""

    path: tuple[str, ...]
    words: tuple[str, ...]
    is_ours: Callable[[str], bool] = _no_other

    @property
    def snippet(self) -> str:
        return _nested(self.path, list(self.words))

    def put(self, text: str) -> str:
        text = self._without(text, keep=self.words)
        for word in self.words:
            text = text if word in _items(text, self.path) else json_text.append(text, self.path, word)
        return text

    def take_out(self, text: str) -> str:
        return self._without(text, keep=())

    def marks(self, text: str) -> list[Mark]:
        return []

    def _without(self, text: str, keep: Sequence[str]) -> str:
        while True:
            number = next(
                (number for number, word in enumerate(_items(text, self.path)) if self._goes(word, keep)), None
            )
            if number is None:
                return text
            text = json_text.remove(text, (*self.path, number))

    def _goes(self, word: Any, keep: Sequence[str]) -> bool:
        return isinstance(word, str) and word not in keep and (word in self.words or self.is_ours(word))


@dataclass(frozen=True, slots=True)
class Entries:
    """Members of ours in the object at `path`. `is_ours` knows the keys of those of an earlier join, too."""

    path: tuple[str, ...]
    entries: Mapping[str, Any]
    is_ours: Callable[[str], bool]

    @property
    def snippet(self) -> str:
        return _nested(self.path, dict(self.entries))

    def put(self, text: str) -> str:
        text = self._without(text, keep=self.entries)
        for key, value in self.entries.items():
            text = json_text.put_member(text, (*self.path, key), value)
        return text

    def take_out(self, text: str) -> str:
        return self._without(text, keep=())

    def marks(self, text: str) -> list[Mark]:
        return []

    def _without(self, text: str, keep: Collection[str]) -> str:
        found = json_text.look(text, self.path)
        there = found.value if found and isinstance(found.value, dict) else {}
        for key in there:
            if key not in keep and self.is_ours(key):
                text = json_text.remove(text, (*self.path, key))
        return text


@dataclass(frozen=True, slots=True)
class Hooks:
    """Our handlers among others. `entries` gives for each event of the program what it should hold of ours.

    An entry is a handler, or a group with a list `hooks` of handlers (Claude Code, Codex, Gemini CLI).
    """

    entries: Mapping[str, Any]
    path: str = "hooks"

    @property
    def snippet(self) -> str:
        return _nested((self.path,), {event: [entry] for event, entry in self.entries.items()})

    def put(self, text: str) -> str:
        for event in self._events(text):
            if event not in self.entries:
                text = _without_ours(text, (self.path, event), keep=None)
        for event, entry in self.entries.items():
            text = self._put_entry(text, event, entry)
        return text

    def _put_entry(self, text: str, event: str, entry: Any) -> str:
        place = (self.path, event)
        text = _without_ours(text, place, keep=entry)
        items = _items(text, place)
        whole = [number for number, item in enumerate(items) if _is_ours(item)]
        if not whole:
            return json_text.append(text, place, entry)
        return text if items[whole[0]] == entry else json_text.replace_item(text, place, whole[0], entry)

    def take_out(self, text: str) -> str:
        for event in self._events(text):
            text = _without_ours(text, (self.path, event), keep=None)
        return text

    def marks(self, text: str) -> list[Mark]:
        calls = [
            call for event in self._events(text) for item in _items(text, (self.path, event)) for call in _calls(item)
        ]
        return [Mark(call.hub, call.source, call.program) for call in calls]

    def _events(self, text: str) -> list[str]:
        found = json_text.look(text, (self.path,))
        if found is None:
            return []
        if not isinstance(found.value, dict):
            raise OddFileError(f"{self.path!r} is no object")
        return list(found.value)


def _items(text: str, place: Sequence[str]) -> list[Any]:
    found = json_text.look(text, place)
    return found.value if found and isinstance(found.value, list) else []


def _handlers(item: Any) -> list[Any]:
    inner = item.get("hooks") if isinstance(item, dict) else None
    return inner if isinstance(inner, list) else [item]


def _calls(item: Any) -> Iterator[HookCall]:
    for handler in _handlers(item):
        call = read_hook(words_of(handler))
        if call:
            yield call


def _is_ours(item: Any) -> bool:
    """Tell whether all handlers of an entry are ours."""
    return len(list(_calls(item))) == len(_handlers(item)) > 0


def _without_ours(text: str, place: tuple[str, ...], *, keep: Any) -> str:
    """Return the text without our handlers there; with `keep`, one entry that is ours alone stays to be replaced."""
    while True:
        items = _items(text, place)
        whole = [number for number, item in enumerate(items) if _is_ours(item)]
        mixed = [number for number, item in enumerate(items) if number not in whole and any(_calls(item))]
        if mixed:
            inner = _handlers(items[mixed[0]])
            number = next(number for number, handler in enumerate(inner) if any(_calls(handler)))
            text = json_text.remove(text, (*place, mixed[0], "hooks", number))
        elif len(whole) > (keep is not None):
            text = json_text.remove(text, (*place, whole[-1]))
        else:
            return text
