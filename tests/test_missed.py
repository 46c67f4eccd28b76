"""Sessions that left too little in the log, days without a word, sources that went quiet; and the log of a day."""

from __future__ import annotations

import json
from datetime import datetime
from pathlib import Path

import pytest

from agent_soul.adding import add
from agent_soul.cli import main
from agent_soul.compiler import compile_hub
from agent_soul.config import default_config
from agent_soul.doctor.examining import examine
from agent_soul.doctor.facts import gather
from agent_soul.errors import RefusedError
from agent_soul.event import Event
from agent_soul.hub import open_hub
from agent_soul.missed import Session, Writes, check_writes
from agent_soul.outbox import whole_log
from agent_soul.sessions import end_session, known_sessions, start_session, writes_of
from hubs import event, log_of

NOW = datetime.fromisoformat("2026-03-10T09:00:00+08:00")


def written(*moments: str, size: int = 10, source: str = "mac") -> list[Event]:
    return log_of(event(number, "x" * size, ts=ts, source=source) for number, ts in enumerate(moments)).events


def found(*sessions: Session, events: list[Event] | None = None, now: datetime = NOW) -> Writes:
    return check_writes(sessions, events or [], now, default_config())


def days(writes: Writes) -> list[str]:
    return [each.day for each in writes.missed]


def test_a_day_with_sessions_and_no_event_was_missed() -> None:
    morning, evening = (Session("mac", f"2026-03-09T{hour}:00:00+08:00") for hour in ("08", "20"))

    writes = found(morning, evening)

    assert [each.what for each in writes.missed] == ["mac had 2 sessions on 2026-03-09 and recorded nothing"]
    assert writes.missed[0].mend == ('soul note --source mac --ts 2026-03-09T20:00:00+08:00 "what happened, and why"')
    assert days(found(morning, events=written("2026-03-09T23:59:00+08:00"))) == []
    assert days(found(morning, events=written("2026-03-09T23:59:00+08:00", source="other"))) == ["2026-03-09"]


def test_the_day_is_the_writers_own() -> None:
    session = Session("mac", "2026-03-09T00:30:00+08:00")  # the 8th in UTC

    assert days(found(session, events=written("2026-03-08T23:00:00+00:00"))) == ["2026-03-09"]
    assert days(found(session, events=written("2026-03-09T03:00:00+08:00"))) == []


def test_a_day_is_missed_when_it_is_over_and_not_for_ever() -> None:
    assert days(found(Session("mac", "2026-03-10T08:45:00+08:00"))) == []
    assert days(found(Session("mac", "2026-02-24T08:00:00+08:00"))) == ["2026-02-24"]
    assert days(found(Session("mac", "2026-02-23T08:00:00+08:00"))) == []


@pytest.mark.parametrize(
    ("end", "size", "is_missed"),
    [("08:30:59", 10, False), ("08:31:00", 10, True), ("08:31:00", 1_000, False), ("08:31:00", 700, True)],
)
def test_a_long_session_leaves_something(end: str, size: int, is_missed: bool) -> None:
    session = Session("mac", "2026-03-09T08:00:00+08:00", f"2026-03-09T{end}+08:00")

    writes = found(session, events=written("2026-03-09T08:10:00+08:00", size=size))

    assert bool(writes.missed) is is_missed
    if is_missed:
        assert "in the 31 minutes from 2026-03-09T08:00 on" in writes.missed[0].what


def test_only_what_was_written_meanwhile_counts() -> None:
    session = Session("mac", "2026-03-09T08:00:00+08:00", "2026-03-09T09:00:00+08:00")

    assert (
        found(session, events=written("2026-03-09T07:59:59+08:00", size=2_000)).missed[0].what
        == "mac recorded 0 bytes in the 60 minutes from 2026-03-09T08:00 on; 1024 are looked for"
    )
    assert found(session, events=written("2026-03-09T08:00:00+08:00", size=2_000)).missed == ()


def test_a_session_without_an_end_runs_until_now_on_its_own_day_only() -> None:
    open_today = Session("mac", "2026-03-10T08:00:00+08:00")
    open_yesterday = Session("mac", "2026-03-09T08:00:00+08:00")

    assert days(found(open_today)) == ["2026-03-10"]
    assert days(found(open_yesterday, events=written("2026-03-09T08:10:00+08:00"))) == []


def test_the_figures_are_those_of_the_settings() -> None:
    session = Session("mac", "2026-03-09T08:00:00+08:00", "2026-03-09T08:20:00+08:00")
    events = written("2026-03-09T08:10:00+08:00")
    config = default_config()

    assert check_writes([session], events, NOW, config).missed == ()
    assert check_writes([session], events, NOW, config._replace(session_minutes=10)).missed
    assert not check_writes([session], events, NOW, config._replace(session_minutes=10, session_bytes=5)).missed


def test_a_source_whose_every_event_was_archived_works_no_more() -> None:
    """The examples of the template are, once a copy of it is somebody's own."""
    examples = [event(number, ts="2026-02-20T12:00:00Z", source="template") for number in (1, 2)]

    def quiet(*targets: str) -> list[str]:
        mark = {"action": "archive", "targets": list(targets)}
        events = log_of([*examples, event(3, kind="mark", mark=mark, ts="2026-03-09T12:00:00Z")]).events
        return [each.source for each in found(events=events).quiet]

    assert quiet("event-1", "event-2") == []
    assert quiet("event-1") == ["template"]


