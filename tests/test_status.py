"""`soul status`: one screen about the hub and its clone, from what is here alone."""

from __future__ import annotations

import json
import shutil
import time
from datetime import UTC, datetime
from pathlib import Path

import pytest

from agent_soul.adding import add
from agent_soul.cli import main
from agent_soul.compiler import compile_hub
from agent_soul.doctor.standing import stand, waiting_of
from agent_soul.gitio import without_credentials
from agent_soul.hub import open_hub
from agent_soul.identity import L0_FILES
from agent_soul.runtimes.joining import join
from agent_soul.runtimes.registry import find
from agent_soul.sync import sync
from support import Run, git, world_of_a_hub, write_log

RECORD = {"source": "my-mac", "kind": "fact", "scope": "stable"}


@pytest.fixture(scope="module")
def sound(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with `mine`, a hub with one event, shared to `remote.git` beside it."""
    world = tmp_path_factory.mktemp("sound")
    with world_of_a_hub(world) as hub:
        add(open_hub(hub), {**RECORD, "summary": "The build server is called Ada."})
        sync(open_hub(hub))
    return world


@pytest.fixture
def mine(sound: Path, tmp_path: Path) -> Path:
    shutil.copytree(sound, tmp_path / "world", symlinks=True)
    return tmp_path / "world" / "mine"


def screen(hub: Path, capsys: pytest.CaptureFixture[str]) -> dict[str, list[str]]:
    """Return what `soul status` prints, by the word at the start of a line."""
    capsys.readouterr()
    assert main(["status", "--hub", str(hub)]) == 0
    rows: dict[str, list[str]] = {}
    for line in capsys.readouterr().out.rstrip("\n").split("\n"):
        rows.setdefault(line[:9].strip(), []).append(line[10:])
    return rows


def test_a_shared_hub_on_one_screen(mine: Path, capsys: pytest.CaptureFixture[str]) -> None:
    rows = screen(mine, capsys)

    assert rows["hub"] == [str(mine)]
    assert rows["git"][0].startswith("main, clone ")
    [remote] = rows["remote"]
    assert remote.startswith("../remote.git; 0 ahead, 0 behind origin/main; last together 2")
    today = datetime.now(UTC).date().isoformat()
    assert rows["events"] == [f"active 1, pages as of {today}"]
    assert rows["source"] == [f"my-mac: {today} The build server is called Ada."]
    assert rows["joined"] == ["no agent program yet"]
    assert "index.md" in rows["tokens"][0]
    assert "of 1500" in rows["tokens"][0]
    assert "waiting" not in rows
    assert rows["versions"][0].startswith("agent-soul ")
    assert sum(map(len, rows.values())) <= 24


def test_what_waits_is_said_with_its_command(mine: Path, capsys: pytest.CaptureFixture[str]) -> None:
    claim = {"entity": "server", "attribute": "name"}
    record = {**RECORD, "ts": "2026-03-01T09:00:00Z"}
    write_log(
        mine,
        {**record, "event_id": "one-1", "summary": "It is Ada.", "claim": {**claim, "value": "Ada"}},
        {**record, "event_id": "two-2", "summary": "It is Bob.", "claim": {**claim, "value": "Bob"}},
        {**record, "event_id": "asked-1", "summary": "Proposed.", "proposed": True},
    )
    file = next((mine / "sources" / "my-mac").iterdir())
    file.write_text(file.read_text(encoding="utf-8") + "{broken\n", encoding="utf-8")
    add(open_hub(mine), {**RECORD, "summary": "Not sent."})
    compile_hub(open_hub(mine))

    assert screen(mine, capsys)["waiting"] == [
        "1 not shared yet: `soul sync`",
        "1 open conflict: `soul conflicts`",
        "1 for review: `soul review`",
        "1 line that cannot be read: `soul validate`",
    ]


def test_ahead_and_behind_are_as_last_fetched(mine: Path) -> None:
    git(mine.parent, "clone", "-q", "remote.git", "other")
    (mine.parent / "other" / "x").write_text("x")
    git(mine.parent / "other", "add", "x")
    git(mine.parent / "other", "commit", "-q", "-m", "x")
    git(mine.parent / "other", "push", "-q")
    (mine / "own").write_text("y")
    git(mine, "add", "own")
    git(mine, "commit", "-q", "-m", "y")

    before = stand(open_hub(mine)).sight
    git(mine, "fetch", "-q")
    after = stand(open_hub(mine)).sight

    assert before is not None
    assert after is not None
    assert (before.ahead, before.behind) == (1, 0)
    assert (after.ahead, after.behind) == (1, 1)


def test_nothing_is_asked_of_the_network_and_nothing_is_written(
    mine: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    ssh = tmp_path / "ssh"
    ssh.write_text(f"#!/bin/sh\ntouch '{tmp_path}/asked'\n")
    ssh.chmod(0o755)
    monkeypatch.setenv("GIT_SSH_COMMAND", str(ssh))
    git(mine, "remote", "set-url", "origin", "ssh://me:pw@host.invalid/x.git")
    before = {file: file.stat().st_mtime_ns for file in mine.rglob("*") if file.is_file()}

    [remote] = screen(mine, capsys)["remote"]

    assert remote.startswith("ssh://***@host.invalid/x.git; ")
    assert not (tmp_path / "asked").exists()
    assert {file: file.stat().st_mtime_ns for file in mine.rglob("*") if file.is_file()} == before


def test_a_hub_in_which_nothing_has_happened(hub: Path, capsys: pytest.CaptureFixture[str]) -> None:
    rows = screen(hub, capsys)

    assert rows["git"] == ["no Git repository holds this hub"]
    assert rows["events"] == ["none yet, no pages yet"]
    assert "source" not in rows


def test_without_a_remote_and_in_the_middle_of_a_rebase(git_hub: Path, capsys: pytest.CaptureFixture[str]) -> None:
    git(git_hub, "checkout", "-q", "--detach")
    (git_hub / ".git" / "rebase-merge").mkdir()

    rows = screen(git_hub, capsys)

    assert rows["git"][0].startswith("no branch, at ")
    assert "(rebase under way)" in rows["git"][0]
    assert rows["remote"] == ["none: events are kept here"]


def test_git_that_is_missing_stops_nothing(
    git_hub: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(git_hub / "nowhere"))

    assert screen(git_hub, capsys)["git"] == ["git is not installed or not on PATH"]


def test_sources_come_newest_first_and_not_all(hub: Path, capsys: pytest.CaptureFixture[str]) -> None:
    records = (
        {
            "event_id": f"e-{n}",
            "ts": f"2026-02-{n:02d}T09:00:00Z",
            **RECORD,
            "source": f"src-{n}",
            "summary": f"Day {n}. " * 20,
        }
        for n in range(1, 16)
    )
    write_log(hub, *records)

    rows = screen(hub, capsys)["source"]

    assert rows[0].startswith("src-15: 2026-02-15 Day 15.")
    assert rows[0].endswith("…")
    assert len(rows) == 13
    assert rows[-1] == "and 3 more that wrote earlier"


def test_joined_programs_are_named_with_their_source(
    mine: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    join(open_hub(mine), find("codex"), source="my-codex")

    [row] = screen(mine, capsys)["joined"]

    size = len((tmp_path / ".codex" / "AGENTS.md").read_bytes())
    assert row == f"codex (my-codex, {size:,} of 32,768 bytes)"


def test_programs_read_the_same(mine: Path, run: Run) -> None:
    answer = run("status", "--hub", str(mine))

    assert answer["ok"] is True
    assert answer["counts"] == {"active": 1}
    assert answer["git"]["branch"] == "main"
    assert answer["git"]["ahead"] == 0
    assert answer["newest"]["my-mac"]["event_id"]
    assert answer["costs"]["identity"]["limit"] == 1500
    assert answer["waiting"] == []
    assert {"agent-soul", "schema", "page format", "python", "git"} == set(answer["versions"])


@pytest.mark.parametrize(
    ("url", "shown"),
    [
        ("https://me:token@host.invalid/x.git", "https://***@host.invalid/x.git"),
        ("https://me@host.invalid/x.git", "https://me@host.invalid/x.git"),
        ("git@host.invalid:me/x.git", "git@host.invalid:me/x.git"),
        ("ssh://git@host.invalid:22/x.git", "ssh://git@host.invalid:22/x.git"),
        ("/srv/a:b@c/x.git", "/srv/a:b@c/x.git"),
    ],
)
def test_no_password_is_shown(url: str, shown: str) -> None:
    assert without_credentials(url) == shown


def test_a_thousand_events_take_less_than_a_second(hub: Path) -> None:
    write_log(
        hub,
        *(
            {"event_id": f"e-{n}", "ts": "2026-02-01T09:00:00Z", **RECORD, "summary": f"Fact {n} of {n * 7919}."}
            for n in range(1000)
        ),
    )
    for name in L0_FILES:
        (hub / name).write_text("- One line.\n" * 40, encoding="utf-8")
    seconds = []
    for _ in range(3):
        started = time.process_time()
        standing = stand(open_hub(hub))
        seconds.append(time.process_time() - started)

    assert standing.counts == {"active": 1000}
    assert waiting_of(standing) == []
    assert min(seconds) < 0.6  # of this process; starting takes 0.3 s more
    assert json.dumps(standing.versions)
