"""Every agent program that is known, by name."""

from __future__ import annotations

import difflib
from collections.abc import Mapping

from agent_soul.errors import RefusedError
from agent_soul.runtimes import (
    aider,
    claude_code,
    claude_desktop,
    cline,
    codex,
    copilot,
    cursor,
    gemini,
    generic,
    openclaw,
    opencode,
    windsurf,
    zed,
)
from agent_soul.runtimes.model import Runtime

_MODULES = (
    claude_code,
    codex,
    gemini,
    cursor,
    copilot,
    opencode,
    openclaw,
    claude_desktop,
    windsurf,
    cline,
    zed,
    aider,
    generic,
)
RUNTIMES: Mapping[str, Runtime] = {module.RUNTIME.name: module.RUNTIME for module in _MODULES}

_ALSO_CALLED = {"vscode": "copilot", "claude": "claude-code", "devin": "windsurf", "gemini-cli": "gemini"}
"""Names that people give them."""


def find(name: str) -> Runtime:
    """Return the runtime of that name. Raises `RefusedError`, with the name that was perhaps meant."""
    if name in RUNTIMES:
        return RUNTIMES[name]
    close = [_ALSO_CALLED[name]] if name in _ALSO_CALLED else difflib.get_close_matches(name, RUNTIMES, n=1)
    advice = f"did you mean {close[0]!r}?" if close else "for any other program: `soul join generic`"
    raise RefusedError(f"{name!r} is no agent program that is known: {', '.join(RUNTIMES)}", hint=advice)
