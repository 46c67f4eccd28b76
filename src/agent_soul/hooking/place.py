"""Where and for whom a hook runs, and what an agent there has read."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from typing import NamedTuple

from agent_soul.files import read_regular
from agent_soul.hub import Hub
from agent_soul.identity import L0_FILES
from agent_soul.pages import PROFILE, STABLE


class Place(NamedTuple):
    """`source` is the id of the agent, or empty; `now` carries the local offset.

    `typed` returns a text with the commands in it as the agent can type them.
    """

    hub: Hub
    source: str
    now: datetime
    typed: Callable[[str], str] = str


def pages_text(hub: Hub) -> str:
    """Return L0 and L1 as they stand in the hub's files: what a program that reads those files has read."""
    files = [*(hub.root / name for name in L0_FILES), hub.canonical / PROFILE, hub.canonical / STABLE]
    return "\n".join(read_regular(file).decode("utf-8", "replace") for file in files if file.is_file())
