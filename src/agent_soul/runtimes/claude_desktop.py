"""Claude Desktop. Sources: modelcontextprotocol.io, support.claude.com; read, not run."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from agent_soul.runtimes.model import Home, Paste, Place, Placed, Runtime, Scene, Server, command_and_args
from agent_soul.runtimes.static_text import Limit

_FILE = "claude_desktop_config.json"
_PLACE = Place(
    ("$XDG_CONFIG_HOME/Claude", "~/.config/Claude"),
    _FILE,
    windows=("$APPDATA/Claude", "~/AppData/Roaming/Claude"),
    mac=("~/Library/Application Support/Claude",),
)


class _Servers:
    """The MCP server in each place where an installer of the program reads it; it takes nothing else."""

    def placed(self, runtime: Runtime, scene: Scene) -> Iterator[Placed]:
        """Yield the entry for the usual place, and on Windows for those of the packaged program."""
        for each in Server(_PLACE, ("mcpServers", "agent-soul"), command_and_args, always=True).placed(runtime, scene):
            yield each
            for folder in _packages(scene.home):
                yield each._replace(path=folder / _FILE)


def _packages(home: Home) -> list[Path]:
    if home.system != "windows":
        return []
    local = Path(home.env.get("LOCALAPPDATA") or home.folder / "AppData" / "Local")
    return sorted(local.glob("Packages/Claude_*/LocalCache/Roaming/Claude"))


RUNTIME = Runtime(
    name="claude-desktop",
    title="Claude Desktop",
    short="desktop",
    parts=(_Servers(),),
    paste=Paste("Settings → Instructions for Claude", Limit(1_500, "characters"), by_tools=True),
    looks_installed=(Place(_PLACE.roots, "", windows=_PLACE.windows, mac=_PLACE.mac),),
    afterwards=(
        "paste the text into Settings → Instructions for Claude",
        "quit Claude Desktop altogether and start it again",
    ),
    check="Settings → Developer lists the server agent-soul as running",
)
