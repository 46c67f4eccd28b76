"""Taking over an existing hub, also of the public format: its log and identity files, each byte as it is there.

The hub that they come from is only read, and may be a stranger's. So nothing is read through a link, which a repository
can point at any file of this machine, and nothing below a `.git`: Git would run what its settings name, and would
record the folder around it as one link, without its events.
"""

from __future__ import annotations

import os
import re
import shutil
import tempfile
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from agent_soul import gitio
from agent_soul.errors import Problem, RefusedError
from agent_soul.hub import SOURCES
from agent_soul.identity import L0_FILES
from agent_soul.log import SourceFiles, parse_log, read_source_file, read_source_files

_ADDRESS = re.compile(r"\w[\w+.-]*://.+|[\w.-]+@[\w.-]+:.+")
_KEPT = (*L0_FILES, "soul.yaml")
_SHIPPED = f"{SOURCES}/.gitkeep"
_NAMED = 3
_GITS_OWN = re.compile(r"(?i)(?:\.git|git~1)[ .]*(?:$|[\\:])")
"""Names that Git takes for its own folder on some system, and records nowhere."""


class Taken(NamedTuple):
    """What a hub of before holds: its files by path, what of it is left behind and why, and its log in numbers."""

    files: Mapping[str, bytes]
    left: tuple[str, ...]
    events: int
    bad_lines: int
    set_aside: int


def take(origin: str) -> Taken:
    """Read the hub at `origin`, a folder or the address of a repository. Raises `RefusedError` where there is none."""
    with _opened(origin) as folder:
        sources = folder / SOURCES
        if sources.is_symlink() or not sources.is_dir():
            what = f"a {SOURCES} that is a link, and links are not followed" if sources.is_symlink() else "no sources/"
            raise RefusedError(f"--from {origin!r} holds {what}", hint="name the folder or the repository of a hub")
        there = read_source_files(folder)
        log_files = {path: content for path, content in there.contents.items() if not _gits_own(path)}
        kept, problems = _kept(folder)
        unread = [each for each in (*problems, *there.problems) if not _gits_own(each.path)]
        others = _others(folder, {*log_files, *(each.path for each in unread), _SHIPPED})
    left = (*(f"{each.path} {each.message}" for each in unread), *_counted(others))
    log = parse_log(SourceFiles(log_files))
    return Taken({**log_files, **kept}, left, len(log.events), log.bad_lines, len(log.set_aside))


def _kept(folder: Path) -> tuple[dict[str, bytes], list[Problem]]:
    """Return the identity files and the settings, and what of them is not to be read."""
    found = {name: read_source_file(str(folder / name), name) for name in _KEPT if os.path.lexists(folder / name)}
    files = {name: content for name, content in found.items() if isinstance(content, bytes)}
    return files, [problem for problem in found.values() if isinstance(problem, Problem)]


def _others(folder: Path, known: Collection[str]) -> list[str]:
    """Return what else lies below `sources`, in order: other files, and folders of Git's as one each."""
    paths = {_up_to_gits_own(path) for path in _below(folder, SOURCES) if path not in known}
    return sorted(paths)


def _counted(others: Sequence[str]) -> Iterator[str]:
    if others:
        more = f" and {len(others) - _NAMED} more" if len(others) > _NAMED else ""
        what = "is no file of the log" if len(others) == 1 else "are no files of the log"
        yield f"{len(others)} below {SOURCES}/ {what}: {', '.join(others[:_NAMED])}{more}"


def _gits_own(path: str) -> bool:
    return any(map(_GITS_OWN.match, path.split("/")))


def _up_to_gits_own(path: str) -> str:
    parts = path.split("/")
    end = next((number for number, part in enumerate(parts, 1) if _GITS_OWN.match(part)), len(parts))
    return "/".join(parts[:end])


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
