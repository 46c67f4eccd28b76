"""Nothing lost, nothing doubled, nothing wedged: many clones on one remote under faults; and the checker's proof."""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from history.checker import INVARIANTS, violations
from history.nemesis import Faults
from history.records import Clone, Commit, Operation, Outcome, World
from history.run import Plan, Result, run
from history.writers import FAULTS

pytestmark = [
    pytest.mark.proof,
    pytest.mark.skipif(
        not Path("/proc/self/stat").exists(), reason="looks for running commands in /proc, which only Linux has"
    ),
]

TESTS = Path(__file__).parent


@pytest.mark.parametrize("seed", [1, 2])
def test_three_clones_and_a_bot_under_faults(tmp_path: Path, seed: int) -> None:
    result = run(Plan(seed), tmp_path)

    print(result.summary())
    assert not result.explain(), result.explain()
    assert len(result.operations) == 3 * 15
    assert result.faults["killed"]
    assert result.faults["declined"]


# A history of two acknowledged events and one that was killed, and a world that goes with it.

FIRST = Operation("a", "evt_1", "one", 1.0, 2.0, Outcome.OK)
SECOND = Operation("a", "evt_2", "two", 3.0, 4.0, Outcome.OK)
KILLED = Operation("b", "evt_3", "three", 5.0, 6.0, Outcome.UNKNOWN)
REFUSED = Operation("b", "evt_4", "four", 7.0, 8.0, Outcome.FAIL)
HISTORY = (FIRST, SECOND, KILLED, REFUSED)
LOG = "sources/a/2026-01-01.0a.ndjson"
PAGE = "canonical/index.md"


def log_of(*operations: Operation) -> bytes:
    rows = ({"event_id": operation.event_id, "summary": operation.text} for operation in operations)
    return b"".join(json.dumps(row).encode() + b"\n" for row in rows)


def world(*logs: bytes, pages: Sequence[bytes] = (), clone_log: bytes | None = None, **of_clone: object) -> World:
    """Make a remote with a commit for each state of the one log, and a clone that holds the last of them."""
    blobs: dict[str, bytes] = {}
    commits = []
    for number, log in enumerate(logs):
        page = pages[number] if pages else b"# Index\n"
        blobs |= {f"log{number}": log, f"page{number}": page}
        files = {LOG: f"log{number}", PAGE: f"page{number}"}
        commits.append(Commit(f"c{number}", (f"c{number - 1}",) if number else (), files))
    here: Mapping[str, bytes] = {LOG: logs[-1] if clone_log is None else clone_log}
    clone = replace(Clone("clone0", "main", "tree", here), **of_clone)  # type: ignore[arg-type]
    return World(tuple(commits), blobs, "tree", (clone,))


WHOLE = log_of(FIRST, SECOND)
VIOLATED: list[tuple[str, str, World]] = [
    ("I1 lost", "in no clone", world(WHOLE, clone_log=log_of(SECOND))),
    ("I1 lost", "not in the remote", world(log_of(SECOND), clone_log=WHOLE)),
    ("I1 lost", "with another text", world(log_of(replace(FIRST, text="other"), SECOND))),
    ("I2 invented", "never invoked", world(log_of(FIRST, SECOND, replace(KILLED, event_id="evt_9")))),
    ("I2 invented", "was told that it failed", world(log_of(FIRST, SECOND, REFUSED))),
    ("I2 invented", "fused", world(WHOLE + b'{"event_id": "evt_3"{}\n')),
    ("I3 doubled", "twice in the log", world(log_of(FIRST, SECOND, FIRST))),
    ("I3 doubled", "a killed one twice", world(log_of(FIRST, SECOND, KILLED, KILLED))),
    ("I3 doubled", "under a new id", world(log_of(FIRST, SECOND, replace(FIRST, event_id="evt_1x")))),
    ("I3 doubled", "in a page", world(WHOLE, pages=[b"- one\n- one\n"])),
    ("I4 not append-only", "a line goes", world(log_of(KILLED, FIRST, SECOND), WHOLE)),
    ("I4 not append-only", "a line changes by a byte", world(WHOLE.replace(b": ", b":"), WHOLE)),
    ("I4 not append-only", "a copy of a line goes", world(log_of(FIRST, FIRST, SECOND), WHOLE)),
    ("I5 not the same", "another tree", world(WHOLE, tree="other")),
    ("I5 not the same", "a dirty work tree", world(WHOLE, dirty=" M canonical/index.md")),
    ("I5 not the same", "pages of an older compile", world(WHOLE, stale="canonical/index.md differs")),
    ("I5 not the same", "a clone that cannot sync", world(WHOLE, stuck="exit 4")),
    ("I6 not sound", "an object is missing", world(WHOLE, damage="missing blob")),
    ("I6 not sound", "a lock", world(WHOLE, leftovers=(".git/index.lock",))),
    ("I6 not sound", "another branch", world(WHOLE, branch="")),
    ("I7 torn page", "empty in an older commit", world(WHOLE, WHOLE, pages=[b"", b"# Index\n"])),
    ("I7 torn page", "half a line", world(WHOLE, pages=[b"# Index\n- on"])),
    ("I8 out of order", "the later one first", world(log_of(SECOND, FIRST))),
]


class TestChecker:
    @pytest.mark.parametrize("log", [WHOLE, log_of(FIRST, SECOND, KILLED)])
    def test_a_good_history_has_no_violation(self, log: bytes) -> None:
        assert violations(HISTORY, world(log_of(FIRST), log)) == []

    @pytest.mark.parametrize(("invariant", "case", "bad"), VIOLATED, ids=[f"{row[0]}: {row[1]}" for row in VIOLATED])
    def test_each_violation_is_seen(self, invariant: str, case: str, bad: World) -> None:
        names = {name for name in INVARIANTS if any(what.startswith(name) for what in violations(HISTORY, bad))}

        assert invariant in names
        # One fault may break two promises, such as an event that is lost because it was altered; never all of them.
        assert len(names) <= 2, names


# Each of these writers has one fault, and any of these invariants tells of it.
CAUGHT_BY: dict[str, tuple[str, ...]] = {
    "wedge": ("I1", "I5", "I6"),
    "two writes": ("I1", "I2"),
    "no newline": ("I1", "I2"),
    "stored fingerprint": ("I1",),
    "blind retry": ("I2", "I3"),
    "lock broken by age": ("I1", "I2"),
    "kept descriptor": ("I1",),
}


def run_writer(fault: str, folder: Path, seed: int = 7) -> Result:
    faults = Faults(killed=0, declined=0.05, answer_lost=0.2, stalled=0, skewed=0, person=0)
    command = (sys.executable, str(TESTS / "history" / "writers.py"), fault)
    plan = Plan(seed, clones=2, agents=2, events=4, faults=faults, command=command, bot=False, plain_adds=0)
    return run(plan, folder)


class TestBadWriters:
    def test_the_same_writer_without_a_fault_is_green(self, tmp_path: Path) -> None:
        result = run_writer("none", tmp_path)

        assert result.violations == []
        assert sum(operation.outcome is Outcome.OK for operation in result.operations) > 10

    def test_all_faults_are_tried(self) -> None:
        assert {"none", *CAUGHT_BY} == set(FAULTS)

    @pytest.mark.parametrize("fault", CAUGHT_BY)
    def test_each_fault_is_caught_within_one_seed(self, tmp_path: Path, fault: str) -> None:
        found = run_writer(fault, tmp_path).violations

        print(*found[:5], sep="\n")
        assert any(what.startswith(CAUGHT_BY[fault]) for what in found), found
