"""Where and for whom a hook runs."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from typing import NamedTuple

from agent_soul.hub import Hub


class Place(NamedTuple):
    """`source` is the id of the agent, or empty; `now` carries the local offset.

    `typed` returns a text with the commands in it as the agent can type them.
    """

    hub: Hub
    source: str
    now: datetime
    typed: Callable[[str], str] = str
