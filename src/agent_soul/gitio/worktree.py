"""Bringing a person's clone along: branch, index and files move to what was shared, nothing of theirs is touched."""

from __future__ import annotations

import contextlib
import json
import os
import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import NamedTuple

from agent_soul.errors import StoppedError
from agent_soul.files import put_file, read_regular, replace_file
from agent_soul.gitio.differences import Status, staged, status_of
from agent_soul.gitio.index import REFRESH, copy_index, gone, point_index, when_unlocked
from agent_soul.gitio.merging import merged
from agent_soul.gitio.process import UnmergedError, attempt, run, running
from agent_soul.gitio.repository import operation_under_way, prefix_of
from agent_soul.gitio.snapshot import Tree, object_name, read_files, read_tree
from agent_soul.gitio.transport import Target, is_ancestor
from agent_soul.hub import Hub

_NONE = "000000"
"""The mode of a file that is not there."""
_BLOCKING = r"Entry '(?P<changed>.*)' (?:not uptodate|would be)|'(?P<other>.*)' would (?:be|lose)"
"""How `git read-tree` says that a file would get lost: with changes that no commit has, or unknown to Git."""


class Settled(NamedTuple):
    """What a file of ours in the work tree is to hold; None: it goes."""

    content: bytes | None


Settle = Callable[[str, bytes | None, bytes | None, Callable[[], bytes]], Settled | None]
"""Decides about one file: its path, what is in the work tree, what was shared, and how to ask what the branch has.

Returns what it is to hold, or None where the file is a person's.
"""


def bring_along(hub: Hub, target: Target, new: Tree, settle: Settle, *, author: str) -> str:
    """Move the checked-out branch to the commit `new`, or to a merge of it with a person's unpushed commits.

    `settle` decides about our own files that differ from the branch. Returns why the branch stayed where it is, or an
    empty string. Raises `UnmergedError` where only a person can merge; nothing has moved then. The clone's lock must be
    held.
    """
    operation = operation_under_way(hub)
    if operation:
        return f"this clone stays as it is: a {operation} is under way; finish it, then run `soul sync`"
    if not target.local:
        where = f"the memory is on {target.branch!r}, which is not checked out"
        return f"this clone stays as it is: {where}; `soul sync` brings it along when it is"
    _finish_earlier(hub, target, settle)
    seen = status_of(hub)
    old = seen.head
    if not old or old == new.parent or is_ancestor(hub, old, new.commit):
        goal = new
    elif is_ancestor(hub, new.commit, old):
        goal = read_tree(hub, old)
    else:
        merge, conflicts = merged(hub, old, new.commit, author)
        if conflicts:
            raise UnmergedError(
                f"your unpushed commits conflict in {', '.join(conflicts)}",
                hint="`git pull --no-rebase`, settle and commit them, then `soul sync`",
            )
        goal = read_tree(hub, merge)
    return _advance(hub, target, seen, goal, settle)


def put_back(hub: Hub, new: Tree, has_arrived: Callable[[str, bytes, bytes], bool]) -> None:
    """Let our files be what the checked-out commit has, as far as the commit `new`, which was shared, has their lines.

    Where the branch of the memory is not checked out, or a person has to merge first, nothing else would ever do that,
    and git would neither switch branches nor merge over them. `has_arrived` is asked with the path, what is in the work
    tree, and what was shared. What a person has staged stays. The clone's lock must be held.
    """
    seen = status_of(hub)
    shared = read_files(hub, new, seen.changed)
    before, index = read_tree(hub, seen.head).objects, staged(hub) if shared else {}
    for path in shared:
        file = hub.root / path
        is_plain = file.is_file() and not file.is_symlink()
        if is_plain and index.get(path) == before.get(path) and has_arrived(path, file.read_bytes(), shared[path]):
            _write(file, _at(hub, seen.head, path) if path in before else None)


