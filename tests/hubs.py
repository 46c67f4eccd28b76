"""Small logs for the tests of pages, made as a user's would be: lines of JSON that the reader parses."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime, timedelta
from typing import Any

from agent_soul.compiler import Compiled, compile_log
from agent_soul.config import Config, default_config
from agent_soul.log import Log, SourceFiles, parse_log
from agent_soul.overview import State

AS_OF = "2026-03-10"
START = datetime(2026, 3, 1, 9, tzinfo=UTC)


def event(number: int, summary: str = "", **fields: Any) -> dict[str, Any]:
    """Return the record of an event; a higher number is a later minute. `kind` and `scope` default to a stable fact."""
    record = {
        "event_id": f"event-{number}",
        "ts": (START + timedelta(minutes=number)).isoformat(),
        "source": "mac",
        "kind": "fact",
        "scope": "stable",
        "summary": summary or f"Fact number {number}.",
    }
    return {**record, **fields}


def log_of(records: Iterable[Mapping[str, Any]]) -> Log:
    """Return the log that holds the records, each in the folder of its source, and check that all can be read."""
    files: dict[str, list[str]] = {}
    for record in records:
        path = f"sources/{record['source']}/2026-03-01.0a1b2c3d.ndjson"
        files.setdefault(path, []).append(json.dumps(record, ensure_ascii=False) + "\n")
    log = parse_log(SourceFiles({path: "".join(lines).encode("utf-8") for path, lines in files.items()}))
    assert log.problems == []
    return log


def compiled(
    records: Iterable[Mapping[str, Any]], config: Config | None = None, state: State | None = None
) -> Compiled:
    return compile_log(log_of(records), config or default_config(), state or State(AS_OF))


def pages(records: Iterable[Mapping[str, Any]], config: Config | None = None) -> Mapping[str, str]:
    """Return every page of the records by its path."""
    return compiled(records, config).texts


def items(page: str) -> list[str]:
    """Return the list items of a page, without the rows below them."""
    return [line.removeprefix("- ") for line in page.split("\n") if line.startswith("- ")]


def headings(page: str) -> list[str]:
    return [line.removeprefix("## ") for line in page.split("\n") if line.startswith("## ")]
