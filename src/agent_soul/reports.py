"""`conflicts.md` and `metrics.md`: the two pages that are not lists of memories. Pure."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence

from agent_soul.conflicts import Conflict
from agent_soul.markdown import document, title_text
from agent_soul.metrics import HISTORY, Crossing, Series, metric_series, number_text, plot
from agent_soul.pages import CONFLICTS, L2_BUDGET, METRICS, Line, Room, home_of
from agent_soul.render import Style, event_line, home_link
from agent_soul.resolve import Resolution
from agent_soul.tokens import estimate_tokens

_MEMBERS_SHOWN = 6
_CONFLICT_SHARE = 4
"""A conflict takes at most this part of its page, as long as two members stay."""
_MEMBER_SHARE = 16
_VALUES_SHOWN = 8
_UNIT_WIDTH = 20
_PLOTTED = 3
"""A metric is plotted from so many values on; of two the course says it all."""
_HEADLINE_WIDTH = 160
_WAYS = {"keep": "the newest holds", "both": "all hold", "write": "none holds as it stands"}
_KEEP_OF_GROUP = "one EVENT of these holds, and what contradicts it is taken back"

_CONFLICT_INTRO = (
    "Of each group not all can hold. Decide, or ask, then run the command; `--keep` takes the id of another line too. "
    "The log keeps every line."
)


def render_conflicts(conflicts: Sequence[Conflict], resolution: Resolution, style: Style) -> dict[str, str]:
    """Return `conflicts.md`, newest conflict first, or nothing where there is no conflict."""
    if not conflicts:
        return {}
    longest_note = _conflicts_left_out(len(conflicts))
    room = Room.of(L2_BUDGET).after(document(CONFLICTS, "Conflicts", _CONFLICT_INTRO, longest_note))
    blocks = room.take("\n" + _conflict_block(conflict, resolution, style) for conflict in conflicts)
    note = _conflicts_left_out(len(conflicts) - len(blocks))
    return {CONFLICTS: document(CONFLICTS, "Conflicts", _CONFLICT_INTRO, note, *(block[1:] for block in blocks))}


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
    ways = _WAYS | ({"keep": _KEEP_OF_GROUP} if conflict.is_group else {})
    lines += [f"- {meaning}: `{commands[way]}`" for way, meaning in ways.items()]
    return f"## {title_text(conflict.headline, _HEADLINE_WIDTH)}\n" + "\n".join(lines)


def _member_line(id_: str, name: str, resolution: Resolution, style: Style) -> str:
    verdict = resolution.by_id[id_]
    line = Line(verdict.event, verdict, name, home_of(verdict.event))
    text = event_line(line, style, CONFLICTS, share=_MEMBER_SHARE) + home_link(line, CONFLICTS)
    value = verdict.event.data.get("claim", {}).get("value")
    if value is None:
        return f"- {text}"
    return f"- {title_text(value if isinstance(value, str) else json.dumps(value))}: {text}"


def render_metrics(resolution: Resolution, style: Style, crossed: Sequence[Crossing] = ()) -> dict[str, str]:
    """Return `metrics.md`, the metric measured last first, or nothing where nothing was measured."""
    series = metric_series(resolution)
    if not series:
        return {}
    room = Room.of(L2_BUDGET).after(document(METRICS, "Metrics", _metrics_left_out(len(series)))).after("")
    lines = room.take(_metric_item(each, resolution, crossed) for each in series)
    return {METRICS: document(METRICS, "Metrics", _metrics_left_out(len(series) - len(lines)), "\n".join(lines))}


def _metrics_left_out(number: int) -> str:
    command = "soul search --kind metric --limit 0"
    return f"Left out for room: {number} metrics measured longer ago; `{command}` lists all." if number else ""


def _metric_item(series: Series, resolution: Resolution, crossed: Sequence[Crossing]) -> str:
    """Return a metric as a list item, with its plot below."""
    item = metric_line(series, resolution, crossing_marks(series, crossed))
    return f"{item}\n  {plot_text(series)}" if len(series) >= _PLOTTED else item


def crossing_marks(series: Series, crossed: Iterable[Crossing]) -> str:
    """Return the limits that the series lies beyond, as they stand in its line."""
    return "".join(f" ⚠ {each.mark}" for each in crossed if each.series == series)


def metric_line(series: Series, resolution: Resolution, marks: str = "") -> str:
    """Return what `metric_text` says as a list item, then the marks and `(id date source)`."""
    newest = series.newest
    return f"- {metric_text(series)}{marks} ({resolution.name_of(newest.id)} {newest.date} {newest.source})"


def metric_text(series: Series) -> str:
    """Return `name of whose: value unit (target), trend: course` as Markdown."""
    values = series.values
    whose = f" of {title_text(series.whose)}" if series.whose else ""
    unit = f" {title_text(series.unit, _UNIT_WIDTH)}" if series.unit else ""
    goal = f" (target {number_text(series.target)})" if series.target is not None else ""
    course = " → ".join(map(number_text, values[-_VALUES_SHOWN:]))
    earlier = f"{len(values) - _VALUES_SHOWN} earlier, " if len(values) > _VALUES_SHOWN else ""
    history = f", {series.trend}: {earlier}{course}" if len(values) > 1 else ""
    return f"{title_text(series.name)}{whose}: {number_text(values[-1])}{unit}{goal}{history}"


def plot_text(series: Series) -> str:
    """Return the plot of the last values, with how many there are, when they were measured, and how far they reach."""
    events, values = series[-HISTORY:], series.values[-HISTORY:]
    reach = f"{number_text(min(values))} to {number_text(max(values))}"
    return f"{plot(values)} {len(values)} values, {events[0].date} to {events[-1].date}, {reach}"
