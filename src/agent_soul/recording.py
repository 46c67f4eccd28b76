"""What the short commands fill in: the kind of an event, where it is kept, and a summary made of its parts. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from agent_soul.errors import RefusedError
from agent_soul.metrics import number_text

_CATEGORIES = {"facts": "fact", "decisions": "decision", "kpis": "metric", "lessons": "lesson"}


def lesson(given: Mapping[str, Any]) -> dict[str, Any]:
    """Return the record of a lesson: on the page of the agent that is named, else of the project, else the writer's."""
    if "scope" not in given and "project" in given and "agent" not in given:
        return {"kind": "lesson", "scope": "project", **given}
    return {"kind": "lesson", "scope": "agent", "agent": given.get("source", ""), **given}


def decision(given: Mapping[str, Any]) -> dict[str, Any]:
    """Return the record of a decision; without another word it is approved, and kept as `kept` says."""
    return kept({"kind": "decision", **given})


def fact(given: Mapping[str, Any]) -> dict[str, Any]:
    """Return the record of a fact; one that is given in parts alone says those as its summary."""
    claim = given.get("claim")
    said = {"summary": f"{claim['entity']}, {claim['attribute']}: {claim['value']}"} if claim else {}
    return kept({"kind": "fact", **said, **given})


def metric(given: Mapping[str, Any]) -> dict[str, Any]:
    """Return the record of a measurement; its summary says it in words."""
    measured = given["metric"]
    whose = f" of {given['project']}" if "project" in given else ""
    unit = f" {measured['unit']}" if measured.get("unit") else ""
    goal = f" (target {number_text(measured['target'])})" if "target" in measured else ""
    said = f"{measured['name']}{whose} is {number_text(measured['value'])}{unit}{goal}"
    return kept({"kind": "metric", "summary": said, **given})


def kept(given: Mapping[str, Any]) -> dict[str, Any]:
    """Return the record with a scope: that of its project where it has one, else stable."""
    return {"scope": "project" if "project" in given else "stable", **given}


def in_project(record: Mapping[str, Any]) -> dict[str, Any]:
    """Return the record with scope project where it names a project and no scope."""
    return {"scope": "project", **record} if "project" in record else dict(record)


def of_category(category: str, given: Mapping[str, Any]) -> dict[str, Any]:
    """Return the record for one of the lists of memory.json: `facts`, `decisions`, `kpis`, `lessons`, or its singular.

    Raises `RefusedError` for any other category, and where a kpi is not measured.
    """
    kind = _CATEGORIES.get(category) or _CATEGORIES.get(f"{category}s")
    if kind is None:
        raise RefusedError(f"--category {category!r} is not one of: {', '.join(_CATEGORIES)}", hint="name a list")
    if kind == "metric" and "metric" not in given:
        raise RefusedError("a kpi has a name and a value", hint="such as: --name ocr_accuracy --value 0.87")
    return {"fact": fact, "decision": decision, "metric": metric, "lesson": lesson}[kind](given)
