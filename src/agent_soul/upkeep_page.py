"""`upkeep.md`: what the runs of upkeep did, told from the events that they appended and from nothing else. Pure.

Each event of a run names it in `origin`. A consolidation also leaves a line in the daily log whose detail holds the
sizes of the pages before and after, measured when it ran; here it is only shown.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from agent_soul.markdown import document
from agent_soul.pages import L2_BUDGET, UPKEEP, Line, Room
from agent_soul.render import Style, event_line
from agent_soul.resolve import Resolution, Status, Verdict
from agent_soul.text import escape_markdown, neutralise

_TOOLS = ("soul consolidate", "soul heartbeat", "soul prune")
_UNSEEN = frozenset({Status.QUARANTINED, Status.SCHEDULED})
_STANDING = frozenset({Status.ACTIVE, Status.MARK})
_EVENTS_SHOWN = 8
_ROWS_SHOWN = 16
_SHARE = 20
"""A line takes at most this part of the page's tokens, so that a whole run fits beside others."""
_INTRO = "What upkeep did, newest run first. It only appends: `soul retract ID` takes any of it back."


def render_upkeep(resolution: Resolution, style: Style) -> dict[str, str]:
    """Return `upkeep.md`, or nothing where no upkeep has run."""
    runs = _runs(resolution)
    if not runs:
        return {}
    room = Room.of(L2_BUDGET).after(document(UPKEEP, "Upkeep", _INTRO, _left_out(len(runs))))
    blocks = room.take("\n" + _block(run, resolution, style) for run in runs)
    note = _left_out(len(runs) - len(blocks))
    return {UPKEEP: document(UPKEEP, "Upkeep", _INTRO, note, *(block[1:] for block in blocks))}


def _runs(resolution: Resolution) -> list[list[Verdict]]:
    """Return the events of each run, its own report first, the newest run first."""
    runs: dict[tuple[str, str, str], list[Verdict]] = {}
    for verdict in resolution.verdicts:
        origin = verdict.event.data.get("origin", {})
        if origin.get("tool") in _TOOLS and verdict.status not in _UNSEEN:
            runs.setdefault((origin["tool"], verdict.event.source, origin.get("batch", "")), []).append(verdict)
    ordered = [sorted(run, key=_place_in_run) for run in runs.values()]
    return sorted(ordered, key=lambda run: run[0].event.sort_key, reverse=True)


def _place_in_run(verdict: Verdict) -> tuple[bool, str]:
    """Order the report first, then what the run drafted one after the other; a merge has the time of what it merged."""
    return (not _is_report(verdict), verdict.event.data["origin"].get("id", ""))


def _is_report(verdict: Verdict) -> bool:
    return verdict.event.kind == "project-update" and "derived_from" not in verdict.event.data


def _block(run: Sequence[Verdict], resolution: Resolution, style: Style) -> str:
    event = run[0].event
    title = escape_markdown(f"{event.date} {event.data['origin']['tool']} by {event.source}")
    lines = [_item(verdict, resolution, style) for verdict in run[:_EVENTS_SHOWN]]
    hidden = len(run) - len(lines)
    rest = [f"- and {hidden} more: `soul search --source {event.source} --limit 0`"] if hidden else []
    return "\n".join([f"## {title}", *lines, *rest])


def _item(verdict: Verdict, resolution: Resolution, style: Style) -> str:
    event = verdict.event
    line = event_line(Line(event, verdict, resolution.name_of(event.id)), style, UPKEEP, share=_SHARE)
    status = "" if verdict.status in _STANDING else f" [{verdict.status}]"
    if event.kind == "mark":
        return f"- {event.data['mark']['action']} {len(event.data['mark']['targets'])}: {line}{status}"
    if _is_report(verdict):
        return f"- {line}{status}" + "".join(_rows(event.detail.split("\n")))
    made_from = [resolution.name_of(id_) for id_ in event.data.get("derived_from", ())]
    verb = "merged" if len(event.supersedes) > 1 else "confirmed" if event.supersedes else "kept"
    more = f" and {len(made_from) - 3} more" if len(made_from) > 3 else ""
    return f"- {verb}: {line}{status}, from {escape_markdown(', '.join(made_from[:3]))}{more}"


def _rows(rows: Iterable[str]) -> list[str]:
    literal = [escape_markdown(row) for row in map(neutralise, rows) if row]
    return [f"\n  {row}" for row in literal[:_ROWS_SHOWN]]


def _left_out(number: int) -> str:
    return f"Left out for room: {number} earlier runs; the log has them." if number else ""
