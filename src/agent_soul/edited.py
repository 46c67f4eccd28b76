"""Pages that a person changed by hand: a copy is kept before what we write takes their place.

Of each page that it writes a compile notes the hash, in `pages.json` of the state. A page that has neither that content
nor, in Git, that of the last commit is a person's work. The page itself could say so only with a hash in every page.
"""

from __future__ import annotations

import contextlib
import json
from collections.abc import Collection, Mapping
from pathlib import Path

from agent_soul.digests import sha256
from agent_soul.errors import StoppedError
from agent_soul.files import read_regular, replace_file
from agent_soul.hub import EDITED, Hub

_LONGEST_NAME = 120
_MOST = 50
_MOST_BYTES = 8 << 20
_NAMED = 3


def noted_pages(hub: Hub) -> Mapping[str, str]:
    """Return what is noted of each page, by its path from `canonical/`, as a compile here wrote it last."""
    with contextlib.suppress(StoppedError, ValueError, RecursionError):
        noted = json.loads(read_regular(_note(hub))) if _note(hub).exists() else {}
        return noted if isinstance(noted, dict) else {}
    return {}


def is_as_noted(noted: Mapping[str, str], path: str, content: bytes) -> bool:
    """Tell whether a page has the content in which a compile here wrote it last."""
    return noted.get(path) == _hash(content)


def note_pages(hub: Hub, written: Mapping[str, str], removed: Collection[str]) -> None:
    """Note the pages that were just written, by their texts, and those that are gone."""
    if not written and not removed:
        return
    noted = {path: name for path, name in noted_pages(hub).items() if path not in removed}
    noted |= {path: _hash(text.encode("utf-8")) for path, text in written.items()}
    with contextlib.suppress(StoppedError):  # the pages stand; without the note a copy too many is kept at most
        replace_file(_note(hub), json.dumps(noted, ensure_ascii=False).encode("utf-8"))


def keep_copies(hub: Hub, pages: Mapping[str, bytes]) -> None:
    """Keep these pages in the folder `edited` of the state; the oldest go beyond 50 copies or 8 MiB of them."""
    for path, content in pages.items():
        replace_file(_folder(hub) / _name(path, content), content)
    if pages:
        _drop_oldest(_folder(hub))


def said_of_copies(hub: Hub, pages: Collection[str]) -> str:
    """Return what to say of pages of which copies were kept, or an empty string."""
    if not pages:
        return ""
    named = ", ".join(f"canonical/{path}" for path in list(pages)[:_NAMED])
    more = f" and {len(pages) - _NAMED} more" if len(pages) > _NAMED else ""
    was = "were" if len(pages) > 1 else "was"
    return f"{named}{more} {was} changed by hand, and pages are made anew; what stood there is kept in {_folder(hub)}"


def _hash(content: bytes) -> str:
    return sha256(content).hexdigest()[:16]


def _name(path: str, content: bytes) -> str:
    stem, _, suffix = path.replace("/", "--").rpartition(".")
    return f"{stem[-_LONGEST_NAME:]}.{_hash(content)[:8]}.{suffix}"


def _drop_oldest(folder: Path) -> None:
    left = _MOST_BYTES
    copies = [(file.stat(), file) for file in folder.iterdir() if file.is_file() and not file.is_symlink()]
    newest_first = sorted(copies, key=lambda copy: copy[0].st_mtime_ns, reverse=True)
    for number, (status, file) in enumerate(newest_first):
        left -= status.st_size
        if number and (number >= _MOST or left < 0):
            file.unlink()


def _folder(hub: Hub) -> Path:
    return hub.state / EDITED


def _note(hub: Hub) -> Path:
    return hub.state / "pages.json"
