"""What a clone commits that shares with nobody: the log as it has grown, and the pages.

A commit of ours only adds lines. A file that lost some in the work tree, or that is no plain file there any more,
keeps the lines of the last commit in the next one; the work tree stays as the person left it, and a note says what it
lacks.
"""

from __future__ import annotations

import os
import shlex
from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import NamedTuple

from agent_soul import gitio
from agent_soul.canonical import is_generated
from agent_soul.compiler import Outcome
from agent_soul.config import CONFIG_NAME
from agent_soul.errors import SoulError
from agent_soul.exchange import commit_message, is_ours
from agent_soul.files import read_regular
from agent_soul.hub import SOURCES, Hub
from agent_soul.log import SourceFiles, parse_log, read_source_files
from agent_soul.outgoing import INDEX_PATH, changed_pages, changed_tree, held_lines, taken
from agent_soul.overview import State

_PAGES = "canonical/"
_PATHS_NAMED = 3


class Growth(NamedTuple):
    """What the work tree's source files make of the last commit's.

    `changes` are the files that grew, by path from the hub's folder, by `added` lines together; `lacking` counts, for
    each file, the lines of the last commit that the work tree has not; `apart` are files that a commit could only hold
    in the place of others.
    """

    changes: Mapping[str, bytes | None]
    added: int
    lacking: Mapping[str, int]
    apart: tuple[str, ...]

    @property
    def notes(self) -> tuple[str, ...]:
        """What a person should know of it, each a sentence."""
        lines, paths = sum(self.lacking.values()), list(self.lacking)
        back = f"git checkout HEAD -- {shlex.join(paths) if len(paths) <= _PATHS_NAMED else SOURCES}"
        lost = (
            f"the work tree lacks {lines} line{'s' * (lines != 1)} that the last commit has, in {_named(paths)};"
            f" every commit keeps them, and `{back}` brings them back here"
        )
        apart = f"not committed, because the last commit has a file or folder of that name: {_named(self.apart)}"
        return (*([lost] if paths else []), *([apart] if self.apart else []))


def keep(hub: Hub, outcome: Outcome | None, wanted: State | None, *, author: str) -> tuple[str, tuple[str, ...]]:
    """Commit how the log has grown and the pages; return the commit, empty where nothing changed, and notes.

    `outcome` is what was compiled in the work tree, None where only events are to be committed. The clone's lock must
    be held. Raises `NotSharedError`, with nothing committed, where a person's own Git is in the way.
    """
    head = gitio.head(hub)
    seen = gitio.survey(hub, head)
    growth = _growth(hub, seen)
    changes, notes = dict(growth.changes), growth.notes
    if outcome and not notes:
        changes |= _pages_here(hub, seen, outcome)
    elif outcome:
        made, said = _pages_there(hub, seen.tree, growth, wanted)
        changes, notes = changes | made, notes + said
    commit = head
    if changes:
        message = commit_message(sorted(changes), growth.added)
        commit = gitio.build_commit(hub, head, changes, message, author=author, people=seen.people)
    goal = changed_tree(seen.tree, changes, commit)
    pages = {f"{_PAGES}{name}" for name in outcome.compiled.texts} if outcome else set()
    gitio.move_branch(hub, head, goal, _followed(hub, seen, goal, pages, growth.lacking))
    return commit if changes else "", notes


def _growth(hub: Hub, seen: gitio.Survey) -> Growth:
    mine = is_ours(hub)
    paths = {path for path in seen.changed if path.startswith(f"{SOURCES}/")}
    paths |= {path for path in seen.differing if mine(path)}  # whatever a .gitignore says of them
    here = read_source_files(hub.root).contents if paths else {}
    before = gitio.read_files(hub, seen.tree, paths)
    changes: dict[str, bytes | None] = {}
    added, lacking, apart = 0, {}, []
    barred = taken(paths, seen.tree)
    for path in sorted(paths & (here.keys() | before.keys())):
        old = before.get(path, b"")
        grown, lost = grow(path, old, here.get(path, b""))
        if path in barred:
            apart.append(path)
        elif grown != old:
            changes[path] = grown
            added += _lines(grown) - _lines(old)
        if lost:
            lacking[path] = lost
    return Growth(changes, added, lacking, tuple(apart))


