"""What `soul share` costs beside the bare git commands that do the same, to a local bare remote.

Each way has a clone and a remote of its own, which have met before, and they take turns, so that a busy machine slows
all alike.

- `soul share` gets a text. It starts Python, checks the event, makes it durable, compiles the pages, commits, pushes,
  and moves the clone along.
- `git, as durable` finds the files of that share's commit ready made - the event's line and the pages - and brings them
  to its remote: `git add`, `commit`, `fetch`, `push`, with `core.fsync=all` as our own commits have it.
- `git, as it comes` does the same with Git's defaults, which leave it to luck whether a commit outlives a power cut.

Run: `python benchmarks/share_cost.py [ROUNDS]`, with a Python that has the dependencies.
"""

from __future__ import annotations

import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path

_ROUNDS = 15
_TARGET = 4.0
_ROOT = Path(__file__).resolve().parents[1]
_SOUL = (sys.executable, "-m", "agent_soul")
_DURABLY = ("-c", "core.fsync=all")
_TEXTS = (
    "The staging database moved to Frankfurt; the old host answers until Friday.",
    "Anna reviews everything that touches the payment code.",
    "用户希望回复用简体中文，代码注释保持英文。",
    "The nightly export takes forty minutes since the archive was added.",
    "Prefers short answers with the command first and the reason after it.",
    "发布之前先在预发环境跑一遍完整的回归测试。",
    "The parser fails on files that begin with a byte order mark.",
)


def main() -> None:
    """Print the median time of each in milliseconds, and how many times the bare commands a share takes."""
    rounds = int(sys.argv[1]) if len(sys.argv) > 1 else _ROUNDS
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        env = _environment(folder)
        ours, durable, plain = (_clone_with_remote(folder / kind, env) for kind in ("ours", "durable", "plain"))
        times: dict[str, list[float]] = {"soul share": [], "git, as durable": [], "git, as it comes": [], "python": []}
        for number in range(-1, rounds):  # the first round is warming up
            taken = [_timed(partial(_share, ours, number, env))]
            for clone, options in ((durable, _DURABLY), (plain, ())):
                _copy_changes(ours, clone, env)
                taken.append(_timed(partial(_by_hand, clone, options, env)))
            taken.append(_timed(partial(_run, [sys.executable, "-c", "pass"], folder, env)))
            for kind, seconds in zip(times, taken, strict=True):
                times[kind] += [seconds] if number >= 0 else []
    sys.stdout.write("".join(f"{row}\n" for row in _rows(times)))


def _rows(times: Mapping[str, list[float]]) -> list[str]:
    medians = {kind: statistics.median(seconds) for kind, seconds in times.items()}
    rows = [f"{kind:17} {median * 1000:6.0f} ms" for kind, median in medians.items()]
    for kind in ("git, as durable", "git, as it comes"):
        ratios = sorted(ours / theirs for ours, theirs in zip(times["soul share"], times[kind], strict=True))
        middle = f"half of the rounds {ratios[len(ratios) // 4]:.2f} to {ratios[len(ratios) * 3 // 4]:.2f}"
        rows.append(f"share / {kind:17} {medians['soul share'] / medians[kind]:5.2f}  ({middle})")
    return [*rows, f"target: at most {_TARGET:g}"]


def _share(clone: Path, number: int, env: Mapping[str, str]) -> None:
    text = f"{_TEXTS[number % len(_TEXTS)]} ({number})"
    _run([*_SOUL, "share", "--source", "agent-a", text], clone, env)


def _copy_changes(ours: Path, clone: Path, env: Mapping[str, str]) -> None:
    """Bring the files that the last share committed into another clone's work tree."""
    for path in _run(["git", "diff", "--name-only", "HEAD~1", "HEAD"], ours, env).split():
        (clone / path).parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(ours / path, clone / path)


def _by_hand(clone: Path, options: tuple[str, ...], env: Mapping[str, str]) -> None:
    for arguments in (
        ("add", "sources", "canonical"),
        ("commit", "-q", "-m", "memory"),
        ("fetch", "-q"),
        ("push", "-q"),
    ):
        _run(["git", *options, *arguments], clone, env)


def _timed(act: Callable[[], None]) -> float:
    started = time.perf_counter()
    act()
    return time.perf_counter() - started


def _clone_with_remote(folder: Path, env: Mapping[str, str]) -> Path:
    """Make a hub with the settings that every hub begins with, in a clone of an empty remote."""
    clone = folder / "clone"
    clone.mkdir(parents=True)
    settings = (_ROOT / "soul.yaml").read_text(encoding="utf-8").replace("template: true", "template: false")
    (clone / "soul.yaml").write_text(settings, encoding="utf-8")
    for arguments in (
        ("init", "-q", "--bare", "-b", "main", "../remote.git"),
        ("init", "-q", "-b", "main"),
        ("add", "-A"),
        ("commit", "-q", "-m", "hub"),
        ("remote", "add", "origin", "../remote.git"),
        ("push", "-q", "-u", "origin", "main"),
    ):
        _run(["git", *arguments], clone, env)
    return clone


def _environment(home: Path) -> dict[str, str]:
    """Return settings of nobody's for Git, and a Python that keeps its compiled modules, as an installed one does."""
    left_out = ("GIT_", "AGENT_SOUL_", "PYTHONDONTWRITEBYTECODE")
    kept = {name: value for name, value in os.environ.items() if not name.startswith(left_out)}
    names = [f"GIT_{role}_{part}" for role in ("AUTHOR", "COMMITTER") for part in ("NAME", "EMAIL")]
    fixed = {
        "HOME": str(home),
        "GIT_CONFIG_GLOBAL": os.devnull,
        "GIT_CONFIG_NOSYSTEM": "1",
        "PYTHONPYCACHEPREFIX": str(home / "pycache"),
        "PYTHONPATH": str(_ROOT / "src"),  # this checkout, whatever is installed
    }
    return {**kept, **dict.fromkeys(names, "a@example.invalid"), **fixed}


def _run(command: list[str], folder: Path, env: Mapping[str, str]) -> str:
    return subprocess.run(command, cwd=folder, env=dict(env), capture_output=True, check=True, encoding="utf-8").stdout


if __name__ == "__main__":
    main()
