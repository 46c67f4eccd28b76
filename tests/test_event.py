"""From a line of bytes to an event, or to a problem that says what is wrong and where."""

from __future__ import annotations

import itertools
import json
from datetime import UTC, datetime
from typing import Any

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent_soul import strict_json
from agent_soul.errors import Problem
from agent_soul.event import (
    Event,
    SetAside,
    in_field_order,
    normalise,
    parse_line,
    serialise,
    short_id,
)
from agent_soul.instants import add_days, just_after, parse_instant, utc_date

PATH = "sources/laptop/2026-11-30.0badcafe.ndjson"
GOOD: dict[str, Any] = {
    "event_id": "9f3c2a1b-5d0e-4c1f-9a53-0e6d3f1c7b42",
    "ts": "2026-11-30T09:12:44+08:00",
    "source": "laptop",
    "kind": "fact",
    "scope": "stable",
    "summary": "Prefers pnpm over npm.",
}
GONE = object()


def outcome(**changes: Any) -> Event | Problem | SetAside:
    record = {name: value for name, value in {**GOOD, **changes}.items() if value is not GONE}
    return parse_line(json.dumps(record, ensure_ascii=False).encode("utf-8", "surrogatepass"), PATH, 7)


def event(**changes: Any) -> Event:
    found = outcome(**changes)
    assert isinstance(found, Event), found
    return found


def problem(**changes: Any) -> Problem:
    found = outcome(**changes)
    assert isinstance(found, Problem), found
    return found


def test_a_line_becomes_an_event_that_knows_its_place() -> None:
    found = event()

    assert (found.id, found.source, found.kind, found.scope) == (GOOD["event_id"], "laptop", "fact", "stable")
    assert (found.path, found.line, found.date, found.local_date) == (PATH, 7, "2026-11-30", "2026-11-30")
    assert found.data == GOOD
    assert found.importance == 0.5


WRONG_VALUES = {"missing": GONE, "null": None, "empty": "", "zero": 0, "true": True, "list": [], "object": {}}


@pytest.mark.parametrize("value", WRONG_VALUES.values(), ids=WRONG_VALUES)
@pytest.mark.parametrize("field", GOOD)
def test_a_wrong_required_field_is_a_problem_that_names_it(field: str, value: Any) -> None:
    found = problem(**{field: value})

    assert field in found.message
    assert (found.path, found.line, found.level) == (PATH, 7, "error")


@pytest.mark.parametrize("field", ["event_id", "source", "scope"])
def test_a_field_that_is_too_long_is_a_problem(field: str) -> None:
    assert field in problem(**{field: "x" * 100_000}).message


@pytest.mark.parametrize(
    "field", ["project", "valid_until", "importance", "tags", "supersedes", "claim", "mark", "schema"]
)
@pytest.mark.parametrize("value", [True, {"a": [1]}])
def test_a_wrong_optional_field_is_a_problem_that_names_it(field: str, value: Any) -> None:
    if (field, value) != ("schema", True):
        assert field in problem(**{field: value}).message


@pytest.mark.parametrize("summary", ["", " ", "\t\n", "\u3000"])
def test_an_empty_summary_says_so(summary: str) -> None:
    assert problem(summary=summary).message == "summary: says nothing"


def test_a_project_without_a_name_says_so() -> None:
    assert problem(scope="project", project="  ").message == "project: says nothing"
    assert problem(scope="project").message == "'project' is missing"


@pytest.mark.parametrize("summary", ["x", "é" * 5000, "\U0001f600" * 250, "a\u0301"])
def test_the_lengths_of_writing_do_not_bind_reading(summary: str) -> None:
    assert event(summary=summary).summary == summary


@pytest.mark.parametrize("importance", ["0.5", 1.0000001, -0.1, True, None])
def test_an_importance_is_a_number_from_0_to_1(importance: Any) -> None:
    if importance is None:
        assert event(importance=None).importance == 0.5
    else:
        assert problem(importance=importance).message.startswith("importance: ")


@pytest.mark.parametrize("importance", [0, 1, 1.0, 0.25])
def test_whole_importances_are_fine(importance: float) -> None:
    assert event(importance=importance).importance == importance


@pytest.mark.parametrize(
    "ts",
    [
        *(
            "2026-11-30T09:12:44",
            "2026-11-30",
            "2026-11-30T24:00:00Z",
            "2026-12-31T23:59:60Z",
            "2026-11-30T09:12:44+99:99",
        ),
        *(
            "0000-01-01T00:00:00Z",
            "99999-01-01T00:00:00Z",
            "1764494000",
            "2026-02-30T00:00:00Z",
            "2026-11-30T09:12:44+24:00",
        ),
        *(
            "2026-11-30T9:12:44Z",
            "2026-11-30T09:12:44 Z",
            "٢٠٢٦-11-30T09:12:44Z",
            "2026-W49-1T09:12:44Z",
            "20261130T091244Z",
        ),
        *("2026-11-30T09:12:44Z\n", "0001-01-01T00:00:00+14:00", "9999-12-31T23:59:59-01:00", "2026-11-30T09:12:44.Z"),
    ],
)
def test_what_is_no_time_is_a_problem(ts: str) -> None:
    assert problem(ts=ts).message.startswith("ts: ")


