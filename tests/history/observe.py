"""Reading what the repositories hold once all is quiet; the only part of the checker that runs Git."""

from __future__ import annotations

import subprocess
from collections.abc import Iterable, Mapping
from pathlib import Path

from history.records import Clone, Commit, World

_HALF_DONE = ("rebase-merge", "rebase-apply", "MERGE_HEAD", "CHERRY_PICK_HEAD", "agent-soul/moving.json")


def world_of(remote: Path, clones: Iterable[Clone]) -> World:
    """Return what the remote's main holds, all its commits, together with the clones."""
    commits = tuple(_commits(remote))
    blobs = _blobs(remote, {blob for commit in commits for blob in commit.files.values()})
    return World(commits, blobs, git(remote, "rev-parse", "main^{tree}").strip(), tuple(clones), _damage(remote))


def clone_of(folder: Path, *, stale: str = "", stuck: str = "") -> Clone:
    """Return the state of one clone; `stale` and `stuck` are what its own commands said."""
    files = sorted((folder / "sources").rglob("*.ndjson"))
    return Clone(
        name=folder.name,
        branch=git(folder, "symbolic-ref", "--short", "-q", "HEAD").strip(),
        tree=git(folder, "rev-parse", "HEAD^{tree}").strip(),
        log={file.relative_to(folder).as_posix(): file.read_bytes() for file in files},
        dirty=git(folder, "status", "--porcelain").strip(),
        leftovers=tuple(_leftovers(folder)),
        damage=_damage(folder),
        stale=stale,
        stuck=stuck,
    )


def git(folder: Path, *arguments: str, stdin: bytes = b"") -> str:
    """Run git and return its stdout; where it fails there is nothing to read, and the checker says what is missing."""
    return _git(folder, *arguments, stdin=stdin).decode("utf-8", "replace")


def _git(folder: Path, *arguments: str, stdin: bytes = b"") -> bytes:
    return subprocess.run(["git", *arguments], cwd=folder, input=stdin, capture_output=True, check=False).stdout


def _damage(folder: Path) -> str:
    done = subprocess.run(
        ["git", "fsck", "--full", "--no-dangling", "--no-progress"], cwd=folder, capture_output=True, check=False
    )
    words = (done.stdout + done.stderr).decode("utf-8", "replace").strip()
    return (words or f"exit code {done.returncode}") if done.returncode else ""


def _leftovers(folder: Path) -> Iterable[str]:
    git_dir = folder / ".git"
    yield from (name for name in _HALF_DONE if (git_dir / name).exists())
    yield from (str(lock.relative_to(folder)) for lock in git_dir.rglob("*.lock"))
    yield from (str(file.relative_to(folder)) for file in folder.rglob(".agent-soul.*.tmp"))


def _commits(remote: Path) -> Iterable[Commit]:
    for row in git(remote, "log", "--reverse", "--topo-order", "--format=%H %P", "main").splitlines():
        name, *parents = row.split()
        yield Commit(name, tuple(parents), _files(remote, name))


def _files(remote: Path, commit: str) -> dict[str, str]:
    listing = git(remote, "ls-tree", "-r", "-z", commit, "sources", "canonical")
    rows = (row.partition("\t") for row in listing.split("\0") if row)
    return {path: entry.split()[2] for entry, _, path in rows}


def _blobs(remote: Path, names: Iterable[str]) -> Mapping[str, bytes]:
    wanted = sorted(names)
    answer = _git(remote, "cat-file", "--batch", stdin="".join(f"{name}\n" for name in wanted).encode())
    found, at = {}, 0
    for name in wanted:
        start = answer.index(b"\n", at) + 1
        size = int(answer[at:start].split()[2])
        found[name] = answer[start : start + size]
        at = start + size + 1
    return found
