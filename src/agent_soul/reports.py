"""`conflicts.md` and `metrics.md`: the two pages that are not lists of memories. Pure."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence

from agent_soul.conflicts import Conflict
from agent_soul.event import Event, short_id
from agent_soul.pages import CONFLICTS, L2_BUDGET, METRICS, Line
from agent_soul.render import Style, document, event_line, longest_fitting, title_text
from agent_soul.resolve import Resolution
from agent_soul.text import compare_key, escape_markdown, neutralise

_MEMBERS_SHOWN = 6
_VALUES_SHOWN = 8


def render_conflicts(conflicts: Sequence[Conflict], resolution: Resolution, style: Style) -> dict[str, str]:
    """Return `conflicts.md`, newest conflict first, or nothing where there is no conflict."""
    if not conflicts:
        return {}
    blocks = [_conflict_block(conflict, resolution, style) for conflict in conflicts]

    def build(number: int) -> str:
        hidden = len(blocks) - number
        rest = f"Left out for room: {hidden} more conflicts; they come up as these are settled." if hidden else ""
        return document("Conflicts", _CONFLICT_INTRO, *blocks[:number], rest)

    return {CONFLICTS: build(longest_fitting(len(blocks), build, L2_BUDGET))}


_CONFLICT_INTRO = (
    "These statements cannot both hold. Decide which is right; the commands stand below each. "
    "Nothing is deleted: the log keeps every line."
)


def _conflict_block(conflict: Conflict, resolution: Resolution, style: Style) -> str:
    shown = conflict.members[:_MEMBERS_SHOWN]
    lines = [_member_line(event, resolution, style) for event in shown]
    hidden = len(conflict.members) - len(shown)
    lines += [f"- and {hidden} more" for _ in range(min(hidden, 1))]
    newest = short_id(conflict.members[0].id)
    losers = [short_id(id_) for id_ in conflict.against[conflict.members[0].id]]
    both = " ".join(short_id(member.id) for member in shown)
    lines.append(
        f'- to keep {newest}: `soul retract {" ".join(losers[:_MEMBERS_SHOWN])} --source YOUR-ID --reason "why"`'
    )
    lines.append(f'- all hold: `soul resolve {both} --source YOUR-ID --reason "why"`')
    kind = "certain, by claim" if conflict.certain else "suspected, by text"
    return f"## {title_text(conflict.subject)} ({kind})\n" + "\n".join(lines)


def _member_line(event: Event, resolution: Resolution, style: Style) -> str:
    line = event_line(Line(event, resolution.by_id[event.id]), style, page_path=CONFLICTS, with_source=True)
    return (
        f"- {line}: {escape_markdown(neutralise(str(event.data['claim']['value'])))}"
        if "claim" in event.data
        else f"- {line}"
    )


def metric_series(resolution: Resolution) -> dict[str, list[Event]]:
    """Return the active measurements by name, oldest first; names that differ only in case or width are one."""
    series: dict[str, list[Event]] = defaultdict(list)
    for verdict in resolution.active:
        if verdict.event.kind == "metric":
            series[compare_key(verdict.event.data["metric"]["name"])].append(verdict.event)
    return series


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
    newest_first = sorted(series.values(), key=lambda events: events[-1].sort_key, reverse=True)
    lines = [_metric_line(events) for events in newest_first]

    def build(number: int) -> str:
        hidden = len(lines) - number
        rest = (
            f"Left out for room: {hidden} metrics, measured longer ago: `soul search --kind metric --limit 0`."
            if hidden
            else ""
        )
        return document("Metrics", "\n".join(lines[:number]), rest)

    return {METRICS: build(longest_fitting(len(lines), build, L2_BUDGET))}


def _metric_line(events: Sequence[Event]) -> str:
    newest = events[-1]
    metric: Mapping[str, object] = newest.data["metric"]
    target = metric.get("target")
    values = [float(event.data["metric"]["value"]) for event in events]
    direction = trend(values, float(str(target)) if target is not None else None)
    unit = f" {neutralise(str(metric['unit']))}" if metric.get("unit") else ""
    goal = f" (target {target:g})" if isinstance(target, int | float) else ""
    course = " → ".join(f"{value:g}" for value in values[-_VALUES_SHOWN:])
    earlier = f"{len(values) - _VALUES_SHOWN} earlier, " if len(values) > _VALUES_SHOWN else ""
    name = escape_markdown(neutralise(str(metric["name"])))
    return (
        f"- {name}: {values[-1]:g}{escape_markdown(unit)}{goal}, {direction}: {earlier}{course} "
        f"({short_id(newest.id)} {newest.date} {newest.source})"
    )
