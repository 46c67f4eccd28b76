"""Zed. Source: zed.dev/docs/ai; read, not run."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from agent_soul.runtimes.model import Place, Runtime, Scene, Server, Skill, StaticText

_ROOTS = ("$XDG_CONFIG_HOME/zed", "~/.config/zed")
_WINDOWS = ("$APPDATA/Zed", "~/AppData/Roaming/Zed")
_PROJECT_FILE = "AGENTS.md"
_READ_BEFORE = (
    ".rules",
    ".cursorrules",
    ".windsurfrules",
    ".clinerules",
    ".github/copilot-instructions.md",
    "AGENT.md",
)
"""Of a project Zed reads the first of these that is there, and AGENTS.md only where none is."""


def _server(words: list[str]) -> dict[str, Any]:
    return {"source": "custom", "command": words[0], "args": words[1:], "env": {}}


def _notes(scene: Scene, text_of: Callable[[Path], str]) -> list[str]:
    if scene.project is None:
        return []
    first = next((name for name in _READ_BEFORE if (scene.project / name).exists()), None)
    return [f"Zed reads {first} of this project, and then not {_PROJECT_FILE}"] if first else []


RUNTIME = Runtime(
    name="zed",
    title="Zed",
    short="zed",
    parts=(
        StaticText(Place(_ROOTS, "AGENTS.md", windows=_WINDOWS)),
        Skill(Place(("~",), ".agents/skills/agent-soul")),
        Server(Place(_ROOTS, "settings.json", windows=_WINDOWS), ("context_servers", "agent-soul"), _server),
    ),
    project_parts=(StaticText(Place(("~",), _PROJECT_FILE)),),
    looks_installed=(Place(_ROOTS, "", windows=_WINDOWS),),
    afterwards=("open a new thread in the agent panel",),
    check="ask in a new thread what it knows about you",
    notes=_notes,
)
