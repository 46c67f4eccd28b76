"""What becomes of each event: the rules one by one, then the laws for any log at all."""

from __future__ import annotations

import random
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent_soul import schemas
from agent_soul.acts import Coverage
from agent_soul.config import Config, default_config
from agent_soul.event import Event, build
from agent_soul.log import parse_log, read_source_files
from agent_soul.resolve import Resolution, Status, content_digest, resolve

AS_OF = "2026-06-15"
CONFIG = default_config()


def made(id_: str, day: str = "06-10", **fields: Any) -> Event:
    """Make a valid event; `day` is month and day of 2026, with a time of day if given."""
    date, _, clock = day.partition("T")
    record = {
        "event_id": id_,
        "ts": f"2026-{date}T{clock or '12:00:00'}Z",
        "source": "laptop",
        "kind": "fact",
        "scope": "stable",
        "summary": f"Statement {id_}.",
        **fields,
    }
    assert schemas.accepts("event", record), schemas.explain("event", record)
    return build(record, f"sources/{record['source']}/x.ndjson", 1)


def retraction(id_: str, *targets: str, day: str = "06-11", **fields: Any) -> Event:
    return made(id_, day, kind="retraction", supersedes=list(targets), **{"summary": f"Reason {id_}.", **fields})


def mark(id_: str, action: str, *targets: str, day: str = "06-11", to: str | None = None, **fields: Any) -> Event:
    content = {"action": action, "targets": list(targets), **({} if to is None else {"to": to})}
    return made(id_, day, kind="mark", mark=content, **fields)


def judged(*events: Event, as_of: str = AS_OF, config: Config = CONFIG, grace_days: int = 1) -> Resolution:
    return resolve(events, as_of, config, grace_days=grace_days)


def statuses(*events: Event, **how: Any) -> dict[str, str]:
    return {verdict.event.id: str(verdict.status) for verdict in judged(*events, **how).verdicts}


def codes(resolution: Resolution) -> list[str]:
    return [problem.code for problem in resolution.problems]


# Superseding.


def test_an_event_that_is_alone_is_active() -> None:
    verdict = judged(made("aaa")).verdicts[0]

    assert (verdict.status, verdict.reason, verdict.by, verdict.copies, verdict.sources) == (
        Status.ACTIVE, "", "", 1, ("laptop",)
    )  # fmt: skip


def test_the_superseder_is_named() -> None:
    verdict = judged(made("aaa"), made("bbb", "06-11", supersedes=["aaa"])).by_id["aaa"]

    assert (verdict.status, verdict.by, verdict.reason) == (Status.SUPERSEDED, "bbb", "superseded by bbb")


def test_a_chain_leaves_the_newest() -> None:
    chain = [made("aaa"), made("bbb", "06-11", supersedes=["aaa"]), made("ccc", "06-12", supersedes=["bbb"])]

    assert statuses(*chain) == {"aaa": "superseded", "bbb": "superseded", "ccc": "active"}


def test_the_newest_of_several_superseders_is_named() -> None:
    events = [made("aaa"), made("ccc", "06-11", supersedes=["aaa"]), made("bbb", "06-12", supersedes=["aaa"])]

    assert judged(*events).by_id["aaa"].by == "bbb"


@pytest.mark.parametrize(
    ("gone", "becomes"),
    [
        ({"valid_until": "2026-06-12"}, "expired"),
        ({"scope": "fuzzy", "day": "06-01"}, "stale"),
    ],
)
def test_superseding_is_permanent(gone: dict[str, Any], becomes: str) -> None:
    superseder = made("bbb", **{"day": "06-11", "supersedes": ["aaa"], **gone})

    assert statuses(made("aaa", "05-01"), superseder) == {
        "aaa": "superseded",
        "bbb": becomes,
    }


def test_superseding_is_permanent_also_when_the_superseder_is_archived_or_superseded() -> None:
    events = [made("aaa"), made("bbb", "06-11", supersedes=["aaa"]), mark("mmm", "archive", "bbb", day="06-12")]

    assert statuses(*events) == {"aaa": "superseded", "bbb": "archived", "mmm": "mark"}


@pytest.mark.parametrize(
    "held_back",
    [
        {"proposed": True},
        {"valid_from": "2026-06-16"},
        {"day": "06-17"},
    ],
)
def test_what_does_not_count_yet_replaces_nothing(held_back: dict[str, Any]) -> None:
    found = statuses(made("aaa"), made("bbb", **{"day": "06-11", "supersedes": ["aaa"], **held_back}))

    assert found["aaa"] == "active"
    assert found["bbb"] in ("pending", "scheduled")


