"""The form in which each program takes what a hook says. Pure.

Claude Code cuts a hook's output at 10,000 characters and Codex at 2,500 tokens, which it counts as four bytes each;
neither says what was lost. Codex takes no key that it does not know.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any

from agent_soul.hooking.call import CLAUDE_CODE, CODEX, COPILOT, CURSOR, GEMINI

MOST_BYTES = 9_500
"""Of all that a hook prints, as UTF-8."""
_FRAME_BYTES = 100
MOST_TEXT_BYTES = MOST_BYTES - _FRAME_BYTES
"""Of the text within, as it is written in JSON."""

_AT_STOP: Mapping[str, Callable[[str], dict[str, Any]]] = {
    # It takes `decision: block` too, and then shows the user an error.
    CLAUDE_CODE: lambda text: _context("Stop", text),
    CODEX: lambda text: {"decision": "block", "reason": text},
    GEMINI: lambda text: {"decision": "deny", "reason": text},
    CURSOR: lambda text: {"followup_message": text},
}


def text_bytes(text: str) -> int:
    """Return how many bytes a text takes within an envelope."""
    return len(json.dumps(text, ensure_ascii=False).encode("utf-8", "backslashreplace")) - len('""')


def at_start(text: str, runtime: str) -> str:
    """Return what to print at the start of a session so that the agent knows `text`; nothing for no text."""
    if not text:
        return ""
    if runtime == CURSOR:
        return _written({"additional_context": text})
    if runtime == COPILOT:
        return _written({"additionalContext": text})
    return _written(_context("SessionStart", text))


def at_stop(text: str, runtime: str) -> str:
    """Return what to print when the agent is done so that it sees `text` and goes on once more.

    Nothing for a program that has no such form.
    """
    form = _AT_STOP.get(runtime)
    return _written(form(text)) if form and text else ""


def _context(event: str, text: str) -> dict[str, Any]:
    return {"hookSpecificOutput": {"hookEventName": event, "additionalContext": text}}


def _written(answer: dict[str, Any]) -> str:
    return json.dumps(answer, ensure_ascii=False)
