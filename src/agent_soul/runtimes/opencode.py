"""opencode. Source: opencode.ai/docs; tried with 1.18.33."""

from __future__ import annotations

from typing import Any

from agent_soul.runtimes.allowing import AllowedEntries
from agent_soul.runtimes.model import Listed, Place, Runtime, Server, Skill, StaticText
from agent_soul.runtimes.permissions import opencode_rules

_ROOTS = ("$XDG_CONFIG_HOME/opencode", "~/.config/opencode")
_SETTINGS = Place(_ROOTS, "opencode.json")
# Not AGENTS.md: where it is, ~/.claude/CLAUDE.md is read no more.
_TEXT = Place(_ROOTS, "agent-soul.md")


def _server(words: list[str]) -> dict[str, Any]:
    return {"type": "local", "command": words, "enabled": True}


RUNTIME = Runtime(
    name="opencode",
    title="opencode",
    short="opencode",
    parts=(
        StaticText(_TEXT, whole=True),
        Listed(_SETTINGS, ("instructions",), _TEXT),
        Skill(Place(("~",), ".agents/skills/agent-soul")),
        Server(_SETTINGS, ("mcp", "agent-soul"), _server),
        AllowedEntries(_SETTINGS, ("permission", "bash"), lambda scene: opencode_rules(scene.typed)),
    ),
    project_parts=(StaticText(Place(("~",), "AGENTS.md")),),
    looks_installed=(Place(_ROOTS, ""),),
    afterwards=("start opencode anew",),
    check="ask in a new session what it knows about you",
)