def test_a_retracted_superseder_frees_what_it_replaced() -> None:
    events = [made("aaa"), made("bbb", "06-11", supersedes=["aaa"]), retraction("rrr", "bbb", day="06-12")]

    assert statuses(*events) == {"aaa": "active", "bbb": "retracted", "rrr": "mark"}


def test_a_quarantined_superseder_replaces_nothing() -> None:
    clash = [made("bbb", "06-11", supersedes=["aaa"]), made("bbb", "06-12", supersedes=["aaa"], summary="Other.")]

    assert [v.status for v in judged(made("aaa"), *clash).verdicts] == ["active", "quarantined", "quarantined"]


def test_nothing_supersedes_itself() -> None:
    found = judged(made("aaa", supersedes=["aaa"]))

    assert found.by_id["aaa"].status is Status.ACTIVE
    assert codes(found) == ["self-reference"]


def test_unknown_ids_are_kept_and_reported() -> None:
    found = judged(made("aaa", supersedes=["gone"]))

    assert found.by_id["aaa"].status is Status.ACTIVE
    assert found.by_id["aaa"].event.supersedes == ("gone",)
    assert [(p.code, p.level, p.path, p.line) for p in found.problems] == [
        ("unknown-id", "notice", "sources/laptop/x.ndjson", 1)
    ]


def test_of_a_circle_the_newest_stays() -> None:
    circle = [
        made("aaa", "06-10", supersedes=["bbb"]),
        made("bbb", "06-11", supersedes=["ccc"]),
        made("ccc", "06-12", supersedes=["aaa"]),
    ]

    found = judged(*circle)

    assert {v.event.id: v.status for v in found.verdicts} == {"aaa": "superseded", "bbb": "superseded", "ccc": "active"}
    assert codes(found) == ["cycle"]


def test_another_scope_or_source_may_be_superseded() -> None:
    events = [made("aaa", scope="profile", source="phone"), made("bbb", "06-11", supersedes=["aaa", "aaa"])]

    assert statuses(*events)["aaa"] == "superseded"


def test_an_older_clock_may_supersede_what_it_has_read() -> None:
    assert statuses(made("aaa", "06-12"), made("bbb", "06-11", supersedes=["aaa"])) == {
        "aaa": "superseded",
        "bbb": "active",
    }


def test_a_mark_cannot_be_replaced() -> None:
    found = judged(made("aaa"), retraction("rrr", "aaa"), made("bbb", "06-12", supersedes=["rrr"]))

    assert {v.event.id: v.status for v in found.verdicts} == {"aaa": "retracted", "rrr": "mark", "bbb": "active"}
    assert codes(found) == ["not-replaceable"]


# Identical duplicates of what is acted upon.


def test_superseding_covers_identical_duplicates_that_are_not_newer() -> None:
    same = {"summary": "Uses npm."}
    events = [
        made("old", "06-08", **same, source="phone"),
        made("aaa", "06-09", **same),
        made("bbb", "06-10", supersedes=["aaa"]),
        made("new", "06-11", **same, source="phone"),
    ]

    assert statuses(*events) == {"old": "superseded", "aaa": "superseded", "bbb": "active", "new": "active"}


def test_retracting_covers_identical_duplicates_that_are_not_newer() -> None:
    same = {"summary": "Uses npm."}
    events = [
        made("old", "06-08", **same),
        made("aaa", "06-09", **same),
        made("tie", "06-10", **same, source="zzz"),
        retraction("rrr", "aaa", day="06-10"),
        made("new", "06-10T12:00:01", **same),
    ]

    found = statuses(*events)

    assert found == {"old": "retracted", "aaa": "retracted", "tie": "retracted", "rrr": "mark", "new": "active"}


def merge(id_: str, *members: str, day: str = "06-12", **fields: Any) -> Event:
    """Make an event that keeps the words "Is brief." for all members."""
    fields = {"summary": "Is brief.", "derived_from": list(members), **fields}
    return made(id_, day, supersedes=list(members), **fields)


