"""Silence: sessions that left nothing, sources that went quiet, events that reached nobody. Pure."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import NamedTuple

from agent_soul.doctor.finding import Finding
from agent_soul.missed import Writes


class Waiting(NamedTuple):
    """What of the outbox is not safe elsewhere yet: `events` not shared, `lost` lacking in the source files too.

    `since` is the local time of the oldest, `YYYY-MM-DD HH:MM`.
    """

    events: int
    lost: int
    since: str


def check_writes_here(writes: Writes, here: Collection[str]) -> Iterator[Finding]:
    """Yield what the log lacks; a source that went quiet is named where it had sessions on this machine (`here`)."""
    for missed in writes.missed:
        yield Finding("missed-write", missed.source, missed.what, "the next session will not know of it", missed.mend)
    for quiet in writes.quiet:
        if quiet.source in here:
            mend = "look whether its instructions and hooks still call `soul`"
            yield Finding("quiet", quiet.source, str(quiet), "what it learns may be lost", mend)


def check_waiting(waiting: Waiting, *, has_remote: bool) -> Iterator[Finding]:
    """Yield events that wait in the outbox: those that the files lost, and those that the remote has not."""
    if waiting.lost:
        what = f"{waiting.lost} events stand in the outbox alone: the source files lost them"
        yield Finding("lost-lines", "sources", what, "plain `git` does not see them", "`soul compile`", "compile")
    if waiting.events and has_remote:
        what = f"{waiting.events} events are not shared yet, the oldest since {waiting.since}"
        yield Finding("unsent", "outbox", what, "no other machine knows them", "`soul sync`")
