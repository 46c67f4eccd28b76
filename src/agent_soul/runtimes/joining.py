"""Joining an agent program to a hub, taking that back, and keeping what it reads up to date.

Who is joined stands in the programs' own files and nowhere else. What a clone notes beside it (`joined.json`) only
saves time, and says which empty folders were made by us.
"""

from __future__ import annotations

import contextlib
import json
import platform
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

from agent_soul.clone import clone_ids
from agent_soul.errors import RefusedError, StoppedError
from agent_soul.files import replace_file
from agent_soul.hub import JOINED, Hub, looks_like_hub
from agent_soul.log import read_source_files
from agent_soul.runtimes.blocks import Block
from agent_soul.runtimes.edits import Mark
from agent_soul.runtimes.machine import (
    home_of_process,
    lasting_program,
    revision_of,
    skill_texts,
    texts_of,
    typed_command,
)
from agent_soul.runtimes.model import Home, Options, Placed, Runtime, Scene
from agent_soul.runtimes.plan import Change, Plan, decode, plan_end, plan_join
from agent_soul.runtimes.registry import RUNTIMES
from agent_soul.runtimes.sources import propose, used_by_others
from agent_soul.runtimes.writing import read, remove_empty, write


class Standing(NamedTuple):
    """A join that stands: which program, under which source, in which files."""

    runtime: Runtime
    source: str
    files: tuple[Path, ...]
    program: tuple[str, ...] = ()
    project: Path | None = None


class Outcome(NamedTuple):
    """What a join or its end did, or would do. `notes` are for people."""

    source: str
    plan: Plan
    notes: tuple[str, ...]
    scene: Scene


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

    Raises `RefusedError` for a source id that is none, or where another hub is joined; `StoppedError` where the
    system refuses, with nothing changed.
    """
    home = home or home_of_process()
    marks = list(_marks(runtime, _probe(hub, home, project)))
    _refuse_other_hub(marks, hub)
    ours = [mark for _, mark in marks if mark.hub and Path(mark.hub) == hub.root]
    source = source or next((mark.source for mark in ours if mark.source), "") or proposed_source(hub, runtime, home)
    program = next((mark.program for mark in ours if mark.program and _is_there(mark.program)), ())
    scene = Scene(
        home,
        hub.root.as_posix(),
        source,
        program or lasting_program(hub),
        project=project,
        options=options or Options(),
    )
    scene = _filled(scene, hub)
    notes = tuple(_notes(runtime, scene))
    plan = plan_join(_placed(runtime, scene), read)
    if apply:
        _note(hub, runtime, project, write(plan.changes))
    return Outcome(source, plan, notes, scene)


def end_join(
    hub: Hub, runtime: Runtime, *, project: Path | None = None, home: Home | None = None, apply: bool = True
) -> Outcome:
    """Take everything of ours out of what the program reads and runs; what other programs still use stays."""
    home = home or home_of_process()
    scene = _probe(hub, home, project)
    marks = list(_marks(runtime, scene))
    _refuse_other_hub(marks, hub)
    others = {
        path
        for each in joined(hub, home=home)
        if (each.runtime.name, each.project) != (runtime.name, project)
        for path in each.files
    }
    plan = plan_end((each for each in _placed(runtime, scene) if each.path not in others), read)
    if apply:
        write(plan.changes)
        _forget(hub, runtime, project, home)
    return Outcome(next((mark.source for _, mark in marks if mark.source), ""), plan, (), scene)


def joined(hub: Hub, *, home: Home | None = None) -> list[Standing]:
    """Return every join of this hub that stands on this machine, found in the programs' own files.

    Joins of projects are looked for in the projects that this clone remembers.
    """
    home = home or home_of_process()
    places: list[tuple[Runtime, Path | None]] = [(runtime, None) for runtime in RUNTIMES.values()]
    for name, folders in _noted(hub).get("projects", {}).items():
        places += [(RUNTIMES[name], Path(folder)) for folder in folders if name in RUNTIMES]
    standing = (_standing(hub, runtime, project, home) for runtime, project in places)
    return [each for each in standing if each]


def _standing(hub: Hub, runtime: Runtime, project: Path | None, home: Home) -> Standing | None:
    scene = _probe(hub, home, project)
    ours = [mark for _, mark in _marks(runtime, scene) if mark.hub and Path(mark.hub) == hub.root]
    if not ours:
        return None
    files = tuple(dict.fromkeys(each.path for each in _placed(runtime, scene)))
    source = next((mark.source for mark in ours if mark.source), "")
    return Standing(runtime, source, files, next((mark.program for mark in ours if mark.program), ()), project)


def _probe(hub: Hub, home: Home, project: Path | None) -> Scene:
    """Return a scene in which every file of a program is named, to look into them."""
    options = Options(mcp=True, allow=True)
    return Scene(
        home, hub.root.as_posix(), "unknown", ("soul",), project=project, options=options, skill=skill_texts("soul")
    )


def rerender(hub: Hub, *, home: Home | None = None) -> list[Change]:
    """Bring the text that programs read by themselves up to date; return what was changed.

    Where no program is joined that is one look at a file. What cannot be written now is left for the next time.
    """
    if not (hub.state / JOINED).exists():
        return []
    home = home or home_of_process()
    changes: list[Change] = []
    for standing in joined(hub, home=home):
        scene = Scene(home, hub.root.as_posix(), standing.source, standing.program, project=standing.project)
        blocks = [
            each
            for each in _placed(standing.runtime, _filled(scene, hub))
            if isinstance(each.edit, Block) and list(_marks_in(each))
        ]
        with contextlib.suppress(StoppedError):
            plan = plan_join(blocks, read)
            write(plan.changes)
            changes += plan.changes
    return changes


def proposed_source(hub: Hub, runtime: Runtime, home: Home) -> str:
    """Return a source id for the program on this machine that no other clone writes under."""
    paths = (path.removeprefix("sources/") for path in read_source_files(hub.root).contents)
    return propose(platform.node(), home.system, runtime.short, used_by_others(paths, clone_ids(hub)))


def _filled(scene: Scene, hub: Hub) -> Scene:
    typed = typed_command(scene.program)
    return replace(scene, typed=typed, body=texts_of(hub), rev=revision_of(hub), skill=skill_texts(typed, scene.hub))


def _placed(runtime: Runtime, scene: Scene) -> Iterator[Placed]:
    for part in runtime.project_parts if scene.project else runtime.parts:
        yield from part.placed(runtime, scene)


def _marks(runtime: Runtime, scene: Scene) -> Iterator[tuple[Path, Mark]]:
    """Yield what of ours, of whatever hub, stands in the program's files; what cannot be understood has none."""
    for each in _placed(runtime, scene):
        for mark in _marks_in(each):
            yield each.path, mark


