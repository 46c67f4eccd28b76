"""`soul` itself: the group of all commands. One module per command group, loaded when it is called."""

from __future__ import annotations

import importlib
from typing import Any

import click

from agent_soul import __version__
from agent_soul.cli import COMMANDS


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

    def invoke(self, ctx: click.Context) -> Any:
        try:
            return super().invoke(ctx)
        except click.UsageError as error:
            name = ctx.invoked_subcommand
            command = self.get_command(ctx, name) if name else None
            if error.ctx is None and command:  # click leaves out whose option lacks its value
                error.ctx = click.Context(command, parent=ctx, info_name=name)
            raise

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
