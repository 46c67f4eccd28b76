"""Plain calls of `add` and `share` mean what click takes them for, and run without it."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import click
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agent_soul.cli import main, plain
from agent_soul.cli.fields import OPTIONS
from agent_soul.cli.sharing import share
from agent_soul.cli.writing import add

FLAGS = [*(flag for option in OPTIONS.values() for flag in option.flags), "--json", "--hub", "--budget"]
VALUES = [
    "",
    "0",
    "0.5",
    "1.5",
    "60",
    "6_0",
    "6.5",
    "\u0663",
    "-5",
    "- a b",
    "1e2",
    " 7 ",
    "nan",
    "a=b",
    "text",
    "-x",
    "\n",
]
ARGUMENTS = st.one_of(
    st.tuples(st.sampled_from(FLAGS), st.sampled_from(VALUES)),
    st.builds("{}={}".format, st.sampled_from(FLAGS), st.sampled_from(VALUES)).map(lambda word: (word,)),
    st.sampled_from([*FLAGS, *VALUES, "--stdin", "--help", "-h", "--", "-", "--kin", "--reattach"]).map(
        lambda word: (word,)
    ),
)


def of_click(command: click.Command, words: list[str]) -> dict[str, Any] | None:
    """Return the parameters that click reads in the words, but for those that nobody gave; None for a mistake."""
    try:
        with command.make_context("soul", list(words)) as context:
            return {
                name: value for name, value in context.params.items() if value not in (None, ()) and value is not False
            }
    except (click.UsageError, click.exceptions.Exit):
        return None


@settings(max_examples=300)
@given(st.lists(ARGUMENTS, max_size=4), st.booleans())
def test_click_reads_the_same(arguments: list[tuple[str, ...]], is_share: bool) -> None:
    words = [word for words in arguments for word in words]
    options = plain.SHARE if is_share else plain.ADD
    found = plain.read(words, options, takes_text=is_share)

    if found is not None:
        read = of_click(share if is_share else add, words)
        defaults = {"budget": 60} if is_share else {}
        assert defaults | found == read


def test_the_usual_calls_are_plain(hub: Path) -> None:
    """They do without click, and do what they are asked for."""
    program = (
        "import sys; from agent_soul.cli import main;"
        "event = ['--source', 'a-b', '--kind', 'fact', '--scope=stable', '--tag', 'x', '--tag=y', '--summary', 'one'];"
        "code = main(['--hub', sys.argv[1], 'add', *event])"
        " or main(['share', '--hub', sys.argv[1], '--source', 'a-b', '--json', 'two']);"
        "print(code, 'click' in sys.modules, file=sys.stderr)"
    )
    done = subprocess.run([sys.executable, "-c", program, str(hub)], capture_output=True, text=True, check=True)

    added, shared = map(json.loads, filter(None, done.stdout.split("\n")))
    assert done.stderr.strip().split("\n")[-1] == "0 False"
    assert (added["event"]["summary"], added["event"]["tags"]) == ("one", ["x", "y"])
    assert shared["outcome"] == "kept here"


@pytest.mark.parametrize("number", ["0", "0.0"])
def test_zero_is_a_number(hub: Path, number: str, capsys: pytest.CaptureFixture[str]) -> None:
    event = ["--source", "a-b", "--kind", "fact", "--scope", "stable", "--summary", "text", "--importance", number]

    assert main(["--hub", str(hub), "add", *event]) == 0

    assert json.loads(capsys.readouterr().out)["event"]["importance"] == 0
