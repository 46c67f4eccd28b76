"""What commands share: the hub option, JSON and text output.

Each function that needs click imports it: it takes 30 ms to load, which `plain` calls need not pay.
"""

from __future__ import annotations

import contextlib
import functools
import json
import os
import re
import sys
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any, TextIO, TypeVar

from agent_soul.errors import SoulError, StoppedError
from agent_soul.hub import JOINED, Hub, find_hub
from agent_soul.lock import exclusive
from agent_soul.telling import invoked_as, spoken_as, with_commands

if TYPE_CHECKING:
    from agent_soul.adding import Added
    from agent_soul.event import Event

F = TypeVar("F", bound=Callable[..., Any])


def hub_option(command: F) -> F:
    """Let the command take --hub too, so that it may stand after the command's name."""
    import click

    return click.option("--hub", "hub_name", metavar="FOLDER", help="The hub, if not the nearest one.")(command)


def output_options(command: F) -> F:
    """Add --json and --hub."""
    import click

    as_json = click.option("--json", "as_json", is_flag=True, help="Print one JSON object on stdout.")
    return as_json(hub_option(command))


def open_hub(hub_name: str | None) -> Hub:
    """Return the hub that the options name, the command's own first."""
    import click

    return find_hub(hub_name or click.get_current_context().find_root().obj)


def tell_agents(hub: Hub, *, looking: bool = False) -> None:
    """Bring what joined agent programs read by themselves up to date with the pages; no command fails over it.

    Where no note says that any is joined, only `looking` for them tells: the note may be lost.
    """
    if not looking and not (hub.state / JOINED).exists():
        return
    from agent_soul.runtimes.following import tell_programs  # nobody pays for it where no program is joined

    for note in tell_programs(hub):
        say(f"note: {note}")


def speak_to_agent(hub: Hub, *, source: str = "", runtime: str = "") -> None:
    """Name commands, until this one ends, by the words that the agent was told when its program was joined."""
    if not (hub.state / JOINED).exists():
        return
    import click

    from agent_soul.runtimes.standing import typed_where_joined

    with contextlib.suppress(SoulError, OSError):  # then they are named as this one was
        words = typed_where_joined(hub, source=source, only=runtime)
        click.get_current_context().with_resource(spoken_as(words or invoked_as()))


def take_turn(hub: Hub, purpose: str) -> None:
    """Wait until no other command looks for what to mend, and keep the turn until this one ends.

    Between reading what there is and appending what follows from it, another one would find the same.
    """
    import click

    click.get_current_context().with_resource(exclusive(hub.state / "upkeep" / "lock", purpose=purpose))


def terminal_safe(text: str) -> str:
    """Return the text with all that could steer a terminal or hide as visible escapes; see `text.terminal_safe`."""
    if (text.isascii() and text.replace("\n", "").isprintable()) or _plain().fullmatch(text):
        return text
    from agent_soul.text import terminal_safe as escaped

    return escaped(text)


@functools.cache
def _plain() -> re.Pattern[str]:
    """Return what most output consists of: ASCII, Latin, Chinese, Japanese and Korean with their punctuation.

    Nothing in it can hide, and the rules for the rest take 20 ms to load.
    """
    return re.compile(
        "[\n -~\u00a1-\u00ac\u00ae-\u00ff\u2013-\u201f\u2026\u3001-\u312f\u4e00-\u9fff\uac00-\ud7a3\uff01-\uff5e]*"
    )


def say(text: str) -> None:
    """Print talk for people on stderr; where stderr takes nothing it is dropped, for no work fails over talk."""
    try:
        _print(terminal_safe(with_commands(text)), sys.stderr)
    except OSError:
        _discard(sys.stderr)


def show(text: str) -> None:
    """Print data on stdout; nothing in it can steer a terminal. Raises `StoppedError` where stdout takes no more."""
    show_as_is(terminal_safe(text))


def show_json(**fields: Any) -> None:
    """Print one JSON object; characters that a terminal could obey or a person not see are escaped."""
    text = json.dumps(fields, ensure_ascii=False)
    show_as_is(text if terminal_safe(text) == text else json.dumps(fields))


def show_as_is(text: str) -> None:
    """Print on stdout what the caller has made safe. Raises `StoppedError` where stdout takes no more."""
    try:
        _print(text, sys.stdout)
    except BrokenPipeError:
        raise
    except OSError as error:
        discard_stdout()
        raise StoppedError(f"stdout cannot be written: {error.strerror}", hint="see where it leads") from error


def _print(text: str, stream: TextIO) -> None:
    stream.write(f"{text}\n")
    stream.flush()


@contextlib.contextmanager
def printed_if_possible(kept: str) -> Iterator[None]:
    """Print in here what is kept already: if stdout takes nothing, that is no failure that somebody should repeat."""
    try:
        yield
    except (StoppedError, BrokenPipeError):
        discard_stdout()
        say(f"kept: {kept}, though stdout could not be written")


def discard_stdout() -> None:
    """Send the rest of stdout nowhere, so that the interpreter does not fail over it when it ends."""
    _discard(sys.stdout)


def _discard(stream: TextIO) -> None:
    with contextlib.suppress(OSError, ValueError):
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, stream.fileno())
        os.close(nowhere)


def show_added(added: Added) -> None:
    """Print an acknowledged event as JSON, warnings included."""
    for warning in added.warnings:
        say(f"note: {warning}")
    with printed_if_possible(added.event.id):
        show_json(
            ok=True, event_id=added.event.id, path=added.path, event=added.event.data, warnings=list(added.warnings)
        )


def line_of(event: Event, status: str = "", *, shown_id: str = "") -> str:
    """Return one line that tells a person which event it is; `shown_id` where its short id is not its alone."""
    from agent_soul.event import short_id  # not every command reads events, and the schema takes a while

    note = f" [{status}]" if status and status != "active" else ""
    where = f"{event.date}  {event.source}  {event.place}/{event.kind}"
    return f"{shown_id or short_id(event.id)}  {where}  {event.summary}{note}"
