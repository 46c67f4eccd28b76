"""Which active events cannot both hold."""

from __future__ import annotations

import re
import time
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent_soul import judging
from agent_soul.config import default_config
from agent_soul.conflicts import MAX_AGAINST, Conflict, find_conflicts, statement_of
from agent_soul.event import Event, build
from agent_soul.judging.wording import in_words
from agent_soul.resolve import resolve
from hubs import event as record_of
from hubs import log_of

CONFIG = default_config()


def made(number: int, **fields: Any) -> Event:
    record = {
        "event_id": f"id-{number:05}",
        "ts": f"2026-06-{1 + number // 3600:02}T{number // 60 % 24:02}:{number % 60:02}:00Z",
        "source": "laptop",
        "kind": "fact",
        "scope": "stable",
        "summary": f"Statement {number}.",
    }
    return build({**record, **fields}, "sources/laptop/x.ndjson", number + 1)


def claim(number: int, value: Any, entity: str = "User", attribute: str = "editor", **fields: Any) -> Event:
    return made(number, claim={"entity": entity, "attribute": attribute, "value": value}, **fields)


def settle(number: int, *targets: int) -> Event:
    ids = [f"id-{target:05}" for target in targets]
    return made(number, kind="mark", mark={"action": "settle", "targets": ids})


def conflicts(*events: Event) -> tuple[Conflict, ...]:
    return find_conflicts(resolve(events, "2026-06-15", CONFIG))


def against(*events: Event) -> dict[int, list[int]]:
    """Return the numbers that each event contradicts, of the one conflict there is, or nothing."""
    found = conflicts(*events)
    assert len(found) <= 1
    return {
        int(id_[3:]): [int(other[3:]) for other in others] for each in found for id_, others in each.against.items()
    }


def test_two_values_of_one_attribute_are_a_certain_conflict() -> None:
    (conflict,) = conflicts(claim(1, "vim"), claim(2, "emacs"), claim(3, "vim", attribute="pager"))

    assert (conflict.subject, conflict.certain) == ("User · editor", True)
    assert [event.id for event in conflict.members] == ["id-00002", "id-00001"]
    assert conflict.against == {"id-00002": ("id-00001",), "id-00001": ("id-00002",)}


def test_equal_values_do_not_contradict_each_other() -> None:
    assert against(claim(1, "vim"), claim(2, "emacs"), claim(3, "Vim.")) == {3: [2], 2: [3, 1], 1: [2]}
    assert against(claim(1, "vim"), claim(2, " VIM ")) == {}


@pytest.mark.parametrize(("one", "other"), [(15, "15"), (15, 15.0), (True, "true"), (0.5, "0.5"), ("ＡＢＣ", "abc")])
def test_one_value_has_many_spellings(one: Any, other: Any) -> None:
    assert against(claim(1, one), claim(2, other)) == {}


@pytest.mark.parametrize(("one", "other"), [(1, True), (0, False), (9007199254740992, 9007199254740993), (0.1, 0.2)])
def test_what_python_calls_equal_may_be_two_values(one: Any, other: Any) -> None:
    assert against(claim(1, one), claim(2, other)) == {2: [1], 1: [2]}


def test_names_are_compared_by_what_they_say() -> None:
    assert against(claim(1, "vim", entity="user", attribute="EDITOR"), claim(2, "emacs")) == {2: [1], 1: [2]}


def test_the_person_is_one_reach_and_each_project_and_agent_another() -> None:
    assert against(claim(1, "vim", scope="profile"), claim(2, "emacs", scope="daily")) == {2: [1], 1: [2]}
    projects = [claim(number, name, scope="project", project=name) for number, name in enumerate("ab")]
    agents = [claim(number, name, scope="agent", agent=name) for number, name in enumerate("ab", start=2)]
    assert conflicts(*projects, *agents, claim(4, "e")) == ()


@pytest.mark.parametrize("gone", [{"valid_until": "2026-06-01"}, {"proposed": True}, {"valid_from": "2026-07-01"}])
def test_only_active_events_contradict(gone: dict[str, Any]) -> None:
    assert conflicts(claim(1, "vim", **gone), claim(2, "emacs")) == ()