def test_whoever_takes_a_merge_back_has_all_of_it_again() -> None:
    older, kept = made("aaa", summary="Answers shortly."), made("bbb", "06-11", summary="Is brief.")
    copy = made("old", "06-09", summary="is brief", source="phone")
    log = [older, kept, copy, merge("mmm", "aaa", "bbb")]

    assert statuses(*log)["old"] == "superseded"
    assert statuses(*log, retraction("rrr", "mmm", day="06-13")) == {
        "aaa": "active",
        "bbb": "active",
        "old": "duplicate",
        "mmm": "retracted",
        "rrr": "mark",
    }


def test_a_merge_of_merges_is_taken_back_step_by_step() -> None:
    log = [made("aaa", summary="Answers shortly."), made("bbb", "06-11", summary="Is brief.")]
    log += [merge("m-1", "aaa", "bbb"), made("ccc", summary="Says little."), merge("m-2", "m-1", "ccc", day="06-13")]
    first = [*log, retraction("r-2", "m-2", day="06-14")]

    assert {v.event.id for v in judged(*log).active} == {"m-2"}
    assert {v.event.id for v in judged(*first).active} == {"m-1", "ccc"}
    assert {v.event.id for v in judged(*first, retraction("r-1", "m-1", day="06-14")).active} == {"aaa", "bbb", "ccc"}


def test_the_same_merge_by_two_machines_is_taken_back_at_once_and_so_is_what_restates_it() -> None:
    log = [made("aaa", summary="Answers shortly."), made("bbb", "06-11", summary="Is brief.")]
    log += [merge(id_, "aaa", "bbb", source=source) for id_, source in (("m-1", "desk"), ("m-2", "mac"))]
    log += [made("new", "06-12T13:00:00", summary="Is brief."), retraction("rrr", "m-2", day="06-13")]

    found = statuses(*log)

    assert {found[id_] for id_ in ("m-1", "m-2", "new")} == {"retracted"}
    assert {found[id_] for id_ in ("aaa", "bbb")} == {"active"}


@pytest.mark.parametrize("taken_back", [("mmm", "bbb"), ("bbb", "mmm"), ("new",)])
def test_what_a_merge_kept_is_taken_back_by_name_and_by_a_later_copy_of_it(taken_back: tuple[str, ...]) -> None:
    log = [made("aaa", summary="Answers shortly."), made("bbb", "06-11", summary="Is brief.")]
    log += [made("old", "06-09", summary="Is brief."), merge("mmm", "aaa", "bbb")]
    log += [made("new", "06-12T13:00:00", summary="Is brief."), retraction("rrr", *taken_back, day="06-13")]

    found = statuses(*log)

    assert found["aaa"] == "active"
    assert {found[id_] for id_ in ("old", "bbb", "mmm", "new")} == {"retracted"}


REPEATED = [made(f"s-{day:02}", f"05-{day:02}", summary="Uses npm.") for day in range(1, 31)]
UPON_THEM = [made(f"a-{day:02}", f"05-{day:02}") for day in range(1, 31)]


@given(st.lists(st.tuples(st.integers(9, 28), st.integers(1, 28), st.booleans()), max_size=8))
def test_coverage_is_what_its_definition_says(acts: list[tuple[int, int, bool]]) -> None:
    coverage = Coverage({event.id: event.identity for event in REPEATED})
    added = [(UPON_THEM[day], REPEATED[after].instant if partly else -(10**30)) for day, after, partly in acts]
    for act, after in added:
        coverage.add(act, ["s-01"], after=dict.fromkeys(["s-01"], after).__getitem__)

    for event in REPEATED[1:]:
        upon = [act for act, after in added if after < event.instant <= act.instant]
        assert coverage.of(event) == max(upon, key=lambda act: act.sort_key, default=None)


def test_restating_and_superseding_at_once_leaves_the_new_one() -> None:
    same = {"summary": "Uses npm."}

    assert statuses(made("aaa", **same), made("bbb", "06-11", **same, supersedes=["aaa"])) == {
        "aaa": "superseded",
        "bbb": "active",
    }


def test_two_that_restate_the_same_at_one_instant_do_not_wipe_each_other_out() -> None:
    same = {"summary": "Uses npm."}
    twins = [made(id_, "06-11", **same, supersedes=["aaa"]) for id_ in ("bbb", "ccc")]

    found = judged(made("aaa", **same), *twins)

    assert [v.event.id for v in found.active] == ["ccc"]


