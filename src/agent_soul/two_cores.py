"""Work that is shared with a forked child, where one core would keep a person waiting. The result is the same."""

from __future__ import annotations

import contextlib
import os
import signal
import sys
import threading
from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from multiprocessing.connection import Connection

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

    Where there will be none, since the child was killed or met an error, that function does the work itself. A child
    costs some 30 ms, and what its result takes to be pickled.
    """
    import multiprocessing  # 20 ms, which a single event need not pay

    context = multiprocessing.get_context("fork")
    receiver, sender = context.Pipe(duplex=False)
    child = context.Process(target=_send, args=(work, sender), daemon=True)
    child.start()
    sender.close()

    def result() -> _Result:
        try:
            return receiver.recv()  # type: ignore[no-any-return]
        except EOFError:
            return work()

    try:
        yield result
    finally:
        child.kill()
        child.join()
        receiver.close()


def _send(work: Callable[[], _Result], sender: Connection) -> None:
    """Send the result of `work`. Whatever stops it, the parent does the work itself and meets the same."""
    with contextlib.suppress(Exception, KeyboardInterrupt), sender:
        signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent is told, and ends this process
        sender.send(work())
