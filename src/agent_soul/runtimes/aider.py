"""Aider. Source: github.com/Aider-AI/aider, website docs; read, not run."""

from __future__ import annotations

from collections.abc import Iterator

from agent_soul.runtimes.model import Place, Placed, Runtime, Scene, StaticText
from agent_soul.runtimes.yaml_edits import ListItem

_TEXT = Place(("~",), ".aider/agent-soul.md")
_SETTINGS = ".aider.conf.yml"


class _Read:
    """The text among the files that Aider reads at the start. It has no hooks, no skills, no MCP."""

    def placed(self, runtime: Runtime, scene: Scene) -> Iterator[Placed]:
        """Yield the line in the settings, of the project where one is joined."""
        folder = scene.project or scene.home.folder
        text = folder / _TEXT.path
        yield Placed(folder / _SETTINGS, ListItem("read", text.as_posix()), "the list of what it reads")


RUNTIME = Runtime(
    name="aider",
    title="Aider",
    short="aider",
    parts=(StaticText(_TEXT, whole=True), _Read()),
    project_parts=(StaticText(_TEXT, whole=True), _Read()),
    looks_installed=(Place(("~",), ".aider"),),
    afterwards=("start Aider anew",),
    check="at its start it names agent-soul.md among the read-only files",
)
