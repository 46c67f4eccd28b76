"""Text that begins with a dash is text, where a command takes text; options stay options."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from support import Soul

FACT = ("--source", "a-b", "--kind", "fact", "--scope", "stable")
LINE = "- The editor uses tabs -h is no help --json neither."


@pytest.fixture
def soul(inside: Soul) -> Soul:
    return inside


def test_a_line_of_a_page_is_text(soul: Soul, hub: Path) -> None:
    kept = json.loads(soul("add", *FACT, "--summary", "The editor uses tabs.").stdout)["event_id"]
    soul("compile")
    [line] = [row for row in (hub / "canonical" / "stable-memory.md").read_text().split("\n") if "tabs" in row]

    assert line.startswith("- ")
    assert json.loads(soul("why", line, "--json").stdout)["results"][0]["event_id"] == kept
    assert json.loads(soul("search", "- editor tabs", "--json").stdout)["results"][0]["event_id"] == kept


@pytest.mark.parametrize("text", [LINE, "-5 degrees in the office", "--kind of a remark"])
def test_what_is_shared_may_begin_with_a_dash(soul: Soul, text: str) -> None:
    done = json.loads(soul("share", "--source", "a-b", text, "--json", "--importance", "0.9").stdout)
    event = json.loads(soul("show", done["event_id"], "--json").stdout)["event"]
    assert (event["summary"], event["importance"]) == (text, 0.9)


def test_a_word_with_a_dash_is_an_option_all_the_same(soul: Soul) -> None:
    assert "No such option" in soul("share", "--source", "a-b", "--imortance=0.9", "text", code=2).stderr


def test_words_need_no_quotes(soul: Soul) -> None:
    kept = json.loads(soul("add", *FACT, "--summary", "The editor uses tabs.").stdout)["event_id"]
    assert json.loads(soul("why", "editor", "tabs", "--json").stdout)["results"][0]["event_id"] == kept
