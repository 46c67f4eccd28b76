"""What `add` does with one event once its arguments are understood."""

from __future__ import annotations

from typing import Any

from agent_soul import adding
from agent_soul.cli.common import show_added
from agent_soul.cli.fields import require, to_record
from agent_soul.errors import ExitCode
from agent_soul.hub import Hub
from agent_soul.recording import in_project


def add_one(hub: Hub, fields: dict[str, Any]) -> int:
    """Add the event that the options say, print it, and return the exit code."""
    record = in_project(to_record(fields))
    require(record, "source", "kind", "scope", "summary")
    show_added(adding.add(hub, record))
    return ExitCode.DONE
