"""The part of a Markdown file that is ours, between two comments. Pure.

<!-- agent-soul:begin id=core rev=1a2b3c4d5e6f sha256=… source=home-mac-codex hub="/home/me/soul" -->
…
<!-- agent-soul:end id=core -->
"""

from __future__ import annotations

import hashlib
import json
import re
from dataclasses import dataclass
from typing import NamedTuple

from agent_soul.runtimes.edits import Mark, OddFileError, with_newlines_of

NO_REVISION = "none"
_BEGIN, _END = "<!-- agent-soul:begin id=core ", "<!-- agent-soul:end id=core -->"
_BLOCK = re.compile(
    re.escape(_BEGIN) + r"(?P<fields>[^\r\n]*) -->\r?\n(?P<body>.*?)" + re.escape(_END) + r"(?:\r?\n|\Z)", re.DOTALL
)
_FIELDS = re.compile(r'rev=(?P<rev>\S+) sha256=(?P<sha256>\S+) source=(?P<source>\S+) hub=(?P<hub>"(?:[^"\\]|\\.)*")')
_COMMENT_START = re.compile(r"<!--(?=\s*agent-soul:)")


class Marker(NamedTuple):
    """What the first line of a block says: the commit that its text came from, its hash, for whom, of which hub."""

    rev: str
    sha256: str
    source: str
    hub: str


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
    marker = Marker(fields["rev"], fields["sha256"], fields["source"], json.loads(fields["hub"]))
    return Found(marker, found[0]["body"].replace("\r\n", "\n"))


@dataclass(frozen=True, slots=True)
class Block:
    """Our text in a file, and nothing else of it. With a `header` (front matter) the whole file is ours."""

    body: str
    source: str
    hub: str
    rev: str = NO_REVISION
    header: str = ""
    whole: bool = False

    @property
    def snippet(self) -> str:
        return self.header + self._rendered()

    def put(self, text: str) -> str:
        if not text.strip():
            return self.header + self._rendered()
        found = find_block(text)
        if found is None and self.whole:
            raise OddFileError("it is a file of that name which `soul join` did not write")
        if found is None:
            return text + with_newlines_of(text, self._gap_after(text) + self._rendered())
        ours = Marker(found.marker.rev, self._sha256(), self.source, self.hub)
        if found.marker == ours and found.body == self._safe_body():
            return text
        rendered = with_newlines_of(text, self._rendered())
        return _BLOCK.sub(lambda _: rendered, text)

    def take_out(self, text: str) -> str:
        found = _BLOCK.search(text) if find_block(text) else None
        if not found:
            return text
        before, after = text[: found.start()], text[found.end() :]
        if before.endswith(("\n\n", "\r\n\r\n")):
            before = before.removesuffix("\n").removesuffix("\r")
        rest = before + after
        return "" if rest.strip() == self.header.strip() else rest

    def marks(self, text: str) -> list[Mark]:
        found = find_block(text)
        return [Mark(found.marker.hub, found.marker.source)] if found else []

    def _rendered(self) -> str:
        hub = json.dumps(self.hub, ensure_ascii=False).replace(">", "\\u003e")
        fields = f"rev={self.rev} sha256={self._sha256()} source={self.source} hub={hub}"
        return f"{_BEGIN}{fields} -->\n{self._safe_body()}{_END}\n"

    def _safe_body(self) -> str:
        """Return the body, in which nothing can be taken for the end of the block."""
        return _COMMENT_START.sub("<!- -", self.body.replace("\r\n", "\n"))

    def _sha256(self) -> str:
        return hashlib.sha256(self._safe_body().encode("utf-8", "surrogatepass")).hexdigest()

    @staticmethod
    def _gap_after(text: str) -> str:
        return "\n" if text.endswith("\n") else "\n\n"
