"""How many of the lines that belong in an agent's context are in it, at three budgets, beside the newest lines.

The tasks, the hub they are over and how the labels were made: `benchmarks/data/context/README.md`. The hub is built
anew from the records in `../shared`, which are not a part of this repository.
Run: `PYTHONPATH=src python benchmarks/context_quality.py [--shared ../shared] [--missed] [--json]`.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from agent_soul.compiler import load_config
from agent_soul.conflicts import find_conflicts
from agent_soul.contexts.asking import Memory, Request
from agent_soul.contexts.choosing import make_context
from agent_soul.contexts.relevance import relevance_of
from agent_soul.hub import Hub, open_hub
from agent_soul.outbox import whole_log
from agent_soul.pages import Budget, Room, active_lines
from agent_soul.render import Style, event_line
from agent_soul.resolve import Resolution, resolve

DATA = Path(__file__).parent / "data" / "context"
SHARED = Path(__file__).parents[2] / "shared"
BUDGETS = (1_000, 2_000, 4_000)


class Task(NamedTuple):
    """What an agent is about to do, and the events that belong in its context; any of the alternatives will do."""

    id: str
    request: Request
    today: str
    needed: Mapping[str, Collection[str]]
    tags: tuple[str, ...]

    def recall(self, shown: Collection[str]) -> float:
        return 1 - len(self.missed(shown)) / len(self.needed)

    def missed(self, shown: Collection[str]) -> list[str]:
        return [id_ for id_, any_of in self.needed.items() if not any_of & set(shown)]


def main() -> None:
    """Print recall by budget, of the contexts and of the newest lines, over all tasks and by tag."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--shared", type=Path, default=SHARED, help="the folder with the records")
    parser.add_argument("--missed", action="store_true", help="list what the contexts of 2,000 tokens lack")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        hub = build_hub(options.shared, Path(folder))
        rows: dict[str, list[dict[str, float]]] = defaultdict(list)
        for task, row, lacking in measure(hub):
            for group in ("all", *task.tags):
                rows[group].append(row)
            if options.missed and lacking:
                sys.stdout.write(f"{task.id} {task.request.task}\n" + "".join(f"    {line}\n" for line in lacking))
    table = {group: {"n": len(some), **_means(some)} for group, some in rows.items()}
    sys.stdout.write(json.dumps(table) + "\n" if options.json else _text(table))


def build_hub(shared: Path, folder: Path) -> Hub:
    """Make the hub of the tasks in the folder."""
    subprocess.run([sys.executable, DATA / "build_hub.py", shared, folder], check=True, stdout=subprocess.DEVNULL)
    return open_hub(folder)


def tasks() -> list[Task]:
    """Read the labelled tasks, by their day."""
    rows = [json.loads(line) for line in (DATA / "tasks.jsonl").read_text(encoding="utf-8").split("\n") if line]
    return sorted(map(_task, rows), key=lambda task: task.today)


def _task(row: Mapping[str, Any]) -> Task:
    others = row.get("alternatives", {})
    needed = {id_: {id_, *others.get(id_, ())} for id_ in row["needed"]}
    request = Request(row["agent"] or "", row["project"] or "", row["task"])
    return Task(row["id"], request, row["today"], needed, tuple(row["tags"]))


def measure(hub: Hub) -> Iterator[tuple[Task, dict[str, float], list[str]]]:
    """Yield each task with its recalls and the lines that its context of 2,000 tokens lacks."""
    log, config = whole_log(hub), load_config(hub)[0]
    known: dict[str, Resolution] = {}
    for task in tasks():
        if task.today not in known:
            known = {task.today: resolve(log.events, task.today, config, grace_days=0)}
        resolution = known[task.today]
        started = time.perf_counter()
        relevance = relevance_of(hub, task.request.task, task.today)
        memory = Memory({}, resolution, find_conflicts(resolution), config, task.today, relevance)
        row, lacking = {}, []
        for budget in BUDGETS:
            shown = make_context(task.request._replace(budget=budget), memory).ids
            row[f"context {budget}"] = task.recall(shown)
            row[f"newest {budget}"] = task.recall(list(newest(memory, budget)))
            if budget == 2_000:
                lacking = [_described(resolution, relevance, id_) for id_ in task.missed(shown)]
        row["ms"] = (time.perf_counter() - started) * 1000
        yield task, row, lacking


def newest(memory: Memory, budget: int) -> Iterator[str]:
    """Yield the ids of the newest lines that the budget has room for: what a context without any choice would be."""
    room = Room.of(Budget(budget, 1 << 30))
    style = Style(memory.config, {})
    for line in reversed(active_lines(memory.resolution, memory.conflicts)):
        room = room.after(f"- {event_line(line, style, '', share=40)}")
        if not room.is_enough:
            return
        yield line.event.id


def _described(resolution: Resolution, relevance: Mapping[str, float], id_: str) -> str:
    event = resolution.by_id[id_].event
    return (
        f"{relevance.get(id_, 0):.2f} {event.date} {event.place}/{event.kind} {event.importance} {event.summary[:90]}"
    )


def _means(rows: Iterable[Mapping[str, float]]) -> dict[str, float]:
    rows = list(rows)
    return {name: round(sum(row[name] for row in rows) / len(rows), 3) for name in rows[0]}


def _text(table: Mapping[str, Mapping[str, float]]) -> str:
    names = list(table["all"])
    head = f"{'':<12}" + "".join(f"{name:>14}" for name in names)
    return (
        "\n".join([head, *(f"{group:<12}" + "".join(f"{row[n]:>14}" for n in names) for group, row in table.items())])
        + "\n"
    )


if __name__ == "__main__":
    main()
