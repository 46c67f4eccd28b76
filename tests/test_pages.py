"""Which event stands on which page, in what order, under what name."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agent_soul.config import parse_config
from agent_soul.pages import (
    AGENT_RECENT,
    BUDGETS,
    L2_BUDGET,
    Budget,
    Room,
    budget_of,
    fits,
    home_of,
    longest_fitting,
)
from hubs import event, headings, items, log_of, pages

EVERYWHERE = {"index.md", "pages.md", "memory.json"}


@pytest.mark.parametrize(
    ("fields", "home"),
    [
        ({"scope": "profile"}, "profile.md"),
        ({"scope": "stable"}, "stable-memory.md"),
        ({"scope": "fuzzy", "ts": "2026-03-09T09:00:00Z"}, "fuzzy-memory.md"),
        ({"scope": "project", "project": "shop"}, "projects/shop.md"),
        ({"scope": "agent", "agent": "ocr-agent"}, "agents/ocr-agent.md"),
        ({"scope": "daily", "ts": "2026-03-02T01:00:00+08:00"}, "daily/2026-03-02.md"),
        ({"kind": "topic", "topic": "database"}, "topics/database.md"),
        ({"kind": "metric", "metric": {"name": "speed", "value": 1}}, "metrics.md"),
    ],
)
def test_each_event_has_one_home(fields: dict[str, Any], home: str) -> None:
    assert home_of(log_of([event(1, **fields)]).events[0]) == home
    assert home in pages([event(1, **fields)])


HUB = [
    event(1, scope="profile"),
    event(2, source="desk"),
    event(3, scope="project", project="shop"),
    event(4, scope="project", project="blog", source="desk"),
    event(5, scope="daily", ts="2026-03-02T09:00:00Z"),
    event(6, kind="topic", topic="database"),
    event(7, kind="metric", metric={"name": "speed", "value": 1}),
    event(8, scope="fuzzy", ts="2026-03-09T09:00:00Z"),
    event(9, scope="agent", agent="ocr-agent", source="phone"),
]


@pytest.mark.parametrize(
    ("added", "touched"),
    [
        (event(50, scope="profile"), {"profile.md", "agents/mac.md"}),
        (event(50, source="new"), {"stable-memory.md", "agents/new.md"}),
        (event(50, scope="project", project="shop", source="desk"), {"projects/shop.md", "agents/desk.md"}),
        (event(50, scope="project", project="new"), {"projects/new.md", "agents/mac.md"}),
        (event(50, scope="daily", ts="2026-03-02T10:00:00Z"), {"daily/2026-03-02.md", "agents/mac.md"}),
        (event(50, kind="topic", topic="database"), {"topics/database.md", "agents/mac.md"}),
        (event(50, kind="metric", metric={"name": "speed", "value": 2}), {"metrics.md"}),
        (event(50, kind="metric", metric={"name": "width", "value": 2}, source="desk"), {"metrics.md"}),
        (event(50, scope="agent", agent="ocr-agent", source="phone"), {"agents/ocr-agent.md", "agents/phone.md"}),
    ],
)
def test_an_event_changes_only_the_pages_it_is_on(added: dict[str, Any], touched: set[str]) -> None:
    before, after = pages(HUB), pages([*HUB, added])

    changed = {path for path in before.keys() | after.keys() if before.get(path) != after.get(path)}

    assert changed - EVERYWHERE == touched


def test_old_months_stop_changing_when_a_full_page_gets_an_event() -> None:
    many = [
        event(n, f"Fact {n} of the shop, told at some length to fill the page.", scope="project", project="shop")
        | {"ts": f"2025-{1 + n // 100:02d}-01T09:{n % 60:02d}:00Z"}
        for n in range(600)
    ]
    before = pages(many)
    after = pages([*many, event(900, scope="project", project="shop", source="desk")])

    more = {path for path in before if path.startswith("more/")}
    newest = max(path[len("more/projects/shop/") :][:7] for path in more)
    changed = {path for path in more if before[path] != after.get(path)}

    assert len(more) > 3
    assert {path[len("more/projects/shop/") :][:7] for path in changed} <= {newest}


def test_the_ranking_of_the_settings_decides_who_stays() -> None:
    records = [
        event(1, "Important.", importance=0.9),
        event(2, "Said twice."),
        event(3, "Said twice.", source="desk"),
        event(4, "Newest."),
    ]
    order = {
        "[importance, corroboration, recency]": ["Important.", "Said twice.", "Newest."],
        "[corroboration, recency]": ["Said twice.", "Newest.", "Important."],
        "[recency, importance]": ["Newest.", "Said twice.", "Important."],
        "[recency]": ["Newest.", "Said twice.", "Important."],
        "[importance]": ["Important.", "Newest.", "Said twice."],
    }
    for ranking, expected in order.items():
        config, _ = parse_config(f"pages: {{ranking: {ranking}}}")
        shown = items(pages(records, config)["stable-memory.md"])
        assert [line.partition(".")[0] + "." for line in shown] == expected, ranking


def test_kinds_come_in_the_order_and_under_the_headings_of_the_settings() -> None:
    config, _ = parse_config(
        "pages: {kinds: [{kind: note, heading: 随记}, {kind: rule, heading: 规则}, {kind: task, heading: 规则}]}"
    )
    records = [event(n, kind=kind) for n, kind in enumerate(["rule", "task", "note", "fact"])]

    assert headings(pages(records, config)["stable-memory.md"]) == ["随记", "规则", "fact"]
    assert headings(pages(records)["stable-memory.md"]) == ["Rules", "Facts", "Tasks", "Notes"]


def test_an_agent_page_repeats_what_its_source_wrote_last_and_counts_the_rest() -> None:
    page = pages([event(n) for n in range(AGENT_RECENT + 5)])["agents/mac.md"]

    assert items(page)[:-1] == [
        f"Fact number {n}. (event-{n} 2026-03-01) [[../stable-memory]]" for n in range(24, 4, -1)
    ]
    assert items(page)[-1] == "and 5 more: `soul search --source mac --limit 0`"


def test_an_agent_page_does_not_repeat_its_own_lines() -> None:
    page = pages([event(1, "Once.", scope="agent", agent="mac"), event(2, "Elsewhere.")])["agents/mac.md"]

    assert [line.partition(".")[0] for line in items(page)] == ["Once", "Elsewhere"]


@settings(max_examples=50, deadline=None)
@given(
    st.lists(st.text(min_size=5, max_size=80), min_size=1, max_size=9),
    st.sampled_from(["a b ", "中文", "é", "\U0002f800"]),
    st.sampled_from([BUDGETS["index.md"], Budget(10_000, 700)]),
)
def test_a_room_never_takes_more_than_its_budget(texts: list[str], filling: str, budget: Budget) -> None:
    many = [f"{filling * 5}{text}" for text in texts] * 200

    taken = Room.of(budget).take(many)

    assert 0 < len(taken) < len(many)
    assert fits("\n".join([*taken, ""]), budget)
    assert not fits("\n".join([*many[: len(taken) + 12], ""]), budget)


@settings(max_examples=30, deadline=None)
@given(st.integers(0, 400), st.integers(1, 40))
def test_the_longest_fitting_prefix_fits_and_the_next_does_not(count: int, words: int) -> None:
    budget = BUDGETS["index.md"]

    def build(number: int) -> str:
        return "word " * words * number

    number = longest_fitting(count, build, budget)

    assert fits(build(number), budget)
    assert number == count or not fits(build(number + 1), budget)


def test_the_ceilings_are_those_of_the_design() -> None:
    assert {path: budget.tokens for path, budget in BUDGETS.items()} == {
        "index.md": 600,
        "profile.md": 800,
        "stable-memory.md": 1_100,
    }
    assert (L2_BUDGET.tokens, L2_BUDGET.bytes) == (4_000, 12_288)
    assert sum(budget.bytes for budget in BUDGETS.values()) + 6_144 <= 16_384
    assert budget_of("projects/shop.md") == L2_BUDGET


def test_a_long_history_of_a_topic_is_counted_where_it_has_no_room() -> None:
    def truth(number: int) -> dict[str, Any]:
        replaced = {"supersedes": [f"event-{number - 1}"]} if number else {}
        return event(number, f"Truth {number} " + "x" * 280, kind="topic", topic="ci", **replaced)

    page = pages(map(truth, range(60)))["topics/ci.md"]
    shown = page.count("[superseded by event-")

    assert headings(page) == ["Current truth", "Replaced"]
    assert f"\n- and {59 - shown} more: `soul show event-59`\n" in page
    assert shown > 20


def test_an_id_that_is_linked_and_unknown_is_named_with_the_evidence() -> None:
    text = "See [[event-1]], [[gone-9]] and [[__]]."
    page = pages([event(1), event(2, text, kind="topic", topic="ci", derived_from=["gone-8"])])["topics/ci.md"]

    assert "## Evidence\n- Fact number 1. (event-1 2026-03-01 mac) [[../stable-memory]]\n- no event here has" in page
    assert "has the id gone-9, gone-8\n" in page


def test_evidence_that_is_at_home_on_the_page_is_not_linked_to_it() -> None:
    topic = {"kind": "topic", "topic": "ci"}
    page = pages([event(1, **topic), event(2, "See [[event-1]].", source="desk", **topic)])["topics/ci.md"]

    assert page.endswith("## Evidence\n- Fact number 1. (event-1 2026-03-01 mac)\n")