def test_superseding_ends_a_conflict() -> None:
    assert conflicts(claim(1, "vim"), claim(2, "emacs", supersedes=["id-00001"])) == ()


def test_a_settlement_ends_it_for_the_pair_alone() -> None:
    pair = [claim(1, "vim"), claim(2, "emacs")]

    assert conflicts(*pair, settle(9, 1, 2)) == ()
    assert against(*pair, claim(3, "nano"), settle(9, 1, 2)) == {3: [2, 1], 2: [3], 1: [3]}
    assert against(*pair, claim(3, "nano"), settle(8, 1, 3), settle(9, 2, 3)) == {2: [1], 1: [2]}


def test_a_settlement_holds_when_one_side_is_stated_again() -> None:
    events = [claim(1, "vim", summary="Uses vim."), claim(2, "emacs"), settle(3, 1, 2)]

    assert conflicts(*events, claim(4, "vim", summary="uses vim")) == ()


def test_a_retracted_settlement_settles_nothing() -> None:
    undone = made(4, kind="retraction", supersedes=["id-00003"])

    assert against(claim(1, "vim"), claim(2, "emacs"), settle(3, 1, 2), undone) == {2: [1], 1: [2]}


def test_the_newest_conflict_comes_first() -> None:
    found = conflicts(claim(1, 1, "a"), claim(2, 1, "b"), claim(3, 2, "b"), claim(4, 2, "a"), claim(5, 2, "b"))

    assert [conflict.subject for conflict in found] == ["b · editor", "a · editor"]


def test_the_subject_shows_no_hidden_character() -> None:
    assert conflicts(claim(1, 1, "a\u202e"), claim(2, 2, "a\u202e"))[0].subject == "a\ufffd · editor"


claims = st.lists(st.tuples(st.integers(0, 3), st.sampled_from("ab")), max_size=10)
settlements = st.lists(st.lists(st.integers(0, 9), min_size=1, max_size=4), max_size=4)


@given(claims, settlements)
def test_contradiction_is_what_its_definition_says(values: list[tuple[int, str]], groups: list[list[int]]) -> None:
    events = [claim(number, value, attribute) for number, (value, attribute) in enumerate(values)]
    marks = [settle(20 + number, *group) for number, group in enumerate(groups)]

    found = {id_: set(others) for each in conflicts(*events, *marks) for id_, others in each.against.items()}

    for number, (value, attribute) in enumerate(values):
        expected = {
            f"id-{other:05}"
            for other, (their_value, their_attribute) in enumerate(values)
            if their_attribute == attribute
            and their_value != value
            and not any({number, other} <= set(group) for group in groups)
        }
        assert found.get(f"id-{number:05}", set()) == expected


@pytest.mark.parametrize("settled", [False, True])
def test_ten_thousand_values_of_one_attribute_take_no_time(settled: bool) -> None:
    events = [claim(number, number) for number in range(10_000)]
    if settled:
        events.append(settle(20_000, *range(9_000)))
    resolution = resolve(events, "2026-06-15", CONFIG)

    start = time.process_time()
    (conflict,) = find_conflicts(resolution)
    elapsed = time.process_time() - start

    assert len(conflict.members) == 10_000
    assert max(map(len, conflict.against.values())) == MAX_AGAINST
    assert elapsed < 3


def said(number: int, text: str, **fields: Any) -> Event:
    return made(number, summary=text, **fields)


PORTS = ("The shop listens on port 8081.", "The shop listens on port 8085.")


def test_two_texts_that_cannot_both_hold_are_a_suspected_conflict() -> None:
    (conflict,) = conflicts(said(1, PORTS[0]), said(2, PORTS[1]))

    assert (conflict.subject, conflict.certain, conflict.evidence) == ("differing number", False, ("8085", "8081"))
    assert [event.id for event in conflict.members] == ["id-00002", "id-00001"]
    assert conflict.against == {"id-00002": ("id-00001",), "id-00001": ("id-00002",)}


