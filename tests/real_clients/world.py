"""A user's machines: a hub made as the README says, its remote, another machine, homes with agent programs in them."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
from collections.abc import Mapping
from datetime import datetime
from pathlib import Path
from typing import Any

from agent_soul.hub import open_hub
from real_clients.mock_model import Model
from real_clients.programs import Program
from support import git

ROOT = Path(__file__).parents[2]
L0 = "Marie Lindqvist-L0 signs every message with a heron."
L1 = "Prefers pnpm over npm in every project: the disk was full in March (L1-4711)."
_SECONDS = 120
_REGISTRY = re.compile(
    r"PIP_(INDEX_URL|EXTRA_INDEX_URL|FIND_LINKS|CERT|TRUSTED_HOST|PROXY)|SSL_CERT_FILE|\w+_proxy", re.I
)
"""How this machine reaches its registry is the one thing that a stranger's machine has in common with it."""


def bare_environment(home: Path) -> dict[str, str]:
    """Return what a new user's shell holds: a home, the system's commands and Node.js."""
    node = Path(shutil.which("node") or "/usr/bin/node").parent
    path = f"{node}:/usr/local/bin:/usr/bin:/bin"
    registry = {name: value for name, value in os.environ.items() if _REGISTRY.fullmatch(name)}
    return {**registry, "HOME": str(home), "PATH": path, "LANG": "C.UTF-8", "TERM": "dumb"}


class World:
    """Everything lies in one folder. `home` is that of whoever owns the hub."""

    def __init__(self, box: Path) -> None:
        self.box = box
        names = ("home", "我的soul", "other", "remote.git")  # a blank would keep Claude Code from importing files
        self.home, self.hub, self.other, self.remote = (box / name for name in names)

    def make(self, way: str) -> None:
        """Follow the README, in one of its two ways: a hub, who one is, a first event; then a second machine."""
        self.home.mkdir()
        self._git(self.box, "config", "--global", "user.name", "Marie")
        self._git(self.box, "config", "--global", "user.email", "marie@example.invalid")
        self._git(self.box, "init", "-q", "--bare", "-b", "main", str(self.remote))
        {"init --here": self._copy_the_template, "init DIR": self._make_beside}[way]()
        self._begin()

    def _copy_the_template(self) -> None:
        self._git(self.box, "clone", "-q", str(ROOT), str(self.hub))
        self._git(self.hub, "checkout", "-q", "-B", "main")
        self._git(self.hub, "remote", "set-url", "origin", f"file://{self.remote}")
        self.soul("init", "--here")

    def _make_beside(self) -> None:
        self._git(self.box, "clone", "-q", str(ROOT), "agent-soul")
        where = [self.hub.name, "--remote", f"file://{self.remote}", "--push"]
        self._run(["python3", "agent-soul/scripts/soul.py", "init", *where], self.home, self.box)

    def _begin(self) -> None:
        (self.hub / "USER.md").write_text(f"# USER\n\n- {L0}\n", encoding="utf-8")
        self._git(self.hub, "add", "-A")
        self._git(self.hub, "commit", "-q", "-m", "Say who we are")
        self._git(self.hub, "push", "-q", "-u", "origin", "HEAD")
        self.soul("add", "--source", "my-laptop", "--kind", "preference", "--scope", "profile", "--summary", L1)
        self.soul("sync")
        self._git(self.box, "clone", "-q", f"file://{self.remote}", str(self.other))

    def soul(self, *arguments: str, home: Path | None = None, hub: Path | None = None) -> str:
        """Run a command of the hub, return its stdout; any exit code but 0 fails the test."""
        words = ["python3", str(self.hub / "scripts" / "soul.py"), *arguments, "--hub", str(hub or self.hub)]
        return self._run(words, home or self.home, self.box)

    def recorded_elsewhere(self, summary: str) -> None:
        """Record something on the other machine, a while after this one last looked."""
        words = ["--source", "other-machine", "--kind", "rule", "--scope", "stable", "--summary", summary]
        self.soul("add", *words, hub=self.other)
        self.soul("sync", hub=self.other)
        state = open_hub(self.hub).state
        (state / "hooks" / "pulled.json").unlink(missing_ok=True)
        os.utime(state / "upstream.json", (0, 0))

    def prompt(self, program: Program, commands: Path, home: Path, model: Model, said: str = "hello") -> str:
        """Give the program one prompt, in an empty folder; return what it prints."""
        folder = home / "work"
        folder.mkdir(exist_ok=True)
        words = [str(commands / program.command), *program.arguments(said)]
        return self._run(words, home, folder, program.environment(model.port))

    def last_event(self) -> dict[str, Any]:
        """Return the newest event in the log of the hub, whoever recorded it."""
        lines = (line for file in self.hub.glob("sources/*/*.ndjson") for line in file.read_text("utf-8").splitlines())
        newest: dict[str, Any] = max(map(json.loads, lines), key=lambda event: datetime.fromisoformat(event["ts"]))
        return newest

    def remote_has(self, text: str) -> bool:
        """Tell whether the text is in the log as the remote has it."""
        return text in git(self.remote, "grep", "-h", "", "main", "--", "sources")

    def _git(self, folder: Path, *arguments: str) -> None:
        self._run(["git", *arguments], self.home, folder)

    def _run(self, words: list[str], home: Path, folder: Path, more: Mapping[str, str] | None = None) -> str:
        environment = {**bare_environment(home), **(more or {})}
        done = subprocess.run(
            words,
            cwd=folder,
            env=environment,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=_SECONDS,
        )
        print(words, done.stdout[-4000:], done.stderr[-4000:], sep="\n")
        assert done.returncode == 0, f"{words} ended with {done.returncode}"
        return done.stdout


def home_for(program: Program, folder: Path, port: int) -> Path:
    """Make a home, if there is none yet, and set the program up in it to speak with the model at the port."""
    for name, text in program.settings(port).items():
        file = folder / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")
    folder.mkdir(exist_ok=True)
    return folder
