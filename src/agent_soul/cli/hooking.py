"""`hook`: what agent programs run by themselves. It never fails, and nobody waits for it long."""

from __future__ import annotations

import contextlib
import os
import re
import threading
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import click

from agent_soul.cli.common import hub_option, open_hub, say, show_as_is, speak_to_agent, tell_agents
from agent_soul.cli.options import source_option
from agent_soul.errors import ExitCode, SoulError
from agent_soul.hooking.stdin import read_object
from agent_soul.hub import Hub
from agent_soul.lock import patience
from agent_soul.telling import invoked_as

if TYPE_CHECKING:
    from agent_soul.hooking.call import Call
    from agent_soul.runtimes.reading import Read


class _Limits(NamedTuple):
    """Seconds until the hook gives up, the start of Python not counted, and for which it waits for a lock."""

    whole: float = 4.4
    lock: float = 0.4


_LIMITS: Mapping[str, _Limits] = {"session-end": _Limits(0.9, 0.2)}
"""Of hooks that get less time; Claude Code gives all that run at the end of a session 1.5 s, Codex 3 s."""
_UNSURE_SECONDS = 30
"""A program may take as long from reading its files to running the hook; whoever writes them meanwhile is too late."""
_NO_TIME = (
    "Shared memory: there was no time to look for what is newer than what was read at the start. "
    "`soul boot{source}` says it, and what waits for somebody."
)
"""What is known where the time is over; the next session is told what this one was not."""
_COMMAND = re.compile(r"`soul ([a-z-]+)")


class _ForgivingCommand(click.Command):
    """A command that takes wrong options for an event it does not know: exit 2 stops some programs' agents."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        try:
            return super().parse_args(ctx, args)
        except click.UsageError as error:
            _say_why(error.format_message(), "`soul hook --help` shows how it is called")
            ctx.exit(ExitCode.DONE)


@click.command(cls=_ForgivingCommand)
@click.argument("event")
@click.option("--runtime", default="", metavar="NAME", help="The program that runs it, as in `soul join NAME`.")
@source_option
@hub_option
def hook(event: str, runtime: str, source: str | None, hub_name: str | None) -> int:
    """What an agent's program runs by itself: EVENT is session-start, stop or session-end. Always exit 0.

    What the program says on stdin tells which session it is. session-start prints what is newer than the files that
    the agent has read, in the form that the program takes, or nothing; stop reminds once of a long session that
    recorded nothing; session-end sends what waits, in the background.
    """
    limits = _LIMITS.get(event, _Limits())
    instead: list[str] = []
    watchdog = threading.Timer(limits.whole, _give_up, [instead])
    watchdog.daemon = True
    watchdog.start()
    try:
        with patience(limits.lock):
            _answer(event, runtime, source or "", hub_name, read_object(seconds=limits.whole / 4), instead)
    except SoulError as error:
        _say_why(error.message, error.hint)
    except Exception as error:  # of ours or the system's: an agent must start without its memory rather than not at all
        _say_why(f"{type(error).__name__}: {error}", "`soul doctor` looks for the cause")
    finally:
        watchdog.cancel()
    return ExitCode.DONE


def _answer(
    event: str, runtime: str, source: str, hub_name: str | None, said: Mapping[str, Any], instead: list[str]
) -> None:
    """Print what the hook has to say, and keep that it was told: in this order, for it may be ended in between.

    `instead` takes what is to be printed where there is no time for more.
    """
    from agent_soul.adding import local_now
    from agent_soul.hooking.call import SESSION_START, call_of
    from agent_soul.hooking.envelope import at_start
    from agent_soul.hooking.place import Place
    from agent_soul.hooking.run import run

    call = call_of(event, runtime, said, os.environ)
    if not call.event:
        if not call.is_subagent:
            _say_why(f"there is no event {event!r}", "there are session-start, stop and session-end")
        return
    hub = open_hub(hub_name)
    speak_to_agent(hub, source=source, runtime=runtime)
    place = Place(hub, source, local_now(), _typed_for(hub))
    if call.event == SESSION_START and not call.is_subagent:
        instead.append(
            at_start(place.typed(_NO_TIME.format(source=f" --source {source}" if source else "")), call.runtime)
        )
    if call.event == SESSION_START:
        read = _read_before(hub, call)
        answer = run(call, place, read.text, unsure=place.now.timestamp() - read.changed < _UNSURE_SECONDS)
    else:
        answer = run(call, place)
    instead.clear()
    if answer.text:
        show_as_is(answer.text)
    answer.remember()
    if call.event == SESSION_START:
        tell_agents(hub, looking=True)


def _read_before(hub: Hub, call: Call) -> Read:
    """Return what the agent read before this hook ran, so before anything is pulled and its files are written anew."""
    from agent_soul.runtimes.reading import text_read

    return text_read(hub, call.runtime, _folder_of(call))


def _folder_of(call: Call) -> Path:
    """Return where the agent works; a folder that was deleted meanwhile has no name any more."""
    folder = Path(call.folder)
    with contextlib.suppress(OSError):
        return folder.absolute()
    return folder


def _typed_for(hub: Hub) -> Callable[[str], str]:
    """Return what puts the commands of a text as an agent can type them in any folder."""
    where = f'--hub "{hub.root.as_posix()}"'
    return lambda text: _COMMAND.sub(lambda found: f"`{invoked_as()} {found[1]} {where}", text)


def _say_why(what: str, hint: str) -> None:
    """Say on one line why nothing is printed."""
    say(" ".join(f"soul hook: {what}{'; ' if hint else ''}{hint}".split()))


def _give_up(instead: list[str]) -> None:
    """End the process, whatever it waits for: our own time limits cannot end a disk that hangs."""
    with contextlib.suppress(OSError):
        os.write(1, "".join(f"{each}\n" for each in instead).encode())
    with contextlib.suppress(OSError):
        os.write(2, b"soul hook: it took too long and was ended\n")
    os._exit(ExitCode.DONE)
