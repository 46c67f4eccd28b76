"""Where each program keeps what an agent may run without asking; offered with `--allow`, never imposed."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from agent_soul.runtimes.commands import PROGRAMS
from agent_soul.runtimes.json_edits import Entries, Words
from agent_soul.runtimes.model import Place, Placed, Runtime, Scene
from agent_soul.runtimes.permissions import ALLOWED, is_tool
from agent_soul.runtimes.whole import Whole

PERMISSIONS = "what needs no permission"
_RULE = re.compile(r"(?:Bash\(|Shell\()?(?P<program>.*?)(?: (?P<command>[a-z-]+) \*)?\)?")


def is_ours(rule: str) -> bool:
    """Tell whether a rule lets a command of the memory run, however the command was typed when it was written."""
    if is_tool(rule):
        return True
    found = _RULE.fullmatch(rule)
    name = re.split(r"[/\\]", found["program"])[-1].strip("\"'") if found else ""
    return found is not None and name in PROGRAMS and found["command"] in (None, *ALLOWED)


@dataclass(frozen=True, slots=True)
class AllowedWords:
    """Rules in a list of JSON settings."""

    place: Place
    path: tuple[str, ...]
    rules: Callable[[Scene], list[str]]

    def placed(self, runtime: Runtime, scene: Scene) -> Iterator[Placed]:
        """Yield the rules where they were asked for."""
        if scene.options.allow:
            yield Placed(self.place.on(scene.home), Words(self.path, tuple(self.rules(scene)), is_ours), PERMISSIONS)


@dataclass(frozen=True, slots=True)
class AllowedEntries:
    """Rules as members of an object in JSON settings."""

    place: Place
    path: tuple[str, ...]
    rules: Callable[[Scene], dict[str, str]]

    def placed(self, runtime: Runtime, scene: Scene) -> Iterator[Placed]:
        """Yield the rules where they were asked for."""
        if scene.options.allow:
            yield Placed(self.place.on(scene.home), Entries(self.path, self.rules(scene), is_ours), PERMISSIONS)


@dataclass(frozen=True, slots=True)
class AllowedFile:
    """Rules in a file of their own."""

    place: Place
    rules: Callable[[Scene], str]

    def placed(self, runtime: Runtime, scene: Scene) -> Iterator[Placed]:
        """Yield the file where it was asked for."""
        if scene.options.allow:
            sign = f"# Written by `soul join {runtime.name} --allow`."
            yield Placed(self.place.on(scene.home), Whole(self.rules(scene), sign), PERMISSIONS)
