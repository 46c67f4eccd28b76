"""How a file of the log is opened for appending: no link leads out of the hub, and nothing odd stands in its place."""

from __future__ import annotations

import contextlib
import errno
import os
import stat
from pathlib import Path

from agent_soul.files import NO_LINK

_APPEND = os.O_RDWR | os.O_APPEND | os.O_CREAT | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0) | NO_LINK
_HAS_FOLDER_HANDLES = os.open in os.supports_dir_fd and os.mkdir in os.supports_dir_fd


def open_day_file(root: Path, path: str) -> int:
    """Open `path` (`/` between its parts) below `root` for appending and return the descriptor; make what is missing.

    No part of the path may be a link, and the file must be a plain one with a single name. Raises `OSError` where it
    is not, or where the system refuses.
    """
    fd = _open_by_handles(root, path) if _HAS_FOLDER_HANDLES else _open_by_names(root, path)
    try:
        _refuse_odd(path, os.fstat(fd))
    except BaseException:
        os.close(fd)
        raise
    return fd


def _open_by_handles(root: Path, path: str) -> int:
    """Walk down one folder at a time, each held open, so that nothing can be swapped in on the way."""
    *folders, name = path.split("/")
    here = os.open(root, os.O_RDONLY | os.O_DIRECTORY)
    try:
        for folder in folders:
            below = _open_folder(folder, here)
            os.close(here)
            here = below
        with contextlib.suppress(FileNotFoundError):
            # Opening a device may already do something, so it is not even opened.
            _refuse_odd(path, os.stat(name, dir_fd=here, follow_symlinks=False))
        return os.open(name, _APPEND, 0o644, dir_fd=here)
    finally:
        os.close(here)


def _open_folder(name: str, parent: int) -> int:
    flags = os.O_RDONLY | os.O_DIRECTORY | NO_LINK
    try:
        return os.open(name, flags, dir_fd=parent)
    except FileNotFoundError:
        with contextlib.suppress(FileExistsError):  # another clone's command in the same work tree was faster
            os.mkdir(name, dir_fd=parent)
        return os.open(name, flags, dir_fd=parent)
    except OSError as error:
        if stat.S_ISLNK(os.stat(name, dir_fd=parent, follow_symlinks=False).st_mode):
            raise OSError(errno.ELOOP, f"the folder {name!r} is a symbolic link") from error
        raise


def _open_by_names(root: Path, path: str) -> int:
    """Do the same where the system has no folder handles (Windows)."""
    target = root / path
    for part in (target, *target.parents):
        if part == root:
            break
        if part.is_symlink():
            raise OSError(errno.ELOOP, f"{part.name!r} is a symbolic link")
    target.parent.mkdir(parents=True, exist_ok=True)
    return os.open(target, _APPEND, 0o644)


def _refuse_odd(path: str, status: os.stat_result) -> None:
    """Raise `OSError` for what is not a plain file with one name."""
    if stat.S_ISLNK(status.st_mode):
        raise OSError(errno.ELOOP, "it is a symbolic link", path)
    if not stat.S_ISREG(status.st_mode):
        raise OSError(errno.EISDIR, "it is not a plain file", path)
    if status.st_nlink > 1:
        raise OSError(errno.EMLINK, f"it has {status.st_nlink} hard links", path)
