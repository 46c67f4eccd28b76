"""The index: it follows the log, it is never needed, and nothing that happens to it shows in an answer."""

from __future__ import annotations

import json
import os
import shutil
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from agent_soul.compiler import resolve_hub
from agent_soul.conflicts import find_conflicts
from agent_soul.event import SCOPES
from agent_soul.hub import Hub, open_hub
from agent_soul.judgements import noted_contradictions, remembered_contradictions
from agent_soul.log import read_source_files
from agent_soul.outbox import whole_log
from agent_soul.projects import folded
from agent_soul.resolve import Resolution, resolve
from agent_soul.searching import filters
from agent_soul.searching.filters import Filters
from agent_soul.searching.finding import find, open_index
from agent_soul.searching.index import FILE, Index, connect, connect_to_read
from agent_soul.searching.indexing import update
from agent_soul.searching.scanning import scan
from agent_soul.settings import load_config
from hubs import event
from support import Soul

TODAY = "2026-03-10"
EVERYTHING = Filters(statuses=frozenset())
DAY_FILE = "sources/mac/2026-03-01.0a1b2c3d.ndjson"


def write(file: Path, *records: dict[str, Any], mode: str = "a") -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    with file.open(mode, encoding="utf-8") as opened:
        opened.writelines(json.dumps(record, ensure_ascii=False) + "\n" for record in records)


def ids(index: Index, text: str, wanted: Filters = EVERYTHING) -> list[str]:
    return [result.found.id for result in find(index, text, (), wanted, TODAY).results()]


def fresh(hub: Hub, today: str = TODAY) -> Index:
    """Return an index that is made from nothing."""
    database = connect(":memory:")
    update(database, hub, today)
    return Index(database)


def answers(index: Index) -> list[tuple[Any, ...]]:
    """Return what an index says, without the numbers that it gives to events."""
    said: list[tuple[Any, ...]] = []
    for text in ("", "fact number deploys", "端口 部署 deploys", "fact of 2026-03-01"):
        for found, ranked, matched in find(index, text, (), EVERYTHING, TODAY).results():
            said.append((text, *found[1:], ranked.total, matched))
    said += sorted(index.conflicts([row[0] for row in index.connection.execute("SELECT number FROM event")]).values())
    columns = "id, path, line, status, reason, caused_by, copies, sources"
    said += index.connection.execute(f"SELECT {columns} FROM event ORDER BY path, line").fetchall()
    return [*said, *index.vocabulary()]


def conflicts_of(index: Index) -> dict[str, list[tuple[str, ...]]]:
    """Return what an index says of each event that is in a conflict, by its id."""
    numbers = [row[0] for row in index.connection.execute("SELECT number FROM event")]
    ids = {number: found.id for number, found in index.found(numbers).items()}
    found = index.conflicts(numbers).items()
    return {ids[number]: sorted((each.id, *each.rivals) for each in conflicts) for number, conflicts in found}


def resolution_on(hub: Hub, day: str) -> Resolution:
    return folded(resolve(whole_log(hub).events, day, load_config(hub)[0]))


def conflicts_as_shown(hub: Hub, day: str) -> dict[str, list[tuple[str, ...]]]:
    """Return the same by what the whole log says, with the contradictions of texts that were found before."""
    said: dict[str, list[tuple[str, ...]]] = {}
    for conflict in find_conflicts(resolution_on(hub, day), noted_contradictions(hub)):
        for id_, rivals in conflict.against.items():
            said.setdefault(id_, []).append((conflict.id, *rivals))
    return {id_: sorted(each) for id_, each in said.items()}


def look_for_contradictions(hub: Hub, day: str) -> None:
    """Compare the texts of the log with each other, as a compile does."""
    with remembered_contradictions(hub) as look:
        find_conflicts(resolution_on(hub, day), look)


