"""What the clients did, as they saw it themselves, and what the repositories hold afterwards."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field
from enum import StrEnum
from pathlib import Path


class Outcome(StrEnum):
    """How one attempt ended for the client: a killed one cannot know."""

    OK = "ok"
    FAIL = "fail"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class Operation:
    """One attempt of a client to record an event; the times are seconds of one monotonic clock."""

    source: str
    event_id: str
    text: str
    invoked: float
    ended: float
    outcome: Outcome


class Recorder:
    """Keeps the history, and a copy of it on disk that outlives the run: invoke and end are lines of their own."""

    def __init__(self, file: Path) -> None:
        self._file = file
        self._lock = threading.Lock()
        self.operations: list[Operation] = []

    def invoke(self, source: str, event_id: str, text: str) -> float:
        now = time.monotonic()
        self._write({"type": "invoke", "source": source, "event_id": event_id, "text": text, "at": now})
        return now

    def end(self, operation: Operation) -> None:
        self._write({"type": operation.outcome, "at": operation.ended, **asdict(operation)})
        with self._lock:
            self.operations.append(operation)

    def _write(self, entry: Mapping[str, object]) -> None:
        with self._lock, self._file.open("a", encoding="utf-8") as file:
            file.write(json.dumps(entry) + "\n")


@dataclass(frozen=True, slots=True)
class Commit:
    """A commit of the remote's main: its files under sources/ and canonical/, as names of blobs."""

    name: str
    parents: tuple[str, ...]
    files: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Clone:
    """A clone once all is quiet. `log` is its work tree's; the strings are empty where there is nothing to say."""

    name: str
    branch: str
    tree: str
    log: Mapping[str, bytes]
    dirty: str = ""
    leftovers: tuple[str, ...] = ()
    damage: str = ""
    stale: str = ""
    stuck: str = ""


@dataclass(frozen=True, slots=True)
class World:
    """The remote's main, oldest commit first, the bytes of its blobs, and the clones."""

    commits: tuple[Commit, ...]
    blobs: Mapping[str, bytes]
    tree: str
    clones: tuple[Clone, ...]
    damage: str = ""

    def log(self) -> dict[str, bytes]:
        """Return the source files of the remote's newest commit."""
        return {path: self.blobs[blob] for path, blob in self.commits[-1].files.items() if path.startswith("sources/")}

    def pages(self) -> dict[str, bytes]:
        """Return the pages of the remote's newest commit."""
        files = self.commits[-1].files.items()
        return {path: self.blobs[blob] for path, blob in files if path.startswith("canonical/")}


@dataclass(frozen=True, slots=True)
class Line:
    """One line of a log: where it is, its bytes, and its id and text where it can be read."""

    path: str
    raw: bytes
    event_id: str = ""
    text: str = ""
    readable: bool = field(default=True)


def lines_of(log: Mapping[str, bytes]) -> Iterable[Line]:
    """Yield the lines of a log in the order of its paths."""
    for path in sorted(log):
        for raw in filter(None, log[path].split(b"\n")):
            try:
                record = json.loads(raw)
                yield Line(path, raw, record["event_id"], record["summary"])
            except (ValueError, TypeError, KeyError):
                yield Line(path, raw, readable=False)
