"""The weekly report: what a person should know, on one page."""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from agent_soul.cli import main
from agent_soul.config import Threshold, default_config
from agent_soul.upkeep.weekly import Report, weekly
from hubs import AS_OF, compiled, event


def on(day: str, number: int, summary: str = "", **fields: Any) -> dict[str, Any]:
    return event(number, summary, ts=f"{day}T09:00:00Z", **fields)


def report(*records: Mapping[str, Any], days: int = 7) -> Report:
    assert AS_OF == "2026-03-10"
    config = default_config()._replace(thresholds=(Threshold("ocr", minimum=0.9),))
    return weekly(compiled(records), config, days)


def test_new_is_what_these_days_brought_the_weightiest_first() -> None:
    found = report(
        on("2026-03-03", 1),
        on("2026-03-04", 2, scope="project", project="shop"),
        on("2026-03-10", 3),
        on("2026-03-09", 4, importance=0.9),
    )

    assert [v.event.id for v in found.new] == ["event-4", "event-3", "event-2"]
    assert dict(found.places) == {"stable": 2, "project:shop": 1}
    assert len(report(on("2026-03-03", 1), days=8).new) == 1


def test_gone_is_what_an_event_of_these_days_replaced_or_took_back() -> None:
    found = report(
        *(on("2026-01-01", number) for number in range(1, 5)),
        on("2026-03-09", 5, "Newer.", supersedes=["event-1"]),
        on("2026-03-09", 6, "Wrong.", kind="retraction", supersedes=["event-2"]),
        on("2026-01-09", 7, "Long ago.", supersedes=["event-3"]),
    )

    assert [v.event.id for v in found.gone] == ["event-2", "event-1"]


def test_what_is_old_and_what_waits() -> None:
    found = report(
        on("2026-01-01", 1, "Never deploy on a Friday.", kind="correction", scope="profile"),
        on("2026-03-01", 2, valid_until="2026-03-17"),
        on("2026-03-01", 3, valid_until="2026-03-18"),
        on("2026-01-01", 4, scope="project", project="quiet"),
        on("2026-03-01", 5, scope="project", project="busy"),
        on("2026-02-01", 6, scope="fuzzy"),
        on("2026-03-09", 7, proposed=True),
        on("2026-03-09", 8, "We decided to ship on Mondays.", scope="daily"),
        on("2026-03-09", 9, "Bun or Node?", kind="decision", decision={"status": "pending"}),
        on("2026-03-09", 10, kind="metric", metric={"name": "ocr", "value": 0.5}),
    )

    assert found.unused == {"event-1": "2026-01-01"}
    assert [v.event.id for v in found.expiring] == ["event-2"]
    assert [project.name for project in found.quiet] == ["quiet"]
    assert found.outdated == 1
    assert [v.event.id for v in found.waiting] == ["event-7"]
    assert [v.event.id for v in found.undecided] == ["event-9"]
    assert list(map(str, found.crossed)) == ["ocr is 0.5, below 0.9 since 2026-03-09"]
    assert [fragment.newest.id for fragment in found.fragments] == ["event-8"]


def write(hub: Path, number: int) -> None:
    yesterday = (datetime.now(UTC) - timedelta(days=1)).isoformat()
    file = hub / "sources" / "mac" / "2026-03-01.0a1b2c3d.ndjson"
    file.parent.mkdir(parents=True)
    over = f"2999{yesterday[4:10]}"
    claims = [{"entity": f"e{n // 2}", "attribute": "port", "value": n} for n in range(number)]
    records = [
        *(event(n, f"Fact {n}: {'很长' * 120}", ts=yesterday) for n in range(number)),
        *(event(100 + n, f"Port of {n}", ts=yesterday, claim=claim) for n, claim in enumerate(claims)),
        *(event(200 + n, f"Idea {n}: what about {n}?", ts=yesterday, proposed=True) for n in range(number)),
        *(event(300 + n, f"Tool {n} is called x{n}.", ts=yesterday, supersedes=[f"event-{n}"]) for n in range(9)),
        *(event(400 + n, f"Until {n}.", ts=yesterday, valid_until=over) for n in range(number)),
    ]
    file.write_text("".join(json.dumps(record, ensure_ascii=False) + "\n" for record in records), encoding="utf-8")


def test_it_is_one_page_with_the_commands_to_go_on(hub: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write(hub, 12)

    assert main(["--hub", str(hub), "report", "--weekly"]) == 0

    page = capsys.readouterr().out
    lines = page.rstrip("\n").split("\n")
    assert [line.partition(",")[0] for line in lines if line and not line.startswith(" ")] == [
        "What changed",
        "What conflicts",
        "What is old",
        "What to decide",
    ]
    assert len(lines) <= 60
    assert max(map(len, lines)) <= 240
    for command in ("soul resolve CONFLICT", "soul review approve ID"):
        assert command in page
    assert "  proposed: and 8 more" in lines
    assert "  - and 5 more" in lines


def test_a_quiet_week_says_so(hub: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--hub", str(hub), "report"]) == 0
    assert capsys.readouterr().out.count("  nothing") == 4
    assert main(["--hub", str(hub), "report", "--json", "--days", "30"]) == 0
    assert json.loads(capsys.readouterr().out)["days"] == 30
