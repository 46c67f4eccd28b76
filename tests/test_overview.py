"""`index.md` and `pages.md`: the way into the memory, and the state that a compile records."""

from __future__ import annotations

import re

import pytest

from agent_soul.overview import State, recorded_state, without_as_of
from agent_soul.pages import PAGE_FORMAT
from agent_soul.tokens import estimate_tokens
from hubs import AS_OF, compiled, event, headings, items, pages

STATES = [
    State("2026-03-10"),
    State("2026-03-10", exact=True),
    State("2026-03-10", since="2026-01-01"),
    State("2026-03-10", fuzzy_days=0),
    State("2026-03-10", page_format=7, since="2026-01-01", fuzzy_days=30, exact=True),
]


@pytest.mark.parametrize("state", STATES, ids=str)
def test_what_a_compile_records_is_read_back(state: State) -> None:
    assert recorded_state(f"# Memory\n\n{state}\n\n## State\n") == state


@pytest.mark.parametrize("state", [state for state in STATES if state.page_format == PAGE_FORMAT], ids=str)
def test_the_index_records_date_format_and_filters(state: State) -> None:
    assert recorded_state(compiled([event(1)], state=state).texts["index.md"]) == state


def test_no_state_is_read_from_what_is_no_index() -> None:
    assert recorded_state("") is None
    assert recorded_state("said As of 2026-03-10, page format 1") is None


def test_an_event_cannot_write_the_state() -> None:
    fake = "As of 2030-01-01, page format 9"
    index = pages([event(1, fake, scope="project", project=f"x\n{fake}")])["index.md"]

    recorded = recorded_state(index)

    assert recorded == State(AS_OF)
    assert len(re.findall(r"^As of", index, re.MULTILINE)) == 1


def test_the_date_alone_makes_no_difference() -> None:
    first, second = (compiled([event(1)], state=State(day)).texts["index.md"] for day in ("2026-03-10", "2026-03-11"))
    other = compiled([event(1), event(2)]).texts["index.md"]

    assert first != second
    assert without_as_of(first) == without_as_of(second)
    assert without_as_of(first) != without_as_of(other)


def test_the_index_names_the_files_to_load_and_the_commands_to_use() -> None:
    index = pages([])["index.md"]

    for named in (
        "SOUL.md",
        "IDENTITY.md",
        "USER.md",
        "VOICE.md",
        "canonical/profile.md",
        "canonical/stable-memory.md",
    ):
        assert named in index
    for command in ("soul show ID", "soul why ID", "soul search", "soul add --source", "soul share --source"):
        assert command in index
    assert "scripts/soul.py" in index


def test_the_index_counts_and_says_how_to_see_what_waits() -> None:
    claim = {"entity": "shop", "attribute": "port"}
    index = pages(
        [
            event(1, claim={**claim, "value": 1}),
            event(2, claim={**claim, "value": 2}),
            event(3, proposed=True),
            event(4),
            event(5, kind="retraction", supersedes=["event-4"]),
        ]
    )["index.md"]

    assert "active 2, conflicts 1, pending 1, bad lines 0, retracted 1.\n" in index
    assert "Conflicts: [[conflicts]]." in index
    assert "To decide: `soul review`." in index
    assert "soul validate" not in index


def test_the_index_names_the_projects_used_last_and_counts_the_others() -> None:
    index = pages([event(n, scope="project", project=f"project-{n:02d}") for n in range(20)])["index.md"]

    shown = [line for line in items(index) if line.startswith("[[projects/")]

    assert shown == [f"[[projects/project-{n}]] 2026-03-01" for n in range(19, 11, -1)]
    assert items(index)[-1] == "and 12 more: [[pages]]"


def test_a_project_is_named_where_its_path_does_not_say_it() -> None:
    index = pages([event(1, scope="project", project="支付 服务"), event(2, scope="project", project="shop")])[
        "index.md"
    ]

    assert items(index)[0] == "[[projects/shop]] 2026-03-01"
    assert re.fullmatch(r"\[\[projects/支付-服务-[0-9a-f]{8}\]\] 2026-03-01: 支付 服务", items(index)[1])


def test_the_list_names_every_page_with_its_cost() -> None:
    texts = pages(
        [
            event(1, scope="project", project="shop"),
            event(2, kind="topic", topic="database"),
            event(3, scope="daily"),
            event(4, kind="metric", metric={"name": "speed", "value": 1}),
            event(5, scope="fuzzy", ts="2026-03-09T09:00:00Z"),
            event(6, claim={"entity": "a", "attribute": "b", "value": 1}),
            event(7, claim={"entity": "a", "attribute": "b", "value": 2}),
        ]
    )

    listed = {line.partition(":")[0]: line.partition(": ")[2] for line in items(texts["pages.md"])}
    listed = {re.sub(r"\[\[(.+)\]\]", r"\1.md", link): said for link, said in listed.items()}

    assert listed.keys() == texts.keys() - {"pages.md"}
    for path, said in listed.items():
        if path != "memory.json":
            cost = int(said.partition(",")[0])
            assert cost - 50 < estimate_tokens(texts[path]) <= cost


def test_a_list_without_room_gives_every_folder_its_part_and_counts_the_others() -> None:
    records = [event(n, scope="project", project=f"project-{n}", source=f"source-{n}") for n in range(300)]
    records += [event(1000 + n, kind="topic", topic=f"topic-{n}", source="mac") for n in range(5)]
    page = pages(records)["pages.md"]

    blocks = {block.partition("\n")[0]: items(block) for block in page.split("## ")[1:]}
    projects, sources = blocks["Projects"], blocks["Agents and sources"]

    assert headings(page) == ["Always", "On demand", "Projects", "Topics", "Agents and sources"]
    assert len(blocks["Topics"]) == 5
    assert projects[0].startswith("[[projects/project-299]]: ")
    assert (
        projects[-1] == f"and {300 - len(projects) + 1} more in canonical/projects/, each named after what it is about"
    )
    assert sources[-1] == f"and {301 - len(sources) + 1} more in canonical/agents/, each named after what it is about"
    assert len(projects) == len(sources) > 50
