"""The skill's file in a folder that several programs read: ours only with a comment of ours at its end. Pure.

The comment says what hub the commands in it are for, and which programs were joined; the last one takes the file along:

    <!-- agent-soul:skill sha256=… hub="/home/me/soul" for=codex,zed -->
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from agent_soul.runtimes.blocks import quoted, sha256_of, shared_by
from agent_soul.runtimes.edits import Mark, OddFileError, with_newlines_of

_COMMENT = re.compile(
    r'<!-- agent-soul:skill sha256=(?P<sha256>\w+) hub=(?P<hub>"(?:[^"\\\r\n]|\\.)*") for=(?P<runtimes>\S+) -->\s*\Z'
)
_MOVE = "move it away, then join again"


class _Found(NamedTuple):
    """A skill of ours that stands in a file."""

    body: str
    sha256: str
    hub: str
    runtimes: tuple[str, ...]


def _find(text: str) -> _Found | None:
    found = _COMMENT.search(text)
    if not found:
        return None
    try:
        hub = json.loads(found["hub"])
    except ValueError:  # somebody changed it
        return None
    body = text[: found.start()].replace("\r\n", "\n")
    return _Found(body, found["sha256"], hub, tuple(found["runtimes"].split(",")))


@dataclass(frozen=True, slots=True)
class SkillFile:
    """A file of the skill that holds `body` and the comment; one there without the comment is somebody else's.

    `shared`: the folder in which the skill is installed for other programs too, where a link to that does instead.
    """

    body: str
    hub: str
    runtime: str
    shared: Path | None = None

    @property
    def snippet(self) -> str:
        return self._rendered((self.runtime,))

    def put(self, text: str) -> str:
        if not text.strip():
            return self.snippet
        there = _find(text)
        if there is None:
            raise OddFileError(f"it is a skill of that name which `soul join` did not write; {_MOVE}")
        shared = there.runtimes if there.hub == self.hub else ()
        after = self._rendered(shared if self.runtime in shared else (*shared, self.runtime))
        return with_newlines_of(text, after)

    def take_out(self, text: str) -> str:
        there = _find(text)
        if there is None or self.runtime not in there.runtimes:
            return text
        others = tuple(name for name in there.runtimes if name != self.runtime)
        end = f" {shared_by(there.runtimes)} -->"
        return f" {shared_by(others)} -->".join(text.rsplit(end, 1)) if others else ""

    def marks(self, text: str) -> list[Mark]:
        there = _find(text)
        return [Mark(there.hub, "", (), there.runtimes)] if there else []

    def is_changed(self, text: str) -> bool:
        there = _find(text)
        return there is not None and there.sha256 != sha256_of(there.body)

    def is_ours(self, text: str) -> bool:
        """Tell whether a join wrote the file and nobody changed it since."""
        return _find(text) is not None and not self.is_changed(text)

    def _rendered(self, runtimes: tuple[str, ...]) -> str:
        body = f"{self.body.rstrip()}\n\n"
        fields = f"sha256={sha256_of(body)} hub={quoted(self.hub)} {shared_by(runtimes)}"
        return f"{body}<!-- agent-soul:skill {fields} -->\n"


@dataclass(frozen=True, slots=True)
class SkillLink:
    """A link to the folder in which the skill is installed; its text is where it leads.

    `stands` is what the link there says, if there is one; it leads to `shared`, in whatever way. `instead_of` are
    files of ours, in a folder of that name, whose place the link takes.
    """

    shared: Path
    stands: str = ""
    instead_of: tuple[Path, ...] = ()

    @property
    def snippet(self) -> str:
        return str(self.shared)

    def put(self, text: str) -> str:
        return text or str(self.shared)

    def take_out(self, text: str) -> str:
        return ""

    def marks(self, text: str) -> list[Mark]:
        return []


@dataclass(frozen=True, slots=True)
class Barred:
    """What somebody has in the place of the skill, a checkout perhaps: it stays. `why` says what it is."""

    why: str
    snippet: str

    def put(self, text: str) -> str:
        raise OddFileError(f"{self.why}; {_MOVE}")

    def take_out(self, text: str) -> str:
        return text

    def marks(self, text: str) -> list[Mark]:
        return []
