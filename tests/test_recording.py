"""The common events in one short line: what each command records, and what it refuses."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from agent_soul import recording
from support import Soul

FROM = ("--source", "a-b")


@pytest.fixture
def recorded(inside: Soul) -> Any:
    """Return a function that runs a command and returns the event that it recorded, without id and time."""

    def run(*arguments: str) -> dict[str, Any]:
        answer = json.loads(inside(*arguments, *FROM).stdout)
        return {name: value for name, value in answer["event"].items() if name not in ("event_id", "ts", "source")}

    return run


def test_a_key_is_known_before_a_topics_name_is_spelled_as_it_is_kept(inside: Soul) -> None:
    key = "ghp_" + "aB3dE5gH7jK9mN1pQ3sT5vW7yZ9bC1dF3gH5"

    refused = inside("topic", key, "It is kept in the vault.", *FROM, code=2)

    assert "topic holds what looks like a GitHub token (ghp_…)" in refused.stderr
    assert key[4:] not in refused.stderr
    inside("topic", key, "It is none.", "--allow-secret", *FROM)


@pytest.mark.parametrize(
    ("command", "expected"),
    [
        (
            ("lesson", "Binarise first.", "--agent", "ocr-agent", "--context", "invoices", "--applies-to", "ocr"),
            {"kind": "lesson", "scope": "agent", "agent": "ocr-agent", "summary": "Binarise first."}
            | {"lesson": {"context": "invoices", "applies_to": ["ocr"]}},
        ),
        (("lesson", "Ask early."), {"kind": "lesson", "scope": "agent", "agent": "a-b", "summary": "Ask early."}),
        (
            ("lesson", "Ask early.", "--project", "shop"),
            {"kind": "lesson", "scope": "project", "project": "shop", "summary": "Ask early."},
        ),
        (
            ("metric", "ocr_accuracy", "0.87", "--target", "0.95", "--unit", "ratio"),
            {"kind": "metric", "scope": "stable", "summary": "ocr_accuracy is 0.87 ratio (target 0.95)"}
            | {"metric": {"name": "ocr_accuracy", "value": 0.87, "target": 0.95, "unit": "ratio"}},
        ),
        (
            ("metric", "debt", "-5", "--project", "shop", "--target", "-3"),
            {"kind": "metric", "scope": "project", "project": "shop", "summary": "debt of shop is -5 (target -3)"}
            | {"metric": {"name": "debt", "value": -5, "target": -3}},
        ),
        (
            ("decision", "Sell to book-keepers.", "--rationale", "They stay.", "--status", "pending", "--by", "Lin"),
            {"kind": "decision", "scope": "stable", "summary": "Sell to book-keepers."}
            | {"decision": {"rationale": "They stay.", "by": "Lin", "status": "pending"}},
        ),
        (
            ("fact", "--entity", "Lucy", "--attribute", "summary_format", "--value", "bullet points"),
            {"kind": "fact", "scope": "stable", "summary": "Lucy, summary_format: bullet points"}
            | {"claim": {"entity": "Lucy", "attribute": "summary_format", "value": "bullet points"}},
        ),
        (
            ("fact", "-5 degrees are too cold.", "--scope", "profile", "--tag", "home", "--ref", "https://a.example/1"),
            {"kind": "fact", "scope": "profile", "summary": "-5 degrees are too cold."}
            | {"tags": ["home"], "refs": ["https://a.example/1"]},
        ),
    ],
    ids=lambda given: " ".join(given)[:40] if isinstance(given, tuple) else "",
)
def test_a_short_line_is_a_whole_event(recorded: Any, command: tuple[str, ...], expected: dict[str, Any]) -> None:
    assert recorded(*command) == expected


@pytest.mark.parametrize(
    ("command", "said"),
    [
        (("fact",), "there is no fact"),
        (("fact", "text", "--entity", "Lucy"), "missing: --attribute, --value"),
        (("metric", "speed", "fast"), "'fast' is not a number"),
        (("metric", "speed", "1_000"), "'1_000' is not a number"),
        (("metric", "speed", "٣"), "'٣' is not a number"),
        (("metric", "speed", "1", "--target", "inf"), "'inf' is not a number"),
        (("metric", "speed"), "nothing was measured as 'speed'"),
        (("decision", "Go.", "--status", "done"), "approved"),
        (("lesson", "text", "--importance", "2"), "'2' is not a number from 0 to 1"),
    ],
)
def test_what_does_not_fit_is_refused(inside: Soul, hub: Path, command: tuple[str, ...], said: str) -> None:
    assert said in inside(*command, *FROM, code=2).stderr
    assert list(hub.glob("sources/*")) == []


def test_a_source_is_asked_for(inside: Soul) -> None:
    assert "missing: --source" in inside("lesson", "Ask early.", code=2).stderr


def test_a_link_to_nothing_is_said_and_kept(inside: Soul) -> None:
    kept = json.loads(inside("fact", "Tabs are used.", *FROM).stdout)["event_id"]
    answer = json.loads(inside("decision", f"As [[{kept[:8]}]] and [[gone-1]] say.", *FROM).stdout)

    assert answer["warnings"] == ["[[gone-1]] links nothing: no event here has that id"]


def test_a_link_leads_to_the_page_of_what_it_names(inside: Soul, hub: Path) -> None:
    kept = json.loads(inside("fact", "Tabs are used.", "--project", "shop", *FROM).stdout)["event_id"]
    inside("lesson", f"Format before review, see [[{kept[:8]}]].", *FROM)
    inside("compile")

    page = (hub / "canonical" / "agents" / "a-b.md").read_text(encoding="utf-8")
    assert f"Format before review, see [[projects/shop|{kept[:8]}]]." in page


class TestMetrics:
    @pytest.fixture(autouse=True)
    def limited(self, hub: Path) -> None:
        (hub / "soul.yaml").write_text("thresholds:\n- {metric: accuracy, min: 0.9, reason: people read along}\n")

    def test_a_crossed_limit_is_said_where_it_is_recorded_compiled_and_checked(self, inside: Soul) -> None:
        said = "limit crossed: accuracy is 0.87, below 0.9 since "
        assert "limit" not in inside("metric", "accuracy", "0.93", *FROM).stderr
        assert inside("metric", "--check").stdout == ""
        assert said in inside("metric", "accuracy", "0.87", *FROM).stderr
        assert said in inside("compile").stderr
        assert "Waiting: 1 crossed limit of metrics: `soul metric --check`" in inside("boot", *FROM).stdout
        assert inside("metric", "--check", code=1).stdout.startswith(said)
        assert inside("metric", "accuracy", "--check", code=1).stdout.endswith(": people read along\n")
        assert inside("metric", "speed", "3", *FROM).stderr == ""
        assert inside("metric", "speed", "--check").stdout == ""

    def test_a_check_without_limits_says_that_a_target_is_none(self, inside: Soul, hub: Path) -> None:
        (hub / "soul.yaml").write_text("template: false\n")
        inside("metric", "accuracy", "0.87", "--target", "0.9", *FROM)
        assert "a target is none" in inside("metric", "--check").stderr
        assert "a target is none" not in inside("metric", "accuracy").stderr

    def test_json_says_ok_exactly_when_the_exit_code_does(self, inside: Soul) -> None:
        inside("metric", "accuracy", "0.87", *FROM)

        assert json.loads(inside("metric", "--check", "--json", code=1).stdout)["ok"] is False
        answer = json.loads(inside("metric", "--json").stdout)
        assert (answer["ok"], len(answer["crossed"])) == (True, 1)
        assert json.loads(inside("compile", "--json").stdout)["crossed"] == answer["crossed"]

    def test_history_and_trend_are_shown(self, inside: Soul) -> None:
        for value in ("0.91", "0.93", "0.97"):
            inside("metric", "accuracy", value, "--target", "1", *FROM)
        inside("metric", "speed", "3", *FROM)

        shown = inside("metric").stdout
        assert "accuracy: 0.97 (target 1), improving: 0.91 → 0.93 → 0.97\n  ▁▃█ 3 values, " in shown
        assert "speed: 3\n" in shown
        only = json.loads(inside("metric", "ACCURACY", "--json").stdout)["metrics"]
        assert [(each["name"], each["target"], each["trend"]) for each in only] == [("accuracy", 1, "improving")]
        assert [point["value"] for point in only[0]["history"]] == [0.91, 0.93, 0.97]


@pytest.mark.parametrize("category", ["facts", "fact"])
def test_a_category_is_a_list_of_memory_or_one_of_it(category: str) -> None:
    assert recording.of_category(category, {"summary": "text"})["kind"] == "fact"


class TestTopics:
    def test_a_new_truth_replaces_what_holds_and_stays_where_it_was_kept(self, inside: Soul, hub: Path) -> None:
        proof = json.loads(inside("fact", "Rows were lost.", *FROM).stdout)["event_id"]
        first = json.loads(inside("topic", "database", "We use MySQL.", "--project", "shop", *FROM).stdout)["event"]
        second = json.loads(
            inside("topic", "database", "We use PostgreSQL.", "--detail", f"See [[{proof[:8]}]].", *FROM).stdout
        )["event"]

        assert (second["project"], second["scope"], second["topic"]) == ("shop", "project", "database")
        assert second["supersedes"] == [first["event_id"]]
        inside("retract", proof, "--reason", "They were found.", *FROM)
        inside("compile")
        page = (hub / "canonical" / "topics" / "database.md").read_text(encoding="utf-8")
        assert "## Current truth\n- We use PostgreSQL. (" in page
        assert f"## Evidence\n- not shown: {proof[:8]} (retracted)\n" in page
        assert (
            f"## Replaced\n- We use MySQL. [superseded by {second['event_id'][:8]}] ({first['event_id'][:8]} " in page
        )
        (traced,) = json.loads(inside("why", second["event_id"], "--json").stdout)["results"]
        assert [line["text"][:22] for line in traced["lines"]] == ["- We use PostgreSQL. ("] * 2

    def test_a_name_alone_shows_what_holds(self, inside: Soul) -> None:
        told = ("We use PostgreSQL.", "--detail", "Version 16.")
        event = json.loads(inside("topic", "data base", *told, *FROM).stdout)["event"]

        shown = inside("topic", "Data Base", *FROM).stdout
        assert shown.startswith(event["event_id"][:8])
        assert shown.endswith("We use PostgreSQL.\nVersion 16.\n")
        assert json.loads(inside("topic", "data-base", "--json").stdout)["events"] == [event]
        assert "nothing is known of the topic 'cache'" in inside("topic", "cache", code=2).stderr
        assert "TEXT" in inside("topic", "data-base", "--detail", "Version 17.", code=2).stderr

    def test_both_truths_of_two_machines_are_replaced(self, inside: Soul, hub: Path) -> None:
        for name in ("desk", "mac"):
            event = {"event_id": f"{name}-1", "ts": "2026-03-01T09:00:00Z", "source": name, "kind": "topic"}
            event |= {"scope": "stable", "topic": "ci", "summary": f"CI runs on {name}."}
            (hub / "sources" / name).mkdir()
            (hub / "sources" / name / "2026-03-01.0a1b2c3d.ndjson").write_text(json.dumps(event) + "\n")

        for spelling in ("Database", "DATABASE", "data base"):
            named = json.loads(inside("topic", spelling, f"{spelling} it is.", *FROM).stdout)["event"]
            assert named["topic"] == spelling.lower().replace(" ", "-")
            assert ("supersedes" in named) == (spelling == "DATABASE")
        as_given = ("--kind", "topic", "--topic", "Mail", "--scope", "stable", "--summary", "We use Exim.", *FROM)
        old = json.loads(inside("add", *as_given).stdout)["event_id"]
        new = json.loads(inside("topic", "Mail", "We use Postfix.", *FROM).stdout)["event"]
        assert (new["topic"], new["supersedes"]) == ("mail", [old])
        answer = json.loads(inside("topic", "ci", "CI runs on both.", *FROM).stdout)
        assert set(answer["event"]["supersedes"]) == {"desk-1", "mac-1"}
        assert "supersedes" not in json.loads(inside("topic", "cd", "There is none.", *FROM).stdout)["event"]
