"""What checks a few records, what checks many and what explains read the same rules and say the same."""

from __future__ import annotations

import datetime
import functools
import json
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from agent_soul import schemas
from agent_soul.schemas.checking import compile_check

GOOD = {
    "event_id": "9f3c2a1b-5d0e-4c1f-9a53-0e6d3f1c7b42",
    "ts": "2026-11-30T09:12:44+08:00",
    "source": "laptop",
    "kind": "fact",
    "scope": "stable",
    "summary": "Prefers pnpm over npm.",
}
EVENT_FIELDS = list(schemas.load("event")["properties"])
# Values that are right for one field or another, beside values that are right for none.
ODD = st.sampled_from(
    [
        *(
            None,
            True,
            False,
            0,
            1,
            -1,
            0.5,
            1.0,
            1.0000001,
            -0.1,
            10**19,
            2,
            2.0,
            2.5,
            "",
            " ",
            "0.5",
            "a",
            "ab",
            "x" * 201,
        ),
        *(
            "x" * 501,
            "é" * 500,
            "\U0001f600" * 501,
            "abc\n",
            "-rf",
            "A",
            "a_b",
            "con",
            "lpt1",
            "a--b",
            "2026-12-31",
            "soon",
        ),
        *(
            "2026-12-31\n",
            "2026-12-31T09:12:44Z",
            "٢٠٢٦-12-31",
            "2026-02-30",
            20260101,
            [],
            ["abc"],
            ["abc\n"],
            ["ab"],
            [1],
        ),
        *(["abc"] * 13, ["x" * 65], [""], {}, {"status": "approved"}, {"status": "x"}, {"name": "n", "value": 1}),
        *({"name": "", "value": 1}, {"name": "n", "value": "1"}, {"entity": "e", "attribute": "a", "value": True}),
        *({"entity": "e", "attribute": "a", "value": None}, {"action": "settle", "targets": ["abc"]}),
        *({"action": "settle", "targets": []}, {"action": "x", "targets": ["abc"]}, {"tool": "t", "id": "i"}),
        *({"applies_to": ["a"]}, {"applies_to": [1]}, *schemas.load("event")["properties"]["kind"]["enum"]),
        *schemas.load("event")["properties"]["scope"]["enum"],
    ]
)
json_values = st.recursive(
    ODD | st.text(max_size=5) | st.integers(-(10**20), 10**20) | st.floats(allow_nan=False, allow_infinity=False),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    max_leaves=5,
)
records = st.builds(
    lambda changes, gone: {name: value for name, value in {**GOOD, **changes}.items() if name not in gone},
    st.dictionaries(st.sampled_from([*EVENT_FIELDS, "unknown"]), json_values, max_size=4),
    st.sets(st.sampled_from(list(GOOD)), max_size=1),
)
settings_of_hubs = st.dictionaries(
    st.sampled_from(["template", "toolkit", "fuzzy_days", "pages", "thresholds", "unknown"]),
    json_values
    | st.lists(st.dictionaries(st.sampled_from(["metric", "min", "max", "reason", "mim"]), json_values), max_size=2)
    | st.dictionaries(st.sampled_from(["path", "version", "git", "commit"]), json_values, max_size=3)
    | st.dictionaries(st.sampled_from(["kinds", "ranking", "line", "summary_width"]), json_values, max_size=3),
    max_size=3,
)


@functools.cache
def oracle(name: str) -> Draft202012Validator:
    return Draft202012Validator(schemas._document(name))


def agree(name: str, record: Any) -> None:
    accepted = schemas.quick_check(name)(record)

    assert accepted == oracle(name).is_valid(record)
    assert accepted == schemas.compiled_validator(name).is_valid(record)
    if not accepted:
        faults = schemas.explain(name, record)
        assert faults
        assert all(message for _, message in faults)
        assert all(path or "is missing" in message or "is not of type" in message for path, message in faults)


@given(records)
def test_all_validators_agree_about_events(record: dict[str, Any]) -> None:
    agree("event", record)


@given(records)
def test_all_validators_agree_about_what_is_written(record: dict[str, Any]) -> None:
    agree("written", record)


