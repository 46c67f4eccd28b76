"""Private text in somebody's project stays out of every repository."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from agent_soul import gitio
from agent_soul.errors import RefusedError
from agent_soul.hub import Hub, find_git_dirs
from agent_soul.runtimes.line_edits import Lines
from agent_soul.runtimes.model import Placed
from agent_soul.runtimes.plan import BACKUP, Plan, backup_of
from agent_soul.runtimes.writing import read, real_path

_LOOKED_OVER = "what Git looks over"
_ELSEWHERE = "join in your home instead (without --project)"


def kept_out(project: Path, files: Iterable[Path]) -> Iterator[Placed]:
    """Yield the edits that let the project's Git look over the files, where it has a Git."""
    found = _repository(project)
    if found:
        top, shared = found
        named = [name for file in files for name in (file, real_path(file)) if name.is_relative_to(top)]
        patterns = dict.fromkeys(f"/{_literal(file.relative_to(top))}" for file in named)
        for pattern in (*patterns, f"*{BACKUP}"):  # one by one, for another program's join may need one of them too
            yield Placed(_exclude_of(shared), Lines((pattern,)), _LOOKED_OVER)


def refuse_published(placed: Iterable[Placed], plan: Plan) -> None:
    """Raise `RefusedError` for a file that a repository has, or would take up once `plan` is done.

    The paths of `placed` are where links lead, so the repository may be another one than the project's: ours is kept
    out of that only where its owner had it so. The project's own `!pattern` wins over what is kept out by the plan.
    """
    after = {change.path: change.after for change in plan.changes}
    for (top, shared), files in _by_repository(each.path for each in placed if each.what != _LOOKED_OVER).items():
        exclude = _exclude_of(shared).resolve()
        _refuse_tracked(top, files)
        _refuse_seen(top, files, after[exclude] if exclude in after else read(exclude))


def _by_repository(files: Iterable[Path]) -> dict[tuple[Path, Path], list[Path]]:
    """Return the files, and the copies that are put beside them, by the repositories in which they lie."""
    found: defaultdict[tuple[Path, Path], list[Path]] = defaultdict(list)
    for file in dict.fromkeys(files):
        repository = _repository(file.parent)
        if repository:
            found[repository] += [file, backup_of(file)]
    return found


def _refuse_tracked(top: Path, files: Sequence[Path]) -> None:
    tracked = gitio.tracked(Hub(top, top, top), files)
    if tracked:
        raise RefusedError(
            f"Git tracks {tracked[0]} in {top}, so what is private would get into its next commit",
            hint=f"{_ELSEWHERE}, or take that file out of Git first",
        )


def _refuse_seen(top: Path, files: Sequence[Path], exclude: bytes | None) -> None:
    seen = gitio.not_ignored(Hub(top, top, top), files, exclude or b"")
    if seen:
        raise RefusedError(
            f"Git would take {seen[0].relative_to(top)} up in {top}, so what is private could get into its next commit",
            hint=f"{_ELSEWHERE}, or let the last pattern of a .gitignore there that fits the file keep it out",
        )


def _literal(path: Path) -> str:
    """Return a path as a pattern that fits it alone."""
    return re.sub(r"[\\*?\[]| \Z", r"\\\g<0>", path.as_posix())


def _exclude_of(shared: Path) -> Path:
    return shared / "info" / "exclude"


def _repository(folder: Path) -> tuple[Path, Path] | None:
    """Return the top of the work tree that holds the folder, and the Git folder of all its work trees."""
    for each in (folder, *folder.parents):
        dirs = find_git_dirs(each / ".git")
        if dirs:
            return each, dirs[1]
    return None
