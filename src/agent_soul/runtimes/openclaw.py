"""OpenClaw. Sources: docs.openclaw.ai/{concepts,tools,cli}; read (2026.9.6), not run."""

from __future__ import annotations

import shlex

from agent_soul.pages import INDEX, PROFILE, STABLE
from agent_soul.runtimes.model import Place, Runtime, Skill, StaticText
from agent_soul.runtimes.static_text import INTRODUCTION, Limit

_ROOTS = ("$OPENCLAW_WORKSPACE_DIR", "~/.openclaw/workspace")
_FILE = Limit(20_000, "characters")
_USER = Limit(4_000, "characters")


def _mcp_command(words: list[str]) -> str:
    """Its settings are JSON5, which its own command knows how to write."""
    arguments = " ".join(f"--arg {shlex.quote(word)}" for word in words[1:])
    return f"openclaw mcp add agent-soul --command {shlex.quote(words[0])} {arguments}"


RUNTIME = Runtime(
    name="openclaw",
    title="OpenClaw",
    short="openclaw",
    # Files are not read through links out of the workspace, so all of it is a copy. AGENTS.md stays as it is:
    # sub-agents read it, and the memory is for the main agent. There is no VOICE.md.
    parts=(
        StaticText(Place(_ROOTS, "SOUL.md"), only=("SOUL.md", "VOICE.md"), limit=_FILE),
        StaticText(Place(_ROOTS, "IDENTITY.md"), only=("IDENTITY.md",), limit=_FILE),
        StaticText(Place(_ROOTS, "USER.md"), only=("USER.md",), limit=_USER),
        StaticText(Place(_ROOTS, "MEMORY.md"), only=(INTRODUCTION, PROFILE, STABLE, INDEX), limit=_FILE),
        Skill(Place(("~",), ".agents/skills/agent-soul")),
    ),
    looks_installed=(Place(("~",), ".openclaw"),),
    mcp_command=_mcp_command,
    afterwards=("begin a new session",),
    check="ask in a new session what it knows about you",
)
