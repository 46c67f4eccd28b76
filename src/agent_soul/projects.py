"""Names of projects: which are one project, which stand in the log, and which one somebody may have meant. Pure."""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterable, Sequence

from agent_soul.acts import is_mark
from agent_soul.event import Event
from agent_soul.resolve import Resolution, Status
from agent_soul.text import compare_key

_ALIKE = 0.75
"""Share of their letters in order that two names have in common when one may be a slip for the other."""
# A scan for names: parsing a large log whole takes seconds, and only a warning depends on it.
_NAMED = re.compile(rb'"(?:project|scope)"\s*:\s*("(?:[^"\\]|\\.){1,400}")')


class Aliases:
    """Which names stand for which, as `alias` marks say it, oldest first; of two that disagree the newer one holds."""

    def __init__(self, marks: Iterable[tuple[Sequence[str], str]]) -> None:
        self._given: dict[str, tuple[str, str]] = {}  # key of a name to the name and to what it is called now
        for names, called in marks:
            self._given.pop(compare_key(called), None)  # what it was called before is called so again
            self._given |= {compare_key(name): (name, called) for name in names}

    def __bool__(self) -> bool:
        return bool(self._given)

    def name_for(self, name: str) -> str:
        """Return what a project of that name is called now."""
        seen: set[str] = set()
        while (key := compare_key(name)) in self._given and key not in seen:
            seen.add(key)
            name = self._given[key][1]
        return name

    def names_for(self, name: str) -> list[str]:
        """Return all names of the project that is called or was called `name`, today's first."""
        called = self.name_for(name)
        others = [given for given, _ in self._given.values() if self.name_for(given) == called and given != called]
        return [called, *others]


def aliases_of(resolution: Resolution) -> Aliases:
    """Return the names that the marks of a resolution give."""
    marks = (v.event.data["mark"] for v in resolution.verdicts if v.status is Status.MARK and is_mark(v.event, "alias"))
    return Aliases((mark["targets"], mark["to"]) for mark in marks if mark.get("to"))


def folded(resolution: Resolution) -> Resolution:
    """Return the resolution with each project under the name that it is called now; statuses stay as they are."""
    aliases = aliases_of(resolution)
    if not aliases:
        return resolution

    def renamed(event: Event) -> Event:
        called = aliases.name_for(event.project) if event.project else ""
        return event if called == event.project else event._replace(project=called)

    return resolution._replace(verdicts=tuple(v._replace(event=renamed(v.event)) for v in resolution.verdicts))


def names_in(contents: Iterable[bytes]) -> set[str]:
    """Return the names of projects that stand in source files, read as bytes and without checking the lines."""
    names = set()
    for content in contents:
        for found in set(_NAMED.findall(content)):
            value = _text_of(found)
            kind, _, name = value.partition(":")
            names.add(name if kind == "project" and name else value)
    return names - {""}


def nearest_name(name: str, known: Collection[str]) -> str:
    """Return the one of the known names for which `name` may be a slip, or an empty string.

    A name that is known is none, and names that differ in a number are two names.
    """
    import difflib  # 4 ms that only a new name pays

    keys = {compare_key(each): each for each in sorted(known)}
    key = compare_key(name)
    if key in keys:
        return ""
    same_numbers = [each for each in keys if re.findall(r"\d+", each) == re.findall(r"\d+", key)]
    close = difflib.get_close_matches(key, same_numbers, n=1, cutoff=_ALIKE)
    return keys[close[0]] if close else ""


def _text_of(quoted: bytes) -> str:
    try:
        return str(json.loads(quoted))
    except ValueError:
        return ""
