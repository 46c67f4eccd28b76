"""How long `soul search` takes as a whole process over 20,000 events, beside a Python that imports click and sqlite3.

Both are started turn about, so that a busy machine slows both alike. The words of the events follow Zipf's law, as
those of people do: most questions hold a word that thousands of events hold too.
Run: `PYTHONPATH=src python benchmarks/search_start.py [--events N] [--rounds N] [--json]`.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import statistics
import subprocess
import sys
import tempfile
import time
import uuid
from collections import defaultdict
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path

_TARGET = 2.5
_BASELINE = "import click, sqlite3"
_SOUL = (sys.executable, "-m", "agent_soul")
_VOCABULARY = 8_000
_SYLLABLES = tuple(a + b for a in "bdfgklmnprst" for b in ("a", "e", "i", "o", "u", "an", "el", "or"))
_CHARACTERS = tuple(chr(0x4E00 + 7 * n) for n in range(1500))
_SOURCES = ("office-claude", "home-codex", "phone-chat")
_QUESTIONS = 5


def main() -> None:
    """Print the median time of each in milliseconds, and the ratio."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--events", type=int, default=20_000)
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder, env = Path(name), _environment(Path(name))
        questions = write_hub(folder / "hub", options.events)
        command = [*_SOUL, "--hub", str(folder / "hub"), "search"]
        made = _timed([*command, "first"], env)
        times = _measure(command, questions, options.rounds, env)
        appended = _append_and_search(folder / "hub", command, env)
    medians = {kind: round(statistics.median(taken), 1) for kind, taken in times.items()}
    ratio = round(medians["soul search"] / medians[_BASELINE], 2)
    figures = {**medians, "index made": round(made), "index after one more event": round(appended), "ratio": ratio}
    if options.json:
        sys.stdout.write(json.dumps({"events": options.events, **figures}) + "\n")
        return
    rows = [f"{kind:28} {value:8} ms" for kind, value in figures.items() if kind != "ratio"]
    sys.stdout.write("\n".join([*rows, f"{'ratio':28} {ratio:8} (target: at most {_TARGET:g})"]) + "\n")


def write_hub(hub: Path, count: int) -> list[str]:
    """Write a hub of `count` events, a third of them in Chinese, and return questions about it."""
    chance = random.Random(4)  # noqa: S311 - the same hub every time
    words = ["".join(chance.choices(_SYLLABLES, k=chance.randint(1, 3))) for _ in range(_VOCABULARY)]
    weights = [1 / rank for rank in range(1, _VOCABULARY + 1)]
    moment = datetime(2025, 1, 1, tzinfo=UTC)
    lines: dict[Path, list[str]] = defaultdict(list)
    for number in range(count):
        moment += timedelta(minutes=chance.choice((1, 2, 5, 30, 90)))
        source = chance.choice(_SOURCES)
        text = "".join(chance.choices(_CHARACTERS, weights[: len(_CHARACTERS)], k=18)) if number % 3 == 0 else ""
        summary = text or " ".join(chance.choices(words, weights, k=14))
        record = {
            "event_id": str(uuid.UUID(int=chance.getrandbits(128))),
            "ts": moment.isoformat(),
            "source": source,
            "kind": "fact",
        }
        record |= {"scope": "project", "project": f"project-{number % 7}", "summary": summary}
        lines[hub / "sources" / source / f"{moment.date()}.0a1b2c3d.ndjson"].append(json.dumps(record))
    for file, some in lines.items():
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text("\n".join(some) + "\n", encoding="utf-8")
    (hub / "soul.yaml").touch()
    subprocess.run(["git", "init", "-q", str(hub)], check=True)  # noqa: S607
    return [" ".join(chance.choices(words[20:], weights[20:], k=5)) for _ in range(_QUESTIONS)]


def _measure(
    command: Sequence[str], questions: Sequence[str], rounds: int, env: Mapping[str, str]
) -> dict[str, list[float]]:
    times: dict[str, list[float]] = {_BASELINE: [], "soul search": []}
    for number in range(-1, rounds):  # the first round is warming up
        baseline = _timed([sys.executable, "-c", _BASELINE], env)
        ours = _timed([*command, questions[number % len(questions)]], env)
        if number >= 0:
            times[_BASELINE].append(baseline)
            times["soul search"].append(ours)
    return times


def _append_and_search(hub: Path, command: Sequence[str], env: Mapping[str, str]) -> float:
    """Return the time of the first search after one more event."""
    record = {"event_id": "one-more", "ts": "2025-01-01T00:00:00Z", "source": _SOURCES[0], "kind": "fact"}
    record |= {"scope": "stable", "summary": "One more."}
    with (hub / "sources" / _SOURCES[0] / "2025-01-01.0a1b2c3d.ndjson").open("a", encoding="utf-8") as file:
        file.write(json.dumps(record) + "\n")
    return _timed([*command, "one more"], env)


def _timed(command: Sequence[str], env: Mapping[str, str]) -> float:
    """Run the command and return its time in milliseconds."""
    started = time.perf_counter()
    subprocess.run(command, env=dict(env), capture_output=True, check=True)
    return (time.perf_counter() - started) * 1000


def _environment(home: Path) -> dict[str, str]:
    """Return an environment with a state folder of its own, whose Python keeps its compiled modules."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("AGENT_SOUL_")}
    kept.pop("PYTHONDONTWRITEBYTECODE", None)
    own = {"HOME": str(home), "XDG_STATE_HOME": str(home / "state"), "PYTHONPYCACHEPREFIX": str(home / "pycache")}
    return {**kept, **own}


if __name__ == "__main__":
    main()
