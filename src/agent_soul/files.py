"""Files written so that no reader ever sees half of one."""

from __future__ import annotations

import contextlib
import errno
import fnmatch
import itertools
import os
import re
import stat
import time
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import TypeVar

from agent_soul.errors import StoppedError

_Started = TypeVar("_Started")
TEMPORARY_PATTERN = ".agent-soul.*.tmp"
_TEMPORARY = re.compile(r"\.agent-soul\.(?P<pid>\d+)\.[0-9a-f]+\.tmp")
_WRITING_SECONDS = 3600
_DEEPEST = 3
"""Folders between `canonical/` and its deepest page, `more/projects/<name>/2026-11.md`."""
_MANY = 64
_AT_ONCE = 16
NO_LINK = getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_CLOEXEC", 0)
"""Opens no link, and no child process has it."""
_CREATE = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0) | NO_LINK


def replace_file(target: Path, content: bytes) -> None:
    """Make `target` hold `content`, whole or not at all, also after a power cut. Raises `StoppedError`."""
    replace_files({target: content})


def put_file(target: Path, content: bytes) -> None:
    """Do that but for the power cut: for what can be had again, such as what Git holds too. Raises `StoppedError`."""
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        install(target, content, durably=False)
    except OSError as error:
        raise StoppedError(f"{target} cannot be written: {error.strerror}", hint=remedy(error)) from error


def replace_files(contents: Mapping[Path, bytes]) -> None:
    """Do that for many files, in the order given; their folders are made durable once each, at the end.

    Many files are made durable side by side: the file system then joins their journal entries, where one after the
    other each would wait for its own. Raises `StoppedError` naming the file where the system refuses; those before it
    may be replaced then.
    """
    place = Path()
    folders = dict.fromkeys(target.parent for target in contents)
    try:
        changed = {above for folder in folders for above in _make_missing(folder)} | folders.keys()
        if len(contents) > _MANY:
            _install_many(contents)
        else:
            for place, content in contents.items():
                install(place, content)
        for place in sorted(changed):
            sync_folder(place)
    except OSError as error:
        named = place if place.parts else error.filename
        raise StoppedError(f"{named} cannot be written: {error.strerror}", hint=remedy(error)) from error


def _install_many(contents: Mapping[Path, bytes]) -> None:
    from concurrent.futures import ThreadPoolExecutor

    temporary = {target: temporary_beside(target) for target in contents}
    try:
        left = iter([*zip(temporary.values(), contents.values(), strict=True)])
        with ThreadPoolExecutor(_AT_ONCE) as pool:
            others = _as_many_as_start(lambda: pool.submit(_write_all, left))
            _write_all(left)  # each takes the next one that is left, so it matters not how many they are
        for other in others:
            other.result()
        for target, written in temporary.items():
            written.replace(target)
    except BaseException:
        for written in temporary.values():
            with contextlib.suppress(OSError):
                written.unlink(missing_ok=True)
        raise


def _as_many_as_start(start: Callable[[], _Started]) -> list[_Started]:
    """Start up to `_AT_ONCE`; where memory or processes are scarce, the system refuses one more thread."""
    started = []
    with contextlib.suppress(RuntimeError):
        for _ in range(_AT_ONCE):
            started.append(start())  # noqa: PERF401 - those before a refusal count
    return started


def _write_all(files: Iterable[tuple[Path, bytes]]) -> None:
    for file, content in files:
        _write_new(file, content)


def temporary_beside(target: Path) -> Path:
    """Return a name of no file beside `target`, which `sweep` and `sweep_dead` know."""
    return target.with_name(f".agent-soul.{os.getpid()}.{os.urandom(4).hex()}.tmp")


def _write_new(file: Path, content: bytes, mode: int | None = None, *, sync: bool = True) -> None:
    # Whoever opened it while it was still empty could read on, so from the start it is nobody's but ours.
    fd = os.open(file, _CREATE, 0o666 if mode is None else 0o600)
    with os.fdopen(fd, "wb", buffering=0) as opened:
        if mode is not None:
            file.chmod(mode)
        rest = memoryview(content)
        while rest:  # where a part was taken, the next write says why no more was
            rest = rest[opened.write(rest) :]
        if sync:
            os.fsync(opened.fileno())


