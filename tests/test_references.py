"""Short ids that a record names are written out, and what is not known is said and kept."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent_soul.errors import RefusedError
from agent_soul.references import KnownIds, named_ids, with_whole_ids
from support import Soul

ONE, TWO = "9f3c2a1b-0000-4000-8000-000000000000", "9f3c77aa-0000-4000-8000-000000000000"


@given(st.sets(st.text("ab-", min_size=1, max_size=6), max_size=12), st.text("ab-", max_size=4))
def test_ids_are_found_by_how_they_begin(ids: set[str], wanted: str) -> None:
    exact = [wanted] if wanted in ids else []
    expected = exact or (sorted(id_ for id_ in ids if id_.startswith(wanted)) if wanted else [])
    assert KnownIds(ids).beginning_with(wanted) == expected


def test_ids_are_written_out_wherever_a_record_names_them() -> None:
    record = {"supersedes": "9f3c2", "derived_from": ["9f3c7", TWO], "mark": {"action": "settle", "targets": ["9f3c2"]}}
    whole, warnings = with_whole_ids(record, KnownIds([ONE, TWO]))
    assert whole == {"supersedes": [ONE], "derived_from": [TWO], "mark": {"action": "settle", "targets": [ONE]}}
    assert not warnings


def test_names_of_an_alias_are_no_ids() -> None:
    record = {"mark": {"action": "alias", "targets": ["9f3c2"], "to": "x"}}
    assert not named_ids(record)
    assert with_whole_ids(record, KnownIds([ONE]))[0] == record


def test_an_id_of_several_events_is_refused_and_an_unknown_one_kept() -> None:
    with pytest.raises(RefusedError, match="'9f3c' begins the ids of 2 events"):
        with_whole_ids({"supersedes": ["9f3c"]}, KnownIds([ONE, TWO]))
    whole, [warning] = with_whole_ids({"supersedes": ["other"]}, KnownIds([ONE, TWO]))
    assert whole == {"supersedes": ["other"]}
    assert "supersedes 'other'" in warning


@pytest.mark.parametrize("wrong", [5, {"a": 1}, [7], [None]])
def test_what_is_no_id_is_left_to_the_schema(wrong: object) -> None:
    assert with_whole_ids({"supersedes": wrong}, KnownIds([ONE]))[0] == {"supersedes": wrong}


def test_in_bulk_ids_are_written_out_too(inside: Soul, hub: Path) -> None:
    line = {"source": "home-mac", "kind": "fact", "scope": "stable"}
    inside("add", "--stdin", stdin=json.dumps({**line, "event_id": ONE, "summary": "Uses npm."}))
    later = [
        {**line, "event_id": TWO, "summary": "Uses pnpm.", "supersedes": "9f3c2a1b"},
        {**line, "summary": "Uses bun.", "supersedes": TWO},
        {**line, "summary": "Lost its start.", "supersedes": "0000"},
    ]
    answer = json.loads(inside("add", "--stdin", stdin="\n".join(map(json.dumps, later))).stdout)

    assert [warning.partition(" '")[0] for warning in answer["warnings"]] == ["line 3: supersedes"]
    inside("compile")
    stable = (hub / "canonical" / "stable-memory.md").read_text(encoding="utf-8")
    texts = ("Uses npm.", "Uses pnpm.", "Uses bun.", "Lost its start.")
    assert [text for text in texts if text in stable] == ["Uses bun.", "Lost its start."]