RULES = sorted(
    {
        rule
        for file in sorted(Path(judging.__file__).parent.glob("*.py"))
        for rule in re.findall(r'Label\.CONFLICT, "([^"]+)"', file.read_text(encoding="utf-8"))
    }
)


@pytest.mark.parametrize("rule", RULES)
def test_a_person_is_told_in_words_what_every_rule_found(rule: str) -> None:
    assert in_words(rule) not in (rule, f"two values for {rule.removeprefix('differing ')}")


def test_the_headline_says_what_differs_and_how_sure_that_is() -> None:
    (number,) = conflicts(said(1, "The port is 8080."), said(2, "The port is 9090."))
    (theme,) = conflicts(said(1, "User prefers the dark theme."), said(2, "User prefers the light theme."))
    (indent,) = conflicts(claim(1, "tabs", attribute="indent"), claim(2, "spaces", attribute="indent"))

    assert number.headline == "two numbers for one thing: 9090 / 8080 (suspected, by text)"
    assert theme.headline == "two values for theme: light / dark (suspected, by text)"
    assert indent.headline == "User · indent (certain, by claim)"


def test_texts_are_compared_within_their_reach() -> None:
    assert conflicts(said(1, PORTS[0], scope="profile"), said(2, PORTS[1], scope="stable"))
    new = {"ts": "2026-06-14T10:00:00Z"}
    for place in ({"scope": "project", "project": "a"}, {"scope": "agent", "agent": "a"}, {"scope": "fuzzy", **new}):
        assert conflicts(said(1, PORTS[0], **place), said(2, PORTS[1], **place))
        assert not conflicts(said(1, PORTS[0], **place), said(2, PORTS[1], scope="stable"))


def test_a_project_update_contradicts_what_holds_and_no_other_update() -> None:
    moved = "Mail was moved from Fastmail to Proton."

    assert conflicts(said(1, "Mail is hosted by Fastmail."), said(2, moved, kind="project-update"))
    assert not conflicts(*(said(n, text, kind="project-update") for n, text in enumerate(PORTS)))


@pytest.mark.parametrize("kind", ["metric", "topic"])
def test_of_some_kinds_the_newest_is_the_current_one_by_itself(kind: str) -> None:
    fields = {"kind": kind, "topic": "shop", "metric": {"name": "port", "value": 1}}

    assert not conflicts(*(said(n, text, **fields) for n, text in enumerate(PORTS)))


def test_entries_of_the_log_speak_of_their_own_day() -> None:
    days = [said(n, text, scope="daily", ts=f"2026-06-0{n + 1}T10:00:00Z") for n, text in enumerate(PORTS)]

    assert not conflicts(*days)


def test_what_a_claim_says_is_not_judged_by_its_text_too() -> None:
    found = conflicts(*(claim(n, text[-5:-1], summary=text) for n, text in enumerate(PORTS)))

    assert [conflict.certain for conflict in found] == [True]


def test_a_suspected_conflict_is_settled_for_good() -> None:
    pair = (said(1, PORTS[0]), said(2, PORTS[1]))

    assert conflicts(*pair, settle(3, 1, 2)) == ()
    assert conflicts(*pair, settle(3, 1, 2), said(4, PORTS[0].lower())) == ()


def test_its_id_stays_while_it_grows() -> None:
    pair = (said(1, PORTS[0]), said(2, PORTS[1]))
    (two,), (three,) = conflicts(*pair), conflicts(*pair, said(3, "The shop listens on port 9000."))

    assert two.id == three.id
    assert (len(three.members), three.id[:2]) == (3, "c-")
    assert two.id != conflicts(claim(1, "vim"), claim(2, "emacs"))[0].id


def test_a_long_text_is_judged_by_its_beginning() -> None:
    """Judging takes the square of the length; a statement of somebody else's tool may have 5,000 characters."""
    (statement,) = (statement_of(each) for each in log_of([record_of(1, "长" * 5_000)]).events)
    assert statement.text == "长" * 600
