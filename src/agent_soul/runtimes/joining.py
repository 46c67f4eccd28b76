"""Joining an agent program to a hub, and taking that back."""

from __future__ import annotations

import contextlib
import platform
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import NamedTuple

from agent_soul.clone import clone_id, clone_ids
from agent_soul.errors import StoppedError
from agent_soul.files import sweep_dead
from agent_soul.hub import Hub
from agent_soul.lock import exclusive
from agent_soul.runtimes.advice import notes_on_end, notes_on_join, offer_to_allow, sources_elsewhere
from agent_soul.runtimes.blocks import Block
from agent_soul.runtimes.following import find_again
from agent_soul.runtimes.keeping_out import refuse_published
from agent_soul.runtimes.linking import linked_where_it_can_be
from agent_soul.runtimes.machine import (
    filled,
    home_of_process,
)
from agent_soul.runtimes.model import Home, Options, Placed, Runtime, Scene
from agent_soul.runtimes.noting import drop_note, is_noted, joining_alone, read_note, write_note
from agent_soul.runtimes.plan import Odd, Plan, plan_end, plan_join
from agent_soul.runtimes.registry import RUNTIMES
from agent_soul.runtimes.server import server_to_set_up
from agent_soul.runtimes.skill_edits import SkillFile
from agent_soul.runtimes.sources import UNKNOWN_CLONE, is_common, propose
from agent_soul.runtimes.standing import (
    find_join,
    joined,
    placed_by,
    probe,
    refuse_other_hub,
)
from agent_soul.runtimes.static_text import copied_text
from agent_soul.runtimes.writing import missing_folders, read, remove_empty, write, write_each
from agent_soul.sessions import refuse_no_source


class Outcome(NamedTuple):
    """What a join or its end did, or would do.

    `notes` say what stands in the way here, `paste` is what a person pastes into the program by hand, `offer` is what
    a person may want besides. `server` are the words that set up what its MCP server needs, `set_up_server` runs them.
    """

    source: str
    plan: Plan
    notes: tuple[str, ...] = ()
    paste: str = ""
    offer: str = ""
    server: tuple[str, ...] = ()


def join(
    hub: Hub,
    runtime: Runtime,
    *,
    source: str = "",
    project: Path | None = None,
    options: Options | None = None,
    home: Home | None = None,
    apply: bool = True,
    replaces: bool = False,
) -> Outcome:
    """Bring the hub into what the program reads and runs; with `apply` false only say what that takes.

    `replaces`: the join of another hub that is not there is taken over. Raises `RefusedError` for a source id that is
    none, for another hub's program, for a project's file that a repository has or would take up; `StoppedError` where
    the system refuses, with nothing changed.
    """
    if source:
        refuse_no_source(source)
    home = home or home_of_process()
    if apply:
        find_again(hub, home=home, near=project)
    refuse_other_hub(hub, runtime, placed_by(runtime, probe(hub, home, project)), replaces=replaces)
    with joining_alone(hub, "join") if apply else contextlib.nullcontext():
        scene = _scene(hub, runtime, source, project, options or Options(), home, apply=apply)
        linked = linked_where_it_can_be(placed_by(runtime, scene), made=read_note(hub).folders)
        placed = list(linked.placed)
        plan = plan_join(placed, read)
        if project:
            refuse_published(placed, plan)
        notes = [*notes_on_join(hub, runtime, scene, placed, plan), *linked.notes]
        offer = offer_to_allow(runtime, scene)
        if apply:
            _sweep(placed)
            _apply(hub, runtime, project, plan)
    server = server_to_set_up(scene, placed)
    return Outcome(scene.source, plan, tuple(notes), _paste(runtime, scene), offer, server)


def _apply(hub: Hub, runtime: Runtime, project: Path | None, plan: Plan) -> None:
    """Write a plan. What it will make is noted first: of a join that is killed in the middle nothing is forgotten."""
    is_new, before = not is_noted(hub), read_note(hub)
    note = before.with_folders(missing_folders(plan.changes))
    note = note.with_project(runtime.name, project) if project else note
    if not runtime.is_pasted and (is_new or note != before):
        write_note(hub, note)
    try:
        write(plan.changes)
    except BaseException:
        with contextlib.suppress(StoppedError):
            drop_note(hub) if is_new else write_note(hub, before)
        raise


def _sweep(placed: Iterable[Placed]) -> list[Path]:
    """Remove what killed joins left beside the files, and return it."""
    return [file for folder in sorted({each.path.parent for each in placed}) for file in sweep_dead(folder)]


