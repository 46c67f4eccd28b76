"""What this machine says of the person who begins a hub: proposals, never more than that."""

from __future__ import annotations

import contextlib
import os
from pathlib import Path

from agent_soul.founding.answers import looks_like_time_zone

_OF_NO_PLACE = ("UTC", "Etc/UTC", "Etc/UCT", "GMT", "Universal")
"""What servers are set to, wherever their owner lives."""


def time_zone_here() -> str:
    """Return the IANA name of this machine's time zone, or an empty string where it says none, or none of a place."""
    found = os.environ.get("TZ", "").removeprefix(":") or _linked_zone() or _noted_zone()
    return found if looks_like_time_zone(found) and found not in _OF_NO_PLACE else ""


def _linked_zone() -> str:
    with contextlib.suppress(OSError):
        return Path("/etc/localtime").readlink().as_posix().partition("zoneinfo/")[2]
    return ""


def _noted_zone() -> str:
    with contextlib.suppress(OSError, UnicodeDecodeError):
        return Path("/etc/timezone").read_text(encoding="utf-8").strip()
    return ""
