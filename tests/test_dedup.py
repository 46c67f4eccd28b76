"""Which statements say the same in other words, and the event that stands for each group."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agent_soul.config import default_config
from agent_soul.conflicts import find_conflicts, statement_of
from agent_soul.dedup import Cluster, disputed, find_clusters
from agent_soul.judging import Label, judge
from agent_soul.resolve import Resolution, resolve
from hubs import AS_OF, event, log_of


def resolution(*records: dict[str, Any]) -> Resolution:
    return resolve(log_of(records).events, AS_OF, default_config())


def clusters(*records: dict[str, Any], scope: str = "") -> list[Cluster]:
    return find_clusters(resolution(*records), scope)


def ids(cluster: Cluster) -> list[str]:
    return [member.id for member in cluster.members]


LIKES = event(1, "User likes concise replies.", scope="profile", kind="preference", importance=0.9, source="desk")
PREFERS = event(2, "User prefers short answers.", scope="profile", kind="preference", keywords=["brief"])


def test_the_newest_wording_stands_for_all_and_nothing_else_is_lost() -> None:
    detailed = LIKES | {"keywords": ["简洁"], "tags": ["style"], "detail": "Said in March."}

    (cluster,) = clusters(detailed, PREFERS)

    assert cluster.replacement() == {
        "kind": "preference",
        "scope": "profile",
        "ts": "2026-03-01T09:02:00.000000001+00:00",
        "summary": "User prefers short answers.",
        "detail": "Said in March.",
        "keywords": ["brief", "简洁"],
        "tags": ["style"],
        "importance": 0.9,
        "supersedes": ["event-2", "event-1"],
        "derived_from": ["event-2", "event-1"],
    }
    assert (cluster.sources, list(cluster.evidence)) == (("desk", "mac"), ["event-1"])


NEARLY = (
    event(1, "User does not like when answers start with a summary of the question.", scope="profile", kind="rule"),
    event(2, "Do not repeat the question at the start of an answer to this user.", scope="profile", kind="rule"),
)


NEARLY_ELSEWHERE = [each | {"event_id": f"x-{n}", "scope": "project", "project": "x"} for n, each in enumerate(NEARLY)]


def test_what_is_only_nearly_the_same_is_suggested_and_not_certain() -> None:
    (sure,), (nearly,) = clusters(LIKES, PREFERS), clusters(*NEARLY)
    assert (sure.is_certain, nearly.is_certain) == (True, False)


def test_what_is_merged_is_not_stated_anew() -> None:
    later = event(3, "User drinks tea.", scope="profile", kind="preference")
    (cluster,) = clusters(LIKES, PREFERS)
    merged = event(50, **{"source": "a-judge"} | cluster.replacement())

    assert [verdict.event.id for verdict in resolution(LIKES, PREFERS, later, merged).active] == ["event-50", "event-3"]
    undone = event(60, "No.", kind="retraction", supersedes=["event-50"])
    active = [verdict.event.id for verdict in resolution(LIKES, PREFERS, later, merged, undone).active]
    assert active == ["event-1", "event-2", "event-3"]


def test_a_merge_of_notes_stays_a_note_of_their_day() -> None:
    late = [each | {"scope": "daily", "ts": f"2026-03-01T23:59:5{n}+08:00"} for n, each in enumerate((LIKES, PREFERS))]
    (cluster,) = clusters(*late)

    assert cluster.replacement()["ts"] == "2026-03-01T23:59:51.000000001+08:00"


def test_a_side_of_an_open_conflict_is_named() -> None:
    against = event(3, "User dislikes short answers.", scope="profile", kind="preference")
    found = resolution(LIKES, PREFERS, against, *NEARLY_ELSEWHERE)
    both = find_clusters(found)
    conflicts = find_conflicts(found)

    (held,) = disputed(both, conflicts).items()

    assert len(both) == 2
    assert held == (clusters(LIKES, PREFERS)[0].id, tuple(conflict.id for conflict in conflicts))
    assert disputed(both, ()) == {}


def test_the_id_is_of_the_members_whatever_their_order() -> None:
    (one,), (other,) = clusters(LIKES, PREFERS), clusters(PREFERS, LIKES)

    assert one.id == other.id
    assert one.id.startswith("d-")


def test_profile_and_stable_are_compared_and_a_scope_picks_the_groups() -> None:
    pair = (LIKES, PREFERS | {"scope": "stable"})

    assert [ids(cluster) for cluster in clusters(*pair)] == [["event-2", "event-1"]]
    assert len(clusters(*pair, scope="profile")) == 1
    assert clusters(*pair, scope="project") == []


def test_two_projects_are_never_merged() -> None:
    places = [{"scope": "project", "project": name} for name in "ab"]

    assert clusters(LIKES | places[0], PREFERS | places[1]) == []
    assert len(clusters(LIKES | places[0], PREFERS | places[0])) == 1


@pytest.mark.parametrize(
    "difference",
    [
        {"valid_until": "2026-12-31"},
        {"claim": {"entity": "user", "attribute": "length", "value": "short"}},
        {"kind": "metric", "metric": {"name": "length", "value": 3}},
    ],
)
def test_what_an_event_holds_beside_its_text_may_keep_it_apart(difference: dict[str, Any]) -> None:
    assert clusters(LIKES, PREFERS | difference) == []


def test_what_a_person_said_both_holds_is_not_suggested() -> None:
    mark = {"kind": "mark", "mark": {"action": "settle", "targets": ["event-1", "event-2"]}}

    assert clusters(LIKES, PREFERS, event(3, "Both, on purpose.", **mark)) == []


WEEKLY = (event(1, "The weekly report is written in English."), event(2, "The weekly report gets written in English."))
IN_GERMAN = event(3, "The weekly report is written in German.")
TWO_REPORTS = event(
    4, "Two reports.", kind="mark", mark={"action": "settle", "targets": ["event-1", "event-2", "event-3"]}
)


def test_who_settles_a_conflict_keeps_its_sides_apart_and_not_what_says_the_same_on_one_side() -> None:
    records = (*WEEKLY, IN_GERMAN, TWO_REPORTS)
    (cluster,) = clusters(*records)
    merged = event(50, **{"source": "judge"} | cluster.replacement())

    assert ids(cluster) == ["event-2", "event-1"]
    assert find_conflicts(resolution(*WEEKLY, IN_GERMAN))
    assert find_conflicts(resolution(*records, merged)) == ()
    assert clusters(*records, merged) == []


def test_a_merge_that_would_ask_a_settled_conflict_again_is_not_suggested() -> None:
    with_more = WEEKLY[0] | {"detail": "Since May."}

    assert len(clusters(with_more, WEEKLY[1], IN_GERMAN)) == 1
    assert clusters(with_more, WEEKLY[1], IN_GERMAN, TWO_REPORTS) == []


def test_three_that_a_person_named_without_a_conflict_stay_apart() -> None:
    again = event(3, "User wants short answers.", scope="profile", kind="preference")
    mark = {"kind": "mark", "mark": {"action": "settle", "targets": ["event-1", "event-2", "event-3"]}}

    assert len(clusters(LIKES, PREFERS, again)) == 1
    assert clusters(LIKES, PREFERS, again, event(4, "Three, on purpose.", **mark)) == []


def test_a_group_forms_around_its_newest_statement() -> None:
    third = event(3, "User wants short answers.", scope="profile", kind="preference")
    other = event(4, "User wants 3 short answers.", scope="profile", kind="preference")

    assert [ids(cluster) for cluster in clusters(LIKES, PREFERS, third, other)] == [["event-3", "event-2", "event-1"]]


STATEMENTS = st.sampled_from(
    [
        "User likes concise replies.",
        "User prefers short answers.",
        "用户喜欢简短的回答。",
        "User dislikes short answers.",
        "Failed jobs are retried 3 times.",
        "Failed jobs are retried three times.",
        "Failed jobs are retried 5 times.",
        "失败的任务会重试三次。",
        "Failed jobs are not retried.",
        "Logs are written to auth.py.",
        "Logs are written to mail.py.",
    ]
)


@settings(deadline=None, max_examples=60)
@given(st.lists(STATEMENTS, min_size=2, max_size=9))
def test_a_second_run_finds_nothing_and_no_differing_statement_was_merged(texts: list[str]) -> None:
    records = [event(number, text) for number, text in enumerate(texts)]
    found = clusters(*records)
    merged = [event(50 + n, **({"source": "judge"} | cluster.replacement())) for n, cluster in enumerate(found)]

    assert clusters(*records, *merged) == []
    for cluster in found:
        newest, *others = map(statement_of, cluster.members)
        assert {judge(newest, other).label for other in others} == {Label.DUPLICATE}


def test_what_was_merged_still_counts_for_the_line_and_a_summary_of_others_does_not() -> None:
    again = event(3, "User prefers short answers.", scope="profile", kind="preference", source="phone")
    records = (LIKES, PREFERS, again)
    (cluster,) = clusters(*records)
    merged = event(50, **{"source": "judge"} | cluster.replacement())
    later = event(51, "User prefers short answers.", scope="profile", kind="preference", source="tablet")
    summary = merged | {"summary": "User is brief."}

    def line(*more: dict[str, Any]) -> tuple[int, tuple[str, ...]]:
        (verdict,) = resolution(*records, *more).active
        return verdict.copies, verdict.sources

    assert line(merged) == (3, ("desk", "mac", "phone"))
    assert line(merged, later) == (4, ("desk", "mac", "phone", "tablet"))
    assert line(summary) == (1, ("judge",))