def end_join(
    hub: Hub,
    runtime: Runtime,
    *,
    project: Path | None = None,
    home: Home | None = None,
    apply: bool = True,
    replaces: bool = False,
) -> Outcome:
    """Take everything of ours out of what the program reads and runs; what other joins still use stays.

    Raises what `join` does.
    """
    home = home or home_of_process()
    if apply:
        find_again(hub, home=home, near=project)
    with joining_alone(hub, "join --uninstall") if apply else contextlib.nullcontext():
        scene = probe(hub, home, project)
        placed = list(placed_by(runtime, scene))
        refuse_other_hub(hub, runtime, placed, replaces=replaces)
        standing = find_join(hub, runtime, scene)
        others = [each for each in joined(hub, home=home) if (each.runtime, each.project) != (runtime, project)]
        used = {(each.path, each.edit.snippet) for other in others for each in other.placed if not _is_counted(each)}
        plan = plan_end((each for each in placed if (each.path, each.edit.snippet) not in used), read)
        source = standing.source if standing else ""
        notes = notes_on_end(runtime, plan, placed, is_found=bool(source or project))
        if apply:
            _sweep(placed)
            plan = _ended(plan, placed)
            is_found = bool(source or project)  # else it may stand where a variable leads that is not set now
            _forget(hub, runtime, project, is_last=is_found and not (others or plan.odd))
    return Outcome(source, plan, tuple(notes))


def _ended(plan: Plan, placed: Sequence[Placed]) -> Plan:
    """Take out what can be taken out, and return what was; what refused is left to a person."""
    made, refused = write_each(plan.changes)
    by_hand = {path: [each.edit.snippet for each in placed if each.path == path] for path in refused}
    odd = [Odd(path, reason, "\n".join(by_hand[path])) for path, reason in refused.items()]
    return Plan(tuple(made), (*plan.odd, *odd))


def _forget(hub: Hub, runtime: Runtime, project: Path | None, *, is_last: bool) -> None:
    """Remove the folders that were made for joins and are empty, and note which are left."""
    if not is_noted(hub):
        return
    note = read_note(hub)
    for folder in note.folders:
        sweep_dead(Path(folder))
    note = note._replace(folders=tuple(map(str, remove_empty([Path(folder) for folder in note.folders]))))
    note = note.without_project(runtime.name, project) if project else note
    with contextlib.suppress(StoppedError):  # a folder too many in the note costs nothing, and all else is done
        drop_note(hub) if is_last else write_note(hub, note)


def sweep_joins(hub: Hub, *, home: Home | None = None) -> list[Path]:
    """Remove what killed joins left beside the files of every program, and return it."""
    home = home or home_of_process()
    placed = [each for runtime in RUNTIMES.values() for each in placed_by(runtime, probe(hub, home, None))]
    return _sweep([*placed, *(each for standing in joined(hub, home=home) for each in standing.placed)])


def proposed_source(hub: Hub, runtime: Runtime, home: Home, *, apply: bool = True) -> str:
    """Return a source id for the program on this machine that no other clone writes under.

    A clone that has no id yet gets one where its part is needed; without `apply` a word stands in that place.
    """
    clone = next(iter(clone_ids(hub)), UNKNOWN_CLONE)
    if apply and is_common(platform.node()):
        with exclusive(hub.lock_file, purpose="join"):
            clone = clone_id(hub)
    return propose(platform.node(), home.system, runtime.short, sources_elsewhere(hub), clone=clone)


def _scene(
    hub: Hub, runtime: Runtime, source: str, project: Path | None, options: Options, home: Home, *, apply: bool
) -> Scene:
    """Return who joins what; a join that stands keeps its source, and its command, which some programs trust."""
    look = probe(hub, home, project)
    standing = find_join(hub, runtime, look) or (find_join(hub, runtime, probe(hub, home, None)) if project else None)
    source = source or (standing.source if standing else "") or proposed_source(hub, runtime, home, apply=apply)
    program = standing.program if standing else ()
    return filled(Scene(home, hub.root.as_posix(), source, program, project=project, options=options), hub)


def _is_counted(placed: Placed) -> bool:
    """Tell whether what stands in the file itself says which programs share it."""
    return isinstance(placed.edit, Block | SkillFile)


def _paste(runtime: Runtime, scene: Scene) -> str:
    if runtime.paste is None or scene.project:
        return ""
    boots = not runtime.has_hooks
    return copied_text(scene, runtime.paste.limit, boots=boots, by_tools=runtime.paste.by_tools)
