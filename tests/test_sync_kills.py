"""Kill -9 at the worst moments of bringing a clone along: the next command repairs it, and nothing is lost."""

from __future__ import annotations

import os
import random
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from history.nemesis import kill
from support import git

pytestmark = pytest.mark.proof

SOUL = (sys.executable, "-m", "agent_soul")


def share(folder: Path, text: str) -> None:
    subprocess.run([*SOUL, "share", "--source", f"agent-{folder.name}", text], cwd=folder, check=True)


def is_whole(clone: Path, remote: Path) -> bool:
    """Tell whether the clone is where the remote is, with nothing changed and nothing left behind."""
    left = [*(clone / ".git").rglob("*.lock"), *(clone / ".git" / "agent-soul").glob("moving.json")]
    same = git(clone, "rev-parse", "HEAD") == git(remote, "rev-parse", "main")
    print(git(clone, "status", "--short", "--branch"), left)
    return same and not git(clone, "status", "--porcelain") and not left


def texts_of(remote: Path) -> list[str]:
    """Return which of the events' texts the remote has, each as often as it has it."""
    paths = git(remote, "ls-tree", "-r", "--name-only", "main", "sources").split()
    logs = "".join(git(remote, "show", f"main:{path}") for path in paths)
    return sorted(part.split('"')[0] for part in logs.split('"summary":"')[1:])


@pytest.fixture
def remote(tmp_path: Path) -> Path:
    """Make a remote and two clones of it, c and d, that know each other's first event."""
    bare = tmp_path / "remote.git"
    git(tmp_path, "init", "-q", "--bare", "-b", "main", str(bare))
    c, d = tmp_path / "c", tmp_path / "d"
    git(tmp_path, "clone", "-q", str(bare), str(c))
    (c / "soul.yaml").write_text("template: false\n", encoding="utf-8")
    git(c, "add", "-A")
    git(c, "commit", "-q", "-m", "seed")
    git(c, "push", "-q", "origin", "HEAD:main")
    git(tmp_path, "clone", "-q", str(bare), str(d))
    share(c, "C zero.")
    share(d, "D zero.")
    share(c, "C one.")
    return bare


# Dies before the command of git, or the file that is written, that POINT names: what a kill there leaves on disk.
DYING = """
import os, sys
import agent_soul.gitio.index as index
import agent_soul.gitio.worktree as worktree

point, run, write, files = sys.argv.pop(1), worktree.run, worktree._write, []

def dying_run(hub, *arguments, **keywords):
    on_the_index = not keywords.get("env") and "--dry-run" not in arguments
    if arguments[0] == point and on_the_index:
        os._exit(137)
    return run(hub, *arguments, **keywords)

def dying_write(file, *arguments, **keywords):
    files.append(file)
    if point == f"file {len(files)}":
        os._exit(137)
    write(file, *arguments, **keywords)

worktree.run = index.run = dying_run
worktree._write = dying_write
from agent_soul.cli import main
sys.exit(main(sys.argv[1:]))
"""


@pytest.mark.parametrize(
    ("point", "in_step"),
    [
        *((point, False) for point in ("file 1", "update-index", "read-tree", "update-ref")),
        *((point, True) for point in ("file 3", "update-index", "update-ref")),
    ],
)
def test_a_kill_while_the_clone_is_brought_along(remote: Path, point: str, in_step: bool) -> None:
    """Two more commits of the other clone, on the same pages, come between the kill and the next command.

    A clone that was `in_step` with the remote moves without git's help.
    """
    c, d = remote.with_name("c"), remote.with_name("d")
    if in_step:
        subprocess.run([*SOUL, "sync"], cwd=d, check=True)
    command = [sys.executable, "-c", DYING, point, "share", "--source", "agent-d", "D one."]
    assert subprocess.run(command, cwd=d).returncode == 137
    share(c, "C two.")
    share(c, "C three.")

    subprocess.run([*SOUL, "sync"], cwd=d, check=True)

    assert is_whole(d, remote)
    assert not (d / ".git" / "agent-soul" / "edited").exists()  # no page was taken for a person's
    assert texts_of(remote) == ["C one.", "C three.", "C two.", "C zero.", "D one.", "D zero."]


@pytest.mark.skipif(not shutil.which("strace"), reason="strace, which kills at a chosen system call, is not installed")
@pytest.mark.parametrize("lock", ["index.lock", "refs/heads/main.lock"])
def test_a_git_that_is_killed_with_its_lock(remote: Path, lock: str) -> None:
    """The kill comes as git renames the lock into place, so that the lock stays."""
    d = remote.with_name("d")
    calls = remote.with_name("calls")
    renames = "rename,renameat,renameat2"
    trace = ["strace", "-f", "-qq", "-o", str(calls), "-P", str(d / ".git" / lock), "-P", f".git/{lock}"]
    inject = ["-e", f"trace={renames}", "-e", f"inject={renames}:signal=KILL"]
    subprocess.run([*trace, *inject, *SOUL, "share", "--source", "agent-d", "D one."], cwd=d)
    assert "killed by SIGKILL" in calls.read_text(encoding="utf-8")

    subprocess.run([*SOUL, "sync"], cwd=d, check=True)

    assert is_whole(d, remote)
    assert texts_of(remote).count("D one.") == 1


def test_a_persons_lock_stays(remote: Path) -> None:
    lock = remote.with_name("d") / ".git" / "index.lock"
    lock.touch()
    os.utime(lock, (1_000_000_000, 1_000_000_000))

    subprocess.run([*SOUL, "sync"], cwd=lock.parents[1])

    assert lock.exists()


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="finds the children of a command in /proc")
@pytest.mark.parametrize("seed", range(2))
def test_kills_at_random_moments(remote: Path, seed: int) -> None:
    """Half of the kills hit the command alone, so that its git goes on as an orphan; half hit the whole tree."""
    dice = random.Random(seed)
    c, d = remote.with_name("c"), remote.with_name("d")
    for number in range(5):
        share(c, f"C again {number}.")
        command = [*SOUL, "share", "--source", "agent-d", f"D again {number}."]
        process = subprocess.Popen(command, cwd=d)
        try:
            process.wait(dice.uniform(0.1, 1.0))
        except subprocess.TimeoutExpired:
            kill(process, remote, whole_tree=dice.random() < 0.5)
            assert process.wait() in (0, -signal.SIGKILL)  # it may have ended just before
        time.sleep(dice.uniform(0, 0.2))
        subprocess.run([*SOUL, "sync"], cwd=d, check=True)

    subprocess.run([*SOUL, "sync"], cwd=d, check=True)
    assert is_whole(d, remote)
    there = texts_of(remote)
    assert len(there) == len(set(there))
    assert {f"C again {number}." for number in range(5)} <= set(there)
