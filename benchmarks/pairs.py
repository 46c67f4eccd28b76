"""How well the judge of texts tells duplicates and conflicts from the rest, on labelled pairs of statements.

Run: `PYTHONPATH=src python benchmarks/pairs.py [FILE.jsonl] [--json] [--wrong]`. Each line of the file holds `a` and
`b` (events of which `kind`, `scope`, `project`, `summary` are read), `label`, `lang` and `phenomenon`.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from agent_soul.event import build
from agent_soul.judging import Judgement, Label, Statement, judge

_OURS = Path(__file__).with_name("data") / "pairs.jsonl"
_TARGETS = {"conflict F1": 0.85, "duplicate F1": 0.80}


def main(argv: Sequence[str] | None = None) -> int:
    """Print the table or, with `--json`, one object; exit 1 where a target is missed."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("file", nargs="?", type=Path, default=_OURS)
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--wrong", action="store_true", help="list the pairs that were judged wrongly")
    options = parser.parse_args(argv)
    pairs = [json.loads(line) for line in options.file.read_text(encoding="utf-8").split("\n") if line]
    judged = [(pair, judge(_statement(pair["a"]), _statement(pair["b"]))) for pair in pairs]
    result = measure(judged)
    sys.stdout.write((json.dumps(result) if options.json else _table(result)) + "\n")
    if options.wrong:
        sys.stdout.write("\n".join(_wrong(judged)) + "\n")
    return int(any(result[name] < least for name, least in _TARGETS.items()))


def _statement(event: Mapping[str, Any]) -> Statement:
    name = event.get("project", "") if event["scope"] == "project" else ""
    return Statement(event["summary"], event["kind"], (event["scope"], name), event["kind"] == "temporary")


def measure(judged: Sequence[tuple[Mapping[str, Any], Judgement]]) -> dict[str, Any]:
    """Return F1, precision and recall of both labels, and how many others were suggested for merging."""
    result: dict[str, Any] = {"pairs": len(judged)}
    for label in (Label.CONFLICT, Label.DUPLICATE):
        said = sum(found.label is label for _, found in judged)
        meant = sum(pair["label"] == label for pair, _ in judged)
        right = sum(found.label is label and pair["label"] == label for pair, found in judged)
        result |= {
            f"{label} precision": round(right / max(said, 1), 3),
            f"{label} recall": round(right / max(meant, 1), 3),
            f"{label} F1": round(2 * right / max(said + meant, 1), 3),
        }
    result["wrongly suggested for merging"] = sum(
        found.label is Label.DUPLICATE and pair["label"] != Label.DUPLICATE for pair, found in judged
    )
    result["merged by themselves"] = sum(
        pair["label"] != Label.DUPLICATE and _is_merged(pair["a"], pair["b"]) for pair, _ in judged
    )
    result["non-duplicates"] = sum(pair["label"] != Label.DUPLICATE for pair, _ in judged)
    groups = Counter((pair["lang"], pair["label"], pair["phenomenon"]) for pair, _ in judged)
    right_in = Counter(
        (pair["lang"], pair["label"], pair["phenomenon"]) for pair, found in judged if found.label == pair["label"]
    )
    result["groups"] = {" ".join(group): [right_in[group], number] for group, number in sorted(groups.items())}
    return result


def _is_merged(one: Mapping[str, Any], other: Mapping[str, Any]) -> bool:
    """Tell whether a compile merges the two without asking: the same normalised text, kind and place."""
    filled = [build({"event_id": "x-1", "ts": "2026-01-01T00:00:00Z", "source": "a-b", **e}) for e in (one, other)]
    return filled[0].identity == filled[1].identity


def _table(result: Mapping[str, Any]) -> str:
    rows = [f"{name:32} {value}" for name, value in result.items() if name != "groups"]
    rows += [f"{name:48} {right:3} of {number}" for name, (right, number) in result["groups"].items()]
    return "\n".join(rows)


def _wrong(judged: Sequence[tuple[Mapping[str, Any], Judgement]]) -> list[str]:
    return [
        f"{pair['id']} {pair['phenomenon']}: {pair['label']}, judged {found.label} ({found.rule} {found.evidence})\n"
        f"  {pair['a']['summary']}\n  {pair['b']['summary']}"
        for pair, found in judged
        if found.label != pair["label"]
    ]


if __name__ == "__main__":
    raise SystemExit(main())
