"""Upkeep: what is old, what waits for a person, what is worth more, and that all of it happens by appended events."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from agent_soul.cli import main
from agent_soul.compiler import resolve_hub
from agent_soul.config import default_config
from agent_soul.hub import find_hub
from agent_soul.resolve import Resolution, Status, resolve
from agent_soul.upkeep.marks import marks_upon
from hubs import AS_OF, event, log_of

Run = Callable[..., dict[str, Any]]
WHO = ("--source", "desk")


def resolution(*records: Mapping[str, Any]) -> Resolution:
    return resolve(log_of(records).events, AS_OF, default_config())


def fuzzy(number: int, summary: str = "", **fields: Any) -> dict[str, Any]:
    return event(number, summary, kind="observation", scope="fuzzy", **fields)


def ago(days: int) -> str:
    return (datetime.now(UTC) - timedelta(days=days)).isoformat()


def write(hub: Path, *records: Mapping[str, Any]) -> None:
    """Append the records to the log of the hub as their sources would."""
    for record in records:
        file = hub / "sources" / record["source"] / "2026-03-01.0a1b2c3d.ndjson"
        file.parent.mkdir(parents=True, exist_ok=True)
        with file.open("a", encoding="utf-8") as opened:
            opened.write(json.dumps(record, ensure_ascii=False) + "\n")


def statuses(hub: Path) -> dict[str, Status]:
    found = resolve_hub(find_hub(str(hub))).verdicts
    return {v.event.id: v.status for v in found if v.status is not Status.MARK}


def lines_of(hub: Path) -> list[str]:
    return [line for file in sorted(hub.glob("sources/*/*")) for line in file.read_text(encoding="utf-8").splitlines()]


@pytest.fixture
def run(hub: Path, capsys: pytest.CaptureFixture[str]) -> Run:
    """Return a function that runs a command in this process and returns the object that it prints."""

    def call(*arguments: str, code: int = 0) -> dict[str, Any]:
        capsys.readouterr()
        found = main(["--hub", str(hub), *arguments, "--json"])
        out, err = capsys.readouterr()
        print(out, err)
        assert found == code
        answer: dict[str, Any] = json.loads(out)
        return answer

    return call


def test_a_mark_stands_in_the_place_of_what_it_names() -> None:
    records = [event(1), event(2, scope="project", project="shop"), event(3, scope="project", project="shop")]

    marks = marks_upon(log_of(records).events, "archive", "old")

    assert [(mark["scope"], mark.get("project"), mark["mark"]["targets"]) for mark in marks] == [
        ("stable", None, ["event-1"]),
        ("project", "shop", ["event-2", "event-3"]),
    ]


class TestPrune:
    def test_lists_what_is_stale_or_expired_and_touches_nothing(self, hub: Path, run: Run) -> None:
        write(
            hub,
            fuzzy(1, ts=ago(30)),
            fuzzy(2, ts=ago(1)),
            event(3, ts=ago(30), valid_until=ago(10)[:10]),
            event(4, ts=ago(30), valid_until=ago(-10)[:10]),
        )
        before = lines_of(hub)

        answer = run("prune")

        assert {item["event_id"]: item["status"] for item in answer["items"]} == {
            "event-1": "stale",
            "event-3": "expired",
        }
        assert (answer["total"], answer["applied"], answer["marks"]) == (2, 0, [])
        assert lines_of(hub) == before

    def test_archives_by_marks_and_once(self, hub: Path, run: Run) -> None:
        write(hub, fuzzy(1, ts=ago(30)), event(2, ts=ago(30), valid_until=ago(10)[:10]), event(3, ts=ago(30)))
        before = lines_of(hub)

        answer = run("prune", "--apply", *WHO)

        assert (answer["applied"], len(answer["marks"])) == (2, 2)
        assert statuses(hub) == {"event-1": "archived", "event-2": "archived", "event-3": "active"}
        after = lines_of(hub)
        assert set(before) < set(after)
        assert run("prune", "--apply", *WHO)["applied"] == 0
        assert lines_of(hub) == after

    def test_needs_to_know_who_writes(self, run: Run) -> None:
        assert "--source" in run("prune", "--apply", code=2)["error"]["message"]


class TestReview:
    def test_what_waits_is_listed_and_counts_when_it_is_approved(self, hub: Path, run: Run) -> None:
        write(hub, event(1, proposed=True), event(2, proposed=True), event(3))
        assert [item["event_id"] for item in run("review")["items"]] == ["event-1", "event-2"]

        assert run("review", "approve", "event-1", *WHO)["decided"] == ["event-1"]
        run("review", "reject", "event-2", "--reason", "Not so.", *WHO)

        assert statuses(hub) == {"event-1": "active", "event-2": "retracted", "event-3": "active"}
        assert resolve_hub(find_hub(str(hub))).by_id["event-2"].reason == "rejected: Not so."
        assert run("review")["total"] == 0

    def test_a_person_may_think_again(self, hub: Path, run: Run) -> None:
        write(hub, event(1, proposed=True))
        run("review", "reject", "event-1", *WHO)
        run("review", "approve", "event-1", *WHO)

        assert statuses(hub) == {"event-1": "active"}

    @pytest.mark.parametrize(
        ("action", "ids", "said"),
        [
            ("approve", ("event-2",), "event-2 was never proposed: it is active"),
            ("approve", ("event-1", "event-9"), "no event has the id 'event-9'"),
            ("reject", ("event-3",), "event-3 is decided already: retracted"),
            ("approve", (), "say what to approve"),
        ],
    )
    def test_one_odd_id_stops_all(self, hub: Path, run: Run, action: str, ids: tuple[str, ...], said: str) -> None:
        write(hub, event(1, proposed=True), event(2), event(3, proposed=True))
        run("review", "reject", "event-3", *WHO)
        before = lines_of(hub)

        assert said in run("review", action, *ids, *WHO, code=2)["error"]["message"]
        assert lines_of(hub) == before
