"""The one lock of a clone: a kernel lock on a file in its state folder, and on the folder itself.

The kernel frees it when its holder dies, so no lock is ever stale and none is broken by age. The folder is locked
too, where the system can, because somebody may delete the file while it is held. Nothing outside the standard library
is imported here, because the set-up of the private environment takes the same lock. A lock package would add 150 ms
to every `add` for these few lines.
"""

from __future__ import annotations

import contextlib
import os
import sys
import time
from collections.abc import Iterator
from contextvars import ContextVar
from pathlib import Path

from agent_soul.errors import StoppedError

DEFAULT_TIMEOUT = 30.0
_POLL_SECONDS = 0.02
_patience: ContextVar[float] = ContextVar("patience", default=DEFAULT_TIMEOUT)

if sys.platform == "win32":
    import msvcrt

    def _try_lock(fd: int) -> bool:
        os.lseek(fd, 0, os.SEEK_SET)
        try:
            msvcrt.locking(fd, msvcrt.LK_NBLCK, 1)
        except OSError:
            return False
        return True
else:
    import fcntl

    def _try_lock(fd: int) -> bool:
        try:
            fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        return True


@contextlib.contextmanager
def patience(seconds: float) -> Iterator[None]:
    """Let the body wait `seconds` for each lock instead of `DEFAULT_TIMEOUT`: somebody's program waits for it."""
    token = _patience.set(seconds)
    try:
        yield
    finally:
        _patience.reset(token)


@contextlib.contextmanager
def exclusive(path: Path, *, timeout: float | None = None, purpose: str = "") -> Iterator[None]:
    """Hold the lock file `path` while the body runs.

    Waits up to `timeout` seconds (as long as `patience` says where none is given), then raises `StoppedError` naming
    the holder; raises it too where the lock cannot be had at all. Not re-entrant.
    """
    with contextlib.ExitStack() as held:
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            fd = _acquire(path, _patience.get() if timeout is None else timeout, held)
        except OSError as error:
            raise StoppedError(
                f"nothing was done: the lock {path} cannot be taken: {error.strerror}",
                hint=f"this user must be able to write in {path.parent}, on a file system that has locks",
            ) from error
        _note_holder(fd, purpose)
        yield


def _acquire(path: Path, timeout: float, held: contextlib.ExitStack) -> int:
    """Lock the file, then its folder; leave both in `held`, and return the file's descriptor."""
    deadline = time.monotonic() + timeout
    while True:
        fd = _open(path, os.O_RDWR | os.O_CREAT, held)
        while not _try_lock(fd):
            _wait(fd, path, timeout, deadline)
        if _is_still(fd, path):
            break
        held.close()  # somebody deleted the file while we waited: a lock on it excludes nobody
    if sys.platform != "win32":
        folder = _open(path.parent, os.O_RDONLY, held)
        with contextlib.suppress(OSError):  # some network file systems lock plain files only; that has to do
            while not _try_lock(folder):
                _wait(fd, path, timeout, deadline)
    return fd


def _open(path: Path, flags: int, held: contextlib.ExitStack) -> int:
    fd = os.open(path, flags | getattr(os, "O_CLOEXEC", 0), 0o600)
    held.callback(os.close, fd)
    return fd


def _wait(fd: int, path: Path, timeout: float, deadline: float) -> None:
    if time.monotonic() >= deadline:
        raise StoppedError(
            f"the hub is in use by {_read_holder(fd)}; waited {timeout:g} s for {path}",
            hint="try again when that command has ended, or end it",
        )
    time.sleep(_POLL_SECONDS)


def _is_still(fd: int, path: Path) -> bool:
    try:
        return os.path.samestat(os.fstat(fd), path.stat())
    except FileNotFoundError:
        return False


def _note_holder(fd: int, purpose: str) -> None:
    """Leave a line for the people who wait; the lock itself is the kernel's."""
    note = f"\nprocess {os.getpid()} ({purpose or 'agent-soul'}, since {time.strftime('%H:%M:%S')})\n"
    with contextlib.suppress(OSError):
        os.ftruncate(fd, 0)
        os.pwrite(fd, note.encode(), 0) if hasattr(os, "pwrite") else os.write(fd, note.encode())


def _read_holder(fd: int) -> str:
    with contextlib.suppress(OSError):
        os.lseek(fd, 1, os.SEEK_SET)  # Windows locks the first byte, so the note starts after it
        note = os.read(fd, 200).decode("utf-8", "replace").strip()
        if note:
            return note
    return "another process"
