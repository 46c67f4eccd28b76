"""The command line: the only importer of click. One module per command group, loaded when it is called."""

from __future__ import annotations

import importlib
from collections.abc import Sequence
from typing import Any

import click

from agent_soul import __version__
from agent_soul.cli.boundary import run_safely
from agent_soul.cli.common import invoked_as

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
    "join": "agent_soul.cli.joining:join",
    "hook": "agent_soul.cli.hooking:hook",
    "doctor": "agent_soul.cli.caring:doctor",
    "status": "agent_soul.cli.caring:status",
    "init": "agent_soul.cli.beginning:init",
    "docs": "agent_soul.cli.caring:docs",
}


class LazyGroup(click.Group):
    """A group that imports a command's module only when the command is called or its help is listed."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in COMMANDS:
            return None
        module, _, attribute = COMMANDS[cmd_name].partition(":")
        command: click.Command = getattr(importlib.import_module(module), attribute)
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        try:
            return super().resolve_command(ctx, args)
        except click.UsageError as error:
            import difflib  # only a mistake pays for it

            close = difflib.get_close_matches(args[0], COMMANDS, n=1)
            advice = f" Did you mean {close[0]!r}?" if close else ""
            raise click.UsageError(error.message + advice, ctx) from error


@click.command(
    cls=LazyGroup,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)
@click.version_option(__version__, prog_name="soul")
@click.option("--hub", metavar="FOLDER", help="The hub; else $AGENT_SOUL_HOME, else the nearest folder with soul.yaml.")
@click.pass_context
def soul(ctx: click.Context, hub: str | None) -> None:
    """One soul, many bodies: identity and memory that all of your agents share.

    Events go in with `add` or `share`, pages under canonical/ come out of `compile`, and Git carries both.
    """
    ctx.obj = hub


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line and return its exit code; see `agent_soul.errors.ExitCode`."""
    return run_safely(lambda arguments: _invoke(invoked_as(), arguments), argv)


def _invoke(name: str, arguments: Sequence[str]) -> Any:
    """Call the command; unlike click's own `main` this leaves every error, a broken pipe too, to our boundary."""
    with soul.make_context(name, list(arguments) or ["--help"]) as context:
        return soul.invoke(context)
