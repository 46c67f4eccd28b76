"""Files written so that no reader ever sees half of one, and opened so that no link leads out of the hub."""

from __future__ import annotations

import os
import secrets
import stat
from collections.abc import Mapping
from pathlib import Path

from agent_soul.errors import StoppedError

TEMPORARY_PATTERN = ".agent-soul.*.tmp"
_FLAGS = getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_CLOEXEC", 0)
_HAS_FOLDER_HANDLES = os.open in os.supports_dir_fd and os.mkdir in os.supports_dir_fd


def replace_file(target: Path, content: bytes) -> None:
    """Make `target` hold `content`, whole or not at all, also after a power cut."""
    replace_files({target: content})


def replace_files(contents: Mapping[Path, bytes]) -> None:
    """Do that for many files, in the order given; their folders are made durable once each, at the end."""
    for target, content in contents.items():
        target.parent.mkdir(parents=True, exist_ok=True)
        temporary = target.with_name(f".agent-soul.{os.getpid()}.{secrets.token_hex(4)}.tmp")
        try:
            with temporary.open("xb") as file:
                file.write(content)
                file.flush()
                os.fsync(file.fileno())
            temporary.replace(target)
        except BaseException:
            temporary.unlink(missing_ok=True)
            raise
    for folder in {target.parent for target in contents}:
        sync_folder(folder)


def sync_folder(folder: Path) -> None:
    """Make the names in `folder` durable, where the system can."""
    if os.name == "nt":
        return
    fd = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(fd)
    finally:
        os.close(fd)


def open_day_file(root: Path, path: str) -> int:
    """Open `path` (`/` between its parts) below `root` for appending and return the descriptor; make what is missing.

    No part of the path may be a link, and the file must be a plain one with a single name. Raises `StoppedError`
    where it is not, or where the system refuses.
    """
    try:
        fd = _open_by_handles(root, path) if _HAS_FOLDER_HANDLES else _open_by_names(root, path)
    except OSError as error:
        raise StoppedError(
            f"nothing was added: {root / path} cannot be opened for appending: {error.strerror}",
            hint="no part of that path may be a symbolic link, and this user must be allowed to write there",
        ) from error
    status = os.fstat(fd)
    if stat.S_ISREG(status.st_mode) and status.st_nlink == 1:
        return fd
    os.close(fd)
    what = f"has {status.st_nlink} hard links" if stat.S_ISREG(status.st_mode) else "is not a plain file"
    raise StoppedError(f"nothing was added: {root / path} {what}", hint="put a plain copy in its place, then add again")


def _open_by_handles(root: Path, path: str) -> int:
    """Walk down one folder at a time, each held open, so that nothing can be swapped in on the way."""
    *folders, name = path.split("/")
    here = os.open(root, os.O_RDONLY | os.O_DIRECTORY)
    try:
        for folder in folders:
            try:
                below = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | _FLAGS, dir_fd=here)
            except FileNotFoundError:
                os.mkdir(folder, dir_fd=here)
                below = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | _FLAGS, dir_fd=here)
            os.close(here)
            here = below
        return os.open(name, os.O_RDWR | os.O_APPEND | os.O_CREAT | os.O_NONBLOCK | _FLAGS, 0o644, dir_fd=here)
    finally:
        os.close(here)


def _open_by_names(root: Path, path: str) -> int:
    """Do the same where the system has no folder handles (Windows)."""
    target = root / path
    for part in (target, *target.parents):
        if part == root:
            break
        if part.is_symlink():
            raise OSError(0, f"{part.name} is a link")
    target.parent.mkdir(parents=True, exist_ok=True)
    return os.open(target, os.O_RDWR | os.O_APPEND | os.O_CREAT | getattr(os, "O_BINARY", 0), 0o644)
