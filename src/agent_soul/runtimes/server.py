"""What the MCP server needs beyond the commands: a hub's own script installs it at the server's first start.

Programs wait for a server for 10 to 60 seconds, and the installing takes a minute, so a join sees to it.
"""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterable, Sequence

from agent_soul.runtimes.model import SERVER, Placed, Scene


def server_to_set_up(scene: Scene, placed: Iterable[Placed]) -> tuple[str, ...]:
    """Return the words that set up what a join's MCP server needs; none where it has no server, or no script runs it.

    An installed `soul` has the extra or has not: who installed it sees to that.
    """
    has_server = any(each.what == SERVER for each in placed)
    return (*scene.program, "mcp", "--help") if has_server and len(scene.program) > 1 else ()


def set_up_server(command: Sequence[str]) -> str:
    """Set up what the server needs, with the progress on stderr; return what went wrong, or an empty string.

    Where it is there already that takes a moment.
    """
    environment = {name: value for name, value in os.environ.items() if not name.startswith("AGENT_SOUL_")}
    try:
        done = subprocess.run(
            list(command), env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, check=False
        )
    except OSError as error:
        return str(error.strerror)
    return f"exit code {done.returncode}" if done.returncode else ""