class TestItFollowsTheLog:
    def test_it_looks_at_the_files_that_the_log_reads(self, hub: Path) -> None:
        write(hub / DAY_FILE, event(1))
        write(hub / "sources/mac/deep/er/2026-03-02.0a1b2c3d.ndjson", event(2))
        write(hub / "sources/top.ndjson", event(3))
        write(hub / "sources/mac/notes.json", event(4))
        (hub / "sources/mac/link.ndjson").symlink_to(hub / DAY_FILE)
        (hub / "sources/other").symlink_to(hub / "sources/mac")
        write(hub / "sources/mac/hard.ndjson", event(5))
        os.link(hub / "sources/mac/hard.ndjson", hub / "sources/mac/hard-too.ndjson")
        os.mkfifo(hub / "sources/mac/pipe.ndjson")
        write(hub / "sources/mac/folder.ndjson/inside.ndjson", event(6))

        assert list(scan(open_hub(hub)).log) == list(read_source_files(hub).contents)
        assert len(scan(open_hub(hub)).log) == 3

    def test_an_appended_line_is_found_and_the_old_ones_are_not_read_again(self, hub: Path) -> None:
        write(hub / DAY_FILE, event(1, "The port is 8080."))
        before = open_index(open_hub(hub), TODAY).numbers_of_ids(["event-1"])
        write(hub / DAY_FILE, event(2, "The port is 9090."))
        index = open_index(open_hub(hub), TODAY)

        assert sorted(ids(index, "port")) == ["event-1", "event-2"]
        assert index.numbers_of_ids(["event-1"]) == before

    def test_a_rewritten_file_is_read_anew(self, hub: Path) -> None:
        write(hub / DAY_FILE, event(1, "The port is 8080."), event(2, "The cache is warm."))
        open_index(open_hub(hub), TODAY)
        write(hub / DAY_FILE, event(1, "The port is 9090."), mode="w")
        index = open_index(open_hub(hub), TODAY)

        assert ids(index, "9090") == ["event-1"]
        assert ids(index, "8080 cache") == []

    def test_a_removed_file_is_forgotten(self, hub: Path) -> None:
        write(hub / DAY_FILE, event(1))
        open_index(open_hub(hub), TODAY)
        (hub / DAY_FILE).unlink()
        index = open_index(open_hub(hub), TODAY)

        assert (index.count, index.vocabulary()) == (0, [])

    def test_nothing_is_written_where_nothing_changed(self, hub: Path) -> None:
        write(hub / DAY_FILE, event(1))
        open_index(open_hub(hub), TODAY)
        place = open_hub(hub).state / FILE
        before = place.stat()
        open_index(open_hub(hub), TODAY)

        assert (place.stat().st_mtime_ns, place.stat().st_ino) == (before.st_mtime_ns, before.st_ino)

    def test_what_the_outbox_alone_holds_is_found_and_the_rest_only_once(self, hub: Path) -> None:
        opened = open_hub(hub)
        write(hub / DAY_FILE, event(1, "The port is 8080."))
        write(opened.outbox / "1.ndjson", event(1, "The port is 8080."), event(2, "The port is 9090."))

        assert sorted(ids(open_index(opened, TODAY), "port", Filters())) == ["event-1", "event-2"]
        assert [verdict.event.id for verdict in resolve_hub(opened).active] == ["event-1", "event-2"]

    def test_a_status_turns_with_the_day_in_both_directions(self, hub: Path) -> None:
        write(
            hub / DAY_FILE,
            event(1, "Until the tenth.", valid_until="2026-03-10"),
            event(2, "From the twelfth.", valid_from="2026-03-12"),
            event(3, "Passing.", scope="fuzzy"),
            event(4, "Ahead of its time.", ts="2026-03-20T10:00:00Z"),
        )
        opened = open_hub(hub)
        days = ("2026-03-10", "2026-03-11", "2026-03-12", "2026-03-02", "2026-03-08", "2026-03-09")
        turned = [answers(open_index(opened, day)) for day in days]

        assert turned == [answers(fresh(opened, day)) for day in days]
        assert ids(open_index(opened, "2026-03-02"), "", Filters()) == ["event-3", "event-1"]

    def test_settings_that_decide_a_status_are_followed(self, hub: Path) -> None:
        write(hub / DAY_FILE, event(1, scope="fuzzy"))
        assert ids(open_index(open_hub(hub), TODAY), "fact", Filters()) == []
        (hub / "soul.yaml").write_text("fuzzy_days: 30\n", encoding="utf-8")

        assert ids(open_index(open_hub(hub), TODAY), "fact", Filters()) == ["event-1"]


