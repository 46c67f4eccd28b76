"""Ctrl-C where nothing may be interrupted.

Modules written in Rust end the whole process over an exception that comes while they are loaded: they take what they
import of the standard library for granted, and panic, or worse, without it.
"""

from __future__ import annotations

import contextlib
import functools
import importlib
import signal
from collections.abc import Iterator
from types import FrameType, ModuleType


@contextlib.contextmanager
def held_back() -> Iterator[None]:
    """Let Ctrl-C wait until the body has ended.

    The handler is replaced, rather than the signal blocked: Python would raise here as well what another thread got.
    Outside the main thread nothing is ever raised, and where no handler of Python's stands nothing is either.
    """
    handler = signal.getsignal(signal.SIGINT)
    came: list[FrameType | None] = []
    is_held = False
    if callable(handler):
        with contextlib.suppress(ValueError):  # not the main thread
            signal.signal(signal.SIGINT, lambda _, frame: came.append(frame))
            is_held = True
    try:
        yield
    finally:
        if is_held:
            signal.signal(signal.SIGINT, handler)
        if came and callable(handler):
            handler(signal.SIGINT, came[0])


@functools.cache
def load_native(name: str) -> ModuleType:
    """Import a module that is written in Rust, or brings one along; Ctrl-C waits meanwhile."""
    with held_back():
        return importlib.import_module(name)
