"""What is accepted for writing, how it is cleaned, and that it reads back as the same event."""

from __future__ import annotations

import json
import re
import time
import tracemalloc
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta, timezone
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agent_soul import schemas
from agent_soul.bulk import Refusal, draft_lines
from agent_soul.draft import advice, draft, typographic_option
from agent_soul.errors import RefusedError
from agent_soul.event import Event, parse_line, serialise
from agent_soul.text import find_hidden

NOW = datetime(2026, 11, 30, 23, 30, 0, 5, timezone(timedelta(hours=-5)))
GOOD = {"source": "home-mac", "kind": "fact", "scope": "stable", "summary": "Drinks tea."}


def accepted(**fields: Any) -> Event:
    return draft({**GOOD, **fields}, NOW)


def refusal(**fields: Any) -> str:
    with pytest.raises(RefusedError) as caught:
        draft({**GOOD, **fields}, NOW)
    return caught.value.message


def lines(*records: dict[str, Any] | bytes) -> list[bytes]:
    return [each if isinstance(each, bytes) else json.dumps(each).encode() for each in records]


def test_id_and_local_time_are_added() -> None:
    event = accepted()
    assert event.data["ts"] == "2026-11-30T23:30:00.000005-05:00"
    assert event.date == "2026-12-01", "the UTC date names the file"
    assert event.id != accepted().id
    assert list(event.data) == ["event_id", "ts", "source", "kind", "scope", "summary"]


def test_ids_are_uuids_of_version_4() -> None:
    import uuid

    for _ in range(200):
        made = uuid.UUID(accepted().id)
        assert (made.version, made.variant) == (4, uuid.RFC_4122)
        assert str(made) == accepted(event_id=str(made)).id


@pytest.mark.parametrize("empty", [None, pytest.param("absent")])
def test_null_id_and_time_count_as_absent(empty: str | None) -> None:
    fields = {"event_id": None, "ts": None} if empty is None else {}
    assert accepted(**fields).data["ts"].startswith("2026-11-30T23:30")


@pytest.mark.parametrize(
    ("field", "given", "kept"),
    [
        ("summary", "  two\t words\r\n and a line ", "two words and a line"),
        ("summary", "e\u0301te\u0301", "été"),
        ("summary", "喜欢", "喜欢"),
        ("title", " a  b ", "a b"),
        ("detail", "\n  first  \r\nsecond\n\n", "  first\nsecond"),
        ("keywords", [" tea  pot ", "茶"], ["tea pot", "茶"]),
        (
            "claim",
            {"entity": " a ", "attribute": "b  c", "value": " d\n"},
            {"entity": "a", "attribute": "b c", "value": "d"},
        ),
        ("mood", {"deep": [" x  y "], "n": [1, True, None]}, {"deep": ["x y"], "n": [1, True, None]}),
        ("supersedes", "abc", ["abc"]),
        ("valid_until", "2026-12-31T23:00:00-05:00", "2027-01-01"),
    ],
)
def test_text_is_cleaned(field: str, given: object, kept: object) -> None:
    assert accepted(**{field: given}).data[field] == kept


@pytest.mark.parametrize("kept", ["👨‍👩‍👧 at home ❤️", "می‌خواهم", "שלום عالم", "Tiếng Việt", "क्‍ष", "2️⃣ things"])
def test_invisible_characters_that_spelling_needs_are_kept(kept: str) -> None:
    assert accepted(summary=kept).summary == kept


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ("ab\u202ecd", "U+202E RIGHT-TO-LEFT OVERRIDE at 2"),
        ("a\u200bb", "U+200B ZERO WIDTH SPACE at 1"),
        ("  x\U000e0041", "U+E0041 TAG LATIN CAPITAL LETTER A at 3"),
        ("\x1b[2J", "U+001B ESCAPE at 0"),
        ("nul\x00", "U+0000 NULL at 3"),
        ("x\ud800", "U+D800 LONE SURROGATE at 1"),
        ("\u3164x", "U+3164 HANGUL FILLER at 0"),
        ("a\U000e0100", "U+E0100 VARIATION SELECTOR-17 at 1"),
    ],
)
@pytest.mark.parametrize("field", ["summary", "title", "detail", "keywords.0", "claim.value", "mood", "mood.deep.1"])
def test_hidden_characters_are_refused_with_field_and_position(text: str, place: str, field: str) -> None:
    value: Any = {
        "keywords.0": [text],
        "claim.value": {"entity": "a", "attribute": "b", "value": text},
        "mood.deep.1": {"deep": ["fine", text]},
    }.get(field, text)
    assert f"{field}: holds characters that nobody can see: {place}" in refusal(**{field.split(".")[0]: value})


