"""Writing a plan: all of it, or, where the system refuses in the middle, nothing of it.

A link stays a link and its target is written; a file keeps its mode. What changed since the plan was made stops it.
"""

from __future__ import annotations

import contextlib
import itertools
import stat
from collections.abc import Sequence
from pathlib import Path

from agent_soul.errors import StoppedError
from agent_soul.files import install, read_regular, remedy
from agent_soul.runtimes.plan import Change


def real_path(path: Path) -> Path:
    """Return the file that links lead to; the path as it is, which `read` refuses, where one leads nowhere or round."""
    with contextlib.suppress(OSError):  # who may not look there may not read it either
        return path if _broken_link(path) else path.resolve()
    return path


def _broken_link(path: Path) -> Path | None:
    """Return the link in the path, if any, at whose end there is nothing."""
    for each in (path, *path.parents):
        if each.exists():
            return None
        if each.is_symlink():
            return each
    return None


def read(path: Path) -> bytes | None:
    """Return the bytes of a plain file, or None where there is none. Raises `StoppedError` where it cannot be read."""
    try:
        if path.exists():
            return read_regular(path)
        link = _broken_link(path)
    except OSError as error:
        raise StoppedError(f"{path} cannot be read: {error.strerror}", hint=remedy(error)) from error
    if link:  # writing would make a file that its owner did not think of
        hint = "take the link away, or make what it leads to"
        raise StoppedError(f"{link} is a link to {link.readlink()}, which is not there", hint=hint)
    return None


def write(changes: Sequence[Change]) -> list[Path]:
    """Make the changes and return the folders that were made for them, outermost first.

    Raises `StoppedError` naming the file where the system refuses; then everything is as it was.
    """
    made: list[Path] = []
    done: list[Change] = []
    place = Path()
    try:
        for change in changes:
            place = change.path
            _check(change)
            made += _make_missing(place.parent) if change.after is not None else []
            _write_one(place, change.after)
            done.append(change)
    except BaseException as error:
        _put_back(done, made)
        if isinstance(error, OSError):
            what = f"{place} cannot be written: {error.strerror}; nothing was changed"
            raise StoppedError(what, hint=remedy(error)) from error
        raise
    return made


def remove_empty(folders: Sequence[Path]) -> list[Path]:
    """Remove those of the folders, given outermost first, that are empty; return those that are still there."""
    for folder in reversed(folders):
        with contextlib.suppress(OSError):  # somebody put something there, or took it away already
            folder.rmdir()
    return [folder for folder in folders if folder.is_dir()]


def _check(change: Change) -> None:
    if read(change.path) != change.before:
        raise StoppedError(f"{change.path} was just changed by somebody else; nothing was changed", hint="try again")
    if change.before is not None and not change.path.stat().st_mode & stat.S_IWUSR:
        hint = "let it be written (`chmod u+w FILE`), or paste what `--dry-run` shows where the file is made"
        raise StoppedError(f"{change.path} is read-only; nothing was changed", hint=hint)


def _write_one(path: Path, content: bytes | None) -> None:
    target = path.resolve()
    if content is None:
        path.unlink()
        return
    mode = stat.S_IMODE(target.stat().st_mode) if target.exists() else None
    install(target, content, mode=mode)


def _put_back(done: Sequence[Change], made: Sequence[Path]) -> None:
    for change in reversed(done):
        with contextlib.suppress(OSError):  # the system refuses by now; the copy beside the file has its bytes
            _write_one(change.path, change.before)
    remove_empty(made)


def _make_missing(folder: Path) -> list[Path]:
    missing = list(itertools.takewhile(lambda each: not each.exists(), (folder, *folder.parents)))
    for each in reversed(missing):
        each.mkdir()
    return missing[::-1]
