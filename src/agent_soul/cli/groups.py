"""Groups of commands under names that other systems gave them; some are commands of ours by another name."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import click


class AliasGroup(click.Group):
    """A group in which `aliases` (its name to ours) lead to the commands of `soul`, loaded when they are called."""

    def __init__(self, *args: Any, aliases: Mapping[str, str], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._aliases = aliases

    def list_commands(self, ctx: click.Context) -> list[str]:
        return [*self.commands, *self._aliases]

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        ours = self._aliases.get(cmd_name)
        if ours is None:
            return super().get_command(ctx, cmd_name)
        root = ctx.find_root().command
        return root.get_command(ctx, ours) if isinstance(root, click.Group) else None
