"""What can go wrong: one root exception, its exit codes, and problems as values.

An exception means that a command cannot go on. Anything wrong with the user's data is a `Problem`: it is
collected, and one run reports all of them.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import IntEnum
from typing import ClassVar, Literal, NamedTuple


class ExitCode(IntEnum):
    """What a command's exit status tells the agent that ran it."""

    DONE = 0
    PROBLEMS = 1
    USAGE = 2
    BUG = 3
    NOT_SHARED = 4
    STOPPED = 5


class SoulError(Exception):
    """Any expected reason to stop; `hint` is the next step for the person or agent who reads it."""

    exit_code = ExitCode.STOPPED
    fields: ClassVar[Mapping[str, object]] = {}
    """What the command's answer as JSON has besides the error."""

    def __init__(self, message: str, *, hint: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint


class RefusedError(SoulError):
    """Wrong usage or input that is not taken; nothing was written."""

    exit_code = ExitCode.USAGE


class NotSharedError(SoulError):
    """The events are safe on this machine but have not reached the remote."""

    exit_code = ExitCode.NOT_SHARED


class StoppedError(SoulError):
    """Nothing of ours may go on until a person decides, or the outcome is unknown."""


class Problem(NamedTuple):
    """One thing wrong with one place in the hub.

    `line` and `column` count from 1; 0 means the whole file. `code` is a stable short name for programs. An `error`
    costs the line its place in the memory; a `notice` costs nothing and should be looked at.
    """

    path: str
    line: int
    column: int
    code: str
    message: str
    level: Literal["error", "notice"] = "error"

    def __str__(self) -> str:
        place = self.path if not self.line else f"{self.path}:{self.line}:{self.column}"
        return f"{place}: {self.message}"
