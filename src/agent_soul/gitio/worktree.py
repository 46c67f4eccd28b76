"""Bringing a person's clone along: branch, index and files move to what was shared, and nothing of theirs is touched."""

from __future__ import annotations

import os
import shutil
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from agent_soul.files import replace_file
from agent_soul.gitio.process import GitError, attempt, run
from agent_soul.gitio.repository import changed_paths, head, identity, operation_under_way, prefix_of
from agent_soul.gitio.transport import Target, Tree, is_ancestor, read_tree
from agent_soul.hub import Hub

_LOCKED_TRIES = 20
_LOCKED_SECONDS = 0.1


@dataclass(frozen=True, slots=True)
class Settled:
    """What a file of ours in the work tree is to hold; None: it goes."""

    content: bytes | None


Settle = Callable[[str, bytes | None, bytes | None], Settled | None]
"""(path, what is in the work tree, what was shared) -> what it is to hold, or None where the file is a person's."""


def bring_along(hub: Hub, target: Target, new: str, settle: Settle, *, author: str) -> str:
    """Move the checked-out branch to the commit `new`, or to a merge of it with a person's unpushed commits.

    `settle` decides about our own files that differ from the branch. Returns why the branch stayed where it is, or an
    empty string. The clone's lock must be held.
    """
    operation = operation_under_way(hub)
    if operation:
        return f"this clone stays as it is: a {operation} is under way; finish it, then run `soul sync`"
    if not target.local:
        return f"this clone stays as it is: the memory is on {target.branch!r}, which is not checked out"
    old = head(hub)
    if not old or is_ancestor(hub, old, new):
        goal = new
    elif is_ancestor(hub, new, old):
        goal = old
    else:
        goal, conflicts = _merged(hub, old, new, author)
        if conflicts:
            return f"your unpushed commits conflict in {', '.join(conflicts)}: `git pull --no-rebase` and settle them"
    return _advance(hub, target, old, goal, settle)


def _advance(hub: Hub, target: Target, old: str, goal: str, settle: Settle) -> str:
    before = old or run(hub, "hash-object", "-t", "tree", "--stdin").decode().strip()
    wanted = read_tree(hub, goal)
    ours = dict(_settled(hub, wanted, settle))
    trial = hub.state / f"index.{os.getpid()}"
    try:
        _copy_index(hub, trial)
        env = {"GIT_INDEX_FILE": str(trial)}
        _point_index(hub, wanted, ours, env)
        code, _, said = attempt(hub, "read-tree", "-m", "-u", "--dry-run", before, goal, env=env)
    finally:
        trial.unlink(missing_ok=True)
    if code:
        return f"this clone stays as it is, because files of yours are in the way: {said}"
    for path, content in ours.items():
        _write(hub.root / path, content)
    _when_unlocked(lambda: _point_index(hub, wanted, ours, {}))
    _when_unlocked(lambda: run(hub, "read-tree", "-m", "-u", before, goal))
    if goal != old:
        run(hub, "update-ref", "-m", "agent-soul: sync", f"refs/heads/{target.local}", goal, old or "0" * len(goal))
    return ""


def _settled(hub: Hub, wanted: Tree, settle: Settle) -> Iterator[tuple[str, bytes | None]]:
    """Yield our files that differ from the branch, with what the work tree is to hold."""
    for path in changed_paths(hub):
        settled = settle(path, _read(hub.root / path), _blob(hub, wanted.objects.get(path)))
        if settled:
            yield path, settled.content


def _point_index(hub: Hub, wanted: Tree, paths: Mapping[str, bytes | None], env: Mapping[str, str]) -> None:
    """Let the index hold the shared state of our own files, so that git moves on without touching them."""
    prefix = prefix_of(hub)
    gone = "0 " + "0" * max(len(wanted.commit), 40)
    rows = [
        f"100644 {wanted.objects[path]}\t{prefix}{path}" if path in wanted.objects else f"{gone}\t{prefix}{path}"
        for path in paths
    ]
    if rows:
        run(
            hub,
            "update-index",
            "-z",
            "--add",
            "--index-info",
            stdin="".join(f"{row}\0" for row in rows).encode(),
            env=env,
        )


def _merged(hub: Hub, old: str, new: str, author: str) -> tuple[str, list[str]]:
    """Merge in memory and return the commit, or the paths in conflict. Pages are upstream's: they are made anew."""
    code, out, said = attempt(hub, "merge-tree", "--write-tree", "-z", "--name-only", "--no-messages", old, new)
    if code not in (0, 1):
        raise GitError(f"git merge-tree failed: {said}", hint="git 2.38 or newer is needed; or `git pull --no-rebase`")
    tree, *paths = (os.fsdecode(part) for part in out.split(b"\0") if part)
    canonical = f"{prefix_of(hub)}canonical/"
    conflicts = sorted({path for path in paths if not path.startswith(canonical)})
    if conflicts:
        return "", conflicts
    index = hub.state / f"index.{os.getpid()}"
    env = {"GIT_INDEX_FILE": str(index)}
    try:
        run(hub, "read-tree", tree, env=env)
        pages = run(hub, "ls-files", "-z", "--full-name", "--", "canonical", env=env)
        run(hub, "update-index", "-z", "--force-remove", "--stdin", stdin=_below(pages, prefix_of(hub)), env=env)
        if attempt(hub, "rev-parse", "--verify", "--quiet", f"{new}:{canonical}")[0] == 0:
            run(hub, "read-tree", f"--prefix={canonical}", f"{new}:{canonical}", env=env)
        tree = run(hub, "write-tree", env=env).decode().strip()
    finally:
        index.unlink(missing_ok=True)
    message = b"Merge the shared memory\n"
    commit = run(hub, "commit-tree", tree, "-p", old, "-p", new, stdin=message, env=identity(hub, author))
    return commit.decode().strip(), []


def _below(listing: bytes, prefix: str) -> bytes:
    """Return full names as names from the hub's folder, which is where git is run."""
    return b"".join(name.removeprefix(os.fsencode(prefix)) + b"\0" for name in listing.split(b"\0") if name)


def _copy_index(hub: Hub, to: Path) -> None:
    index = Path(os.fsdecode(run(hub, "rev-parse", "--path-format=absolute", "--git-path", "index").rstrip(b"\n")))
    if index.exists():
        shutil.copyfile(index, to)


def _when_unlocked(act: Callable[[], object]) -> None:
    """Do it; wait a little where a person's own git holds the index."""
    for _ in range(_LOCKED_TRIES):
        try:
            act()
        except GitError as error:
            if "index.lock" not in error.message:
                raise
            time.sleep(_LOCKED_SECONDS)
        else:
            return
    act()


def _blob(hub: Hub, name: str | None) -> bytes | None:
    return run(hub, "cat-file", "blob", name) if name else None


def _read(file: Path) -> bytes | None:
    try:
        return file.read_bytes()
    except (FileNotFoundError, NotADirectoryError):
        return None


def _write(file: Path, content: bytes | None) -> None:
    if content is None:
        file.unlink(missing_ok=True)
    elif _read(file) != content:
        replace_file(file, content)
