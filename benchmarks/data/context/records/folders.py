"""Memory that is kept in Markdown files: Claude Code's, a hub kept by hand, and decision records."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, NamedTuple

from records.shaping import (
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
    front_matter,
    read,
    ruled_blocks,
    sections,
    share_of,
    short,
    utc,
)

_CLAUDE, _CODEX = "mac-claude", "mac-codex"
_NO_MEMORY = {"INDEX.md", "README.md", "retro-grade-template.md"}
# The prototype was made before the schema, though the index names it later.
_JUST_BEFORE = {"decision-sdk-verifier-prototype.md": "decision-verifier-rubric-schema.md"}
_FIRST_MEMORY, _EACH_MEMORY = datetime(2026, 5, 6, 9, tzinfo=UTC), timedelta(hours=13.3)

_README = Page("memory/README.md", "2026-05-07", _CODEX, (Rule("belong|Stale|Index", "rule"),), grouped=".")
_GUIDE = Page(
    "CLAUDE.md",
    "2026-05-29",
    _CLAUDE,
    (
        Rule("beliefs", "rule", importance=0.9, summary="{text}"),
        Rule("gotchas", "lesson", importance=0.8, summary="{text}"),
        Rule("Conventions", "rule", importance=0.7, summary="{text}"),
        Rule("What this|Two layers", "fact", summary="{text}"),
        Rule("Auth routes|invariant|Upgrading|Manual", "rule", summary="{text}"),
    ),
)


def autometta(data: Path) -> Iterator[Event]:
    """Yield the events of a Claude Code memory: its files in the order of their index, its rules and its guide."""
    folder = data / "import/claude-code--autometta"
    for place, file in enumerate(_memory_files(folder / "memory")):
        yield _memory(file, utc(_FIRST_MEMORY + place * _EACH_MEMORY))
    for place, block, rule in ruled_blocks(folder / _README.name, _README):
        summary = rule.summary.format(heading=block.heading, text=block.text)
        origin, ts = f"autometta/memory-README#{place}", at(_README.day, place)
        yield event(origin, ts, _README.source, rule.kind, rule.scope, summary, project="autometta")
    for place, block, rule in ruled_blocks(folder / _GUIDE.name, _GUIDE):
        yield event(
            f"autometta/{_GUIDE.name}#{place}",
            at(_GUIDE.day, place),
            _GUIDE.source if place % 4 else _CODEX,
            rule.kind,
            rule.scope,
            block.text,
            rule.importance,
            detail=body(block.rest),
            lesson={"context": "headless runs"} if rule.kind == "lesson" else {},
            project="autometta",
        )


def _memory_files(folder: Path) -> list[Path]:
    """Return the files in the order of the index, those that it leaves out last."""
    index = read(folder / "INDEX.md")

    def order(file: Path) -> tuple[int, str]:
        name = _JUST_BEFORE.get(file.name, file.name)
        return index.index(name) if name in index else len(index), file.name

    return sorted((file for file in folder.rglob("*.md") if file.name not in _NO_MEMORY), key=order)


def _memory(file: Path, ts: str) -> Event:
    meta, text = front_matter(read(file))
    kind, source, fields = "fact", _CLAUDE, {}
    if file.name.startswith("decision"):
        kind, source = "decision", _CLAUDE if share_of(file.name, 3) else _CODEX
        fields = {"decision": decision(_reasons(text) or short(text, 300), 600, "operator")}
    elif file.name.startswith("feedback"):
        kind, fields = "lesson", {"lesson": {"context": "autometta stage runs", "applies_to": "orchestrator"}}
    summary, detail = _description(meta.get("description", ""), text), body(text, 4000)
    origin = f"autometta/{file.name}"
    return event(origin, ts, source, kind, "project", summary, 0.7, project="autometta", detail=detail, **fields)


def _description(given: str, text: str) -> str:
    """Return what the front matter or the text says first, with more of the text where that says little."""
    plain = re.sub(r"(?m)^#.*$", "", text)
    said = given or first_sentence(plain, 400)
    if len(said) < 60:
        said = f"{said.rstrip('.')}: {first_sentence(plain, 380)}"
    if re.match("Why|Default impl", said):
        decided = re.search(r"\*\*Decision:\*\*\s*(.{40,}?\.)\s", text)
        more = decided[1] if decided else first_sentence(re.sub(r"(?m)^(#|\*\*).*$", "", text), 300)
        said = f"{said.rstrip('.')}: {more}"
    return said.strip('"')


def _reasons(text: str) -> str:
    """Return what the first paragraphs, or else the first sections, that are named 'Why' say."""
    found = re.findall(r"(?s)\*\*Why[^*\n]*\*\*:?\s*(.*?)(?=\n\n\*\*|\n\n#|\Z)", text)
    found = found or re.findall(r"(?m)^#+ Why.*\n+(.*?)(?=\n#|\Z)", text)
    return short(" ".join(found[:3]), 600)


_MAIN, _QA = "cloud-caffeine", "cloud-qa"
_FACT = Rule("", "fact")
_HAND_KEPT = (
    Page(
        "rules/memories.md",
        "2026-05-08",
        _MAIN,
        (Rule("(Do|Role|Goal)[^/]*$", "fact", "agent", 0.6), Rule("", "fact", importance=0.6)),
    ),
    Page("rules/verified-capabilities.md", "2026-05-09", _QA, (_FACT,)),
    Page("rules/verified-limitations.md", "2026-05-09", _QA, (Rule("", "lesson", "agent", 0.7),)),
    Page("soul/SOUL.md", "2026-05-07", _MAIN, (Rule("Rules[^/]*$", "rule", "agent", 0.8),)),
    Page("soul/VOICE.md", "2026-05-07", _MAIN, (Rule("", "preference", "agent", 0.6),)),
    Page("canonical/profile.md", "2026-05-07", _MAIN, (Rule("Protocol[^/]*$", "rule", "agent", 0.6), _FACT)),
    Page(
        "canonical/stable-memory.md",
        "2026-05-08",
        _MAIN,
        (Rule("Tool[^/]*$", "fact"), Rule("Rules[^/]*$", "rule", importance=0.8), _FACT),
    ),
    Page("canonical/projects/caffeine-ai.md", "2026-05-08", _MAIN, (_FACT,)),
    Page("research/topic-research.md", "2026-05-10", _MAIN, (Rule(".", "fact"),)),
    Page(
        "canonical/feature-roadmap.md",
        "2026-05-09",
        _QA,
        (Rule("(Constraints|NOT Done)[^/]*$", "fact", importance=0.6),),
    ),
)
_GROUPED = (
    r"Runtime|Files Built|Models|Token|Key Frameworks|Has$|Missing|Memory: The|Autonomous Loop|Protocol|Key$|Worker$"
    r"|Repo$|Gemini|Key Package|Overview|Tool Rules|What I|Long-term|Role"
)
_LEAST = 19


class _Sections(NamedTuple):
    """The sections of a file that become an event each, at a time after 08:00 that their heading settles."""

    name: str
    level: int
    origin: str
    day: str
    minute: int
    source: str
    kind: str
    summary: str = "{heading}: {text}"
    pattern: str = ""  # of the headings
    kept: int = 20  # characters of the heading in the origin
    told: int = 3  # blocks in the summary


_SECTIONS = (
    _Sections(
        "canonical/feature-roadmap.md", 4, "roadmap", "2026-05-09", 100, _QA, "task", "{heading} — {text}", told=2
    ),
    _Sections("canonical/hybrid-goal.md", 3, "goal", "2026-05-10", 0, _MAIN, "note"),
    _Sections(
        "canonical/hybrid-goal.md",
        2,
        "goal2",
        "2026-05-10",
        70,
        _MAIN,
        "project-update",
        pattern="Learning Loop|Milestones|Baseline",
    ),
    _Sections(
        "canonical/bash-access.md", 2, "bash", "2026-05-09", 200, _QA, "fact", "Bash access, {heading}: {text}", kept=30
    ),
)


def brainforge(data: Path) -> Iterator[Event]:
    """Yield the events of a hub that is kept by hand."""
    folder = data / "import/caffeine-brainforge"
    for page in _HAND_KEPT:
        yield from _page(folder / page.name, page._replace(grouped=_GROUPED, least=_LEAST))
    for some in _SECTIONS:
        yield from _sections(folder / some.name, some)
    yield from _log(folder / "sources/caffeine/2026-05-07.md")
    yield from _automatic(read(folder / "sources/caffeine/2026-05-08-auto-update.md"))
    yield from _roles(folder / "soul/agents.md")


def _event(name: str, *told: Any, **fields: Any) -> Event:
    return event(f"caffeine/{name}", *told, **fields, project="brainforge")


def _page(file: Path, page: Page) -> Iterator[Event]:
    for place, block, rule in ruled_blocks(file, page):
        if not block.text.startswith(("_Last", "*Compiled", "https:")):
            yield event(
                f"caffeine/{page.name}#{place}",
                at(page.day, place),
                page.source,
                rule.kind,
                rule.scope,
                rule.summary.format(heading=block.heading, text=block.text) if block.headings else block.text,
                rule.importance,
                project="brainforge",
                detail=body(block.rest),
                agent=page.source if rule.scope == "agent" else "",
                lesson={"context": "tested in the sandbox"} if rule.kind == "lesson" else {},
            )


def _sections(file: Path, some: _Sections) -> Iterator[Event]:
    for heading, text in sections(read(file), some.level):
        listed = blocks(text)
        if listed and re.search(some.pattern, heading):
            origin = f"{some.origin}#{heading[: some.kept]}"
            ts = at(some.day, some.minute + share_of(heading, 60))
            said = "; ".join(block.text for block in listed[: some.told])
            summary = some.summary.format(heading=clean(heading), text=said)
            yield _event(origin, ts, some.source, some.kind, "project", summary, detail=body(text))


def _log(file: Path) -> Iterator[Event]:
    for heading, text in sections(read(file), 3):
        day, kind, title = re.findall(r"\[(\S+)\] (\w+) \| (.*)", heading)[0]
        made = decision(text, 300, "developer") if kind == "decision" else {}
        ts = at(day, share_of(heading, 300))
        summary = f"{title}: {clean(text)}"
        kind, importance = ("decision", 0.7) if made else ("observation", 0.5)
        yield _event(f"events#{title[:30]}", ts, _MAIN, kind, "project", summary, importance, decision=made)


def _automatic(text: str) -> Iterator[Event]:
    """Yield the versions and the posts of a page that a program wrote."""
    for place, (name, version) in enumerate(re.findall(r"- \*\*([@/\w-]+)\*\*: ([\d.]+) \(as of", text)):
        summary = f"npm latest of {name}: {version}"
        yield _event(f"npm#{name}", at("2026-05-08", 600 + place), _QA, "fact", "project", summary)
    posts = re.findall(r"- \*\*(.+?)\*\* \(2026-\d\d-\d\d\) — https://forum[^\n]*\n  > ([^\n]*)", text)
    for place, (title, said) in enumerate(posts):
        ts = at("2026-05-08", 620 + place)
        yield _event(f"forum#{place}", ts, _QA, "observation", "fuzzy", f"ICP forum: {title}. {said}", 0.3)


def _roles(file: Path) -> Iterator[Event]:
    """Yield about half of what is said of each agent."""
    for place, block in enumerate(blocks(read(file))):
        told = re.search("qa|compiler|brain-prompt|D1|Memory Levels", block.heading)
        if told and "Last action" not in block.text and share_of(block.text, 2):
            summary = f"{block.heading}: {block.text}"
            yield _event(f"agents#{place}", at("2026-05-09", 300 + place), _MAIN, "fact", "project", summary)


_FIRST_RECORD, _EACH_RECORD = datetime(2026, 3, 2, 10, tzinfo=UTC), timedelta(days=2.4)


def madr(data: Path) -> Iterator[Event]:
    """Yield the decisions of a folder of MADR records."""
    files = sorted((data / "import/adr--madr/docs/decisions").glob("0*.md"))
    for place, file in enumerate(files):
        meta, text = front_matter(read(file))
        title = sections(text, 1)[0][0]
        outcome = next(said for heading, said in sections(text, 2) if heading == "Decision Outcome")
        status = "pending" if "hold" in meta.get("status", "") else "approved"
        yield event(
            f"madr/{file.name}",
            utc(_FIRST_RECORD + place * _EACH_RECORD),
            "docs-codex",
            "decision",
            "project",
            f"{clean(title)}. {first_sentence(outcome, 330)}",
            0.6,
            project="madr",
            detail=body(text, 4000),
            decision=decision(outcome.split("because", 1)[-1], 500, "maintainers", status),
        )
