"""Handing a day to a program of the user's, and taking its ideas back as proposals, which wait for a person."""

from __future__ import annotations

import os
import shlex
import subprocess
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from agent_soul.acts import MARK_KINDS
from agent_soul.bulk import Refusal
from agent_soul.draft import ALLOW_SECRET, refuse_credentials
from agent_soul.errors import RefusedError, StoppedError
from agent_soul.event import Event, serialise
from agent_soul.gitio.process import end_with_children
from agent_soul.references import KnownIds, with_whole_ids
from agent_soul.resolve import Resolution, Status
from agent_soul.strict_json import RejectedError, load_object
from agent_soul.upkeep.runs import Run

DEFAULT_TIMEOUT = 300
"""Seconds that the program may take; models are slow, and a night is long."""
_SHOWN = (Status.ACTIVE, Status.STALE, Status.DUPLICATE)
_DEFAULTS = {"kind": "fact", "scope": "stable"}
_OURS = ("event_id", "ts", "timestamp", "source", "origin", "proposed", "fingerprint", ALLOW_SECRET)
"""Fields that a proposal does not set: who proposes what and when is ours to say."""
_SAID_LENGTH = 300
_MOST_PRINTED = 1 << 20
"""Bytes: some thousand proposals, more than anybody reviews."""


class Proposals(NamedTuple):
    """What became of a program's lines: events of the run, lines that were known already, lines that were refused."""

    events: tuple[Event, ...]
    known: int
    refused: tuple[Refusal, ...]


def day_log(resolution: Resolution, day: str) -> bytes:
    """Return what was recorded on a day of its writers' own calendars and still stands, one event a line."""
    events = (v.event for v in resolution.verdicts if v.status in _SHOWN and v.event.local_date == day)
    return b"".join(serialise(event.data) for event in events)


def ask(command: str, given: bytes, seconds: float) -> bytes:
    """Run the command with `given` on its stdin, without a shell, and return its stdout.

    Raises `RefusedError` where it cannot be started, `StoppedError` where it fails or takes longer than `seconds`.
    """
    try:
        arguments = shlex.split(command, posix=os.name != "nt")
    except ValueError as error:
        raise RefusedError(f"--command {command!r} cannot be read: {error}", hint="close its quotes") from error
    if not arguments:
        raise RefusedError("--command is empty", hint='such as --command "my-model --ndjson"')
    try:
        code, out, said = _outcome(arguments, given, seconds)
    except OSError as error:
        hint = "give a program; for a pipe: --command \"sh -c 'one | other'\""
        raise RefusedError(f"{arguments[0]} cannot be started: {error.strerror}", hint=hint) from error
    except subprocess.TimeoutExpired as error:
        message = f"{arguments[0]} took longer than {seconds:g} seconds; nothing was written"
        raise StoppedError(message, hint="give it more with --timeout") from error
    if code:
        hint = said.decode("utf-8", "replace").strip()[-_SAID_LENGTH:]
        raise StoppedError(f"{arguments[0]} ended with {code}; nothing was written", hint=hint)
    if len(out) > _MOST_PRINTED:
        message = f"{arguments[0]} printed {len(out)} bytes, at most {_MOST_PRINTED} are taken; nothing was written"
        raise StoppedError(message, hint="let it print one JSON object a line, for what is worth remembering alone")
    return out


def _outcome(arguments: Sequence[str], given: bytes, seconds: float) -> tuple[int, bytes, bytes]:
    """Return exit code, stdout and stderr of a program; one that takes too long ends with all that it started."""
    pipe = subprocess.PIPE
    with subprocess.Popen(arguments, stdin=pipe, stdout=pipe, stderr=pipe, start_new_session=True) as child:
        try:
            out, said = child.communicate(given, timeout=seconds)
        except BaseException:
            end_with_children(child)
            raise
    return child.returncode, out, said


def propose(run: Run, lines: Sequence[bytes], known: Iterable[Event]) -> Proposals:
    """Draft an event of each NDJSON line, as a proposal; a line that is no good costs itself alone.

    What an event of the hub says already, also one that was rejected, is not proposed again.
    """
    hub_events = list(known)
    ids = KnownIds(event.id for event in hub_events)
    said = {event.identity for event in hub_events}
    proposals: list[Event] = []
    refused: list[Refusal] = []
    repeated = 0
    for number, line in enumerate(lines, start=1):
        if not line.strip():
            continue
        try:
            event = _draft(run, line, ids)
        except (RefusedError, RejectedError) as error:
            refused.append(Refusal(number, error.message))
            continue
        if event.identity in said:
            run.events.remove(event)
            repeated += 1
        else:
            said.add(event.identity)
            proposals.append(event)
    return Proposals(tuple(proposals), repeated, tuple(refused))


def _draft(run: Run, line: bytes, ids: KnownIds) -> Event:
    given = {name: value for name, value in load_object(line).items() if name not in _OURS}
    if str(given.get("kind")) in MARK_KINDS:
        raise RefusedError(f"a {given['kind']} is for people; a program proposes what to remember")
    record, _ = with_whole_ids({**_DEFAULTS, **given}, ids)
    refuse_credentials(record)
    (event,) = run.draft([{**record, "proposed": True}])
    return event
