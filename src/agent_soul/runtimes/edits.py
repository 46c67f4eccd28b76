"""What an edit of somebody else's file is, and what all of them share. Pure: from text to text.

An edit adds what is ours to a text and takes it out again; all that is a stranger's stays byte for byte. Doing it
twice is doing it once.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple, Protocol, runtime_checkable

from agent_soul.errors import StoppedError


class Mark(NamedTuple):
    """What of ours stands in a file: for which hub and source, and the program that a command of ours starts.

    `runtimes` names those that share it; empty where that cannot be.
    """

    hub: str
    source: str
    program: tuple[str, ...] = ()
    runtimes: tuple[str, ...] = ()


class Edit(Protocol):
    """One change to one text file."""

    @property
    def snippet(self) -> str:
        """What a person pastes where the file cannot be edited."""

    def put(self, text: str) -> str:
        """Return the text with what is ours in it. Raises `OddFileError` where it cannot be understood."""

    def take_out(self, text: str) -> str:
        """Return the text without anything of ours. Raises `OddFileError`."""

    def marks(self, text: str) -> Sequence[Mark]:
        """Return what of ours the text holds, of whatever hub. Raises `OddFileError`."""


@runtime_checkable
class Hashed(Protocol):
    """An edit that can tell whether a person changed what it wrote."""

    def is_changed(self, text: str) -> bool:
        """Tell whether what is ours in the text is not what we wrote. Raises `OddFileError`."""


class OddFileError(StoppedError):
    """The file is not what its program would read there, so nobody can edit it without guessing."""


class TakenError(OddFileError):
    """A stranger has the place of one edit; others of the same file can be made."""

    def __init__(self, edit: Edit, message: str) -> None:
        super().__init__(message)
        self.edit = edit


def newline_of(text: str) -> str:
    """Return the line end that the text uses; LF where it has none yet."""
    end = text.find("\n")
    return "\r\n" if end > 0 and text[end - 1] == "\r" else "\n"


def with_newlines_of(text: str, addition: str) -> str:
    """Return `addition`, whose lines end in LF, with the line ends of `text`."""
    return addition.replace("\n", newline_of(text))
