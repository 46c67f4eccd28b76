"""How many of the right answers `soul search` puts first, asked in one process over labelled sets.

A set is a file of LoCoMo (conversations, a turn is an event) or `{"events": [...], "questions": [{"question",
"answers", "type"}]}`. Prints recall at 5, 10 and 20 and the mean reciprocal rank, by type of question.
Run: `PYTHONPATH=src python benchmarks/recall.py benchmarks/data/search-zh.json [--model] [--missed] [--json]`.
"""

from __future__ import annotations

import argparse
import json
import math
import re
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

from agent_soul.hub import Hub, open_hub
from agent_soul.searching.filters import Filters
from agent_soul.searching.finding import find, open_index
from agent_soul.searching.index import Index
from agent_soul.searching.meaning import embed_missing, meanings
from agent_soul.searching.models import Model, installed
from agent_soul.searching.vectors import Vectors

_DEPTHS = (5, 10, 20)
_CATEGORIES = {1: "multi-hop", 2: "temporal", 3: "open-domain", 4: "single-hop"}


class Question(NamedTuple):
    text: str
    answers: frozenset[str]
    type: str


class Set(NamedTuple):
    """One hub and what is asked of it."""

    events: list[dict[str, Any]]
    questions: list[Question]


def main() -> None:
    """Print the table for every file that is named."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("files", nargs="+", type=Path)
    parser.add_argument("--missed", action="store_true", help="list the questions whose answers are not all in the 10")
    parser.add_argument("--model", action="store_true", help="by meaning too, with the model that is installed")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    options = parser.parse_args()
    model = installed() if options.model else None
    tables = {}
    for file in options.files:
        rows: dict[str, list[dict[str, float]]] = defaultdict(list)
        for labelled in load(file):
            for question, row, found in measure(labelled, model):
                rows["all"].append(row)
                rows[question.type].append(row)
                if options.missed and row["R@10"] < 1:
                    sys.stdout.write(f"{question.text}  wanted {sorted(question.answers)}  found {found[:10]}\n")
        tables[file.name] = {type_: {"n": len(some), **_means(some)} for type_, some in rows.items()}
    sys.stdout.write(json.dumps(tables) + "\n" if options.json else _text(tables))


def measure(labelled: Set, model: Model | None) -> Iterator[tuple[Question, dict[str, float], list[str]]]:
    """Ask every question of a set and yield it with its figures and the ids that were found."""
    today = datetime.now(UTC).date().isoformat()
    with tempfile.TemporaryDirectory() as folder:
        hub = open_hub(write_hub(labelled.events, Path(folder)))
        index = open_index(hub, today)
        if model:
            embed_missing(index, Vectors(hub, model.name), model, math.inf)
        for question in labelled.questions:
            started = time.perf_counter()
            meant = partial(_meant, hub, index, model, question.text) if model else _nothing
            results = find(index, question.text, (), Filters(), today, meant=meant).results(0, max(_DEPTHS))
            taken = time.perf_counter() - started
            ids = [result.found.id for result in results]
            ranks = [ids.index(answer) for answer in question.answers if answer in ids]
            row = {f"R@{depth}": sum(rank < depth for rank in ranks) / len(question.answers) for depth in _DEPTHS}
            yield question, {**row, "MRR": 1 / (1 + min(ranks)) if ranks else 0.0, "ms": taken * 1000}, ids


def _meant(hub: Hub, index: Index, model: Model, text: str, filters: Filters) -> Mapping[int, float]:
    return meanings(hub, index, model, text, filters).worth


def _nothing(_: Filters) -> Mapping[int, float]:
    return {}


def write_hub(events: list[dict[str, Any]], folder: Path) -> Path:
    """Write the events as a hub's source files and return its folder."""
    (folder / "soul.yaml").touch()
    lines: dict[Path, list[str]] = defaultdict(list)
    for event in events:
        day = datetime.fromisoformat(event["ts"]).astimezone(UTC).date()
        lines[folder / "sources" / event["source"] / f"{day}.ndjson"].append(json.dumps(event, ensure_ascii=False))
    for file, some in lines.items():
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text("\n".join(some) + "\n", encoding="utf-8")
    return folder


def load(file: Path) -> list[Set]:
    """Read the labelled sets of a file of either form."""
    data = json.loads(file.read_text(encoding="utf-8"))
    if isinstance(data, list):
        return [_conversation(sample) for sample in data]
    questions = [Question(row["question"], frozenset(row["answers"]), row["type"]) for row in data["questions"]]
    return [Set(data["events"], questions)]


def _conversation(sample: dict[str, Any]) -> Set:
    talk = sample["conversation"]
    events = [
        _turn(turn, _session_time(talk[f"{name}_date_time"]) + timedelta(seconds=30 * place))
        for name, turns in talk.items()
        if isinstance(turns, list)
        for place, turn in enumerate(turns)
    ]
    known = {event["event_id"] for event in events}
    questions = [
        Question(row["question"], answers, _CATEGORIES[row["category"]])
        for row in sample["qa"]
        if row.get("category") in _CATEGORIES
        and (answers := frozenset(_id(name) for name in row.get("evidence", ())) & known)
    ]
    return Set(events, questions)


def _turn(turn: dict[str, Any], moment: datetime) -> dict[str, Any]:
    text = turn["text"] + (f" [photo: {turn['blip_caption']}]" if turn.get("blip_caption") else "")
    return {
        "event_id": _id(turn["dia_id"]),
        "source": re.sub(r"[^a-z0-9]+", "-", turn["speaker"].lower()).strip("-"),
        "ts": moment.isoformat(),
        "kind": "observation",
        "scope": "project",
        "project": "talk",
        "summary": " ".join(text.split())[:500],
    }


def _id(turn: str) -> str:
    return "turn-" + turn.replace(":", "-")


def _session_time(text: str) -> datetime:
    """Read '1:56 pm on 8 May, 2023'."""
    return datetime.strptime(" ".join(text.split()), "%I:%M %p on %d %B, %Y").replace(tzinfo=UTC)


def _means(rows: list[dict[str, float]]) -> dict[str, float]:
    return {name: round(sum(row[name] for row in rows) / len(rows), 4) for name in rows[0]}


def _text(tables: dict[str, dict[str, dict[str, float]]]) -> str:
    lines = []
    for file, table in tables.items():
        lines.append(file)
        for type_, row in table.items():
            figures = " ".join(f"{name} {value:.3f}" for name, value in row.items() if name != "n")
            lines.append(f"  {type_:12} n={row['n']:5} {figures}")
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    main()
