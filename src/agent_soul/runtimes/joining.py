"""Joining an agent program to a hub, taking that back, and keeping what it reads up to date."""

from __future__ import annotations

import contextlib
import platform
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

from agent_soul.clone import clone_ids
from agent_soul.errors import StoppedError
from agent_soul.files import sweep_dead
from agent_soul.hub import Hub
from agent_soul.log import read_source_files
from agent_soul.runtimes.blocks import Block
from agent_soul.runtimes.commands import mcp_words
from agent_soul.runtimes.keeping_out import refuse_tracked
from agent_soul.runtimes.machine import (
    home_of_process,
    lasting_program,
    revision_of,
    skill_texts,
    texts_of,
    typed_command,
)
from agent_soul.runtimes.model import Home, Options, Placed, Runtime, Scene
from agent_soul.runtimes.noting import drop_note, is_noted, joining_alone, read_note, write_note
from agent_soul.runtimes.plan import Change, Odd, Plan, decode, plan_end, plan_join
from agent_soul.runtimes.registry import RUNTIMES
from agent_soul.runtimes.sources import propose, used_by_others
from agent_soul.runtimes.standing import find_join, is_for, joined, marks_in, placed_by, probe, refuse_other_hub
from agent_soul.runtimes.static_text import copied_text
from agent_soul.runtimes.writing import missing_folders, read, remove_empty, write, write_each
from agent_soul.sessions import refuse_no_source

__all__ = ["Outcome", "end_join", "find_again", "join", "joined", "proposed_source", "rerender", "sweep_joins"]


class Outcome(NamedTuple):
    """What a join or its end did, or would do.

    `notes` say what stands in the way here, `paste` is what a person pastes into the program by hand.
    """

    source: str
    plan: Plan
    notes: tuple[str, ...] = ()
    paste: str = ""


def join(
    hub: Hub,
    runtime: Runtime,
    *,
    source: str = "",
    project: Path | None = None,
    options: Options | None = None,
    home: Home | None = None,
    apply: bool = True,
) -> Outcome:
    """Bring the hub into what the program reads and runs; with `apply` false only say what that takes.

    Raises `RefusedError` for a source id that is none, for another hub's program, for a project's file that Git
    tracks; `StoppedError` where the system refuses, with nothing changed.
    """
    home = home or home_of_process()
    with joining_alone(hub, "join") if apply else contextlib.nullcontext():
        scene = _scene(hub, runtime, source, project, options or Options(), home)
        placed = list(placed_by(runtime, scene))
        plan = plan_join(placed, read)
        if project:
            refuse_tracked(project, [each.path for each in placed if each.path.is_relative_to(project)])
        notes = [*_notes(runtime, scene, placed, plan), *_notes_on_source(hub, runtime, scene, placed)]
        if apply:
            _sweep(placed)
            _apply(hub, runtime, project, plan)
    return Outcome(scene.source, plan, tuple(notes), _paste(runtime, scene))


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
    hub: Hub, runtime: Runtime, *, project: Path | None = None, home: Home | None = None, apply: bool = True
) -> Outcome:
    """Take everything of ours out of what the program reads and runs; what other joins still use stays.

    Raises what `join` does.
    """
    home = home or home_of_process()
    with joining_alone(hub, "join --uninstall") if apply else contextlib.nullcontext():
        scene = probe(hub, home, project)
        placed = list(placed_by(runtime, scene))
        refuse_other_hub(hub, runtime, placed)
        standing = find_join(hub, runtime, scene)
        others = [each for each in joined(hub, home=home) if (each.runtime, each.project) != (runtime, project)]
        used = {(each.path, each.edit.snippet) for other in others for each in other.placed if not _is_block(each)}
        plan = plan_end((each for each in placed if (each.path, each.edit.snippet) not in used), read)
        if apply:
            _sweep(placed)
            plan = _ended(plan, placed)
            _forget(hub, runtime, project, is_last=not (others or plan.odd))
    return Outcome(standing.source if standing else "", plan)


def _ended(plan: Plan, placed: Sequence[Placed]) -> Plan:
    """Take out what can be taken out, and return what was; what refused is left to a person."""
    made, refused = write_each(plan.changes)
    by_hand = {path: [each.edit.snippet for each in placed if each.path == path] for path in refused}
    odd = [Odd(path, reason, "\n".join(by_hand[path])) for path, reason in refused.items()]
    return Plan(tuple(made), (*plan.odd, *odd))


def _forget(hub: Hub, runtime: Runtime, project: Path | None, *, is_last: bool) -> None:
    """Remove the folders that were made for joins and are empty, and note which are left."""
    note = read_note(hub)
    for folder in note.folders:
        sweep_dead(Path(folder))
    note = note._replace(folders=tuple(map(str, remove_empty([Path(folder) for folder in note.folders]))))
    with contextlib.suppress(StoppedError):  # a folder too many in the note costs nothing, and all else is done
        write_note(hub, note.without_project(runtime.name, project) if project else note) if not is_last else drop_note(
            hub
        )


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
            placed = placed_by(standing.runtime, _filled(scene, hub))
            blocks = [each for each in placed if isinstance(each.edit, Block) and each.path not in seen]
            blocks = [each for each in blocks if any(is_for(standing.runtime, mark) for mark in marks_in(each))]
            seen |= {each.path for each in blocks}
            changes += _written(hub, plan_join(blocks, read))
    return changes


