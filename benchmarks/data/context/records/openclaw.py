"""An OpenClaw workspace: configuration, daily logs, the log of two agents' coordination, tasks and reports."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from records.shaping import (
    Block,
    Event,
    Page,
    Rule,
    at,
    blocks,
    body,
    clean,
    decision,
    event,
    first_sentence,
    in_one_line,
    read,
    ruled_blocks,
    sections,
    share_of,
    undated,
)

_PROJECT, _MAIN, _SECOND, _OWNER = "lobsterops", "vps-ralph", "vps-constituent", "Owner-A"

_TEXT, _UNDATED = "{text}", "{undated}: {text}"
_USER = (
    Rule("Basic Info|Technical Context", "fact", "profile", 0.8, _TEXT),
    Rule("Current Projects", "fact"),
    Rule("Platform Formatting", "rule", "stable", 0.7),
    Rule("What to Avoid", "preference", "profile", 0.8, "Avoid: {text}"),
    Rule("", "preference", "profile", 0.7),
)
_MEMORY = (
    Rule("Opérateur", "fact", "profile", 0.7, _TEXT),
    Rule("Leçons", "lesson", "agent", 0.8, _UNDATED),
    Rule("Heuristiques", "preference", "stable", 0.6, _TEXT),
    Rule("", "fact", summary=_UNDATED),
)
_AGENTS = (
    Rule("L3[^/]*$|SIGUSR1", "rule", importance=0.9),
    Rule("L[12][^/]*$", "rule", importance=0.7),
    Rule("", "rule", "agent", 0.6),
)
_TOOLS = (Rule("(Key Files|Installed Skills|Performance)[^/]*$"), Rule("", "fact", summary=_UNDATED))
_SUBJECTS = "Coordination|External|Metrics|Security|Monitoring|Credentials|VPS"
_HEARTBEAT = (Rule("Voyage", "temporary"), Rule("", "rule", summary="{page}: {text}"))
_PAGES = (
    Page("config/USER.md", "2026-02-16", _MAIN, _USER, "LobsterOps|TheAgents|Telegram|Discord", least=12),
    Page("config/MEMORY.md", "2026-02-19", _MAIN, _MEMORY, "Docs de"),
    Page("config/AGENTS.md", "2026-02-19", _MAIN, _AGENTS, "L1|L2|Proc|Boot|Memory|Formatting"),
    Page("config/TOOLS.md", "2026-02-16", _MAIN, _TOOLS, _SUBJECTS, least=25),
    Page("config/HEARTBEAT.md", "2026-02-19", _MAIN, _HEARTBEAT, "."),
)
_DETAILED = {"config/TOOLS.md"}
_JOURNEY_END = "2026-02-28"

# By the title of a section in a daily log; the first that is found.
_OF_NO_USE = (
    "Session Summary|Emotional|Reflection|Fichier|Livrable|Contexte Session|Documentation Updated|Résumé Quotidien"
    "|Next Steps Ident|Red Flags|Pre-Installation"
)
_OF_LESSONS = "Learn|Leçon|Insights|Apprentissages"
_OF_ONE_LESSON = "Leçon|Consolidation|Vitesse"
_OF_DECISIONS = "Decision|Règles ajoutées|Recommandation|Model Strategy|Self-Replication Arch"
_OF_RULES = "Monitoring Plan|Post-Deployment Conf"
_OF_STATES = "Heartbeat|Status|État|Git"


def openclaw(data: Path) -> Iterator[Event]:
    """Yield the events of the workspace."""
    folder = data / "import/openclaw--lobsterops"
    yield from _configuration(folder)
    yield from _soul(folder / "config/SOUL.md")
    for log in sorted((folder / "memory").glob("2026-02-??.md")):
        for part in _parts(log):
            yield from _told(part)
    yield from _coordination(folder / "memory/coordination-log.md")
    yield from _tasks(folder / "memory/active-tasks.md")
    for report in _REPORTS:
        yield from _report(folder / "memory", report)


def _event(name: str, *told: Any, **fields: Any) -> Event:
    return event(f"{_PROJECT}/{name}", *told, **fields, project=_PROJECT)


def _configuration(folder: Path) -> Iterator[Event]:
    for page in _PAGES:
        for place, block, rule in ruled_blocks(folder / page.name, page):
            title = undated(block.heading)
            names = {"heading": block.heading, "undated": title, "page": f"{undated(block.headings[0])} / {title}"}
            yield event(
                f"{_PROJECT}/{page.name}#{place}",
                at(page.day, place),
                page.source,
                rule.kind,
                rule.scope,
                rule.summary.format(text=block.text, **names),
                rule.importance,
                project=_PROJECT if rule.scope in {"project", "agent"} else "",
                agent=page.source if rule.scope == "agent" else "",
                valid_until=_JOURNEY_END if rule.kind == "temporary" else "",
                detail=body(block.rest) if rule.kind == "lesson" or page.name in _DETAILED else "",
                lesson={"context": block.heading} if rule.kind == "lesson" else {},
            )


def _soul(file: Path) -> Iterator[Event]:
    """Yield the rules: the long lines from the first list of them on."""
    text = read(file)
    first = text[: text.index("\nCe que tu NE fais")].count("\n") + 2
    for place, line in enumerate(text.split("\n")):
        if place >= first and len(line) > 25:
            ts = at("2026-02-18", place)
            yield _event(f"SOUL.md#{place}", ts, _MAIN, "rule", "agent", line, 0.7, agent=_MAIN)


class _Part(NamedTuple):
    """A section of a daily log, or what stands above its subsections."""

    origin: str
    day: str
    minute: int
    title: str
    text: str

    @property
    def name(self) -> str:
        return self.title.split(" / ")[-1]

    def item(self, place: int) -> _Part:
        """Return the place of one of its blocks."""
        return self._replace(origin=f"{self.origin}.{place}", minute=self.minute + place)

    def event(self, kind: str, scope: str, summary: str, importance: float, **fields: Any) -> Event:
        return _event(self.origin, at(self.day, self.minute), _MAIN, kind, scope, summary, importance, **fields)


def _parts(log: Path) -> Iterator[_Part]:
    day = log.stem
    number = 0
    for title, text in sections(read(log), 2):
        clock = re.match(r"\W*(\d\d):(\d\d)", title)
        above = re.split(r"(?m)^### ", text)[0]
        for name, part in [(title, above), *((f"{title} / {name}", part) for name, part in sections(text, 3))]:
            number += 1
            minute = (int(clock[1]) - 8) * 60 + int(clock[2]) + number % 5 if clock else number * 5
            if len(part.strip()) >= 40 and not re.search(_OF_NO_USE, name):
                yield _Part(f"memory/{log.name}#{number}", day, minute, undated(name), part)


def _told(part: _Part) -> Iterator[Event]:
    listed = blocks(part.text)
    if re.search(_OF_LESSONS, part.title):
        yield from _lessons(part, listed)
    elif "Décisions" in part.title:
        yield from _single_decisions(part, listed)
    elif listed and re.search(_OF_DECISIONS, part.title):
        yield _decision(part, listed)
    elif listed:
        yield _account(part, listed)


def _lessons(part: _Part, listed: list[Block]) -> Iterator[Event]:
    if re.search(_OF_ONE_LESSON, part.title):
        listed = [Block((), in_one_line(listed, 420), "\n".join(f"- {block.text}" for block in listed))]
    for place, block in enumerate(listed):
        if len(block.text) > 30 and not re.search(r"status|closed|updated|\.md \(", block.text[:60]):
            yield part.item(place).event(
                "lesson",
                "agent",
                f"{part.name}: {block.text}",
                0.6,
                agent=_MAIN,
                detail=body(block.rest),
                lesson={"context": part.title},
            )


def _single_decisions(part: _Part, listed: list[Block]) -> Iterator[Event]:
    for place, block in enumerate(listed):
        if len(block.text) > 25:
            summary, made = f"{part.name}: {block.text}", decision(block.rest, 300, _OWNER)
            yield part.item(place).event("decision", "project", summary, 0.7, detail=body(block.rest), decision=made)


def _decision(part: _Part, listed: list[Block]) -> Event:
    """Return the one decision of a part: the first block says what, the others why."""
    summary = f"{part.name if len(part.title) > 80 else part.title}: {in_one_line(listed)}"
    status = "pending" if "Recommandation" in part.title else "approved"
    made = decision(" ".join(block.text for block in listed[1:]), 400, _OWNER, status)
    return part.event("decision", "project", summary, 0.7, detail=body(part.text), decision=made)


def _account(part: _Part, listed: list[Block]) -> Event:
    """Return a state of things that soon goes stale, a day's note, or news of the project."""
    if re.search(_OF_STATES, part.title):
        summary = f"{part.title}: {in_one_line(listed, 250)}"
        return part.event("observation", "fuzzy", summary, 0.3, detail=body(part.text, 1500))
    kind, scope = ("note", "daily") if len(listed) > 6 else ("project-update", "project")
    return part.event(kind, scope, f"{part.title}: {in_one_line(listed)}", 0.5, detail=body(part.text))