def test_acts_that_cover_each_other_by_duplicates_leave_one() -> None:
    one, other = {"summary": "One."}, {"summary": "Other."}
    events = [
        made("a-1", "06-08", **one),
        made("b-1", "06-08", **other),
        made("a-2", "06-10", **one, supersedes=["b-1", "b-2"]),
        made("b-2", "06-11", **other, supersedes=["a-1"]),
    ]

    assert [v.event.id for v in judged(*events).active] == ["a-2"]


# Retracting.


def test_a_retraction_says_why() -> None:
    verdict = judged(made("aaa"), retraction("rrr", "aaa", summary="Was a misunderstanding.")).by_id["aaa"]

    assert (verdict.status, verdict.reason, verdict.by) == (Status.RETRACTED, "Was a misunderstanding.", "rrr")


def test_a_retraction_can_be_retracted_and_that_again() -> None:
    events = [made("aaa"), retraction("r-1", "aaa"), retraction("r-2", "r-1", day="06-12")]

    assert statuses(*events) == {"aaa": "active", "r-1": "retracted", "r-2": "mark"}
    assert statuses(*events, retraction("r-3", "r-2", day="06-13"))["aaa"] == "retracted"


def test_retracting_a_retraction_covers_the_same_retraction_by_another() -> None:
    twice = {"summary": "Wrong."}
    events = [
        made("aaa"),
        retraction("r-1", "aaa", **twice),
        retraction("r-2", "aaa", **twice, source="phone"),
        retraction("r-9", "r-1", day="06-12"),
    ]

    assert statuses(*events)["aaa"] == "active"


def test_retractions_for_the_same_reason_are_not_the_same_retraction() -> None:
    reason = {"summary": "Wrong."}
    events = [
        made("aaa"),
        made("bbb"),
        retraction("r-1", "aaa", **reason),
        retraction("r-2", "bbb", **reason),
        retraction("r-9", "r-1", day="06-12"),
    ]

    found = statuses(*events)

    assert (found["aaa"], found["bbb"]) == ("active", "retracted")


def test_of_two_retractions_of_each_other_the_newest_stays() -> None:
    found = judged(retraction("r-1", "r-2", day="06-10"), retraction("r-2", "r-1", day="06-11"))

    assert [v.status for v in found.verdicts] == [Status.RETRACTED, Status.MARK]
    assert codes(found) == ["cycle"]


def test_a_retraction_of_the_future_makes_no_circle_yet() -> None:
    found = judged(retraction("r-1", "r-2", day="06-10"), retraction("r-2", "r-1", day="06-20"))

    assert [v.status for v in found.verdicts] == [Status.MARK, Status.RETRACTED]
    assert found.problems == ()


@pytest.mark.parametrize("held_back", [{"proposed": True}, {"day": "06-17"}, {"valid_from": "2026-06-16"}])
def test_a_retraction_that_does_not_count_yet_takes_nothing_back(held_back: dict[str, Any]) -> None:
    found = statuses(made("aaa"), retraction("rrr", "aaa", **held_back))

    assert found["aaa"] == "active"
    assert found["rrr"] in ("pending", "scheduled")


# Proposals.


def test_a_proposal_waits_and_supersedes_nothing_until_it_is_approved() -> None:
    events = [made("aaa"), made("bbb", "06-11", proposed=True, supersedes=["aaa"])]

    assert statuses(*events) == {"aaa": "active", "bbb": "pending"}
    assert statuses(*events, mark("mmm", "approve", "bbb")) == {"aaa": "superseded", "bbb": "active", "mmm": "mark"}


def test_a_rejected_proposal_is_retracted_with_the_reason() -> None:
    found = judged(made("aaa", proposed=True), mark("mmm", "reject", "aaa", summary="Not true."))

    assert (found.by_id["aaa"].status, found.by_id["aaa"].reason) == (Status.RETRACTED, "rejected: Not true.")


def test_a_rejection_touches_proposals_only() -> None:
    same = {"summary": "Uses npm."}
    events = [
        made("aaa", **same),
        made("bbb", "06-10T13:00:00", **same, proposed=True),
        mark("mmm", "reject", "aaa", "bbb"),
    ]

    assert statuses(*events) == {"aaa": "active", "bbb": "retracted", "mmm": "mark"}


@pytest.mark.parametrize(
    ("first", "then", "becomes"), [("approve", "reject", "retracted"), ("reject", "approve", "active")]
)
def test_the_later_decision_on_a_proposal_holds(first: str, then: str, becomes: str) -> None:
    events = [made("aaa", proposed=True), mark("m-1", first, "aaa"), mark("m-2", then, "aaa", day="06-12")]

    assert statuses(*events)["aaa"] == becomes