def test_hidden_characters_in_a_name_are_refused() -> None:
    assert "the name of 'mo\\u200bod'" in refusal(**{"mo\u200bod": 1})
    assert "U+200B" in refusal(mood={"a\u200b": 1})


@pytest.mark.parametrize(
    "source",
    ["abc\n", "\nabc", " abc", "abc ", "-rf", "--help", "A", "a_b", "a" * 65, ".git", "a", "", "a--b", "con", 7],
)
def test_a_wrong_source_is_refused_not_mended(source: object) -> None:
    assert refusal(source=source).startswith("source: ")


@pytest.mark.parametrize(
    ("fields", "named"),
    [
        ({"summary": "x"}, "summary: has 1 code points, at least 2"),
        ({"summary": " 茶 "}, "summary: has 1 code points, at least 2"),
        ({"summary": " \n "}, "summary: says nothing"),
        ({"summary": "😀" * 501}, "summary: has 501 code points, at most 500"),
        ({"summary": None}, "summary: "),
        ({"summary": 3}, "summary: 3 is not of type string"),
        ({"event_id": "a b"}, "event_id: "),
        ({"event_id": "abc\n"}, "event_id: "),
        ({"kind": "opinion"}, "kind: "),
        ({"scope": "project"}, "'project' is missing"),
        ({"scope": "project:"}, "project: "),
        ({"ts": "2026-02-30T10:00:00Z"}, "ts: "),
        ({"ts": "2026-11-30T10:00:00"}, "ts: "),
        ({"ts": " 2026-11-30T10:00:00Z"}, "ts: "),
        ({"valid_until": "2026-02-30"}, "valid_until: "),
        ({"valid_from": "soon"}, "valid_from: "),
        ({"detail": "茶" * 5462}, "detail: has 16386 bytes, at most 16384"),
        ({"importance": 1.01}, "importance: "),
        ({"importance": float("nan")}, "nan is not a number that JSON knows"),
        ({"importance": "0.5"}, "importance: "),
        ({"keywords": ["a"] * 13}, "keywords: has 13 items, at most 12"),
        ({"claim": {"entity": "a", "attribute": "b"}}, "claim: 'value' is missing"),
        ({"supersedes": ["ok1", "no way"]}, "supersedes"),
        ({"odd": float("inf")}, "inf is not a number that JSON knows"),
        ({"odd": {1, 2}}, "cannot be written as JSON"),
        ({"odd": 10**30}, "could not be read back"),
        ({"odd": ["x" * (1 << 20)]}, "could not be read back"),
    ],
)
def test_what_the_rules_forbid_is_refused_with_its_field(fields: dict[str, Any], named: str) -> None:
    assert named in refusal(**fields)


def test_too_deep_is_refused() -> None:
    deep: Any = "x"
    for _ in range(20):
        deep = [deep]
    assert "nested deeper" in refusal(odd=deep)


def test_all_faults_are_told_at_once() -> None:
    said = refusal(source="A", summary="a\u200bb", importance=2)
    assert all(field in said for field in ("source: ", "summary: ", "importance: "))


def test_limits_themselves_are_accepted() -> None:
    assert len(accepted(summary="😀" * 500).summary) == 500
    assert accepted(detail="茶" * 5461, importance=1, confidence=0, keywords=["a"] * 12).importance == 1


def test_a_fingerprint_is_not_kept() -> None:
    assert "fingerprint" not in accepted(fingerprint="forged").data


# -- typographic dashes --------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "typed",
    ["—supersedes", "–source", "−−kind", "––scope", "—kind=fact", "‐-project", "―event-id", "–-valid-until=2026-12-31"],
)
def test_a_typographic_option_is_found(typed: str) -> None:
    assert typographic_option(["share", "text", typed, "x"]) == typed


@pytest.mark.parametrize(
    "typed", ["—", "— note", "a — b", "a—b", "--source", "-s", "—Kind", "—1", "—supersedes 9f3c", "–—x"]
)
def test_other_arguments_are_no_typographic_option(typed: str) -> None:
    assert typographic_option([typed]) == ("" if typed != "–—x" else typed)


@pytest.mark.parametrize(
    ("summary", "option"),
    [
        ("Prefers pnpm —supersedes 9f3c2a1b", "supersedes"),
        ("Prefers pnpm −−kind fact", "kind"),
        ("Prefers pnpm –-scope=stable", "scope"),
        ("—source home-mac Prefers pnpm", "source"),
    ],
)
def test_an_option_within_the_text_is_pointed_out(summary: str, option: str) -> None:
    assert f"type two hyphens: --{option}" in "".join(advice(accepted(summary=summary), "2026-12-01"))


