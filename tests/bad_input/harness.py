"""Running commands in this process, and what must hold of whatever they print and write."""

from __future__ import annotations

import contextlib
import hashlib
import io
import json
import os
import stat
import sys
import unicodedata
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from unittest import mock

from agent_soul.cli import main
from support import text_of

JOINERS = "\u200c\u200d"
"""Part of honest spelling in Persian, Indic scripts and emoji; every other format character hides something."""


@dataclass(frozen=True)
class Result:
    """What one command did: its exit code and all that it printed."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> dict[str, Any]:
        answer: dict[str, Any] = json.loads(self.out)
        return answer

    @property
    def text(self) -> str:
        return self.out + self.err


def run(*arguments: str, stdin: bytes = b"") -> Result:
    """Run one command in this process; fail where it ends in a bug of ours or prints what a terminal would obey."""
    out, err = (io.TextIOWrapper(io.BytesIO(), encoding="utf-8") for _ in range(2))
    with (
        contextlib.redirect_stdout(out),
        contextlib.redirect_stderr(err),
        mock.patch.object(sys, "stdin", io.TextIOWrapper(io.BytesIO(stdin), encoding="utf-8")),
    ):
        code = main(arguments)
    result = Result(code, text_of(out), text_of(err))
    assert_harmless(result, arguments)
    return result


def assert_harmless(result: Result, arguments: object) -> None:
    """No traceback, no bug of ours, no character that steers a terminal or that nobody sees."""
    assert "Traceback" not in result.text, arguments
    assert result.code in (0, 1, 2, 4, 5), (arguments, result)
    assert not unseen(result.text), (arguments, unseen(result.text), result)


def unseen(text: str) -> set[str]:
    """Return the characters of `text` that steer a terminal or hide, by the categories of Unicode."""
    hidden = {c for c in text if unicodedata.category(c) in ("Cc", "Cf", "Cs", "Co", "Zl", "Zp")}
    return {f"U+{ord(c):04X}" for c in hidden - set("\n\t" + JOINERS)}


def snapshot(folder: Path, *, without: Path | None = None) -> dict[str, str]:
    """Return every path below `folder` with a digest of what it is; `without` is left out with all below it."""
    found: dict[str, str] = {}
    waiting = [os.fsencode(folder)]
    while waiting:
        with contextlib.suppress(OSError), os.scandir(waiting.pop()) as entries:  # deeper than a path can name
            for entry in entries:
                if without and entry.path == os.fsencode(without):
                    continue
                if entry.is_dir(follow_symlinks=False):
                    waiting.append(entry.path)
                found[repr(entry.path)] = _digest(entry)
    return found


def _digest(entry: os.DirEntry[bytes]) -> str:
    status = entry.stat(follow_symlinks=False)
    if stat.S_ISLNK(status.st_mode):
        return f"link to {Path(os.fsdecode(entry.path)).readlink()!r}"
    if not stat.S_ISREG(status.st_mode) or status.st_size > 32 << 20:
        size = 0 if stat.S_ISDIR(status.st_mode) else status.st_size
        return f"{stat.S_IFMT(status.st_mode):o} {size}"
    return hashlib.sha256(Path(os.fsdecode(entry.path)).read_bytes()).hexdigest()