def _finish_earlier(hub: Hub, target: Target, settle: Settle) -> None:
    """Finish the move in which an earlier command was killed, before anything else moves.

    The files may be where they were to go while the branch is not; seen from the next commit they would look like
    changes of a person's.
    """
    with contextlib.suppress(StoppedError, ValueError, KeyError, TypeError):  # a goal that is gone, too
        begun = json.loads(read_regular(_journal(hub)))
        seen = status_of(hub)
        if begun["branch"] == target.local and begun["before"] == seen.head:
            _advance(hub, target, seen, read_tree(hub, begun["goal"]), settle)
    _journal(hub).unlink(missing_ok=True)


def _journal(hub: Hub) -> Path:
    return hub.state / "moving.json"


def _advance(hub: Hub, target: Target, seen: Status, goal: Tree, settle: Settle) -> str:
    before = seen.head or run(hub, "hash-object", "-t", "tree", "--stdin").decode().strip()
    ours = dict(_settled(hub, seen.head, goal, seen.changed, settle))
    others = {path: content for path, content in goal.contents.items() if path not in ours}
    is_plain, stale = _is_plain(hub, seen, goal, others), False
    if is_plain:
        entries = _entries(hub, goal, {**others, **ours})
    else:
        others, entries = {}, {**_arrived(hub, before, goal, ours), **_entries(hub, goal, ours)}
        stale, blocked = _tried(hub, before, goal.commit, entries)
        if blocked:
            return f"this clone stays as it is, because files of yours are in the way: {_way_on(blocked)}"
    replace_file(_journal(hub), json.dumps({"branch": target.local, "before": seen.head, "goal": goal.commit}).encode())
    for path, content in ours.items():
        _write(hub.root / path, content)
    for path, content in others.items():
        _write(hub.root / path, content, write=put_file)
    when_unlocked(hub, lambda: point_index(hub, entries, {}))
    if stale:
        when_unlocked(hub, lambda: run(hub, *REFRESH, ok=(0, 1)))
    if not is_plain:
        when_unlocked(hub, lambda: run(hub, "read-tree", "-m", "-u", before, goal.commit))
    if goal.commit != seen.head:
        with running(hub, *([REFRESH] if is_plain else [])) as refreshed:
            expected = seen.head or "0" * len(goal.commit)
            run(hub, "update-ref", "-m", "agent-soul: sync", f"refs/heads/{target.local}", goal.commit, expected)
            refreshed()
    _journal(hub).unlink(missing_ok=True)
    return ""


def _is_plain(hub: Hub, seen: Status, goal: Tree, paths: Collection[str]) -> bool:
    """Tell whether no git has to find out what a move to `goal` does to the work tree.

    That is so where the commit was built on the one that is checked out, and the files at `paths`, which it changes,
    are what that one has, to the byte.
    """
    return (
        goal.parent == seen.head != ""
        and not goal.removed
        and not seen.staged
        and all(_holds(hub.root / path, goal.replaced.get(path, ""), goal.commit) for path in paths)
    )


def _holds(file: Path, name: str, commit: str) -> bool:
    """Tell whether a plain file, behind no link, has the content that Git calls `name`; empty: nothing is there."""
    if os.path.realpath(file) != str(file):
        return False
    if name:
        return file.is_file() and object_name(file.read_bytes(), commit) == name
    return not os.path.lexists(file) and next(each for each in file.parents if each.exists()).is_dir()


def _tried(hub: Hub, before: str, goal: str, entries: Mapping[str, str]) -> tuple[bool, str]:
    """Try the move on a copy of the index; return whether it needs a refresh, and why git would not move, if so."""
    trial = hub.state / f"index.{os.getpid()}"
    env = {"GIT_INDEX_FILE": str(trial)}
    move = ("read-tree", "-m", "-u", "--dry-run", before, goal)
    try:
        copy_index(hub, trial)
        point_index(hub, entries, env)
        if attempt(hub, *move, env=env)[0] == 0:
            return False, ""
        attempt(hub, *REFRESH, env=env)
        code, _, said = attempt(hub, *move, env=env)
    finally:
        trial.unlink(missing_ok=True)
    return True, said or f"git read-tree ended with {code}" if code else ""


def _way_on(said: str) -> str:
    """Return which file git found in the way, and what to do about it; its own words where they are not known."""
    found = re.search(_BLOCKING, said)
    if not found:
        return said
    step = "commit or stash it" if found["changed"] else "move it elsewhere"
    return f"{found['changed'] or found['other']}; {step}, then `soul sync`"


