"""`conflicts.md` and `metrics.md`: the two pages that are not lists of memories. Pure."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Sequence

from agent_soul.conflicts import Conflict
from agent_soul.event import Event
from agent_soul.pages import CONFLICTS, L2_BUDGET, METRICS, Line, Room
from agent_soul.render import Style, document, event_line, title_text
from agent_soul.resolve import Resolution
from agent_soul.text import compare_key
from agent_soul.tokens import estimate_tokens

_MEMBERS_SHOWN = 6
_CONFLICT_SHARE = 4
"""A conflict takes at most this part of its page, as long as two members stay."""
_MEMBER_SHARE = 16
_VALUES_SHOWN = 8
_UNIT_WIDTH = 20
_HEADLINE_WIDTH = 160
_WAYS = {"keep": "the newest holds", "both": "all hold", "write": "none holds as it stands"}

_CONFLICT_INTRO = (
    "Of each group not all can hold. Decide, or ask, then run the command; `--keep` takes the id of another line too. "
    "The log keeps every line."
)


def render_conflicts(conflicts: Sequence[Conflict], resolution: Resolution, style: Style) -> dict[str, str]:
    """Return `conflicts.md`, newest conflict first, or nothing where there is no conflict."""
    if not conflicts:
        return {}
    room = Room.of(L2_BUDGET).after(document("Conflicts", _CONFLICT_INTRO, _conflicts_left_out(len(conflicts))))
    blocks = room.take("\n" + _conflict_block(conflict, resolution, style) for conflict in conflicts)
    note = _conflicts_left_out(len(conflicts) - len(blocks))
    return {CONFLICTS: document("Conflicts", _CONFLICT_INTRO, note, *(block[1:] for block in blocks))}


def _conflicts_left_out(number: int) -> str:
    return f"Left out for room: {number}; they come up as these are settled." if number else ""


def _conflict_block(conflict: Conflict, resolution: Resolution, style: Style) -> str:
    for number in range(_MEMBERS_SHOWN, 1, -1):
        block = _block_of(conflict, number, resolution, style)
        if estimate_tokens(block) <= L2_BUDGET.tokens // _CONFLICT_SHARE:
            break
    return block


def _block_of(conflict: Conflict, number: int, resolution: Resolution, style: Style) -> str:
    """Return a conflict with `number` of its members: the newest, then first of all those that contradict it."""
    newest = conflict.members[0]
    ids = dict.fromkeys([newest.id, *conflict.against[newest.id], *(member.id for member in conflict.members)])
    shown = list(ids)[:number]
    lines = [_member_line(id_, resolution.name_of(id_), resolution, style) for id_ in shown]
    lines += [f"- and {len(ids) - number} more"] if len(ids) > number else []
    commands = conflict.commands(resolution.name_of)
    lines += [f"- {meaning}: `{commands[way]}`" for way, meaning in _WAYS.items()]
    return f"## {title_text(conflict.headline, _HEADLINE_WIDTH)}\n" + "\n".join(lines)


def _member_line(id_: str, name: str, resolution: Resolution, style: Style) -> str:
    verdict = resolution.by_id[id_]
    line = event_line(Line(verdict.event, verdict, name), style, CONFLICTS, share=_MEMBER_SHARE)
    value = verdict.event.data.get("claim", {}).get("value")
    if value is None:
        return f"- {line}"
    return f"- {title_text(value if isinstance(value, str) else json.dumps(value))}: {line}"


def metric_series(resolution: Resolution) -> list[list[Event]]:
    """Return the active measurements of each metric, oldest first, the metric measured last first.

    Names that differ only in case or width are one; each project and each agent has its own.
    """
    series: dict[tuple[str, ...], list[Event]] = defaultdict(list)
    for verdict in resolution.active:
        event = verdict.event
        if event.kind == "metric":
            whose = event.reach if event.reach[1] else ("", "")
            series[(*whose, compare_key(event.data["metric"]["name"]))].append(event)
    return sorted(series.values(), key=lambda events: events[-1].sort_key, reverse=True)


def trend(values: Sequence[float], target: float | None) -> str:
    """Return `stable`, or whether the last step goes towards the target; without a target, up or down."""
    if len(values) < 2 or values[-1] == values[-2]:
        return "stable"
    if target is None:
        return "rising" if values[-1] > values[-2] else "falling"
    return "improving" if abs(values[-1] - target) < abs(values[-2] - target) else "declining"


def render_metrics(resolution: Resolution, style: Style) -> dict[str, str]:
    """Return `metrics.md`, the metric measured last first, or nothing where nothing was measured."""
    series = metric_series(resolution)
    if not series:
        return {}
    room = Room.of(L2_BUDGET).after(document("Metrics", _metrics_left_out(len(series)))).after("")
    lines = room.take(metric_line(events, resolution) for events in series)
    return {METRICS: document("Metrics", _metrics_left_out(len(series) - len(lines)), "\n".join(lines))}


def _metrics_left_out(number: int) -> str:
    command = "soul search --kind metric --limit 0"
    return f"Left out for room: {number} metrics measured longer ago; `{command}` lists all." if number else ""


def metric_line(events: Sequence[Event], resolution: Resolution) -> str:
    """Return `name of whose: value unit (target), trend: course (id date source)`."""
    newest = events[-1]
    metric = newest.data["metric"]
    whose = f" of {title_text(newest.reach[1])}" if newest.reach[1] else ""
    unit = f" {title_text(metric['unit'], _UNIT_WIDTH)}" if metric.get("unit") else ""
    goal = f" (target {_number(metric['target'])})" if "target" in metric else ""
    values = [event.data["metric"]["value"] for event in events]
    course = " → ".join(map(_number, values[-_VALUES_SHOWN:]))
    earlier = f"{len(values) - _VALUES_SHOWN} earlier, " if len(values) > _VALUES_SHOWN else ""
    history = f": {earlier}{course}" if len(values) > 1 else ""
    direction = f", {trend(values, metric.get('target'))}" if len(values) > 1 else ""
    provenance = f"{resolution.name_of(newest.id)} {newest.date} {newest.source}"
    return (
        f"- {title_text(metric['name'])}{whose}: {_number(values[-1])}{unit}{goal}{direction}{history} ({provenance})"
    )


def _number(value: float) -> str:
    """Return a number as people write it: whole ones in full, others without the noise of binary fractions."""
    return str(value) if isinstance(value, int) else f"{value:.12g}"
