"""The report of a bug of ours: a file that holds what is needed to mend it."""

from __future__ import annotations

import contextlib
import itertools
import os
import platform
import tempfile
import time
import traceback
from collections.abc import Sequence
from pathlib import Path

from agent_soul import __version__
from agent_soul.hub import find_hub


def write_report(arguments: Sequence[str]) -> str:
    """Write the exception that is being handled into a file, and return where it is and what to do with it.

    The user's text is in it, so it stays on this machine.
    """
    lines = [
        f"agent-soul {__version__}, Python {platform.python_version()}, {platform.platform()}",
        f"at {time.strftime('%Y-%m-%dT%H:%M:%SZ', time.gmtime())}, arguments: {list(arguments)!a}",
        "",
        traceback.format_exc(),
    ]
    for folder in _folders(arguments):
        with contextlib.suppress(OSError):
            folder.mkdir(parents=True, exist_ok=True)
            file = folder / f"bug-{time.strftime('%Y%m%dT%H%M%S', time.gmtime())}-{os.getpid()}.txt"
            file.write_text("\n".join(lines), encoding="utf-8", errors="backslashreplace")
            return f"the report is in {file}; please send it with what you did"
    return "no report could be written"


def _folders(arguments: Sequence[str]) -> list[Path]:
    """Return where a report may go: the state of the hub that was meant, else the system's temporary folder."""
    folders = [Path(tempfile.gettempdir())]
    named = [value for option, value in itertools.pairwise(arguments) if option == "--hub"]
    with contextlib.suppress(Exception):
        folders.insert(0, find_hub(named[-1] if named else None).state / "bugs")
    return folders
