"""The plainest `share` is read without the command line's library, and does and says the same."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from agent_soul.plain import Share, plain_share
from support import Soul, git

PLAIN = ("share", "--source", "a-b", "The build takes nine minutes.")


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (PLAIN, Share("a-b", PLAIN[-1], None)),
        (("share", PLAIN[-1], "--source", "a-b"), Share("a-b", PLAIN[-1], None)),
        (
            ("share", "--hub", "/hub", "用户习惯在晚上写代码。", "--source", "a-b"),
            Share("a-b", "用户习惯在晚上写代码。", "/hub"),
        ),
        (("share", "--source", "x", "--source", "a-b", "one - two"), Share("a-b", "one - two", None)),
        (("share", "text"), None),
        (("share", "--source", "a-b"), None),
        (("share", "--source"), None),
        (("share", "--source", "", "text"), None),
        (("share", "--source", "a-b", "one", "two"), None),
        (("share", "--source", "a-b", "- text"), None),
        (("share", "--source", "a-b", "—text"), None),
        (("share", "--source", "a-b", " text"), None),
        (("share", "--source", "a-b", ""), None),
        (("share", "--source=a-b", "text"), None),
        (("share", "--source", "—hub", "text"), None),
        (("share", "--source", "a-b", "--hub", "-x", "text"), None),
        (("share", "--source", "a-b", "--json", "text"), None),
        (("share", "--source", "a-b", "--kind", "fact", "text"), None),
        (("share", "--source", "a-b", "--", "text"), None),
        (("share", "--help"), None),
        (("add", "--source", "a-b", "text"), None),
        (("--hub", "/hub", "share", "--source", "a-b", "text"), None),
        ((), None),
    ],
)
def test_only_the_plainest_form_is_taken(arguments: Sequence[str], said: Share | None) -> None:
    assert plain_share(list(arguments)) == said


def test_the_source_may_come_from_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AGENT_SOUL_SOURCE", "a-b")

    assert plain_share(["share", "text"]) == Share("a-b", "text", None)
    assert plain_share(["share", "--source", "c-d", "text"]) == Share("c-d", "text", None)


@pytest.fixture
def shared_hub(git_hub: Path) -> Path:
    """Make the hub a clone of a bare remote that has it."""
    git(git_hub, "init", "-q", "--bare", "-b", "main", "../remote.git")
    git(git_hub, "remote", "add", "origin", "../remote.git")
    git(git_hub, "push", "-q", "-u", "origin", "main")
    return git_hub


def test_it_does_and_says_what_the_command_line_does(shared_hub: Path) -> None:
    told = [shared(shared_hub, *PLAIN), shared(shared_hub, *PLAIN, "--kind", "observation")]
    (log,) = (shared_hub / "sources" / "a-b").iterdir()
    plain, other = (json.loads(line) for line in log.read_text(encoding="utf-8").split("\n") if line)

    assert [loaded for _, loaded in told] == [False, True]
    assert all(re.fullmatch(r"shared: 1 event, \d pages? \([0-9a-f]{8}\)\n", said) for said, _ in told)
    assert list(plain) == list(other)
    assert without_own(plain) == without_own(other)


def test_what_is_refused_or_not_shared_is_told_in_the_same_words(soul: Soul, shared_hub: Path) -> None:
    assert (
        soul("share", "--source", "A_B", "text", code=2).stderr
        == soul("share", "--source", "A_B", "text", "--kind", "observation", code=2).stderr
    )
    git(shared_hub, "remote", "set-url", "origin", "../gone.git")

    assert soul(*PLAIN, code=4).stdout.startswith("safe here, not shared yet: ")


def test_where_stdout_takes_nothing_the_event_is_kept_all_the_same(shared_hub: Path) -> None:
    with Path("/dev/full").open("wb") as full:
        done = subprocess.run(
            [sys.executable, "-m", "agent_soul", *PLAIN],
            cwd=shared_hub,
            stdout=full,
            stderr=subprocess.PIPE,
            check=False,
        )

    assert done.returncode == 0
    assert b"though stdout could not be written" in done.stderr


def without_own(record: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in record.items() if name not in ("event_id", "ts")}


def shared(hub: Path, *arguments: str) -> tuple[str, bool]:
    """Return what a share prints, and whether it loaded click."""
    program = (
        "import sys; from agent_soul.start import main; code = main(sys.argv[1:]);"
        "print('click' in sys.modules, file=sys.stderr); raise SystemExit(code)"
    )
    done = subprocess.run(
        [sys.executable, "-c", program, *arguments], cwd=hub, capture_output=True, text=True, check=True
    )
    return done.stdout, done.stderr.strip().endswith("True")
