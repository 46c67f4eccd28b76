"""Commits that stay in this clone: branch and index move together, or neither does.

Where the branch moved and the index did not, a person's next `git commit` would take our lines back. So the new index
is made beside Git's own, linked into place as Git's own `index.lock`, and becomes the index once the branch has moved.
A lock that a killed command left is the same file as the one in our state folder, which proves whose it is.
"""

from __future__ import annotations

import contextlib
import os
import time
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from pathlib import Path

from agent_soul.errors import NotSharedError
from agent_soul.gitio import locks
from agent_soul.gitio.index import REFRESH, copy_index, gone, point_index
from agent_soul.gitio.packs import join_small_packs
from agent_soul.gitio.process import GitError, attempt, run
from agent_soul.gitio.repository import git_dirs, head, prefix_of
from agent_soul.gitio.snapshot import Tree
from agent_soul.hub import Hub

_TRIES = 20
_SECONDS_BETWEEN = 0.1


@contextlib.contextmanager
def writing(hub: Hub) -> Iterator[None]:
    """Write in here: what a killed git of ours left is repaired first, small packs are joined at the end.

    A lock of ours must be held.
    """
    _finish_move(hub)
    with locks.noted(hub, git_dirs(hub)):
        yield
        with contextlib.suppress(GitError):  # nothing has changed, and the next command tries again
            join_small_packs(hub)


def move_branch(hub: Hub, old: str, new: Tree, paths: Iterable[str]) -> None:
    """Move the checked-out branch from the commit `old` to `new`, and the index entries of `paths` along with it.

    What a person has staged elsewhere stays as it is. Raises `NotSharedError` where another program holds Git's locks
    for longer than a moment; nothing has moved then. `writing` must be entered.
    """
    prefix = prefix_of(hub)
    entries = {
        f"{prefix}{path}": f"100644 {new.objects[path]}" if path in new.objects else gone(new.commit) for path in paths
    }
    update = partial(_update_branch, hub, old, new.commit)
    if not entries:
        if new.commit != old:
            _when_free(update)
        return
    made = hub.state / f"index.{new.commit}"
    try:
        _when_free(lambda: _swap_index(hub, made, entries, update))
    finally:
        made.unlink(missing_ok=True)


def _swap_index(hub: Hub, made: Path, entries: dict[str, str], update: Callable[[], None]) -> None:
    index = git_dirs(hub)[0] / "index"
    made.unlink(missing_ok=True)
    before = _identity(index)
    copy_index(hub, made)
    env = {"GIT_INDEX_FILE": str(made)}
    point_index(hub, entries, env)
    attempt(hub, *REFRESH, env=env)  # spares git the next look into these files; nothing depends on it
    lock = index.with_name("index.lock")
    _take(lock, made)
    try:
        if _identity(index) != before:
            raise BlockingIOError(0, "changed meanwhile", str(index))  # noqa: TRY301 - the lock goes back as for any
        update()
        lock.replace(index)
    except BaseException:
        lock.unlink(missing_ok=True)
        raise


def _take(lock: Path, made: Path) -> None:
    """Make `lock` a second name of `made`; raises `FileExistsError` where somebody holds it."""
    try:
        os.link(made, lock)
    except FileExistsError:
        raise
    except OSError:  # a file system without hard links
        with lock.open("xb") as opened:
            opened.write(made.read_bytes())
            opened.flush()
            os.fsync(opened.fileno())


def _identity(file: Path) -> tuple[int, int, int]:
    try:
        status = file.stat()
    except FileNotFoundError:
        return 0, 0, 0
    return status.st_ino, status.st_size, status.st_mtime_ns


def _update_branch(hub: Hub, old: str, new: str) -> None:
    if new != old:
        run(hub, "update-ref", "-m", "agent-soul: share", "HEAD", new, old or "0" * len(new))


def _when_free(act: Callable[[], None]) -> None:
    """Do it; wait a little where a person's own git is at work."""
    for tries in range(1, _TRIES + 1):
        try:
            return act()
        except (OSError, GitError) as error:
            obstacle = _obstacle(error)
            if not obstacle:
                raise
            if tries == _TRIES:
                raise NotSharedError(
                    f"nothing was committed, because another program works with this repository, or was killed at it:"
                    f" {obstacle}",
                    hint="when it has ended, or you have removed the lock that it left, run `soul compile --apply`",
                ) from error
        time.sleep(_SECONDS_BETWEEN)
    return None


def _obstacle(error: OSError | GitError) -> str:
    """Return what of another program's is in the way, if it is that."""
    if isinstance(error, GitError):
        return error.message if ".lock" in error.message else ""
    if isinstance(error, FileExistsError):
        return f"{error.filename2 or error.filename} is there"
    return f"{error.filename} is being changed" if isinstance(error, BlockingIOError) else ""


def _finish_move(hub: Hub) -> None:
    """Finish, or take back, the move in which an earlier command was killed."""
    index = git_dirs(hub)[0] / "index"
    lock = index.with_name("index.lock")
    for made in hub.state.glob("index.*"):
        commit = made.suffix.removeprefix(".")
        if _is_same(made, lock):
            if head(hub) == commit:
                lock.replace(index)
            else:
                lock.unlink()
        elif not _is_same(made, index) and made.stat().st_nlink > 1:
            continue  # the lock of another work tree of this clone, which its own next command will finish
        made.unlink(missing_ok=True)


def _is_same(one: Path, other: Path) -> bool:
    try:
        return one.samefile(other)
    except FileNotFoundError:
        return False
