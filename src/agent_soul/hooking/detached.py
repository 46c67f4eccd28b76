"""A command that goes on after the hook, and after the program that ran it, has ended."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

from agent_soul.hub import Hub


def log_file(hub: Hub) -> Path:
    """Return where the last detached command wrote what it had to say."""
    return hub.state / "hooks" / "sync.log"


def start(hub: Hub, *command: str) -> None:
    """Start `soul COMMAND` for the hub with a session of its own, no console and no pipe to anybody.

    Programs end what their hooks started: by process group, or by waiting until its output is closed. Raises `OSError`.
    """
    log = log_file(hub)
    log.parent.mkdir(parents=True, exist_ok=True)
    # -P: a module in the hub's folder, which is data from everywhere, must not be taken for one of ours.
    arguments = [sys.executable, "-P", "-m", "agent_soul", "--hub", str(hub.root), *command]
    alone: dict[str, Any] = {"start_new_session": True}
    if sys.platform == "win32":
        alone = {"creationflags": subprocess.DETACHED_PROCESS | subprocess.CREATE_NEW_PROCESS_GROUP}
    with log.open("wb") as said:
        child = subprocess.Popen(arguments, cwd=hub.root, stdin=subprocess.DEVNULL, stdout=said, stderr=said, **alone)
    child.returncode = 0  # nobody waits for it, and Python would warn of that
