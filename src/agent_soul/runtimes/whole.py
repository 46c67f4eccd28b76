"""A file that is ours as a whole, known by a word in it. Pure."""

from __future__ import annotations

from dataclasses import dataclass

from agent_soul.runtimes.edits import Mark, OddFileError


@dataclass(frozen=True, slots=True)
class Whole:
    """The file holds `text` and nothing else; one there without `sign` is somebody else's."""

    text: str
    sign: str

    @property
    def snippet(self) -> str:
        return self.text

    def put(self, text: str) -> str:
        if text.strip() and self.sign not in text:
            raise OddFileError("it is a file of that name which `soul join` did not write")
        return self.text

    def take_out(self, text: str) -> str:
        return "" if self.sign in text else text

    def marks(self, text: str) -> list[Mark]:
        return []
