"""What a clone had noted of its joins and lost, worked out again from what of ours stands on the machine."""

from __future__ import annotations

import contextlib
import json
import tomllib
from collections.abc import Collection, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from agent_soul.hub import Hub
from agent_soul.runtimes.model import Home, Place
from agent_soul.runtimes.plan import plan_end
from agent_soul.runtimes.registry import RUNTIMES
from agent_soul.runtimes.standing import Standing, find_join, probe
from agent_soul.runtimes.writing import read, text_at

_OF_CLAUDE_CODE = Place(("$CLAUDE_CONFIG_DIR", "~"), ".claude.json")
_OF_CODEX = Place(("$CODEX_HOME", "~/.codex"), "config.toml")


def known_projects(home: Home) -> list[Path]:
    """Return the projects in which Claude Code and Codex were at work, by their own settings."""
    claude = _table(text_at(_OF_CLAUDE_CODE.on(home)), json.loads)
    codex = _table(text_at(_OF_CODEX.on(home)), tomllib.loads)
    named = (Path(name) for table in (claude, codex) for name in table)
    return [each for each in named if each.is_absolute()]


def find_in_projects(hub: Hub, home: Home, near: Iterable[Path]) -> Iterator[Standing]:
    """Yield the joins of this hub in projects that hold one of the folders `near`; a home is none."""
    never = {home.folder, *home.folder.parents}
    folders = dict.fromkeys(each for folder in near for each in (folder, *folder.parents))
    for folder in (each for each in folders if each not in never):
        for runtime in (each for each in RUNTIMES.values() if each.project_parts):
            standing = find_join(hub, runtime, probe(hub, home, folder))
            if standing:
                yield standing


def folders_of_joins(standing: Collection[Standing], home: Home) -> list[Path]:
    """Return the folders that hold nothing but what the joins wrote, outermost first: so a join made them."""
    placed = [each for one in standing for each in one.placed]
    ours = {change.path for change in plan_end(placed, read).changes if change.after is None}
    projects = [one.project for one in standing if one.project]
    never = {above for top in (home.folder, *projects) for above in (top, *top.parents)}
    found: set[Path] = set()
    waiting = {path.parent for path in ours}
    while waiting:
        waiting = {each for each in waiting - never - found if _holds_only(each, ours | found)}
        found |= waiting
        waiting = {each.parent for each in waiting}
    return sorted(found, key=lambda folder: len(folder.parts))


def _holds_only(folder: Path, ours: Collection[Path]) -> bool:
    with contextlib.suppress(OSError):
        return all(each in ours for each in folder.iterdir())
    return False


def _table(text: str, load: Any) -> Mapping[str, Any]:
    with contextlib.suppress(ValueError, RecursionError, KeyError, TypeError):
        projects = load(text)["projects"]
        return projects if isinstance(projects, dict) else {}
    return {}