def _arrived(hub: Hub, before: str, goal: Tree, ours: Collection[str]) -> dict[str, str]:
    """Return the index entries of files that are in the work tree already as the commit `goal` has them.

    `ours` are settled already. What `goal` is known to hold is compared here, and git is asked about the others.
    """
    found: dict[str, str] = {}
    top, prefix = hub.git_root or hub.root, prefix_of(hub)
    settled = {f"{prefix}{path}" for path in ours}
    known = {f"{prefix}{path}": content for path, content in goal.contents.items()}
    rows = _difference(hub, before, goal)
    paths = sorted(path for _, _, path in rows if path not in settled and _may_hold(top / path, known.get(path)))
    names = _object_names(hub, top, paths)
    for mode, name, path in rows:
        if mode == _NONE and not os.path.lexists(top / path):
            found[path] = gone(goal.commit)
        elif names.get(path) == name:
            found[path] = f"{mode} {name}"
    return found


def _difference(hub: Hub, before: str, goal: Tree) -> list[tuple[str, str, str]]:
    """Return mode, object name and path from the top of each file that differs between `before` and `goal`."""
    if goal.parent == before:
        prefix = prefix_of(hub)
        made = [("100644", goal.objects[path], f"{prefix}{path}") for path in goal.contents]
        return made + [(_NONE, "", f"{prefix}{path}") for path in goal.removed]
    listing = run(hub, "diff-tree", "-r", "-z", "--no-renames", "--full-index", before, goal.commit).split(b"\0")
    rows = (row.decode().split(" ") for row in listing[:-1:2])
    return [(mode, name, os.fsdecode(path)) for (_, mode, _, name, _), path in zip(rows, listing[1::2], strict=True)]


def _may_hold(file: Path, content: bytes | None) -> bool:
    """Tell whether it is a plain file, with this content where one is given."""
    return file.is_file() and not file.is_symlink() and (content is None or file.read_bytes() == content)


def _object_names(hub: Hub, top: Path, paths: list[str]) -> dict[str, str]:
    """Return what git would call each of these files, by its path from the top of the repository."""
    if not paths or any("\n" in path for path in paths):
        return {}
    stdin = b"".join(os.fsencode(f"{top}/{path}\n") for path in paths)
    return dict(zip(paths, run(hub, "hash-object", "--stdin-paths", stdin=stdin).decode().split(), strict=True))


def _settled(
    hub: Hub, old: str, goal: Tree, changed: Sequence[str], settle: Settle
) -> Iterator[tuple[str, bytes | None]]:
    """Yield our files that differ from the branch, with what the work tree is to hold."""
    shared = read_files(hub, goal, changed)
    for path in changed:
        file = hub.root / path
        if file.is_symlink() or (file.exists() and not file.is_file()):
            continue  # a link, a pipe or a folder in a file's place is a person's
        settled = settle(path, _read(file), shared.get(path), partial(_at, hub, old, path))
        if settled:
            yield path, settled.content


def _at(hub: Hub, commit: str, path: str) -> bytes:
    """Return the file as the commit has it; empty bytes where it has none."""
    return attempt(hub, "cat-file", "blob", f"{commit}:{prefix_of(hub)}{path}")[1] if commit else b""


def _entries(hub: Hub, wanted: Tree, ours: Mapping[str, bytes | None]) -> dict[str, str]:
    """Return the index entries that the commit `wanted` has for our own files, by path from the top."""
    prefix = prefix_of(hub)
    return {
        f"{prefix}{path}": f"100644 {wanted.objects[path]}" if path in wanted.objects else gone(wanted.commit)
        for path in ours
    }


def _read(file: Path) -> bytes | None:
    try:
        return file.read_bytes()
    except (FileNotFoundError, NotADirectoryError):
        return None


def _write(file: Path, content: bytes | None, *, write: Callable[[Path, bytes], None] = replace_file) -> None:
    if content is None:
        file.unlink(missing_ok=True)
    elif _read(file) != content:
        write(file, content)
