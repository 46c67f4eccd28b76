"""What `soul share` costs beside the bare git commands that do the same, to a local bare remote.

Both write an event in a clone of their own, turn about, so that a busy machine slows both alike.
Run: `python benchmarks/share_cost.py [ROUNDS]`, with a Python that has the dependencies.
"""

from __future__ import annotations

import json
import os
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
_SOUL = (sys.executable, "-m", "agent_soul")


def main() -> None:
    """Print the median time of both in milliseconds, and their ratio."""
    rounds = int(sys.argv[1]) if len(sys.argv) > 1 else _ROUNDS
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        env = _environment(folder)
        ours, bare = (_clone_with_remote(folder / kind, env) for kind in ("ours", "bare"))
        times: dict[str, list[float]] = {"soul share": [], "bare git": [], "python -c pass": []}
        for number in range(-1, rounds):  # the first round is warming up
            taken = {
                "soul share": _timed(partial(_share, ours, number, env)),
                "bare git": _timed(partial(_by_hand, bare, number, env)),
                "python -c pass": _timed(partial(_run, [sys.executable, "-c", "pass"], folder, env)),
            }
            for kind, seconds in taken.items():
                times[kind] += [seconds] if number >= 0 else []
    medians = {kind: statistics.median(seconds) for kind, seconds in times.items()}
    rows = [f"{kind:15} {median * 1000:6.0f} ms" for kind, median in medians.items()]
    rows.append(f"ratio           {medians['soul share'] / medians['bare git']:6.2f} (target: at most {_TARGET:g})")
    sys.stdout.write("\n".join(rows) + "\n")


def _share(clone: Path, number: int, env: Mapping[str, str]) -> None:
    _run([*_SOUL, "share", "--source", "agent-a", f"Event {number} of the benchmark."], clone, env)


def _by_hand(clone: Path, number: int, env: Mapping[str, str]) -> None:
    """Write a line and bring it to the remote as a person would."""
    log = clone / "sources" / "agent-a" / "log.ndjson"
    log.parent.mkdir(parents=True, exist_ok=True)
    with log.open("a", encoding="utf-8") as file:
        file.write(json.dumps({"summary": f"Event {number} of the benchmark."}) + "\n")
    for arguments in (("add", "sources"), ("commit", "-q", "-m", "memory"), ("fetch", "-q"), ("push", "-q")):
        _run(["git", *arguments], clone, env)


def _timed(act: Callable[[], None]) -> float:
    started = time.perf_counter()
    act()
    return time.perf_counter() - started


def _clone_with_remote(folder: Path, env: Mapping[str, str]) -> Path:
    clone = folder / "clone"
    clone.mkdir(parents=True)
    (clone / "soul.yaml").write_text("template: false\n", encoding="utf-8")
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
        "PYTHONPATH": str(Path(__file__).resolve().parents[1] / "src"),  # this checkout, whatever is installed
    }
    return {**kept, **dict.fromkeys(names, "a@example.invalid"), **fixed}


def _run(command: list[str], folder: Path, env: Mapping[str, str]) -> None:
    subprocess.run(command, cwd=folder, env=dict(env), capture_output=True, check=True)


if __name__ == "__main__":
    main()
