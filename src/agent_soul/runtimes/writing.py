"""Writing a plan: all of it, or, where the system refuses in the middle, nothing of it.

A link of a person's stays a link and its target is written; a file keeps its mode, and its copy has the same. What
changed since the plan was made stops it.
"""

from __future__ import annotations

import contextlib
import itertools
import os
import stat
from collections.abc import Iterable, Sequence
from pathlib import Path

from agent_soul.errors import StoppedError
from agent_soul.files import install, read_regular, remedy, temporary_beside
from agent_soul.runtimes.plan import Change, decode, original_of


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


def text_at(path: Path) -> str:
    """Return the text of a file without its byte order mark; nothing where it is not there or cannot be read."""
    with contextlib.suppress(StoppedError):
        return decode(read(path) or b"")[1]
    return ""


def link_at(path: Path) -> str:
    """Return where the link at the path leads, as it says it, or an empty string where there is none."""
    try:
        return os.readlink(path)  # noqa: PTH115 - a Path would say it in another way
    except OSError:
        return ""


def can_link(folder: Path) -> bool:
    """Tell whether links can be made below a folder, by making one: Windows wants a right, some disks know none."""
    there = next(each for each in (folder, *folder.parents) if each.exists())
    trial = temporary_beside(there / "link")
    try:
        trial.symlink_to(there, target_is_directory=True)
        trial.unlink()
    except OSError:
        return False
    return True


def write(changes: Sequence[Change]) -> list[Path]:
    """Make the changes and return the folders that were made for them, outermost first.

    Raises `StoppedError` naming the file where the system refuses; then everything is as it was.
    """
    made: list[Path] = []
    done: list[tuple[Change, int | None]] = []
    place = Path()
    try:
        for change in changes:
            place = change.path
            _check(change)
            made += _make_missing(place.parent) if change.after is not None else []
            before = _mode_of(place)
            _write_one(change, change.after, before or _mode_of(original_of(place)))
            done.append((change, before))
    except BaseException as error:
        _put_back(done, made)
        if isinstance(error, OSError):
            what = f"{place} cannot be written: {error.strerror}; nothing was changed"
            raise StoppedError(what, hint=remedy(error)) from error
        raise
    return made


def write_each(changes: Sequence[Change]) -> tuple[list[Change], dict[Path, str]]:
    """Make the changes of each file, whatever becomes of the others; return those made, and why files refused."""
    made: list[Change] = []
    refused: dict[Path, str] = {}
    for path, group in itertools.groupby(changes, key=lambda change: original_of(change.path)):
        of_file = list(group)
        try:
            write(of_file)
            made += of_file
        except StoppedError as error:
            refused[path] = error.message
    return made, refused


def remove_empty(folders: Sequence[Path]) -> list[Path]:
    """Remove those of the folders, given outermost first, that are empty; return those that are still there."""
    for folder in reversed(folders):
        with contextlib.suppress(OSError):  # somebody put something there, or took it away already
            folder.rmdir()
    return [folder for folder in folders if folder.is_dir()]


def _check(change: Change) -> None:
    if _as_it_is(change) != change.before:
        raise StoppedError(f"{change.path} was just changed by somebody else; nothing was changed", hint="try again")
    if change.before is not None and not change.is_link and not change.path.stat().st_mode & stat.S_IWUSR:
        hint = "let it be written (`chmod u+w FILE`), or paste what `--dry-run` shows where the file is made"
        raise StoppedError(f"{change.path} is read-only; nothing was changed", hint=hint)


def _as_it_is(change: Change) -> bytes | None:
    return os.fsencode(link_at(change.path)) or None if change.is_link else read(change.path)


def _mode_of(path: Path) -> int | None:
    """Return the permissions of a file, or None where there is none."""
    return stat.S_IMODE(path.stat().st_mode) if path.exists() else None


def _write_one(change: Change, content: bytes | None, mode: int | None) -> None:
    path = change.path
    if content is None:
        path.unlink()
    elif change.is_link:
        with contextlib.suppress(FileNotFoundError):
            path.rmdir()  # the folder of the copy whose place it takes
        path.symlink_to(os.fsdecode(content), target_is_directory=True)
    else:
        path.parent.mkdir(exist_ok=True)  # put back after a link had its place
        install(path.resolve(), content, mode=mode)


def _put_back(done: Sequence[tuple[Change, int | None]], made: Sequence[Path]) -> None:
    for change, mode in reversed(done):
        with contextlib.suppress(OSError):  # the system refuses by now; the copy beside the file has its bytes
            _write_one(change, change.before, mode)
    remove_empty(made)


def missing_folders(changes: Iterable[Change]) -> list[Path]:
    """Return the folders that the changes will make, outermost first."""
    parents = [change.path.parent for change in changes if change.after is not None]
    return list(dict.fromkeys(each for parent in parents for each in _missing(parent)))


def _missing(folder: Path) -> list[Path]:
    """Return what is missing of a folder's path, outermost first."""
    return list(itertools.takewhile(lambda each: not each.exists(), (folder, *folder.parents)))[::-1]


def _make_missing(folder: Path) -> list[Path]:
    missing = _missing(folder)
    for each in missing:
        each.mkdir()
    return missing
