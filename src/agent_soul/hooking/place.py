"""Where and for whom a hook runs, and what it answers."""

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


def _nothing() -> None:
    """Keep nothing."""


class Answer(NamedTuple):
    """What a hook prints, or nothing, and what keeps that it was told.

    A hook may be ended at any moment; only what was printed counts as told.
    """

    text: str = ""
    remember: Callable[[], None] = _nothing
