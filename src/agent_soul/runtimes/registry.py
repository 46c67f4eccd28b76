"""Every agent program that is known, by name."""

from __future__ import annotations

import difflib
from collections.abc import Mapping

from agent_soul.errors import RefusedError
from agent_soul.runtimes import claude_code, codex, gemini
from agent_soul.runtimes.model import Runtime

RUNTIMES: Mapping[str, Runtime] = {
    runtime.name: runtime for runtime in (claude_code.RUNTIME, codex.RUNTIME, gemini.RUNTIME)
}


def find(name: str) -> Runtime:
    """Return the runtime of that name. Raises `RefusedError`, with the name that was perhaps meant."""
    if name in RUNTIMES:
        return RUNTIMES[name]
    close = difflib.get_close_matches(name, RUNTIMES, n=1)
    advice = f"did you mean {close[0]!r}?" if close else "for any other program: `soul join generic`"
    raise RefusedError(f"{name!r} is no agent program that is known: {', '.join(RUNTIMES)}", hint=advice)