# What happens to a log: an event, perhaps one that acts on another; a file that is rewritten or goes; another day.
NUMBERS = st.integers(0, 11)
ACTS: dict[str, dict[str, Any]] = {
    "plain": {},
    "again": {"summary": "Deploys from the pipeline."},
    "fuzzy": {"scope": "fuzzy"},
    "proposed": {"proposed": True},
    "until": {"valid_until": "2026-03-11"},
    "ahead": {"ts": "2026-03-12T10:00:00Z"},
    "project": {"scope": "project", "project": "支付", "summary": "部署端口是 8080"},
}
SOURCES = ("mac", "phone")


def recorded(number: int, act: str, target: int, source: str) -> dict[str, Any]:
    named = f"event-{target}"
    match act:
        case "supersede":
            return event(number, source=source, supersedes=[named])
        case "retract":
            return event(number, "It was wrong.", source=source, kind="retraction", supersedes=[named])
        case "approve" | "archive" | "settle":
            mark = {"action": act, "targets": [named]}
            return event(number, "Decided.", source=source, kind="mark", mark=mark)
    return event(number, **{"source": source, **ACTS[act]})


APPENDS = st.tuples(
    st.just("append"),
    NUMBERS,
    st.sampled_from([*ACTS, "supersede", "supersede", "retract", "approve", "archive", "settle"]),
    NUMBERS,
    st.sampled_from(SOURCES),
)
CHANGES = st.tuples(
    st.sampled_from(["shuffle", "remove", "tear", "day"]), NUMBERS, st.just(""), NUMBERS, st.sampled_from(SOURCES)
)


def change(hub: Path, step: tuple[str, int, str, int, str], day: str) -> str:
    """Do one step to the log and return the day after it."""
    what, number, act, target, source = step
    file = hub / f"sources/{source}/2026-03-01.0a1b2c3d.ndjson"
    lines = file.read_bytes().split(b"\n") if file.exists() else []
    match what:
        case "append":
            if lines and lines[-1]:
                write(file)
                with file.open("ab") as opened:
                    opened.write(b"\n")
            write(file, recorded(number, act, target, source))
        case "shuffle" if lines:
            file.write_bytes(b"\n".join(sorted(filter(None, lines))) + b"\n")
        case "remove":
            file.unlink(missing_ok=True)
        case "tear" if lines:
            file.write_bytes(b"\n".join(lines)[:-7])
        case "day":
            return f"2026-03-{2 + number:02}"
    return day


@settings(max_examples=120, deadline=None)
@given(st.lists(st.one_of(APPENDS, APPENDS, APPENDS, CHANGES), min_size=1, max_size=12))
@example(
    [
        ("append", 0, "plain", 0, "mac"),
        ("append", 10, "retract", 0, "phone"),
        ("tear", 0, "", 0, "phone"),
    ]
)
def test_an_index_that_was_brought_up_to_date_says_what_a_fresh_one_says(steps: list[Any]) -> None:
    with tempfile.TemporaryDirectory() as folder, pytest.MonkeyPatch.context() as patch:
        patch.setattr("agent_soul.searching.statuses._MANY", 100)  # a hub so small would be resolved whole every time
        hub = Path(folder)
        (hub / "sources").mkdir()
        (hub / "soul.yaml").touch()
        opened = Hub(hub, hub / "state", None)
        day = TODAY
        for step in steps:
            day = change(hub, step, day)
            updated = open_index(opened, day)
            assert answers(updated) == answers(fresh(opened, day))
            updated.connection.close()
        assert (opened.state / FILE).is_file()


