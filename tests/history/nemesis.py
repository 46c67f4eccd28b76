"""What goes wrong: a server that declines, stalls and dies, commands that are killed, and a person at work."""

from __future__ import annotations

import contextlib
import os
import random
import signal
import subprocess
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Faults:
    """How often each of them happens, as a share of all pushes or events."""

    killed: float = 0.15
    declined: float = 0.10
    answer_lost: float = 0.03
    stalled: float = 0.05
    skewed: float = 0.10
    person: float = 0.10


# Bash's RANDOM from a seed and a count: not the same order of pushes every time, but the same share of faults.
_HOOK = """#!/usr/bin/env bash
echo >> {count}
RANDOM=$(( {seed} * 1000 + $(wc -l < {count}) ))
draw=$(( RANDOM % 1000 ))
"""
_DECLINE = """if [ $draw -lt {declined} ]; then echo declined >> {log}; echo 'policy: not now' >&2; exit 1; fi
if [ $draw -lt {stalled} ]; then echo stalled >> {log}; sleep 2; fi
"""
_DIE = """if [ $draw -lt {answer_lost} ]; then echo answer-lost >> {log}; kill -9 $PPID; fi
"""


def install_hooks(remote: Path, faults: Faults, seed: int) -> Path:
    """Make the remote decline, stall and die; return the file in which it notes what it did."""
    log = remote / "nemesis.log"
    log.touch()
    declined = int(faults.declined * 1000)
    limits = {
        "declined": declined,
        "stalled": declined + int(faults.stalled * 1000),
        "answer_lost": int(faults.answer_lost * 1000),
        "log": log,
    }
    for name, body in (("pre-receive", _DECLINE), ("post-receive", _DIE)):
        hook = remote / "hooks" / name
        hook.write_text((_HOOK + body).format(seed=seed, count=remote / f"{name}.count", **limits), encoding="utf-8")
        hook.chmod(0o755)
    return log


def remove_hooks(remote: Path) -> None:
    """Let the server be reliable again."""
    for name in ("pre-receive", "post-receive"):
        (remote / "hooks" / name).unlink(missing_ok=True)


def kill(process: subprocess.Popen[bytes], remote: Path, *, whole_tree: bool) -> None:
    """Kill -9 a command, alone or with the git processes it started; the server's own are another machine's."""
    victims = _descendants(process.pid) if whole_tree else [process.pid]
    for pid in reversed(victims):
        if pid == process.pid or not _is_server(pid, remote):
            with contextlib.suppress(OSError):
                os.kill(pid, signal.SIGKILL)


_PERSON = (
    ("reset", "-q", "--hard"),
    ("stash", "-q"),
    ("clean", "-fdxq"),
    ("pull", "-q", "--rebase"),
)


def person_acts(clone: Path, env: Mapping[str, str], dice: random.Random) -> str:
    """Do in a clone what a person may do at any time; git may refuse, as it does for a person. Returns what it was."""
    arguments = dice.choice(_PERSON)
    subprocess.run(["git", *arguments], cwd=clone, env=dict(env), capture_output=True, check=False)
    return " ".join(arguments)


def still_at_work(folder: Path) -> list[str]:
    """Name the processes that run in this folder: children of killed commands that have not ended yet."""
    return [name for pid in _processes() if (name := _name_if_in(pid, folder))]


def _descendants(pid: int) -> list[int]:
    children = defaultdict(list)
    for other in _processes():
        with contextlib.suppress(OSError, ValueError, IndexError):
            parent = Path(f"/proc/{other}/stat").read_text(encoding="utf-8", errors="replace").rsplit(")", 1)[1].split()
            children[int(parent[1])].append(other)
    found, waiting = [], [pid]
    while waiting:
        found.append(waiting.pop())
        waiting += children[found[-1]]
    return found


def _processes() -> list[int]:
    return [int(entry.name) for entry in Path("/proc").iterdir() if entry.name.isdigit()]


def _is_server(pid: int, remote: Path) -> bool:
    with contextlib.suppress(OSError):
        command = Path(f"/proc/{pid}/cmdline").read_bytes()
        return b"receive-pack" in command or b"upload-pack" in command or bool(_name_if_in(pid, remote))
    return False


def _name_if_in(pid: int, folder: Path) -> str:
    with contextlib.suppress(OSError):
        process = Path(f"/proc/{pid}")
        if (process / "cwd").readlink().is_relative_to(folder):
            return (process / "comm").read_text(encoding="utf-8", errors="replace").strip()
    return ""
