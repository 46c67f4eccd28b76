"""Which events a search looks at, besides the words. Pure; the index turns it into its own language."""

from __future__ import annotations

from collections.abc import Collection
from typing import NamedTuple

from agent_soul.errors import RefusedError

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


def read_filters(
    scope: str = "",
    statuses: Collection[str] = (),
    *,
    everything: bool = False,
    since: str = "",
    until: str = "",
    **plain: str,
) -> Filters:
    """Return the filters that are meant: a scope with a name or without, and dates as people write them.

    `statuses` that are named are the ones that pass; without any it is active alone, or with `everything` each. Raises
    `RefusedError` for a scope or date that there is not.
    """
    scope, _, name = scope.partition(":")
    if scope and scope not in SCOPES:
        raise RefusedError(
            f"--scope {scope!r} is not one of: {', '.join(SCOPES)}", hint="also project:NAME and agent:ID"
        )
    wanted = frozenset(statuses) or (frozenset() if everything else ACTIVE)
    dates = {"since": _date("--since", since), "until": _date("--until", until)}
    return Filters(scope=scope, name=name, statuses=wanted, **dates, **plain)


def _date(option: str, text: str) -> str:
    if not text:
        return ""
    from agent_soul.instants import parse_date

    try:
        return parse_date(text)
    except ValueError as error:
        raise RefusedError(f"{option} {error}", hint="give a UTC date as YYYY-MM-DD") from error