def install(target: Path, content: bytes, *, mode: int | None = None, durably: bool = True) -> None:
    """Put a durable file in the place of `target`; its name is durable after `sync_folder`. Raises `OSError`.

    With `mode` it has these permissions before it has the content. Not `durably`, a power cut may leave it empty.

    After an error nothing has changed. A failed fsync is not tried again: a second one may succeed with the data lost.
    """
    temporary = temporary_beside(target)
    try:
        _write_new(temporary, content, mode, sync=durably)
        temporary.replace(target)
    except BaseException:
        with contextlib.suppress(OSError):
            temporary.unlink(missing_ok=True)
        raise


def read_regular(file: Path) -> bytes:
    """Return the bytes of a plain file; a pipe or device in its place would hang whoever reads it.

    Raises `StoppedError` where it is something else, or where the system refuses.
    """
    try:
        fd = os.open(file, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0))
        with os.fdopen(fd, "rb") as opened:
            if not stat.S_ISREG(os.fstat(fd).st_mode):
                raise OSError(0, "it is not a plain file")  # noqa: TRY301 - it is one more reason of the same kind
            return opened.read()
    except OSError as error:
        hint = remedy(error) if error.errno else "put a plain file in its place"
        raise StoppedError(f"{file} cannot be read: {error.strerror}", hint=hint) from error


def make_folder(folder: Path) -> None:
    """Make `folder` and what is missing above it, so that a power cut takes none of them away again."""
    for above in _make_missing(folder):
        sync_folder(above)


def _make_missing(folder: Path) -> list[Path]:
    """Make `folder` and what is missing above it; return the folders that hold a new name, outermost first."""
    missing = list(itertools.takewhile(lambda each: not each.exists(), (folder, *folder.parents)))
    folder.mkdir(parents=True, exist_ok=True)
    return [each.parent for each in reversed(missing)]


def sync_folder(folder: Path) -> None:
    """Make the names in `folder` durable, where the system can."""
    if os.name == "nt":
        return
    fd = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(fd)
    except OSError as error:
        if error.errno not in (errno.EINVAL, errno.ENOTSUP):  # a file system that cannot sync a folder
            raise
    finally:
        os.close(fd)


def sweep(folder: Path, *, below: bool = False) -> None:
    """Remove what killed writers left in `folder`, and with `below` in the folders below it. Follows no link.

    Only under the lock, or a living one's file goes. We write no deeper than `_DEEPEST`, and further down there may be
    a thousand folders of somebody's.
    """
    for place, folders, names in os.walk(folder):
        for name in fnmatch.filter(names, TEMPORARY_PATTERN):
            with contextlib.suppress(OSError):
                os.unlink(os.path.join(place, name))  # noqa: PTH108, PTH118 - of all files of a hub, in every command
        if not below or len(Path(place).relative_to(folder).parts) >= _DEEPEST:
            folders.clear()


def sweep_dead(folder: Path) -> list[Path]:
    """Remove what killed writers left in a folder in which others may be writing now; return what was removed."""
    removed = []
    with contextlib.suppress(OSError):
        for file in folder.glob(TEMPORARY_PATTERN):
            parts = _TEMPORARY.fullmatch(file.name)
            if parts and not _is_alive(int(parts["pid"]), file):
                file.unlink()
                removed.append(file)
    return removed


def _is_alive(pid: int, file: Path) -> bool:
    """Tell whether a process may still be writing the file; on Windows, where looking could end it, by its age."""
    if os.name == "nt":
        return abs(time.time() - file.stat().st_mtime) < _WRITING_SECONDS
    try:
        os.kill(pid, 0)
    except (ProcessLookupError, OverflowError):
        return False
    except PermissionError:
        return True  # somebody else's
    return pid != os.getpid()


def remedy(error: OSError) -> str:
    """Return what a person can do about it."""
    match error.errno:
        case errno.ENOSPC | errno.EDQUOT | errno.EFBIG:
            return "free some space there (or raise the limit for files), then try again"
        case errno.EACCES | errno.EPERM | errno.EROFS:
            return f"let {_user()} read and write there, then try again"
        case errno.EMFILE | errno.ENFILE:
            return "too many files are open: raise `ulimit -n`, then try again"
        case errno.ELOOP | errno.ENOTDIR | errno.EMLINK | errno.EISDIR:
            return "put a plain file or folder in its place, then try again"
        case errno.EIO:
            return "the disk reports a fault: look at the system's log, and copy the hub to another disk"
    return "mend that, then try again"


def _user() -> str:
    import getpass  # only a message needs it

    with contextlib.suppress(Exception):
        return f"the user {getpass.getuser()!r}"
    return "this user"
