"""Private text in somebody's project stays out of their repository."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from agent_soul import gitio
from agent_soul.errors import RefusedError
from agent_soul.hub import Hub, find_git_dirs
from agent_soul.runtimes.line_edits import Lines
from agent_soul.runtimes.model import Placed
from agent_soul.runtimes.plan import BACKUP
from agent_soul.runtimes.writing import real_path


def kept_out(project: Path, files: Iterable[Path]) -> Iterator[Placed]:
    """Yield the edits that let the project's Git look over the files, where it has a Git."""
    found = _repository(project)
    if found:
        top, shared = found
        named = [name for file in files for name in (file, real_path(file)) if name.is_relative_to(top)]
        patterns = dict.fromkeys(f"/{file.relative_to(top).as_posix()}" for file in named)
        for pattern in (*patterns, f"*{BACKUP}"):  # one by one, for another program's join may need one of them too
            yield Placed(shared / "info" / "exclude", Lines((pattern,)), "what Git looks over")


def refuse_tracked(project: Path, files: Sequence[Path]) -> None:
    """Raise `RefusedError` for a file that is in the project's repository: the memory would be committed with it."""
    found = _repository(project)
    tracked = gitio.tracked(Hub(project, project, found[0]), files) if found else []
    if tracked:
        raise RefusedError(
            f"Git tracks {tracked[0]} of this project, so what is private would get into its next commit",
            hint="join in your home instead (without --project), or take that file out of Git first",
        )


def _repository(project: Path) -> tuple[Path, Path] | None:
    """Return the top of the work tree that holds the project, and the Git folder of all its work trees."""
    for folder in (project, *project.parents):
        dirs = find_git_dirs(folder / ".git")
        if dirs:
            return folder, dirs[1]
    return None
