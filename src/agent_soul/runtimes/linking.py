"""The skill is installed once, in `~/.agents/skills`; a program that looks elsewhere and follows links gets a link.

That folder and not one of ours, since seven programs read it as it is, and OpenClaw refuses a skill that is a link.
Where no link can be made, or somebody else has a part in one of the two places, the program gets a copy.
"""

from __future__ import annotations

import os
from collections.abc import Collection, Iterable
from pathlib import Path
from typing import NamedTuple

from agent_soul.runtimes.model import Placed
from agent_soul.runtimes.skill_edits import Barred, SkillFile, SkillLink
from agent_soul.runtimes.writing import can_link, link_at, real_path, text_at

_WHAT = "skill, as a link"


class WithLinks(NamedTuple):
    """The edits of a join, and why some of them are copies."""

    placed: tuple[Placed, ...]
    notes: tuple[str, ...]


def as_it_stands(placed: Placed) -> Placed:
    """Return the edit of the file that links lead to, but for the skill: its own folder and file are no links.

    A link in its place that leads to where the skill is installed is ours, any other one somebody else's.
    """
    real = real_path(placed.path)
    edit, folder = placed.edit, placed.path.parent
    if isinstance(edit, SkillFile) and (barrier := _no_folder_above(placed.path)):
        return Placed(barrier, Barred(f"{barrier} stands in its place and is no folder", edit.snippet), placed.what)
    if not isinstance(edit, SkillFile) or not (placed.path.is_symlink() or folder.is_symlink()):
        return placed._replace(path=real)
    if edit.shared and folder.is_symlink() and _same(folder, edit.shared) and not _is_taken(edit, edit.shared):
        link = SkillLink(edit.shared, link_at(folder))
        return Placed(real_path(folder.parent) / folder.name, link, _WHAT)
    return placed._replace(edit=Barred(f"a link in its place leads to {real}", edit.snippet))


def _no_folder_above(file: Path) -> Path | None:
    """Return the plain file, or the link to one, in which no folder for `file` can be made, or None."""
    there = next(each for each in file.parents if os.path.lexists(each))
    return there if there.exists() and not there.is_dir() else None


def linked_where_it_can_be(placed: Iterable[Placed], made: Collection[str]) -> WithLinks:
    """Return the edits with a link in the place of each copy of the skill that need not be one.

    `made` are folders that joins made: only such a one may go, with our copy in it, for a link.
    """
    chosen: list[Placed] = []
    notes: list[str] = []
    for each in placed:
        if not isinstance(each.edit, SkillFile) or each.edit.shared is None:
            chosen.append(each)
            continue
        reason = _why_not(each.path, each.edit, each.edit.shared, made)
        if reason:
            chosen.append(each)
            notes.append(f"{each.path} is a copy of the skill and no link to {each.edit.shared}: {reason}")
        else:
            files = tuple(each.path.parent.glob("*"))
            chosen.append(Placed(each.path.parent, SkillLink(each.edit.shared, instead_of=files), _WHAT))
    return WithLinks(tuple(chosen), tuple(notes))


def _why_not(file: Path, edit: SkillFile, shared: Path, made: Collection[str]) -> str:
    """Return why no link takes the place of a copy, or an empty string."""
    folder = file.parent
    if any(each.is_symlink() and not each.exists() for each in folder.parents):
        return "a folder above it is a link that leads nowhere"
    if _same(folder, shared):
        return "its folder of skills is a link to the other one"
    if _is_taken(edit, shared):
        return "the skill there is somebody else's"
    if folder.exists():
        if str(folder) not in made:
            return "the folder was there before"
        if any(each != file or not _is_ours(edit, each) for each in folder.iterdir()):
            return "more than our copy is in the folder"
    return "" if can_link(folder) else "no link can be made there"


def _same(one: Path, other: Path) -> bool:
    return os.path.realpath(one) == os.path.realpath(other)


def _is_taken(edit: SkillFile, shared: Path) -> bool:
    """Tell whether something that no join wrote is where the skill is to be installed."""
    file = shared / "SKILL.md"
    if shared.is_symlink() or file.is_symlink():
        return True
    return file.exists() and not edit.marks(text_at(file))


def _is_ours(edit: SkillFile, file: Path) -> bool:
    return edit.is_ours(text_at(file))
