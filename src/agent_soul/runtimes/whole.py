"""A file that is ours as a whole, known by a line in it, with a hash at its end; comments begin with `#`. Pure."""

from __future__ import annotations

import re
from dataclasses import dataclass

from agent_soul.runtimes.blocks import sha256_of
from agent_soul.runtimes.edits import Mark, OddFileError

_END = re.compile(r"# agent-soul:end sha256=(?P<sha256>\w+)\s*\Z")


@dataclass(frozen=True, slots=True)
class Whole:
    """The file holds `text` and nothing else; one there without `sign` is somebody else's."""

    text: str
    sign: str

    @property
    def snippet(self) -> str:
        return f"{self.text}# agent-soul:end sha256={sha256_of(self.text)}\n"

    def put(self, text: str) -> str:
        if text.strip() and self.sign not in text:
            raise OddFileError("it is a file of that name which `soul join` did not write")
        return self.snippet

    def take_out(self, text: str) -> str:
        return "" if self.sign in text else text

    def marks(self, text: str) -> list[Mark]:
        return []

    def is_changed(self, text: str) -> bool:
        found = _END.search(text)
        body = text[: found.start()].replace("\r\n", "\n") if found else ""
        return self.sign in text and (found is None or found["sha256"] != sha256_of(body))
