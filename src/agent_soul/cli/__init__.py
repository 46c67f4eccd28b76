"""The command line: the only importer of click."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from agent_soul.cli.boundary import run_safely
from agent_soul.telling import invoked_as

# Name to module and attribute; what a command imports is paid only by those who call it.
COMMANDS = {
    "add": "agent_soul.cli.writing:add",
    "share": "agent_soul.cli.sharing:share",
    "sync": "agent_soul.cli.sharing:sync",
    "lesson": "agent_soul.cli.recording:lesson",
    "metric": "agent_soul.cli.recording:metric",
    "decision": "agent_soul.cli.recording:decision",
    "fact": "agent_soul.cli.recording:fact",
    "topic": "agent_soul.cli.recording:topic",
    "mem": "agent_soul.cli.mem:mem",
    "memory": "agent_soul.cli.memory_op:memory",
    "retract": "agent_soul.cli.deciding:retract",
    "conflicts": "agent_soul.cli.judging:conflicts",
    "resolve": "agent_soul.cli.deciding:resolve",
    "dedup": "agent_soul.cli.judging:dedup",
    "review": "agent_soul.cli.reviewing:review",
    "reflect": "agent_soul.cli.reflecting:reflect",
    "report": "agent_soul.cli.reporting:report",
    "project": "agent_soul.cli.projects:project",
    "prune": "agent_soul.cli.upkeep:prune",
    "consolidate": "agent_soul.cli.consolidating:consolidate_",
    "heartbeat": "agent_soul.cli.upkeep:heartbeat",
    "used": "agent_soul.cli.upkeep:used",
    "compile": "agent_soul.cli.compiling:compile_",
    "validate": "agent_soul.cli.compiling:validate",
    "search": "agent_soul.cli.searching:search",
    "embed": "agent_soul.cli.searching:embed",
    "note": "agent_soul.cli.daily:note",
    "session": "agent_soul.cli.daily:session",
    "check-writes": "agent_soul.cli.daily:check_writes",
    "boot": "agent_soul.cli.remembering:boot",
    "context": "agent_soul.cli.remembering:context",
    "show": "agent_soul.cli.finding:show_event",
    "why": "agent_soul.cli.finding:why",
    "mcp": "agent_soul.cli.serving:mcp",
    "join": "agent_soul.cli.joining:join",
    "hook": "agent_soul.cli.hooking:hook",
    "doctor": "agent_soul.cli.caring:doctor",
    "status": "agent_soul.cli.caring:status",
    "init": "agent_soul.cli.beginning:init",
    "docs": "agent_soul.cli.caring:docs",
}
_WITH_PLAIN_CALLS = frozenset({"add", "share"})
"""Commands that agents run often; what their usual calls mean is found out without click."""


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line and return its exit code; see `agent_soul.errors.ExitCode`."""
    return run_safely(lambda arguments: _invoke(invoked_as(), arguments), argv)


def _invoke(name: str, arguments: Sequence[str]) -> Any:
    """Call the command; unlike click's own `main` this leaves every error, a broken pipe too, to our boundary."""
    if not _WITH_PLAIN_CALLS.isdisjoint(arguments[:3]):
        from agent_soul.cli.plain import plainly_called

        if run := plainly_called(arguments):
            return run()
    from agent_soul.cli.soul import soul

    with soul.make_context(name, list(arguments) or ["--help"]) as context:
        return soul.invoke(context)
