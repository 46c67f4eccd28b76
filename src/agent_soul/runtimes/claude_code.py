"""Claude Code. Sources: code.claude.com/docs/en/{memory,hooks,mcp}; tried with 2.1.332."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

from agent_soul.runtimes.allowing import AllowedWords
from agent_soul.runtimes.commands import HookCall, hook_words
from agent_soul.runtimes.model import HookEvent, HookFile, Place, Runtime, Scene, Server, Skill, StaticText
from agent_soul.runtimes.permissions import claude_code_rules

_ROOTS = ("$CLAUDE_CONFIG_DIR", "~/.claude")
_SKILL = Place(("~",), ".agents/skills/agent-soul")


def hook(call: HookCall, event: HookEvent) -> dict[str, Any]:
    """Return a group with one handler, started without a shell. A start of every kind counts, so no matcher."""
    program, *arguments = hook_words(call)
    return {"hooks": [{"type": "command", "command": program, "args": arguments, "timeout": event.seconds}]}


def _notes(scene: Scene, text_of: Callable[[Path], str]) -> list[str]:
    settings, agents = (Place(_ROOTS, name).on(scene.home) for name in ("settings.json", "AGENTS.md"))
    notes = []
    if text_of(agents):
        notes.append(f"{agents} is there, and Claude Code does not read it: its own is CLAUDE.md")
    if re.search(r'"agent-soul@[^"]*"\s*:\s*true', text_of(settings)):
        notes.append(f"{settings} enables our plugin, which brings the same hooks: `claude plugin disable agent-soul`")
    return notes


def _server(words: list[str]) -> dict[str, Any]:
    return {"type": "stdio", "command": words[0], "args": words[1:]}


def _rules(scene: Scene) -> list[str]:
    return claude_code_rules(scene.typed, scene.hub)


RUNTIME = Runtime(
    name="claude-code",
    title="Claude Code",
    short="claude",
    parts=(
        StaticText(Place(_ROOTS, "rules/agent-soul.md"), whole=True, imports=True),
        # The end of a session gets 1.5 s, or what the largest `timeout` among the settings says.
        HookFile(
            Place(_ROOTS, "settings.json"),
            {
                "SessionStart": HookEvent("session-start", 10),
                "Stop": HookEvent("stop", 10),
                "SessionEnd": HookEvent("session-end", 10),
            },
            hook,
        ),
        Skill(_SKILL),
        Skill(Place(_ROOTS, "skills/agent-soul"), shared=_SKILL),  # it does not look there, and follows links
        Server(Place(("$CLAUDE_CONFIG_DIR", "~"), ".claude.json"), ("mcpServers", "agent-soul"), _server),
        AllowedWords(Place(_ROOTS, "settings.json"), ("permissions", "allow"), _rules),
    ),
    # Imports from a project's file are asked about, so its text is a copy.
    project_parts=(StaticText(Place(("~",), ".claude/rules/agent-soul.md"), whole=True),),
    looks_installed=(Place(_ROOTS, ""),),
    afterwards=("start Claude Code anew",),
    check="`/context` lists the file `agent-soul.md` among the memory files, `/hooks` the three hooks",
    notes=_notes,
)
