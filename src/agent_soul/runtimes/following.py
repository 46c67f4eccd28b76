"""Keeping what joined programs read up to date, and the note of who is joined."""

from __future__ import annotations

import contextlib
from collections.abc import Sequence
from pathlib import Path

from agent_soul.errors import StoppedError
from agent_soul.hub import Hub
from agent_soul.runtimes.blocks import Block
from agent_soul.runtimes.machine import filled, home_of_process
from agent_soul.runtimes.model import Home, Placed, Runtime, Scene
from agent_soul.runtimes.noting import is_noted, joining_alone, read_note, write_note
from agent_soul.runtimes.plan import BACKUP, Change, Plan, plan_join
from agent_soul.runtimes.refinding import find_in_projects, folders_of_joins, known_projects
from agent_soul.runtimes.skill_edits import SkillFile
from agent_soul.runtimes.standing import is_for, is_joined, is_of, joined, marks_in, placed_by
from agent_soul.runtimes.writing import read, write


def tell_programs(hub: Hub) -> list[str]:
    """Look for joins where the note of them was lost, and `rerender`; return what a person should know of it.

    No command fails over it: whatever somebody's program made of its files, the memory itself is kept and shared.
    """
    try:
        find_again(hub)
        changes = rerender(hub)
    except Exception as error:
        return [f"what agent programs read at their start is as old as before: {error}"]
    return [f"{each.path} was written: {each.what}" for each in changes if each.path.name.endswith(BACKUP)]


def rerender(hub: Hub, *, home: Home | None = None) -> list[Change]:
    """Bring the text that programs read by themselves up to date; return what was changed.

    Where no program is joined that is one look at a file. What cannot be written now is left for the next time.
    """
    if not is_noted(hub):
        return []
    home = home or home_of_process()
    changes: list[Change] = []
    seen: set[Path] = set()  # a file that two programs read has one text
    for standing in joined(hub, home=home):
        scene = Scene(home, hub.root.as_posix(), standing.source, standing.program, project=standing.project)
        with contextlib.suppress(StoppedError):
            placed = placed_by(standing.runtime, filled(scene, hub))
            blocks = [each for each in placed if isinstance(each.edit, Block) and each.path not in seen]
            blocks = [each for each in blocks if is_joined(each, hub, standing.runtime)]
            seen |= {each.path for each in blocks}
            changes += _written(hub, plan_join(blocks, read))
    return changes


def mend_skill(hub: Hub, *, home: Home | None = None) -> list[Change]:
    """Install the skill again where it is gone, for every program that reads it or has a link to it.

    Returns what was written; what somebody changed in a skill that is there stays. Raises `StoppedError`.
    """
    home = home or home_of_process()
    changes: list[Change] = []
    for standing in (each for each in joined(hub, home=home) if each.project is None):
        scene = filled(Scene(home, hub.root.as_posix(), standing.source, standing.program), hub)
        skill = [each for each in placed_by(standing.runtime, scene) if _lacks_skill(each, hub, standing.runtime)]
        changes += _written(hub, plan_join(skill, read))
    return changes


def _lacks_skill(placed: Placed, hub: Hub, runtime: Runtime) -> bool:
    """Tell whether the skill is not installed where it belongs, or by this hub but not for this program too."""
    if not isinstance(placed.edit, SkillFile) or placed.edit.shared is not None:
        return False
    marks = marks_in(placed)
    return read(placed.path) is None or any(is_of(hub, mark) and not is_for(runtime, mark) for mark in marks)


def find_again(hub: Hub, *, home: Home | None = None, near: Path | None = None) -> None:
    """Note again what is joined where that was lost: without the note nobody brings what programs read up to date.

    A project is found where `near`, or the current folder, lies in it, or a program's own settings name it.
    """
    before, is_lost = read_note(hub), not is_noted(hub)
    if not is_lost and not before.was_lost:
        return
    home = home or home_of_process()
    with contextlib.suppress(StoppedError, OSError):
        folders = [near or Path.cwd(), *(known_projects(home) if is_lost else [])]
        standing = [*joined(hub, home=home), *find_in_projects(hub, home, folders)]
        note = before._replace(was_lost=True)
        for each in standing:
            note = note.with_project(each.runtime.name, each.project) if each.project else note
        note = note.with_folders(folders_of_joins(standing, home)) if is_lost else note
        if standing and (is_lost or note != before):
            with joining_alone(hub, "looking for joins"):
                if (read_note(hub), not is_noted(hub)) == (before, is_lost):  # else somebody joined meanwhile
                    write_note(hub, note)


def _written(hub: Hub, plan: Plan) -> Sequence[Change]:
    """Write a plan while nobody joins, and return its changes."""
    if plan.changes:
        with joining_alone(hub, "bringing up to date what programs read"):
            write(plan.changes)
    return plan.changes
