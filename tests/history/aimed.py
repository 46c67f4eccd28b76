"""One command of ours hit by one fault, at every system call in turn; what must hold afterwards, whatever was hit.

As a program it prints a line for each command and every fault that broke a promise: `python -m history.aimed --help`.
"""

from __future__ import annotations

import argparse
import os
import random
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

from agent_soul import outbox
from agent_soul.compiler import compile_hub
from agent_soul.errors import ExitCode
from agent_soul.hub import open_hub
from agent_soul.log import SourceFiles, parse_log
from agent_soul.sync import try_sync
from history.faults import KILLED, OURS, Point, Tracer, why_not
from history.nemesis import still_at_work
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
        self._here, self._before = folder / "here", folder / "before"
        self.c, self.d, self.remote = (self._here / name for name in ("c", "d", "remote.git"))
        self._prepare()
        shutil.copytree(self._here, self._before, symlinks=True)
        self._tracer = Tracer(folder / "tracer", self.c, self.remote, os.environ)

    def shots(self, name: str) -> list[Shot]:
        """Return every fault that can be tried on the command."""
        self._reset()
        points = self._tracer.points([*SOUL, *COMMANDS[name]], self._here)
        return [Shot(point, fault) for point in points for fault in point.faults]

    def fire(self, name: str, shot: Shot) -> list[str]:
        """Hit the command; return which promises it broke, each with the evidence."""
        self._reset()
        done = self._tracer.hit([*SOUL, *COMMANDS[name]], shot.point, shot.fault)
        while still_at_work(self._here):
            time.sleep(0.02)
        texts = ["Hit."] if name in ("add", "share") else []
        return [*self._broken_by(done, shot, texts), *self._broken_after(done, texts)]

    def _broken_by(self, done: subprocess.CompletedProcess[str], shot: Shot, texts: Sequence[str]) -> Iterator[str]:
        """Yield what is wrong with how the command itself ended."""
        expected = [ExitCode.DONE, ExitCode.NOT_SHARED, ExitCode.STOPPED]
        if shot.point.program == OURS and "KILL" in shot.fault:
            expected.append(KILLED)
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
        _run(self._here, "git", "init", "-q", "--bare", "--template=", "-b", "main", self.remote.name)
        _run(self._here, "git", "clone", "-q", "--template=", self.remote.name, "c")
        (self.c / "soul.yaml").write_text("template: false\n", encoding="utf-8")
        (self.c / "USER.md").write_text("# User\n", encoding="utf-8")
        for arguments in (("add", "-A"), ("commit", "-q", "-m", "seed"), ("push", "-q", "origin", "HEAD:main")):
            _run(self.c, "git", *arguments)
        _run(self._here, "git", "clone", "-q", "--template=", self.remote.name, "d")
        for text in _SHARED_BEFORE:
            clone = self.c if text.startswith("C") else self.d
            _run(clone, *SOUL, "share", "--source", f"agent-{clone.name}", text)
        if self.unpushed:
            (self.c / "plan.txt").write_text("mine\n", encoding="utf-8")
            _run(self.c, "git", "add", "plan.txt")
            _run(self.c, "git", "commit", "-q", "-m", "mine")
        _run(self.c, *SOUL, *COMMANDS["add"][:-1], _ACKNOWLEDGED_BEFORE)
        (self.c / "USER.md").write_text(_ON_THE_DESK, encoding="utf-8")


def _run(folder: Path, *command: str) -> None:
    subprocess.run(command, cwd=folder, check=True, capture_output=True)


def main(arguments: Sequence[str] | None = None) -> int:
    """Fire at the commands; end with 1 if a promise was broken."""
    parser = argparse.ArgumentParser(prog="history.aimed", description=__doc__.split("\n")[0])
    parser.add_argument("commands", nargs="*", default=list(COMMANDS), help="of: " + ", ".join(COMMANDS))
    parser.add_argument("--share-of-all", type=float, default=1.0, help="how many of all faults are tried, 0 to 1")
    parser.add_argument("--at", choices=("all", "soul", "git"), default="all", help="whose system calls fail")
    parser.add_argument("--unpushed", action="store_true", help="with a person's commit that the remote lacks")
    asked = parser.parse_args(arguments)
    if reason := why_not():
        parser.exit(1, f"nothing was tried: {reason}\n")
    folder = Path(tempfile.mkdtemp(prefix="agent-soul-aimed-"))
    settings = environment(folder)
    os.environ.clear()
    os.environ.update(settings)
    place, red = Range(folder / "range", unpushed=asked.unpushed), 0
    for name in asked.commands:
        shots = [shot for shot in place.shots(name) if asked.at in ("all", "git" if shot.point.program else "soul")]
        chosen = random.Random(1).sample(shots, round(len(shots) * asked.share_of_all))
        for shot in chosen:
            broken = place.fire(name, shot)
            red += bool(broken)
            for promise in broken:
                print(f"{name}, {shot}: {promise}", flush=True)
        print(f"{name}: {len(chosen)} of {len(shots)} faults tried, {red} broke a promise so far", flush=True)
    shutil.rmtree(folder)
    return min(red, 1)


if __name__ == "__main__":
    sys.exit(main())
