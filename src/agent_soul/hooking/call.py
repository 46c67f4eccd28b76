"""What a program says when it runs our hook: which event, which session, and who is asking. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

SESSION_START, STOP, SESSION_END = "session-start", "stop", "session-end"
COMPACT, RESUME, CLEAR = "compact", "resume", "clear"
CLAUDE_CODE, CODEX, GEMINI, CURSOR, COPILOT = "claude-code", "codex", "gemini", "cursor", "copilot"

_EVENTS: Mapping[str, str] = {
    "sessionstart": SESSION_START,
    "stop": STOP,
    "afteragent": STOP,  # Gemini CLI
    "agentstop": STOP,  # Copilot CLI
    "sessionend": SESSION_END,
}
_RUNTIMES: Mapping[str, str] = {"claude": CLAUDE_CODE, "gemini-cli": GEMINI, "copilot-cli": COPILOT}
_SESSION_NAMES = ("conversation_id", "session_id", "sessionId")
"""Cursor's name comes first: it may give another one beside it."""
_OF_SUBAGENTS = ("agent_id", "parent_session_id", "parent_conversation_id", "parentSessionId")
_REPEATS = ("stop_hook_active", "loop_count")
_ORIGINS = (COMPACT, RESUME, CLEAR)


class Call(NamedTuple):
    """One run of a hook. `event` is empty where we do not know it.

    `runtime` is the program whose form the answer must have. `session` is its own name for the session, or empty;
    `origin` says how the session came about where that matters: resume, clear, compact, else empty. `is_final`: the
    agent is not to go on once more, because a hook made it do so before, or because the user stopped it.
    """

    event: str
    runtime: str
    session: str = ""
    origin: str = ""
    is_subagent: bool = False
    is_final: bool = False
    folder: str = ""
    """Where the agent works, if the program says it."""


def call_of(event: str, declared: str, said: Mapping[str, Any], environment: Mapping[str, str]) -> Call:
    """Return what a run of the hook is about: `event` and `declared` stand in its command, `said` came on stdin."""
    names = (said.get(name) for name in _SESSION_NAMES)
    runtime = _caller(_RUNTIMES.get(declared, declared), said, environment)
    word = _word(event)
    return Call(
        _EVENTS.get(word, ""),
        runtime,
        next((name for name in names if isinstance(name, str) and name), ""),
        next((origin for origin in _ORIGINS if origin == said.get("source")), ""),
        word.startswith("subagent") or any(said.get(name) for name in _OF_SUBAGENTS),
        any(said.get(name) for name in _REPEATS) or said.get("status") in ("aborted", "error"),
        str(said.get("cwd") or ""),
    )


def _word(event: str) -> str:
    return event.lower().replace("-", "").replace("_", "")


def _caller(declared: str, said: Mapping[str, Any], environment: Mapping[str, str]) -> str:
    """Return who really runs the hook: Cursor runs those declared for Claude Code, Copilot CLI those of a repository.

    The variable alone does not tell, for a Claude Code in Cursor's terminal may have it; Claude Code and Codex write
    `SessionStart`, Cursor `sessionStart`.
    """
    event = str(said.get("hook_event_name", ""))
    if "cursor_version" in said or ("CURSOR_VERSION" in environment and not event[:1].isupper()):
        return CURSOR
    if "sessionId" in said and "session_id" not in said:
        return COPILOT
    return declared
