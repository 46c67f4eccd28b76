"""What a hook tells, and in which form: only what an agent has not read, and no more than its program takes."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agent_soul.config import Config, default_config, parse_config
from agent_soul.contexts.asking import Memory
from agent_soul.hooking import envelope
from agent_soul.hooking.call import COMPACT, Call, call_of
from agent_soul.hooking.delta import Row, current_rows, ended_rows, event_keys, keys_read, tell
from agent_soul.pages import PROFILE, STABLE
from hubs import AS_OF, compiled, event
from test_cases import CASES, compile_case

CONTEXT = {"hookSpecificOutput": {"hookEventName": "SessionStart", "additionalContext": "Neu: 新"}}

STOPPED = {"hookSpecificOutput": {"hookEventName": "Stop", "additionalContext": "Neu: 新"}}


@pytest.mark.parametrize(
    ("runtime", "start", "stop"),
    [
        ("claude-code", CONTEXT, STOPPED),
        ("codex", CONTEXT, {"decision": "block", "reason": "Neu: 新"}),
        ("gemini", CONTEXT, {"decision": "deny", "reason": "Neu: 新"}),
        ("cursor", {"additional_context": "Neu: 新"}, {"followup_message": "Neu: 新"}),
        ("copilot", {"additionalContext": "Neu: 新"}, None),
        ("another", CONTEXT, None),
    ],
)
def test_each_program_gets_its_own_form(runtime: str, start: dict[str, Any], stop: dict[str, Any] | None) -> None:
    assert json.loads(envelope.at_start("Neu: 新", runtime)) == start
    said = envelope.at_stop("Neu: 新", runtime)
    assert (json.loads(said) if said else None) == stop
    assert envelope.at_start("", runtime) == envelope.at_stop("", runtime) == ""


START, END = "session-start", "session-end"
CURSOR = {"CURSOR_VERSION": "3.2"}


@pytest.mark.parametrize(
    ("name", "said", "environment", "expected"),
    [
        ("SessionStart", {"session_id": "s", "source": "startup"}, {}, Call(START, "claude-code", "s")),
        (START, {"session_id": "s", "source": "compact"}, {}, Call(START, "claude-code", "s", COMPACT)),
        ("Stop", {"session_id": "s", "stop_hook_active": True}, {}, Call("stop", "claude-code", "s", is_final=True)),
        ("stop", {"stop_hook_active": False, "agent_type": "reviewer"}, {}, Call("stop", "claude-code")),
        ("AfterAgent", {}, {}, Call("stop", "claude-code")),
        ("PreCompact", {}, {}, Call("", "claude-code")),
        ("SubagentStart", {}, {}, Call("", "claude-code", is_subagent=True)),
        (START, {"agent_id": "a1"}, {}, Call(START, "claude-code", is_subagent=True)),
        ("stop", {"cursor_version": "3.2", "loop_count": 1}, {}, Call("stop", "cursor", is_final=True)),
        ("stop", {"cursor_version": "3.2", "status": "completed", "loop_count": 0}, {}, Call("stop", "cursor")),
        ("stop", {"cursor_version": "3.2", "status": "aborted"}, {}, Call("stop", "cursor", is_final=True)),
        (START, {"conversation_id": "c", "session_id": "s"}, CURSOR, Call(START, "cursor", "c")),
        (START, {"hook_event_name": "SessionStart"}, CURSOR, Call(START, "claude-code")),
        ("sessionStart", {"sessionId": "s", "cwd": "/w"}, {}, Call(START, "copilot", "s", folder="/w")),
        ("session_end", {"session_id": ["no", "text"], "source": {}}, {}, Call(END, "claude-code")),
    ],
)
def test_who_runs_the_hook_and_why(name: str, said: Any, environment: Any, expected: Call) -> None:
    assert call_of(name, "claude", said, environment) == expected


def memory_of(*records: dict[str, Any], identity: dict[str, str] | None = None) -> tuple[Memory, str]:
    """Return the memory of a log and the text of its L1 pages."""
    found = compiled(records)
    memory = Memory(identity or {}, found.resolution, found.conflicts, default_config(), AS_OF)
    return memory, found.texts[PROFILE] + found.texts[STABLE]


def new_rows(memory: Memory, text: str) -> list[Row]:
    rows = current_rows(memory)
    read = keys_read(rows, text, memory.config.line)
    return [row for row in rows if row.key not in read]


def ended_texts(memory: Memory, text: str) -> list[str]:
    return [row.text for row in ended_rows(memory, event_keys(text, memory.config.line))]


@pytest.mark.parametrize("case", [case for case in CASES if case.name != "since"], ids=lambda case: case.name)
def test_who_read_the_pages_is_told_nothing(case: Path) -> None:
    found, settings_file = compile_case(case), case / "soul.yaml"
    config: Config = parse_config(settings_file.read_bytes())[0] if settings_file.exists() else default_config()
    memory = Memory({}, found.resolution, found.conflicts, config, found.state.as_of)
    pages = "".join((case / "canonical" / name).read_text(encoding="utf-8") for name in (PROFILE, STABLE))

    assert new_rows(memory, pages) == new_rows(memory, pages.replace("\n", "\r\n")) == []
    assert ended_texts(memory, pages) == []
    assert len(new_rows(memory, "")) == pages.count("\n- ")


def test_what_is_new_is_told_and_what_ended_with_its_reason() -> None:
    _, before = memory_of(event(1), event(2, "The old port is 1.", supersedes=[]), event(3))
    after, _ = memory_of(
        event(1),
        event(2, "The old port is 1."),
        event(3),
        event(4, "The new port is 2.", supersedes=["event-2"]),
        event(5, kind="retraction", supersedes=["event-3"], summary="It was never so."),
    )

    assert [row.text for row in new_rows(after, before)] == ["- The new port is 2. (event-4 2026-03-01 mac)"]
    assert ended_texts(after, before) == [
        "- The old port is 1. (event-2 2026-03-01): superseded by event-4",
        "- Fact number 3. (event-3 2026-03-01): It was never so.",
    ]
    assert ended_texts(after, "") == []


def test_a_line_that_came_into_a_conflict_is_told_again() -> None:
    claim = {"entity": "gateway", "attribute": "port"}
    first = event(1, "The port is 1.", claim={**claim, "value": 1})
    _, before = memory_of(first)
    after, pages = memory_of(first, event(2, "The port is 2.", claim={**claim, "value": 2}))

    told = [row.text for row in new_rows(after, before)]
    assert len(told) == 2
    assert all("⚠ CONFLICT with event-" in text for text in told)
    assert new_rows(after, pages) == []


def test_a_line_that_only_names_an_event_does_not_show_it() -> None:
    memory, _ = memory_of(event(1), event(2))

    assert (
        len(new_rows(memory, "- Replaced. [superseded by event-1] ⚠ CONFLICT with event-2 (x-1 2026-03-01 mac)")) == 2
    )
    assert len(new_rows(memory, "See event-1 and event-2.\n")) == 2
    assert len(new_rows(memory, "- Said. (event-1 2026-03-01 mac)\n")) == 1


def test_identity_is_told_line_by_line_under_its_headings() -> None:
    user = "# User 用户\n> Owner: fill it.\n\n## Work\n- Lin\x1b[2J builds.\n  - 中文也行。\n- [fill in: more]\n"
    memory, _ = memory_of(identity={"USER.md": user})

    rows = new_rows(memory, "# User 用户\n- 中文也行。\n")
    assert [(row.section, row.text) for row in rows] == [("User 用户 / Work", "- Lin\ufffd[2J builds.")]
    assert new_rows(memory, user) == []


PIECES = ["a", "记忆", '"quoted" ', "C:\\x", "\t", "🚀", "é\x7f"]
texts = st.builds(lambda piece, number: piece * number, st.sampled_from(PIECES), st.integers(0, 300))


@settings(max_examples=60, deadline=None)
@given(st.lists(texts, max_size=60), st.lists(texts, max_size=12), st.sampled_from(["codex", "cursor"]))
def test_no_program_cuts_what_is_printed(lines: list[str], report: list[str], runtime: str) -> None:
    rows = [Row(str(number), f"S{number % 3}", f"- {number} {text}") for number, text in enumerate(lines)]

    told = tell("# 头", [f"* {row}" for row in report], rows, "Left out for room: {} lines.")
    printed = envelope.at_start(told.text, runtime)

    assert len(printed.encode()) <= envelope.MOST_BYTES
    shown = {row.key for row in rows if f"\n{row.text}\n" in told.text}
    assert told.keys == shown
    left_out = re.search(r"Left out for room: (\d+) lines\.\n$", told.text)
    reported = sum(line.startswith("* ") for line in told.text.split("\n"))
    assert len(shown) + reported + int(left_out[1] if left_out else 0) == len(rows) + len(report)


def test_nearly_all_the_room_is_used() -> None:
    rows = [Row(str(number), "S", f"- {number} {'记忆' * 20}") for number in range(200)]

    printed = envelope.at_start(tell("# 头", [], rows, "Left out: {}.").text, "codex")

    assert envelope.MOST_BYTES - 300 < len(printed.encode()) <= envelope.MOST_BYTES