def marked(number: int, action: str, *targets: str, **fields: Any) -> dict[str, Any]:
    return event(number, "Decided.", kind="mark", mark={"action": action, "targets": list(targets), **fields})


def indented_by(value: str, entity: str) -> dict[str, Any]:
    return {"summary": f"Likes {value}.", "claim": {"entity": entity, "attribute": "indent", "value": value}}


# Conflicts by claim, by text and in one project under two names; and what ends one, or does so no longer.
DISPUTED = (
    event(1, valid_until="2026-03-11", **indented_by("tabs", "editor")),
    event(2, **indented_by("spaces", "Editor")),
    event(3, **indented_by("spaces", "Editor")),
    event(4, "The gateway listens on port 8080."),
    event(5, "The gateway listens on port 9090."),
    event(6, "The gateway listens on port 9090.", source="phone"),
    event(7, "The gateway listens on port 7070."),
    event(8, scope="project", project="Pay", **indented_by("tabs", "file")),
    event(9, scope="project", project="支付", **indented_by("spaces", "file")),
    marked(10, "alias", "Pay", to="支付"),
    marked(11, "settle", "event-1", "event-2"),
    marked(12, "settle", "event-4", "event-5"),
    event(13, "No.", kind="retraction", supersedes=["event-11", "event-12"]),
    event(14, "No.", kind="retraction", supersedes=["event-9"]),
)


@settings(max_examples=25, deadline=None)
@given(st.permutations(DISPUTED), st.integers(2, 14), st.integers(0, 14))
@example([*DISPUTED], 11, 10)
@example([*DISPUTED], 13, 11)
@example([*DISPUTED[6::-1]], 7, 7)
def test_an_index_names_the_conflicts_that_the_whole_log_has(
    records: list[dict[str, Any]], most: int, compared: int
) -> None:
    with tempfile.TemporaryDirectory() as folder:
        hub = Path(folder)
        (hub / "soul.yaml").touch()
        opened = Hub(hub, hub / "state", None)
        opened.state.mkdir()
        write(hub / DAY_FILE, *records[:compared])
        look_for_contradictions(opened, TODAY)
        open_index(opened, TODAY).connection.close()
        write(hub / DAY_FILE, *records[compared:most])
        for day in (TODAY, "2026-03-12"):
            with open_index(opened, day) as updated:
                assert conflicts_of(updated) == conflicts_of(fresh(opened, day)) == conflicts_as_shown(opened, day)


def test_search_and_why_agree_on_every_status(hub: Path, inside: Soul) -> None:
    write(
        hub / DAY_FILE,
        event(1, "Deploys by hand."),
        event(2, "Deploys from the pipeline.", supersedes=["event-1"]),
        event(3, "Deploys from the pipeline."),
        event(4, "Deploys on Fridays."),
        event(5, "It was a joke.", kind="retraction", supersedes=["event-4"]),
        event(6, "Deploys wait for approval.", proposed=True),
        event(7, "Deploys are slow this week.", scope="fuzzy"),
        event(8, "Deploys froze.", valid_until="2026-03-02"),
        event(9, "Deploys go to the moon."),
        event(9, "Deploys go to Mars."),
    )
    found = json.loads(inside("search", "deploys joke", "--all", "--limit", "0", "--json").stdout)["results"]
    told = {
        row["event_id"]: json.loads(inside("why", row["event_id"], "--json").stdout)["results"][0]
        for row in found
        if row["event_id"] != "event-9"
    }

    assert len(found) == 10
    assert all(told[row["event_id"]]["status"] == row["status"] for row in found if row["event_id"] in told)
    assert all(told[row["event_id"]]["by"] == row["by"] for row in found if row["event_id"] in told)
    assert {row["status"] for row in found if row["event_id"] == "event-9"} == {"quarantined"}
    assert len({row["status"] for row in found}) >= 7


