"""Work that is shared with a forked child, where one core would keep a person waiting. The result is the same."""

from __future__ import annotations

import contextlib
import functools
import os
import signal
import sys
import threading
from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING, TypeVar

from agent_soul.interrupts import held_back

if TYPE_CHECKING:
    from multiprocessing.connection import Connection
    from multiprocessing.context import ForkProcess

_Item = TypeVar("_Item")
_Result = TypeVar("_Result")


def are_there() -> bool:
    """Tell whether a forked child may share the work: not on Windows and macOS, nor beside threads, which it loses."""
    return (
        sys.platform not in ("win32", "darwin") and threading.active_count() == 1 and len(os.sched_getaffinity(0)) > 1
    )


def halved(items: Iterable[_Item], weight: Callable[[_Item], int]) -> tuple[list[_Item], list[_Item]]:
    """Return the items in two parts of about the same weight: each, the heaviest first, goes to the lighter part."""
    parts: tuple[list[_Item], list[_Item]] = ([], [])
    weights = [0, 0]
    for item in sorted(items, key=weight, reverse=True):
        lighter = weights[1] < weights[0]
        parts[lighter].append(item)
        weights[lighter] += weight(item)
    return parts


@contextlib.contextmanager
def in_child(work: Callable[[], _Result]) -> Iterator[Callable[[], _Result]]:
    """Do `work` in a forked child; yields a function that waits for its result.

    Where there will be none, since no child could be made, or it was killed or met an error, that function does the
    work itself. A child costs some 30 ms, and what its result takes to be pickled.
    """
    with contextlib.ExitStack() as left:
        receiver = None
        with contextlib.suppress(OSError, MemoryError):  # this user may have no more processes or open files
            receiver = _start(work, left)
        yield work if receiver is None else functools.partial(_received, receiver, work)


def _start(work: Callable[[], _Result], left: contextlib.ExitStack) -> Connection:
    """Start the child and return where its result will come from; `left` ends both."""
    import multiprocessing  # 20 ms, which a single event need not pay

    context = multiprocessing.get_context("fork")
    receiver, sender = context.Pipe(duplex=False)
    left.enter_context(receiver)
    with sender:
        child = context.Process(target=_send, args=(work, receiver, sender), daemon=True)
        left.callback(_end, child)
        with held_back():  # until the child has its own answer to Ctrl-C
            child.start()
    return receiver


def _received(receiver: Connection, work: Callable[[], _Result]) -> _Result:
    try:
        return receiver.recv()  # type: ignore[no-any-return]
    except (EOFError, OSError, MemoryError):  # it sent nothing, or was killed while it sent
        return work()


def _end(child: ForkProcess) -> None:
    if child.pid is not None:
        child.kill()
        child.join()


def _send(work: Callable[[], _Result], receiver: Connection, sender: Connection) -> None:
    """Send the result of `work`. Whatever stops it, the parent does the work itself and meets the same.

    Our copy of the parent's end is closed first: where the parent is killed, sending fails instead of waiting for ever,
    with the parent's locks, which a child holds as well.
    """
    with contextlib.suppress(Exception, KeyboardInterrupt), sender:
        signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent is told, and ends this process
        receiver.close()
        sender.send(work())
