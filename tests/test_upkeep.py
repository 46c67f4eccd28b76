"""Upkeep: what is old, what waits for a person, what is worth more, and that all of it happens by appended events."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from agent_soul.compiler import resolve_hub
from agent_soul.config import default_config
from agent_soul.disuse import unused_since
from agent_soul.hub import find_hub
from agent_soul.overview import State
from agent_soul.resolve import Resolution, Status, resolve
from agent_soul.upkeep.confirming import Confirmation, confirmations
from agent_soul.upkeep.marks import marks_upon
from hubs import AS_OF, compiled, event, log_of
from support import Run, log_text, write_log

WHO = ("--source", "desk")


def resolution(*records: Mapping[str, Any]) -> Resolution:
    return resolve(log_of(records).events, AS_OF, default_config())


def fuzzy(number: int, summary: str = "", **fields: Any) -> dict[str, Any]:
    return event(number, summary, kind="observation", scope="fuzzy", **fields)


def ago(days: int) -> str:
    return (datetime.now(UTC) - timedelta(days=days)).isoformat()


def statuses(hub: Path) -> dict[str, Status]:
    found = resolve_hub(find_hub(str(hub))).verdicts
    return {v.event.id: v.status for v in found if v.status is not Status.MARK}


def lines_of(hub: Path) -> list[str]:
    return [line for file in sorted(hub.glob("sources/*/*")) for line in file.read_text(encoding="utf-8").splitlines()]


def test_a_mark_stands_in_the_place_of_what_it_names() -> None:
    records = [event(1), event(2, scope="project", project="shop"), event(3, scope="project", project="shop")]

    marks = marks_upon(log_of(records).events, "archive", "old")

    assert [(mark["scope"], mark.get("project"), mark["mark"]["targets"]) for mark in marks] == [
        ("stable", None, ["event-1"]),
        ("project", "shop", ["event-2", "event-3"]),
    ]


class TestPrune:
    def test_lists_what_is_stale_or_expired_and_touches_nothing(self, hub: Path, run: Run) -> None:
        write_log(
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
        write_log(hub, fuzzy(1, ts=ago(30)), event(2, ts=ago(30), valid_until=ago(10)[:10]), event(3, ts=ago(30)))
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
        write_log(hub, event(1, proposed=True), event(2, proposed=True), event(3))
        assert [item["event_id"] for item in run("review")["items"]] == ["event-1", "event-2"]

        assert run("review", "approve", "event-1", *WHO)["decided"] == ["event-1"]
        run("review", "reject", "event-2", "--reason", "Not so.", *WHO)

        assert statuses(hub) == {"event-1": "active", "event-2": "retracted", "event-3": "active"}
        assert resolve_hub(find_hub(str(hub))).by_id["event-2"].reason == "rejected: Not so."
        assert run("review")["total"] == 0

    def test_a_person_may_think_again(self, hub: Path, run: Run) -> None:
        write_log(hub, event(1, proposed=True))
        run("review", "reject", "event-1", *WHO)
        run("review", "approve", "event-1", *WHO)

        assert statuses(hub) == {"event-1": "active"}

    def test_a_reason_with_a_key_decides_nothing(self, hub: Path, run: Run) -> None:
        write_log(hub, event(1, proposed=True), event(2, scope="project", project="shop"))
        key = "ghp_" + "aB3dE5gH7jK9mN1pQ3sT5vW7yZ9bC1dF3gH5"
        refused = run("review", "reject", "event-1", "--reason", f"It is {key}.", *WHO, code=2)
        assert key not in json.dumps(refused)
        run("project", "alias", "shop", key, *WHO, code=2)
        assert len(lines_of(hub)) == 2

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
        write_log(hub, event(1, proposed=True), event(2), event(3, proposed=True))
        run("review", "reject", "event-3", *WHO)
        before = lines_of(hub)

        assert said in run("review", action, *ids, *WHO, code=2)["error"]["message"]
        assert lines_of(hub) == before


DAY = 24 * 60
"""Minutes: the numbers of events count them."""


def correction(number: int, summary: str = "Never deploy on a Friday.", **fields: Any) -> dict[str, Any]:
    return event(number, summary, **{"kind": "correction", "scope": "profile", **fields})


def mark(number: int, action: str, *targets: str) -> dict[str, Any]:
    return event(number, f"{action}: it was.", kind="mark", mark={"action": action, "targets": targets})


# The events of `hubs` begin on 2026-03-01; 31 days after the first one is this.
MONTH_LATER = "2026-04-01"


def unused(*records: Mapping[str, Any], days: int = 30, as_of: str = MONTH_LATER) -> dict[str, str]:
    return unused_since(resolve(log_of(records).events, as_of, default_config()), as_of, days)


class TestDisuse:
    def test_only_corrections_and_fuzzy_memory_fade(self) -> None:
        assert unused(correction(1), event(2), event(3, kind="preference", scope="profile")) == {
            "event-1": "2026-03-01"
        }

    def test_a_line_of_fuzzy_memory_fades_while_it_is_shown(self) -> None:
        found = resolve(log_of([fuzzy(1)]).events, MONTH_LATER, default_config()._replace(fuzzy_days=60))
        assert unused_since(found, MONTH_LATER, 30) == {"event-1": "2026-03-01"}

    def test_a_month_is_counted_from_the_last_use(self) -> None:
        assert unused(correction(1), as_of="2026-03-31") == {"event-1": "2026-03-01"}
        assert unused(correction(1), as_of="2026-03-30") == {}

    @pytest.mark.parametrize(
        "use",
        [
            pytest.param(mark(DAY * 5, "use", "event-1"), id="mark"),
            pytest.param(mark(DAY * 5, "verify", "event-1"), id="verified"),
            pytest.param(event(DAY * 5, "As [[event-1]] says."), id="link"),
            pytest.param(event(DAY * 5, detail="See [[event-1]]."), id="link in the detail"),
            pytest.param(event(DAY * 5, derived_from=["event-1"]), id="made from it"),
            pytest.param(fuzzy(DAY * 5, "Do not deploy on a Friday!"), id="repeated"),
        ],
    )
    def test_a_later_event_that_names_or_repeats_it_is_a_use(self, use: dict[str, Any]) -> None:
        assert unused(correction(1), use) == {}
        assert unused(correction(1), use, days=20) == {"event-1": "2026-03-06"}

    @pytest.mark.parametrize(
        "other",
        [
            mark(DAY * 5, "archive", "event-9"),
            event(DAY * 5, "As [[event-1]] says.", proposed=True),
            event(DAY * 5, "Never deploy on a Friday.", scope="project", project="shop"),
        ],
        ids=["another's mark", "what does not count yet", "what is said of a project"],
    )
    def test_nothing_else_is(self, other: dict[str, Any]) -> None:
        assert unused(correction(1), other) == {"event-1": "2026-03-01"}

    def test_a_use_of_an_identical_statement_before_counts(self) -> None:
        records = [correction(1), correction(2), event(DAY * 5, "As [[event-1]] says.")]
        assert unused(*records) == {}

    def test_the_page_says_since_when_and_a_use_ends_it(self) -> None:
        state = State(MONTH_LATER)
        line = "Never deploy on a Friday."

        assert f"{line} [unused since 2026-03-01] (" in compiled([correction(1)], state=state).texts["profile.md"]
        again = compiled([correction(1), mark(DAY * 9, "use", "event-1")], state=state).texts["profile.md"]
        assert f"{line} (" in again


def confirmed(*records: Mapping[str, Any], times: int = 3) -> list[Confirmation]:
    return confirmations(resolution(*records), times)


THRICE = (
    correction(1, "Never deploy on a Friday."),
    fuzzy(2, "Please never deploy on Fridays.") | {"kind": "correction"},
    correction(3, "Do not deploy on a Friday!", importance=0.7),
)
THRICE_IN_CHINESE = (
    correction(1, "不要在周五部署。"),
    correction(2, "周五不要部署", source="desk"),
    correction(3, "不要在周五部署！"),
)


class TestConfirming:
    @pytest.mark.parametrize("records", [THRICE, THRICE_IN_CHINESE], ids=["en", "zh"])
    def test_a_correction_made_three_times_becomes_a_preference(self, records: Sequence[dict[str, Any]]) -> None:
        (found,) = confirmed(*records)

        record = found.preference()
        assert (record["kind"], record["scope"]) == ("preference", "profile")
        assert record["summary"] == records[-1]["summary"]
        assert record["derived_from"] == ["event-1", "event-2", "event-3"]
        assert set(record["supersedes"]) <= set(record["derived_from"])
        assert confirmed(*records[1:]) == []

    def test_what_counts_most_of_it_stays(self) -> None:
        (found,) = confirmed(*THRICE)
        assert (found.preference()["importance"], found.preference()["confidence"]) == (0.7, 1)

    def test_equal_words_count_each_time(self) -> None:
        (found,) = confirmed(*(correction(number) for number in range(40)))
        assert len(found.made) == 40
        assert found.preference()["supersedes"] == ["event-39"]

    def test_a_merge_is_none_of_the_times(self) -> None:
        ids = ["event-1", "event-2"]
        merge = correction(4, "Never do deploy on a Friday.", supersedes=ids, derived_from=ids)

        assert confirmed(correction(1), correction(2, "Do not deploy on a Friday!"), merge) == []
        (found,) = confirmed(*THRICE, merge)
        assert [e.id for e in found.made] == ["event-1", "event-2", "event-3"]

    def test_a_project_keeps_its_own(self) -> None:
        own = {"scope": "project", "project": "shop"}
        (found,) = confirmed(*(correction(number, **own) for number in range(3)))
        assert {name: found.preference()[name] for name in own} == own
        assert confirmed(correction(0), *(correction(number, **own) for number in (1, 2))) == []

    def test_what_was_taken_back_is_not_counted_nor_confirmed_anew(self) -> None:
        back = event(5, "Not so.", kind="retraction", supersedes=["event-1"])
        assert confirmed(*THRICE, back) == []
        ids = ["event-1", "event-2", "event-3"]
        before = event(
            4, "No deploys on Fridays.", kind="preference", scope="profile", supersedes=ids, derived_from=ids
        )
        assert confirmed(*THRICE, before, event(5, "No.", kind="retraction", supersedes=["event-4"])) == []


class TestHeartbeat:
    def test_marks_archives_and_confirms_and_does_it_once(self, hub: Path, run: Run) -> None:
        old = [correction(1, "Write dates as 2026-03-01.", ts=ago(40)), correction(2, "Call it Postgres.", ts=ago(100))]
        thrice = [record | {"ts": ago(3)} for record in THRICE]
        write_log(
            hub, *old, *(record | {"event_id": f"again-{n}"} for n, record in enumerate(thrice)), fuzzy(9, ts=ago(95))
        )

        answer = run("heartbeat")
        assert [each["event_id"] for each in answer["marked"]] == ["event-1"]
        assert [each["event_id"] for each in answer["archived"]] == ["event-2", "event-9"]
        assert [each["times"] for each in answer["confirmed"]] == [3]
        assert len(lines_of(hub)) == 6

        assert len(run("heartbeat", "--apply", *WHO)["applied"]) == 3
        after = statuses(hub)
        assert (after["event-1"], after["event-2"], after["event-9"]) == ("active", "archived", "archived")
        assert [after[f"again-{n}"] for n in range(3)] == ["superseded"] * 3
        (preference,) = (e for e in map(json.loads, lines_of(hub)) if e["kind"] == "preference")
        assert preference["derived_from"] == ["again-0", "again-1", "again-2"]
        assert preference["origin"]["tool"] == "soul heartbeat"

        lines = lines_of(hub)
        assert run("heartbeat", "--apply", *WHO)["applied"] == []
        assert lines_of(hub) == lines

    def test_what_becomes_a_preference_is_not_archived_beside(self, hub: Path, run: Run) -> None:
        write_log(hub, *(record | {"ts": ago(100)} for record in THRICE))

        answer = run("heartbeat")

        assert len(answer["confirmed"]) == 1
        assert answer["archived"] == []

    def test_what_is_said_to_be_of_use_stays(self, hub: Path, run: Run) -> None:
        write_log(hub, correction(1, ts=ago(100)))
        assert run("used", "event-1", *WHO)["used"] == ["event-1"]

        answer = run("heartbeat")
        assert (answer["marked"], answer["archived"]) == ([], [])

    def test_reading_writes_nothing(self, hub: Path, run: Run) -> None:
        write_log(hub, correction(1, ts=ago(100)))
        before = lines_of(hub)
        run("search", "deploy")
        run("heartbeat")
        assert lines_of(hub) == before

    def test_the_figures_are_settings(self, hub: Path, run: Run) -> None:
        (hub / "soul.yaml").write_text(
            "upkeep: {unused_days: 2, archive_days: 5, confirming_corrections: 2}", encoding="utf-8"
        )
        write_log(hub, correction(1, "Call it Postgres.", ts=ago(6)), *(correction(n, ts=ago(3)) for n in (2, 3)))

        answer = run("heartbeat")

        assert [each["event_id"] for each in answer["archived"]] == ["event-1"]
        assert [each["times"] for each in answer["confirmed"]] == [2]


@pytest.mark.parametrize(
    ("command", "words"),
    [
        (("consolidate", "--apply"), "supersedes"),
        (("prune", "--apply"), "archive"),
        (("project", "close", "shop"), "is closed."),
    ],
    ids=["consolidate", "prune", "close"],
)
def test_two_at_once_do_it_once(hub: Path, command: tuple[str, ...], words: str) -> None:
    """Both would else find the same before either has written what follows from it."""
    write_log(
        hub,
        event(1, "User likes concise replies.", kind="preference", scope="profile"),
        event(2, "User prefers short answers.", kind="preference", scope="profile"),
        event(3, "We use Flask.", kind="decision", scope="project", project="shop"),
        fuzzy(4, "The office is closed on Monday."),
    )
    alone = hub.parent / "alone"
    shutil.copytree(hub, alone)

    for folder, times in ((alone, 1), (hub, 4)):
        running = [
            subprocess.Popen([sys.executable, "-m", "agent_soul", *command, *WHO], cwd=folder, stderr=subprocess.PIPE)
            for _ in range(times)
        ]
        assert sorted({process.wait(60) for process in running}) in ([0], [0, 2]), [p.communicate() for p in running]
        for process in running:
            process.communicate()

    assert 0 < log_text(alone).count(words) == log_text(hub).count(words)
