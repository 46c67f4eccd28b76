"""Records that are lines of JSON: issues of beads, MCP memory files, public hubs, and the subjects of commits."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any, NamedTuple

from records.shaping import (
    Event,
    at,
    body,
    decision,
    event,
    first_sentence,
    json_lines,
    share_of,
    short,
    superseding,
    utc,
)

_CREATORS = {"Dev One": "studio-claude", "Dev 1": "laptop-claude", "Test": "studio-codex"}
_IMPORTANCE_BY_PRIORITY = (0.8, 0.7, 0.5, 0.4, 0.3)
_KIND_BY_TYPE = {"bug": "observation", "epic": "project-update"}
_NOT_DONE = "Won.t do|Superseded|Deferred|Closed without|obsolete|Covered by"
_CAUSE_FOUND = "[Rr]oot|[Cc]ause|fixed by"


class _Issue:
    """An issue of beads, and the events that it gives."""

    def __init__(self, row: dict[str, Any]) -> None:
        self.row = row
        self.name = row["id"].removeprefix("tea-rags-mcp-")
        self.title: str = row["title"]
        self.description: str = row.get("description", "")
        self.reason: str = row.get("close_reason", "")
        self.notes: str = row.get("notes", "")
        self.closed_at: str = row.get("closed_at", "")

    def event(self, part: str, ts: str, kind: str, summary: str, **fields: Any) -> Event:
        return event(
            f"beads/{self.name}{part}",
            ts,
            _CREATORS[self.row["created_by"]],
            kind,
            "project",
            summary,
            _IMPORTANCE_BY_PRIORITY[self.row["priority"]],
            **fields,
            project="tea-rags",
            refs=[self.row["id"]],
            tags=self.row.get("labels", [])[:4],
        )

    @property
    def is_taken(self) -> bool:
        """Whether it is among the two fifths of those that say much, or three fifths of the urgent ones."""
        says_much = len(self.description) > 250 or len(self.reason) > 110 or self.notes
        return bool(says_much) and share_of(self.name, 100) < (62 if self.row["priority"] <= 1 else 40)

    def as_decision(self) -> Event:
        """Return the decision that an issue of that type is."""
        text = self.description
        summary = f"{self.title}: {first_sentence(text.split('## Decision')[-1], 350)}"
        made = decision(text.split("## Rationale")[-1], 500, "Dev One")
        return self.event("", self.closed_at, "decision", summary, detail=body(text), decision=made)

    def history(self, told: Collection[str]) -> Iterator[Event]:
        """Yield that it was opened, closed, noted on and spoken of; `told` are the reasons of others before it."""
        opened = []
        if not self.closed_at or share_of(f"{self.name}o", 3) == 0:
            opened.append(self._opened())
        yield from opened
        ids = [event["event_id"] for event in opened]
        if len(self.reason) > 45:
            yield self._closed(ids, told)
        elif self.closed_at and self.description:
            summary = f"Done: {self.title}. {first_sentence(self.description, 220)}"
            detail = body(self.description, 2500)
            yield self.event("/closed", self.closed_at, "project-update", summary, detail=detail, supersedes=ids)
        if len(self.notes) > 120:
            yield self._noted()
        for comment in self.row.get("comments", ()):
            summary = f"{short(self.title, 120)}: {first_sentence(comment['text'], 330)}"
            yield self.event("/comment", comment["created_at"], "note", summary, detail=body(comment["text"]))

    def _opened(self) -> Event:
        kind = _KIND_BY_TYPE.get(self.row["issue_type"], "task")
        if re.match("Research", self.title):
            kind = "note"
        said = first_sentence(re.sub(r"(?m)^#+ .*$", "", self.description), 320)
        summary, detail = f"{self.title}: {said}" if said else self.title, body(self.description, 2500)
        return self.event("/open", self.row["created_at"], kind, summary, detail=detail)

    def _closed(self, opened: list[str], told: Collection[str]) -> Event:
        reason = self.reason
        kind, fields = "project-update", {}
        if self.row["issue_type"] == "bug" and re.search(_CAUSE_FOUND, reason):
            kind, fields = "lesson", {"lesson": {"context": short(self.title, 200)}}
        elif re.match(_NOT_DONE, reason) and len(reason) > 60:
            kind, fields = "decision", {"decision": decision(reason, 400, self.row["created_by"])}
        said = first_sentence(reason, 80) if reason in told else reason
        summary = f"{self.title} — {short(said, 330)}"
        detail = body(f"{reason}\n\n{self.description}" if len(self.description) < 1500 else reason)
        return self.event("/closed", self.closed_at, kind, summary, detail=detail, supersedes=opened, **fields)

    def _noted(self) -> Event:
        ts = self.row["updated_at"]
        dated = re.search(r"2026-0\d-\d\d", self.notes)
        if dated and dated[0] >= self.row["created_at"][:10]:
            ts = at(dated[0], share_of(self.name, 500))
        summary = f'On "{short(self.title, 80)}": {first_sentence(self.notes, 330)}'
        return self.event("/notes", ts, "note", summary, detail=body(self.notes))


def beads(data: Path, forced: Collection[str]) -> Iterator[Event]:
    """Yield the events of the issues that are taken, the forced ones among them."""
    rows = json_lines([data / "import/beads--tearags/.beads/issues.jsonl"])
    issues = [_Issue(row) for row in sorted(rows, key=lambda row: (row["created_at"], row["id"]))]
    told: set[str] = set()
    for issue in issues:
        if issue.row["issue_type"] == "decision":
            yield issue.as_decision()
        elif issue.name in forced or issue.is_taken:
            yield from issue.history(told)
            told.add(issue.reason)


_KIND_BY_ENTITY = {
    "Changelog": "project-update",
    "Feature": "project-update",
    "Plan": "project-update",
    "Process": "rule",
    "Requirement": "rule",
    "Roadmap": "task",
    "Task": "task",
    "TaskList": "task",
    "Thought": "note",
    "action_plan": "task",
    "code_state": "observation",
    "requirements": "rule",
}
_TRIALS = {"ToolCallLimits", "Tool Testing Session"}


class _Entity(NamedTuple):
    """An entity of an MCP memory file; those of a file are sorted by moment."""

    moment: datetime
    size: int
    place: int
    name: str
    type: str
    said: tuple[str, ...]


def mcp(data: Path, project: str, source: str) -> Iterator[Event]:
    """Yield an event for each state of each entity; a later one supersedes an earlier one of the same name."""
    last: dict[str, str] = {}
    seen = set()
    for entity in sorted(_entities(data / f"import/mcp-memory--{project}/memory.jsonl")):
        if (entity.name, entity.said) in seen:
            continue
        seen.add((entity.name, entity.said))
        made = _state(entity, project, source)
        yield superseding(made, [last[entity.name]]) if entity.name in last else made
        last[entity.name] = made["event_id"]


def _entities(file: Path) -> Iterator[_Entity]:
    for place, row in enumerate(json_lines([file])):
        if row.get("observations") and row["name"] not in _TRIALS:
            noted = row["observations"]
            said = tuple(some if isinstance(some, str) else some["text"] for some in noted)
            stamp = row.get("createdAt") or noted[-1]["timestamp"]
            moment = datetime.fromisoformat(stamp) + timedelta(days=365)  # into the year of the other records
            yield _Entity(moment, len(said), place, row["name"], row["entityType"], said)


def _state(entity: _Entity, project: str, source: str) -> Event:
    title = re.sub(r"(?<=[a-z])_(?=\w)", " ", entity.name)
    summary = f"{title}: {'; '.join(entity.said)}"
    if entity.type == "Thought":
        text = re.sub(r"(?m)^#+\s*", "", "\n".join(entity.said))
        thought = re.sub(r"^Step: \S+\s*Reasoning:\s*", "", text)
        summary = f"Thought: {short(thought, 330)}"
    kind = _KIND_BY_ENTITY.get(entity.type, "fact")
    return event(
        f"{project}/{entity.name}/{entity.place}",
        utc(entity.moment),
        source,
        kind,
        "project",
        short(summary, 420),
        0.7 if kind == "rule" else 0.5,
        project=project,
        detail=body("\n".join(f"- {text}" for text in entity.said)),
    )


def public_hubs(data: Path) -> Iterator[Event]:
    """Yield the events of two public hubs, and the sizes of a test suite that they tell of."""
    for hub in ("itestflow", "ai-universal-memory"):
        for row in _rows(data / "hubs" / hub, "*.ndjson"):
            yield _adopted(hub, row)
            if said := re.search(r"(\d+)(?:/\d+)? tests(?: passing|,)", _said(row)):
                origin, summary = f"{hub}/metric/{row['event_id']}", f"ai-universal-memory test suite: {said[1]} tests"
                metric = {"name": "aum-tests", "value": int(said[1]), "unit": "tests"}
                told = (origin, row["ts"], _agent(row), "metric", "project", summary)
                yield event(*told, metric=metric, project=row["project"])


def _rows(hub: Path, files: str) -> list[dict[str, Any]]:
    """Return the events of a hub in the order of time."""
    rows = json_lines(sorted((hub / "sources").rglob(files)))
    return sorted(rows, key=lambda row: (datetime.fromisoformat(row["ts"]), row["event_id"]))


def _adopted(hub: str, row: dict[str, Any]) -> Event:
    detail, kind = row.get("detail", ""), row["kind"]
    return event(
        f"{hub}/{row['event_id']}",
        row["ts"],
        _agent(row),
        kind,
        row["scope"],
        _said(row),
        0.7 if kind in {"decision", "rule", "lesson"} else 0.5,
        detail=body(detail),
        keywords=row.get("keywords"),
        project=row.get("project"),
        decision=decision(detail or row["summary"], 500, "maintainer") if kind == "decision" else {},
        lesson={"context": short(row["summary"], 120)} if kind == "lesson" else {},
    )


def _agent(row: dict[str, Any]) -> str:
    return "web-claude" if row["source"] in {"claude-code", "unknown", "ai-universal-memory"} else str(row["source"])


def _said(row: dict[str, Any]) -> str:
    """Return the summary, with the first sentence of the detail where it says little."""
    summary, detail = row["summary"], row.get("detail", "")
    return f"{summary}: {first_sentence(detail, 330)}" if len(summary) < 70 and detail else str(summary)


_DULL = r"docs|chore\(docs|Bump|build\(deps|test"
_OF_SAFETY = "unsafe|[Gg]uard|[Rr]eject|[Bb]lock|[Vv]alidate|redact|expansion"
_OF_MAJOR_CHANGE = r"Python (SDK )?v?2\.0|HIGH.*vulnerab"
_OF_CHANGE = "(?i)!:|security|breaking|remove|revert|deprecat|changelog|CVE|default"


def commits(data: Path) -> Iterator[Event]:
    """Yield a part of the commit subjects of three projects, with the versions and numbers in those of mem0."""
    last_version: list[str] = []
    for row in filter(_is_taken, _rows(data / "hubs/commit-subjects", "2026-*.ndjson")):
        subject, project = row["summary"], row["project"]
        yield _from_commit(row, "", "project-update", subject, 0.4, project=project)
        if project == "mem0" and (said := re.search(r"Python(?: SDK)? v?([12]\.\d+\.\d+)", subject)):
            summary = f"mem0 Python SDK version: {said[1]}"
            version = _from_commit(row, "version/py/", "fact", summary, project=project, supersedes=last_version)
            last_version = [version["event_id"]]
            yield version
        if said := re.search(r"patch (\d+) HIGH", subject):
            summary = f"mem0 high-severity dependency vulnerabilities patched in one pass: {said[1]}"
            metric = {"name": "mem0-high-vulnerabilities-patched", "value": int(said[1])}
            yield _from_commit(row, "metric/vuln/", "metric", summary, metric=metric, project=project)


def _from_commit(
    row: dict[str, Any], part: str, kind: str, summary: str, importance: float = 0.5, **fields: Any
) -> Event:
    origin = f"{row['project']}/{part}{row['event_id']}"
    return event(origin, row["ts"], "ci-commits", kind, "project", summary, importance, **fields)


def _is_taken(row: dict[str, Any]) -> bool:
    subject = row["summary"]
    in_time = "2026-02-12" <= row["ts"][:10] <= "2026-08-18"
    says_much = len(subject) >= 38 and not re.match(_DULL, subject)
    return in_time and says_much and share_of(row["event_id"], 100) < _percent_taken(row["project"], subject)


def _percent_taken(project: str, subject: str) -> int:
    if project == "gitpython" and re.search(_OF_SAFETY, subject):
        return 90
    if re.search(_OF_MAJOR_CHANGE, subject):
        return 100
    usual = {"mem0": 12, "gitpython": 30, "aider": 60}[project]
    return usual + 25 if re.search(_OF_CHANGE, subject) else usual
