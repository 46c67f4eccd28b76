"""The metric events of the workspace and of the issues: numbers that are taken by pattern out of their texts."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from records.shaping import Event, at, event, json_lines, read

_AGENT = "vps-ralph"


class _Number(NamedTuple):
    """A number on a page of the workspace: the first group of the pattern."""

    name: str
    file: str
    pattern: str
    day: str
    times: int = 1


_NUMBERS = (
    _Number("clawvault-documents", "config/TOOLS.md", r"Documents:\*\* (\d+)", "2026-02-16"),
    _Number("clawvault-nodes", "config/TOOLS.md", r"(\d+) nodes, \d+ edges", "2026-02-16"),
    _Number("clawvault-edges", "config/TOOLS.md", r"nodes, (\d+) edges", "2026-02-16"),
    _Number("republic-token-holders", "memory/tar-token-log.md", r"Holders: (\d+)", "2026-02-15"),
    _Number("malicious-skills", "memory/skills-security-alerts.md", r"(\d+)\+ malicious skills on", "2026-02-15"),
    _Number("exposed-instances", "memory/openclaw-security-log.md", r"(\d+)K\+ instances exp", "2026-02-16", 1000),
)
_STATUS_PAGES = {
    "2026-02-15": "multi-agent-status.md",
    "2026-02-16": "2026-02-16.md",
    "2026-02-17": "heartbeat-2x-check-2026-02-17-0200.md",
}
_TOKENS_OF = {
    "ralph": r"(?:\| main|Ralph\**:?\**)[^\n]*?(\d+)k/200k",
    "constituent": r"(?:\| constituent|The Constituent\**:?\**)[^\n]*?(\d+)k/200k",
}


def workspace_figures(data: Path) -> Iterator[Event]:
    """Yield the numbers of the OpenClaw workspace: a search quota, the tokens of two agents, and single ones."""
    folder = data / "import/openclaw--lobsterops"
    yield from _quota_used(folder / "memory")
    yield from _context_tokens(folder / "memory")
    for name, file, pattern, day, times in _NUMBERS:
        value = times * int(re.findall(pattern, read(folder / file))[0])
        minute = 320 if file == "config/TOOLS.md" else 330
        yield _of_workspace(name, at(day, minute), f"{name.replace('-', ' ')}: {value}", name, value)


def _of_workspace(origin: str, ts: str, summary: str, name: str, value: int, unit: str = "", **target: int) -> Event:
    metric = {"name": name, "value": value, "unit": unit, **target}
    origin = f"lobsterops/metric/{origin}"
    return event(origin, ts, _AGENT, "metric", "project", summary, metric=metric, project="lobsterops")


def _quota_used(memory: Path) -> Iterator[Event]:
    """Yield how many queries of a month's quota were used, once for each day and number."""
    said = set()
    for file in memory.glob("*.md"):
        dated = re.search(r"2026-02-\d\d", file.name)
        numbers = re.findall(r"(\d+)/2000(?! restants)", read(file))
        said |= {(dated[0] if dated else "2026-02-16", int(number)) for number in numbers}
    for day, used in sorted(said):
        summary, name = f"Brave Search quota used this month: {used} of 2000", "brave-search-quota-used"
        yield _of_workspace(f"brave-{day}-{used}", at(day, 60 + used), summary, name, used, "queries", target=2000)


def _context_tokens(memory: Path) -> Iterator[Event]:
    for day, page in _STATUS_PAGES.items():
        for agent, pattern in _TOKENS_OF.items():
            if said := re.search(pattern, read(memory / page)):
                origin, summary = f"tokens-{agent}-{day}", f"Context of {agent}: {said[1]}k of 200k tokens"
                name, tokens = f"context-tokens-{agent}", int(said[1])
                yield _of_workspace(origin, at(day, 300), summary, name, tokens, "k tokens", target=200)


class _Measure(NamedTuple):
    unit: str
    words: str


