"""`memory_op.py`, by the names under which agents know it, and the file that its writes give."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from agent_soul import schemas
from support import Soul


@pytest.fixture
def written(inside: Soul) -> Any:
    """Return a function that writes by `memory_op.py` and returns the event."""

    def run(*arguments: str) -> dict[str, Any]:
        event: dict[str, Any] = json.loads(inside("memory", *arguments).stdout)["event"]
        return event

    return run


def memory_json(inside: Soul, hub: Path) -> dict[str, Any]:
    inside("compile")
    loaded: dict[str, Any] = json.loads((hub / "canonical" / "memory.json").read_text(encoding="utf-8"))
    return loaded


def test_the_writes_of_the_council_give_its_file(written: Any, inside: Soul, hub: Path) -> None:
    lucy = ("--entity", "Lucy", "--attribute", "role", "--value", "SaaS founder based in Indonesia UTC8")
    fact = written("write", "--category", "facts", *lucy, "--confidence", "1.0", "--ts", "2023-10-01T09:00:00Z")
    decision = written(
        *("write", "--fact", "Lucy decided to target bookkeepers with 5 years experience", "--category", "decisions"),
        *("--title", "Target experienced bookkeepers", "--rationale", "Lower churn in this segment."),
        *("--agent", "strategy_agent", "--by", "Lucy", "--ts", "2023-10-27T09:00:00Z"),
    )
    ocr = ("--name", "ocr_accuracy", "--target", "0.95", "--unit", "percentage")
    written("write", "--category", "kpis", *ocr, "--value", "0.82", "--ts", "2023-10-20T09:00:00Z")
    kpi = written("write", "--category", "kpis", *ocr, "--value", "0.87", "--ts", "2023-10-27T10:00:00Z")
    insight = "Tesseract 5.0 performs poorly on cursive handwriting."
    lesson = written(
        *("write", "--fact", insight, "--category", "lessons", "--agent", "rafael", "--applies-to", "ocr_tasks"),
        *("--context", "Optimizing OCR for handwritten invoices", "--ts", "2023-10-26T09:00:00Z"),
    )
    day = written(
        "daily", "14:30 - synced on the new UI design with the front end.", "--ts", "2023-10-26T14:30:00+08:00"
    )

    loaded = memory_json(inside, hub)

    schemas.compiled_validator("memory").validate(loaded)
    assert loaded["last_updated"] == "2023-10-27T10:00:00Z"
    expected: dict[str, dict[str, Any]] = {
        "facts": {
            "id": fact["event_id"],
            "entity": "Lucy",
            "attribute": "role",
            "value": "SaaS founder based in Indonesia UTC8",
            "source": "memory-op",
            "confidence": 1.0,
            "created_at": "2023-10-01",
            "updated_at": "2023-10-01",
        },
        "decisions": {
            "id": decision["event_id"],
            "title": "Target experienced bookkeepers",
            "description": "Lucy decided to target bookkeepers with 5 years experience",
            "rationale": "Lower churn in this segment.",
            "status": "approved",
            "made_by": "strategy_agent",
            "approved_by": "Lucy",
            "date": "2023-10-27",
        },
        "kpis": {
            "id": kpi["event_id"],
            "name": "ocr_accuracy",
            "current_value": 0.87,
            "target_value": 0.95,
            "unit": "percentage",
            "trend": "improving",
            "last_updated": "2023-10-27",
            "history": [{"date": "2023-10-20", "value": 0.82}, {"date": "2023-10-27", "value": 0.87}],
        },
        "lessons": {
            "id": lesson["event_id"],
            "agent": "rafael",
            "context": "Optimizing OCR for handwritten invoices",
            "insight": insight,
            "date_learned": "2023-10-26",
            "applicable_to": ["ocr_tasks"],
        },
        "sessions": {
            "session_id": day["event_id"],
            "agents_involved": ["memory-op"],
            "topic": "14:30 - synced on the new UI design with the front end.",
            "summary_file": "canonical/daily/2023-10-26.md",
            "date": "2023-10-26",
        },
    }
    for name, fields in expected.items():
        (item,) = loaded[name]
        assert {field: item[field] for field in fields} == fields


def test_what_was_written_is_found_and_read(written: Any, inside: Soul) -> None:
    fact = "Lucy decided to target bookkeepers with 5 years experience"
    written("write", "--fact", fact, "--category", "decisions")
    written("write", "--fact", "Binarise first.", "--category", "lessons", "--agent", "rafael")

    assert fact in inside("memory", "search", "--query", "bookkeeper validation").stdout
    assert fact in inside("memory", "read").stdout
    assert "Binarise first." in inside("memory", "context", "--agent", "rafael").stdout


def test_a_source_that_says_who_it_is_is_kept(written: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    assert written("write", "--fact", "text", "--category", "facts", "--source", "desk")["source"] == "desk"
    monkeypatch.setenv("AGENT_SOUL_SOURCE", "mac")
    assert written("write", "--fact", "text", "--category", "facts")["source"] == "mac"
    assert written("daily", "text")["source"] == "mac"


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("--fact", "text", "--category", "kpi"), "a kpi has a name and a value"),
        (("--fact", "text", "--category", "ideas"), "'ideas' is not one of: facts, decisions, kpis, lessons"),
        (("--category", "facts"), "missing: --fact"),
        (("--fact", "text"), "--category"),
    ],
)
def test_what_does_not_fit_is_refused(inside: Soul, hub: Path, options: tuple[str, ...], said: str) -> None:
    assert said in inside("memory", "write", *options, code=2).stderr
    assert list(hub.glob("sources/*")) == []


def test_the_commands_of_the_group_are_ours_by_other_names(inside: Soul) -> None:
    shown = inside("memory", "--help").stdout

    assert [name for name in ("read", "write", "search", "daily", "context") if f"\n  {name} " not in shown] == []
