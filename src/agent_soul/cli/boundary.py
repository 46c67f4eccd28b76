"""The one place where errors become messages and exit codes. No traceback reaches a user."""

from __future__ import annotations

import atexit
import contextlib
import json
import os
import signal
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import Any

from agent_soul.cli.common import discard_stdout, say
from agent_soul.errors import ExitCode, RefusedError, SoulError
from agent_soul.telling import shortened, told, with_commands

_DASHES = tuple(map(chr, (*range(0x2010, 0x2016), 0x2212)))
INTERRUPTED = 128 + signal.SIGINT


def run_safely(command: Callable[[Sequence[str]], Any], argv: Sequence[str] | None) -> int:
    """Run `command` with the arguments and return the exit code that its end stands for."""
    arguments = list(sys.argv[1:] if argv is None else argv)
    _speak_utf8()
    try:
        _refuse_typographic_options(arguments)
        result = command(arguments)
        sys.stdout.flush()
    except KeyboardInterrupt:
        return INTERRUPTED
    except BrokenPipeError:
        discard_stdout()  # the reader has seen enough (`search | head`); what was to be written is written
        return ExitCode.DONE
    except (SoulError, UnicodeEncodeError, OSError) as error:
        return _report(arguments, *told(error), error.fields if isinstance(error, SoulError) else {})
    except Exception as error:
        return _ended_by(error, arguments)
    return result if isinstance(result, int) else ExitCode.DONE


def _ended_by(error: Exception, arguments: Sequence[str]) -> int:
    """Return the exit code of what click raised, and report what nobody expected."""
    import click  # loaded already, if the error is one of its own

    match error:
        case click.exceptions.Exit():
            return error.exit_code
        case click.UsageError():
            where = f"{error.ctx.command_path} --help" if error.ctx else "soul --help"
            return _report(arguments, ExitCode.USAGE, error.format_message(), f"see `{where}`")
        case click.ClickException():
            return _report(arguments, ExitCode.USAGE, error.format_message(), "")
        case click.Abort():
            return INTERRUPTED
    from agent_soul.bugs import write_report  # what it imports takes 15 ms that nobody else need pay

    said = f"a bug of ours: {type(error).__name__}: {error}"
    return _report(arguments, ExitCode.BUG, said, write_report(arguments))


def _speak_utf8() -> None:
    """Print UTF-8 whatever the console's own encoding, and nowhere if there is none: no output fails for either."""
    for name in ("stdout", "stderr"):
        if getattr(sys, name) is None:
            nowhere = Path(os.devnull).open("w", encoding="utf-8")  # noqa: SIM115 - for the whole process
            atexit.register(nowhere.close)
            setattr(sys, name, nowhere)
    for stream in (sys.stdout, sys.stderr):
        with contextlib.suppress(AttributeError, ValueError):
            stream.reconfigure(encoding="utf-8", errors="backslashreplace", newline="\n")  # type: ignore[union-attr]


def _refuse_typographic_options(arguments: Sequence[str]) -> None:
    if not any(argument.startswith(_DASHES) for argument in arguments):
        return
    from agent_soul.draft import typographic_option  # with all that checks an event: not for every search

    found = typographic_option(arguments)
    if found:
        name = found.lstrip("".join(_DASHES))
        raise RefusedError(
            f"{found!r} begins with U+{ord(found[0]):04X}, a dash that an editor or a web page put there",
            hint=f"type two plain hyphens: --{name}",
        )


def _report(
    arguments: Sequence[str],
    code: ExitCode,
    message: str,
    hint: str,
    fields: Mapping[str, object] = MappingProxyType({}),
) -> int:
    """Say what went wrong: on stderr for people, and as one object with these `fields` on stdout for `--json`."""
    message = shortened(message)
    if "--json" in arguments:
        error = {"code": code.name.lower(), "message": with_commands(message), "hint": with_commands(hint)}
        try:
            print(json.dumps({"ok": False, "error": error, **fields}), flush=True)  # noqa: T201
        except OSError:
            discard_stdout()
    say(f"soul: {message}" + (f"\n  → {hint}" if hint else ""))
    return code
