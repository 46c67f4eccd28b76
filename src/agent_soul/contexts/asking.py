"""What a context is asked for, and what is known when it is made. Values only."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import NamedTuple

from agent_soul.config import Config
from agent_soul.conflicts import Conflict
from agent_soul.resolve import Resolution

DEFAULT_BUDGET = 6_000
"""Tokens. A quarter of it is what the four files of L0 may have at most, so that they are whole."""
LEAST_BUDGET = 300
"""Tokens that the frame of a context may take: its title, how to read it, and what was left out."""


class Request(NamedTuple):
    """Whose context it is, for what work, and how many tokens it may cost; empty parts ask for nothing.

    `typed` is what starts our commands where it is read.
    """

    agent: str = ""
    project: str = ""
    task: str = ""
    budget: int = DEFAULT_BUDGET
    typed: str = "soul"


class Memory(NamedTuple):
    """What a context is chosen from. `today` is the date on the reader's own calendar.

    `identity` holds the files of L0 by name. `relevance` says how well events answer the task, from 0 to 1 (the best),
    by id. `only` are the events that may be shown, None for all. `unjudged` pairs of statements were not compared yet.
    """

    identity: Mapping[str, str]
    resolution: Resolution
    conflicts: Sequence[Conflict]
    config: Config
    today: str
    relevance: Mapping[str, float] = MappingProxyType({})
    only: frozenset[str] | None = None
    unjudged: int = 0
