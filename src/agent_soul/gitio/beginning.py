"""The beginning of a repository: `git init`, its remote, its first commit; and clones that are only read."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from agent_soul.gitio.process import GitError, attempt, run
from agent_soul.gitio.repository import identity
from agent_soul.gitio.snapshot import read_files, read_tree
from agent_soul.hub import Hub

BRANCH = "main"
"""What the workflows of a hub start on."""
CLONE_SECONDS = 300.0


def make_repository(folder: Hub) -> None:
    """Make the folder a repository of its own, whose first commit will be on `main`."""
    run(folder, "init", "--quiet")
    run(folder, "symbolic-ref", "HEAD", f"refs/heads/{BRANCH}")


def remote_url(hub: Hub, remote: str = "origin") -> str:
    """Return the address of a remote as a person gave it, or an empty string where there is no such remote."""
    return run(hub, "config", "--get", f"remote.{remote}.url", ok=(0, 1)).decode("utf-8", "replace").strip()


def add_remote(hub: Hub, url: str) -> None:
    """Name the repository at `url` the remote `origin`. Nothing is asked of it."""
    run(hub, "remote", "add", "--", "origin", url)


def commit_all(hub: Hub, message: str, *, author: str, holding: Mapping[str, bytes]) -> str:
    """Make everything in the folder the first commit, the log whatever a .gitignore says of it, and return the commit.

    Git may change a file on its way in, or leave it out (attributes, a repository within). So it is a commit only when
    it holds the files of `holding`, by path, byte for byte. Raises `GitError` naming the first that it would not hold.
    """
    run(hub, "add", "--force", "--", "sources")
    run(hub, "add", "--all", "--", ".")
    tree = run(hub, "write-tree").decode().strip()
    there = read_files(hub, read_tree(hub, tree), holding)
    missed = sorted(path for path, content in holding.items() if there.get(path) != content)
    if missed:
        what = (
            f"Git would not record {missed[0]} as it is ({len(missed)} of {len(holding)} files); nothing is committed"
        )
        raise GitError(what, hint="`git check-attr --all FILE` and `git status --ignored` say why; then run it again")
    made = run(hub, "commit-tree", "-F", "-", tree, stdin=message.encode(), env=identity(hub, author)).decode().strip()
    run(hub, "update-ref", "-m", "commit (initial): agent-soul", "HEAD", made, "0" * len(made))
    return made


def clone(url: str, folder: Path) -> None:
    """Make a clone of the newest commit at `url` in the new `folder`. Raises `GitError` with the server's words."""
    here = Hub(folder.parent, folder.parent, None)
    flags = ("--quiet", "--depth=1", "--no-tags", "--no-recurse-submodules")
    run(here, "clone", *flags, "--", url, str(folder), timeout=CLONE_SECONDS)


def published_commit(hub: Hub, paths: Sequence[str]) -> tuple[str, str]:
    """Return where a checkout came from, and the last commit that changed `paths`, if that is all to know of them.

    Commits of memory that stand after it do not count. Both are empty where `paths` differ from the commit, or no
    branch of a remote was seen to have it.
    """
    url, commit = remote_url(hub), run(hub, "log", "-1", "--format=%H", "--", *paths).decode().strip()
    changed = run(hub, "status", "--porcelain", "--", *paths).strip()
    code, there, _ = attempt(hub, "branch", "--remotes", "--contains", commit or "HEAD")
    return ("", "") if changed or code or not there.strip() or not commit else (url, commit)
