"""The part of a Markdown file that is ours, between two comments. Pure.

The first says where its text came from and what it was written for. Two programs may read one file, where dotfiles are
linked or in a project; they share the block, and the last one takes it along:

    <!-- agent-soul:begin id=core rev=1a2b3c4d5e6f sha256=… source=home-mac-codex hub="/home/me/soul"
        program=["/usr/bin/soul"] for=codex,zed -->
    …
    <!-- agent-soul:end id=core -->
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import NamedTuple

from agent_soul.runtimes.edits import Mark, OddFileError, with_newlines_of

NO_REVISION = "none"
_BEGIN, _END = "<!-- agent-soul:begin id=core ", "<!-- agent-soul:end id=core -->"
_BLOCK = re.compile(
    re.escape(_BEGIN) + r"(?P<fields>[^\r\n]*) -->\r?\n(?P<body>.*?)" + re.escape(_END) + r"(?:\r?\n|\Z)", re.DOTALL
)
_FIELDS = re.compile(
    r"rev=(?P<rev>\S+) sha256=(?P<sha256>\S+) source=(?P<source>\S+) "
    r'hub=(?P<hub>"(?:[^"\\]|\\.)*") program=(?P<program>\[.*\]) for=(?P<runtimes>\S+)'
)
_COMMENT_START = re.compile(r"<!--(?=\s*agent-soul:)")


class Marker(NamedTuple):
    """What the first line of a block says: the commit that its text came from, its hash, for whom, of which hub."""

    rev: str
    sha256: str
    source: str
    hub: str
    program: tuple[str, ...]
    """What `soul` is in the text's commands."""
    runtimes: tuple[str, ...]


class Found(NamedTuple):
    """A block that stands in a text."""

    marker: Marker
    body: str


def find_block(text: str) -> Found | None:
    """Return the block in the text, or None. Raises `OddFileError` where there are several, or half of one."""
    found = list(_BLOCK.finditer(text))
    if (text.count(_BEGIN), text.count(_END)) != (len(found), len(found)) or len(found) > 1:
        raise OddFileError("the comments `agent-soul:begin` and `agent-soul:end` do not stand there once and in pairs")
    if not found:
        return None
    fields = _FIELDS.fullmatch(found[0]["fields"])
    if not fields:
        raise OddFileError("its comment `agent-soul:begin` says something else than was written there")
    return Found(_marker(fields), found[0]["body"].replace("\r\n", "\n"))


def _marker(fields: re.Match[str]) -> Marker:
    """Return what the fields say. Raises `OddFileError` where a person, or a program, made something else of them."""
    try:
        hub, program = json.loads(fields["hub"]), tuple(json.loads(fields["program"]))
        "".join([hub, *program]).encode()  # texts, all of them, and such as can be written again
    except (ValueError, TypeError, RecursionError) as error:
        raise OddFileError(
            "its comment `agent-soul:begin` names no hub and program as they were written there"
        ) from error
    runtimes = tuple(fields["runtimes"].split(","))
    return Marker(fields["rev"], fields["sha256"], fields["source"], hub, program, runtimes)


@dataclass(frozen=True, slots=True)
class Block:
    """Our text in a file, and nothing else of it. With a `header` (front matter) the whole file is ours."""

    body: Callable[[str], str]
    """Gives the text for what else is in the file: a program's limit counts both."""
    source: str
    hub: str
    program: tuple[str, ...]
    runtime: str
    rev: str = NO_REVISION
    header: str = ""
    whole: bool = False

    @property
    def snippet(self) -> str:
        return self.header + self._rendered(self._text_beside(self.header), (self.runtime,))

    def put(self, text: str) -> str:
        if not text.strip():
            return self.snippet
        found = find_block(text)
        if found is None and self.whole:
            raise OddFileError("it is a file of that name which `soul join` did not write")
        body = self._text_beside(_BLOCK.sub("", text))
        if found is None:
            return text + with_newlines_of(text, self._gap_after(text) + self._rendered(body, (self.runtime,)))
        there = found.marker.runtimes
        runtimes = there if self.runtime in there else (*there, self.runtime)
        ours = Marker(found.marker.rev, sha256_of(body), self.source, self.hub, self.program, runtimes)
        if found.marker == ours and found.body == body:
            return text
        rendered = with_newlines_of(text, self._rendered(body, runtimes))
        return _BLOCK.sub(lambda _: rendered, text)

    def take_out(self, text: str) -> str:
        block, found = find_block(text), _BLOCK.search(text)
        if not block or not found or self.runtime not in block.marker.runtimes:
            return text
        others = tuple(name for name in block.marker.runtimes if name != self.runtime)
        if others:
            return text.replace(f" {shared_by(block.marker.runtimes)} -->", f" {shared_by(others)} -->", 1)
        before, after = text[: found.start()], text[found.end() :]
        if before.endswith(("\n\n", "\r\n\r\n")):
            before = before.removesuffix("\n").removesuffix("\r")
        rest = before + after
        return "" if rest.strip() == self.header.strip() else rest

    def marks(self, text: str) -> list[Mark]:
        found = find_block(text)
        return (
            [Mark(found.marker.hub, found.marker.source, found.marker.program, found.marker.runtimes)] if found else []
        )

    def is_changed(self, text: str) -> bool:
        found = find_block(text)
        return found is not None and found.marker.sha256 != sha256_of(found.body)

    def _text_beside(self, others: str) -> str:
        """Return the body, in which nothing can be taken for the end of the block."""
        around = others + self._rendered("", (self.runtime,))
        return _COMMENT_START.sub("<!- -", self.body(around).replace("\r\n", "\n"))

    def _rendered(self, body: str, runtimes: tuple[str, ...]) -> str:
        hub, program = map(quoted, (self.hub, self.program))
        fields = f"rev={self.rev} sha256={sha256_of(body)} source={self.source} hub={hub} program={program}"
        return f"{_BEGIN}{fields} {shared_by(runtimes)} -->\n{body}{_END}\n"

    @staticmethod
    def _gap_after(text: str) -> str:
        return "\n" if text.endswith("\n") else "\n\n"


def quoted(value: object) -> str:
    """Return a value as JSON in which nothing ends a comment."""
    return json.dumps(value, ensure_ascii=False).replace(">", "\\u003e")


def shared_by(runtimes: Iterable[str]) -> str:
    """Return the field that names the programs which read a file."""
    return f"for={','.join(runtimes)}"


def sha256_of(body: str) -> str:
    """Return the hash of a text, in hex."""
    return hashlib.sha256(body.encode("utf-8", "surrogatepass")).hexdigest()
