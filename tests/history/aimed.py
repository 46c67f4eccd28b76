"""One command of ours, hit once, by a fault at a system call or a kill at some moment; and what must hold afterwards.

As a program it prints a line for each command and every hit that broke a promise: `python -m history.aimed --help`.
"""

from __future__ import annotations

import argparse
import contextlib
import os
import random
import shutil
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from subprocess import PIPE
from typing import NamedTuple

from agent_soul import outbox
from agent_soul.compiler import compile_hub
from agent_soul.errors import ExitCode
from agent_soul.hub import open_hub
from agent_soul.log import SourceFiles, parse_log
from agent_soul.sync import try_sync
from history.faults import KILLED, OURS, Point, Tracer, why_not
from history.nemesis import kill, still_at_work
from history.observe import clone_of, git
from history.records import Clone
from history.run import SOUL, environment

COMMANDS: dict[str, list[str]] = {
    "add": ["add", "--source", "agent-c", "--kind", "fact", "--scope", "stable", "--summary", "Hit."],
    "compile": ["compile"],
    "sync": ["sync"],
    "share": ["share", "--source", "agent-c", "Hit."],
}
_SHARED_BEFORE = ("C zero.", "D zero.", "D one.")
_ACKNOWLEDGED_BEFORE = "C waits."
_ON_THE_DESK = "# User\nHalf a sentence\n"


class Shot(NamedTuple):
    """A fault at a point, to be tried."""

    point: Point
    fault: str

    def __str__(self) -> str:
        return f"{self.fault} at {self.point}"


