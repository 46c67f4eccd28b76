"""Reading the log: from the files under `sources/` to events, with everything that was wrong on the way.

Nothing here writes, and no link is ever followed.
"""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from agent_soul.errors import Problem
from agent_soul.event import Event, SetAside, parse_line

SOURCES = "sources"
SUFFIX = ".ndjson"
MAX_FILE_BYTES = 64 << 20
_BOM = b"\xef\xbb\xbf"
# Looks like a log but is not read; silence would hide it.
_NEARLY = (".jsonl", ".json", ".ndjson.txt")


@dataclass(frozen=True, slots=True)
class SourceFiles:
    """The bytes of every source file by its path in the hub, `/` between the parts, and what could not be read."""

    contents: Mapping[str, bytes]
    problems: tuple[Problem, ...] = ()


@dataclass(frozen=True, slots=True)
class Log:
    """What the lines of the source files say. Every line that is not blank is in exactly one of the lists."""

    events: list[Event] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)
    set_aside: list[SetAside] = field(default_factory=list)

    @property
    def bad_lines(self) -> int:
        """Number of lines and files that cannot be read."""
        return sum(problem.level == "error" for problem in self.problems)


def read_source_files(root: Path) -> SourceFiles:
    """Read every `sources/<source>/**/*.ndjson` below the hub's folder `root`, in the order of their paths."""
    contents: dict[str, bytes] = {}
    problems: list[Problem] = []
    top = root / SOURCES
    if top.is_symlink():
        problems.append(Problem(SOURCES, 0, 0, "link", "is a symbolic link; links are not followed"))
    elif top.is_dir():
        for entry, path in _walk(top, SOURCES):
            outcome = _read_entry(entry, path)
            if isinstance(outcome, bytes):
                contents[path] = outcome
            elif outcome:
                problems.append(outcome)
    return SourceFiles(contents, tuple(problems))


def parse_log(files: SourceFiles) -> Log:
    """Parse every line of `files`; what is wrong with one costs that one. Pure."""
    log = Log(problems=list(files.problems))
    for path in sorted(files.contents):
        _parse_file(path, files.contents[path], log)
    return log


def _walk(folder: Path, path: str) -> Iterator[tuple[os.DirEntry[str], str]]:
    """Yield what lies below `folder` and is no folder, sorted by path so that no file system's order shows."""
    with os.scandir(folder) as entries:
        found = sorted(entries, key=lambda entry: entry.name)
    for entry in found:
        below = f"{path}/{entry.name}"
        if entry.is_dir(follow_symlinks=False):
            yield from _walk(Path(entry.path), below)
        else:
            yield entry, below


def _read_entry(entry: os.DirEntry[str], path: str) -> bytes | Problem | None:
    if not entry.name.endswith(SUFFIX):
        if entry.is_symlink():
            return Problem(path, 0, 0, "link", "is a symbolic link; links are not followed")
        if entry.name.endswith(_NEARLY):
            return Problem(path, 0, 0, "name", f"is not read: the log's files end in {SUFFIX}", "notice")
        return None
    if path.count("/") < 2:
        said = f"is not read: a source file lies in the folder of its source, {SOURCES}/<source>/{entry.name}"
        return Problem(path, 0, 0, "place", said)
    try:
        return _read_regular(entry, path)
    except OSError as error:
        if error.errno == errno.ELOOP:
            return Problem(path, 0, 0, "link", "is a symbolic link; links are not followed")
        return Problem(path, 0, 0, "unreadable", f"cannot be read: {error.strerror}")


def _read_regular(entry: os.DirEntry[str], path: str) -> bytes | Problem:
    status = entry.stat(follow_symlinks=False)
    if stat.S_ISLNK(status.st_mode):
        raise OSError(errno.ELOOP, "is a symbolic link")
    if not stat.S_ISREG(status.st_mode):
        return Problem(path, 0, 0, "not-a-file", "is a pipe, socket or device; only plain files are read")
    # O_NOFOLLOW and O_NONBLOCK close the gap between the look and the opening.
    fd = os.open(entry.path, os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0))
    with os.fdopen(fd, "rb") as file:
        now = os.fstat(fd)
        if now.st_nlink > 1:
            said = (
                f"has {now.st_nlink} hard links, so its text may be another file's; not read (a copy in its place is)"
            )
            return Problem(path, 0, 0, "hard-link", said)
        if now.st_size > MAX_FILE_BYTES:
            return Problem(path, 0, 0, "size", f"has {now.st_size} bytes; files up to {MAX_FILE_BYTES} are read")
        return file.read()


def _parse_file(path: str, content: bytes, log: Log) -> None:
    body = content.removeprefix(_BOM)
    if body is not content and len(body) != len(content):
        log.problems.append(Problem(path, 1, 1, "bom", "starts with a byte order mark; that is skipped", "notice"))
    lines = body.split(b"\n")
    ended = lines.pop() == b"" if lines[-1] == b"" else False
    carriage_returns = 0
    for number, raw in enumerate(lines, start=1):
        if raw.endswith(b"\r"):
            raw, carriage_returns = raw[:-1], carriage_returns + 1
        if not raw.strip():
            continue
        outcome = parse_line(raw, path, number)
        if isinstance(outcome, Event):
            log.events.append(outcome)
        elif isinstance(outcome, SetAside):
            log.set_aside.append(outcome)
        else:
            torn = number == len(lines) and not ended and outcome.code == "json"
            log.problems.append(_torn(outcome) if torn else outcome)
    if carriage_returns:
        said = f"{carriage_returns} lines end in CR LF; that is read, but Git should not change this file"
        log.problems.append(Problem(path, 0, 0, "crlf", said, "notice"))


def _torn(problem: Problem) -> Problem:
    said = "the last line breaks off without a newline (a writer was killed); the next append seals it"
    return Problem(problem.path, problem.line, problem.column, "torn", said)
