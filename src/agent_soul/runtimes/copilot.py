"""GitHub Copilot CLI, and VS Code in a project. Sources: docs.github.com/copilot; read, not run."""

from __future__ import annotations

from typing import Any

from agent_soul.runtimes.commands import HookCall, hook_command
from agent_soul.runtimes.json_edits import Preset
from agent_soul.runtimes.model import HookEvent, HookFile, Place, Runtime, Server, Skill, StaticText

_ROOTS = ("$COPILOT_HOME", "~/.copilot")
_ALL_FILES = '---\napplyTo: "**"\n---\n'


def hook(call: HookCall, event: HookEvent) -> dict[str, Any]:
    """Return a handler for both shells; PowerShell takes a quoted program for a text unless `&` stands before it."""
    line = hook_command(call)
    powershell = f"& {line}" if line.startswith('"') else line
    return {"type": "command", "bash": line, "powershell": powershell, "timeoutSec": event.seconds}


def _server(words: list[str]) -> dict[str, Any]:
    return {"type": "local", "command": words[0], "args": words[1:], "tools": ["*"]}


def _server_of_vscode(words: list[str]) -> dict[str, Any]:
    return {"type": "stdio", "command": words[0], "args": words[1:]}


RUNTIME = Runtime(
    name="copilot",
    title="GitHub Copilot",
    short="copilot",
    parts=(
        # The text comes first: a release of the program dropped what hooks gave it.
        StaticText(Place(_ROOTS, "instructions/agent-soul.instructions.md"), header=_ALL_FILES, whole=True),
        HookFile(
            Place(_ROOTS, "hooks/agent-soul.json"),
            {
                "sessionStart": HookEvent("session-start", 10),
                "agentStop": HookEvent("stop", 10),
                "sessionEnd": HookEvent("session-end", 10),
            },
            hook,
            presets=(Preset("version", 1),),
        ),
        Skill(Place(("~",), ".agents/skills/agent-soul")),
        Server(Place(_ROOTS, "mcp-config.json"), ("mcpServers", "agent-soul"), _server),
    ),
    project_parts=(
        StaticText(Place(("~",), ".github/instructions/agent-soul.instructions.md"), header=_ALL_FILES, whole=True),
        Server(Place(("~",), ".vscode/mcp.json"), ("servers", "agent-soul"), _server_of_vscode),
    ),
    looks_installed=(Place(_ROOTS, ""),),
    afterwards=("start Copilot CLI anew; for VS Code run `soul join copilot --project` in the project",),
    check="ask in a new session what it knows about you",
)