def test_search_show_and_why_name_the_same_open_conflicts(hub: Path, inside: Soul) -> None:
    write(
        hub / DAY_FILE,
        event(1, "The gateway listens on port 8080."),
        event(2, "The gateway listens on port 9090."),
        event(3, "Likes tabs at the gateway.", claim={"entity": "editor", "attribute": "indent", "value": "tabs"}),
        event(4, "Likes spaces.", claim={"entity": "editor", "attribute": "indent", "value": "spaces"}),
        event(5, "The gateway is made of steel."),
    )
    inside("compile")
    (by_claim, by_text) = sorted(
        json.loads(inside("conflicts", "--json").stdout)["conflicts"], key=lambda each: not each["certain"]
    )
    found = {row["event_id"]: row for row in json.loads(inside("search", "gateway", "--json").stdout)["results"]}
    said = inside("search", "gateway")

    rivals = {"event-1": ["event-2"], "event-2": ["event-1"], "event-3": ["event-4"]}
    in_conflict = {id_: (row["conflicts"], row["conflicts_with"]) for id_, row in found.items() if "conflicts" in row}
    assert in_conflict == {
        id_: ([by_claim["id"] if id_ == "event-3" else by_text["id"]], against) for id_, against in rivals.items()
    }
    for id_, expected in in_conflict.items():
        shown = json.loads(inside("show", id_, "--json").stdout)
        (told,) = json.loads(inside("why", id_, "--json").stdout)["results"]
        assert expected == (shown["conflicts"], shown["conflicts_with"]) == (told["conflicts"], told["conflicts_with"])
    assert f"port 8080. ⚠ CONFLICT with event-2 ({by_text['id']})" in said.stdout
    assert f"⚠ CONFLICT with event-1 ({by_text['id']})" in inside("why", "event-2").stdout
    assert "steel.\n" in said.stdout
    assert f"`soul resolve {by_text['id']}" in said.stderr or f"`soul resolve {by_claim['id']}" in said.stderr
    inside("resolve", by_text["id"], "--both", "Two gateways.", "--source", "a-b")
    inside("retract", "event-4", "--reason", "No more.", "--source", "a-b")
    assert "CONFLICT" not in inside("search", "gateway").stdout


def test_the_scopes_are_those_of_the_schema() -> None:
    assert filters.SCOPES == SCOPES


