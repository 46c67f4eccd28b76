"""How far an event comes: what `share` does once its arguments are understood, and what it says of it."""

from __future__ import annotations

import contextlib
from typing import Any

from agent_soul.cli.common import printed_if_possible, say, show, show_json, tell_agents
from agent_soul.cli.fields import require, text_of, to_record
from agent_soul.errors import ExitCode, RefusedError
from agent_soul.event import short_id
from agent_soul.hub import Hub
from agent_soul.recording import in_project
from agent_soul.settings import load_config
from agent_soul.sync import DEFAULT_RECORD, Kept, Reach
from agent_soul.sync import share as share_event
from agent_soul.telling import with_commands


def share_one(hub: Hub, text: str | None, fields: dict[str, Any], *, budget: float, as_json: bool) -> int:
    """Add the event that text and options say, bring it to the other machines, and say how far it came."""
    given = in_project(to_record(fields))
    record = {**DEFAULT_RECORD, **given}
    record["summary"] = text_of(text, record.get("summary"), "share")
    require(record, "source")
    added, kept = share_event(hub, record, budget=budget)
    tell_agents(hub)
    for warning in added.warnings:
        say(f"note: {warning}")
    if "scope" not in given:
        say(f"note: {_until_stale(hub)}")
    with printed_if_possible(added.event.id):
        show_kept(kept, as_json=as_json, short=short_id(added.event.id), event_id=added.event.id, path=added.path)
    return exit_code(kept)


def _until_stale(hub: Hub) -> str:
    """Return how long a line without a scope of its own is shown, and what makes it last."""
    with contextlib.suppress(RefusedError):  # a broken soul.yaml: the event is kept, and sent, all the same
        days = load_config(hub)[0].fuzzy_days
        shown = f"shown for {days} days (scope {DEFAULT_RECORD['scope']})"
        return f"{shown}; what is to last needs a scope, as in --kind preference --scope profile"
    return "soul.yaml cannot be read: `soul doctor` says why"


def show_kept(kept: Kept, *, as_json: bool, short: str = "", **more: Any) -> None:
    """Print how far a command brought the memory, as one line or one object."""
    reason, note = with_commands(kept.reason), with_commands(kept.note)
    if as_json:
        ok = kept.reach is not Reach.NOT_SHARED
        show_json(ok=ok, outcome=kept.reach, reason=reason, commit=kept.commit, note=note, **more)
        return
    said = str(kept._replace(reason=reason))
    show(f"{said} ({short})" if short else said)
    if note:
        say(f"note: {note}")


def exit_code(kept: Kept) -> int:
    """Return the exit code that says how far a command brought the memory."""
    return ExitCode.NOT_SHARED if kept.reach is Reach.NOT_SHARED else ExitCode.DONE
