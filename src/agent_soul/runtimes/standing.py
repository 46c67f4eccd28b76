"""Which joins stand on this machine: found in the programs' own files, by what of ours is in them."""

from __future__ import annotations

import contextlib
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from agent_soul.errors import RefusedError, StoppedError
from agent_soul.hub import Hub, looks_like_hub
from agent_soul.runtimes.edits import Mark
from agent_soul.runtimes.keeping_out import kept_out
from agent_soul.runtimes.linking import as_it_stands
from agent_soul.runtimes.machine import home_of_process, skill_texts, still_there, typed_command
from agent_soul.runtimes.model import Home, Options, Placed, Runtime, Scene
from agent_soul.runtimes.noting import read_note
from agent_soul.runtimes.plan import SIGN, decode
from agent_soul.runtimes.registry import RUNTIMES
from agent_soul.runtimes.skill_edits import SkillLink
from agent_soul.runtimes.writing import read


class Standing(NamedTuple):
    """A join that stands: of which program, under which source, started how, in which project, by which edits."""

    runtime: Runtime
    source: str
    program: tuple[str, ...]
    project: Path | None
    placed: tuple[Placed, ...]

    @property
    def files(self) -> tuple[Path, ...]:
        """Every file that may hold something of ours."""
        return tuple(dict.fromkeys(each.path for each in self.placed))

    @property
    def dead_links(self) -> tuple[Path, ...]:
        """The links to the skill that lead nowhere."""
        links = (each.path for each in self.placed if isinstance(each.edit, SkillLink))
        return tuple(link for link in links if not (link / "SKILL.md").exists())


def joined(hub: Hub, *, home: Home | None = None, only: str = "") -> list[Standing]:
    """Return every join of this hub that stands on this machine; of projects those that this clone remembers.

    `only` names a program, where no other one is asked about.
    """
    home = home or home_of_process()
    places: list[tuple[Runtime, Path | None]] = [(runtime, None) for runtime in RUNTIMES.values()]
    places += [(RUNTIMES[name], project) for name, project in read_note(hub).places() if name in RUNTIMES]
    places = [place for place in places if only in ("", place[0].name)]
    standing = (find_join(hub, runtime, probe(hub, home, project)) for runtime, project in places)
    return [each for each in standing if each]


def typed_where_joined(hub: Hub, *, source: str = "", only: str = "") -> str:
    """Return what an agent types for `soul`, as it was told when its program was joined; empty where none is.

    What a program allows is compared with the very words, so nothing may tell them otherwise. `source` says which
    agent it is, where several programs are joined; `only` its program. Raises `StoppedError` where nothing starts us.
    """
    standing = joined(hub, only=only)
    found = next((each for each in standing if each.source == source), standing[0] if standing else None)
    return typed_command(still_there(found.program, hub)) if found else ""


def find_join(hub: Hub, runtime: Runtime, scene: Scene) -> Standing | None:
    """Return the join of one program, or None."""
    placed = tuple(placed_by(runtime, scene))
    marks = [mark for each in placed for mark in marks_in(each) if is_of(hub, mark) and is_for(runtime, mark)]
    source = next((mark.source for mark in marks if mark.source), "")
    if not source:  # nothing, or only its share of a skill: its own files may be where a variable leads
        return None
    return Standing(runtime, source, next((mark.program for mark in marks if mark.program), ()), scene.project, placed)


def probe(hub: Hub, home: Home, project: Path | None) -> Scene:
    """Return a scene in which every file of a program is named, to look into them."""
    everything = Options(mcp=True, allow=True)
    root, skill = hub.root.as_posix(), skill_texts("soul")
    return Scene(home, root, "unknown", ("soul",), project=project, options=everything, skill=skill)


def placed_by(runtime: Runtime, scene: Scene) -> Iterator[Placed]:
    """Yield every edit that a join takes, of the files that links lead to."""
    placed = [each for part in runtime.parts_in(scene.project) for each in part.placed(runtime, scene)]
    if scene.project:
        placed += kept_out(scene.project, [each.path for each in placed])
    yield from map(as_it_stands, placed)


def is_joined(placed: Placed, hub: Hub, runtime: Runtime) -> bool:
    """Tell whether what stands in a file is of this hub and for this program."""
    return any(is_of(hub, mark) and is_for(runtime, mark) for mark in marks_in(placed))


def marks_in(placed: Placed) -> Sequence[Mark]:
    """Return what of ours, of whatever hub, stands in a file; one that cannot be understood has none."""
    with contextlib.suppress(StoppedError):
        content = read(placed.path)
        if content is not None and SIGN in content:
            return placed.edit.marks(decode(content)[1])
    return ()


def is_of(hub: Hub, mark: Mark) -> bool:
    """Tell whether something of ours is for this hub."""
    return bool(mark.hub) and Path(mark.hub) == hub.root


def is_there(mark: Mark) -> bool:
    """Tell whether the hub that a mark names is there; one that this user may not look into may well be."""
    try:
        return looks_like_hub(Path(mark.hub))
    except PermissionError:
        return True
    except OSError:  # a name that no file can have
        return False


def is_for(runtime: Runtime, mark: Mark) -> bool:
    """Tell whether something of ours is for this program: two may read one file."""
    return not mark.runtimes or runtime.name in mark.runtimes


def refuse_other_hub(hub: Hub, runtime: Runtime, placed: Iterable[Placed], *, replaces: bool = False) -> None:
    """Raise `RefusedError` where another hub has the program, or what it shares with others: it remembers in one.

    A hub that is not there may be back in a moment (a drive, a network folder), so it is taken over only where a
    person says so: with `replaces`.
    """
    for each in placed:
        for mark in marks_in(each):
            if not mark.hub or is_of(hub, mark):
                continue
            name = runtime.name if is_for(runtime, mark) else mark.runtimes[0]
            if is_there(mark):
                hint = f'end that first: `soul join {name} --uninstall --hub "{mark.hub}"`'
                raise RefusedError(f"{each.path} belongs to the join of another hub, {mark.hub}", hint=hint)
            if not replaces:
                what = f"{each.path} belongs to the join of another hub, {mark.hub}, which is not there now"
                hint = f"bring it back, or take over what it had: `soul join {runtime.name} --replace`"
                raise RefusedError(what, hint=hint)
