"""What this machine, and a remote, say of the answers that a person gives when a hub begins."""

from __future__ import annotations

import contextlib
import difflib
import functools
import os
import zoneinfo
from pathlib import Path

from agent_soul import gitio
from agent_soul.errors import RefusedError
from agent_soul.founding.answers import looks_like_address, looks_like_time_zone
from agent_soul.hub import Hub

_OF_NO_PLACE = ("UTC", "Etc/UTC", "Etc/UCT", "GMT", "Universal")
"""What servers are set to, wherever their owner lives."""
_NAMED = 3


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


def check_time_zone(name: str) -> None:
    """Raise `RefusedError` for what is no time zone of the IANA's list; where the machine has none, by its form."""
    known = zoneinfo.available_timezones()
    if name in known or (not known and looks_like_time_zone(name)):
        return
    folded = {each.casefold(): each for each in sorted(known)}
    close = difflib.get_close_matches(name.casefold().replace(" ", "_"), folded, n=1)
    hint = f"did you mean {folded[close[0]]}?" if close else "such as Asia/Shanghai; a city of your zone that it lists"
    raise RefusedError(f"--time-zone {name!r} is no name of a time zone", hint=hint)


def check_remote(remote: str, folder: Path) -> str:
    """Return why a remote for the hub in `folder` cannot be asked now, or an empty string.

    Raises `RefusedError` for what is no address, and for a repository that holds something: a hub would share no
    history with it, and its files would not be there.
    """
    if not looks_like_address(remote):
        raise RefusedError(f"--remote {remote!r} is no address", hint="such as git@github.com:YOU/my-soul.git")
    try:
        branches = _heads(remote, folder).branches
    except gitio.GitError as error:
        return error.message
    if branches:
        more = f" and {len(branches) - _NAMED} more" if len(branches) > _NAMED else ""
        what = f"--remote {remote!r} is not empty: it has {', '.join(branches[:_NAMED])}{more}"
        raise RefusedError(what, hint="make an empty repository, without a README; a hub that is there is cloned")
    return ""


@functools.cache
def _heads(remote: str, folder: Path) -> gitio.Heads:
    """Ask once, though the answer is checked where it is given and before it is used."""
    there = next(each for each in (folder, *folder.parents) if each.is_dir())
    where = remote if ":" in remote else os.path.normpath(folder / remote)
    return gitio.heads_of(Hub(there, there, None), where)
