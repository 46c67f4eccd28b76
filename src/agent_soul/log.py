"""Reading the log: from the files under `sources/` to events, with everything that was wrong on the way.

Nothing here writes, and no link is ever followed.
"""

from __future__ import annotations

import bisect
import errno
import gc
import itertools
import operator
import os
import stat
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from io import BytesIO
from pathlib import Path
from typing import Literal, NamedTuple

from agent_soul import schemas, strict_json, two_cores
from agent_soul.errors import Problem
from agent_soul.event import Event, SetAside, parse_line
from agent_soul.hub import MAX_FILE_BYTES, SOURCES, SUFFIX

BOM = b"\xef\xbb\xbf"
UTF16 = (b"\xff\xfe", b"\xfe\xff")
_FIRST_BYTES = 16
"""Of UTF-16 every other byte of the marks that an object begins with is zero."""
_MANY_BYTES = 1 << 18
"""A thousand lines or so: then what takes a moment to load is sooner done than what does not."""
_MIN_BYTES_FOR_TWO_CORES = 1 << 20
"""Four thousand lines or so, whose parsing costs as much as a child and what it sends."""
# Looks like a log but is not read; silence would hide it.
_NEARLY = (".jsonl", ".json", ".ndjson", ".ndjson.txt")
_NOT_A_FILE = ("not-a-file", "is a pipe, socket or device; only plain files are read")
_BINARY = getattr(os, "O_BINARY", 0)
_LINK = "is a symbolic link; links are not followed"


class SourceFiles(NamedTuple):
    """The bytes of every source file by its path in the hub, `/` between the parts, and what could not be read."""

    contents: Mapping[str, bytes]
    problems: tuple[Problem, ...] = ()


class Log(NamedTuple):
    """What the lines of the source files say. Every line that is not blank is in exactly one of the lists."""

    events: list[Event]
    problems: list[Problem]
    set_aside: list[SetAside]

    @property
    def bad_lines(self) -> int:
        """Number of lines and files that cannot be read."""
        return sum(problem.level == "error" for problem in self.problems)


def read_source_files(root: Path) -> SourceFiles:
    """Read every `sources/<source>/**/*.ndjson` below the hub's folder `root`, in the order of their paths.

    Nothing is raised for what is found below `sources/`: each file or folder that cannot be read is a `Problem`. A
    name that is not UTF-8 stands in the path as Python decodes it, with lone surrogates.
    """
    found: dict[str, bytes | Problem] = {}
    waiting = [(root / SOURCES, SOURCES)]
    while waiting:  # no recursion: folders nest deeper than calls may
        folder, path = waiting.pop()
        try:
            entries = _entries(folder)
        except OSError as error:
            if error.errno != errno.ENOENT or path != SOURCES:  # a hub without `sources/` is empty, not broken
                found[path] = _unreadable(path, error)
            continue
        for entry in entries:
            below = f"{path}/{entry.name}"
            outcome = _look(entry, below)
            if isinstance(outcome, Path):
                waiting.append((outcome, below))
            elif outcome is not None:
                found[below] = outcome
    paths = sorted(found)
    contents = {path: content for path in paths if isinstance(content := found[path], bytes)}
    return SourceFiles(contents, tuple(fault for path in paths if isinstance(fault := found[path], Problem)))


def read_events(root: Path, paths: Iterable[str]) -> list[Event]:
    """Return the events of single source files, given by path; what cannot be read is left out."""
    wanted = set(paths)
    files = read_source_files(root).contents if wanted else {}
    return parse_log(SourceFiles({path: files[path] for path in wanted & files.keys()})).events


def parse_log(files: SourceFiles) -> Log:
    """Parse every line of `files`; what is wrong with one costs that one. Pure."""
    size = sum(map(len, files.contents.values()))
    if size > _MANY_BYTES:
        strict_json.expect_many()
        schemas.validator("event").expect_many()
    paths = sorted(files.contents)
    with collector_at_rest():
        if size < _MIN_BYTES_FOR_TWO_CORES or not two_cores.are_there():
            log = _parse_files(paths, files)
        else:
            middle = _middle(paths, files, size)
            with two_cores.in_child(lambda: _parse_files(paths[middle:], files)) as second_half:
                log = _parse_files(paths[:middle], files)
                log = Log(*map(operator.add, log, second_half()))
    return log._replace(problems=[*files.problems, *log.problems])


