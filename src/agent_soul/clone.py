"""What a clone knows of itself: the 8 hex digits that name its files, and where it and the remote last met.

No two clones ever append to one file.
"""

from __future__ import annotations

import contextlib
import json
import os
import re
from collections.abc import Iterator, Mapping
from pathlib import Path

from agent_soul.errors import StoppedError
from agent_soul.files import read_regular, replace_file
from agent_soul.hub import Hub

_UPSTREAM = "upstream.json"


def clone_id(hub: Hub) -> str:
    """Return the 8 hex digits that name this clone's files; made anew when the host or the folder is another one.

    A copied clone must not write to the files of the one it was copied from. The lock must be held.
    """
    file = hub.state / "clone.json"
    here = {"host": _host(), "state": str(hub.state)}
    known = _read_json(file)
    if isinstance(known, dict) and {**known, **here} == known and re.fullmatch("[0-9a-f]{8}", str(known.get("id"))):
        return str(known["id"])
    made = os.urandom(4).hex()
    former = list(clone_ids(hub))
    replace_file(file, json.dumps({"id": made, "former": former, **here}).encode())
    return made


def clone_ids(hub: Hub) -> tuple[str, ...]:
    """Return every id under which this clone has written, today's first: a folder moves, a host is renamed."""
    known = _read_json(hub.state / "clone.json")
    if not isinstance(known, dict):
        return ()
    former = known.get("former")
    ids = [known.get("id"), *(former if isinstance(former, list) else [])]
    return tuple(id_ for id_ in ids if isinstance(id_, str) and re.fullmatch("[0-9a-f]{8}", id_))


def remembered(hub: Hub) -> Mapping[str, str]:
    """Return what this clone noted of the remote after its last conversation: url, branch, head."""
    noted = _read_json(hub.state / _UPSTREAM)
    return {key: value for key, value in noted.items() if isinstance(value, str)} if isinstance(noted, dict) else {}


def last_together(hub: Hub) -> float | None:
    """Return when this clone and the remote last came together, in seconds since 1970; None: it never happened."""
    with contextlib.suppress(OSError):
        return (hub.state / _UPSTREAM).stat().st_mtime
    return None


def remember(hub: Hub, url: str, branch: str, head: str) -> None:
    """Note that the remote's branch was at the commit `head` and held everything of ours. The lock must be held."""
    note = {"url": url, "branch": branch, "head": head}
    replace_file(hub.state / _UPSTREAM, json.dumps(note).encode())


def spoilt_state(hub: Hub) -> Iterator[str]:
    """Yield the files of this clone's state that are there and hold nothing that can be read."""
    for file in (hub.state / "clone.json", hub.state / _UPSTREAM):
        if file.exists() and not isinstance(_read_json(file), dict):
            yield str(file)


def _host() -> str:
    """Return what `platform.node` does; importing it takes longer than all of this module."""
    if hasattr(os, "uname"):
        return os.uname().nodename
    import platform

    return platform.node()


def _read_json(file: Path) -> object:
    with contextlib.suppress(StoppedError, ValueError, RecursionError):
        return json.loads(read_regular(file))
    return None
