"""Windsurf (Devin Desktop). Source: docs.devin.ai/desktop/cascade; read, not run."""

from __future__ import annotations

from agent_soul.runtimes.model import Place, Runtime, Server, StaticText, command_and_args
from agent_soul.runtimes.static_text import Limit

_FOLDER = ".codeium/windsurf"

RUNTIME = Runtime(
    name="windsurf",
    title="Windsurf",
    short="windsurf",
    parts=(
        StaticText(Place(("~",), f"{_FOLDER}/memories/global_rules.md"), limit=Limit(6_000, "characters")),
        Server(Place(("~",), f"{_FOLDER}/mcp_config.json"), ("mcpServers", "agent-soul"), command_and_args),
    ),
    project_parts=(
        StaticText(
            Place(("~",), ".devin/rules/agent-soul.md"),
            header="---\ntrigger: always_on\n---\n",
            whole=True,
            limit=Limit(12_000, "characters"),
        ),
    ),
    looks_installed=(Place(("~",), _FOLDER),),
    afterwards=("start Windsurf anew",),
    check="the global rules in its settings have the shared memory in them; ask what it knows about you",
)
