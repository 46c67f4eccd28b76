"""Faults at chosen system calls, by strace: of a command of ours, or of any git that it starts.

Every git of a command runs through a wrapper that stands in the place of git's own folder of programs, so that those
which git itself starts on our side are reached too; the remote's own are another machine's. A git is named by its
first argument and a number, such as `push 1`: some run side by side, and their order is chance.
"""

from __future__ import annotations

import os
import re
import shutil
import signal
import subprocess
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

FAULTS: Mapping[str, Sequence[str]] = {
    "write": ("error=EIO", "error=ENOSPC", "signal=SIGKILL"),
    "pwrite64": ("error=EIO",),
    "fsync": ("error=EIO", "signal=SIGKILL"),
    "rename": ("error=EIO", "error=ENOSPC", "signal=SIGKILL"),
    "link": ("error=EIO", "signal=SIGKILL"),
    "openat": ("error=EIO", "error=EMFILE", "error=EACCES", "error=ENOSPC", "signal=SIGKILL"),
    "mkdir": ("error=ENOSPC", "signal=SIGKILL"),
    "flock": ("error=ENOLCK", "signal=SIGKILL"),
    "unlink": ("error=EIO", "signal=SIGKILL"),
    "ftruncate": ("error=EIO",),
}
"""What may go wrong with each system call that is looked at."""
_ON_READING = ("error=EIO", "error=EMFILE", "error=EACCES")  # a kill there is one before the next write
OURS = ""
"""The name of the command's own process among its programs."""
KILLED = -signal.SIGKILL

_WRAPPER = """#!/bin/sh
# Runs git; the one that is asked for, or every one, with strace's OPTIONS.
case $PWD in {remote}*) exec {git} "$@" ;; esac
for name; do case $name in -* | *=*) ;; *) break ;; esac; done
case $name in */*) name=git ;; esac
number=1
until mkdir "{counts}/$name $number" 2>/dev/null; do number=$((number + 1)); done
[ -z "$TRACE_ALL" ] || exec {strace} -o "{traces}/$name $number" $TRACE_ALL {git} "$@"
[ "$name $number" != "$TRACE_ONE" ] || exec {strace} -o /dev/null $TRACE_OPTIONS {git} "$@"
exec {git} "$@"
"""


class Point(NamedTuple):
    """A system call of a command: the program, the call, and its number among the program's calls of that name."""

    program: str
    call: str
    number: int
    line: str

    @property
    def faults(self) -> Sequence[str]:
        """Return what may go wrong with it."""
        return FAULTS[self.call] if self.is_writing else _ON_READING

    @property
    def is_writing(self) -> bool:
        """Tell whether the call changes a file or sends something."""
        return self.call != "openat" or "O_CREAT" in self.line

    def __str__(self) -> str:
        return f"{self.program or 'soul'}: {self.call} {self.number} ({self.line[:160]})"


def why_not() -> str:
    """Return why nothing can be traced here, or an empty string."""
    program = shutil.which("strace")
    if not program:
        return "strace, which makes system calls fail, is not installed"
    tried = subprocess.run([program, "-qq", "-o", os.devnull, "true"], capture_output=True)
    return "strace may not trace here" if tried.returncode else ""


class Tracer:
    """Runs commands in `folder` while strace watches them or makes one of their system calls fail."""

    def __init__(self, place: Path, folder: Path, remote: Path, env: Mapping[str, str]) -> None:
        self._place, self._folder = place, folder
        self._strace = f"{shutil.which('strace')} -qq -y"
        programs, git = place / "programs", shutil.which("git")
        real = subprocess.run(["git", "--exec-path"], capture_output=True, text=True, check=True).stdout.strip()
        programs.mkdir(parents=True)
        for program in Path(real).iterdir():
            if program.name != "git":
                (programs / program.name).symlink_to(program)
        wrapper = programs / "git"
        counts, traces = place / "counts", place / "traces"
        filled = _WRAPPER.format(git=git, remote=remote, strace=self._strace, counts=counts, traces=traces)
        wrapper.write_text(filled, encoding="utf-8")
        wrapper.chmod(0o755)
        fixed = {"PYTHONDONTWRITEBYTECODE": "1", "PYTHONHASHSEED": "0"}  # the same calls every time
        path = f"{programs}{os.pathsep}{env['PATH']}"
        self._env = {**env, **fixed, "PATH": path, "GIT_EXEC_PATH": str(programs)}

    def points(self, command: Sequence[str], around: Path) -> list[Point]:
        """Run the command, and return its system calls of the files in the folder `around`.

        Writing into a pipe counts too. What a program reads from elsewhere, such as its own libraries, does not.
        """
        self._clear()
        watch = f"-e trace={','.join(FAULTS)}"
        ours = self._place / "traces" / "ours"
        done = self._run([*self._strace.split(), "-o", str(ours), *watch.split(), *command], TRACE_ALL=watch)
        assert done.returncode == 0, f"{command}: {done.stdout}{done.stderr}"
        files = {OURS: ours} | {file.name: file for file in sorted(ours.parent.iterdir()) if file != ours}
        return [point for name, file in files.items() for point in _points_in(name, file, around)]

    def hit(self, command: Sequence[str], point: Point, fault: str) -> subprocess.CompletedProcess[str]:
        """Run the command with `fault` at the point."""
        self._clear()
        inject = ["-e", "trace=none", "-e", f"inject={point.call}:{fault}:when={point.number}"]
        if point.program == OURS:
            return self._run([*self._strace.split(), "-o", os.devnull, *inject, *command])
        return self._run(command, TRACE_ONE=point.program, TRACE_OPTIONS=" ".join(inject))

    def _clear(self) -> None:
        for name in ("counts", "traces"):
            shutil.rmtree(self._place / name, ignore_errors=True)
            (self._place / name).mkdir()

    def _run(self, command: Sequence[str], **more: str) -> subprocess.CompletedProcess[str]:
        env = {**self._env, "TRACE_ALL": "", "TRACE_ONE": "", **more}
        return subprocess.run(
            command, cwd=self._folder, env=env, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=120
        )


def _points_in(program: str, trace: Path, around: Path) -> Iterator[Point]:
    counts = Counter[str]()
    for line in trace.read_text(encoding="utf-8", errors="replace").splitlines():
        found = re.match(r"(\w+)\(", line)
        if found:
            counts[found[1]] += 1
            if _concerns(found[1], line, around):
                yield Point(program, found[1], counts[found[1]], line)


def _concerns(call: str, line: str, around: Path) -> bool:
    """Tell whether the call works on a file below `around`, where all commands run, or writes into a pipe."""
    if call in ("write", "pwrite64"):
        target = re.search(r"\(\d+<([^>]*)", line)
        return target is not None and target[1].startswith((f"{around}/", "pipe:"))
    named = re.findall(r'"([^"]*)"', line) or re.findall(r"\d<(/[^>]*)", line)
    return any(name.startswith(f"{around}/") or not name.startswith("/") for name in named)
