"""What an error is told as, wherever it ends: the words for people and agents, and how to start a command of ours."""

from __future__ import annotations

import contextlib
import os
import re
from collections.abc import Iterator

from agent_soul.errors import ExitCode, SoulError
from agent_soul.files import remedy

_LONGEST = 1_000
_INVOKED_AS = "AGENT_SOUL_INVOKED_AS"
_ONE_WORD = re.compile(r"[a-z0-9][a-z0-9-]*")


def invoked_as() -> str:
    """Return the words that start our commands here: `soul`, or the script that did."""
    return os.environ.get(_INVOKED_AS) or "soul"


@contextlib.contextmanager
def spoken_as(words: str) -> Iterator[None]:
    """Name our commands by these words instead, as long as it lasts."""
    before = os.environ.get(_INVOKED_AS)
    os.environ[_INVOKED_AS] = words
    try:
        yield
    finally:
        del os.environ[_INVOKED_AS]
        os.environ |= {_INVOKED_AS: before} if before else {}


def with_commands(text: str, source: str = "") -> str:
    """Return talk of ours with the commands in it as they can be typed here, by the agent `source`.

    Without one it is that of the environment; where nobody said it, `YOUR-ID` stays.
    """
    source = source or os.environ.get("AGENT_SOUL_SOURCE", "")
    if _ONE_WORD.fullmatch(source):
        text = text.replace("--source YOUR-ID", f"--source {source}")
    return text.replace("`soul ", f"`{invoked_as()} ")


def as_typed(command: str, source: str = "") -> str:
    """Return a command of ours as it can be typed here, like those in talk."""
    return with_commands(f"`{command}`", source)[1:-1]


def told(error: SoulError | OSError | UnicodeEncodeError) -> tuple[ExitCode, str, str]:
    """Return the exit code, the message and the next step of an error that was to be expected.

    What the system refuses is never a bug of ours.
    """
    if isinstance(error, SoulError):
        return error.exit_code, error.message, error.hint
    if isinstance(error, UnicodeEncodeError):
        said = f"{error.object[:_LONGEST]!r} holds bytes that are no UTF-8"
        return ExitCode.USAGE, said, "give the text in UTF-8"
    names = [os.fsdecode(name) for name in (error.filename, error.filename2) if isinstance(name, (str, bytes))]
    what = f"{' and '.join(names)}: " if names else "the system refused: "
    return ExitCode.STOPPED, f"{what}{error.strerror or error}", remedy(error)


def shortened(message: str) -> str:
    """Return a message in a length that can be read; it quotes values, and a value may be a whole book."""
    return message if len(message) <= _LONGEST else f"{message[:_LONGEST]}…"
