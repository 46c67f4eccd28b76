"""What others recorded since an agent's last session here and no file told it: the newest of it, once."""

from __future__ import annotations

import contextlib
import json
from collections.abc import Collection, Iterator
from pathlib import Path
from typing import Any, NamedTuple

from agent_soul import gitio
from agent_soul.boot import new_ids
from agent_soul.contexts.asking import Memory
from agent_soul.errors import StoppedError
from agent_soul.files import read_regular, replace_file
from agent_soul.hooking.delta import Row
from agent_soul.hub import Hub
from agent_soul.log import Log
from agent_soul.markdown import title_text
from agent_soul.pages import L2_BUDGET, METRICS, PROFILE, STABLE, Line, active_lines
from agent_soul.render import Style, event_line

SECTION = "Recorded by others since the last session here"
_MOST = 12
_MOST_KEPT = 200
_LINE_TOKENS = 60
_NAME_WIDTH = 30
_TOLD_OTHERWISE = (PROFILE, STABLE, METRICS)


class Elsewhere(NamedTuple):
    """Lines of pages that are loaded on demand, newest first, and the commit up to which they were looked for."""

    rows: tuple[Row, ...] = ()
    head: str = ""


def look_elsewhere(hub: Hub, log: Log, memory: Memory, source: str) -> Elsewhere:
    """Return what others recorded since the commit that was checked out at the source's last session.

    The first one is told nothing: it has the pages.
    """
    if hub.git_root is None or not source:
        return Elsewhere()
    with contextlib.suppress(StoppedError):  # git is gone, or has not that commit any more
        before, told = _heads(hub).get(source) or ("", [])
        return Elsewhere(tuple(_rows(hub, log, memory, source, before, told)), gitio.head(hub))
    return Elsewhere()


def note_elsewhere(hub: Hub, source: str, told: Elsewhere) -> None:
    """Keep that the source was told this: its next session begins after it."""
    if not told.head:
        return
    heads = _heads(hub)
    _, before = heads.get(source) or ("", [])
    heads[source] = (told.head, [*before, *(row.key for row in told.rows)][-_MOST_KEPT:])
    with contextlib.suppress(StoppedError):
        replace_file(_file(hub), json.dumps(heads).encode())


def _file(hub: Hub) -> Path:
    return hub.state / "hooks" / "heads.json"


def _heads(hub: Hub) -> dict[str, Any]:
    with contextlib.suppress(StoppedError, ValueError, TypeError, RecursionError):
        return dict(json.loads(read_regular(_file(hub))))
    return {}


def _rows(hub: Hub, log: Log, memory: Memory, source: str, before: str, told: Collection[str]) -> Iterator[Row]:
    commit = gitio.find_commit(hub, before)
    new = new_ids(hub, log, commit) if commit else ()
    style = Style(memory.config, {})
    among = [verdict for verdict in memory.resolution.active if verdict.event.id in new]
    lines = [
        line
        for line in active_lines(memory.resolution, memory.conflicts, among=among)
        if line.home not in _TOLD_OTHERWISE and line.event.source != source and line.name not in told
    ]
    for line in lines[: -_MOST - 1 : -1]:
        text = event_line(line, style, line.home, share=L2_BUDGET.tokens // _LINE_TOKENS)
        yield Row(line.name, SECTION, f"- {_whose(line)}{text}")


def _whose(line: Line) -> str:
    name = line.event.project or line.event.reach[1]
    return f"{title_text(name, _NAME_WIDTH)}: " if name else ""
