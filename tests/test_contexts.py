"""What an agent should know now: which lines, in which section, and never more than the budget."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agent_soul.adding import add
from agent_soul.config import Threshold, default_config
from agent_soul.conflicts import find_conflicts
from agent_soul.contexts.asking import LEAST_BUDGET, Memory, Request
from agent_soul.contexts.choosing import Context, make_context
from agent_soul.contexts.gathering import context_of
from agent_soul.contexts.relevance import relevance_of
from agent_soul.errors import RefusedError
from agent_soul.hub import open_hub
from agent_soul.outbox import whole_log
from agent_soul.projects import folded
from agent_soul.resolve import resolve
from agent_soul.tokens import estimate_tokens
from hubs import AS_OF, event, log_of
from support import Soul

IDENTITY = {
    "USER.md": "# USER 用户\n\n> Owner: fill each bracket.\n\n## Who 身份\n- Lucy, founder in Indonesia.\n"
    "- [fill in: work]\n> ✔ An example.\n\n## Work 工作\n- [填写：项目]\n",
    "VOICE.md": "# VOICE\n<!-- a\ncomment -->\nAnswer in the question's language.\n",
}


def memory_of(*records: Mapping[str, Any], **more: Any) -> Memory:
    resolution = folded(resolve(log_of(records).events, AS_OF, default_config()))
    return Memory(more.pop("identity", {}), resolution, find_conflicts(resolution), default_config(), AS_OF, **more)


def lines_of(context: Context) -> dict[str, list[str]]:
    """Return the ids (of L0 the texts) that each section shows."""
    return {section.name: [line.id or line.text for line in section.lines] for section in context.sections}


def project_event(number: int, summary: str = "", **fields: Any) -> dict[str, Any]:
    return event(number, summary, **{"scope": "project", "project": "DataFlow", **fields})


def test_the_files_of_the_person_come_without_what_nobody_filled_in() -> None:
    context = make_context(Request(), memory_of(identity=IDENTITY))

    assert context.text.partition("\n\n")[2] == (
        "## Identity\n### USER 用户\n#### Who 身份\n- Lucy, founder in Indonesia.\n"
        "### VOICE\nAnswer in the question's language.\n"
    )


def test_every_line_stands_once_in_its_section_and_ends_in_its_id() -> None:
    records = [
        event(1, scope="profile", kind="preference"),
        event(2),
        project_event(3),
        project_event(4, kind="decision"),
        project_event(5, kind="metric", metric={"name": "ocr", "value": 0.8}),
        event(6, scope="agent", agent="rafael", kind="lesson"),
        event(7, scope="daily", kind="note", ts=f"{AS_OF}T08:00:00+00:00"),
        event(8, scope="fuzzy", kind="observation", ts=f"{AS_OF}T08:00:00+00:00"),
        event(9, scope="project", project="shop"),
    ]

    context = make_context(Request(agent="rafael", project="dataflow"), memory_of(*records, relevance={"event-9": 0.9}))

    assert lines_of(context) == {
        "Profile": ["event-1"],
        "Stable memory": ["event-2"],
        "Project": ["event-3"],
        "Decisions": ["event-4"],
        "Metrics": ["event-5"],
        "Agent": ["event-6"],
        "Log": ["event-7"],
        "Last days": ["event-8"],
        "Also about the task": ["event-9"],
    }
    assert all(re.search(rf"\({line.name} \d", line.text) for s in context.sections for line in s.lines)
    assert not context.left_out
    assert "Left out" not in context.text


@pytest.mark.parametrize("act", ["supersedes", "retraction", "valid_until", "proposed"])
def test_what_does_not_hold_is_never_shown(act: str) -> None:
    old = project_event(1, "The port is 80.")
    extra: list[dict[str, Any]] = []
    match act:
        case "supersedes":
            extra = [project_event(2, "The port is 81.", supersedes=["event-1"])]
        case "retraction":
            extra = [project_event(2, "Wrong.", kind="retraction", supersedes=["event-1"])]
        case _:
            old[act] = "2026-03-05" if act == "valid_until" else True

    context = make_context(Request(project="DataFlow"), memory_of(old, *extra, relevance={"event-1": 1.0}))

    assert "event-1" not in context.ids


def test_another_project_is_shown_only_where_it_helps() -> None:
    records = [event(n, scope="project", project="shop") for n in (1, 2, 3)]
    memory = memory_of(*records, relevance={"event-2": 0.8, "event-3": 0.7})

    assert make_context(Request(project="DataFlow"), memory).ids == ["event-2"], "nearly the best answer of all"
    assert make_context(Request(), memory).ids[:2] == ["event-2", "event-3"]


def test_a_project_that_the_task_names_counts_as_given() -> None:
    memory = memory_of(project_event(1), event(2, scope="project", project="shop"))

    assert make_context(Request(task="Continue with dataflow."), memory).ids == ["event-1"]
    assert make_context(Request(task="Continue."), memory).ids == []


def test_a_task_that_names_no_project_is_about_what_answers_it() -> None:
    records = [*(event(number, scope="project", project="shop") for number in (1, 2, 3)), project_event(4)]

    context = make_context(Request(task="refunds"), memory_of(*records, relevance={"event-1": 1.0, "event-4": 0.3}))

    assert lines_of(context) == {"Project": ["event-1", "event-3", "event-2"], "Also about the task": ["event-4"]}


def test_a_task_that_nothing_answers_is_about_what_the_agent_worked_on_last() -> None:
    shop = [event(number, scope="project", project="shop", source="home-mac-claude") for number in range(3)]
    before = [project_event(number, source="home-mac-claude", ts="2025-11-01T08:00:00Z") for number in range(3, 5)]

    context = make_context(Request(agent="home-mac-claude", task="go on"), memory_of(*shop, *before))

    assert sorted(lines_of(context)["Project"]) == ["event-0", "event-1", "event-2", "event-3", "event-4"]
    assert lines_of(make_context(Request(agent="work-pc-codex", task="go on"), memory_of(*shop))) == {}


def test_a_task_that_answers_everywhere_is_about_no_project() -> None:
    records = [event(number, scope="project", project=f"p{number % 3}") for number in range(6)]
    relevance = {"event-0": 1.0, "event-1": 1.0, "event-2": 1.0}

    context = make_context(Request(task="go on"), memory_of(*records, relevance=relevance))

    assert set(lines_of(context)) == {"Also about the task"}
    assert sorted(lines_of(context)["Also about the task"]) == ["event-0", "event-1", "event-2"]


def test_a_renamed_project_is_one_under_every_name() -> None:
    mark = {"action": "alias", "targets": ["shop"], "to": "store"}
    records = [event(1, scope="project", project="shop"), event(2, scope="project", project="store")]
    renamed = event(3, kind="mark", scope="project", project="store", mark=mark)
    memory = memory_of(*records, renamed)

    for name in ("shop", "store", "STORE"):
        assert sorted(make_context(Request(project=name), memory).ids) == ["event-1", "event-2"]
        assert sorted(make_context(Request(task=f"Go on with {name}."), memory).ids) == ["event-1", "event-2"]


def test_a_project_that_nobody_knows_is_said() -> None:
    memory = memory_of(project_event(1))

    assert make_context(Request(project="dataflow"), memory).note == ""
    assert make_context(Request(), memory).note == ""
    assert make_context(Request(project="DatFlow"), memory).note.endswith("'DatFlow'; did you mean 'DataFlow'?")
    assert make_context(Request(project="shop"), memory).note.endswith("'shop'; nothing is recorded for it yet")


def test_an_agent_gets_its_own_lessons() -> None:
    records = [
        event(1, scope="agent", agent="rafael", kind="lesson"),
        event(2, scope="agent", agent="other", kind="lesson"),
        project_event(3, kind="lesson", source="rafael"),
        project_event(4, kind="lesson", source="other"),
        project_event(5, kind="lesson", source="rafael", agent="other"),
    ]

    assert lines_of(make_context(Request(agent="Rafael"), memory_of(*records)))["Agent"] == ["event-3", "event-1"]


def test_the_log_is_that_of_yesterday_and_today_on_each_writers_own_calendar() -> None:
    records = [
        event(1, scope="daily", ts="2026-03-08T23:00:00-08:00"),  # the 9th in UTC, not where it was written
        event(2, scope="daily", ts="2026-03-09T23:30:00-08:00"),
        event(3, scope="daily", ts="2026-03-09T01:00:00+08:00"),
        event(4, scope="daily", ts="2026-03-10T00:30:00+08:00"),
    ]

    assert lines_of(make_context(Request(), memory_of(*records))) == {"Log": ["event-3", "event-4", "event-2"]}


def test_what_contradicts_each_other_stands_together() -> None:
    claims = [
        project_event(n, f"The port is {n}.", claim={"entity": "gateway", "attribute": "port", "value": n})
        for n in (1, 2)
    ]
    elsewhere = [
        event(n, f"The port is {n}.", scope="project", project="shop", claim={**claims[0]["claim"], "value": n})
        for n in (3, 4)
    ]

    context = make_context(Request(project="DataFlow"), memory_of(*claims, *elsewhere))

    assert lines_of(context) == {"Conflicts": ["event-2", "event-1"]}
    assert "⚠ CONFLICT with event-1" in context.text


def test_a_metric_is_one_line_with_its_trend() -> None:
    values = [project_event(n, kind="metric", metric={"name": "ocr", "value": n / 10, "target": 1}) for n in (6, 7, 8)]

    context = make_context(Request(project="DataFlow"), memory_of(*values))

    assert context.ids == ["event-8"]
    assert "0.8 (target 1), improving: 0.6 → 0.7 → 0.8" in context.text


def test_a_metric_beyond_its_limit_is_marked() -> None:
    value = project_event(1, kind="metric", metric={"name": "ocr", "value": 0.6})
    limit = default_config()._replace(thresholds=(Threshold("ocr", minimum=0.9),))

    context = make_context(Request(project="DataFlow"), memory_of(value)._replace(config=limit))

    assert "ocr of DataFlow: 0.6 ⚠ below 0.9 since " in context.text


def test_of_a_topic_only_the_newest_is_true() -> None:
    records = [project_event(n, kind="topic", topic="login") for n in (1, 2)]

    assert make_context(Request(project="DataFlow"), memory_of(*records)).ids == ["event-2"]


def test_of_a_kept_remark_and_what_it_was_kept_as_one_is_shown() -> None:
    today = f"{AS_OF}T08:00:00+00:00"
    said = "The user wants answers in metric units."
    remarks = [
        event(1, said, scope="fuzzy", kind="observation", ts=today),
        event(2, "Dinner was late.", scope="fuzzy", kind="observation", ts=today),
    ]
    kept = event(3, said, scope="profile", kind="preference", derived_from=["event-1", "event-2"])
    answered = memory_of(*remarks, kept, relevance={"event-1": 1.0})

    assert make_context(Request(), answered).ids == ["event-3", "event-2"], "a summary of remarks hides none of them"
    assert "event-3" in make_context(Request(task="units", budget=300), answered).ids, "it is worth what either is"
    elsewhere = memory_of(*remarks, {**kept, "scope": "project", "project": "shop"})
    assert make_context(Request(project="DataFlow"), elsewhere).ids == ["event-2", "event-1"]


def test_the_truths_of_topics_are_told_without_being_asked_for() -> None:
    records = [
        event(1, kind="topic", topic="login"),
        event(2, kind="topic", topic="login"),
        project_event(3, kind="topic", topic="schema"),
        event(4, kind="topic", topic="diet", scope="agent", agent="cook"),
        event(5, topic="login"),
    ]

    assert lines_of(make_context(Request(), memory_of(*records)))["Topics"] == ["event-3", "event-2"]
    assert lines_of(make_context(Request(project="shop"), memory_of(*records)))["Topics"] == ["event-2"]
    assert "\n- login: Fact number 2. (event-2 " in make_context(Request(), memory_of(*records)).text


def test_what_answers_the_task_comes_before_what_is_new() -> None:
    records = [project_event(n) for n in range(1, 100)]

    context = make_context(
        Request(project="DataFlow", budget=LEAST_BUDGET), memory_of(*records, relevance={"event-7": 1.0})
    )

    assert context.ids[0] == "event-7"
    assert context.left_out["Project"] == 99 - len(context.ids) > 0


def test_every_section_gets_its_say() -> None:
    notes = [project_event(n, importance=1, kind="rule") for n in range(1, 100)]
    others = [
        project_event(100, kind="decision"),
        event(101, scope="agent", agent="rafael", kind="lesson"),
        event(102, scope="daily", ts=f"{AS_OF}T08:00:00+00:00"),
    ]

    context = make_context(Request("rafael", "DataFlow", budget=500), memory_of(*notes, *others))

    assert {"event-100", "event-101", "event-102"} < set(context.ids)


def test_lasting_memory_has_a_place_whatever_the_task_needs() -> None:
    records = [project_event(n) for n in range(1, 200)]
    stable = [event(n) for n in range(300, 303)]
    relevance = {record["event_id"]: 1.0 for record in records}
    memory = memory_of(*records, *stable, relevance=relevance, identity=IDENTITY)

    sections = lines_of(make_context(Request(project="DataFlow", budget=1_600), memory))

    assert sections["Stable memory"] == ["event-302", "event-301", "event-300"]
    assert len(sections["Identity"]) == 2
    assert len(sections["Project"]) > 3


def test_the_default_budget_has_room_for_all_that_is_always_loaded() -> None:
    """L0 and the pages of L1 at their ceilings, and many lines that answer the task."""
    identity = {"SOUL.md": "# Soul\n" + "- Ask before you delete or publish anything at all.\n" * 105}
    assert 1_300 < estimate_tokens(identity["SOUL.md"]) <= 1_500
    said = "prefers small steps, a test for each of them, and a reason beside every number that was chosen."
    stable = [event(n, f"Rule {n}: {said}", scope="profile" if n % 2 else "stable") for n in range(1, 43)]
    assert (
        estimate_tokens("\n".join(f"- {e['summary']} (event-{n} 2026-03-01 mac)" for n, e in enumerate(stable))) < 1_900
    )
    records = [project_event(n, f"Number {n} {said}") for n in range(100, 200)]
    relevance = {record["event_id"]: 1.0 for record in records}

    context = make_context(
        Request(project="DataFlow"), memory_of(*stable, *records, identity=identity, relevance=relevance)
    )

    assert set(context.left_out) == {"Project"}
    assert context.text.count(f": {said} (event-") == 42
    assert len(lines_of(context)["Project"]) > 40


def test_the_most_worthy_are_given_in_full_and_the_others_as_headlines() -> None:
    long = "is a statement of many words, which only the first of them can say in full where the budget is small"
    records = [project_event(n, f"Number {n} {long}") for n in range(1, 100)]

    context = make_context(
        Request(project="DataFlow", budget=1_500), memory_of(*records, relevance={"event-7": 1.0, "event-50": 0.9})
    )

    whole = [line.id for line in context.sections[0].lines if f"{long} ({line.name} 03-01)" in line.text]
    cut = [line for line in context.sections[0].lines if long not in line.text]
    assert whole[:2] == ["event-7", "event-50"]
    assert len(whole) < len(cut)
    assert all("…" in line.text and line.text.endswith(f" ({line.name})") for line in cut)


@pytest.mark.parametrize("budget", [700, 3_000])
def test_what_answers_the_task_is_given_with_its_reasons_where_there_is_room(budget: int) -> None:
    why = {"rationale": "Two wrote.", "by": "Lucy"}
    records = [
        project_event(1, "SQLite was dropped.", kind="decision", decision=why, detail="# One *writer*.\n\nNo more."),
        project_event(2, "Postgres it is.", detail="The asked one. " * 80),
        project_event(3, "Unasked.", detail="Nobody wants it."),
        project_event(4, "A book.", detail="Chapter. " * 1_000),
        *(project_event(number) for number in range(10, 30)),
    ]
    relevance = {"event-1": 0.6, "event-2": 1.0, "event-4": 0.9}

    context = make_context(Request(project="DataFlow", budget=budget), memory_of(*records, relevance=relevance))

    assert not context.left_out, "all lines first"
    assert (
        "- SQLite was dropped. (event-1 03-01)\n  \\# One \\*writer\\*.\n  No more.\n  Why: Two wrote.\n"
        "  Decided by: Lucy\n" in context.text
    )
    assert ("The asked one. The asked one." in context.text) == (budget == 3_000)
    assert "Nobody wants it." not in context.text
    assert "- A book. … (event-4 " in context.text
    assert estimate_tokens(context.text) <= budget


@pytest.mark.parametrize("budget", [400, 1_000])
def test_commands_stand_as_they_are_typed_and_are_paid_for(budget: int) -> None:
    typed = 'python3 "/home/me/my soul/scripts/soul.py"'
    records = [
        event(number, scope="stable", summary=f"Fact number {number} of a long list. `soul x`") for number in range(99)
    ]

    text = make_context(Request(budget=budget, typed=typed), memory_of(*records)).text

    assert f"`{typed} show ID`" in text
    assert f"{typed} x" not in text
    assert estimate_tokens(text) <= budget


def test_a_budget_without_room_for_anything_is_refused() -> None:
    with pytest.raises(RefusedError, match="too small"):
        make_context(Request(budget=LEAST_BUDGET - 1), memory_of())


NAMES = st.sampled_from(["", "shop", "支付服务" * 20, "*" * 60, "A [name](x) " * 9])
SUMMARIES = st.text(st.sampled_from("ab 1*_[`支付，😀🇨🇳\u0301"), min_size=2, max_size=400).filter(
    lambda text: text.strip()
)
RECORDS = st.lists(
    st.fixed_dictionaries(
        {
            "summary": SUMMARIES,
            "kind": st.sampled_from(["fact", "decision", "rule", "lesson", "note"]),
            "scope": st.sampled_from(["profile", "stable", "project", "daily", "fuzzy"]),
            "importance": st.sampled_from([0.1, 0.5, 0.9]),
            "ts": st.sampled_from(["2026-03-09T10:00:00+08:00", "2026-03-10T01:00:00Z", "2025-01-01T00:00:00Z"]),
        },
        optional={"project": NAMES.filter(bool), "claim": st.just({"entity": "e", "attribute": "a", "value": 1})},
    ),
    max_size=30,
)


@settings(max_examples=60, deadline=None)
@given(RECORDS, NAMES, NAMES, st.integers(LEAST_BUDGET, 3_000), st.booleans())
def test_no_context_is_over_its_budget(
    found: list[dict[str, Any]], agent: str, project: str, budget: int, identity: bool
) -> None:
    records = [
        {
            "project": "shop",
            **event(n, **fields),
            "claim": {**fields.get("claim", {"entity": "x", "attribute": "y"}), "value": n},
        }
        for n, fields in enumerate(found)
    ]
    memory = memory_of(*records, identity={"SOUL.md": "# S\n" + "- 一二三四 five six seven\n" * 60} if identity else {})
    request = Request(agent, project, budget=budget)

    context = make_context(request, memory)

    assert estimate_tokens(context.text) <= budget
    shown = [line for section in context.sections for line in section.lines]
    whole = make_context(request._replace(budget=1_000_000), memory)
    assert not whole.left_out
    assert (
        context.left_out.total()
        <= sum(len(s.lines) for s in whole.sections) - len(shown)
        <= 2 * context.left_out.total()
    )
    assert all(line.text in context.text.split("\n") for line in shown)
    if offered := re.search(r"`--budget (\d+)`", context.text):
        enough = make_context(request._replace(budget=int(offered[1])), memory)
        assert not enough.left_out
        assert enough.text == whole.text
    else:
        assert not context.left_out


def test_the_last_line_that_is_taken_still_fits() -> None:
    """Many budgets over many lines: each fills up to its end, where a mistake in counting shows."""
    memory = memory_of(*(project_event(n, f"{'word ' * (n % 7)}number {n}") for n in range(120)), identity=IDENTITY)
    contexts = [make_context(Request(project="DataFlow", budget=budget), memory) for budget in range(300, 1500, 37)]

    left = [context.request.budget - estimate_tokens(context.text) for context in contexts]

    assert min(left) >= 0
    assert max(left) <= 80


def test_the_memory_of_reference_council_gives_its_context(inside: Soul) -> None:
    """User, project, measurements, decisions, and what the agent learned, in the block that its agents are given."""
    project = {"kind": "fact", "scope": "project:DataFlow"}
    metric = {**project, "kind": "metric"}
    decision = {**project, "kind": "decision"}
    lesson = {"kind": "lesson", "scope": "agent:rafael", "lesson": {"context": "handwritten invoices"}}
    records = [
        {
            "kind": "fact",
            "scope": "profile",
            "summary": "Lucy 是 DataFlow 的创始人，一位位于印度尼西亚（UTC+8）的 SaaS 创业者。",
        },
        {**project, "summary": "DataFlow 为有 5 年以上经验的簿记员提供 AI OCR 解决方案。"},
        {**metric, "summary": "82 %.", "metric": {"name": "ocr_accuracy", "value": 0.82, "target": 0.95}},
        {**metric, "summary": "87 %.", "metric": {"name": "ocr_accuracy", "value": 0.87, "target": 0.95}},
        {
            **decision,
            "summary": "决定采用新的图像预处理流水线。",
            "decision": {"rationale": "Handwriting was read badly."},
        },
        {**decision, "summary": "将用户验证流程从两步改为一步。"},
        {**lesson, "summary": "Tesseract 在处理手写数字时准确率下降，建议尝试结合 CNN 模型。"},
        {"kind": "lesson", "scope": "agent:writer", "summary": "Reports want bullet points."},
        {"kind": "note", "scope": "daily", "summary": "与前端团队同步了新 UI 设计稿的反馈。"},
    ]
    inside("add", "--source", "council", "--stdin", stdin="\n".join(map(json.dumps, records)))

    found = json.loads(inside("context", "--agent", "rafael", "--project", "DataFlow", "--format", "json").stdout)

    sections = {section["name"]: [line["text"] for line in section["lines"]] for section in found["sections"]}
    assert list(sections) == ["Profile", "Project", "Decisions", "Metrics", "Agent", "Log"]
    assert "Lucy 是 DataFlow 的创始人" in sections["Profile"][0]
    assert "AI OCR" in sections["Project"][0]
    assert sections["Metrics"][0].startswith("- ocr_accuracy of DataFlow: 0.87 (target 0.95), improving: 0.82 → 0.87")
    assert [line[:10] for line in sections["Decisions"]] == ["- 将用户验证流程从", "- 决定采用新的图像"]
    assert len(sections["Agent"]) == 1
    assert "CNN" in sections["Agent"][0]
    assert "前端团队" in sections["Log"][0]
    assert found["tokens"] == estimate_tokens(found["text"]) <= found["budget"] == 6_000
    assert found["text"] == inside("context", "--agent", "rafael", "--project", "DataFlow").stdout


def test_relevance_is_what_search_finds(hub: Path, inside: Soul) -> None:
    said = {
        "shop": "The gateway listens on port 8443.",
        "home": "Lunch is at noon.",
        "office": "Invoices go on Mondays.",
    }
    for project, summary in said.items():
        inside("add", "--source", "a-b", "--kind", "fact", "--scope", f"project:{project}", "--summary", summary)
    now = datetime.fromisoformat("2026-11-30T12:00:00+08:00")

    context = context_of(open_hub(hub), Request(task="which port does the gateway use?"), now)

    assert [line.text[:40] for section in context.sections for line in section.lines] == [
        "- shop: The gateway listens on port 8443."[:40]
    ]


def test_what_says_the_same_as_the_best_answer_is_relevant_without_a_word_of_the_task(hub: Path) -> None:
    """A task names what is to be done; its first answer names what that is about."""
    here = open_hub(hub)
    for summary in (
        "Deploy: the vault token unlocks the production cluster.",
        "The vault token for the production cluster is renewed on Mondays.",
        "Lunch is at noon, production halls are closed then.",
        "Invoices are written in Indonesian rupiah.",
    ):
        add(here, {"source": "mac", "kind": "fact", "scope": "stable", "summary": summary})

    relevance = relevance_of(here, "get ready to deploy", "2099-01-01")

    said = {event.summary.split()[0]: relevance.get(event.id, 0.0) for event in whole_log(here).events}
    assert said["Deploy:"] == 1.0
    assert said["The"] > 0.4
    assert 0.0 < said["Lunch"] < 0.15, "one word of the answer says little"
    assert said["Invoices"] == 0.0


def test_a_context_writes_nothing_into_the_hub(hub: Path, inside: Soul) -> None:
    inside("add", "--source", "a-b", "--kind", "fact", "--scope", "stable", "--summary", "Some fact.")
    before = {path: path.read_bytes() for path in hub.rglob("*") if path.is_file()}

    inside("context", "--task", "some fact")

    assert {path: path.read_bytes() for path in hub.rglob("*") if path.is_file()} == before