def _middle(paths: Sequence[str], files: SourceFiles, size: int) -> int:
    """Return how many of the paths hold the first half of all bytes, `size`."""
    so_far = [*itertools.accumulate(len(files.contents[path]) for path in paths)]
    return bisect.bisect(so_far, size // 2)


def _parse_files(paths: Iterable[str], files: SourceFiles) -> Log:
    log = Log([], [], [])
    for path in paths:
        _parse_file(path, files.contents[path], log)
    return log


@contextmanager
def collector_at_rest() -> Iterator[None]:
    """Keep the garbage collector from going through all events again and again: a third of the time, for nothing.

    What lies in circles meanwhile stays until after it, so this is for work that ends soon.
    """
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()


def _entries(folder: Path) -> list[os.DirEntry[str]]:
    """Return what lies in the folder; raises `OSError`, with `ELOOP` for a link."""
    if stat.S_ISLNK(folder.lstat().st_mode):
        raise OSError(errno.ELOOP, os.strerror(errno.ELOOP))
    with os.scandir(folder) as entries:
        return list(entries)


def _look(entry: os.DirEntry[str], path: str) -> bytes | Problem | Path | None:
    """Return the content of a source file, what is wrong with it, the path of a folder, or nothing for other files."""
    try:
        if entry.is_symlink():
            return _problem(path, "link", _LINK)
        if entry.is_dir(follow_symlinks=False):
            return Path(entry.path)
        if not entry.name.endswith(SUFFIX):
            nearly = entry.name.lower().endswith(_NEARLY)
            return _problem(path, "name", f"is not read: the log's files end in {SUFFIX}", "notice") if nearly else None
        if path.count("/") < 2:
            where = f"{SOURCES}/<source>/{entry.name}"
            return _problem(path, "place", f"is not read: a source file lies in the folder of its source, {where}")
        if not entry.is_file(follow_symlinks=False):
            return _problem(path, *_NOT_A_FILE)
        return read_source_file(entry.path, path)
    except OSError as error:
        return _unreadable(path, error)


def read_source_file(place: str, path: str) -> bytes | Problem:
    """Return the bytes of the file at `place`, whose path in the hub is `path`, or why it is not to be read."""
    try:
        return _read_regular(place, path)
    except OSError as error:
        return _unreadable(path, error)


def _read_regular(place: str, path: str) -> bytes | Problem:
    # The file may have been swapped since the folder was listed: these flags never follow a link or wait for a pipe.
    fd = os.open(place, os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0) | _BINARY)
    with os.fdopen(fd, "rb", buffering=0) as file:
        status = os.fstat(fd)
        return _unfit(status, path) or file.read(status.st_size)


def _unfit(status: os.stat_result, path: str) -> Problem | None:
    """Return why a file of this status is not to be read."""
    if not stat.S_ISREG(status.st_mode):
        return _problem(path, *_NOT_A_FILE)
    if status.st_nlink > 1:
        said = f"has {status.st_nlink} hard links, so its text may be another file's; not read (a copy in its place is)"
        return _problem(path, "hard-link", said)
    if status.st_size > MAX_FILE_BYTES:
        return _problem(path, "size", f"has {status.st_size} bytes; files up to {MAX_FILE_BYTES} are read")
    return None


def _unreadable(path: str, error: OSError) -> Problem:
    if error.errno == errno.ELOOP:
        return _problem(path, "link", _LINK)
    return _problem(path, "unreadable", f"cannot be read: {error.strerror}")


def _problem(path: str, code: str, message: str, level: Literal["error", "notice"] = "error") -> Problem:
    return Problem(path, 0, 0, code, message, level)


def _parse_file(path: str, content: bytes, log: Log) -> None:
    if content.startswith(UTF16) and b"\0" in content[:_FIRST_BYTES]:  # else one bad line begins like that
        log.problems.append(Problem(path, 1, 1, "utf-16", "is UTF-16; the log is UTF-8: convert the file"))
        return
    if content.startswith(BOM):
        log.problems.append(Problem(path, 1, 1, "bom", "starts with a byte order mark; that is skipped", "notice"))
    carriage_returns = 0
    for number, ended in enumerate(BytesIO(content.removeprefix(BOM)), start=1):
        raw = ended.removesuffix(b"\n")
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
            torn = outcome.code == "cut-off" and not ended.endswith(b"\n")
            log.problems.append(_torn(outcome) if torn else outcome)
    if carriage_returns:
        said = f"{carriage_returns} lines end in CR LF; that is read, but Git should not change this file"
        log.problems.append(_problem(path, "crlf", said, "notice"))


def _torn(problem: Problem) -> Problem:
    said = "the last line breaks off without a newline (a writer was killed); the next append seals it"
    return Problem(problem.path, problem.line, problem.column, "torn", said)