@pytest.mark.parametrize("action", ["approve", "reject"])
def test_a_retracted_decision_leaves_the_proposal_waiting(action: str) -> None:
    events = [made("aaa", proposed=True), mark("mmm", action, "aaa"), retraction("rrr", "mmm", day="06-12")]

    assert statuses(*events)["aaa"] == "pending"


def test_a_proposed_approval_approves_nothing() -> None:
    assert statuses(made("aaa", proposed=True), mark("mmm", "approve", "aaa", proposed=True)) == {
        "aaa": "pending",
        "mmm": "pending",
    }


# Time.


def test_as_of_is_inclusive_and_a_day_of_grace_is_given() -> None:
    events = [made("aaa", "06-15T23:59:59"), made("bbb", "06-16T23:59:59"), made("ccc", "06-17T00:00:00")]

    assert statuses(*events) == {"aaa": "active", "bbb": "active", "ccc": "scheduled"}
    assert statuses(*events, grace_days=0) == {"aaa": "active", "bbb": "scheduled", "ccc": "scheduled"}


def test_an_event_of_the_future_has_not_acted_yet() -> None:
    assert statuses(made("aaa"), made("bbb", "06-16", supersedes=["aaa"]), grace_days=0)["aaa"] == "active"


def test_it_holds_from_the_first_to_the_last_day() -> None:
    event = made("aaa", valid_from="2026-06-14", valid_until="2026-06-16")

    found = [statuses(event, as_of=f"2026-06-{day}")["aaa"] for day in (13, 14, 16, 17)]

    assert found == ["scheduled", "active", "active", "expired"]


def test_an_instant_is_read_as_its_utc_date() -> None:
    event = made("aaa", valid_until="2026-06-16T01:00:00+08:00")

    assert [statuses(event, as_of=f"2026-06-{day}")["aaa"] for day in (15, 16)] == ["active", "expired"]


def test_fuzzy_events_go_stale_after_the_days_of_the_settings() -> None:
    event = made("aaa", "06-10T23:59:59", scope="fuzzy")

    assert [statuses(event, as_of=f"2026-06-{day}")["aaa"] for day in (10, 17, 18)] == ["active", "active", "stale"]


def test_only_fuzzy_events_go_stale() -> None:
    assert statuses(made("aaa", "01-01"), made("bbb", "01-01", scope="daily")) == {"aaa": "active", "bbb": "active"}


@pytest.mark.parametrize("as_of", ["0001-01-01", "9999-12-31"])
def test_the_ends_of_the_calendar_are_days_too(as_of: str) -> None:
    assert sum(judged(made("aaa", scope="fuzzy"), made("bbb"), as_of=as_of).counts.values()) == 2


# Archiving, duplicates.


def test_an_archived_event_says_why_and_covers_its_older_duplicates() -> None:
    same = {"summary": "Uses npm."}
    events = [made("old", "06-09", **same), made("aaa", **same), mark("mmm", "archive", "aaa", summary="Out of date.")]

    found = judged(*events)

    assert [v.status for v in found.verdicts] == ["archived", "archived", "mark"]
    assert found.by_id["aaa"].reason == "archived: Out of date."


def test_a_retracted_archive_mark_archives_nothing() -> None:
    assert (
        statuses(made("aaa"), mark("mmm", "archive", "aaa"), retraction("rrr", "mmm", day="06-12"))["aaa"] == "active"
    )


def test_of_duplicates_the_newest_survives_and_counts_the_others() -> None:
    events = [
        made("aaa", "06-10", summary="Uses PNPM.", source="phone"),
        made("bbb", "06-12", summary="uses  pnpm", source="laptop"),
        made("ccc", "06-11", summary="ｕｓｅｓ pnpm!", source="phone"),
    ]

    found = judged(*events)

    assert [(v.event.id, v.status, v.by) for v in found.verdicts] == [
        ("aaa", "duplicate", "bbb"),
        ("ccc", "duplicate", "bbb"),
        ("bbb", "active", ""),
    ]
    assert (found.by_id["bbb"].copies, found.by_id["bbb"].sources) == (3, ("laptop", "phone"))


