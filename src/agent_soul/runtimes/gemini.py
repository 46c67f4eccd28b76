"""Gemini CLI. Sources: geminicli.com/docs (gemini-md, memport, hooks, configuration); tried with 0.61.0."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

from agent_soul.runtimes.allowing import AllowedFile
from agent_soul.runtimes.commands import HookCall, hook_command
from agent_soul.runtimes.model import (
    HookEvent,
    HookFile,
    Place,
    Runtime,
    Scene,
    Server,
    Skill,
    StaticText,
    command_and_args,
)
from agent_soul.runtimes.permissions import gemini_policy
from agent_soul.runtimes.static_text import Limit

LIMIT = Limit(12_000, "characters")
"""Of Antigravity, which reads the same file."""
_FROM_OUTSIDE = re.compile(r"^@(?:~|/|\.\./)\S*", re.MULTILINE)
_SETTINGS = Place(("~",), ".gemini/settings.json")


def hook(call: HookCall, event: HookEvent) -> dict[str, Any]:
    """Return a group with one handler; its timeout counts in milliseconds, and matchers are no patterns."""
    handler = {"name": "agent-soul", "type": "command", "command": hook_command(call), "timeout": event.seconds * 1000}
    return {"matcher": "*", "hooks": [handler]}


def _notes(scene: Scene, text_of: Callable[[Path], str]) -> list[str]:
    file = Place(("~",), ".gemini/GEMINI.md").on(scene.home)
    lines = _FROM_OUTSIDE.findall(text_of(file))
    return [f"{file} imports {line}, and Gemini CLI refuses what lies outside its own folder" for line in lines]


RUNTIME = Runtime(
    name="gemini",
    title="Gemini CLI",
    short="gemini",
    parts=(
        # Imports work below ~/.gemini only, links resolved: the text is a copy.
        StaticText(Place(("~",), ".gemini/GEMINI.md"), limit=LIMIT),
        HookFile(
            _SETTINGS,
            {
                "SessionStart": HookEvent("session-start", 10),
                "AfterAgent": HookEvent("stop", 10),
                "SessionEnd": HookEvent("session-end", 10),
            },
            hook,
        ),
        Skill(Place(("~",), ".agents/skills/agent-soul")),
        Server(_SETTINGS, ("mcpServers", "agent-soul"), command_and_args),
        AllowedFile(Place(("~",), ".gemini/policies/agent-soul.toml"), lambda scene: gemini_policy(scene.typed)),
    ),
    project_parts=(StaticText(Place(("~",), "GEMINI.md"), limit=LIMIT),),
    looks_installed=(Place(("~",), ".gemini"),),
    afterwards=("start Gemini CLI anew",),
    check="`/memory show` has the shared memory in it",
    notes=_notes,
)
