"""`validate --since COMMIT`: no line under sources/ that the commit has may be changed or gone."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from support import git

LINES = [
    json.dumps(
        {
            "event_id": f"event-{number}",
            "ts": "2026-01-05T08:00:00Z",
            "source": "laptop",
            "kind": "fact",
            "scope": "stable",
            "summary": f"Fact number {number}.",
        }
    )
    for number in range(3)
]
LOG = "sources/laptop/2026-01-05.0123abcd.ndjson"


def write(hub: Path, *lines: str) -> None:
    (hub / LOG).parent.mkdir(parents=True, exist_ok=True)
    (hub / LOG).write_bytes("".join(f"{line}\n" for line in lines).encode())


@pytest.fixture
def recorded(git_hub: Path) -> Path:
    """Return a hub with a commit that has three events in one file."""
    write(git_hub, *LINES)
    git(git_hub, "add", "sources")
    git(git_hub, "commit", "-q", "-m", "three events")
    return git_hub


def validate(hub: Path, since: str = "HEAD") -> tuple[int, list[dict[str, object]]]:
    """Return the exit code and the problems."""
    command = [sys.executable, "-m", "agent_soul", "--hub", str(hub), "validate", "--since", since, "--json"]
    done = subprocess.run(command, capture_output=True, text=True)
    answer = json.loads(done.stdout)
    assert answer["ok"] is (done.returncode == 0)
    return done.returncode, answer.get("problems", [answer.get("error")])


def test_a_log_that_grows_is_right(recorded: Path) -> None:
    added = LINES[0].replace("event-0", "event-9").replace("number 0", "number 9")
    write(recorded, *LINES, added)
    assert validate(recorded) == (0, [])


def test_a_merge_may_put_lines_between(recorded: Path) -> None:
    added = LINES[0].replace("event-0", "event-9").replace("number 0", "number 9")
    write(recorded, LINES[0], added, *LINES[1:])
    assert validate(recorded) == (0, [])


@pytest.mark.parametrize(
    ("now", "line"),
    [
        ([LINES[0], LINES[1].replace("Fact", "Tale"), LINES[2]], 2),
        ([LINES[0], LINES[2]], 2),
        ([LINES[0] + "\r", *LINES[1:]], 1),
    ],
    ids=["changed", "removed", "other line end"],
)
def test_a_line_that_changed_or_went_is_named(recorded: Path, now: list[str], line: int) -> None:
    write(recorded, *now)

    code, problems = validate(recorded)

    (lost,) = [problem for problem in problems if problem["code"] == "lost"]
    assert (code, lost["path"], lost["line"], lost["level"]) == (1, LOG, line, "error")
    assert "1 line is changed or gone" in str(lost["message"])


def test_one_of_two_equal_lines_is_missed(recorded: Path) -> None:
    write(recorded, *LINES, LINES[0])
    git(recorded, "commit", "-q", "-a", "-m", "twice")
    write(recorded, *LINES)
    assert validate(recorded)[0] == 1


def test_a_file_that_went_or_moved_is_named(recorded: Path) -> None:
    (recorded / LOG).rename(recorded / LOG.replace("0123abcd", "4567cdef"))
    code, problems = validate(recorded)
    assert code == 1
    assert "3 lines are changed or gone" in str(next(each for each in problems if each["code"] == "lost")["message"])


@pytest.mark.parametrize("since", ["no-such-commit", "--all", ""])
def test_a_commit_that_is_not_there_is_quoted(recorded: Path, since: str) -> None:
    code, (error,) = validate(recorded, since)
    assert code == 2
    assert repr(since) in str(error["message"])


def test_a_hub_without_git_has_no_commit(hub: Path) -> None:
    assert validate(hub)[0] == 2