@pytest.mark.parametrize(
    "inactive", [{"valid_until": "2026-06-13"}, {"proposed": True}, {"valid_from": "2026-07-01"}, {"day": "06-20"}]
)
def test_duplicates_are_formed_among_otherwise_active_events(inactive: dict[str, Any]) -> None:
    same = {"summary": "Uses npm."}
    newest = made("bbb", **{"day": "06-12", **same, **inactive})

    found = judged(made("aaa", "06-09", **same), newest)

    assert (found.by_id["aaa"].status, found.by_id["aaa"].copies) == (Status.ACTIVE, 1)
    assert found.by_id["bbb"].status not in (Status.ACTIVE, Status.DUPLICATE)


@pytest.mark.parametrize(
    "different",
    [{"kind": "rule"}, {"scope": "profile"}, {"scope": "project", "project": "x"}, {"summary": "Uses npm?! x"}],
)
def test_anything_less_than_identical_is_kept(different: dict[str, Any]) -> None:
    found = statuses(made("aaa", summary="Uses npm."), made("bbb", "06-11", **{"summary": "Uses npm.", **different}))

    assert set(found.values()) == {"active"}


# One id with several contents.


def test_the_same_line_twice_is_one_event() -> None:
    found = judged(made("aaa"), made("aaa"), made("bbb"))

    assert [v.event.id for v in found.verdicts] == ["aaa", "bbb"]
    assert found.repeated == 1
    assert found.by_id["aaa"].copies == 1


def test_of_one_id_with_two_contents_neither_counts() -> None:
    found = judged(made("aaa"), made("aaa", summary="Other."), made("aaa"))

    assert [v.status for v in found.verdicts] == [Status.QUARANTINED] * 2
    assert found.by_id["aaa"].status is Status.QUARANTINED
    assert found.repeated == 1
    assert content_digest(made("aaa")) in found.verdicts[0].reason + found.verdicts[1].reason


def test_true_and_1_are_two_contents() -> None:
    assert statuses(made("aaa", mood=True), made("aaa", mood=1)) == {"aaa": "quarantined"}


def test_a_settle_mark_with_the_digest_chooses() -> None:
    kept, other = made("aaa", summary="Kept."), made("aaa", summary="Other.")
    choice = mark("mmm", "settle", "aaa", to=content_digest(kept))

    found = judged(kept, other, choice)

    assert {v.event.summary: v.status for v in found.verdicts if v.event.id == "aaa"} == {
        "Kept.": "active",
        "Other.": "quarantined",
    }
    assert found.by_id["aaa"].event.summary == "Kept."


def test_the_newest_choice_holds_and_a_retracted_one_does_not() -> None:
    one, other = made("aaa", summary="One."), made("aaa", summary="Other.")
    first = mark("m-1", "settle", "aaa", to=content_digest(one))
    second = mark("m-2", "settle", "aaa", day="06-12", to=content_digest(other))
    undone = retraction("rrr", "m-2", day="06-13")

    def active(*events: Event) -> list[str]:
        return [v.event.summary for v in judged(one, other, *events).active]

    assert active(first, second) == ["Other."]
    assert active(first, second, undone) == ["One."]
    assert active(first, retraction("rrr", "m-1", day="06-13")) == []
    assert active(mark("m-1", "settle", "aaa", to="0" * 16)) == []
    assert active(mark("m-1", "settle", "aaa", day="06-20", to=content_digest(one))) == []


def test_a_chosen_content_acts_like_any_event() -> None:
    kept, other = made("bbb", "06-11", supersedes=["aaa"]), made("bbb", "06-11", summary="Other.")
    choice = mark("mmm", "settle", "bbb", day="06-12", to=content_digest(kept))

    assert judged(made("aaa"), kept, other, choice).by_id["aaa"].status is Status.SUPERSEDED


def test_both_contents_can_be_taken_back() -> None:
    found = judged(made("aaa"), made("aaa", summary="Other."), retraction("rrr", "aaa", summary="Neither."))

    assert [(v.status, v.reason) for v in found.verdicts][:2] == [(Status.RETRACTED, "Neither.")] * 2
    assert found.problems == ()


def test_a_settlement_holds_also_for_a_later_statement_of_the_same() -> None:
    events = [
        made("aaa", summary="A."),
        made("bbb"),
        mark("mmm", "settle", "aaa", "bbb"),
        made("new", "06-12", summary="a"),
    ]

    assert judged(*events).settled == {frozenset({"aaa", "bbb", "new"})}