def test_a_time_that_is_a_number_is_a_problem() -> None:
    assert problem(ts=1764494000).message == "ts: 1764494000 is not of type string"


@pytest.mark.parametrize(
    "ts",
    [
        *("2026-11-30T01:12:44Z", "2026-11-30t01:12:44z", "2026-11-30 01:12:44Z", "2026-11-30T09:12:44+08:00"),
        *(
            "2026-11-30T09:12:44+0800",
            "2026-11-30T01:12:44.000Z",
            "2026-11-30T01:12:44,0Z",
            "2026-11-29T20:12:44-05:00",
        ),
        *("2026-11-30T01:12:44.0000000009Z", "2026-11-30T01:12:44-00:00"),
    ],
)
def test_one_instant_has_many_spellings(ts: str) -> None:
    assert event(ts=ts).instant == parse_instant("2026-11-30T01:12:44Z")


def test_nanoseconds_count_and_missing_seconds_are_zero() -> None:
    assert parse_instant("1970-01-01T00:00:00.123456789Z") == 123_456_789
    assert parse_instant("1970-01-01T00:01Z") == 60 * 10**9
    assert parse_instant("1969-12-31T23:59:59.5Z") == -(10**9) // 2


def test_instants_and_not_texts_are_compared() -> None:
    later, earlier = event(ts="2026-11-30T02:00:00+00:00"), event(ts="2026-11-30T09:00:00+08:00")

    assert earlier.data["ts"] > later.data["ts"]
    assert earlier.sort_key < later.sort_key


def test_a_date_is_that_of_utc() -> None:
    assert event(ts="2026-11-30T07:59:59+08:00").date == "2026-11-29"
    assert event(ts="2026-11-30T07:59:59+08:00").local_date == "2026-11-30"


@given(st.datetimes(timezones=st.timezones()))
def test_every_time_of_the_calendar_is_read(moment: datetime) -> None:
    offset = moment.utcoffset()
    assert offset is not None
    if offset.seconds % 60 == 0 and 2 <= moment.year < 9999:
        assert utc_date(parse_instant(moment.isoformat())) == moment.astimezone(UTC).date().isoformat()


@pytest.mark.parametrize("field", ["valid_from", "valid_until"])
@pytest.mark.parametrize(
    "value", ["2026-02-30", "soon", 20260101, "20260101", "2026-W02-1", "31/12/2026", "2026-12-31 ", ""]
)
def test_what_is_no_date_is_a_problem(field: str, value: Any) -> None:
    assert problem(**{field: value}).message.startswith(f"{field}: ")


def test_a_date_given_as_an_instant_is_its_utc_date() -> None:
    found = event(valid_until="2027-01-01T07:00:00+08:00", valid_from="2026-12-31")

    assert (found.valid_from, found.valid_until) == ("2026-12-31", "2026-12-31")


def test_a_source_that_is_not_its_folder_is_a_problem() -> None:
    found = problem(source="phone")

    assert found.message == "source: 'phone' stands in the folder of 'laptop'; a source writes its own only"
    assert found.column == json.dumps(GOOD).index('"source"') + 1


def test_other_names_are_read() -> None:
    found = event(ts=GONE, timestamp="2026-11-30T01:12:44Z", scope="project:Soul", supersedes="abc", derived_from="")

    assert (found.scope, found.project, found.supersedes) == ("project", "Soul", ("abc",))
    assert found.data["derived_from"] == []
    assert "timestamp" not in found.data


def test_a_scope_that_contradicts_the_project_is_a_problem() -> None:
    assert problem(scope="project:a", project="b").message.startswith('scope: "project:a" is not one of')


@pytest.mark.parametrize("scope", ["global", "project:", "user:x", "Stable"])
def test_an_unknown_scope_is_a_problem_of_that_line(scope: str) -> None:
    assert problem(scope=scope).code == "schema"


@pytest.mark.parametrize(
    "changes", [{"kind": "dream"}, {"schema": 2}, {"schema": 2.0}, {"kind": "dream", "summary": 5}]
)
def test_a_line_of_a_newer_version_is_set_aside(changes: dict[str, Any]) -> None:
    found = outcome(**changes)

    assert isinstance(found, SetAside)
    assert found.reason.startswith("made by a newer version: ")


def test_unknown_fields_are_kept() -> None:
    assert event(mood="fine", fingerprint="forged").data["mood"] == "fine"


def test_hidden_characters_never_reach_a_reader() -> None:
    found = event(summary="a\u202eb\x00c\x1b[2J", scope="project", project="p\u200bq")

    assert found.summary == "a\ufffdb\ufffdc\ufffd[2J"
    assert found.project == "p\ufffdq"