def _written(hub: Hub, plan: Plan) -> Sequence[Change]:
    """Write a plan while nobody joins, and return its changes."""
    if plan.changes:
        with joining_alone(hub, "bringing up to date what programs read"):
            write(plan.changes)
    return plan.changes


def find_again(hub: Hub, *, home: Home | None = None) -> None:
    """Note that programs are joined where that was lost: without the note nobody brings what they read up to date."""
    if not is_noted(hub) and joined(hub, home=home):
        with contextlib.suppress(StoppedError), joining_alone(hub, "looking for joins"):
            write_note(hub, read_note(hub))


def sweep_joins(hub: Hub, *, home: Home | None = None) -> list[Path]:
    """Remove what killed joins left beside the files of every program, and return it."""
    home = home or home_of_process()
    placed = [each for runtime in RUNTIMES.values() for each in placed_by(runtime, probe(hub, home, None))]
    return _sweep([*placed, *(each for standing in joined(hub, home=home) for each in standing.placed)])


def proposed_source(hub: Hub, runtime: Runtime, home: Home) -> str:
    """Return a source id for the program on this machine that no other clone writes under."""
    return propose(platform.node(), home.system, runtime.short, _taken(hub))


def _taken(hub: Hub) -> frozenset[str]:
    paths = (path.removeprefix("sources/") for path in read_source_files(hub.root).contents)
    return used_by_others(paths, clone_ids(hub))


def _scene(hub: Hub, runtime: Runtime, source: str, project: Path | None, options: Options, home: Home) -> Scene:
    """Return who joins what; a join that stands keeps its source, and its command, which some programs trust."""
    if source:
        refuse_no_source(source)
    look = probe(hub, home, project)
    refuse_other_hub(hub, runtime, placed_by(runtime, look))
    standing = find_join(hub, runtime, look) or (find_join(hub, runtime, probe(hub, home, None)) if project else None)
    source = source or (standing.source if standing else "") or proposed_source(hub, runtime, home)
    program = standing.program if standing else ()
    return _filled(Scene(home, hub.root.as_posix(), source, program, project=project, options=options), hub)


def _filled(scene: Scene, hub: Hub) -> Scene:
    """Return the scene with all that is to be written; its program only if that is still there."""
    program = scene.program if scene.program and _is_there(scene.program) else lasting_program(hub)
    typed = typed_command(program)
    return replace(
        scene,
        program=program,
        typed=typed,
        body=texts_of(hub),
        rev=revision_of(hub),
        skill=skill_texts(typed, scene.hub),
    )


def _is_there(program: Sequence[str]) -> bool:
    """Tell whether a program that a hook names can still be started; a bare name is looked for by the shell."""
    return all(Path(word).is_file() for word in program if "/" in word)


def _is_block(placed: Placed) -> bool:
    return isinstance(placed.edit, Block)


def _notes(runtime: Runtime, scene: Scene, placed: Iterable[Placed], plan: Plan) -> Iterator[str]:
    if not scene.project and runtime.looks_installed:
        places = [place.on(scene.home) for place in runtime.looks_installed]
        if not any(place.is_dir() for place in places):
            yield f"{runtime.title} does not seem to be installed: there is no {places[0]}"
    if runtime.notes:
        yield from runtime.notes(scene, _text_of)
    after = {change.path: change.after for change in plan.changes}
    for each in placed:
        content = after.get(each.path)
        if each.limit and content is not None and not each.limit.fits(decode(content)[1]):
            own = "what else stands there leaves no room: shorten it"
            yield f"{each.path} is longer than the {each.limit} that {runtime.title} reads of it; {own}"
    if runtime.mcp_command and scene.options.mcp:
        words = mcp_words(scene.program, scene.source, scene.hub)
        yield f"for the MCP server: {runtime.mcp_command(words)}"


def _notes_on_source(hub: Hub, runtime: Runtime, scene: Scene, placed: Iterable[Placed]) -> Iterator[str]:
    """Yield who else writes under the id: then nobody can tell whose a line is."""
    if scene.source in _taken(hub):
        yield f"another clone has written under the source id {scene.source!r}; `--source ID` chooses another one"
    for each in joined(hub, home=scene.home):
        if each.source == scene.source and each.runtime is not runtime:
            yield f"{each.runtime.title} has the source id {scene.source!r} too; `--source ID` chooses another one"
    for one in placed:
        others = [name for mark in marks_in(one) for name in mark.runtimes if name != runtime.name]
        if others:
            yield f"{one.path} is read by {', '.join(others)} too, and names one source id: {scene.source!r}"


def _paste(runtime: Runtime, scene: Scene) -> str:
    if runtime.paste is None or scene.project:
        return ""
    boots = not runtime.has_hooks
    return copied_text(scene, runtime.paste.limit, boots=boots, by_tools=runtime.paste.by_tools)


def _text_of(path: Path) -> str:
    with contextlib.suppress(StoppedError):
        content = read(path)
        return decode(content)[1] if content is not None else ""
    return ""