@pytest.mark.parametrize(
    "summary",
    [
        "a — project note",
        "The plan—source code first—holds",
        "La idea –source abierto– gana",
        "Uses git log --source main to look",
        "ends with —kind",
        "—projector bulbs are dear",
        "10 – 12 —",
    ],
)
def test_prose_is_left_in_peace(summary: str) -> None:
    assert advice(accepted(summary=summary), "2026-12-01") == []


def test_advice_on_dates() -> None:
    assert "valid_until 2026-11-01 is over" in advice(accepted(valid_until="2026-11-01"), "2026-12-01")[0]
    assert "ahead of today (2026-11-30)" in advice(accepted(), "2026-11-30")[0]


# -- many lines ----------------------------------------------------------------------------------------------------


def drafted(given: Sequence[bytes], *arguments: Any, **options: Any) -> tuple[list[Event], list[Refusal]]:
    """Return the events that stand in the lines made by `draft_lines`, as they are read, and what was refused."""
    lines, refused, _ = draft_lines(given, *arguments, **options)
    read = [parse_line(line.raw[:-1], line.path, 0) for line in lines]
    assert [(event.id, event.source, event.date) for event in read] == [(ln.id, ln.source, ln.date) for ln in lines]
    return read, refused


def test_refused_lines_are_numbered_and_the_others_kept() -> None:
    given = lines(GOOD, b"not json", b"", b"  ", {**GOOD, "kind": "x"}, b'{"summary":"\\ud800"}', b"[1]", GOOD, b"\xff")
    events, refused = drafted(given, {}, NOW)
    assert len(events) == 2
    assert [each.line for each in refused] == [2, 5, 6, 7, 9]
    assert refused[0] == Refusal(2, "column 1: not JSON: Expecting value")


def test_defaults_fill_in_and_lines_win() -> None:
    events, _ = drafted(lines({"summary": "one"}, {"summary": "two", "scope": "profile"}), GOOD, NOW)
    assert [(event.source, event.scope) for event in events] == [("home-mac", "stable"), ("home-mac", "profile")]


def test_lines_without_a_time_keep_their_order() -> None:
    events, _ = drafted(lines(*[{**GOOD, "summary": f"Fact {n}"} for n in range(300)]), {}, NOW)
    assert [event.summary for event in sorted(events, key=lambda e: e.sort_key)] == [f"Fact {n}" for n in range(300)]


def test_an_id_twice_in_one_input() -> None:
    first = {**GOOD, "event_id": "one"}
    events, refused = drafted(lines(first, first, {**first, "summary": "Other."}), {}, NOW)
    assert [event.summary for event in events] == ["Drinks tea."]
    assert [each.line for each in refused] == [3]
    assert "'one' is the id of another event already (they differ in summary)" in refused[0].reason


def test_a_time_of_its_own_is_part_of_the_content() -> None:
    first = {**GOOD, "event_id": "one", "ts": "2026-11-30T09:00:00Z"}
    _, refused, _ = draft_lines(lines(first, {**first, "ts": "2026-11-30T09:00:01Z"}), {}, NOW)
    assert "differ in ts" in refused[0].reason


def test_an_id_of_the_hub_brings_its_event_back() -> None:
    there = accepted(event_id="one")._replace(path="sources/home-mac/2026-12-01.0a1b2c3d.ndjson")
    asked = []

    def existing() -> dict[str, Event]:
        asked.append(1)
        return {"one": there}

    given = lines(
        {**GOOD, "event_id": "one"}, {**GOOD, "event_id": "one", "summary": "Other."}, {**GOOD, "event_id": "two"}
    )
    events, refused = drafted(given, {}, NOW + timedelta(hours=1), existing=existing)
    assert [event.path for event in events] == [there.path, ""]
    assert [each.line for each in refused] == [2]
    assert asked == [1]
    draft_lines(lines(GOOD), {}, NOW, existing=existing)
    assert asked == [1], "lines that bring no id do not pay for reading the hub"


def test_supersedes_in_bulk_is_taken_as_it_is() -> None:
    events, _ = drafted(lines({**GOOD, "supersedes": "9f3"}), {}, NOW)
    assert events[0].supersedes == ("9f3",)


def test_each_line_is_counted() -> None:
    seen: list[int] = []
    draft_lines([b"12345", b"", b"{}"], {}, NOW, seen.append)
    assert seen == [5, 0, 2]


def test_many_bad_lines_cost_little_time_and_memory() -> None:
    wrong = json.dumps({**GOOD, "kind": "opinion", "importance": 7}).encode()
    given = [b"nonsense" if n % 2 else wrong for n in range(20_000)]
    draft_lines(given[:2], {}, NOW)  # loads the slow validator, whose weight is not theirs
    tracemalloc.start()
    started = time.process_time()
    _, refused, _ = draft_lines(given, {}, NOW)
    seconds, (held, peak) = time.process_time() - started, tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert len(refused) == 20_000
    assert held < 3_000_000, "150 bytes each would be 150 MB for a million"
    assert peak < 4_000_000, "half of them may come from another process, and that message is held for a moment"
    assert seconds < 40, "each in the words of the slow validator would take minutes"
    assert "kind" in refused[-2].reason or "importance" in refused[-2].reason


