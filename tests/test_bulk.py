"""Bulk commands on two cores: the same outcome as on one, whatever becomes of the second process."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import textwrap
from datetime import datetime, timedelta, timezone
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent_soul.bulk import Moments

COUNT = 5_000
needs_two_cores = pytest.mark.skipif(
    sys.platform in ("win32", "darwin") or len(os.sched_getaffinity(0)) < 2, reason="needs Linux and two cores"
)

# Drafts the lines on stdin in a process of its own, since a test runner has threads and then nothing is forked.
_PROGRAM = """
import json, os, sys
from datetime import UTC, datetime
from agent_soul import bulk
{prelude}
lines = sys.stdin.buffer.read().split(b"\\n")
seen = []
drafted = bulk.draft_lines(lines, {{"source": "s-one"}}, datetime(2026, 11, 30, tzinfo=UTC), seen.append)
records = [json.loads(line.raw) for line in drafted.lines]
print(json.dumps({{
    "events": [[r["summary"], r["ts"], r.get("supersedes")] for r in records],
    "ids": [line.id for line in drafted.lines],
    "refused": drafted.refused, "warnings": drafted.warnings,
    "seen": sum(seen), "children": os.times().children_user > 0,
}}))
"""


def run(lines: list[bytes], prelude: str = "") -> dict[str, Any]:
    program = _PROGRAM.format(prelude=textwrap.dedent(prelude))
    done = subprocess.run(
        [sys.executable, "-c", program], input=b"\n".join(lines), capture_output=True, check=True, timeout=120
    )
    assert done.stderr == b""
    return dict(json.loads(done.stdout))


def record(number: int, **fields: Any) -> bytes:
    return json.dumps({"kind": "fact", "scope": "stable", "summary": f"Fact {number}", **fields}).encode()


@pytest.fixture(scope="module")
def lines() -> list[bytes]:
    """Mostly good lines; some bad and empty ones in either half."""
    given = [record(number) for number in range(COUNT)]
    for number in (3, 2_000, 2_499, 2_500, 4_999):
        given[number] = record(number, kind="opinion") if number % 2 else b"not json"
    given[7] = given[4_000] = b"  "
    return given


ONE_CORE = "os.sched_setaffinity(0, [min(os.sched_getaffinity(0))])"


@needs_two_cores
def test_two_cores_draft_what_one_does(lines: list[bytes]) -> None:
    lines = lines[:-1]  # an odd number, so that one half is longer
    alone, together = run(lines, ONE_CORE), run(lines)
    assert not alone.pop("children")
    assert together.pop("children")
    assert len(set(alone.pop("ids"))) == len(set(together.pop("ids"))) == COUNT - 7
    assert together["seen"] == alone["seen"]
    assert alone["seen"] == sum(map(len, lines))
    assert together == alone


@needs_two_cores
@pytest.mark.parametrize("fault", ["os.kill(os.getpid(), 9)", "raise MemoryError", "raise KeyboardInterrupt"])
def test_a_child_that_fails_costs_time_only(lines: list[bytes], fault: str) -> None:
    prelude = f"""
    parent, draft = os.getpid(), bulk._Batch.draft
    def draft_or_fail(self, *arguments, **options):
        if os.getpid() != parent:
            {fault}
        return draft(self, *arguments, **options)
    bulk._Batch.draft = draft_or_fail
    """
    failed, alone = run(lines, prelude), run(lines, ONE_CORE)
    for outcome in failed, alone:
        del outcome["ids"], outcome["children"]
    assert failed == alone


@needs_two_cores
@pytest.mark.parametrize("place", [10, COUNT - 1])
def test_lines_that_name_events_are_read_in_their_order(lines: list[bytes], place: int) -> None:
    first = record(0, event_id="one")
    given = [first, *lines]
    given[place] = record(1, event_id="one")
    outcome = run(given)
    assert outcome["ids"][0] == "one"
    assert outcome["ids"].count("one") == 1
    differing = next(refused for refused in outcome["refused"] if refused[0] == place + 1)
    assert "'one' is the id of another event already" in differing[1]


@needs_two_cores
def test_an_id_of_the_hub_is_looked_up_for_a_line_in_either_half(lines: list[bytes]) -> None:
    prelude = """
    from agent_soul.draft import draft
    there = draft({"source": "s-one", "kind": "fact", "scope": "stable", "summary": "Other.", "event_id": "one"},
                  datetime(2026, 11, 30, tzinfo=UTC))
    plain = bulk.draft_lines
    bulk.draft_lines = lambda *given: plain(*given, existing=lambda: {"one": there})
    """
    for place in (10, COUNT - 10):
        given = [*lines[:place], record(1, event_id="one"), *lines[place + 1 :]]
        refused = dict(map(tuple, run(given, prelude)["refused"]))
        assert "'one' is the id of another event already" in refused[place + 1]


def test_a_name_in_the_second_half_finds_its_event_in_the_first() -> None:
    given = [
        record(0, event_id="one"),
        *(record(n) for n in range(1, COUNT)),
        record(COUNT, supersedes="one"),
    ]
    outcome = run(given)
    assert outcome["events"][-1][2] == ["one"]
    assert outcome["warnings"] == []


@needs_two_cores
def test_many_lines_by_the_command(git_hub: Path, lines: list[bytes]) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "agent_soul", "--hub", str(git_hub), "add", "--source", "s-one", "--stdin"],
        input=b"\n".join(lines),
        capture_output=True,
        check=False,
        timeout=120,
    )
    assert done.returncode == 1
    answer = json.loads(done.stdout)
    assert answer["added"] == COUNT - 7
    assert [each["line"] for each in answer["refused"]] == [4, 2_001, 2_500, 2_501, 5_000]
    kept = [json.loads(line) for path in answer["paths"] for line in (git_hub / path).read_bytes().splitlines()]
    assert [each["summary"] for each in kept] == [json.loads(line)["summary"] for line in lines if b'"fact"' in line]
    assert [each["ts"] for each in kept] == sorted(each["ts"] for each in kept)


@given(
    now=st.datetimes(datetime(1990, 1, 1), datetime(2090, 1, 1)),
    minutes=st.integers(-14 * 60, 14 * 60),
    number=st.integers(1, 3_000_000),
)
def test_the_moment_of_a_line_is_that_of_the_command_and_its_number_in_microseconds(
    now: datetime, minutes: int, number: int
) -> None:
    now = now.replace(tzinfo=timezone(timedelta(minutes=minutes)))
    expected = (now + timedelta(microseconds=number)).isoformat(timespec="microseconds")
    assert Moments(now).text(number) == expected
