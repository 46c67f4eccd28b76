"""The beginning of a repository: `git init`, its remote, its first commit; and clones that are only read."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from agent_soul.gitio.process import attempt, run
from agent_soul.gitio.repository import head, identity
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


def commit_all(hub: Hub, message: str, *, author: str) -> str:
    """Commit everything in the folder, the log whatever a .gitignore says of it, and return the commit."""
    run(hub, "add", "--force", "--", "sources")
    run(hub, "add", "--all", "--", ".")
    flags = ("--quiet", "--no-verify", "--no-gpg-sign", "--file=-")
    run(hub, "commit", *flags, stdin=message.encode(), env=identity(hub, author))
    return head(hub)


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