@given(settings_of_hubs | json_values)
def test_all_validators_agree_about_settings(settings: Any) -> None:
    agree("config", settings)


@given(records)
def test_what_may_be_written_can_be_read(record: dict[str, Any]) -> None:
    if schemas.accepts("written", record):
        assert schemas.accepts("event", record)


@pytest.mark.parametrize(
    ("changes", "field", "message"),
    [
        ({"summary": ""}, ("summary",), "says nothing"),
        ({"summary": "x"}, ("summary",), 'has 1 code points, at least 2 are allowed: "x"'),
        ({"summary": "é" * 501}, ("summary",), "has 501 code points, at most 500 are allowed"),
        ({"importance": 1.5}, ("importance",), "1.5 must be at most 1"),
        ({"importance": True}, ("importance",), "true is not of type number"),
        ({"scope": "global"}, ("scope",), '"global" is not one of: profile, stable, project, fuzzy, daily, agent'),
        ({"scope": "project"}, (), "'project' is missing"),
        ({"kind": "topic"}, (), "'topic' is missing"),
        ({"source": "con"}, ("source",), '"con" is a name that some systems reserve'),
        ({"source": "abc\n"}, ("source",), '"abc\\n" is not a source id: a-z, 0-9 and single hyphens'),
        ({"tags": ["t"] * 13}, ("tags",), "has 13 items, at most 12 are allowed"),
        ({"tags": ["ok", ""]}, ("tags", 1), "says nothing"),
        ({"supersedes": ["abc", 1]}, ("supersedes", 1), "1 is not of type string"),
        ({"metric": {"name": "n", "value": 1}}, ("kind",), "\"fact\" must be 'metric'"),
    ],
)
def test_a_refusal_names_the_field_and_quotes_the_value(
    changes: dict[str, Any], field: tuple[str | int, ...], message: str
) -> None:
    record = {**GOOD, **changes}

    faults = schemas.explain("written", record)

    assert not schemas.accepts("written", record)
    assert faults[0][0] == field
    assert faults[0][1].startswith(message)


@pytest.mark.parametrize(
    "settings",
    [datetime.date(2026, 1, 1), {"fuzzy_days": datetime.date(2026, 1, 1)}, {1: 2}, {"fuzzy_days": float("nan")}],
)
def test_what_is_no_json_is_refused_with_words(settings: Any) -> None:
    assert not schemas.accepts("config", settings)
    assert schemas.explain("config", settings)


@pytest.mark.parametrize("name", ["event", "config"])
def test_every_field_is_described(name: str) -> None:
    undescribed = [field for field, rule in schemas.load(name)["properties"].items() if not rule.get("description")]

    assert undescribed == []


@pytest.mark.parametrize("name", ["event", "config"])
def test_the_schema_is_one(name: str) -> None:
    Draft202012Validator.check_schema(schemas.load(name))


def test_no_pattern_trusts_the_digits_of_other_scripts() -> None:
    text = json.dumps([schemas.load("event"), schemas.load("config")])

    assert "\\\\d" not in text


@pytest.mark.parametrize("name", ["event", "config"])
def test_every_rule_of_the_schema_is_known_to_the_quick_check(name: str) -> None:
    """It compiles a part when a record needs it, so a rule that it does not know would show late."""
    root = schemas.load(name)

    for part in parts_of(root):
        compile_check(part, root)


def parts_of(schema: dict[str, Any]) -> Iterator[dict[str, Any]]:
    yield schema
    inner = [schema[name] for name in ("items", "not", "if", "then") if name in schema]
    inner += [part for name in ("allOf", "anyOf", "oneOf") for part in schema.get(name, ())]
    inner += [part for name in ("properties", "$defs") for part in schema.get(name, {}).values()]
    for part in inner:
        yield from parts_of(part)


def test_the_answers_stay_the_same_when_the_compiled_validator_takes_over() -> None:
    checker = schemas.Checker("event")

    answers = [checker.is_valid(record) for _ in range(schemas._FEW) for record in (GOOD, {**GOOD, "kind": 1})]

    assert answers == [True, False] * schemas._FEW
