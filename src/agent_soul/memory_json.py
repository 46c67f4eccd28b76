"""`memory.json`: the same memory for programs, in lists of facts, decisions, kpis, lessons and sessions. Pure.

Its shape is `schemas/memory.json`, which ships with the package.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from agent_soul import schemas
from agent_soul.config import Config
from agent_soul.conflicts import Conflict
from agent_soul.event import Event
from agent_soul.instants import utc_time
from agent_soul.markdown import shorten
from agent_soul.metrics import HISTORY, Series, metric_series
from agent_soul.pages import Line, contradictions, home_of, ranked
from agent_soul.references import links_of
from agent_soul.resolve import Resolution
from agent_soul.text import neutralise

MAX_BYTES = 256 << 10
_LISTS = ("facts", "decisions", "kpis", "lessons", "sessions")
_SHARE = {"kpis": 0.15, "lessons": 0.15, "decisions": 0.25, "sessions": 0.1, "facts": 0.35}
"""Part of the file that is kept for each list; what a list does not need goes to those after it."""
_FRAME_BYTES = 1_024
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
        "facts": (_fact(line, resolution) for line in lines["facts"]),
        "decisions": (_decision(line, resolution) for line in lines["decisions"]),
        "kpis": map(_kpi, series),
        "lessons": (_lesson(line, resolution) for line in lines["lessons"]),
        "sessions": (_session(line, resolution) for line in lines["sessions"]),
    }
    sizes = {**{name: len(lines[name]) for name in _LISTS}, "kpis": len(series)}
    kept = _shared_out(items)
    left_out = {name: sizes[name] - len(kept[name]) for name in _LISTS}
    return _document(kept, left_out, _last_updated(active))


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


def _last_updated(active: Sequence[Line]) -> str | None:
    """Return the UTC time, to the second, at which the newest active event was stated."""
    if not active:
        return None
    newest = active[-1].event  # they are in the total order
    return utc_time(newest.instant)


def _document(kept: Mapping[str, Sequence[str]], left_out: Mapping[str, int], last_updated: str | None) -> str:
    """Return the whole file, an item a line: a changed memory is a small diff, and the fast encoder does the rest."""
    schema = schemas.load("memory")
    parts = [
        '"generated_by": "soul compile"',
        f'"$schema": {_dump(schema["$id"])}',
        f'"version": {schema["properties"]["version"]["const"]}',
        f'"last_updated": {_dump(last_updated)}',
    ]
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


def _common(line: Line, resolution: Resolution) -> dict[str, Any]:
    """Return what every item has; `confidence` is null where its writer gave none."""
    event, verdict = line.event, line.verdict
    related = dict.fromkeys(found.event.id for found in map(resolution.find, links_of(event)) if found)
    related.pop(event.id, None)
    return {
        "id": event.id,
        "source": event.source,
        "scope": event.scope,
        "importance": event.importance,
        "confidence": event.data.get("confidence"),
        **_some(
            _with_project(event), project="project", agent="agent", tags="tags", valid_until="valid_until", refs="refs"
        ),
        **({"replaces": _plain(event.supersedes)} if event.supersedes else {}),
        **({"related_to": _plain(tuple(related))} if related else {}),
        **({"conflicts_with": list(line.against[:_ITEMS])} if line.against else {}),
        **({"copies": verdict.copies, "sources": _plain(verdict.sources)} if verdict.copies > 1 else {}),
    }


def _fact(line: Line, resolution: Resolution) -> dict[str, Any]:
    event = line.event
    return {
        **_common(line, resolution),
        "summary": _plain(event.summary),
        **_some(event.data.get("claim", {}), entity="entity", attribute="attribute", value="value"),
        "category": event.kind,
        "created_at": _first_stated(event, resolution),
        "updated_at": event.date,
    }


def _decision(line: Line, resolution: Resolution) -> dict[str, Any]:
    event = line.event
    given = event.data.get("decision", {})
    status, by = given.get("status", "approved"), given.get("by", "")
    return {
        **_common(line, resolution),
        "title": _plain(event.data.get("title", "") or event.summary),
        "description": _plain(event.summary),
        **_some(given, rationale="rationale"),
        "status": status,
        "made_by": _plain(event.agent or by or event.source),
        **({"approved_by": _plain(by)} if by and status == "approved" else {}),
        "date": event.date,
    }


def _lesson(line: Line, resolution: Resolution) -> dict[str, Any]:
    event = line.event
    given = event.data.get("lesson", {})
    applies = given.get("applies_to", [])
    return {
        **_common(line, resolution),
        "agent": _plain(event.agent or event.source),
        **_some(given, context="context"),
        "insight": _plain(event.summary),
        "date_learned": event.date,
        "applicable_to": _plain([applies] if isinstance(applies, str) else applies),
    }


def _session(line: Line, resolution: Resolution) -> dict[str, Any]:
    event = line.event
    return {
        **_common(line, resolution),
        "session_id": event.id,
        "agents_involved": [_plain(event.agent or event.source)],
        "topic": _plain(event.data.get("title", "") or event.summary),
        "summary": _plain(event.summary),
        "summary_file": f"canonical/{home_of(event)}",
        "category": event.kind,
        "date": event.local_date if event.scope == "daily" else event.date,
    }


def _kpi(series: Series) -> dict[str, Any]:
    newest = series.newest
    target, unit = series.target, series.unit
    points = [{"date": event.date, "value": event.data["metric"]["value"]} for event in series[-HISTORY:]]
    return {
        "id": newest.id,
        "name": _plain(series.name),
        **_some(_with_project(newest), project="project", agent="agent"),
        "current_value": series.values[-1],
        **({"target_value": target} if target is not None else {}),
        **({"unit": _plain(unit)} if unit else {}),
        "trend": series.trend,
        "last_updated": newest.date,
        "source": newest.source,
        "confidence": newest.data.get("confidence"),
        "history": points,
        "history_left_out": len(series) - len(points),
    }


def _first_stated(event: Event, resolution: Resolution) -> str:
    """Return the UTC date of the oldest event in the chain of those that `event` replaced, itself included."""
    oldest, seen, waiting = event, {event.id}, list(event.supersedes)
    while waiting:
        id_ = waiting.pop()
        if id_ in resolution.by_id and id_ not in seen:
            seen.add(id_)
            earlier = resolution.by_id[id_].event
            oldest = min(oldest, earlier, key=lambda each: each.sort_key)
            waiting += earlier.supersedes
    return oldest.date
