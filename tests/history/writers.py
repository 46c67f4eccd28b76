"""A plain writer that keeps the promises, and the same one with one fault at a time: what the checker must catch.

`python -m history.writers FAULT share ...` understands as much of the command line as a run needs. Every fault was
found in a memory that people use, or in reviews of one.
"""

from __future__ import annotations

import argparse
import contextlib
import fcntl
import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

FAULTS = {
    "none": "",
    "wedge": "commits pages in the work tree and rebases; a conflict in them stays where it is",
    "two writes": "writes a record in two pieces, without a lock",
    "no newline": "ends no line: the next record is written onto the last",
    "stored fingerprint": "takes an event for a known one because a stored key is the same",
    "blind retry": "sends the event again, as a new one, when the push gave no answer",
    "lock broken by age": "takes a lock for a left-over because it is old, and acknowledges after its push",
    "kept descriptor": "keeps the log open while Git replaces it",
}
_TRIES = 12
_ACKNOWLEDGED, _FAILED = 0, 5


def main() -> int:
    """Record an event (`share`), take over what others wrote (`sync`), or compare the pages (`compile --check`)."""
    parser = argparse.ArgumentParser()
    parser.add_argument("fault", choices=FAULTS)
    parser.add_argument("command", choices=("share", "sync", "compile"))
    parser.add_argument("text", nargs="?")
    for name in ("source", "event-id", "ts", "budget"):
        parser.add_argument(f"--{name}")
    parser.add_argument("--check", action="store_true")
    asked = parser.parse_intermixed_args()
    if asked.command == "compile":
        return int(Path("canonical/index.md").exists() and Path("canonical/index.md").read_text() != _page())
    record = {"event_id": asked.event_id, "source": asked.source, "summary": asked.text}
    with _unlocked() if asked.fault in ("two writes", "no newline") else _locked(asked.fault):
        return _write(asked.fault, record) if asked.command == "share" else _take_over(asked.fault)


def _write(fault: str, record: dict[str, str]) -> int:
    if fault == "wedge":
        return _write_and_rebase(record)
    for attempt in range(_TRIES):
        kept = _log_of(record["source"]).open("ab") if fault == "kept descriptor" else None
        _take_over(fault)
        if _is_known(fault, record):
            return _ACKNOWLEDGED
        _append(fault, record, kept)
        if fault == "lock broken by age":
            time.sleep(0.1)
        _compile()
        _git("add", "-A", "sources", "canonical")
        _git("commit", "-q", "-m", "memory")
        code, said = _git("push", "-q", "origin", "HEAD:main")
        if code == 0:
            return _ACKNOWLEDGED
        if "pre-receive hook declined" in said:
            _take_over(fault)
            return _FAILED
        if fault == "blind retry" and "rejected" not in said:
            record = {**record, "event_id": f"{record['event_id']}x{attempt}"}
        time.sleep(0.02 * attempt)
    return _FAILED


def _write_and_rebase(record: dict[str, str]) -> int:
    """Do what the model's script does: append, compile, commit, then pull --rebase and push, three times."""
    _append("none", record, None)
    _compile()
    _git("add", "-A")
    _git("commit", "-q", "-m", "memory")
    for _ in range(3):
        _git("pull", "-q", "--rebase", "origin", "main")
        if _git("push", "-q", "origin", "HEAD:main")[0] == 0:
            return _ACKNOWLEDGED
    return _FAILED


def _take_over(fault: str) -> int:
    if fault == "wedge":
        return _git("pull", "-q", "--rebase", "origin", "main")[0]
    if fault in ("two writes", "no newline"):  # such writers have no lock, so they never reset either
        _git("pull", "-q", "--no-rebase", "-X", "theirs", "origin", "main")
        return _ACKNOWLEDGED
    Path(".git/index.lock").unlink(missing_ok=True)
    _git("fetch", "-q", "origin")
    return _git("reset", "-q", "--hard", "origin/main")[0]


def _is_known(fault: str, record: dict[str, str]) -> bool:
    if fault == "stored fingerprint":
        return any(event["summary"][:20] == record["summary"][:20] for event in _events())
    return any(event["event_id"] == record["event_id"] for event in _events())


def _log_of(source: str) -> Path:
    log = Path("sources") / source / "log.ndjson"
    log.parent.mkdir(parents=True, exist_ok=True)
    return log


def _append(fault: str, record: dict[str, str], kept: BinaryIO | None) -> None:
    line = json.dumps(record).encode() + (b"" if fault == "no newline" else b"\n")
    log = _log_of("shared" if fault == "two writes" else record["source"])
    with kept or log.open("ab") as file:
        if fault == "two writes":
            file.write(line[:20])
            file.flush()
            time.sleep(0.15)
            line = line[20:]
        file.write(line)


def _compile() -> None:
    page = Path("canonical/index.md")
    page.parent.mkdir(exist_ok=True)
    other = page.with_name(f".{os.getpid()}.tmp")
    other.write_text(_page())
    other.replace(page)


def _page() -> str:
    return "# Index\n" + "".join(f"- {event['summary']}\n" for event in _events())


def _events() -> list[dict[str, str]]:
    found = []
    for log in sorted(Path("sources").rglob("*.ndjson")):
        for line in log.read_bytes().splitlines():
            with contextlib.suppress(ValueError):
                found.append(json.loads(line))
    return found


@contextlib.contextmanager
def _locked(fault: str) -> Iterator[None]:
    if fault == "lock broken by age":
        yield from _locked_until_old(Path(".git/writer.held"))
        return
    with Path(".git/writer").open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


def _locked_until_old(lock: Path) -> Iterator[None]:
    while True:
        with contextlib.suppress(OSError):
            if time.time() - lock.stat().st_mtime > 0.05:
                lock.unlink()
        with contextlib.suppress(FileExistsError):
            os.close(os.open(lock, os.O_CREAT | os.O_EXCL))
            break
        time.sleep(0.01)
    try:
        yield
    finally:
        lock.unlink(missing_ok=True)


@contextlib.contextmanager
def _unlocked() -> Iterator[None]:
    yield


def _git(*arguments: str) -> tuple[int, str]:
    done = subprocess.run(["git", *arguments], capture_output=True, text=True, stdin=subprocess.DEVNULL)
    return done.returncode, done.stderr


if __name__ == "__main__":
    sys.exit(main())
