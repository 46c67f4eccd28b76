"""Ranked lists that are kept for a day, so that the second page of a search goes on where the first one ended.

What others write meanwhile moves nothing. A list is a small file in the state folder; losing it costs a new search.
"""

from __future__ import annotations

import contextlib
import json
import os
import re
import time
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from agent_soul.errors import RefusedError
from agent_soul.hub import Hub

_FOLDER = "searches"
_SECONDS_KEPT = 24 * 3600
_NAME = re.compile(r"[0-9a-f]{12}", re.ASCII)


class Snapshot(NamedTuple):
    """A kept search: text and keywords, and the ids and scores of all results, best first."""

    asked: tuple[str, ...]
    ids: tuple[str, ...]
    scores: tuple[float, ...]


def keep(hub: Hub, snapshot: Snapshot) -> str:
    """Keep the list and return its name; an empty string where the state folder takes nothing."""
    folder = hub.state / _FOLDER
    name = os.urandom(6).hex()
    temporary = folder / f".{name}.tmp"
    try:
        folder.mkdir(parents=True, exist_ok=True)
        _drop_old(folder)
        temporary.write_text(json.dumps(snapshot, ensure_ascii=False), encoding="utf-8", errors="surrogatepass")
        temporary.replace(folder / f"{name}.json")
    except OSError:
        return ""
    return name


def load(hub: Hub, name: str) -> Snapshot:
    """Return the kept list. Raises `RefusedError` where there is none of this name any more."""
    file = hub.state / _FOLDER / f"{name}.json"
    with contextlib.suppress(OSError, ValueError, TypeError, RecursionError):
        if _NAME.fullmatch(name) and time.time() - file.stat().st_mtime < _SECONDS_KEPT:
            return Snapshot(*map(tuple, json.loads(file.read_text(encoding="utf-8", errors="surrogatepass"))))
    raise RefusedError(f"there is no snapshot {name!r}; one is kept for a day", hint="search again without --snapshot")


def _drop_old(folder: Path) -> None:
    for entry in _entries(folder):
        with contextlib.suppress(OSError):
            if time.time() - entry.stat().st_mtime >= _SECONDS_KEPT:
                Path(entry.path).unlink()


def _entries(folder: Path) -> Sequence[os.DirEntry[str]]:
    with os.scandir(folder) as entries:
        return list(entries)