class Range:
    """Where shots are fired: a remote, the clone c that is hit, and the clone d, which has shared something meanwhile.

    In c an event waits to be shared, and a file of a person's is changed; with `unpushed` they have a commit that the
    remote lacks, too. Everything is put back before each shot.
    """

    def __init__(self, folder: Path, *, unpushed: bool = False) -> None:
        self.unpushed = unpushed
        self._env = environment(folder)
        self._here, self._before = folder / "here", folder / "before"
        self.c, self.d, self.remote = (self._here / name for name in ("c", "d", "remote.git"))
        self._prepare()
        shutil.copytree(self._here, self._before, symlinks=True)
        self._tracer = Tracer(folder / "tracer", self.c, self.remote, self._env)

    def shots(self, name: str) -> list[Shot]:
        """Return every fault that can be tried on the command."""
        self._reset()
        points = self._tracer.points([*SOUL, *COMMANDS[name]], self._here)
        return [Shot(point, fault) for point in points for fault in point.faults]

    def fire(self, name: str, shot: Shot) -> list[str]:
        """Hit the command; return which promises it broke, each with the evidence."""
        self._reset()
        done = self._tracer.hit([*SOUL, *COMMANDS[name]], shot.point, shot.fault)
        return self._broken(name, done, may_die=shot.point.program == OURS and "KILL" in shot.fault)

    def kill(self, name: str, seconds: float, *, whole_tree: bool) -> list[str]:
        """Kill the command after so many seconds, alone or with every git of it; return which promises that broke.

        The next command comes at once, while git may still be at work as an orphan.
        """
        self._reset()
        command = [*SOUL, *COMMANDS[name]]
        process = subprocess.Popen(command, cwd=self.c, env=self._env, stdout=PIPE, stderr=PIPE, text=True)
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(seconds)
        kill(process, self.remote, whole_tree=whole_tree)
        said = process.communicate()
        try_sync(open_hub(self.c), budget=20)
        return self._broken(name, subprocess.CompletedProcess(command, process.returncode, *said), may_die=True)

    def usual_seconds(self, name: str) -> float:
        """Return how long the command takes when nothing hits it."""
        self._reset()
        started = time.monotonic()
        self._run(self.c, *SOUL, *COMMANDS[name])
        return time.monotonic() - started

    def _broken(self, name: str, done: subprocess.CompletedProcess[str], *, may_die: bool) -> list[str]:
        while still_at_work(self._here):
            time.sleep(0.02)
        texts = ["Hit."] if name in ("add", "share") else []
        return [*self._broken_by(done, texts, may_die=may_die), *self._broken_after(done, texts)]

    def _broken_by(
        self, done: subprocess.CompletedProcess[str], texts: Sequence[str], *, may_die: bool
    ) -> Iterator[str]:
        """Yield what is wrong with how the command itself ended."""
        expected = [ExitCode.DONE, ExitCode.NOT_SHARED, ExitCode.STOPPED, *([KILLED] if may_die else [])]
        said = f"{done.returncode}, {done.stdout!r}, {done.stderr!r}"
        if done.returncode not in expected or any(bad in done.stderr for bad in ("Traceback", "a bug of ours")):
            yield f"ended badly: {said}"
        kept = self._kept()
        if self._is_acknowledged(done) and not {*texts, _ACKNOWLEDGED_BEFORE} <= {*kept}:
            yield f"acknowledged, and only {kept} are kept: {said}"
        if done.stdout.startswith("shared") and not {*texts, _ACKNOWLEDGED_BEFORE} <= {*self._shared()}:
            yield f"said to be shared, and the remote has only {self._shared()}: {said}"
        if (self.c / "USER.md").read_text(encoding="utf-8") != _ON_THE_DESK:
            yield "a person's file is changed"

    def _broken_after(self, done: subprocess.CompletedProcess[str], texts: Sequence[str]) -> Iterator[str]:
        """Run the next plain command in each clone, and yield what is not as it should be then."""
        for clone in (self.c, self.d):
            kept = try_sync(open_hub(clone), budget=20)
            if not str(kept).startswith("shared") or kept.note:
                yield f"the next sync of {clone.name} did not finish: {kept}; {kept.note}"
        there = self._shared()
        required = [*_SHARED_BEFORE, _ACKNOWLEDGED_BEFORE, *(texts if self._is_acknowledged(done) else [])]
        if sorted({*required} | ({*there} & {*texts})) != there:
            yield f"the remote has {there}, and {required} were acknowledged: {done.returncode} {done.stderr!r}"
        if self._kept() != there:
            yield f"the remote has {there} and c {self._kept()}"
        yield from self._disorder()

    def _disorder(self) -> Iterator[str]:
        main = git(self.remote, "rev-parse", "main")
        for folder in (self.c, self.d):
            stale = compile_hub(open_hub(folder), write=False).difference
            clone = replace(clone_of(folder, stale=str(stale) if stale else ""), log={})
            expected = Clone(folder.name, "main", clone.tree, {}, dirty="M USER.md" if folder == self.c else "")
            if clone != expected:
                yield f"{clone.name} is not in order: {clone}"
            ahead = self.unpushed and folder == self.c
            if git(folder, "merge-base" if ahead else "rev-parse", "HEAD", *(["origin/main"] if ahead else [])) != main:
                yield f"{clone.name} is not where the remote is"
        if self.unpushed and "mine" not in git(self.c, "log", "--format=%s"):
            yield "a person's commit is gone"
        if list(open_hub(self.c).outbox.iterdir()):
            yield "the outbox is not empty"

    def _is_acknowledged(self, done: subprocess.CompletedProcess[str]) -> bool:
        return done.returncode in (ExitCode.DONE, ExitCode.NOT_SHARED)

    def _kept(self) -> list[str]:
        return sorted(event.summary for event in outbox.whole_log(open_hub(self.c)).events)

    def _shared(self) -> list[str]:
        paths = git(self.remote, "ls-tree", "-r", "--name-only", "main", "sources").split()
        files = {path: git(self.remote, "show", f"main:{path}").encode() for path in paths}
        return sorted(event.summary for event in parse_log(SourceFiles(files)).events)

    def _reset(self) -> None:
        shutil.rmtree(self._here)
        shutil.copytree(self._before, self._here, symlinks=True)

    def _prepare(self) -> None:
        self._here.mkdir(parents=True)
        self._run(self._here, "git", "init", "-q", "--bare", "--template=", "-b", "main", self.remote.name)
        self._run(self._here, "git", "clone", "-q", "--template=", self.remote.name, "c")
        (self.c / "soul.yaml").write_text("template: false\n", encoding="utf-8")
        (self.c / "USER.md").write_text("# User\n", encoding="utf-8")
        for arguments in (("add", "-A"), ("commit", "-q", "-m", "seed"), ("push", "-q", "origin", "HEAD:main")):
            self._run(self.c, "git", *arguments)
        self._run(self._here, "git", "clone", "-q", "--template=", self.remote.name, "d")
        for text in _SHARED_BEFORE:
            clone = self.c if text.startswith("C") else self.d
            self._run(clone, *SOUL, "share", "--source", f"agent-{clone.name}", text)
        if self.unpushed:
            (self.c / "plan.txt").write_text("mine\n", encoding="utf-8")
            self._run(self.c, "git", "add", "plan.txt")
            self._run(self.c, "git", "commit", "-q", "-m", "mine")
        self._run(self.c, *SOUL, *COMMANDS["add"][:-1], _ACKNOWLEDGED_BEFORE)
        (self.c / "USER.md").write_text(_ON_THE_DESK, encoding="utf-8")

    def _run(self, folder: Path, *command: str) -> None:
        subprocess.run(command, cwd=folder, env=self._env, check=True, capture_output=True)


