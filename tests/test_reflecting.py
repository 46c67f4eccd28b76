"""Reflection: a program reads a day and proposes; nothing of it counts until a person says so."""

from __future__ import annotations

import json
import shlex
import sys
import time
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from agent_soul.cli import main
from agent_soul.compiler import resolve_hub
from agent_soul.hub import find_hub
from hubs import event
from support import Run, write_log

NOW = datetime.now(UTC).astimezone().isoformat()
ECHO = "import json, sys; print(json.dumps({'summary': f'{len(sys.stdin.readlines())} lines were read.'}))"


def program(code: str) -> str:
    return shlex.join([sys.executable, "-c", code])


def printing(*lines: str) -> str:
    return program("\n".join(f"print({line!r})" for line in lines))


@pytest.fixture
def reflect(hub: Path, run: Run) -> Run:
    write_log(hub, event(1, ts=NOW), event(2, ts=NOW, scope="daily"), event(3), event(4, ts=NOW, proposed=True))

    def call(command: str, *options: str, code: int = 0) -> dict[str, Any]:
        return run("reflect", "--command", command, "--source", "model", *options, code=code)

    return call


def by_model(hub: Path) -> list[dict[str, Any]]:
    verdicts = resolve_hub(find_hub(str(hub))).verdicts
    return [{**v.event.data, "status": str(v.status)} for v in verdicts if v.event.source == "model"]


def test_the_program_reads_the_day_and_its_lines_wait(hub: Path, reflect: Run) -> None:
    assert len(reflect(program(ECHO))["proposed"]) == 1

    (found,) = by_model(hub)
    assert (found["summary"], found["status"], found["kind"]) == ("2 lines were read.", "pending", "fact")
    assert found["origin"]["tool"] == "soul reflect"


def test_a_program_cannot_propose_a_key(hub: Path, reflect: Run) -> None:
    key = "ghp_" + "aB3dE5gH7jK9mN1pQ3sT5vW7yZ9bC1dF3gH5"
    lines = [json.dumps({"summary": f"The token is {key}.", "allow_secret": True}), '{"summary": "Drinks tea."}']
    answer = reflect(printing(*lines), code=1)
    assert [refused["line"] for refused in answer["refused"]] == [1]
    assert "summary holds what looks like a GitHub token" in answer["refused"][0]["reason"]
    assert [each["summary"] for each in by_model(hub)] == ["Drinks tea."]


def test_another_day_is_read_when_it_is_named(hub: Path, reflect: Run) -> None:
    reflect(program(ECHO), "--date", "2026-03-01")
    assert by_model(hub)[0]["summary"] == "1 lines were read."


def test_a_day_without_events_asks_nobody(hub: Path, reflect: Run) -> None:
    assert reflect("no-such-program", "--date", "2020-01-01")["proposed"] == []
    assert "'tomorrow' is not a date" in reflect("x", "--date", "tomorrow", code=2)["error"]["message"]


def test_a_program_says_what_and_never_who_or_that_it_counts(hub: Path, reflect: Run) -> None:
    line = {"summary": "It is so.", "kind": "lesson", "scope": "profile", "derived_from": ["event-1"]}
    forged = {"event_id": "mine-1", "source": "mac", "proposed": False, "ts": "2020-01-01T00:00:00Z"}

    reflect(printing(json.dumps(line | forged)))

    (found,) = by_model(hub)
    assert {name: found[name] for name in line} == line
    assert (found["status"], found["event_id"] != "mine-1", found["ts"][:4] != "2020") == ("pending", True, True)


def test_a_bad_line_costs_that_line(hub: Path, reflect: Run) -> None:
    mark = {"kind": "mark", "mark": {"action": "archive", "targets": ["event-1"]}, "summary": "Gone."}
    odd = ('{"summary": "So.", "kind": []}', '{"summary": "So.", "kind": {"a": 1}}')
    lines = ("Here you are:", '{"summary": "一条好的。"}', "", json.dumps(mark), '{"kind": "rumor", "summary": "So."}')

    answer = reflect(printing(*lines, *odd), code=1)

    assert [refusal["line"] for refusal in answer["refused"]] == [1, 4, 5, 6, 7]
    assert [each["summary"] for each in by_model(hub)] == ["一条好的。"]


def test_what_was_proposed_before_is_known_also_when_it_was_rejected(
    hub: Path, reflect: Run, capsys: pytest.CaptureFixture[str]
) -> None:
    (id_,) = reflect(printing('{"summary": "It is so."}', '{"summary": "It is so!"}'))["proposed"]
    main(["--hub", str(hub), "review", "reject", id_, "--source", "me"])

    answer = reflect(printing('{"summary": "It is so."}'))

    assert (answer["proposed"], answer["known"]) == ([], 1)
    assert [each["event_id"] for each in by_model(hub)] == [id_]


@pytest.mark.parametrize(
    ("command", "options", "code", "said"),
    [
        ("no-such-program --x", (), 2, "no-such-program cannot be started"),
        ('"open', (), 2, "cannot be read"),
        ("", (), 2, "--command is empty"),
        (program("import sys; print('{\"summary\": \"Half.\"}'); sys.exit('no key')"), (), 5, "ended with 1"),
        (program("import time; time.sleep(30)"), ("--timeout", "1"), 5, "took longer than 1 seconds"),
    ],
)
def test_a_program_that_fails_writes_nothing(
    hub: Path, reflect: Run, command: str, options: tuple[str, ...], code: int, said: str
) -> None:
    assert said in reflect(command, *options, code=code)["error"]["message"]
    assert by_model(hub) == []


def test_what_a_slow_program_started_ends_with_it(hub: Path, reflect: Run, tmp_path: Path) -> None:
    late = tmp_path / "late"
    script = f"(sleep 2; touch {late}) & sleep 30"

    message = reflect(f'sh -c "{script}"', "--timeout", "1", code=5)["error"]["message"]
    time.sleep(2)

    assert "took longer than 1 seconds" in message
    assert not late.exists()


def test_more_than_anybody_reviews_is_not_taken(hub: Path, reflect: Run) -> None:
    message = reflect("sh -c 'yes | head -c 3000000'", code=5)["error"]["message"]
    assert "printed 3000000 bytes, at most 1048576 are taken" in message
    assert by_model(hub) == []