def test_a_source_is_quiet_after_a_fortnight_and_retired_after_a_season() -> None:
    def quiet(day: str) -> list[str]:
        return [str(each) for each in found(events=written(f"{day}T12:00:00Z")).quiet]

    assert quiet("2026-02-25") == []
    assert quiet("2026-02-24") == ["mac went quiet: its last event is of 2026-02-24, 14 days ago"]
    assert quiet("2025-12-10") == ["mac went quiet: its last event is of 2025-12-10, 90 days ago"]
    assert quiet("2025-12-09") == []


def test_sessions_are_kept_for_the_clone(hub: Path) -> None:
    here = open_hub(hub)
    first = start_session(here, "mac", NOW)
    named = start_session(here, "mac", NOW, "s-1")

    assert start_session(here, "mac", NOW.replace(hour=10), "s-1") == named  # a program starts it again on resume
    ended = end_session(here, "mac", NOW.replace(hour=11), "s-1")

    assert known_sessions(here) == [first, ended]
    assert ended == named._replace(end="2026-03-10T11:00:00+08:00")
    assert not any("sessions" in path.name for path in hub.rglob("*"))
    with pytest.raises(RefusedError, match="no session of 'other' is open"):
        end_session(here, "other", NOW)
    with pytest.raises(RefusedError, match="is not a source id"):
        start_session(here, "Mac `x`", NOW)


@pytest.mark.parametrize(
    "content", [b"", b"{", b"[1]", b'[["mac", "yesterday", "", ""]]', b'{"a": 1}', b"[[1,2,3,4,5,6]]"]
)
def test_a_spoiled_file_of_sessions_is_none(hub: Path, content: bytes) -> None:
    here = open_hub(hub)
    start_session(here, "mac", NOW)
    (here.state / "sessions.json").write_bytes(content)

    assert known_sessions(here) == []
    start_session(here, "mac", NOW)
    assert len(known_sessions(here)) == 1


def test_two_days_without_notes_are_noticed_on_the_third(hub: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """By `check-writes` and `doctor`; `boot` is in its own tests. A note written afterwards mends a day."""
    here = open_hub(hub)
    for day in (8, 9):
        start_session(here, "mac", NOW.replace(day=day))
        end_session(here, "mac", NOW.replace(day=day, minute=20))
    start_session(here, "mac", NOW)

    assert days(writes_of(here, whole_log(here).events, NOW)) == ["2026-03-08", "2026-03-09"]
    findings = [each for each in examine(gather(here, NOW)) if each.code == "missed-write"]
    assert [each.what for each in findings] == [
        "mac had a session on 2026-03-08 and recorded nothing",
        "mac had a session on 2026-03-09 and recorded nothing",
    ]

    assert main(["note", "--hub", str(hub), *findings[0].mend.split(" ")[2:6], "The login was moved to OAuth."]) == 0

    assert days(writes_of(here, whole_log(here).events, NOW)) == ["2026-03-09"]
    capsys.readouterr()


def test_check_writes_tells_programs_too(hub: Path, capsys: pytest.CaptureFixture[str]) -> None:
    here = open_hub(hub)
    assert main(["check-writes", "--hub", str(hub), "--json"]) == 0
    assert json.loads(capsys.readouterr().out) == {"ok": True, "missed": [], "quiet": []}

    assert main(["session", "start", "--hub", str(hub), "--source", "mac", "--json"]) == 0
    started = json.loads(capsys.readouterr().out)["session"]
    long_ago = datetime.fromisoformat(started["start"]).replace(hour=0, minute=0)
    (here.state / "sessions.json").write_text(json.dumps([["mac", long_ago.isoformat(), "", ""]]), encoding="utf-8")
    (hub / "soul.yaml").write_text("writes: {session_minutes: 1}\n", encoding="utf-8")
    if datetime.now(long_ago.tzinfo).hour == 0 and datetime.now(long_ago.tzinfo).minute < 3:
        pytest.skip("just after midnight no session of today is long")

    assert main(["check-writes", "--hub", str(hub), "--source", "mac", "--json"]) == 1
    assert json.loads(capsys.readouterr().out)["missed"][0]["source"] == "mac"
    assert main(["check-writes", "--hub", str(hub), "--source", "other"]) == 0


def test_the_log_of_a_day_only_grows(hub: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Each note stands on the page of its writer's own day, however many are written, and by whom."""
    note = ("note", "--hub", str(hub), "--source")
    assert main([*note, "mac", "Evening in Shanghai.", "--ts", "2026-03-09T00:30:00+08:00", "--project", "shop"]) == 0
    kept = json.loads(capsys.readouterr().out)["event"]
    assert (kept["kind"], kept["scope"], kept["project"]) == ("note", "daily", "shop")
    compile_hub(open_hub(hub))
    first = (hub / "canonical" / "daily" / "2026-03-09.md").read_text(encoding="utf-8")

    assert main([*note, "phone", "Evening in Los Angeles.", "--ts", "2026-03-09T23:30:00-08:00"]) == 0
    assert main([*note, "mac", " "]) == 2
    compile_hub(open_hub(hub))

    second = (hub / "canonical" / "daily" / "2026-03-09.md").read_text(encoding="utf-8")
    assert [path.name for path in (hub / "canonical" / "daily").iterdir()] == ["2026-03-09.md"]
    assert "Evening in Shanghai." in first
    assert "Evening in Shanghai." in second
    assert "Evening in Los Angeles." in second


def test_a_note_of_now_has_the_local_day(hub: Path) -> None:
    added = add(open_hub(hub), {"source": "mac", "kind": "note", "scope": "daily", "summary": "Now."})

    assert added.event.local_date == datetime.now().astimezone().date().isoformat()