def _coordination(file: Path) -> Iterator[Event]:
    """Yield the entries of the log that two agents keep together, and the lessons in them."""
    for heading, text in sections(read(file).replace("\n### 2026", "\n## 2026"), 2):
        stamp = re.match(r"(2026-02-\d\d) (\d\d:\d\d)", heading)
        listed = blocks(text)
        if stamp and listed:
            origin, ts = f"coordination-log#{stamp[0]}", f"{stamp[1]}T{stamp[2]}:00Z"
            yield from _learned(origin, ts, undated(heading), listed)
            yield _entry(origin, ts, undated(heading), listed, text)


def _learned(origin: str, ts: str, title: str, listed: list[Block]) -> Iterator[Event]:
    lessons = [block.text for block in listed if re.match("Learning", block.heading)]
    for place, lesson in enumerate(lessons):
        source = (_MAIN, _SECOND)[place % 2]
        yield _event(f"{origin}.{place}", ts, source, "lesson", "project", lesson, 0.6, lesson={"context": title})


def _entry(origin: str, ts: str, title: str, listed: list[Block], text: str) -> Event:
    kind, scope, importance = "project-update", "project", 0.6
    if re.search("Heartbeat|Health Check|ACK|Processed", title):
        kind, scope, importance = "observation", "fuzzy", 0.3
    elif re.search("PIVOT|Approvals|Rule", title):
        kind = "decision"
    return _event(
        origin,
        ts,
        _MAIN if share_of(f"{_PROJECT}/{origin}", 3) else _SECOND,
        kind,
        scope,
        f"{title}: {in_one_line(listed, 380)}",
        importance,
        detail=body(text),
        decision=_made(kind, listed),
    )


