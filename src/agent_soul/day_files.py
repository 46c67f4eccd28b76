"""The log's day files, one for each source, UTC day and clone, as they are appended to: whole lines by one write."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Mapping

from agent_soul.errors import RefusedError, StoppedError
from agent_soul.event import Event, Line
from agent_soul.files import read_regular, remedy, sync_folder
from agent_soul.hub import MAX_FILE_BYTES, SOURCES, SUFFIX, Hub
from agent_soul.opening import open_day_file

_SWAP_TRIES = 3


def day_file(event: Event | Line, clone: str) -> str:
    """Return the path of the one file that this clone appends the event to."""
    return f"{SOURCES}/{event.source}/{event.date}.{clone}{SUFFIX}"


def contents_of_day(hub: Hub, source: str, date: str) -> bytes:
    """Return what the day files of a source hold, whichever clone wrote them; no link is followed."""
    files = (file for file in (hub.sources / source).glob(f"{date}.*{SUFFIX}") if not file.is_symlink())
    parts = []
    for file in files:
        with contextlib.suppress(StoppedError):
            parts.append(read_regular(file))
    return b"\n".join(parts)


def refuse_unwritable(hub: Hub, blocks: Mapping[str, bytes]) -> None:
    """Refuse a link, a pipe, a read-only folder or a full day before the events are acknowledged."""
    for path, block in blocks.items():
        try:
            fd = open_day_file(hub.root, path)
        except OSError as error:
            raise StoppedError(
                f"{hub.root / path} cannot be opened for appending: {error.strerror}", hint=remedy(error)
            ) from error
        size = os.fstat(fd).st_size + len(block)
        os.close(fd)
        if size > MAX_FILE_BYTES:
            raise RefusedError(
                f"nothing was added: {path} would grow to {size} bytes, and files up to {MAX_FILE_BYTES} are read",
                hint="give the events the times at which they were stated, or spread them over several sources",
            )


def append_blocks(hub: Hub, blocks: Mapping[str, bytes]) -> dict[str, OSError]:
    """Append each block of lines to its file, by path from the hub's folder, and return what failed."""
    failures = {}
    for path, block in blocks.items():
        try:
            _append_block(hub, path, block)
        except OSError as error:
            failures[path] = error
    return failures


def _append_block(hub: Hub, path: str, block: bytes) -> None:
    """Append by one write; again if Git put another file in its place meanwhile."""
    for _ in range(_SWAP_TRIES):
        fd = open_day_file(hub.root, path)
        try:
            _write_once(fd, block)
            if hub.git_root is None:
                os.fsync(fd)  # with Git the outbox is the durable copy until a commit holds the events
            if os.path.samestat(os.fstat(fd), (hub.root / path).lstat()):
                break
        except FileNotFoundError:
            continue
        finally:
            os.close(fd)
    else:
        raise OSError(0, "another program keeps replacing the file")
    if hub.git_root is None:
        for folder in (hub.root / path).parents[:3]:  # the source's, `sources`, the hub: each may have been made now
            sync_folder(folder)


def _write_once(fd: int, lines: bytes) -> None:
    size = os.fstat(fd).st_size
    if size:
        os.lseek(fd, size - 1, os.SEEK_SET)
        if os.read(fd, 1) != b"\n":
            lines = b"\n" + lines  # seal the line of a killed writer, or of an editor that leaves the newline out
    written = os.write(fd, lines)
    if written != len(lines):
        os.ftruncate(fd, size)
        raise OSError(0, f"only {written} of {len(lines)} bytes could be written")
