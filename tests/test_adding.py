"""Adding one event to a hub, by the library and by the command."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from agent_soul import outbox
from agent_soul.adding import add, add_lines
from agent_soul.errors import RefusedError
from agent_soul.hub import Hub, open_hub
from agent_soul.log import parse_log, read_source_files
from agent_soul.references import find_event

RECORD = {"source": "home-mac", "kind": "fact", "scope": "stable", "summary": "Drinks tea."}
OPTIONS = [part for name, value in RECORD.items() for part in (f"--{name}", value)]


@pytest.fixture
def at(git_hub: Path) -> Hub:
    return open_hub(git_hub)


def logged(hub: Hub) -> list[str]:
    return [event.id for event in parse_log(read_source_files(hub.root)).events]


def test_adding_again_with_the_same_id_gives_the_first_event_back(at: Hub) -> None:
    first = add(at, {**RECORD, "event_id": "one"})
    again = add(at, {**RECORD, "event_id": "one"})
    assert (again.path, again.event.data) == (first.path, first.event.data)
    assert again.warnings == ("one was added before; it is there once",)
    assert logged(at) == ["one"]


KEY = "ghp_" + "aB3dE5gH7jK9mN1pQ3sT5vW7yZ9bC1dF3gH5"


@pytest.mark.parametrize("field", ["summary", "detail", "keywords", "strange"])
def test_a_key_is_refused_before_it_is_written_and_never_said(at: Hub, field: str) -> None:
    text = f"The deploy token is {KEY}."
    with pytest.raises(RefusedError, match=rf"^{field} holds what looks like a GitHub token \(ghp_…\)$") as refused:
        add(at, {**RECORD, field: [text] if field == "keywords" else text})
    assert KEY[4:] not in str(refused.value) + refused.value.hint
    assert logged(at) == []
    assert all(KEY.encode() not in file.read_bytes() for file in at.root.rglob("*") if file.is_file())


@pytest.mark.parametrize("before", ["the token:\n", "the token:\t", "令牌", '"', "C:\\n"])
def test_a_key_is_known_whatever_stands_before_it(at: Hub, before: str) -> None:
    with pytest.raises(RefusedError, match=r"^detail holds what looks like a GitHub token"):
        add(at, {**RECORD, "detail": f"{before}{KEY}\n"})


@pytest.mark.parametrize("field", ["kind", "scope", "source", "ts", "supersedes", "valid_until", KEY])
def test_a_key_in_the_wrong_place_is_not_said_either(at: Hub, field: str) -> None:
    with pytest.raises(RefusedError, match=r"holds what looks like a GitHub token \(ghp_…\)$") as refused:
        add(at, {**RECORD, field: [KEY] if field == "supersedes" else KEY})
    assert KEY[4:] not in str(refused.value) + refused.value.hint
    drafted, _ = add_lines(at, [json.dumps({**RECORD, field: KEY}).encode()], {})
    assert [KEY[4:] in refusal.reason for refusal in drafted.refused] == [False]


def test_in_bulk_a_key_is_known_by_what_its_escapes_mean(at: Hub) -> None:
    line = json.dumps({**RECORD, "summary": KEY}).replace("ghp_", "\\u0067hp_").encode()
    assert b"ghp_" not in line
    drafted, _ = add_lines(at, [line], {})
    assert [refusal.reason for refusal in drafted.refused] == ["summary holds what looks like a GitHub token (ghp_…)"]
    assert logged(at) == []


def test_what_its_writer_allows_is_kept_with_a_warning(at: Hub) -> None:
    added = add(at, {**RECORD, "summary": f"The deploy token is {KEY}.", "allow_secret": True})
    (warning,) = added.warnings
    assert warning.startswith("this looks like a GitHub token (ghp_…): revoke it")
    assert KEY[4:] not in warning
    assert "allow_secret" not in added.event.data
    assert logged(at) == [added.event.id]


def test_in_bulk_a_key_costs_its_own_line_alone(at: Hub) -> None:
    summaries = ["Drinks tea.", f"The token is {KEY}.", "Drinks coffee."]
    lines = [json.dumps({**RECORD, "summary": summary}).encode() for summary in summaries]
    allowed = json.dumps({**RECORD, "summary": summaries[1], "allow_secret": True}).encode()
    drafted, _ = add_lines(at, [*lines, allowed], {})
    assert [refusal.line for refusal in drafted.refused] == [2]
    assert drafted.refused[0].reason == "summary holds what looks like a GitHub token (ghp_…)"
    assert len(logged(at)) == 3
    assert b"allow_secret" not in b"".join(file.read_bytes() for file in at.sources.rglob("*.ndjson"))


def test_a_key_among_the_defaults_of_a_bulk_command_is_refused(at: Hub) -> None:
    drafted, _ = add_lines(at, [json.dumps(RECORD).encode()], {"detail": KEY})
    assert [refusal.line for refusal in drafted.refused] == [1]
    assert logged(at) == []


def test_adding_again_finds_an_event_that_only_the_outbox_has(at: Hub) -> None:
    first = add(at, {**RECORD, "event_id": "one"})
    (at.root / first.path).unlink()
    assert add(at, {**RECORD, "event_id": "one"}).event.data == first.event.data
    assert logged(at) == ["one"]


def test_an_id_with_other_content_is_refused(at: Hub) -> None:
    add(at, {**RECORD, "event_id": "one"})
    with pytest.raises(RefusedError, match="'one' is the id of another event already"):
        add(at, {**RECORD, "event_id": "one", "summary": "Drinks coffee."})
    assert logged(at) == ["one"]


def test_an_id_that_is_named_elsewhere_is_still_free(at: Hub) -> None:
    add(at, {**RECORD, "event_id": "other", "supersedes": ["one"]})
    assert add(at, {**RECORD, "event_id": "one"}).event.id == "one"


def test_prefixes_of_what_is_replaced_are_written_out(at: Hub) -> None:
    whole = add(at, RECORD).event.id
    added = add(at, {**RECORD, "summary": "Drinks coffee.", "supersedes": [whole[:8], whole]})
    assert added.event.supersedes == (whole,)
    assert added.warnings == ()


def test_a_prefix_of_several_ids_is_refused(at: Hub) -> None:
    for name in ("abc-1", "abc-2"):
        add(at, {**RECORD, "event_id": name})
    with pytest.raises(RefusedError, match="'abc' begins the ids of 2 events: abc-1, abc-2"):
        add(at, {**RECORD, "supersedes": "abc"})
    add(at, {**RECORD, "event_id": "abc"})
    assert add(at, {**RECORD, "supersedes": "abc"}).event.supersedes == ("abc",), "an exact id is no prefix"


def test_an_unknown_id_is_kept_with_a_warning(at: Hub) -> None:
    added = add(at, {**RECORD, "supersedes": "not-here"})
    assert added.event.supersedes == ("not-here",)
    assert "no event here has that id yet" in added.warnings[0]


@pytest.mark.parametrize("wrong", [5, {"a": 1}, [5], [""], [None], ["no way"]])
def test_wrong_ids_are_refused(at: Hub, wrong: Any) -> None:
    with pytest.raises(RefusedError, match="supersedes"):
        add(at, {**RECORD, "supersedes": wrong})
    assert logged(at) == []


def test_finding_an_event(at: Hub) -> None:
    event = add(at, RECORD).event
    events = parse_log(read_source_files(at.root)).events
    assert find_event(events, event.id[:8]).id == event.id
    for wanted in ("", "zzz"):
        with pytest.raises(RefusedError, match="no event has the id"):
            find_event(events, wanted)


def test_two_first_commands_at_once_make_one_clone_id(git_hub: Path) -> None:
    command = [sys.executable, "-m", "agent_soul", "add", "--hub", str(git_hub), *OPTIONS]
    started = [subprocess.Popen(command, stdout=subprocess.PIPE) for _ in range(4)]
    paths = {json.loads(process.communicate()[0])["path"] for process in started}
    assert len(paths) == 1
    assert len(logged(open_hub(git_hub))) == 4


def test_the_answer_is_utf_8_on_any_console(git_hub: Path) -> None:
    command = [sys.executable, "-m", "agent_soul", "add", "--hub", str(git_hub), *OPTIONS, "--summary", "用户喜欢茶"]
    done = subprocess.run(command, capture_output=True, env=_surroundings(PYTHONIOENCODING="ascii", LC_ALL="C"))
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["event"]["summary"] == "用户喜欢茶"


@pytest.mark.parametrize("source", ["a1\n", "-rf", "../x", "A"])
def test_a_wrong_source_makes_no_folder(git_hub: Path, source: str) -> None:
    command = [sys.executable, "-m", "agent_soul", "add", "--hub", str(git_hub), *OPTIONS, f"--source={source}"]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 2
    assert "source: " in done.stderr
    assert not list((git_hub / "sources").iterdir())


def _surroundings(**changes: str) -> dict[str, str]:
    import os

    return {**os.environ, **changes}


def test_two_bulk_commands_with_the_same_ids_keep_each_event_once(at: Hub) -> None:
    lines = "\n".join(json.dumps({**RECORD, "event_id": f"same-{n}", "summary": f"Fact {n}."}) for n in range(300))
    command = [sys.executable, "-m", "agent_soul", "--hub", str(at.root), "add", "--stdin"]
    with ThreadPoolExecutor(4) as pool:
        running = [pool.submit(subprocess.run, command, input=lines, capture_output=True, text=True) for _ in range(4)]
    answers = [json.loads(each.result().stdout) for each in running]

    assert [answer["added"] for answer in answers] == [300] * 4
    assert sorted(logged(at)) == sorted(f"same-{n}" for n in range(300))


def test_lines_that_came_while_a_bulk_command_read_are_seen(at: Hub) -> None:
    record = {**RECORD, "event_id": "the-one"}
    lines = [json.dumps(record).encode(), b""]
    read: list[int] = []

    def overtaken(size: int) -> None:
        read.append(size)
        if len(read) == 2:  # the first line is drafted, and the log was read for its id
            add(at, record)

    add_lines(at, lines, {}, overtaken)
    assert logged(at) == ["the-one"]


def test_a_line_is_measured_with_the_defaults_that_fill_it_in(at: Hub) -> None:
    defaults = {**RECORD, "paths": ["\u9577" * 1021] * 371}
    drafted, _ = add_lines(at, [b"{}", b'{"paths": ["short"]}'], defaults)
    assert [refusal.line for refusal in drafted.refused] == [1]
    assert logged(at) == [event.id for event in drafted.lines]


def test_a_pipe_in_the_outbox_hangs_nobody(at: Hub) -> None:
    add(at, RECORD)
    os.mkfifo(at.outbox / "0.ndjson")
    other = add(at, {**RECORD, "event_id": "other-id", "summary": "Another.", "supersedes": ["nobody"]}).event
    assert logged(at)[-1] == other.id
    assert [problem.code for problem in outbox.entries(at)[1]] == ["outbox"]
