"""Which events a search looks at, besides the words. Pure; the index turns it into its own language."""

from __future__ import annotations

from typing import NamedTuple

ACTIVE = frozenset({"active"})
# The schema's, which takes longer to read than the search; a test holds the two together.
SCOPES = ("profile", "stable", "project", "fuzzy", "daily", "agent")


class Filters(NamedTuple):
    """Empty parts do not filter. `since` and `until` are UTC dates, both inclusive."""

    scope: str = ""
    name: str = ""
    """Project or agent, with a scope of `project:x` or `agent:x`."""
    kind: str = ""
    source: str = ""
    project: str = ""
    topic: str = ""
    tag: str = ""
    since: str = ""
    until: str = ""
    statuses: frozenset[str] = ACTIVE
    """Empty stands for all."""
