"""The start of a session: what is new arrives, what was missed is said, and nothing waits for a dead network."""

from __future__ import annotations

import json
import shutil
import sys
import time
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from agent_soul.adding import add
from agent_soul.boot import LEAST_REPORT_BUDGET, Boot, boot
from agent_soul.cli import main
from agent_soul.contexts import gathering
from agent_soul.contexts.asking import Request
from agent_soul.contexts.gathering import context_of
from agent_soul.errors import RefusedError
from agent_soul.hub import Hub, open_hub
from agent_soul.searching import models
from agent_soul.sessions import known_sessions, start_session
from agent_soul.sync import sync
from agent_soul.tokens import estimate_tokens
from support import Machines, git

NOW = datetime.now().astimezone()
FACT = {"kind": "fact", "scope": "stable"}


def say(hub: Hub, summary: str, source: str = "home-mac", **fields: Any) -> str:
    return add(hub, {**FACT, "source": source, "summary": summary, **fields}).event.id


def start(hub: Hub, **more: Any) -> Boot:
    return boot(hub, "office-win", more.pop("request", Request()), NOW, **more)


def test_what_another_machine_shared_is_there(machines: Machines) -> None:
    told = say(machines.one, "The gateway listens on 8443.")
    sync(machines.one)
    mine = say(machines.other, "Not shared yet.", "office-win")

    found = start(machines.other)

    assert not found.report.pulled.is_stale
    assert set(found.context.ids) == {told, mine}
    assert "8443" in (machines.other.root / "canonical" / "stable-memory.md").read_text(encoding="utf-8")
    assert found.report.pending == ("Waiting: 1 not shared yet: `soul sync`",)
    assert git(machines.remote, "rev-list", "--count", "main").strip() == "2", "boot sends nothing"
    sync(machines.other)
    assert start(machines.other).report.pending == ()


def test_what_a_person_has_not_committed_stays(machines: Machines) -> None:
    say(machines.one, "The gateway listens on 8443.")
    sync(machines.one)
    (machines.other.root / "soul.yaml").write_text("fuzzy_days: 3\n", encoding="utf-8")

    start(machines.other)

    assert git(machines.other.root, "status", "--porcelain").split() == ["M", "soul.yaml"]
    assert git(machines.other.root, "rev-parse", "HEAD") == git(machines.remote, "rev-parse", "main")


def test_a_remote_that_is_gone_is_said_and_stops_nothing(machines: Machines) -> None:
    start(machines.other)
    shutil.rmtree(machines.remote)
    told = say(machines.other, "Some fact.")

    found = start(machines.other)

    assert found.report.pulled.is_stale
    assert found.text.split("\n")[1].startswith("- Stale: the remote 'origin' cannot be read: ")
    assert "exists. Last together" in found.text
    assert f"Last together with the remote: {NOW:%Y-%m-%d} " in found.text
    assert found.context.ids == [told]


