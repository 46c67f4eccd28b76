"""Cline. Source: github.com/cline/cline, docs; read, not run."""

from __future__ import annotations

from agent_soul.runtimes.model import Place, Runtime, Server, Skill, StaticText, command_and_args

RUNTIME = Runtime(
    name="cline",
    title="Cline",
    short="cline",
    parts=(
        StaticText(Place(("~",), ".cline/rules/agent-soul.md"), whole=True),
        Skill(Place(("~",), ".cline/skills/agent-soul")),  # a copy: nothing says whether it follows links
        Server(Place(("~",), ".cline/mcp.json"), ("mcpServers", "agent-soul"), command_and_args),
    ),
    project_parts=(StaticText(Place(("~",), ".clinerules/agent-soul.md"), whole=True),),
    looks_installed=(Place(("~",), ".cline"),),
    afterwards=("start Cline anew",),
    check="its list of rules has agent-soul.md; ask what it knows about you",
)
