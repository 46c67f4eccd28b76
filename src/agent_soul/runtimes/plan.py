"""What a join or its end changes, decided before anything is written. Pure: from bytes to bytes.

Before the first edit of a file that was there its bytes are put beside it. Taking ours out of a text leaves what is
a stranger's; where that is what taking ours out of the joined copy leaves too, nobody changed anything
meanwhile, and the copy comes back, byte for byte. Else the copy stays where what is left may lack a byte of it.

What a person wrote within our part goes when that is written anew; a copy with it stays, under a name of its own.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import NamedTuple

from agent_soul.errors import StoppedError
from agent_soul.runtimes.edits import Edit, Hashed, OddFileError, TakenError
from agent_soul.runtimes.model import Placed
from agent_soul.runtimes.skill_edits import SkillLink

BACKUP = ".agent-soul.bak"
SIGN = b"soul"
"""Stands in all that is ours; other programs' files can be large, or broken, and are not parsed without it."""
_COPY = "the file as it was"
_CHANGED = "a copy of the file, for somebody had changed our part of it by hand"
_BOM = "\ufeff"

Read = Callable[[Path], bytes | None]
"""The bytes of a file, or None where there is none."""


class Change(NamedTuple):
    """A file before and after; None where it is not there. Of a link, as in Git, the bytes say where it leads."""

    path: Path
    before: bytes | None
    after: bytes | None
    what: str
    is_link: bool = False


class Odd(NamedTuple):
    """A file that cannot be edited, why, and what a person pastes into it."""

    path: Path
    reason: str
    snippet: str


class Plan(NamedTuple):
    """Everything that is to be written, in order, and what is left to a person."""

    changes: tuple[Change, ...]
    odd: tuple[Odd, ...]


def backup_of(path: Path) -> Path:
    """Return where the bytes of a file from before the first edit are kept."""
    return path.with_name(path.name + BACKUP)


def original_of(path: Path) -> Path:
    """Return the file of which this is the copy; any other one is its own."""
    return path.with_name(path.name.removesuffix(BACKUP))


def plan_join(placed: Iterable[Placed], read: Read) -> Plan:
    """Return the changes that bring all edits into their files."""
    return _plan(placed, lambda path, group: _joined(path, group, read))


def plan_end(placed: Iterable[Placed], read: Read) -> Plan:
    """Return the changes that take all edits out again."""
    return _plan(placed, lambda path, group: _ended(path, group, read))


def copy_of(path: Path, content: bytes) -> Path:
    """Return where bytes are kept that no end of a join puts back: under a name that no other bytes get."""
    return path.with_name(f"{path.name}.{hashlib.sha256(content).hexdigest()[:8]}{BACKUP}")


def _plan(placed: Iterable[Placed], change: Callable[[Path, list[Placed]], list[Change]]) -> Plan:
    """Return what `change` says for each file with all edits of it; with those whose place nobody else has taken."""
    files: dict[Path, list[Placed]] = {}
    for each in placed:
        files.setdefault(each.path, []).append(each)
    changes: list[Change] = []
    odd: list[Odd] = []
    for path, group in files.items():
        left = group
        while left:
            try:
                changes += [each for each in change(path, left) if each.before != each.after]
                break
            except TakenError as error:
                odd.append(Odd(path, error.message, error.edit.snippet))
                left = [each for each in left if each.edit is not error.edit]
            except StoppedError as error:  # one that cannot be read costs only itself, as one that says nothing does
                odd.append(Odd(path, error.message, "\n".join(each.edit.snippet for each in left)))
                break
    return Plan(tuple(changes), tuple(odd))


def _joined(path: Path, group: Sequence[Placed], read: Read) -> list[Change]:
    edits = [each.edit for each in group]
    if isinstance(edits[0], SkillLink):
        return _link_made(group[0], edits[0], read)
    before = read(path)
    after = _edited(before or b"", edits)
    if before is None:
        return [Change(path, before, after or None, _named(group))]
    changes = [Change(path, before, after, _named(each for each in group if _edited(before, [each.edit]) != before))]
    return changes if before == after else [*_copies(path, before, edits, read), *changes]


def _link_made(placed: Placed, link: SkillLink, read: Read) -> list[Change]:
    """Return the link where there is none yet, after what it takes the place of."""
    taken = [Change(file, read(file), None, "the copy whose place the link takes") for file in link.instead_of]
    return taken if link.stands else [*taken, _link(placed, None, link.put(""))]