def _made(kind: str, listed: list[Block]) -> dict[str, str]:
    """Return the field of a decision that is listed: the first block says what, the next four why."""
    return decision("; ".join(block.text for block in listed[1:5]), 400, _OWNER) if kind == "decision" else {}


def _tasks(file: Path) -> Iterator[Event]:
    for heading, text in sections(read(file), 3):
        if listed := blocks(text):
            ts = at("2026-02-16", 240 + share_of(heading, 60))
            summary = f"{undated(heading)}: {in_one_line(listed, 350)}"
            origin = f"active-tasks#{heading[:40]}"
            yield _event(origin, ts, _MAIN, "task", "project", summary, detail=body(text))


class _Report(NamedTuple):
    """A page on one matter, with the day of what stands before the first heading that names one."""

    name: str
    day: str
    source: str
    kind: str


_REPORTS = (
    _Report("citizen-skill-security-audit", "2026-02-15", _SECOND, "fact"),
    _Report("constitution-skill-security-audit", "2026-02-15", _SECOND, "fact"),
    _Report("constituent-skills-security", "2026-02-15", _SECOND, "fact"),
    _Report("fallback-test-2026-02-15", "2026-02-15", _MAIN, "observation"),
    _Report("openclaw-security-log", "2026-02-19", _MAIN, "fact"),
    _Report("skills-security-alerts", "2026-02-15", _SECOND, "fact"),
    _Report("tar-token-log", "2026-02-14", _MAIN, "observation"),
    _Report("tar-github-log", "2026-02-15", _MAIN, "observation"),
)


def _report(memory: Path, report: _Report) -> Iterator[Event]:
    day = report.day
    for place, (heading, text) in enumerate(sections(read(memory / f"{report.name}.md"), 2)):
        listed, title, origin = blocks(text), undated(heading), f"{report.name}#{place}"
        if dated := re.match(r"2026-02-\d\d", heading):
            day = dated[0]
        if "Learning" in title:
            yield from _test_lessons(origin, day, place * 3, text)
        elif listed and not re.search(_OF_NO_USE, title):
            kind = "decision" if "Decision" in title else "rule" if re.search(_OF_RULES, title) else report.kind
            summary = f"{report.name.replace('-', ' ')}, {title or report.name}: {in_one_line(listed, 380)}"
            fields = {"detail": body(text), "decision": _made(kind, listed)}
            yield _event(origin, at(day, place * 3), report.source, kind, "project", summary, **fields)


def _test_lessons(origin: str, day: str, minute: int, text: str) -> Iterator[Event]:
    for place, (heading, lesson) in enumerate(sections(text, 3)):
        yield _event(
            f"{origin}.{place}",
            at(day, minute + place),
            _MAIN,
            "lesson",
            "agent",
            f"{clean(heading)}: {first_sentence(lesson, 400)}",
            0.7,
            agent=_MAIN,
            detail=body(lesson),
            lesson={"context": "model fallback test"},
        )
