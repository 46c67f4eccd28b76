"""Taking over an existing hub, also of the public format: its log and identity files, each byte as it is there.

The hub that they come from is only read.
"""

from __future__ import annotations

import os
import re
import shutil
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from agent_soul import gitio
from agent_soul.errors import RefusedError
from agent_soul.files import read_regular
from agent_soul.hub import SOURCES
from agent_soul.identity import L0_FILES
from agent_soul.log import SourceFiles, parse_log

_ADDRESS = re.compile(r"\w[\w+.-]*://.+|[\w.-]+@[\w.-]+:.+")
_KEPT = (*L0_FILES, "soul.yaml")


class Taken(NamedTuple):
    """What a hub of before holds: its files by path, what of it is left behind, and its log in numbers."""

    files: Mapping[str, bytes]
    left: tuple[str, ...]
    events: int
    bad_lines: int
    set_aside: int


def take(origin: str) -> Taken:
    """Read the hub at `origin`, a folder or the address of a repository. Raises `RefusedError` where there is none."""
    with _opened(origin) as folder:
        if not (folder / SOURCES).is_dir():
            raise RefusedError(
                f"--from {origin!r} holds no {SOURCES}/", hint="name the folder or the repository of a hub"
            )
        files: dict[str, bytes] = {}
        left = []
        for path in _below(folder, SOURCES):
            if (folder / path).is_symlink() or not (folder / path).is_file():
                left.append(f"{path} is no plain file")
            else:
                files[path] = read_regular(folder / path)
        log = parse_log(SourceFiles({path: files[path] for path in files if path.endswith(".ndjson")}))
        files |= {name: read_regular(folder / name) for name in _KEPT if (folder / name).is_file()}
    return Taken(files, tuple(left), len(log.events), log.bad_lines, len(log.set_aside))


@contextmanager
def _opened(origin: str) -> Iterator[Path]:
    folder = Path(origin).expanduser()
    if folder.is_dir():
        yield folder.resolve()
        return
    if not _ADDRESS.fullmatch(origin):
        raise RefusedError(f"--from {origin!r} is neither a folder nor the address of a repository")
    temporary = Path(tempfile.mkdtemp(prefix="agent-soul-"))
    try:
        gitio.clone(origin, temporary / "hub")
        yield temporary / "hub"
    finally:
        shutil.rmtree(temporary, ignore_errors=True)


def _below(folder: Path, name: str) -> Iterator[str]:
    """Yield the path of every file below `name`, in order; no link is followed."""
    for place, folders, names in os.walk(folder / name):
        folders.sort()
        links = [each for each in folders if (Path(place) / each).is_symlink()]
        yield from ((Path(place) / each).relative_to(folder).as_posix() for each in sorted([*names, *links]))