def _link(placed: Placed, before: str | None, after: str | None) -> Change:
    was, will = (None if each is None else os.fsencode(each) for each in (before, after))
    return Change(placed.path, was, will, placed.what, is_link=True)


def _copies(path: Path, before: bytes, edits: Sequence[Edit], read: Read) -> list[Change]:
    """Return what is put beside a file before it is changed."""
    copy, copies = read(backup_of(path)), _changed_by_hand(path, before, edits, read)
    others = _without(before, edits)
    is_joined = _is_marked(before, edits) if others == before else copy is not None or _says_nothing(others)
    if is_joined:  # by this program or by another one, which saw to the copy
        return copies
    if copy not in (None, before):  # of a join that is over
        kept = copy_of(path, copy)
        copies.append(Change(kept, read(kept), copy, _COPY))
    return [*copies, Change(backup_of(path), copy, before, _COPY)]


def _changed_by_hand(path: Path, before: bytes, edits: Sequence[Edit], read: Read) -> list[Change]:
    text = decode(before)[1]
    if not any(isinstance(edit, Hashed) and edit.is_changed(text) for edit in edits):
        return []
    kept = copy_of(path, before)
    return [Change(kept, read(kept), before, _CHANGED)]


def _ended(path: Path, group: Sequence[Placed], read: Read) -> list[Change]:
    edits = [each.edit for each in group]
    if isinstance(edits[0], SkillLink):
        return [_link(group[0], edits[0].stands or None, None)]
    before, copy = read(path), read(backup_of(path))
    if copy is None and SIGN not in (before or b""):
        return []
    after, is_whole = _taken_back(before, copy, edits)
    what = _named(each for each in group if _without(before or b"", [each.edit]) != (before or b""))
    changes = [Change(path, before, after, what)]
    if before is not None and before != after:
        changes = [*_changed_by_hand(path, before, edits, read), *changes]
    if is_whole and (after is None or not _is_marked(after, edits)):  # another program may share what is there
        changes.append(Change(backup_of(path), copy, None, _COPY))
    return changes


def _named(group: Iterable[Placed]) -> str:
    return ", ".join(dict.fromkeys(each.what for each in group))


def _taken_back(before: bytes | None, copy: bytes | None, edits: Sequence[Edit]) -> tuple[bytes | None, bool]:
    """Return the file without ours, None where nothing else was ever in it, and whether all of the copy is in it.

    The file itself may be gone: whoever took it away did not want the copy either.
    """
    if before is None:
        return None, True
    rest = _without(before, edits)
    if copy is None:
        return (None if rest != before and _says_nothing(rest) else rest), True
    present = [edit for edit in edits if _stands(edit, before)]
    try:
        untouched = _without(_edited(copy, present), present)
    except OddFileError:
        return rest, rest == copy
    had_ours = _without(copy, present) != copy  # of another join; only what is a stranger's comes back
    return (copy, True) if untouched == rest and not had_ours else (rest, had_ours or untouched == copy)


def _stands(edit: Edit, content: bytes) -> bool:
    """Tell whether an edit was made: there is something to take out, or nothing to put in."""
    return _without(content, [edit]) != content or _edited(content, [edit]) == content


def _is_marked(content: bytes, edits: Sequence[Edit]) -> bool:
    """Tell whether something of ours stands in a file, for whatever program."""
    return any(edit.marks(decode(content)[1]) for edit in edits)


def _edited(content: bytes, edits: Sequence[Edit]) -> bytes:
    bom, text = decode(content)
    for edit in edits:
        text = edit.put(text)
    return encode(bom, text)


def _without(content: bytes, edits: Sequence[Edit]) -> bytes:
    bom, text = decode(content)
    for edit in reversed(edits):
        text = edit.take_out(text)
    return encode(bom, text)


def decode(content: bytes) -> tuple[str, str]:
    """Return a byte order mark, if any, and the text. Raises `OddFileError` where it is no UTF-8."""
    try:
        text = content.decode("utf-8")
    except UnicodeDecodeError as error:
        raise OddFileError("it is no text in UTF-8") from error
    return (_BOM, text[1:]) if text.startswith(_BOM) else ("", text)


def encode(bom: str, text: str) -> bytes:
    """Return the bytes of a text again."""
    return (bom + text).encode("utf-8")


def _says_nothing(content: bytes) -> bool:
    return content.strip().replace(b" ", b"") in (b"", b"{}", b"\xef\xbb\xbf")
