"""What several test modules call."""

from __future__ import annotations

import contextlib
import io
import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from agent_soul.founding.hub import Wishes, found_hub
from agent_soul.hub import Hub

Soul = Callable[..., subprocess.CompletedProcess[str]]
Run = Callable[..., dict[str, Any]]


class Machines(NamedTuple):
    """Two clones of one remote."""

    remote: Path
    one: Hub
    other: Hub


def git(folder: Path, *arguments: str) -> str:
    """Run git in `folder` and return its stdout; a failure fails the test with git's words."""
    done = subprocess.run(["git", *arguments], cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode == 0, f"git {arguments}: {done.stdout}{done.stderr}"
    return done.stdout


def run_here(
    folder: Path, *arguments: str, stdin: str = "", env: Mapping[str, str] | None = None
) -> subprocess.CompletedProcess[str]:
    """Run the command line in this process, as if it had been started in `folder`: a fifth of the time of a process."""
    from agent_soul.cli import main

    given = io.TextIOWrapper(io.BytesIO(stdin.encode()), encoding="utf-8")
    out, err = (io.TextIOWrapper(io.BytesIO(), encoding="utf-8") for _ in range(2))
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        for name, value in (env or {}).items():
            patch.setenv(name, value)
        for name, stream in (("stdin", given), ("stdout", out), ("stderr", err)):
            patch.setattr(sys, name, stream)
        code = main(arguments)
        printed = [text_of(stream) for stream in (out, err)]
    print(*printed)
    return subprocess.CompletedProcess(arguments, code, *printed)


def text_of(stream: io.TextIOWrapper) -> str:
    """Return what was written to a stream in memory."""
    stream.flush()
    assert isinstance(stream.buffer, io.BytesIO)
    return stream.buffer.getvalue().decode("utf-8")


def write_log(hub: Path, *records: Mapping[str, Any]) -> None:
    """Append the records to the log of the hub as their sources would."""
    for record in records:
        file = hub / "sources" / record["source"] / "2026-03-01.0a1b2c3d.ndjson"
        file.parent.mkdir(parents=True, exist_ok=True)
        with file.open("a", encoding="utf-8") as opened:
            opened.write(json.dumps(record, ensure_ascii=False) + "\n")


def log_text(hub: Path) -> str:
    """Return all that the log of the hub holds."""
    return "".join(file.read_text(encoding="utf-8") for file in sorted(hub.glob("sources/*/*")))


@contextlib.contextmanager
def world_of_a_hub(world: Path) -> Iterator[Path]:
    """Make in `world` the hub `mine` and its remote `remote.git`; yields the hub. No Git settings of a user count."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("GIT_CONFIG_GLOBAL", os.devnull)
        git(world, "init", "-q", "--bare", "-b", "main", "remote.git")
        found_hub(world / "mine", Wishes(toolkit="1.2", remote="../remote.git", push=True))
        yield world / "mine"