def _lines(content: bytes) -> int:
    return sum(1 for line in content.split(b"\n") if line.strip())


def grow(path: str, before: bytes, here: bytes) -> tuple[bytes, int]:
    """Return `before` with the lines of `here` that it lacks, and how many of its own lines `here` lacks. Pure."""
    if here.startswith(before):
        return here, 0
    old = {line.key for line in held_lines(path, before)}
    new = {line.key: line.raw for line in held_lines(path, here)}
    fresh = [raw for key, raw in new.items() if key not in old]
    seal = b"" if before.endswith(b"\n") or not fresh else b"\n"
    return before + seal + b"".join(raw + b"\n" for raw in fresh), len(old - new.keys())


def _pages_here(hub: Hub, seen: gitio.Survey, outcome: Outcome) -> dict[str, bytes | None]:
    """Return the pages as they are in the work tree, which was just compiled from the same lines."""
    changed = [path for path in seen.changed if path.startswith(_PAGES)]
    before = gitio.read_files(hub, seen.tree, changed)
    pages: dict[str, bytes | None] = {}
    for path in changed:
        if path.removeprefix(_PAGES) in outcome.compiled.texts:
            pages[path] = read_regular(hub.root / path)
        elif is_generated(before.get(path, b"")) and not os.path.lexists(hub.root / path):
            pages[path] = None
    return {path: content for path, content in pages.items() if content != before.get(path)}


def _pages_there(
    hub: Hub, tree: gitio.Tree, growth: Growth, wanted: State | None
) -> tuple[dict[str, bytes | None], tuple[str, ...]]:
    """Return the pages of the lines that the commit will have, which are not those of the work tree."""
    read = [path for path in tree.objects if path.startswith(f"{SOURCES}/") or path in (CONFIG_NAME, INDEX_PATH)]
    contents = gitio.read_files(hub, tree, read)
    sources = {path: content for path, content in contents.items() if path.startswith(f"{SOURCES}/")}
    grown = {path: content for path, content in growth.changes.items() if content is not None}
    try:
        return changed_pages(hub, tree, contents, parse_log(SourceFiles(sources | grown)), wanted), ()
    except SoulError as error:
        return {}, (f"events only: {error.message}",)


def _followed(
    hub: Hub, seen: gitio.Survey, goal: gitio.Tree, pages: Collection[str], lacking: Collection[str]
) -> list[str]:
    """Return the paths whose entry in the index is to be the new commit's, so that a later commit takes nothing back.

    What a person has staged stays, unless it is one of our `pages` or the new commit has every line of it.
    """
    staged, before, after = gitio.staged(hub), seen.tree.objects, goal.objects
    behind = sorted(path for path in {*seen.changed, *goal.contents} if staged.get(path) != after.get(path))
    plain = [path for path in behind if path in pages or staged.get(path) == before.get(path)]
    doubtful = [path for path in behind if path in staged and path not in lacking and path not in plain]
    return plain + list(_with_all_lines(hub, staged, goal, doubtful))


def _with_all_lines(hub: Hub, staged: Mapping[str, str], goal: gitio.Tree, paths: Iterable[str]) -> Iterator[str]:
    """Yield those of the source files `paths` of which the new commit has every line that is staged."""
    index = gitio.read_objects(hub, {path: staged[path] for path in paths})
    after = gitio.read_files(hub, goal, index)
    for path, content in index.items():
        if path in after and grow(path, content, after[path])[1] == 0:
            yield path


def _named(paths: Collection[str]) -> str:
    more = f" and {len(paths) - _PATHS_NAMED} more" if len(paths) > _PATHS_NAMED else ""
    return ", ".join(list(paths)[:_PATHS_NAMED]) + more
