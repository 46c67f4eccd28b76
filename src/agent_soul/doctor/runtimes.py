"""The agent programs that are joined: whether they still read, call and show what they should. Pure."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterator, Sequence
from typing import NamedTuple

from agent_soul.doctor.finding import Finding
from agent_soul.runtimes.model import SKILL

STATIC = "what it reads at the start"
"""What a join calls the text that a program reads by itself."""


class Reading(NamedTuple):
    """A file that a program reads by itself: its size and the program's limit, both in `unit`; no limit: 0."""

    path: str
    size: int
    limit: int
    unit: str


class Joined(NamedTuple):
    """A program that is joined to this hub.

    `program` is what of its hooks and tools does not start, and `fault` why not; empty where all do. `outdated` are
    files that joining again would change, with what is in them; `odd` are files that nobody can edit, with the reason.
    `notes` say what else stands in the way; `dead_links` are links to the skill that lead nowhere; `untrusted` are the
    events of hooks that the program skips. `project` is the folder where only a project is joined.
    Where nobody can tell any more for which hub its files are, `source` is empty.
    """

    name: str
    title: str
    source: str
    program: str = ""
    fault: str = ""
    outdated: tuple[tuple[str, str], ...] = ()
    odd: tuple[tuple[str, str], ...] = ()
    notes: tuple[str, ...] = ()
    dead_links: tuple[str, ...] = ()
    untrusted: tuple[str, ...] = ()
    readings: tuple[Reading, ...] = ()
    project: str = ""


class Stray(NamedTuple):
    """A file of the program `name` that joins a hub which is not there."""

    path: str
    name: str
    hub: str


def check_joined(programs: Sequence[Joined], elsewhere: Collection[str]) -> Iterator[Finding]:
    """Yield what is wrong with the joined programs; `elsewhere` are source ids that another clone writes under."""
    for each in programs:
        again = f"`soul join {each.name}{f' --project {each.project}' if each.project else ''}`"
        if each.fault:
            what = f"its hooks or tools call {each.program!r}, which does not start: {each.fault}"
            yield Finding(
                "dead-hook", each.title, what, "it reads nothing new and nobody notices what it forgets", again
            )
        yield from _files(each, again)
        if each.untrusted:
            what = f"skips our hooks, which nobody has trusted as they are now: {', '.join(each.untrusted)}"
            mend = f"open {each.title}, run `/hooks` and trust them"
            yield Finding("untrusted-hooks", each.title, what, "it is told nothing new, and sends nothing", mend)
        for link in each.dead_links:
            what = "is a link to the skill, and that is not there any more"
            yield Finding("dead-link", link, what, f"{each.title} does not know when and how to record", again, "skill")
        yield from _limits(each)
        for note in each.notes:
            mend = f"see docs/runtimes/{each.name}.md"
            yield Finding("join-note", each.title, note, "it may not read what was written for it", mend)
    yield from _shared_sources(programs)
    for source in sorted({each.source for each in programs} & set(elsewhere)):
        what = f"the source id {source!r} is also that of an agent on another machine"
        here = next(each.name for each in programs if each.source == source)
        mend = f"`soul join {here} --source ANOTHER-ID` on this machine or on the other one"
        yield Finding("source-elsewhere", source, what, "nobody can tell any more who said what", mend)


def check_strays(strays: Sequence[Stray]) -> Iterator[Finding]:
    """Yield programs that look for a hub where there is none: it was moved, or it is gone."""
    for stray in strays:
        what = f"joins the hub {stray.hub}, where there is none"
        mend = f"`soul join {stray.name} --replace` joins this one"
        yield Finding("moved-hub", stray.path, what, "its agent finds no memory, or an old copy of it", mend)


def _files(each: Joined, again: str) -> Iterator[Finding]:
    for path, what in each.outdated:
        if what == STATIC:
            why = f"{each.title} reads this at its start, and not the pages"
            yield Finding("stale-static", path, "is older than the pages", why, again, "static")
        else:
            why = f"{each.title} reads or records less than it should"
            fix = "skill" if what == SKILL and not each.project else ""
            yield Finding("join-incomplete", path, f"is not as it was joined: {what}", why, again, fix)
    for path, reason in each.odd:
        yield Finding("join-odd", path, f"cannot be judged: {reason}", f"{each.title} may not read it either", again)


def _limits(each: Joined) -> Iterator[Finding]:
    for reading in each.readings:
        if reading.limit and reading.size > reading.limit:
            what = f"has {reading.size:,} {reading.unit}, and {each.title} reads {reading.limit:,}"
            mend = "shorten what else stands in that file"
            yield Finding("over-limit", reading.path, what, "the program cuts the rest without a word", mend)


def _shared_sources(programs: Sequence[Joined]) -> Iterator[Finding]:
    names: defaultdict[str, set[str]] = defaultdict(set)
    for each in programs:
        names[each.source].add(each.title)
    for source, titles in sorted(names.items()):
        if source and len(titles) > 1:
            what = f"{' and '.join(sorted(titles))} write under one source id"
            mend = "`soul join RUNTIME --source ANOTHER-ID` for one of them"
            yield Finding("same-source", source, what, "nobody can tell who said what", mend)