@contextmanager
def spoiled(place: Path, how: str) -> Iterator[None]:
    """Do something to the index that is there."""
    state = place.parent
    match how:
        case "deleted":
            place.unlink()
        case "state folder deleted":
            shutil.rmtree(state)
        case "empty":
            place.write_bytes(b"")
        case "no database":
            place.write_bytes(b"This is no database. " * 500)
        case "cut":
            place.write_bytes(place.read_bytes()[: place.stat().st_size // 2])
        case "a folder":
            place.unlink()
            place.mkdir()
        case "of another version":
            with sqlite3.connect(place) as database:
                database.execute("UPDATE meta SET value = 'older'")
                database.execute("DROP TABLE turn")
        case "a journal of another":
            Path(f"{place}-journal").write_bytes(os.urandom(5000))
    yield


HOWS = (
    "deleted",
    "state folder deleted",
    "empty",
    "no database",
    "cut",
    "a folder",
    "of another version",
    "a journal of another",
)


class TestItIsNeverNeeded:
    @pytest.mark.parametrize("how", HOWS)
    def test_whatever_is_done_to_it_the_answer_stays(self, hub: Path, how: str) -> None:
        write(hub / DAY_FILE, *(event(n, f"Fact {n} says deploys.") for n in range(30)))
        opened = open_hub(hub)
        index = open_index(opened, TODAY)
        said = answers(index)
        index.connection.close()
        with spoiled(opened.state / FILE, how):
            assert answers(open_index(opened, TODAY)) == said
            write(hub / DAY_FILE, event(99, "Another fact."))
            assert answers(open_index(opened, TODAY)) == answers(fresh(opened))

    def test_a_state_folder_that_cannot_be_made(self, hub: Path) -> None:
        write(hub / DAY_FILE, event(1))
        (hub / "file").touch()
        opened = Hub(hub, hub / "file" / "state", None)

        assert ids(open_index(opened, TODAY), "fact") == ["event-1"]

    def test_one_that_another_process_holds_on_to(self, hub: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        write(hub / DAY_FILE, event(1))
        opened = open_hub(hub)
        open_index(opened, TODAY).connection.close()
        write(hub / DAY_FILE, event(2))
        monkeypatch.setattr("agent_soul.searching.index._WAIT_SECONDS", 0.05)
        with _held(opened.state / FILE):
            index = open_index(opened, TODAY)
            place = index.connection.execute("PRAGMA database_list").fetchone()[2]

        assert sorted(ids(index, "fact")) == ["event-1", "event-2"]
        assert place == ""  # in memory

    def test_one_that_may_only_be_read(self, hub: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        """Root may write anywhere, so the system's refusal is had by a flag of SQLite's own."""
        write(hub / DAY_FILE, event(1))
        opened = open_hub(hub)
        open_index(opened, TODAY).connection.close()
        before = (opened.state / FILE).stat()
        monkeypatch.setattr("agent_soul.searching.indexing.connect", _read_only)
        assert ids(open_index(opened, TODAY), "fact") == ["event-1"]
        write(hub / DAY_FILE, event(2))

        assert sorted(ids(open_index(opened, TODAY), "fact")) == ["event-1", "event-2"]
        assert (opened.state / FILE).stat().st_mtime_ns == before.st_mtime_ns


def _read_only(place: str | Path) -> sqlite3.Connection:
    return connect(place) if place == ":memory:" else connect_to_read(Path(place))


@contextmanager
def _held(place: Path) -> Iterator[None]:
    """Let another process write to the index and not finish."""
    program = (
        "import sqlite3, sys; c = sqlite3.connect(sys.argv[1], isolation_level=None);"
        "c.execute('BEGIN EXCLUSIVE'); print('held', flush=True); sys.stdin.read()"
    )
    with subprocess.Popen(
        [sys.executable, "-c", program, str(place)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as holder:
        assert holder.stdout
        assert holder.stdout.readline() == "held\n"
        yield
        holder.communicate()


SEARCH = [sys.executable, "-m", "agent_soul", "search", "fact", "--json", "--limit", "3"]


class TestSeveralAtOnce:
    def test_two_that_both_find_it_out_of_date(self, hub: Path) -> None:
        for day in range(10):
            write(
                hub / f"sources/mac/2026-03-{day + 1:02}.0a1b2c3d.ndjson", *(event(day * 100 + n) for n in range(100))
            )
        running = [subprocess.Popen(SEARCH, cwd=hub, stdout=subprocess.PIPE) for _ in range(4)]
        said = [process.communicate(timeout=120)[0] for process in running]
        totals = [json.loads(each)["total"] for each in said]

        assert totals == [1000] * 4
        assert answers(open_index(open_hub(hub), TODAY)) == answers(fresh(open_hub(hub)))

    def test_killed_at_any_moment_it_goes_on(self, hub: Path) -> None:
        opened = open_hub(hub)
        number = 0
        for attempt in range(12):
            write(
                hub / f"sources/mac/2026-03-{attempt + 1:02}.0a1b2c3d.ndjson", *(event(number + n) for n in range(150))
            )
            number += 150
            process = subprocess.Popen(SEARCH, cwd=hub, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            time.sleep(0.12 + 0.05 * attempt)
            process.send_signal(signal.SIGKILL)
            process.wait()
            index = open_index(opened, TODAY)
            assert len(ids(index, "fact")) == number
            index.connection.close()

        assert answers(open_index(opened, TODAY)) == answers(fresh(opened))
