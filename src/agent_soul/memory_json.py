"""`memory.json`: the same memory for programs, in the lists that reference systems keep. Pure."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from typing import Any

from agent_soul.config import Config
from agent_soul.event import Event
from agent_soul.pages import Line, ranked
from agent_soul.reports import metric_series, trend
from agent_soul.resolve import Resolution

MAX_BYTES = 256 << 10
_HISTORY = 30
_SHARE = {"facts": 0.35, "decisions": 0.25, "lessons": 0.15, "kpis": 0.15, "sessions": 0.1}
"""Part of the file that each list may fill; together all of it, less what the braces need."""
_FACT_KINDS = frozenset({"fact", "preference", "rule", "correction", "observation", "topic"})
_BRACES = 1_024


def render_memory(resolution: Resolution, config: Config) -> str:
    """Return `memory.json`: facts, decisions, kpis, lessons and sessions, each list with how many it leaves out."""
    lines = ranked([Line(verdict.event, verdict) for verdict in resolution.active], config)
    lists = {
        "facts": [_fact(line) for line in lines if line.event.kind in _FACT_KINDS and line.event.scope != "daily"],
        "decisions": [_decision(line) for line in lines if line.event.kind == "decision"],
        "kpis": [_kpi(events) for events in _newest_first(metric_series(resolution).values())],
        "lessons": [_lesson(line) for line in lines if line.event.kind == "lesson"],
        "sessions": [_session(line) for line in lines if line.event.scope == "daily"],
    }
    document: dict[str, Any] = {"generated_by": "soul compile", "version": 1}
    left_out = {}
    for name, items in lists.items():
        kept = _within(items, int((MAX_BYTES - _BRACES) * _SHARE[name]))
        document[name], left_out[name] = kept, len(items) - len(kept)
    return _dump({**document, "left_out": left_out}) + "\n"


def _within(items: Sequence[dict[str, Any]], limit: int) -> list[dict[str, Any]]:
    kept, size = [], 0
    for item in items:
        size += len(_dump(item, indent=4).encode("utf-8")) + 8
        if size > limit:
            break
        kept.append(item)
    return kept


def _dump(value: Any, indent: int = 1) -> str:
    # One key per line: a changed memory is a small diff.
    return json.dumps(value, ensure_ascii=False, indent=indent)


def _newest_first(groups: Any) -> list[list[Event]]:
    return sorted(groups, key=lambda events: events[-1].sort_key, reverse=True)


def _common(line: Line) -> dict[str, Any]:
    event = line.event
    common = {
        "id": event.id,
        "summary": event.summary,
        "date": event.date,
        "source": event.source,
        "scope": event.scope,
    }
    optional: dict[str, Callable[[], Any]] = {
        "project": lambda: event.project,
        "agent": lambda: event.agent,
        "confidence": lambda: event.data["confidence"],
        "tags": lambda: event.data["tags"],
        "valid_until": lambda: event.valid_until,
    }
    return {**common, **{name: value() for name, value in optional.items() if name in event.data}}


def _fact(line: Line) -> dict[str, Any]:
    return {**_common(line), "kind": line.event.kind, **line.event.data.get("claim", {})}


def _decision(line: Line) -> dict[str, Any]:
    given = line.event.data.get("decision", {})
    return {
        **_common(line),
        "title": line.event.data.get("title", line.event.summary),
        "status": given.get("status", "approved"),
        **{name: given[key] for name, key in (("rationale", "rationale"), ("made_by", "by")) if key in given},
    }


def _lesson(line: Line) -> dict[str, Any]:
    given = line.event.data.get("lesson", {})
    agent = line.event.agent or line.event.source
    return {**_common(line), "agent": agent, "insight": line.event.summary, **given}


def _session(line: Line) -> dict[str, Any]:
    return {**_common(line), "day": line.event.local_date}


def _kpi(events: Sequence[Event]) -> dict[str, Any]:
    metric = events[-1].data["metric"]
    values = [float(event.data["metric"]["value"]) for event in events]
    return {
        "id": events[-1].id,
        "name": metric["name"],
        "current_value": metric["value"],
        **{key: metric[name] for key, name in (("target_value", "target"), ("unit", "unit")) if name in metric},
        "trend": trend(values, metric.get("target")),
        "date": events[-1].date,
        "source": events[-1].source,
        "history": [{"date": event.date, "value": event.data["metric"]["value"]} for event in events[-_HISTORY:]],
        "history_left_out": max(len(events) - _HISTORY, 0),
    }
