"""`memory.json`: the same memory for programs, in the lists that reference systems keep. Pure."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from agent_soul.config import Config
from agent_soul.conflicts import Conflict
from agent_soul.event import Event
from agent_soul.pages import Line, contradictions, ranked
from agent_soul.render import shorten
from agent_soul.reports import metric_series, trend
from agent_soul.resolve import Resolution
from agent_soul.text import neutralise

MAX_BYTES = 256 << 10
_LISTS = ("facts", "decisions", "kpis", "lessons", "sessions")
_SHARE = {"kpis": 0.15, "lessons": 0.15, "decisions": 0.25, "sessions": 0.1, "facts": 0.35}
"""Part of the file that is kept for each list; what a list does not need goes to those after it."""
_FRAME_BYTES = 1_024
_HISTORY = 30
_TEXT_WIDTH = 500
_ITEMS = 12
"""Longer texts and lists are cut (`soul show ID` has all of it), so that every list has room for several items."""


def render_memory(resolution: Resolution, config: Config, conflicts: Sequence[Conflict] = ()) -> str:
    """Return `memory.json`: every active event is in one of the lists or counted in `left_out`.

    An event that contradicts others names them (the first `_ITEMS`) in `conflicts_with`.

    Kpis come by their last measurement, the other lists in the order of the pages.
    """
    lines: dict[str, list[Line]] = {name: [] for name in _LISTS}
    against = contradictions(conflicts)
    active = [Line(v.event, v, "", against=against.get(v.event.id, ())) for v in resolution.active]
    for line in ranked(active, config):
        lines[_list_of(line.event)].append(line)
    series = metric_series(resolution)
    items: dict[str, Iterable[dict[str, Any]]] = {
        "facts": map(_fact, lines["facts"]),
        "decisions": map(_decision, lines["decisions"]),
        "kpis": map(_kpi, series),
        "lessons": map(_lesson, lines["lessons"]),
        "sessions": map(_session, lines["sessions"]),
    }
    sizes = {**{name: len(lines[name]) for name in _LISTS}, "kpis": len(series)}
    kept = _shared_out(items)
    left_out = {name: sizes[name] - len(kept[name]) for name in _LISTS}
    return _document(kept, left_out)


def _list_of(event: Event) -> str:
    match event.kind:
        case "decision":
            return "decisions"
        case "lesson":
            return "lessons"
        case "metric":
            return "kpis"
    return "sessions" if event.scope == "daily" or event.kind == "project-update" else "facts"


def _shared_out(items: Mapping[str, Iterable[dict[str, Any]]]) -> dict[str, list[str]]:
    """Return the items that there is room for, as JSON; no more of them are made than that."""
    kept: dict[str, list[str]] = {}
    spare = 0
    for name, share in _SHARE.items():
        spare += int((MAX_BYTES - _FRAME_BYTES) * share)
        kept[name] = []
        for item in items[name]:
            text = _dump(item)
            size = len(text.encode("utf-8")) + len(",\n  ")
            if size > spare:
                break
            kept[name].append(text)
            spare -= size
    return kept


def _document(kept: Mapping[str, Sequence[str]], left_out: Mapping[str, int]) -> str:
    """Return the whole file, an item a line: a changed memory is a small diff, and the fast encoder does the rest."""
    parts = ['"generated_by": "soul compile"', '"version": 1']
    for name in _LISTS:
        rows = ",\n  ".join(kept[name])
        parts.append(f'"{name}": [\n  {rows}\n ]' if rows else f'"{name}": []')
    parts.append(f'"left_out": {_dump(left_out)}')
    return "{\n " + ",\n ".join(parts) + "\n}\n"


def _dump(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)


def _plain(value: Any) -> Any:
    """Return a value whose texts hide nothing and are not too long; programs print them, too."""
    if isinstance(value, str):
        return shorten(neutralise(value), _TEXT_WIDTH)
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value[:_ITEMS]]
    return value


def _some(given: Mapping[str, Any], **names: str) -> dict[str, Any]:
    """Return those of the fields `names` (ours to the event's) that are given."""
    return {ours: _plain(given[theirs]) for ours, theirs in names.items() if theirs in given}


def _with_project(event: Event) -> Mapping[str, Any]:
    """Return the record with its project under the name that it is called now."""
    return {**event.data, "project": event.project} if event.project else event.data


def _common(line: Line) -> dict[str, Any]:
    event = line.event
    return {
        "id": event.id,
        "summary": shorten(event.summary, _TEXT_WIDTH),
        "date": event.date,
        "source": event.source,
        "scope": event.scope,
        "importance": event.importance,
        **_some(
            _with_project(event),
            project="project",
            agent="agent",
            confidence="confidence",
            tags="tags",
            valid_until="valid_until",
        ),
        **({"conflicts_with": list(line.against[:_ITEMS])} if line.against else {}),
        **({"copies": line.verdict.copies, "sources": _plain(line.verdict.sources)} if line.verdict.copies > 1 else {}),
    }


def _fact(line: Line) -> dict[str, Any]:
    claim = line.event.data.get("claim", {})
    return {
        **_common(line),
        "kind": line.event.kind,
        **_some(claim, entity="entity", attribute="attribute", value="value"),
    }


def _decision(line: Line) -> dict[str, Any]:
    event = line.event
    given = event.data.get("decision", {})
    return {
        **_common(line),
        "title": _plain(event.data.get("title", "") or event.summary),
        "status": given.get("status", "approved"),
        **_some(given, rationale="rationale", made_by="by"),
    }


def _lesson(line: Line) -> dict[str, Any]:
    event = line.event
    given = _some(event.data.get("lesson", {}), context="context", applies_to="applies_to")
    return {**_common(line), "agent": event.agent or event.source, "insight": _plain(event.summary), **given}


def _session(line: Line) -> dict[str, Any]:
    return {**_common(line), "kind": line.event.kind, "day": line.event.local_date}


def _kpi(events: Sequence[Event]) -> dict[str, Any]:
    newest = events[-1]
    metric = newest.data["metric"]
    values = [event.data["metric"]["value"] for event in events]
    return {
        "id": newest.id,
        "name": _plain(metric["name"]),
        **_some(_with_project(newest), project="project", agent="agent"),
        "current_value": metric["value"],
        **_some(metric, target_value="target", unit="unit"),
        "trend": trend(values, metric.get("target")),
        "date": newest.date,
        "source": newest.source,
        "history": [{"date": event.date, "value": event.data["metric"]["value"]} for event in events[-_HISTORY:]],
        "history_left_out": max(len(events) - _HISTORY, 0),
    }
