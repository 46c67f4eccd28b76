"""What a line says, and that the text of an event is never anything but text."""

from __future__ import annotations

import re
from collections.abc import Mapping
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from markdown_it import MarkdownIt
from markdown_it.token import Token

from agent_soul.config import parse_config
from agent_soul.event import Event
from agent_soul.markdown import MORE, shorten, title_text
from agent_soul.text import find_hidden, neutralise
from hubs import compiled, event, headings, items, pages
from vault import LINK, check_properties, check_vault, parts

STABLE = "stable-memory.md"


def stable(*records: Mapping[str, Any]) -> list[str]:
    return items(pages(records)[STABLE])


def test_a_line_is_the_summary_then_id_and_date() -> None:
    assert stable(event(1, "Tea is green.")) == ["Tea is green. (event-1 2026-03-01)"]


def test_the_source_stands_there_where_a_page_has_several() -> None:
    assert stable(event(1, "One."), event(2, "Two.", source="desk")) == [
        "Two. (event-2 2026-03-01 desk)",
        "One. (event-1 2026-03-01 mac)",
    ]


@pytest.mark.parametrize(
    ("fields", "said"),
    [
        ({"kind": "decision", "decision": {"status": "pending"}}, "A. [pending] ("),
        ({"kind": "decision", "decision": {"status": "deprecated"}}, "A. [deprecated] ("),
        ({"kind": "decision", "decision": {"status": "approved"}}, "A. (event"),
        ({"kind": "decision", "decision": {}}, "A. (event"),
        ({"valid_until": "2026-04-01"}, "A. [until 2026-04-01] ("),
        ({"detail": "More."}, f"A. {MORE} ("),
        ({"kind": "lesson", "lesson": {"context": "Here."}}, f"A. {MORE} ("),
        ({"detail": " \n "}, "A. (event"),
    ],
)
def test_a_line_says_what_limits_it(fields: dict[str, Any], said: str) -> None:
    assert stable(event(1, "A.", **fields))[0].startswith(said)


def test_a_line_counts_who_says_the_same() -> None:
    assert stable(event(1, "Tea."), event(2, "tea")) == ["tea ×2 (event-2 2026-03-01)"]
    assert stable(event(1, "Tea."), event(2, "tea", source="desk")) == ["tea ×2 from 2 sources (event-2 2026-03-01)"]


def test_a_conflict_is_marked_on_the_lines_themselves() -> None:
    def claim(number: int, value: Any) -> dict[str, Any]:
        return event(number, f"It is {value}.", claim={"entity": "shop", "attribute": "port", "value": value})

    two = stable(claim(1, 80), claim(2, 90))
    three = stable(claim(1, 80), claim(2, 90), claim(3, 91))

    assert two[0] == "It is 90. ⚠ CONFLICT with event-1 (event-2 2026-03-01 mac)"
    assert three[0] == "It is 91. ⚠ CONFLICT with event-2 +1 (event-3 2026-03-01 mac)"


def test_details_stand_below_the_lines_of_a_project_as_far_as_there_is_room() -> None:
    shop = {"scope": "project", "project": "shop"}
    page = pages(
        [
            event(1, "Too long.", detail="A row of some length that says little.\n" * 400, importance=1, **shop),
            event(2, "Short.", detail="Row one.\n\n# Row two.", **shop),
            event(3, "None.", **shop),
        ]
    )["projects/shop.md"]

    assert "- Too long. … (event-1 2026-03-01)\n- " in page
    assert "- Short. (event-2 2026-03-01)\n  Row one.\n  \\# Row two.\n" in page
    assert "- None. (event-3 2026-03-01)\n" in page


def test_a_daily_page_tells_the_time_of_the_writers_clock() -> None:
    page = pages(
        [
            event(1, "Morning.", scope="daily", ts="2026-03-02T09:30:00+08:00"),
            event(2, "Later.", scope="daily", ts="2026-03-02T02:00Z"),
        ]
    )["daily/2026-03-02.md"]

    assert items(page) == ["Morning. (event-1 09:30+08:00)", "Later. (event-2 02:00Z)"]


def test_links_lead_to_the_page_of_an_event_that_is_there() -> None:
    records = [
        event(1, "Database.", kind="topic", topic="database", event_id="0000000a-0000-4000-8000-000000000000"),
        event(2, "See [[0000000a]] and [[0000000a-0000-4000-8000-000000000000]], not [[gone-1]].", detail="[[event-2]]")
        | {"scope": "project", "project": "shop"},
    ]

    page = pages(records)["projects/shop.md"]

    assert "See [[topics/database|0000000a]] and [[topics/database|0000000a]], not \\[\\[gone-1\\]\\]." in page
    assert "\n  [[projects/shop|event-2]]\n" in page


