"""Reading what a program gives a hook on stdin: never for long, never much, and whatever it is."""

from __future__ import annotations

import contextlib
import json
import os
import threading
from collections.abc import Mapping
from typing import Any

MOST_BYTES = 1 << 20
_CHUNK = 1 << 16


def read_object(descriptor: int = 0, *, seconds: float) -> Mapping[str, Any]:
    """Return the JSON object that comes in, as soon as it is whole; an empty one where none does within `seconds`."""
    found: list[Mapping[str, Any]] = []
    reader = threading.Thread(target=_read_into, args=(descriptor, found), daemon=True)
    reader.start()
    reader.join(seconds)  # a read cannot be taken back; the thread ends with the process
    return found[0] if found else {}


def _read_into(found_on: int, found: list[Mapping[str, Any]]) -> None:
    text = b""
    with contextlib.suppress(OSError):
        if os.isatty(found_on):
            return
        while len(text) < MOST_BYTES and (chunk := os.read(found_on, _CHUNK)):
            text += chunk
            if text.rstrip().endswith(b"}") and (said := _object(text)):
                found.append(said)
                return


def _object(text: bytes) -> Mapping[str, Any]:
    with contextlib.suppress(ValueError, RecursionError):
        said = json.loads(text.decode("utf-8-sig", "replace"))
        return said if isinstance(said, dict) else {}
    return {}