_MEASURES = {
    "codegraph-resolve-success-rate": _Measure("", "codegraph method-edge resolve success rate, self-index"),
    "codegraph-method-edges": _Measure("edges", "codegraph method edges, self-index"),
    "git-churn-tail-seconds": _Measure("s", "git churn tail after flush, large repository, seconds"),
    "unenriched-chunks": _Measure("chunks", "chunks left without git enrichment, large repository"),
}


class _Figure(NamedTuple):
    """A number in an issue: the first group of the pattern in a field, known at the time in another field."""

    issue: str
    field: str
    pattern: str
    time: str
    name: str


_FIGURES = (
    _Figure("lgt4", "description", r"resolveSuccessRate=(0\.\d+)", "created_at", "codegraph-resolve-success-rate"),
    _Figure("lgt4", "close_reason", r"->(0\.\d+)", "closed_at", "codegraph-resolve-success-rate"),
    _Figure("lgt4", "description", r"methodEdgeCount=(\d+)", "created_at", "codegraph-method-edges"),
    _Figure("lgt4", "close_reason", r"methodEdgeCount \d+->(\d+)", "closed_at", "codegraph-method-edges"),
    _Figure("kc93", "close_reason", r"~(\d+)s->", "created_at", "git-churn-tail-seconds"),
    _Figure("kc93", "close_reason", r"s->(\d+)s", "closed_at", "git-churn-tail-seconds"),
    _Figure("8tp8", "description", r"(\d+) git.file", "created_at", "unenriched-chunks"),
    _Figure("1s44", "notes", r"with (\d+) unenriched", "updated_at", "unenriched-chunks"),
)
_SUITE_SIZE = re.compile(
    r"(?:[Aa]ll |[Ss]uite |[Tt]ests:? |, |; |\. |^)(\d{4})(?:/\d{4})? (?:tests? |full suite )?(?:pass|green)"
)
_ALL_OF_THEM = re.compile(r"(\d{4})/\1\b")
# Smaller numbers and these are of a part of the suite.
_LEAST_SUITE, _PARTS_OF_SUITE = 1041, {1095, 1854, 5825, 5826, 5830, 5833}


def issue_figures(data: Path) -> Iterator[Event]:
    """Yield the numbers that are said in beads' issues, and the size of the test suite by day."""
    rows = {row["id"]: row for row in json_lines([data / "import/beads--tearags/.beads/issues.jsonl"])}
    for issue, field, pattern, time, name in _FIGURES:
        row, (unit, words) = rows[f"tea-rags-mcp-{issue}"], _MEASURES[name]
        said = re.findall(pattern, row[field])[0]
        metric = {"name": name, "value": float(said), "unit": unit}
        yield _of_issue(row["id"], "studio-codex", f"{issue}/{name}/{time}", row[time], f"{words}: {said}", metric)
    for day, (size, ts, id_) in sorted(_suite_sizes(rows).items()):
        metric = {"name": "tea-rags-tests-passing", "value": size, "unit": "tests"}
        yield _of_issue(id_, "studio-claude", f"tests/{day}", ts, f"tea-rags test suite: {size} tests pass", metric)


def _of_issue(id_: str, source: str, origin: str, ts: str, summary: str, metric: Mapping[str, Any]) -> Event:
    origin = f"beads/metric/{origin}"
    return event(origin, ts, source, "metric", "project", summary, metric=metric, refs=[id_], project="tea-rags")


def _suite_sizes(rows: Mapping[str, Mapping[str, Any]]) -> dict[str, tuple[int, str, str]]:
    """Return the largest number of passing tests that an issue closed on a day tells of, when, and its id."""
    by_day: dict[str, tuple[int, str, str]] = {}
    for id_, row in rows.items():
        reason = row.get("close_reason", "")
        said = _SUITE_SIZE.search(reason) or _ALL_OF_THEM.search(reason)
        size = int(said[1]) if said else 0
        if size >= _LEAST_SUITE and size not in _PARTS_OF_SUITE:
            day = row["closed_at"][:10]
            by_day[day] = max(by_day.get(day, (0, "", "")), (size, row["closed_at"], id_))
    return by_day
