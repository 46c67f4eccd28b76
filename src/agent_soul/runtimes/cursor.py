"""Cursor. Sources: cursor.com/docs/{rules,hooks,mcp,skills}; read, not run."""

from __future__ import annotations

from agent_soul.runtimes.allowing import AllowedWords
from agent_soul.runtimes.json_edits import Preset
from agent_soul.runtimes.model import (
    HookEvent,
    HookFile,
    Paste,
    Place,
    Runtime,
    Server,
    Skill,
    StaticText,
    command_and_args,
    flat_hook,
)
from agent_soul.runtimes.permissions import cursor_rules
from agent_soul.runtimes.static_text import Limit

_RULE = "---\ndescription: Shared identity and memory of this user's agents\nglobs:\nalwaysApply: true\n---\n"

RUNTIME = Runtime(
    name="cursor",
    title="Cursor",
    short="cursor",
    parts=(
        HookFile(
            Place(("~",), ".cursor/hooks.json"),
            {
                "sessionStart": HookEvent("session-start", 10),
                "stop": HookEvent("stop", 10),
                "sessionEnd": HookEvent("session-end", 10),
            },
            flat_hook,
            presets=(Preset("version", 1),),
        ),
        Skill(Place(("~",), ".agents/skills/agent-soul")),
        Server(Place(("~",), ".cursor/mcp.json"), ("mcpServers", "agent-soul"), command_and_args),
        AllowedWords(
            Place(("~",), ".cursor/cli-config.json"), ("permissions", "allow"), lambda scene: cursor_rules(scene.typed)
        ),
    ),
    project_parts=(StaticText(Place(("~",), ".cursor/rules/agent-soul.mdc"), header=_RULE, whole=True),),
    # No file holds rules for all projects.
    paste=Paste("Settings → Rules → User Rules", Limit(1_500, "characters")),
    looks_installed=(Place(("~",), ".cursor"),),
    afterwards=(
        "paste the text into Settings → Rules → User Rules; in a project, `soul join cursor --project` writes a rule",
        "start Cursor anew",
    ),
    check="ask in a new chat what it knows about you",
)
