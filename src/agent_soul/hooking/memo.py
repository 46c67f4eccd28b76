"""What hooks remember between their runs, in the state of the clone: which ran, and what an agent was told.

All of it only saves an agent from hearing things twice. Where it cannot be read or written, nothing is remembered.
"""

from __future__ import annotations

import contextlib
import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from agent_soul.errors import StoppedError
from agent_soul.files import read_regular, replace_file
from agent_soul.hub import Hub
from agent_soul.lock import exclusive

ONCE_SECONDS = 60
"""Two programs that run the same hook for one session do so within seconds; later it is another start."""
_MOST_KEPT = 50


@dataclass
class Memo:
    """What is remembered of one session. Times are seconds since 1970."""

    ran: dict[str, float] = field(default_factory=dict)
    """When each event's hook last ran."""
    started: bool = False
    """Whether a hook has told what the agent read."""
    read: list[str] = field(default_factory=list)
    """Keys of what the agent read from its own files when the session started."""
    told: list[str] = field(default_factory=list)
    """Keys of what hooks told it since."""
    looked: float = 0.0
    """When the log was last searched for what the session wrote."""
    reminded: bool = False


@contextlib.contextmanager
def remembering(hub: Hub, session: str) -> Iterator[Memo]:
    """Give the memo of a session to look at and to change; one without a name is forgotten at once."""
    if not session:
        yield Memo()
        return
    with contextlib.ExitStack() as held:
        with contextlib.suppress(StoppedError):
            held.enter_context(exclusive(_folder(hub) / "lock", purpose="hook"))
        memos = dict(_read(hub))
        memo = memos.pop(session, Memo())
        yield memo
        with contextlib.suppress(StoppedError):
            _write(hub, [*memos.items(), (session, memo)])


def memo_of(hub: Hub, session: str) -> Memo:
    """Return a copy of the memo of a session, which keeps nothing."""
    return dict(_read(hub)).get(session, Memo()) if session else Memo()


def is_first(memo: Memo, run: str, now: float) -> bool:
    """Tell whether the hook of `run` did not run within the last minute, and note that it does now."""
    before = memo.ran.get(run, 0.0)
    memo.ran[run] = now
    return not 0 <= now - before < ONCE_SECONDS


def read_last(hub: Hub, session: str) -> frozenset[str]:
    """Return the keys of what the files said when the last session before `session` started; nothing for none."""
    started = [memo for name, memo in _read(hub) if memo.started and name != session]
    return frozenset(started[-1].read) if started else frozenset()


def not_told_today(hub: Hub, source: str, day: str, rows: Iterable[str]) -> list[str]:
    """Return those of the rows, or keys of them, that `source` was not told on `day`."""
    told = _reported(hub, day)
    return [row for row in rows if [source, row] not in told]


def note_told(hub: Hub, source: str, day: str, rows: Iterable[str]) -> None:
    """Keep that `source` was told the rows on `day`."""
    new = [[source, row] for row in rows]
    if new:
        with contextlib.suppress(StoppedError):
            content = json.dumps({"day": day, "rows": [*_reported(hub, day), *new]})
            replace_file(_folder(hub) / "reported.json", content.encode())


def _reported(hub: Hub, day: str) -> list[Any]:
    with contextlib.suppress(StoppedError, ValueError, TypeError, KeyError, RecursionError):
        known = dict(json.loads(read_regular(_folder(hub) / "reported.json")))
        return list(known["rows"]) if known.get("day") == day else []
    return []


def _folder(hub: Hub) -> Path:
    return hub.state / "hooks"


def _read(hub: Hub) -> list[tuple[str, Memo]]:
    with contextlib.suppress(StoppedError, ValueError, TypeError, RecursionError):
        kept = json.loads(read_regular(_folder(hub) / "sessions.json"))
        return [(str(name), _memo(dict(fields))) for name, fields in kept]
    return []  # none yet, or spoilt


def _memo(fields: Mapping[str, Any]) -> Memo:
    """Return the memo of what was kept; what is not of its kind, as another version may have it, is left out."""
    usual = asdict(Memo())
    return Memo(**{name: fields[name] for name in usual if type(fields.get(name)) is type(usual[name])})


def _write(hub: Hub, memos: list[tuple[str, Memo]]) -> None:
    rows = [(name, asdict(memo)) for name, memo in memos[-_MOST_KEPT:]]
    replace_file(_folder(hub) / "sessions.json", json.dumps(rows).encode())
