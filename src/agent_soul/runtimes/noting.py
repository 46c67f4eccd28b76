"""What a clone notes beside the joins, `joined.json`: folders that were made for them, and the projects.

Who is joined stands in the programs' own files. A note that was lost is made again by looking (`refinding`): a folder
that holds nothing but ours counts as made by us, and a project is found where a program or a command of ours
is at work.
"""

from __future__ import annotations

import contextlib
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from agent_soul.errors import StoppedError
from agent_soul.files import read_regular, replace_file
from agent_soul.hub import JOINED, Hub
from agent_soul.lock import exclusive


class Note(NamedTuple):
    """Folders, outermost first, and the projects that are joined, by the program's name.

    `was_lost`: it was made again by looking, so there may be more projects.
    """

    folders: tuple[str, ...] = ()
    projects: Mapping[str, Sequence[str]] = {}
    was_lost: bool = False

    def with_folders(self, made: Iterable[Path]) -> Note:
        """Return the note with these folders too."""
        return self._replace(folders=tuple(dict.fromkeys([*self.folders, *map(str, made)])))

    def with_project(self, name: str, project: Path) -> Note:
        """Return the note with the project too."""
        there = self.projects.get(name, ())
        return self._replace(projects={**self.projects, name: list(dict.fromkeys([*there, str(project)]))})

    def without_project(self, name: str, project: Path) -> Note:
        """Return the note without the project."""
        left = [each for each in self.projects.get(name, ()) if each != str(project)]
        return self._replace(projects={**self.projects, name: left})

    def places(self) -> Iterator[tuple[str, Path]]:
        """Yield program and project of each join in a project."""
        for name, projects in self.projects.items():
            for project in projects:
                yield name, Path(project)


def is_noted(hub: Hub) -> bool:
    """Tell whether there is a note; one look at a file."""
    return (hub.state / JOINED).exists()


@contextlib.contextmanager
def joining_alone(hub: Hub, purpose: str) -> Iterator[None]:
    """Let no other command change the note, or what it is about, meanwhile. Raises `StoppedError`."""
    with exclusive(hub.state / "joins" / "lock", purpose=purpose):
        yield


def read_note(hub: Hub) -> Note:
    """Return what was noted; one that somebody spoiled says nothing."""
    file = hub.state / JOINED
    with contextlib.suppress(StoppedError, ValueError, RecursionError, AttributeError, TypeError):
        said = json.loads(read_regular(file)) if file.exists() else {}
        projects = {str(name): [str(each) for each in there] for name, there in said.get("projects", {}).items()}
        return Note(tuple(map(str, said.get("folders", ()))), projects, bool(said.get("lost")))
    return Note()


def write_note(hub: Hub, note: Note) -> None:
    """Keep the note."""
    fields = {"folders": note.folders, "projects": note.projects, **({"lost": True} if note.was_lost else {})}
    text = json.dumps(fields, ensure_ascii=False)
    replace_file(hub.state / JOINED, text.encode("utf-8", "surrogatepass"))


def drop_note(hub: Hub) -> None:
    """Take the note away: no program is joined."""
    (hub.state / JOINED).unlink(missing_ok=True)
