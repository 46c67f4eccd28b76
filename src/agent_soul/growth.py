"""Whether the log only grew: every line that a commit has under `sources/` must still be there, byte for byte."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from agent_soul import gitio
from agent_soul.errors import Problem, RefusedError
from agent_soul.hub import SOURCES, SUFFIX, Hub
from agent_soul.log import read_source_files


def lost_lines(hub: Hub, revision: str) -> list[Problem]:
    """Return a problem for each source file that lacks lines which the commit `revision` has in it.

    Raises `RefusedError` where no Git repository holds the hub, or it has no such commit.
    """
    commit = gitio.find_commit(hub, revision) if hub.git_root else ""
    if not commit:
        raise RefusedError(
            f"--since names {revision!r}, and this hub has no such commit", hint="see `git log --oneline -- sources`"
        )
    tree = gitio.read_tree(hub, commit)
    logs = [path for path in tree.objects if path.startswith(f"{SOURCES}/") and path.endswith(SUFFIX)]
    now = read_source_files(hub.root).contents
    before = gitio.read_files(hub, tree, logs)
    return [problem for path in sorted(before) for problem in _lost(path, before[path], now.get(path, b""), commit)]


def _lost(path: str, before: bytes, now: bytes, commit: str) -> Iterator[Problem]:
    if now.startswith(before):
        return
    there = Counter(now.split(b"\n"))
    lines = list(enumerate(before.split(b"\n"), start=1))
    gone = []
    for number, line in lines:
        there[line] -= 1
        if line.strip() and there[line] < 0:
            gone.append(number)
    if gone:
        short = commit[:10]
        count = "1 line is" if len(gone) == 1 else f"{len(gone)} lines are"
        said = f"{count} changed or gone since {short}, the first is line {gone[0]} there; the log only grows"
        yield Problem(path, gone[0], 1, "lost", f"{said}: take `git show {short}:{path}` and append what is new")