def main(arguments: Sequence[str] | None = None) -> int:
    """Hit the commands; end with 1 if a promise was broken."""
    parser = argparse.ArgumentParser(prog="history.aimed", description=__doc__.split("\n")[0])
    parser.add_argument("commands", nargs="*", default=list(COMMANDS), help="of: " + ", ".join(COMMANDS))
    parser.add_argument("--part", type=float, default=1.0, help="how much of all faults is tried, 0 to 1")
    parser.add_argument("--at", choices=("all", "soul", "git"), default="all", help="whose system calls fail")
    parser.add_argument("--kills", type=int, metavar="N", help="kill each command N times instead, at random moments")
    parser.add_argument("--unpushed", action="store_true", help="with a person's commit that the remote lacks")
    asked = parser.parse_args(arguments)
    if not asked.kills and (reason := why_not()):
        parser.exit(1, f"nothing was tried: {reason}\n")
    folder = Path(tempfile.mkdtemp(prefix="agent-soul-aimed-"))
    settings = environment(folder)
    os.environ.clear()
    os.environ.update(settings)
    place = Range(folder / "range", unpushed=asked.unpushed)
    hits = _kills(place, asked.commands, asked.kills) if asked.kills else _faults(place, asked)
    broken = Counter[str]()
    for name, hit, promises in hits:
        broken[name] += bool(promises)
        for promise in promises:
            print(f"{name}, {hit}: {promise}", flush=True)
    shutil.rmtree(folder)
    print(f"promises broken: {dict(broken)}")
    return min(broken.total(), 1)


def _faults(place: Range, asked: argparse.Namespace) -> Iterator[tuple[str, str, list[str]]]:
    for name in asked.commands:
        shots = [shot for shot in place.shots(name) if asked.at in ("all", "git" if shot.point.program else "soul")]
        chosen = random.Random(1).sample(shots, round(len(shots) * asked.part))
        print(f"{name}: {len(chosen)} of {len(shots)} faults", flush=True)
        for shot in chosen:
            yield name, str(shot), place.fire(name, shot)


def _kills(place: Range, names: Sequence[str], number: int) -> Iterator[tuple[str, str, list[str]]]:
    dice = random.Random(1)
    for name in names:
        usual = place.usual_seconds(name)
        print(f"{name}: {number} kills, it takes {usual:.2f} s", flush=True)
        for _ in range(number):
            seconds, whole_tree = dice.uniform(0, 1.1 * usual), dice.random() < 0.5
            told = f"killed after {seconds:.3f} s{' with its git' * whole_tree}"
            yield name, told, place.kill(name, seconds, whole_tree=whole_tree)


if __name__ == "__main__":
    sys.exit(main())