@pytest.mark.parametrize(
    ("changes", "start"),
    [
        ({"refs": ["tags"], "tags": 5}, '"tags": 5'),
        ({"extra": {"importance": 1}, "importance": 2}, '"importance": 2'),
        ({"ts": GONE, "timestamp": "2026-11-30T09:12:44"}, '"timestamp"'),
        ({"note": '"valid_until":', "valid_until": "soon"}, '"valid_until": "soon"'),
        ({"valid_until": "2026-02-30"}, '"valid_until"'),
        ({"kind": "topic"}, "{"),
    ],
)
def test_the_column_is_that_of_the_field(changes: dict[str, Any], start: str) -> None:
    line = json.dumps({name: value for name, value in {**GOOD, **changes}.items() if value is not GONE})

    assert line[problem(**changes).column - 1 :].startswith(start)


@pytest.mark.parametrize(
    "different", [{"kind": "rule"}, {"scope": "profile"}, {"summary": "Prefers npm."}, {"topic": "x"}]
)
def test_what_differs_is_not_identical(different: dict[str, Any]) -> None:
    assert event().identity != event(**different).identity


def test_identical_statements_may_differ_in_form() -> None:
    spelled = event(summary=" ＰＲＥＦＥＲＳ  pnpm over npm", event_id="other", importance=1, fingerprint="forged")

    assert spelled.identity == event().identity
    assert event(summary="caf\u00e9").identity == event(summary="cafe\u0301").identity


def test_projects_are_told_apart_by_case() -> None:
    one, other = event(scope="project", project="MyApp"), event(scope="project", project="myapp")

    assert one.identity != other.identity


def test_acts_upon_different_events_are_different() -> None:
    one, other = (event(kind="retraction", summary="wrong", supersedes=[target]) for target in ("abc", "def"))
    marks = [event(kind="mark", mark={"action": "archive", "targets": [target]}).identity for target in ("abc", "def")]

    assert one.identity != other.identity
    assert marks[0] != marks[1]


def test_measurements_and_daily_notes_belong_to_their_moment() -> None:
    metric = {"kind": "metric", "metric": {"name": "n", "value": 1}}

    assert event(**metric).identity != event(**metric, ts="2026-11-30T09:12:45+08:00").identity
    assert event(scope="daily").identity != event(scope="daily", ts="2026-12-01T09:12:44+08:00").identity
    assert event(scope="daily").identity == event(scope="daily", ts="2026-11-30T10:00:00+08:00").identity


def test_a_record_is_written_in_the_order_of_the_schema_and_read_back() -> None:
    shuffled = dict(reversed({**GOOD, "zz": 1}.items()))

    assert list(in_field_order(shuffled)) == [*GOOD, "zz"]
    assert parse_line(serialise(shuffled).rstrip(b"\n"), PATH, 7) == event(zz=1)


@given(st.dictionaries(st.sampled_from([*GOOD, "timestamp", "project", "supersedes"]), st.text(max_size=4) | st.none()))
def test_normalising_twice_changes_nothing(record: dict[str, Any]) -> None:
    once = normalise(record)

    assert normalise(once) == once


@given(
    st.binary(max_size=60)
    | st.dictionaries(st.sampled_from([*GOOD, "valid_until", "schema"]), st.text()).map(
        lambda changes: json.dumps({**GOOD, **changes}).encode()
    )
)
def test_no_line_raises(raw: bytes) -> None:
    assert isinstance(parse_line(raw, PATH, 1), Event | Problem | SetAside)


def test_short_ids_are_those_of_uuids() -> None:
    assert short_id(GOOD["event_id"]) == "9f3c2a1b"
    assert short_id("import:2024-05-01.17") == "import:2024-05-01.17"


def test_the_ends_of_the_calendar_stop_counting() -> None:
    assert add_days("2026-12-31", 1) == "2027-01-01"
    assert (add_days("9999-12-31", 1), add_days("0001-01-01", -1)) == ("9999-12-31", "0001-01-01")


numbers = st.floats(allow_nan=False, allow_infinity=False) | st.integers(-(2**63), 2**64 - 1)
values = st.recursive(
    numbers | st.text(st.characters(exclude_categories=["Cs"]), max_size=6) | st.booleans() | st.none(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from("abc"), inner, max_size=3),
    max_leaves=6,
)


@given(st.dictionaries(st.sampled_from(["summary", "importance", "metric", "other"]), values, max_size=4))
def test_a_few_lines_are_written_as_many_are(record: dict[str, Any]) -> None:
    strict_json._lines = itertools.count(1)

    assert serialise(record) == orjson.dumps(in_field_order(record)) + b"\n"


@pytest.mark.parametrize(
    ("ts", "after"),
    [
        ("2026-03-01T12:00:00Z", "2026-03-01T12:00:00.000000001Z"),
        ("2026-03-01 12:00+0800", "2026-03-01T12:00:00.000000001+0800"),
        ("2026-03-01T12:00:03.123456-03:30", "2026-03-01T12:00:03.123456001-03:30"),
        ("1969-12-31t23:59:58,9999999995z", "1969-12-31T23:59:59.000000000z"),
        ("2026-03-01T23:59:59.999999999+08:00", "2026-03-01T23:59:59.999999999+08:00"),
    ],
)
def test_just_after_a_time_is_a_nanosecond_later_on_the_same_day(ts: str, after: str) -> None:
    assert just_after(ts) == after
    assert parse_instant(after) - parse_instant(ts) == (ts != after)
