"""Keys and tokens that somebody recorded. Pure."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping

from agent_soul.credentials import find_credentials
from agent_soul.doctor.finding import Finding

_WHY = "whoever reads the memory has it, and the history keeps it"
_ID = re.compile(rb'"event_id":\s*"([A-Za-z0-9_.:-]{3,128})"')


def check_secrets(files: Mapping[str, bytes], retracted: Collection[str] = frozenset()) -> Iterator[Finding]:
    """Yield each key or token in `files` (path to content) with its line.

    Somebody who has taken an event back has seen to it: nothing more can be done to its line.
    """
    for path, content in files.items():
        for found in find_credentials(content):
            event_id = _event_at(content, found.position) if path.startswith("sources/") else ""
            if event_id in retracted:
                continue
            line = content.count(b"\n", 0, found.position) + 1
            what = f"looks like {found.kind}: {found.start}…"
            yield Finding("secret", f"{path}:{line}", what, _WHY, _mend(path, event_id))


def _event_at(content: bytes, position: int) -> str:
    """Return the id of the event in whose line `position` lies, or an empty string."""
    end = content.find(b"\n", position)
    found = _ID.search(content, content.rfind(b"\n", 0, position) + 1, len(content) if end < 0 else end)
    return found[1].decode() if found else ""


def _mend(path: str, event_id: str) -> str:
    first = "revoke it where it was issued; only that ends it"
    if path.startswith("sources/"):
        retract = f'`soul retract {event_id or "ID"} --source YOUR-ID --reason "held a key, which is revoked"`'
        return f"{first}. Then {retract} takes it off the pages, and ends this"
    return f"{first}. Then take it out of {path}"
