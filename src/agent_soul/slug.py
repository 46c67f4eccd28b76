"""File names for projects, agents and topics: readable in any script, distinct on any file system.

A name that is already a good file name is its own slug. Any other keeps what can be kept and gets eight
digits of its SHA-256, so that `Alpha` and `alpha` never share a page, even where a file system ignores case.
"""

from __future__ import annotations

import functools
import re
import unicodedata

from agent_soul.digests import sha256
from agent_soul.text import neutralise

MAX_CODE_POINTS = 60
MAX_BYTES = 150
"""In UTF-8; leaves room for an extension and a temporary suffix within the usual 255 bytes of a file name."""

_DIGEST = re.compile(r"-[0-9a-f]{8}\Z")
_DIGEST_LENGTH = 9
_DEVICES = re.compile(r"(con|prn|aux|nul|(com|lpt)[0-9])\Z")
_NAMELESS = "unnamed"


@functools.lru_cache(maxsize=65536)
def slug(name: str) -> str:
    """Make the safe file name stem of `name`: letters and digits of any script, single `-` between them.

    At most 60 code points and 150 UTF-8 bytes, in lower case; never empty, never a device of Windows, never
    starting with `.` or `-`. Two spellings that Unicode calls canonically equal are one name. All else that
    is lost on the way (case, other characters, length) adds `-` and 8 hex digits, so that two names meet only
    where their SHA-256 does.
    """
    normal = unicodedata.normalize("NFC", name)
    words = stem(normal)
    if words == normal and _fits(words) and not _is_taken(words):
        return words
    digest = sha256(normal.encode("utf-8", "surrogatepass")).hexdigest()[: _DIGEST_LENGTH - 1]
    return f"{_shorten(words) or _NAMELESS}-{digest}"


def stem(name: str) -> str:
    """Return case-folded words joined by `-`; the word's marks stay with its letters, all else ends a word."""
    folded = unicodedata.normalize("NFC", name.casefold())
    kept: list[str] = []
    for character in neutralise(folded):  # some hidden characters count as letters: Hangul fillers
        in_word = bool(kept) and kept[-1] != "-"
        if _is_letter(character) or (in_word and _is_mark(character)):
            kept.append(character)
        elif in_word:
            kept.append("-")
    return "".join(kept).removesuffix("-")


def _is_letter(character: str) -> bool:
    # Planes 2 and 3 are for ideographs only. Newer Pythons know more of them, and no page may move for that.
    return character.isalnum() or "\U00020000" <= character <= "\U0003ffff"


def _is_mark(character: str) -> bool:
    return unicodedata.category(character).startswith("M")


def _fits(stem: str) -> bool:
    return len(stem) <= MAX_CODE_POINTS and len(stem.encode()) <= MAX_BYTES


def _is_taken(stem: str) -> bool:
    """Names that a file system refuses, and names that look like the slug of another name."""
    return not stem or bool(_DEVICES.match(unicodedata.normalize("NFKC", stem)) or _DIGEST.search(stem))


def _shorten(stem: str) -> str:
    room = stem[: MAX_CODE_POINTS - _DIGEST_LENGTH].encode()[: MAX_BYTES - _DIGEST_LENGTH]
    return room.decode("utf-8", "ignore").removesuffix("-")
