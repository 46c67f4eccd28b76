"""`memory.json`: the lists that programs read, whole, honest about what is left out, and without hidden characters."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from agent_soul import schemas
from agent_soul.config import default_config
from agent_soul.memory_json import MAX_BYTES, render_memory
from agent_soul.text import find_hidden
from hubs import compiled, event, pages
from test_cases import CASES, compile_case

LISTS = ["facts", "decisions", "kpis", "lessons", "sessions"]


def unlike(number: int, length: int) -> str:
    """Return a text of characters that no text of another number has, so that nobody need judge whether two agree."""
    return chr(0x4E00 + number) * length


def memory(*records: dict[str, Any]) -> dict[str, Any]:
    loaded: dict[str, Any] = json.loads(pages(records)["memory.json"])
    return loaded


def test_the_lists_are_there_even_when_empty() -> None:
    assert memory() == {
        "generated_by": "soul compile",
        "$schema": "urn:agent-soul:memory:1",
        "version": 1,
        "last_updated": None,
        **{name: [] for name in LISTS},
        "left_out": dict.fromkeys(LISTS, 0),
    }


def test_a_fact_has_id_date_source_and_what_it_claims() -> None:
    claim = {"entity": "Lin", "attribute": "role", "value": "founder"}
    (fact,) = memory(event(1, "Lin founded it.", claim=claim, confidence=0.9, importance=0.7, tags=["people"]))["facts"]

    assert fact == {
        "id": "event-1",
        "source": "mac",
        "scope": "stable",
        "importance": 0.7,
        "confidence": 0.9,
        "tags": ["people"],
        "summary": "Lin founded it.",
        **claim,
        "category": "fact",
        "created_at": "2026-03-01",
        "updated_at": "2026-03-01",
    }


def test_every_item_says_how_sure_its_writer_is_or_that_nobody_said() -> None:
    loaded = memory(
        event(1, confidence=0.4),
        event(2, kind="decision"),
        event(3, kind="lesson"),
        event(4, kind="metric", metric={"name": "speed", "value": 1}, confidence=1),
        event(5, kind="note", scope="daily"),
    )

    assert [loaded[name][0]["confidence"] for name in LISTS] == [0.4, None, 1, None, None]


def test_a_fact_was_created_when_the_first_of_its_chain_was_stated() -> None:
    (fact,) = memory(
        event(1, "One."),
        event(3000, "Two.", supersedes=["event-1"]),
        event(6000, "Three.", supersedes=["event-3000", "event-9"]),
    )["facts"]

    assert (fact["created_at"], fact["updated_at"]) == ("2026-03-01", "2026-03-05")
    assert fact["replaces"] == ["event-3000", "event-9"]


def test_what_a_text_links_and_what_it_was_made_from_is_related() -> None:
    (newest, *_) = memory(
        event(1), event(2), event(3, "See [[event-2]], [[gone-9]] and [[event-3]].", derived_from=["event-1"])
    )["facts"]

    assert newest["related_to"] == ["event-2", "event-1"]


def test_a_decision_has_status_title_reason_and_who_made_it() -> None:
    given = {"status": "pending", "rationale": "Cheaper.", "by": "Lin"}
    (decision,) = memory(event(1, "Move.", kind="decision", title="Region", decision=given))["decisions"]

    assert {name: decision[name] for name in ("title", "status", "rationale", "made_by")} == {
        "title": "Region",
        "status": "pending",
        "rationale": "Cheaper.",
        "made_by": "Lin",
    }
    assert "approved_by" not in decision


def test_an_approved_decision_names_the_agent_that_made_it_and_who_approved_it() -> None:
    (decision,) = memory(
        event(1, "Target book-keepers.", kind="decision", agent="strategy-agent", decision={"by": "Lucy"})
    )["decisions"]

    assert {name: decision[name] for name in ("description", "status", "made_by", "approved_by", "date")} == {
        "description": "Target book-keepers.",
        "status": "approved",
        "made_by": "strategy-agent",
        "approved_by": "Lucy",
        "date": "2026-03-01",
    }


def test_a_lesson_says_whose_it_is() -> None:
    lesson = {"context": "invoices", "applies_to": ["ocr"]}
    own, other = memory(
        event(1, "Binarise.", kind="lesson", scope="agent", agent="ocr-agent", lesson=lesson),
        event(2, "Ask.", kind="lesson"),
    )["lessons"][::-1]

    assert (own["agent"], own["insight"]) == ("ocr-agent", "Binarise.")
    assert (own["context"], own["applicable_to"]) == ("invoices", ["ocr"])
    assert own["date_learned"] == "2026-03-01"
    assert (other["agent"], other["applicable_to"]) == ("mac", [])


def test_a_kpi_has_its_newest_values_and_counts_the_earlier_ones() -> None:
    (kpi,) = memory(
        *(
            event(n, kind="metric", metric={"name": "speed", "value": n, "target": 100, "unit": "km/h"})
            for n in range(40)
        )
    )["kpis"]

    assert (kpi["current_value"], kpi["target_value"], kpi["unit"], kpi["trend"]) == (39, 100, "km/h", "improving")
    assert [point["value"] for point in kpi["history"]] == list(range(10, 40))
    assert kpi["history_left_out"] == 10


def test_a_kpi_keeps_the_target_and_unit_that_were_last_said() -> None:
    (kpi,) = memory(
        event(1, kind="metric", metric={"name": "speed", "value": 1, "target": 9, "unit": "km/h"}),
        event(2, kind="metric", metric={"name": "speed", "value": 2}),
    )["kpis"]

    assert (kpi["target_value"], kpi["unit"], kpi["trend"]) == (9, "km/h", "improving")


def test_sessions_are_the_daily_log_and_the_progress_of_projects() -> None:
    sessions = memory(
        event(1, "Woke.", scope="daily", kind="note"),
        event(2, "Merged.", scope="project", project="shop", kind="project-update"),
        event(3, "Decided.", scope="daily", kind="decision"),
    )["sessions"]

    assert [session["summary"] for session in sessions] == ["Merged.", "Woke."]


def test_every_active_event_is_in_a_list_or_counted() -> None:
    records = [event(n, unlike(n, 300), kind="note") for n in range(400)]
    records += [
        event(1000 + n, unlike(1000 + n, 150), kind="decision", decision={"rationale": "z" * 400}) for n in range(400)
    ]
    records += [event(2000 + n, "A lesson.", kind="lesson", detail=str(n)) for n in range(10)]
    loaded = memory(*records)

    kept = {name: len(loaded[name]) for name in LISTS}
    left_out = loaded["left_out"]

    assert sum(kept.values()) + sum(left_out.values()) == 810
    assert left_out["facts"] > 0
    assert left_out["decisions"] > 0
    assert (kept["lessons"], left_out["lessons"]) == (10, 0)


def test_the_file_keeps_its_ceiling_and_one_long_item_does_not_empty_a_list() -> None:
    long = {"rationale": "因" * 100_000, "by": "x" * 100_000, "status": "approved"}
    records = [event(n, unlike(n, 5_000), kind="decision", decision=long, title="题" * 50_000) for n in range(60)]
    records += [
        event(
            100 + n,
            "🚀" * 499 + str(n),
            kind="lesson",
            lesson={"context": "é" * 9_000, "applies_to": ["字" * 9_000] * 20},
        )
        for n in range(40)
    ]
    records += [
        event(200 + n, kind="metric", metric={"name": f"{'名' * 199}{n}"[-200:], "value": n}) for n in range(300)
    ]
    records += [event(600 + n, unlike(600 + n, 450), source=f"source-{n % 7}") for n in range(400)]
    records += [event(1100 + n, unlike(1100 + n, 450), kind="project-update") for n in range(400)]

    text = pages(records)["memory.json"]
    loaded = json.loads(text)

    assert MAX_BYTES * 0.8 < len(text.encode("utf-8")) <= MAX_BYTES
    assert all(len(loaded[name]) >= 1 for name in LISTS)
    assert all(loaded["left_out"][name] > 0 for name in LISTS)


def test_what_one_list_does_not_need_goes_to_another() -> None:
    text = pages([event(n, f"{n} " + "x" * 300) for n in range(1_500)])["memory.json"]

    assert len(text.encode("utf-8")) > MAX_BYTES * 0.95


def test_no_text_hides_anything() -> None:
    evil = "a\u202e\u200b\x1b[31m\U000e0041b"
    text = pages(
        [
            event(1, evil, tags=[evil], claim={"entity": evil, "attribute": evil, "value": evil}),
            event(2, evil, kind="decision", title=evil, decision={"rationale": evil, "by": evil}),
            event(3, evil, kind="lesson", scope="agent", agent=evil, lesson={"context": evil, "applies_to": [evil]}),
            event(
                4,
                evil,
                kind="metric",
                scope="project",
                project=evil,
                metric={"name": evil, "value": 1, "unit": evil[:20]},
            ),
        ]
    )["memory.json"]

    assert find_hidden(text.replace("\n", " ")) == []
    assert all(find_hidden(json.dumps(item, ensure_ascii=False)) == [] for item in json.loads(text)["facts"])
    assert "\\u" not in text


def test_the_order_is_that_of_the_pages() -> None:
    records = [event(1, "Low.", importance=0.1), event(2, "High.", importance=0.9), event(3, "Middle.")]
    done = compiled(records)

    assert [fact["summary"] for fact in json.loads(render_memory(done.resolution, default_config()))["facts"]] == [
        "High.",
        "Middle.",
        "Low.",
    ]


def test_the_file_says_when_its_newest_event_was_stated() -> None:
    assert memory(event(1), event(2, ts="2026-03-02T01:30:59.9+08:00"))["last_updated"] == "2026-03-01T17:30:59Z"


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_the_cases_keep_the_schema_that_ships(case: Path) -> None:
    schemas.compiled_validator("memory").validate(json.loads(compile_case(case).texts["memory.json"]))


@pytest.mark.parametrize(
    "spoil",
    [
        lambda loaded: loaded["facts"][0].pop("confidence"),
        lambda loaded: loaded["facts"][0].update(extra=1),
        lambda loaded: loaded["kpis"][0].update(trend="better"),
        lambda loaded: loaded["kpis"][0]["history"][0].update(date="2026-3-1"),
        lambda loaded: loaded["left_out"].pop("lessons"),
        lambda loaded: loaded.update(last_updated="2026-03-01"),
    ],
)
def test_the_schema_refuses_what_is_not_promised(spoil: Callable[[dict[str, Any]], object]) -> None:
    loaded = memory(event(1), event(2, kind="metric", metric={"name": "speed", "value": 1}))
    assert schemas.compiled_validator("memory").is_valid(loaded)

    spoil(loaded)

    assert not schemas.compiled_validator("memory").is_valid(loaded)