def _marks_in(placed: Placed) -> Sequence[Mark]:
    with contextlib.suppress(StoppedError):
        content = read(placed.path)
        if content is not None:
            return placed.edit.marks(decode(content)[1])
    return ()


def _refuse_other_hub(marks: Iterable[tuple[Path, Mark]], hub: Hub) -> None:
    """One program remembers in one hub. One that is gone stands in nobody's way."""
    for path, mark in marks:
        if mark.hub and Path(mark.hub) != hub.root and looks_like_hub(Path(mark.hub)):
            raise RefusedError(
                f"{path} joins another hub, {mark.hub}",
                hint=f"end that first: `soul join RUNTIME --uninstall --hub {mark.hub}`",
            )


def _is_there(program: Sequence[str]) -> bool:
    """Tell whether a program that a hook names can still be started; a bare name is looked for by the shell."""
    return all(Path(word).is_file() for word in program if "/" in word)


def _notes(runtime: Runtime, scene: Scene) -> Iterator[str]:
    if not scene.project and runtime.looks_installed:
        places = [place.on(scene.home) for place in runtime.looks_installed]
        if not any(place.is_dir() for place in places):
            yield f"{runtime.title} does not seem to be installed: there is no {places[0]}"
    if runtime.notes:
        yield from runtime.notes(scene, _text_of)


def _text_of(path: Path) -> str:
    with contextlib.suppress(StoppedError):
        content = read(path)
        return decode(content)[1] if content is not None else ""
    return ""


def _noted(hub: Hub) -> dict[str, Any]:
    """Return what this clone noted: `folders` that were made, `projects` of each program."""
    with contextlib.suppress(StoppedError, ValueError, RecursionError):
        content = read(hub.state / JOINED)
        noted = json.loads(content) if content else {}
        return noted if isinstance(noted, dict) else {}
    return {}


def _note(hub: Hub, runtime: Runtime, project: Path | None, made: Sequence[Path]) -> None:
    noted = _noted(hub)
    folders = dict.fromkeys([*noted.get("folders", ()), *map(str, made)])
    projects = {name: list(each) for name, each in noted.get("projects", {}).items()}
    if project:
        projects[runtime.name] = list(dict.fromkeys([*projects.get(runtime.name, ()), str(project)]))
    _write_note(hub, {"folders": list(folders), "projects": projects})


def _forget(hub: Hub, runtime: Runtime, project: Path | None, home: Home) -> None:
    noted = _noted(hub)
    left = remove_empty([Path(folder) for folder in noted.get("folders", ())])
    projects = noted.get("projects", {})
    if project:
        projects[runtime.name] = [each for each in projects.get(runtime.name, ()) if each != str(project)]
    _write_note(hub, {"folders": list(map(str, left)), "projects": projects})
    if not joined(hub, home=home):
        (hub.state / JOINED).unlink(missing_ok=True)


def _write_note(hub: Hub, noted: dict[str, Any]) -> None:
    replace_file(hub.state / JOINED, json.dumps(noted, ensure_ascii=False).encode("utf-8", "surrogatepass"))
