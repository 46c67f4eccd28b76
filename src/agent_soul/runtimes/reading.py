"""What an agent has read of the memory before its first word: the text of ours in its program's own files."""

from __future__ import annotations

import contextlib
import re
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from agent_soul.errors import SoulError
from agent_soul.hub import Hub
from agent_soul.runtimes.blocks import find_block
from agent_soul.runtimes.machine import page_files, text_of
from agent_soul.runtimes.model import Home
from agent_soul.runtimes.plan import decode
from agent_soul.runtimes.standing import joined
from agent_soul.runtimes.writing import read


class Read(NamedTuple):
    """A text, and when the newest of its files was changed, in seconds since 1970; 0 where there is none."""

    text: str
    changed: float


def text_read(hub: Hub, runtime: str, folder: Path, *, home: Home | None = None) -> Read:
    """Return what the program `runtime` reads of this hub by itself when it starts in `folder`; empty for nothing.

    Where its file imports the hub's pages, they count as they stand now.
    """
    standing = joined(hub, home=home, only=runtime) if runtime else []
    here = (each for each in standing if each.project is None or folder.is_relative_to(each.project))
    bodies = dict(body for each in here for body in _bodies(hub, each.files))
    text, files = "\n".join(bodies.values()), [*bodies]
    imported = [file for file in page_files(hub) if _is_imported(file.relative_to(hub.root).as_posix(), text)]
    if imported:
        text, files = f"{text}\n{pages_text(hub, imported)}", [*files, *imported]
    return Read(text, max((file.stat().st_mtime for file in files if file.exists()), default=0.0))


def _is_imported(path: str, text: str) -> bool:
    return re.search(rf"^@.*/{re.escape(path)}$", text, re.MULTILINE) is not None


def pages_text(hub: Hub, files: Sequence[Path] = ()) -> str:
    """Return L0 and L1 as they stand in the work tree, or of them these files."""
    return "\n".join(map(text_of, files or page_files(hub)))


def _bodies(hub: Hub, files: Iterable[Path]) -> Iterator[tuple[Path, str]]:
    for file in files:
        with contextlib.suppress(SoulError):  # a file that nobody can read says nothing to an agent either
            content = read(file)
            found = find_block(decode(content)[1]) if content is not None else None
            if found and Path(found.marker.hub) == hub.root:
                yield file, found.body
