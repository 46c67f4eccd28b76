"""Who decides a conflict decides it whole: what lost stays away with all that it had replaced."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from agent_soul.compiler import resolve_hub
from agent_soul.hub import find_hub
from hubs import event
from support import Soul, write_log

Record = dict[str, object]
Statuses = dict[str, tuple[str, str]]

PORTS = [
    event(1, "The gateway listens on port 8080."),
    event(2, "The gateway listens on port 9090.", supersedes="event-1"),
    event(3, "The gateway listens on port 7070."),
]
FRIDAYS = [
    event(1, "Never deploy on Fridays."),
    event(2, "Deployments on Fridays are forbidden."),
    event(3, "Deployments on Fridays are forbidden.", supersedes=["event-1", "event-2"], derived_from=["event-1"]),
    event(4, "Deploy on Fridays."),
]
AGAIN = [
    event(1, "The gateway listens on port 8080."),
    event(2, "The gateway listens on port 9090.", supersedes="event-1"),
    event(3, "The gateway listens on port 8080.", source="desk"),
]
TWICE = [
    event(1, "The gateway listens on port 6060."),
    event(2, "The gateway listens on port 8080.", supersedes="event-1"),
    event(3, "The gateway listens on port 9090.", supersedes="event-2"),
    event(4, "The gateway listens on port 7070."),
]


def statuses(hub: Path) -> Statuses:
    verdicts = resolve_hub(find_hub(str(hub))).verdicts
    return {verdict.event.id: (verdict.status.value, verdict.by) for verdict in verdicts}


def active(hub: Path) -> list[str]:
    return [id_ for id_, (status, _) in statuses(hub).items() if status == "active"]


def decide(inside: Soul, kept: str, *ids: str) -> tuple[str, list[str]]:
    """Keep one event; return the id of the decision and what was said of lines that go or hold again."""
    done = inside("resolve", *(ids or [kept]), "--keep", kept, "--source", "a-b")
    said = [line for line in done.stderr.split("\n") if line.startswith(("taken back", "holds again"))]
    return str(json.loads(done.stdout)["event_id"]), said


@pytest.mark.parametrize(
    ("records", "kept", "gone"),
    [
        (PORTS, "event-3", ["event-2", "event-1"]),
        (FRIDAYS, "event-4", ["event-3", "event-1", "event-2"]),
        (TWICE, "event-4", ["event-3", "event-2", "event-1"]),
    ],
    ids=["replaced", "merged", "replaced twice"],
)
def test_what_loses_goes_with_all_it_had_replaced(
    inside: Soul, hub: Path, records: list[Record], kept: str, gone: list[str]
) -> None:
    write_log(hub, *records)
    before = statuses(hub)

    decision, said = decide(inside, kept)

    assert active(hub) == [kept]
    assert [line.split()[2 if line.startswith("taken back:") else 4].strip(":") for line in said] == gone
    assert "no open conflicts" in inside("conflicts").stderr
    inside("retract", decision, "--reason", "A mistake.", "--source", "a-b")
    after = statuses(hub)
    assert {id_: after[id_] for id_ in before} == before


def test_what_says_the_same_as_the_kept_one_does_not_take_it_away(inside: Soul, hub: Path) -> None:
    """A retraction covers identical older statements, and identical ones that are newer than what it names."""
    write_log(hub, *AGAIN)

    decide(inside, "event-3")

    assert active(hub) == ["event-3"]


def test_what_lost_to_its_own_successor_may_hold_again(inside: Soul, hub: Path) -> None:
    write_log(hub, *TWICE[:3])

    _, said = decide(inside, "event-2", "event-2", "event-3")

    assert active(hub) == ["event-2"]
    assert statuses(hub)["event-1"] == ("superseded", "event-2")
    assert [line.split(":")[0] for line in said] == ["taken back", "holds again, as what had replaced it is taken back"]


def test_what_another_one_replaced_too_needs_no_word(inside: Soul, hub: Path) -> None:
    other = event(5, "The gateway listens on the port that the operator sets.", supersedes="event-1")
    write_log(hub, *PORTS, other)

    _, said = decide(inside, "event-3", "event-2", "event-3")

    assert sorted(active(hub)) == ["event-3", "event-5"]
    assert len(said) == 1


def test_of_a_larger_group_no_side_is_offered(inside: Soul, hub: Path) -> None:
    """The newest may be the one that is wrong; keeping it would take back all that are right."""
    claims = ({"entity": "shop", "attribute": "port", "value": value} for value in (80, 90, 80))
    write_log(hub, *(event(n, f"Shop, note {n}.", claim=each) for n, each in enumerate(claims, 1)))

    told = inside("conflicts").stdout

    assert "--keep EVENT" in told
    assert "--keep event-" not in told
    assert "one EVENT of these, and what it is against is taken back" in told
    assert told.count("(against ") == 3


def test_a_word_too_few_names_the_option_that_was_given(inside: Soul, hub: Path) -> None:
    write_log(hub, *PORTS)
    for way in (["--both", "x"], ["--write", "x"], ["--keep", "event-3", "--reason", "x"]):
        said = inside("resolve", "event-3", *way, "--source", "a-b", code=2).stderr
        assert f"{way[-2]}: " in said
        assert "summary" not in said
    said = inside("retract", "event-3", "--reason", "x" * 501, "--source", "a-b", code=2).stderr
    assert "--reason: " in said
    assert "summary" not in said


def test_what_says_the_same_as_a_side_stands_for_it(inside: Soul, hub: Path) -> None:
    again = event(4, "The gateway listens on port 7070.", source="desk")
    write_log(hub, *PORTS, again)
    listed = inside("conflicts").stdout.split()[0]

    decide(inside, "event-3", listed)

    assert active(hub) == ["event-4"]
