"""What an index depends on, seen without opening a file: which files there are, and whether any has changed.

It looks at the same files as `log.read_source_files`, which reads them all; a test holds the two together.
"""

from __future__ import annotations

import contextlib
import os
import stat
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

from agent_soul import __version__
from agent_soul.hub import MAX_FILE_BYTES, SUFFIX, Hub

OUTBOX = "outbox/"
"""What the paths of outbox files begin with; those of source files begin with `sources/`."""
VERSION = 4
"""Raise it with every change of the index's tables, of the words that a text gives, or of their weights."""


Mark = tuple[int, int, int, int]
"""By what a file is known to be unchanged: size, times of the last write and the last change, and inode.

Git and editors make a new file, an append changes the size. A plain tuple, as a search makes thousands of them.
"""


class Scan(NamedTuple):
    """The marks of all log files by path, and of the other files by which statuses and conflicts are decided."""

    log: Mapping[str, Mark]
    others: Mapping[str, Mark]

    def fingerprint(self, today: str) -> str:
        """Return a text that changes with any mark, with the date, and with the program.

        It is not digested: comparing 300 kB takes less than loading the library for digests.
        """
        basis = f"{VERSION} {__version__} {today} {self.others}"
        seen = "\0".join([basis, *self.log, *map(str, self.log.values())])
        return seen.encode("utf-8", "backslashreplace").decode("utf-8")


def scan(hub: Hub) -> Scan:
    """Look at the hub's log and outbox, its settings, the page that records a date, and what contradicts what."""
    log = dict(sorted(_sources(hub.root / "sources")))
    for entry in _entries(str(hub.outbox)):
        if entry.name.endswith(SUFFIX) and entry.is_file():
            log[OUTBOX + entry.name] = _mark(entry.stat())
    others = {}
    for file in (hub.config_file, hub.canonical / "index.md", hub.contradictions):
        with contextlib.suppress(OSError):
            others[file.name] = _mark(file.stat())
    return Scan(log, others)


def location(hub: Hub, path: str) -> str:
    """Return where a file of the scan lies."""
    return f"{hub.outbox}/{path.removeprefix(OUTBOX)}" if path.startswith(OUTBOX) else f"{hub.root}/{path}"


def _sources(root: Path) -> Iterator[tuple[str, Mark]]:
    waiting = [] if root.is_symlink() else [(str(root), "sources")]
    while waiting:
        folder, path = waiting.pop()
        for entry in _entries(folder):
            name = entry.name
            if name.endswith(SUFFIX) and path != "sources":
                try:
                    status = entry.stat(follow_symlinks=False)
                except OSError:  # gone since the folder was read
                    continue
                if stat.S_ISREG(status.st_mode):
                    if status.st_nlink == 1 and status.st_size <= MAX_FILE_BYTES:
                        yield f"{path}/{name}", _mark(status)
                    continue
            if entry.is_dir(follow_symlinks=False):
                waiting.append((entry.path, f"{path}/{name}"))


def _entries(folder: str) -> list[os.DirEntry[str]]:
    with contextlib.suppress(OSError), os.scandir(folder) as entries:
        return list(entries)
    return []


def _mark(status: os.stat_result) -> Mark:
    return status.st_size, status.st_mtime_ns, status.st_ctime_ns, status.st_ino
