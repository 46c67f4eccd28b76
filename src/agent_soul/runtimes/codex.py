"""Codex CLI. Sources: developers.openai.com/codex (agents-md, hooks, mcp, skills); tried with 0.171.0."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from agent_soul.runtimes.allowing import AllowedFile
from agent_soul.runtimes.codex_trust import untrusted_hooks
from agent_soul.runtimes.commands import HookCall, hook_command, mcp_words
from agent_soul.runtimes.model import SERVER, HookEvent, HookFile, Place, Placed, Runtime, Scene, Skill, StaticText
from agent_soul.runtimes.permissions import codex_rules
from agent_soul.runtimes.static_text import Limit
from agent_soul.runtimes.toml_edits import ServerTable

_ROOTS = ("$CODEX_HOME", "~/.codex")
LIMIT = Limit(32 << 10, "bytes")
"""Of project files together; a global one of 43 KB came through whole."""
_STARTS = "startup|resume|clear|compact"
_HOOKS_IN_CONFIG = re.compile(r"^\s*\[\[\s*hooks\.", re.MULTILINE)


def hook(call: HookCall, event: HookEvent) -> dict[str, Any]:
    """Return a group with one handler. Trust is a hash over event, matcher and command: none of them may change."""
    group = {"hooks": [{"type": "command", "command": hook_command(call), "timeout": event.seconds}]}
    return {"matcher": _STARTS, **group} if call.event == "session-start" else group


class _Server:
    """The table in config.toml, where asked for."""

    def placed(self, runtime: Runtime, scene: Scene) -> Iterator[Placed]:
        """Yield the table."""
        if scene.options.mcp:
            words = mcp_words(scene.program, scene.source, scene.hub)
            yield Placed(Place(_ROOTS, "config.toml").on(scene.home), ServerTable(tuple(words)), SERVER)


def _notes(scene: Scene, text_of: Callable[[Path], str]) -> list[str]:
    notes = []
    override = Place(_ROOTS, "AGENTS.override.md").on(scene.home)
    if text_of(override).strip():
        notes.append(f"{override} is there, and Codex then ignores AGENTS.md: move its text there")
    config = Place(_ROOTS, "config.toml").on(scene.home)
    if _HOOKS_IN_CONFIG.search(text_of(config)):
        notes.append(f"{config} has hooks too; Codex reads one of the two places: keep all hooks in hooks.json")
    return notes


def _untrusted(scene: Scene, text_of: Callable[[Path], str]) -> list[str]:
    hooks, config = (Place(_ROOTS, name).on(scene.home) for name in ("hooks.json", "config.toml"))
    return untrusted_hooks(hooks, text_of(hooks), text_of(config))


RUNTIME = Runtime(
    name="codex",
    title="Codex CLI",
    short="codex",
    parts=(
        StaticText(Place(_ROOTS, "AGENTS.md"), limit=LIMIT),
        # The end of a session gets 3 s at most, whatever stands here.
        HookFile(
            Place(_ROOTS, "hooks.json"),
            {
                "SessionStart": HookEvent("session-start", 10),
                "Stop": HookEvent("stop", 10),
                "SessionEnd": HookEvent("session-end", 3),
            },
            hook,
        ),
        Skill(Place(("~",), ".agents/skills/agent-soul")),
        _Server(),
        AllowedFile(Place(_ROOTS, "rules/agent-soul.rules"), lambda scene: codex_rules(scene.typed)),
    ),
    project_parts=(StaticText(Place(("~",), "AGENTS.md"), limit=LIMIT),),
    looks_installed=(Place(_ROOTS, ""),),
    afterwards=(
        "open Codex, run `/hooks` and trust our hooks there, once: it skips those that nobody trusts, without a word",
    ),
    check="`codex debug prompt-input` prints what Codex would send: the block of AGENTS.md is in it",
    notes=_notes,
    untrusted=_untrusted,
)
