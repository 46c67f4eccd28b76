"""`mcp`: the hub as an MCP server."""

from __future__ import annotations

import click

from agent_soul.cli.common import hub_option
from agent_soul.cli.options import source_option
from agent_soul.errors import ExitCode, RefusedError
from agent_soul.serving.place import Place


@click.command()
@source_option
@click.option("--read-only", is_flag=True, help="Offer only the tools that read; nothing in the hub is changed.")
@hub_option
def mcp(source: str | None, read_only: bool, hub_name: str | None) -> int:
    """Serve the memory to programs that speak MCP, on stdin and stdout, until they close it.

    Such a program starts this by itself; docs/mcp.md has the entry for its settings. Needs the extra [mcp].
    """
    try:
        from agent_soul.serving.server import serve
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] not in ("mcp", "pydantic", "anyio"):
            raise
        raise RefusedError(
            "the MCP library is not installed",
            hint="pip install 'agent-soul[mcp]'; with pipx: pipx inject agent-soul mcp; with uv: uv tool install "
            "'agent-soul[mcp]'",
        ) from error
    hub = hub_name or click.get_current_context().find_root().obj
    serve(Place(hub or "", source or ""), read_only=read_only)
    return ExitCode.DONE
