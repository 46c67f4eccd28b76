"""One writer at a time, whatever happens to the holder or to the lock's file."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from agent_soul.errors import ExitCode, StoppedError
from agent_soul.lock import exclusive

_HOLD = """
import sys, time
from pathlib import Path
from agent_soul.lock import exclusive
with exclusive(Path(sys.argv[1]), purpose="test holder"):
    print("held", flush=True)
    time.sleep(60)
"""


@pytest.fixture
def lock(tmp_path: Path) -> Path:
    return tmp_path / "state" / "lock"


@pytest.fixture
def holder(lock: Path) -> Iterator[subprocess.Popen[str]]:
    """Start another process that holds the lock."""
    process = subprocess.Popen([sys.executable, "-c", _HOLD, str(lock)], stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    assert process.stdout.readline() == "held\n"
    yield process
    process.kill()
    process.wait()
    process.stdout.close()


def _is_free(lock: Path) -> bool:
    try:
        with exclusive(lock, timeout=0.1):
            return True
    except StoppedError:
        return False


def test_waiting_ends_with_the_holder_named(lock: Path, holder: subprocess.Popen[str]) -> None:
    started = time.monotonic()
    named = rf"in use by process {holder.pid} \(test holder, since"
    with pytest.raises(StoppedError, match=named) as caught, exclusive(lock, timeout=0.2):
        pytest.fail("two holders")
    assert 0.2 <= time.monotonic() - started < 5
    assert caught.value.exit_code == ExitCode.STOPPED
    assert str(lock) in caught.value.message


def test_a_killed_holder_frees_it_at_once(lock: Path, holder: subprocess.Popen[str]) -> None:
    assert not _is_free(lock)
    holder.kill()
    holder.wait()
    with exclusive(lock, timeout=0):
        pass


def test_a_stopped_holder_keeps_it(lock: Path, holder: subprocess.Popen[str]) -> None:
    os.kill(holder.pid, signal.SIGSTOP)
    assert not _is_free(lock)


def test_deleting_the_file_lets_nobody_else_in(lock: Path, holder: subprocess.Popen[str]) -> None:
    lock.unlink()
    assert not _is_free(lock)
    assert not _is_free(lock), "the file made by the first attempt"
    holder.kill()
    holder.wait()
    assert _is_free(lock)


def test_who_waited_for_a_deleted_file_holds_the_new_one(lock: Path, holder: subprocess.Popen[str]) -> None:
    ending = threading.Timer(0.5, holder.kill)
    deleting = threading.Timer(0.2, lock.unlink)
    ending.start()
    deleting.start()
    with exclusive(lock, purpose="who waited"):
        assert "who waited" in lock.read_text()
    ending.join()


def test_the_body_failing_frees_it(lock: Path) -> None:
    with pytest.raises(ZeroDivisionError), exclusive(lock):
        raise ZeroDivisionError
    assert _is_free(lock)


def test_no_descriptor_is_left_open(lock: Path) -> None:
    descriptors = Path("/proc/self/fd")
    if not descriptors.is_dir():
        pytest.skip("needs /proc")
    before = len(list(descriptors.iterdir()))
    for _ in range(3):
        with exclusive(lock):
            pass
    assert len(list(descriptors.iterdir())) == before


def test_a_child_that_outlives_the_holder_does_not_hold_it(lock: Path) -> None:
    with exclusive(lock):
        child = subprocess.Popen(["sleep", "30"])
    try:
        assert _is_free(lock)
    finally:
        child.kill()
        child.wait()


def test_a_state_folder_that_cannot_be_made_is_a_message(tmp_path: Path) -> None:
    (tmp_path / "state").write_text("a file stands in the way")
    with (
        pytest.raises(StoppedError, match=r"nothing was done: the lock .*state/lock cannot be taken"),
        exclusive(tmp_path / "state" / "lock"),
    ):
        pass
