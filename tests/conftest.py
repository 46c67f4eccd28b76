"""Safety rails for every test: no home of the user's, no Git settings of theirs, no hub but the test's own."""

from __future__ import annotations

import itertools
import json
import os
import socket
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from agent_soul.hub import open_hub
from support import Machines, Run, Soul, git, run_here

ROOT = Path(__file__).parents[1]
SHARED = ROOT.parent / "shared"


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--rewrite-cases", action="store_true", help="Write what the cases give as what they should give.")


def pytest_collection_modifyitems(items: Sequence[pytest.Item]) -> None:
    if SHARED.is_dir():
        return
    absent = pytest.mark.skip(reason="needs the real hubs of ../shared, which lie beside the checkout in CI only")
    for item in items:
        if "shared" in item.keywords:
            item.add_marker(absent)


@pytest.fixture(scope="session")
def homes(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Yield a new folder for each test. `mktemp` would look through those of all tests before, thousands, each time."""
    folder = tmp_path_factory.mktemp("homes")
    return (folder / str(number) for number in itertools.count())


@pytest.fixture(autouse=True)
def safe_surroundings(homes: Iterator[Path], monkeypatch: pytest.MonkeyPatch) -> None:
    """Give each test an empty home and a fixed identity; a forgotten --hub finds nothing to spoil."""
    home = next(homes)
    home.mkdir()
    for name in [name for name in os.environ if name.startswith(("GIT_", "AGENT_SOUL_", "XDG_"))]:
        monkeypatch.delenv(name)
    identity = {
        "HOME": str(home),
        "XDG_STATE_HOME": str(home / "state"),
        "GIT_CONFIG_GLOBAL": os.devnull,
        "GIT_CONFIG_NOSYSTEM": "1",
        "GIT_AUTHOR_NAME": "test",
        "GIT_AUTHOR_EMAIL": "test@example.invalid",
        "GIT_COMMITTER_NAME": "test",
        "GIT_COMMITTER_EMAIL": "test@example.invalid",
        "PYTHONWARNINGS": "error",
        "AGENT_SOUL_EMBEDDER": "off",  # the tests say what they find by words, also where a model is installed
    }
    for name, value in identity.items():
        monkeypatch.setenv(name, value)
    monkeypatch.chdir(home)


@pytest.fixture(autouse=True)
def no_network(monkeypatch: pytest.MonkeyPatch) -> None:
    """Fail a test that opens a connection; nothing of ours may."""

    def refuse(*_: object, **__: object) -> None:
        raise AssertionError("a test opened a network connection")

    monkeypatch.setattr(socket.socket, "connect", refuse)


@pytest.fixture
def hub(tmp_path: Path) -> Path:
    """Make an empty hub without Git and return its folder."""
    folder = tmp_path / "hub"
    (folder / "sources").mkdir(parents=True)
    (folder / "soul.yaml").write_text("template: false\n", encoding="utf-8")
    return folder


@pytest.fixture
def git_hub(hub: Path) -> Path:
    """Make an empty hub in a Git repository with one commit and return its folder."""
    git(hub, "init", "-q", "-b", "main")
    git(hub, "add", "-A")
    git(hub, "commit", "-q", "-m", "git_hub")
    return hub


@pytest.fixture
def machines(tmp_path: Path, git_hub: Path) -> Machines:
    """Make two clones of one remote, the first of them the hub."""
    remote, other = tmp_path / "remote.git", tmp_path / "other"
    git(tmp_path, "clone", "-q", "--bare", str(git_hub), str(remote))
    git(git_hub, "remote", "add", "origin", f"file://{remote}")
    git(git_hub, "fetch", "-q", "origin")
    git(git_hub, "branch", "-q", "--set-upstream-to=origin/main")
    git(tmp_path, "clone", "-q", f"file://{remote}", str(other))
    return Machines(remote, open_hub(git_hub), open_hub(other))


@pytest.fixture
def process(hub: Path) -> Soul:
    """Return a function that runs the command line in a process of its own, in the hub's folder.

    It fails the test when the exit code is not `code`, or when a traceback is printed.
    """

    def run(
        *arguments: str,
        code: int = 0,
        stdin: str | bytes = "",
        env: Mapping[str, str] | None = None,
        cwd: Path | None = None,
    ) -> subprocess.CompletedProcess[str]:
        done = subprocess.run(
            [sys.executable, "-m", "agent_soul", *arguments],
            cwd=cwd or hub,
            input=stdin if isinstance(stdin, bytes) else stdin.encode("utf-8", "surrogateescape"),
            env={**os.environ, **(env or {})},
            capture_output=True,
            check=False,
            timeout=120,
        )
        result = subprocess.CompletedProcess(
            done.args, done.returncode, done.stdout.decode("utf-8"), done.stderr.decode("utf-8")
        )
        print(result.stdout, result.stderr)
        assert "Traceback" not in result.stderr
        assert result.returncode == code, f"{arguments} ended with {result.returncode}, not {code}"
        return result

    return run


@pytest.fixture
def soul(process: Soul) -> Soul:
    """Return `process`; a module of tests about commands and not about processes makes it `inside`."""
    return process


@pytest.fixture
def inside(hub: Path) -> Soul:
    """Return what `process` returns, for commands that may as well run in this process."""

    def run(
        *arguments: str,
        code: int = 0,
        stdin: str = "",
        env: Mapping[str, str] | None = None,
        cwd: Path | None = None,
    ) -> subprocess.CompletedProcess[str]:
        done = run_here(cwd or hub, *arguments, stdin=stdin, env=env)
        assert done.returncode == code, f"{arguments} ended with {done.returncode}, not {code}"
        return done

    return run


@pytest.fixture
def run(hub: Path, capsys: pytest.CaptureFixture[str]) -> Run:
    """Return a function that runs a command in this process and returns the object that it prints."""
    from agent_soul.cli import main

    def call(*arguments: str, code: int = 0) -> dict[str, Any]:
        capsys.readouterr()
        found = main(["--hub", str(hub), *arguments, "--json"])
        out, err = capsys.readouterr()
        print(out, err)
        assert found == code
        answer: dict[str, Any] = json.loads(out)
        return answer

    return call
