"""soul.yaml: defaults, refusals that say what to mend, and warnings about what changes nothing."""

from __future__ import annotations

import contextlib
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from agent_soul import schemas
from agent_soul.config import MAX_CONFIG_BYTES, Threshold, default_config, parse_config
from agent_soul.errors import RefusedError

TEMPLATE = Path(__file__).parents[1] / "soul.yaml"


def test_an_empty_file_gives_the_defaults() -> None:
    config, warnings = parse_config("")

    assert warnings == []
    assert config == default_config()
    assert (config.template, config.fuzzy_days, config.summary_width) == (False, 7, 300)
    assert config.ranking == ("importance", "corroboration", "recency")


def test_the_template_spells_out_every_setting_with_its_default() -> None:
    text = TEMPLATE.read_text(encoding="utf-8")
    config, warnings = parse_config(text)
    written = yaml.safe_load(text)

    assert warnings == []
    assert config.template is True
    assert parse_config(text.replace("template: true", "template: false"))[0] == default_config()
    for name, part in schemas.load("config")["properties"].items():
        assert name in written
        for inner in part.get("properties", {}) if name == "pages" else ():
            assert inner in written["pages"]


def test_every_kind_that_is_shown_under_headings_has_one() -> None:
    kinds = set(schemas.load("event")["properties"]["kind"]["enum"])

    assert default_config().headings.keys() == kinds - {"metric", "mark", "retraction"}


@pytest.mark.parametrize(
    ("text", "limit"),
    [
        ("{metric: speed, min: 0.9}", Threshold("speed", minimum=0.9)),
        ("{metric: cost, max: 20, project: shop, reason: it is paid by us}",
         Threshold("cost", maximum=20, project="shop", reason="it is paid by us")),
        ("{metric: load, min: -1, max: 1, agent: 阅读器}", Threshold("load", -1, 1, agent="阅读器")),
    ],
)  # fmt: skip
def test_limits_of_metrics_are_taken(text: str, limit: Threshold) -> None:
    config, warnings = parse_config(f"thresholds: [{text}]")

    assert (config.thresholds, warnings) == ((limit,), [])


@pytest.mark.parametrize(
    "text",
    [
        "{metric: speed}",
        "{min: 1}",
        "{metric: '', min: 1}",
        "{metric: speed, mim: 1, max: 2}",
        "{metric: speed, min: '1'}",
        "{metric: speed, min: .nan}",
        '{metric: speed, min: 1, reason: "a\\nb"}',
        "[]",
    ],
)
def test_what_is_no_limit_is_refused_with_its_place(text: str) -> None:
    with pytest.raises(RefusedError, match="thresholds.0|JSON cannot"):
        parse_config(f"thresholds: [{text}]")


def test_settings_are_taken() -> None:
    config, warnings = parse_config(
        "template: true\nfuzzy_days: 0\npages:\n  kinds: [{kind: note, heading: 随记}]\n  summary_width: 40\n".encode()
    )

    assert warnings == []
    assert (config.template, config.fuzzy_days, config.summary_width) == (True, 0, 40)
    assert dict(config.headings) == {"note": "随记"}


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("[]", "the file: [] is not of type object"),
        ("false", "the file: false is not of type object"),
        ("fuzzy_days: soon", 'fuzzy_days: "soon" is not of type integer'),
        ("fuzzy_days: true", "fuzzy_days: true is not of type integer"),
        ("fuzzy_days: 2026-01-01", 'fuzzy_days: "2026-01-01" is not of type integer'),
        ("fuzzy_days: .nan", "fuzzy_days: NaN is not of type integer"),
        ("fuzzy_days: -1", "fuzzy_days: -1 must be at least 0"),
        ("pages: null", "pages: null is not of type object"),
        ("pages: {ranking: [luck]}", 'pages.ranking.0: "luck" is not one of: importance, corroboration, recency'),
        ("pages: {kinds: [{kind: fact}]}", "pages.kinds.0: 'heading' is missing"),
        ("pages: {kinds: [{kind: fact, heading: ' '}]}", "pages.kinds.0.heading"),
        ('pages: {kinds: [{kind: fact, heading: "a\\nb"}]}', "pages.kinds.0.heading"),
        ("pages: {line: '{summary}{marks}'}", "must hold each of {summary}, {marks}, {id} once"),
        ("pages: {line: '{summary}{marks}{id}{id}'}", "must hold each of {summary}, {marks}, {id} once"),
        ("pages: {line: '{summary}{marks}{id}{mood}'}", "may hold {date}, {source}"),
        ("pages: {line: '{summary!r}{marks}{id}'}", "must hold each of"),
        ("pages: {line: '{summary.x}{marks}{id}'}", "must hold each of"),
        ("pages: {line: '{summary}{marks}{id}{'}", "Single '{' encountered"),
        ("a: &x 1", "anchors and aliases are not read"),
        ("a: !!python/object:os.system x", "tags are not read"),
        ("fuzzy_days: 1\nfuzzy_days: 2", "the key 'fuzzy_days' stands there twice"),
        ("a: [", "is not plain YAML"),
        ("? [a]\n: b", "is not plain YAML"),
        ("x: " + "[" * 1_200, "is not plain YAML"),
        ("#" * (MAX_CONFIG_BYTES + 1), f"at most {MAX_CONFIG_BYTES} are read"),
        ("# " + "字" * (MAX_CONFIG_BYTES // 3), f"at most {MAX_CONFIG_BYTES} are read"),
    ],
)
def test_what_is_not_allowed_is_refused_with_its_place(text: str, said: str) -> None:
    with pytest.raises(RefusedError) as refused:
        parse_config(text)

    assert "soul.yaml" in refused.value.message
    assert said in refused.value.message
    assert refused.value.hint


@pytest.mark.parametrize(
    ("text", "warnings"),
    [
        ("templat: true", ["soul.yaml: unknown key 'templat'; did you mean 'template'?"]),
        ("pages: {rankin: 1}", ["soul.yaml: unknown key 'pages.rankin'; did you mean 'pages.ranking'?"]),
        ("1: 2", ["soul.yaml: unknown key '1'; known here: template, toolkit, fuzzy_days, thresholds, writes, pages"]),
        (
            "pages: {kinds: [{kind: rul, heading: A}, {kind: fact, heading: B}, {kind: fact, heading: C}]}",
            [
                "soul.yaml: pages.kinds names 'rul', which is no kind of event; did you mean 'rule'?",
                "soul.yaml: pages.kinds names 'fact' twice; the last heading counts",
            ],
        ),
    ],
)
def test_what_changes_nothing_is_warned_about(text: str, warnings: list[str]) -> None:
    assert parse_config(text)[1] == warnings


KEYS = st.text(max_size=8) | st.integers() | st.dates() | st.booleans()
PLAIN = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8) | st.dates(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner, max_size=3),
)


@settings(max_examples=50, deadline=None)
@given(st.dictionaries(st.sampled_from(["template", "toolkit", "fuzzy_days", "thresholds", "pages", "other"]), PLAIN))
def test_any_yaml_is_taken_or_refused_but_never_crashes(value: dict[str, Any]) -> None:
    with contextlib.suppress(RefusedError):
        parse_config(yaml.safe_dump(value, allow_unicode=True))
