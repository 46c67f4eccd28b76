"""Where a line of a page comes from: page, event, source file, commit, and the chain of what it replaced."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from agent_soul import gitio
from agent_soul.event import Event
from agent_soul.hub import Hub
from agent_soul.resolve import Resolution, Verdict

# Where a line names other events: what it contradicts, what replaced it, and links.
_OTHERS = re.compile(r"⚠ CONFLICT with \S+|\[superseded by [^\]]*\]|\[[^\]]*\]\([^)]*\)")


@dataclass(frozen=True, slots=True)
class PageLine:
    """A line of a page that shows an event; `number` counts from 1."""

    path: str
    number: int
    text: str


@dataclass(frozen=True, slots=True)
class Provenance:
    """Everything about where an event stands and comes from.

    `origin` is None where no commit has it yet, or where that cannot be known, for the reason `unknown`.
    """

    verdict: Verdict
    lines: tuple[PageLine, ...]
    origin: gitio.Origin | None
    replaced: tuple[Verdict, ...]
    """What it superseded, and what that had superseded, nearest first."""
    replaced_by: tuple[Verdict, ...]
    """What superseded or retracted it, and so on to what holds now."""
    unknown: str = ""


def trace(hub: Hub, resolution: Resolution, event: Event, *, with_origin: bool = True) -> Provenance:
    """Return the provenance of `event`, as the pages in the work tree and, `with_origin`, Git's history have it."""
    origin, unknown = None, ""
    if with_origin and hub.git_root is not None and event.path.startswith("sources/"):
        try:
            origin = gitio.commit_of_line(hub, event.path, event.id)
        except gitio.GitError as error:  # page, event and file are known all the same
            unknown = error.message
    return Provenance(
        verdict=resolution.by_id[event.id],
        lines=tuple(_page_lines(hub, resolution.name_of(event.id))),
        origin=origin,
        replaced=tuple(_chain(resolution, event.id, _direct_targets(resolution))),
        replaced_by=tuple(_successors(resolution, event.id)),
        unknown=unknown,
    )


def _page_lines(hub: Hub, name: str) -> Iterable[PageLine]:
    shown = re.compile(rf"(?<![\w.:-]){re.escape(name)}(?![\w.:-])")
    for file in sorted(hub.canonical.rglob("*.md")):
        if file.is_symlink() or not file.is_file():
            continue
        for number, text in enumerate(file.read_text(encoding="utf-8", errors="replace").split("\n"), start=1):
            if shown.search(_OTHERS.sub("", text)):
                yield PageLine(file.relative_to(hub.root).as_posix(), number, text)


def _direct_targets(resolution: Resolution) -> Mapping[str, list[str]]:
    """Return, for each event, what it brought an end to."""
    targets: dict[str, list[str]] = {}
    for verdict in resolution.verdicts:
        if verdict.by:
            targets.setdefault(verdict.by, []).append(verdict.event.id)
    return targets


def _chain(resolution: Resolution, start: str, targets: Mapping[str, list[str]]) -> Iterable[Verdict]:
    seen = {start}
    waiting = list(targets.get(start, ()))
    while waiting:
        id_ = waiting.pop(0)
        if id_ not in seen:
            seen.add(id_)
            yield resolution.by_id[id_]
            waiting += targets.get(id_, ())


def _successors(resolution: Resolution, start: str) -> Iterable[Verdict]:
    seen = {start}
    by = resolution.by_id[start].by
    while by and by not in seen and by in resolution.by_id:
        seen.add(by)
        yield resolution.by_id[by]
        by = resolution.by_id[by].by