# -- properties ----------------------------------------------------------------------------------------------------

_texts = st.text(max_size=30) | st.text(alphabet="ab  \n\t茶é\u0301\u200d❤️_*#", max_size=30)
_json = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(10**18), 10**18)
    | st.floats(allow_nan=False, allow_infinity=False)
    | _texts,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(_texts, inner, max_size=3),
    max_leaves=8,
)
_claims = st.fixed_dictionaries({"entity": _texts, "attribute": _texts, "value": _texts | st.floats() | st.booleans()})
_records = st.fixed_dictionaries(
    {"source": st.just("home-mac"), "kind": st.sampled_from(["fact", "note"]), "summary": _texts},
    optional={
        "scope": st.sampled_from(["stable", "daily", "project:x", "project: 茶 ", "agent:a"]),
        "title": _texts,
        "detail": _texts,
        "keywords": st.lists(_texts, max_size=3),
        "importance": st.floats(0, 1),
        "claim": _claims,
        "valid_until": st.sampled_from(["2026-12-31", "2026-12-31T23:59:59-10:00"]),
        "ts": st.sampled_from(["2026-11-30T09:12:44+08:00", "2026-11-30t09:12Z", "2026-11-30 09:12:44,123456789Z"]),
        "event_id": st.sampled_from(["one", "a.b:c_d-e"]),
        "supersedes": st.sampled_from(["abc", ["abc", "def"]]),
        "extra": _json,
    },
)


@settings(max_examples=400, deadline=None)
@given(_records)
def test_what_is_accepted_reads_back_as_the_same_event(record: dict[str, Any]) -> None:
    try:
        event = draft({"scope": "stable", **record}, NOW)
    except RefusedError:
        return
    line = serialise(event.data)
    assert line.count(b"\n") == 1
    read = parse_line(line[:-1], "", 0)
    assert isinstance(read, Event), read
    assert read == event
    assert serialise(read.data) == line, "replaying it writes the same bytes"
    assert schemas.validator("event").is_valid(dict(event.data))
    assert not find_hidden(line.decode())
    assert draft(event.data, datetime.now(UTC)) == event, "cleaning what is clean changes nothing"


@settings(max_examples=200, deadline=None)
@given(
    st.lists(_records | st.just({}), max_size=5),
    st.booleans(),
    st.sampled_from([(",", ":"), (", ", ": "), (" ,", " : ")]),
)
def test_in_bulk_the_same_is_accepted(
    records: list[dict[str, Any]], ascii_only: bool, separators: tuple[str, str]
) -> None:
    filled = [{"scope": "stable", **record, "event_id": f"id-{n}"} for n, record in enumerate(records)]
    written = [json.dumps(record, ensure_ascii=ascii_only, separators=separators) for record in filled]
    events, refused = drafted([line.encode("utf-8", "surrogatepass") for line in written], {}, NOW)
    alone = {}
    for record in filled:
        try:
            alone[record["event_id"]] = draft(record, NOW)
        except RefusedError:
            continue
    assert {event.id for event in events} == alone.keys()
    assert len(events) + len(refused) == len(records)
    for event in events:
        assert {**event.data, "ts": 0} == {**alone[event.id].data, "ts": 0}


@pytest.mark.parametrize(
    "given",
    [
        "two\u3000words",
        "a\xa0b",
        "a\u2028b",
        "a  b",
        " a",
        "b ",
        "a ,",
        " , a",
        "e\u0301",
        "a\u200bb",
        "\u3164 a",
        "a]",
        ": b",
    ],
)
def test_in_bulk_text_is_cleaned_as_it_is_alone(given: str) -> None:
    record = {**GOOD, "event_id": "one", "ts": NOW.isoformat(), "summary": f"{given}", "tags": [given, "x"]}
    line = json.dumps(record, ensure_ascii=False, separators=(",", ":")).encode()
    try:
        alone: list[Event] = [draft(record, NOW)]
    except RefusedError:
        alone = []
    assert [event.data for event in drafted([line], {}, NOW)[0]] == [event.data for event in alone]


@pytest.mark.parametrize(
    ("scope", "says"),
    [("payment", "a project is meant as 'project:payment'"), ("projcet", "did you mean 'project'?")],
)
def test_a_scope_that_is_none_may_be_a_project_or_a_slip(scope: str, says: str) -> None:
    with pytest.raises(RefusedError, match=re.escape(f"; {says}")):
        draft({"source": "a-b", "kind": "fact", "scope": scope, "summary": "A fact."}, NOW)