def test_links_of_the_pages_by_month_lead_to_the_same_place() -> None:
    records = [event(n, f"Fact {n} that fills the page. [[event-1]]") for n in range(100)]
    more = pages(records)["more/stable-memory/2026-03.md"]

    assert ". [[../../stable-memory|event-1]] (" in more
    assert "\n\nWhat [[../../stable-memory]] has no room for.\n\n- " in more


def test_a_link_to_a_page_is_no_other_where_a_project_has_its_name() -> None:
    named = [
        event(number, "See [[event-0]].", scope="project", project=name)
        for number, name in enumerate(["profile", "index", "pages", "shop", "README"], start=1)
    ]
    records = [event(0, scope="profile"), *named, event(9, "See [[event-1]].", scope="profile")]
    texts = pages([*records, event(10, scope="agent", agent="profile", source="profile")])

    assert check_vault(texts) > 20
    assert "- See [[../profile|event-0]]. (" in texts["projects/profile.md"]
    assert "- See [[projects/profile|event-1]]. (" in texts["profile.md"]


def test_what_follows_a_link_cannot_lead_it_elsewhere() -> None:
    page = pages([event(1), event(2, "See [[event-1]](https://example.com).")])[STABLE]

    assert "- See [[stable-memory|event-1]]\\(https:\\//example.com). (" in page


def test_what_is_shown_away_from_home_names_its_page() -> None:
    claims = [event(n, claim={"entity": "a", "attribute": "b", "value": n}, scope="profile") for n in (1, 2)]
    texts = pages([*claims, event(3, scope="agent", agent="mac")])

    assert items(texts["agents/mac.md"])[0] == "Fact number 3. (event-3 2026-03-01)"
    assert items(texts["agents/mac.md"])[1].endswith(" [[../profile]]")
    assert items(texts["conflicts.md"])[0].endswith(" [[profile]]")
    assert "[[" not in texts["profile.md"]


@pytest.mark.parametrize(
    ("form", "line"),
    [
        ("[{id}] {summary}{marks}{source}", "[event-1] Tea."),
        ("{date} {id}: {summary}{marks}", "2026-03-01 event-1: Tea."),
        ("{summary} {{{id}}}{marks}", "Tea. {event-1}"),
    ],
)
def test_the_form_of_a_line_comes_from_the_settings(form: str, line: str) -> None:
    config, _ = parse_config(f"pages: {{line: {form!r}}}")

    assert items(pages([event(1, "Tea.")], config)[STABLE]) == [line]


def test_every_page_says_that_it_is_generated_and_by_which_command() -> None:
    texts = pages(
        [event(n, "A fact of some length to overflow the page, said in many words.", detail=str(n)) for n in range(200)]
    )

    for path, text in texts.items():
        if path == "memory.json":
            assert text.startswith('{\n "generated_by": "soul compile"')
        else:
            check_properties(path, text)
        assert text.endswith("\n")
        assert not text.endswith("\n\n")


def test_a_cut_leaves_no_joiner_without_its_partner() -> None:
    assert shorten("x" * 38 + "👩\u200d👩", 41) == "x" * 38 + "👩\u200d👩"
    assert shorten("x" * 37 + "👩\u200d👩\u200d👧", 40) == "x" * 37 + "👩" + MORE
    assert find_hidden(shorten("👩\u200d" * 50, 40)) == []


def test_names_in_headings_are_short_and_literal() -> None:
    assert title_text("# <b>x</b>\n- y\u202e") == "\\# \\<b>x\\</b> - y\ufffd"
    assert title_text("n" * 200) == "n" * 79 + MORE


# What Markdown gives a meaning to, and a few plain letters; GitHub links bare e-mail addresses whatever one writes.
MARKUP = st.text(
    st.sampled_from([*"#-+*_`~[]()<>!|=:.&;\\/$^{}\"' \n\t1aZ中🚀\u200b\u202e\x1b"]), min_size=1, max_size=60
)
PIECES = st.sampled_from(
    [
        "# ",
        "- ",
        "1. ",
        "> ",
        "```",
        "---",
        "===",
        "[a](b)",
        "![a](b)",
        "<b>",
        "<!--",
        "-->",
        "https://x.example",
        "www.x.example",
        "| - | - |",
        "&lt;",
        "[ref]: x",
        "[[event-0]]",
        "[[event-1]](x)",
        "[[event-1]]",
        "[[projects/shop|x]]",
        "%%x%%",
        " #tag",
        " ^block",
        '"]',
        "]]",
        "x: y",
        "**b**",
        "__i__",
        "~~s~~",
        "$x$",
        "    code",
        "\n\n",
        "* * *",
    ]
)
TEXTS = st.one_of(MARKUP, st.lists(PIECES, min_size=1, max_size=6).map("".join), st.text(min_size=1, max_size=40))
PARSER = MarkdownIt("gfm-like", {"html": True})
PARSER.linkify.set({"fuzzy_link": False, "fuzzy_email": False, "fuzzy_ip": False})  # GitHub links no bare names
OURS = {"heading_open", "heading_close", "inline", "bullet_list_open", "bullet_list_close", "list_item_open"}
OURS |= {
    "list_item_close",
    "paragraph_open",
    "paragraph_close",
    "ordered_list_open",
    "ordered_list_close",
}