def test_a_dead_network_costs_no_more_than_the_time_limit(machines: Machines, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GIT_SSH_COMMAND", "sleep 60; true")
    git(machines.other.root, "remote", "set-url", "origin", "ssh://nowhere.invalid/hub.git")
    began = time.monotonic()

    found = start(machines.other, seconds=1)

    assert time.monotonic() - began < 5
    assert "git fetch took longer than" in found.report.pulled.said


def test_a_rewritten_remote_is_said_and_stops_nothing(machines: Machines) -> None:
    told = say(machines.one, "Some fact.")
    sync(machines.one)
    git(machines.remote, "update-ref", "refs/heads/main", "main~1")

    found = start(machines.one)

    assert "was rewritten" in found.report.pulled.said
    assert found.report.pulled.is_stale
    assert found.context.ids == [told]


def test_a_hub_without_a_remote_has_all_there_is(hub: Path) -> None:
    assert start(open_hub(hub)).report.pulled == (False, "Kept here: no Git repository holds this hub")


def test_a_memory_of_today_lacks_nothing_of_yesterday(hub: Path) -> None:
    here = open_hub(hub)
    say(here, "The first fact.")
    assert start(here).report.yesterday == "No log of yesterday: the memory begins today"


def test_two_days_without_notes_are_noticed_on_the_third(hub: Path) -> None:
    here = open_hub(hub)
    for days_ago in (2, 1):
        start_session(here, "office-win", NOW - timedelta(days=days_ago))

    found = start(here)

    rows = found.text.partition("\n\n")[0].split("\n")
    yesterday = (NOW - timedelta(days=1)).date()
    assert rows[2] == f"- Yesterday's log ({yesterday}) is empty"
    assert [row.partition(" and")[0] for row in rows[3:]] == [
        f"- Missed: office-win had a session on {(NOW - timedelta(days=2)).date()}",
        f"- Missed: office-win had a session on {yesterday}",
    ]
    assert len(known_sessions(here)) == 3

    say(
        here,
        "The day went well.",
        "office-win",
        kind="note",
        scope="daily",
        ts=f"{NOW - timedelta(days=1):%Y-%m-%dT%H:%M:%S%z}",
    )
    again = start(here).text
    assert f"- Yesterday's log: 1 entry, canonical/daily/{yesterday}.md" in again
    assert again.count("Missed: ") == 1


def test_a_start_does_not_wait_until_all_that_is_new_is_compared(hub: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    here = open_hub(hub)
    for port in (80, 81):
        say(here, f"The gateway listens on port {port}.")
    monkeypatch.setattr(gathering, "JUDGING_SECONDS", 0)
    found = start(here)
    assert "Waiting: 1 pair of new statements to be compared: `soul conflicts`" in found.report.pending
    assert found.context.note == "1 pair of new statements is not compared yet, `soul conflicts` does that"

    monkeypatch.undo()
    found = start(here)
    assert found.report.pending[-1] == "Waiting: 1 open conflict: `soul conflicts`"
    assert not found.context.note


def test_what_waits_for_somebody_is_counted(hub: Path) -> None:
    here = open_hub(hub)
    for value in (1, 2):
        say(here, f"The port is {value}.", claim={"entity": "gateway", "attribute": "port", "value": value})
    say(here, "Perhaps it is 3.", proposed=True)
    day_file = next((hub / "sources").rglob("*.ndjson"))
    day_file.write_bytes(day_file.read_bytes() + b"not JSON\n")

    assert start(here).report.pending == (
        "Waiting: 1 open conflict: `soul conflicts`",
        "Waiting: 1 for review: `soul review`",
        "Waiting: 1 line that cannot be read: `soul validate`",
    )


def test_only_what_is_new_since_a_commit(machines: Machines) -> None:
    old, mine = say(machines.one, "Old fact."), say(machines.one, "Mine, of before.", "office-win")
    beside = say(machines.one, "In the file that grows.")
    sync(machines.one)
    (machines.other.root / "USER.md").write_text("- Lin, an engineer.\n", encoding="utf-8")
    before = start(machines.other)
    assert set(before.context.ids) == {old, mine, beside}
    new = say(machines.one, "New fact.", supersedes=[old])
    waiting = say(machines.other, "Not shared yet.", "office-win")
    sync(machines.one)

    after = start(machines.other, changed_since=before.report.revision)

    assert set(after.context.ids) == {new, waiting}
    assert "Lin" in before.context.text
    assert "Lin" not in after.context.text
    assert f"--changed-since {after.report.revision[:12]}" in after.text
    with pytest.raises(RefusedError, match="names no commit"):
        start(machines.other, changed_since="--all")
    with pytest.raises(RefusedError, match="names no commit"):
        start(machines.other, changed_since="^HEAD")


def test_all_of_it_stays_within_the_budget(hub: Path) -> None:
    here = open_hub(hub)
    for number in range(60):
        say(here, f"Fact number {number} is one of many that there is no room for, as the budget is small.")
    for days_ago in range(1, 14):
        start_session(here, "a" * 64, NOW - timedelta(days=days_ago))

    for budget in (LEAST_REPORT_BUDGET, 1_500, 2_000):
        found = start(here, request=Request(budget=budget))
        assert budget - 150 < estimate_tokens(found.text) <= budget
    assert "- and 10 more: `soul check-writes`" in found.text
    with pytest.raises(RefusedError, match="too small"):
        start(here, request=Request(budget=LEAST_REPORT_BUDGET - 1))


def test_programs_get_the_same_as_one_object(hub: Path, capsys: pytest.CaptureFixture[str]) -> None:
    told = say(open_hub(hub), "Some fact.")

    assert main(["boot", "--hub", str(hub), "--source", "mac", "--json"]) == 0

    found = json.loads(capsys.readouterr().out)
    assert list(found)[:2] == ["ok", "stale"]
    assert (found["ok"], found["stale"], found["revision"], found["missed"]) == (True, False, "", [])
    assert found["session"]["source"] == "mac"
    assert found["sections"][0]["lines"][0]["event_id"] == told
    assert found["tokens"] == estimate_tokens(found["text"])
    assert main(["boot", "--hub", str(hub)]) == 2


def test_a_model_that_hangs_is_not_waited_for(hub: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("numpy")
    here = open_hub(hub)
    told = say(here, "The gateway listens on 8443.")
    answers = "import sys, time\nfor line in sys.stdin: time.sleep(600 * line.startswith('query')); print([1, 0])"
    (hub / "model.py").write_text(answers, encoding="utf-8")
    monkeypatch.setattr(models, "_QUESTION_SECONDS", 1)
    monkeypatch.setenv("AGENT_SOUL_EMBEDDER", f"{sys.executable} {hub / 'model.py'}")
    task = Request(task="Restart the gateway")

    for _ in range(2):  # first it has read nothing, then it is asked
        started = time.monotonic()
        assert told in start(here, request=task).context.ids
        assert time.monotonic() - started < 30
        context_of(here, task, NOW)


def test_what_cannot_be_noted_or_asked_keeps_no_memory_back(hub: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    here = open_hub(hub)
    told = say(here, "The gateway listens on 8443.")
    (here.state / "sessions.json").mkdir()
    monkeypatch.setenv("AGENT_SOUL_EMBEDDER", "/nonexistent/model --ndjson")

    found = start(here, request=Request(task="Restart the gateway"))

    assert told in found.context.ids
    assert found.report.session.source == "office-win"
