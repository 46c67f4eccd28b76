"""What stands below a topic's current truth: the evidence for it, and the truths that it replaced. Pure."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence

from agent_soul.pages import Line, Page, View, home_of
from agent_soul.references import links_of
from agent_soul.resolve import Resolution, Status, Verdict

_NEVER_SHOWN = frozenset({Status.RETRACTED, Status.QUARANTINED})
"""What was taken back, or waits for a person, stands on no page, not even as evidence."""


def with_evidence(pages: Iterable[Page], resolution: Resolution) -> list[Page]:
    """Return the pages, those of topics with their evidence and history."""
    replaced = _replaced_truths(resolution)
    return [
        page._replace(views=_views(page, replaced.get(page.path, []), resolution)) if page.layout == "topic" else page
        for page in pages
    ]


def _replaced_truths(resolution: Resolution) -> Mapping[str, list[Line]]:
    """Return what each topic page held to be true before, oldest first."""
    lines: dict[str, list[Line]] = defaultdict(list)
    for verdict in resolution.verdicts:
        if verdict.event.kind == "topic" and verdict.status is Status.SUPERSEDED:
            lines[home_of(verdict.event)].append(_line(verdict, resolution))
    return lines


def _views(page: Page, replaced: Sequence[Line], resolution: Resolution) -> tuple[View, ...]:
    truth = page.lines[0]
    command = f"soul show {truth.name}"
    evidence = _evidence(truth, command, resolution)
    history = View("Replaced", tuple(reversed(replaced)), command)
    return tuple(view for view in (evidence, history) if view.lines or view.note)


def _evidence(truth: Line, command: str, resolution: Resolution) -> View:
    """Return the events that a truth links or was made from, whatever became of them; of some only that they are."""
    named = {id_: resolution.find(id_) for id_ in links_of(truth.event)}
    found = {verdict.event.id: verdict for verdict in named.values() if verdict}
    hidden = [f"{resolution.name_of(id_)} ({v.status})" for id_, v in found.items() if v.status in _NEVER_SHOWN]
    dangling = [id_ for id_, verdict in named.items() if not verdict]
    notes = [f"not shown: {', '.join(hidden)}"] if hidden else []
    notes += [f"no event here has the id {', '.join(dangling)}"] if dangling else []
    shown = [_line(verdict, resolution) for verdict in found.values() if verdict.status not in _NEVER_SHOWN]
    return View("Evidence", tuple(shown), command, note="; ".join(notes))


def _line(verdict: Verdict, resolution: Resolution) -> Line:
    return Line(verdict.event, verdict, resolution.name_of(verdict.event.id), home_of(verdict.event))