def test_the_order_of_checks_is_the_order_of_the_statuses() -> None:
    everything = {"proposed": True, "valid_from": "2026-06-20", "valid_until": "2026-06-01", "scope": "fuzzy"}
    base = made("aaa", "05-01", **everything)
    peeled = [
        (retraction("rrr", "aaa"), Status.RETRACTED),
        (made("bbb", "06-11", supersedes=["aaa"]), Status.SUPERSEDED),
        (None, Status.PENDING),
    ]
    acts = [act for act, _ in peeled if act]
    for act, status in peeled:
        assert judged(base, *acts).by_id["aaa"].status is status
        acts = [other for other in acts if other is not act]
    approved = mark("mmm", "approve", "aaa")
    archived = mark("arc", "archive", "aaa")
    assert judged(base, approved, archived).by_id["aaa"].status is Status.SCHEDULED
    assert judged(base, approved, archived, as_of="2026-06-25").by_id["aaa"].status is Status.ARCHIVED
    assert judged(base, approved, as_of="2026-06-25").by_id["aaa"].status is Status.EXPIRED
    order = "quarantined retracted superseded pending scheduled mark archived expired stale duplicate active"
    assert " ".join(Status) == order


# Laws for any log: few ids and few texts, so that everything meets.

IDS = [f"id-{letter}" for letter in "abcdefghij"]
DIGESTS = [content_digest(made(id_)) for id_ in IDS]
ACTIONS = schemas.load("event")["properties"]["mark"]["properties"]["action"]["enum"]
DAYS = ["06-01", "06-10", "06-10T12:00:01", "06-12", "06-14", "06-16", "06-17"]


def hostile_event(chance: random.Random) -> Event:
    targets = chance.choices([*IDS, "gone"], k=chance.randint(1, 3))
    kind = chance.choice(["fact", "fact", "fact", "rule", "retraction", "mark"])
    fields: dict[str, Any] = {"summary": chance.choice(["Text.", "text", "Other."])}
    if kind == "mark":
        fields["mark"] = {"action": chance.choice(ACTIONS), "targets": targets}
        if chance.random() < 0.3:
            fields["mark"] |= {"to": chance.choice(DIGESTS), "targets": targets[:1]}
    elif kind == "retraction" or chance.random() < 0.5:
        fields["supersedes"] = targets
    optional = {"proposed": True, "valid_from": "2026-06-16", "valid_until": "2026-06-14", "scope": "fuzzy"}
    fields |= {name: value for name, value in optional.items() if chance.random() < 0.15}
    source = chance.choice(["laptop", "phone"])
    return made(chance.choice(IDS), chance.choice(DAYS), kind=kind, source=source, **fields)


_chance = random.Random(20260615)
# Drawn from a pool, because a property that builds its events field by field spends its time on building them.
POOL = [made(id_) for id_ in IDS] + [hostile_event(_chance) for _ in range(1500)]
logs = st.lists(st.sampled_from(POOL), max_size=10, unique_by=lambda event: event.id) | st.lists(
    st.sampled_from(POOL), max_size=14
)


def as_seen(resolution: Resolution) -> list[Any]:
    return [*resolution.verdicts, *resolution.problems, resolution.repeated, resolution.settled]


@given(logs, st.randoms(use_true_random=False))
def test_the_order_of_the_input_does_not_matter(events: list[Event], shuffler: random.Random) -> None:
    shuffled = list(events)
    shuffler.shuffle(shuffled)

    assert as_seen(judged(*shuffled)) == as_seen(judged(*events))


@given(logs)
def test_every_event_has_one_status_and_the_counts_add_up(events: list[Event]) -> None:
    found = judged(*events)

    seen = [(v.event.id, str(v.event.data)) for v in found.verdicts]
    assert sorted(set(seen)) == sorted({(e.id, str(e.data)) for e in events})
    assert len(seen) == len(set(seen))
    assert sum(found.counts.values()) == len(found.verdicts) == len(events) - found.repeated
    assert sum(v.copies for v in found.active) == found.counts[Status.ACTIVE] + found.counts[Status.DUPLICATE]
    assert [v.event.sort_key for v in found.verdicts] == sorted(v.event.sort_key for v in found.verdicts)