def plain(token: Token) -> str:
    """Return the text that a reader sees, a new row as a line end."""
    assert token.children is not None
    kinds = {child.type for child in token.children}
    assert kinds <= {"text", "softbreak", "code_inline"}, token.content
    return "".join("\n" if child.type == "softbreak" else child.content for child in token.children)


def seen(page: str) -> tuple[list[str], list[str]]:
    """Return the headings and list items that a reader of the rendered page sees, each link as its name."""
    whole = PARSER.parse(page)  # as a renderer takes it that knows neither front matter nor links in double brackets
    assert [token.type for token in whole[:3]] == ["hr", "heading_open", "inline"]
    assert {token.type for token in whole[1:]} <= OURS
    assert all(plain(token) for token in whole if token.type == "inline")
    tokens = PARSER.parse(LINK.sub(lambda found: found[2] or found[1], parts(page)[1]))
    heads = [plain(after) for token, after in pairwise(tokens) if token.type == "heading_open"]
    rows = [plain(tokens[n + 2]) for n, token in enumerate(tokens) if token.type == "list_item_open"]
    return heads, rows


def shown_of(event: Event, active: frozenset[str]) -> str:
    """Return what a project page shows of an event when it is rendered, `[[id]]` as the name of the link."""
    rows = [event.summary + f" ({event.id} {event.date})", *map(neutralise, event.detail.split("\n"))]
    text = "\n".join(row for row in rows if row)
    return re.sub(r"\[\[(event-\d)\]\]", lambda found: found[1] if found[1] in active else found[0], text)


@settings(max_examples=80, deadline=None)
@given(st.lists(st.tuples(TEXTS, TEXTS), min_size=1, max_size=3), TEXTS)
def test_the_text_of_an_event_is_never_structure(texts: list[tuple[str, str]], name: str) -> None:
    assume(neutralise(name))
    project = {"scope": "project", "project": name}
    records = [
        event(number, summary, detail=f"{detail}\nrow {number}", **project)
        for number, (summary, detail) in enumerate(texts)
        if neutralise(summary)
    ]
    assume(records)
    done = compiled(records)
    active = frozenset(verdict.event.id for verdict in done.resolution.active)

    check_vault(done.texts)
    for path, text in done.texts.items():
        assert find_hidden(text.replace("\n", " ")) == []
        if path.endswith(".md"):
            found_headings, found_items = seen(text)
            if path.startswith("projects/"):
                assert found_headings == [shorten(f"Project {neutralise(name)}", 80).strip(), "Facts"]
                expected = [shown_of(verdict.event, active) for verdict in reversed(done.resolution.active)]
                assert found_items == expected


@settings(max_examples=40, deadline=None)
@given(st.lists(TEXTS, min_size=6, max_size=6))
def test_names_values_and_reasons_are_never_structure(texts: list[str]) -> None:
    entity, attribute, value, other, unit, name = texts
    assume(all(neutralise(text) for text in texts))
    claim = {"entity": entity[:200], "attribute": attribute[:200]}
    records = [
        event(0, claim={**claim, "value": value}),
        event(1, claim={**claim, "value": other}),
        event(2, kind="metric", metric={"name": name[:200], "value": 1, "unit": unit[:20]}),
        event(3, kind="decision", scope="agent", agent=name[:200], decision={"rationale": value, "by": other}),
        event(
            4, kind="lesson", scope="agent", agent=name[:200], lesson={"context": value, "applies_to": [other, name]}
        ),
        event(5, kind="topic", topic=name[:200], detail=value),
    ]
    done = compiled(records)

    check_vault(done.texts)
    for path, text in done.texts.items():
        assert find_hidden(text.replace("\n", " ")) == []
        if path.endswith(".md"):
            found_headings, found_items = seen(text)
            if path not in ("index.md", "pages.md"):
                assert len(found_items) == len(items(text))
                assert len(found_headings) == 1 + len(headings(text))
            if path == "conflicts.md" and done.conflicts:
                assert len(found_items) == 5
