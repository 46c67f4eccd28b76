"""Rules that let an agent run the commands of the memory without asking each time: text for each program. Pure.

They are offered, not imposed. Allowed is what reads the memory or adds to it; what changes the hub's settings, its
history or other programs' files (`init`, `join`, `redact`, `doctor --fix`) is asked about as before. Programs compare
the words as they are typed, so the rules are made for the command that the agent was told to type.
"""

from __future__ import annotations

import json
import shlex
from collections.abc import Iterator, Sequence

from agent_soul.runtimes.commands import SERVER

READING = ("context", "boot", "search", "show", "why", "conflicts", "status", "check-writes")
WRITING = ("add", "share", "note", "lesson", "decision", "fact", "metric", "topic", "retract", "used", "sync")
ALLOWED = READING + WRITING
TOOLS = (
    *("read_context", "search_events", "list_projects", "status", "mem_search", "mem_read"),
    *("add_event", "quick_share", "mem_write", "mem_replace"),
)
"""Of the MCP server: all but `mem_delete`, which hides an entry."""
_TOOL = f"mcp__{SERVER}__"


def claude_code_rules(typed: str, hub: str) -> list[str]:
    """Return the rules for `permissions.allow` in Claude Code's settings: commands, tools, reading the hub's files.

    Writing there stays forbidden: pages are made by commands only. The tools are named whether the server is there or
    not, so that it may come later (code.claude.com/docs/en/permissions: `mcp__SERVER__TOOL`).
    """
    commands = [f"Bash({typed} {command} *)" for command in ALLOWED]
    return [*commands, *(f"{_TOOL}{tool}" for tool in TOOLS), f"Read({_claude_path(hub)}/**)"]


def is_tool(rule: str) -> bool:
    """Tell whether a rule of Claude Code's lets one of these tools run."""
    return rule.startswith(_TOOL) and rule.removeprefix(_TOOL) in TOOLS


def codex_rules(typed: str) -> str:
    """Return a rule file for `~/.codex/rules/`: these commands run outside the sandbox, as they write in the hub.

    The examples are checked by Codex when it reads the file.
    """
    words = shlex.split(typed)
    commands = ", ".join(map(_quoted, ALLOWED))
    pattern = ", ".join([*map(_quoted, words), f"[{commands}]"])
    return f"""\
# Written by `soul join codex --allow`.
prefix_rule(
    pattern = [{pattern}],
    decision = "allow",
    justification = "agent-soul: reads the shared memory or adds to it",
    match = [{_example(words, "add", "--kind", "fact")}, {_example(words, "search", "text")}],
    not_match = [{_example(words, "join", "codex")}, {_example(words, "init")}],
)
"""


def gemini_policy(typed: str) -> str:
    """Return a policy for `~/.gemini/policies/`; only those of the user count there, not a workspace's."""
    prefixes = ",\n".join(f"  {_quoted(f'{typed} {command}')}" for command in ALLOWED)
    return f"""\
# Written by `soul join gemini --allow`.
[[rule]]
toolName = "run_shell_command"
commandPrefix = [
{prefixes},
]
decision = "allow"
priority = 100
"""


def cursor_rules(typed: str) -> list[str]:
    """Return the rules for `permissions.allow` in Cursor's cli-config.json, which names programs only.

    So it allows all of ours, or, where ours is a script, nothing: that would allow every script.
    """
    words = shlex.split(typed)
    return [f"Shell({words[0]})"] if len(words) == 1 else []


def opencode_rules(typed: str) -> dict[str, str]:
    """Return the patterns for `permission.bash` in opencode's settings; the last that fits a command counts there."""
    return dict(_opencode_patterns(typed))


def _opencode_patterns(typed: str) -> Iterator[tuple[str, str]]:
    for command in ALLOWED:
        yield f"{typed} {command} *", "allow"


def _example(words: Sequence[str], *more: str) -> str:
    return _quoted(shlex.join([*words, *more]))


def _quoted(text: str) -> str:
    """Return a string as Starlark and TOML write it too; without escapes, which each has its own of."""
    return json.dumps(text, ensure_ascii=False)


def _claude_path(hub: str) -> str:
    """Return a folder as Claude Code's rules write it: `//` begins an absolute path, one slash the project's."""
    return f"/{hub}" if hub.startswith("/") else hub