@given(logs)
def test_whoever_is_replaced_can_be_followed_to_one_who_is_not(events: list[Event]) -> None:
    """No circle: every chain of `by` ends, so of statements that replace each other one is left."""
    found = judged(*events)

    for verdict in found.verdicts:
        steps = 0
        while verdict.by:
            verdict = found.by_id[verdict.by]  # noqa: PLW2901 - following the chain
            steps += 1
            assert steps <= len(events)


@given(logs)
def test_only_what_counts_acts(events: list[Event]) -> None:
    found = judged(*events)

    acting = {v.by for v in found.verdicts if v.by and v.status is not Status.DUPLICATE}
    idle = {Status.RETRACTED, Status.PENDING, Status.QUARANTINED, Status.SCHEDULED}
    assert not {found.by_id[id_].status for id_ in acting} & idle


@given(logs, st.integers(0, 14))
def test_an_unrelated_event_changes_no_other_verdict(events: list[Event], place: int) -> None:
    unrelated = made("unrelated", summary="Nothing to do with it.", source="tablet")

    more = judged(*events[:place], unrelated, *events[place:])

    assert [v for v in more.verdicts if v.event.id != "unrelated"] == list(judged(*events).verdicts)
    assert more.by_id["unrelated"].status is Status.ACTIVE


@given(logs)
def test_a_reason_stands_with_every_status_but_active(events: list[Event]) -> None:
    assert all(v.reason for v in judged(*events).verdicts if v.status is not Status.ACTIVE)


# Size.


def seconds(events: Sequence[Event]) -> float:
    start = time.process_time()
    found = judged(*events)
    elapsed = time.process_time() - start
    assert sum(found.counts.values()) == len(events)
    return elapsed


def numbered(number: int, **fields: Any) -> Event:
    record = {
        "event_id": f"id-{number:05}",
        "ts": f"2026-06-{1 + number // 3600:02}T{number // 60 % 24:02}:{number % 60:02}:00Z",
        "source": "laptop",
        "kind": "fact",
        "scope": "stable",
        "summary": f"Statement {number}.",
    }
    return build({**record, **fields})


SHAPES = {
    "two-cycles": lambda n: numbered(n, supersedes=[f"id-{n ^ 1:05}"]),
    "chain": lambda n: numbered(n, supersedes=[f"id-{n - 1:05}"]),
    "both ways": lambda n: numbered(n, supersedes=[f"id-{n - 1:05}", f"id-{n + 1:05}"]),
    "duplicates": lambda n: numbered(n, summary="One."),
    "duplicates that replace each other": lambda n: numbered(n, summary="One.", supersedes=[f"id-{n - 1:05}"]),
    "retractions of retractions": lambda n: numbered(n, kind="retraction", supersedes=[f"id-{n - 1:05}"]),
    "equal retractions": lambda n: numbered(n, kind="retraction", summary="One.", supersedes=["id-00000"]),
    "contents of one id": lambda n: numbered(n, event_id="one"),
    "merges that are taken back": lambda n: numbered(
        n,
        **(
            {"summary": "One.", "supersedes": [f"id-{n - 2:05}"]}
            if n % 2
            else {"kind": "retraction", "supersedes": [f"id-{n - 1:05}"]}
        ),
    ),
    "self references": lambda n: numbered(n, supersedes=[f"id-{n:05}"]),
    "marks": lambda n: numbered(n, kind="mark", mark={"action": "archive", "targets": ["id-00000", f"id-{n:05}"]}),
    "settlements": lambda n: numbered(n, kind="mark", mark={"action": "settle", "targets": ["id-00000", "id-00001"]}),
}


@pytest.mark.parametrize("shape", SHAPES)
def test_ten_thousand_take_less_than_three_seconds(shape: str) -> None:
    assert seconds([SHAPES[shape](number) for number in range(10_000)]) < 3


def test_one_event_may_replace_ten_thousand() -> None:
    events = [numbered(number) for number in range(10_000)]

    assert seconds([*events, made("zzz", supersedes=[event.id for event in events])]) < 3


@pytest.mark.shared
def test_real_events_are_all_accounted_for() -> None:
    hub = Path(__file__).parents[2] / "shared" / "data" / "hubs" / "commit-subjects"
    log = parse_log(read_source_files(hub))
    found = resolve(log.events, "2026-07-01", CONFIG)

    assert len(log.events) + len(log.problems) == 19_514
    assert sum(found.counts.values()) == len(log.events) - found.repeated
    assert found.counts[Status.DUPLICATE] > 1000
