"""Odd surroundings: closed and full outputs, odd and huge arguments, locales, time zones, pipes, little memory."""

from __future__ import annotations

import json
import os
import resource
import shlex
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

import pytest

from bad_input.builders import line, source_file
from bad_input.harness import Result, assert_harmless, run

SOUL = f"{shlex.quote(sys.executable)} -m agent_soul"
ADD = "add --source my-laptop --kind fact --scope stable --summary 'A line to keep.'"
ADD_WITH = shlex.split(ADD)
TIME_LIMIT = 30


def shell(hub: Path, command: str, *, env: Mapping[str, str] | None = None, stdin: bytes = b"") -> Result:
    """Run a shell command in the hub, `soul` being the command line; its exit code is that of `soul`, not of a pipe."""
    script = f'soul() {{ {SOUL} "$@"; }}; set -o pipefail; {command}'
    done = subprocess.run(
        ["bash", "-c", script],
        cwd=hub,
        env={**os.environ, **(env or {})},
        input=stdin,
        capture_output=True,
        timeout=TIME_LIMIT,
    )
    result = Result(done.returncode, done.stdout.decode("utf-8"), done.stderr.decode("utf-8"))
    assert_harmless(result, command)
    return result


def kept(hub: Path) -> list[dict[str, object]]:
    """Return the events that stand in the source files."""
    return [
        json.loads(raw) for file in sorted(hub.glob("sources/*/*.ndjson")) for raw in file.read_bytes().splitlines()
    ]


@pytest.fixture
def in_zone(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[str], None]]:
    """Return a function that moves this process to another time zone until the test ends."""

    def move(zone: str) -> None:
        monkeypatch.setenv("TZ", zone)
        time.tzset()

    yield move
    monkeypatch.undo()
    time.tzset()


@pytest.fixture
def full_hub(hub: Path) -> Path:
    """Make a hub with more to print than a pipe holds."""
    many = [line(event_id=f"many-{number}", summary=f"Line {number} of many. {'x' * 200}") for number in range(2_000)]
    source_file(hub).write_bytes(b"\n".join(many) + b"\n")
    return hub


class TestOutputThatNobodyTakes:
    def test_search_into_head(self, full_hub: Path) -> None:
        result = shell(full_hub, "soul search --limit 0 | head -1; exit ${PIPESTATUS[0]}")

        assert result.code == 0
        assert result.out.count("\n") == 1
        assert "rror" not in result.err

    @pytest.mark.parametrize("command", ["validate", "search --json --limit 0", "compile --dry-run"])
    def test_a_reader_that_is_gone(self, full_hub: Path, command: str) -> None:
        source_file(full_hub).with_name("bad.ndjson").write_bytes(b"not JSON\n" * 5_000)

        result = shell(full_hub, f"(sleep 0.3; soul {command}; echo $? >&3) 3>code | true")

        assert (full_hub / "code").read_text() in ("0\n", "1\n")
        assert "rror" not in result.err

    @pytest.mark.parametrize("output", ["| true", "> /dev/full", ">&-"], ids=["gone", "full", "closed"])
    @pytest.mark.parametrize("command", [ADD, "share --source my-laptop 'A line to keep.'"], ids=["add", "share"])
    def test_an_event_that_is_kept_is_no_failure(self, hub: Path, command: str, output: str) -> None:
        """An agent that sees a failure adds again, and the memory says everything twice."""
        result = shell(hub, f"(sleep 0.1; soul {command}; echo $? >&3) 3>code {output}")

        assert (hub / "code").read_text() == "0\n", result.err
        assert [event["summary"] for event in kept(hub)] == ["A line to keep."]

    def test_many_events_and_a_full_output(self, hub: Path) -> None:
        stdin = b"".join(line(event_id=f"many-{number}") + b"\n" for number in range(100))

        result = shell(hub, "soul add --stdin > /dev/full", stdin=stdin)

        assert result.code == 0, result.err
        assert len(kept(hub)) == 100

    @pytest.mark.parametrize("command", ["search", "search --json", "compile --dry-run"])
    def test_an_answer_that_is_lost_is_a_failure(self, full_hub: Path, command: str) -> None:
        result = shell(full_hub, f"soul {command} > /dev/full")

        assert result.code == 5
        assert "space" in result.err.lower()

    @pytest.mark.parametrize("command", ["search", "compile", "nonsense"])
    @pytest.mark.parametrize("closed", [">&-", "2>&-", ">&- 2>&- <&-"], ids=["out", "err", "all"])
    def test_closed_streams(self, hub: Path, command: str, closed: str) -> None:
        source_file(hub).write_bytes(line(event_id="many-1") + b"\n")

        assert shell(hub, f"soul {command} {closed}").code == (2 if command == "nonsense" else 0)

    @pytest.mark.parametrize("command", ["add --stdin", "share --source my-laptop"])
    def test_no_input_at_all(self, hub: Path, command: str) -> None:
        result = shell(hub, f"soul {command} <&-")

        assert result.code == 2
        assert not kept(hub)

    def test_many_events_without_a_place_for_talk(self, hub: Path) -> None:
        assert shell(hub, "soul add --stdin 2>&-", stdin=line() + b"\n").code == 0
        assert len(kept(hub)) == 1


class TestArguments:
    def test_bytes_that_are_no_text(self, hub: Path) -> None:
        result = shell(hub, r"soul add --source my-laptop --kind fact --scope stable --summary $'not \xff UTF-8'")

        assert result.code == 2
        assert "ff" in result.err.lower()
        assert not kept(hub)

    @pytest.mark.parametrize(
        "arguments",
        [
            (*ADD_WITH, "--summary", "not ODD UTF-8"),
            (*ADD_WITH, "--project", "ODD"),
            (*ADD_WITH, "--agent", "ODD", "--scope", "agent"),
            (*ADD_WITH, "--source", "aODD"),
            (*ADD_WITH, "--kind", "ODD"),
            (*ADD_WITH, "--scope", "ODD"),
            (*ADD_WITH, "--event-id", "abcODD"),
            (*ADD_WITH, "--ts", "2025ODD"),
            (*ADD_WITH, "--valid-until", "ODD"),
            (*ADD_WITH, "--importance", "ODD"),
            (*ADD_WITH, "--supersedes", "abcODD"),
            (*ADD_WITH, "--keyword", "ODD"),
            (*ADD_WITH, "--ref", "ODD"),
            (*ADD_WITH, "--detail", "ODD"),
            (*ADD_WITH, "--entity", "ODD", "--attribute", "a", "--value", "b"),
            ("add", "--ODD"),
            ("share", "--source", "my-laptop", "ODD"),
            ("show", "ODD"),
            ("why", "ODD"),
            ("search", "--scope", "ODD"),
            ("search", "--since", "ODD"),
            ("retract", "ODD", "--source", "my-laptop", "--reason", "x y"),
            ("validate", "--hub", "ODD"),
            ("ODD",),
        ],
        ids=lambda arguments: "-".join(arguments)[-30:],
    )
    def test_bytes_that_are_no_text_as_python_sees_them(self, hub: Path, arguments: tuple[str, ...]) -> None:
        typed = [part.replace("ODD", "\udcff") for part in arguments]
        for form in ((), ("--json",)):
            result = run(*typed, *form) if "--hub" in typed else run(*typed, *form, "--hub", str(hub))

            assert result.code == 2, result
            assert "dcff" in result.err.lower()
            if form and result.out:
                assert result.json["ok"] is False
        assert not kept(hub)

    def test_search_for_bytes_that_are_no_text(self, hub: Path) -> None:
        assert shell(hub, r"soul search $'word \xff'").code == 0

    def test_input_that_is_no_text(self, hub: Path) -> None:
        result = shell(hub, "soul share --source my-laptop", stdin=b"not \xff UTF-8")

        assert result.code == 2
        assert "ff" in result.err.lower()
        assert not kept(hub)

    @pytest.mark.parametrize(
        "command",
        [
            ("add", "--source", "HUGE", "--kind", "fact", "--scope", "stable", "--summary", "A line."),
            ("add", "--source", "my-laptop", "--kind", "HUGE", "--scope", "stable", "--summary", "A line."),
            ("add", "--source", "my-laptop", "--kind", "fact", "--scope", "HUGE", "--summary", "A line."),
            ("add", "--source", "my-laptop", "--kind", "fact", "--scope", "stable", "--summary", "HUGE"),
            (
                "add",
                "--source",
                "my-laptop",
                "--kind",
                "fact",
                "--scope",
                "stable",
                "--summary",
                "A line.",
                "--ts",
                "HUGE",
            ),
            (
                "add",
                "--source",
                "my-laptop",
                "--kind",
                "fact",
                "--scope",
                "stable",
                "--summary",
                "A line.",
                "--event-id",
                "HUGE",
            ),
            (
                "add",
                "--source",
                "my-laptop",
                "--kind",
                "fact",
                "--scope",
                "stable",
                "--summary",
                "A line.",
                "--importance",
                "HUGE",
            ),
            (
                "add",
                "--source",
                "my-laptop",
                "--kind",
                "fact",
                "--scope",
                "stable",
                "--summary",
                "A line.",
                "--detail",
                "HUGE",
            ),
            ("show", "HUGE"),
            ("why", "HUGE"),
            ("search", "--scope", "HUGE"),
            ("search", "--kind", "HUGE"),
            ("search", "--since", "HUGE"),
            ("search", "--keyword", "!" * 50_000),
            ("compile", "--as-of", "HUGE"),
            ("validate", "--hub", "HUGE"),
            ("HUGE",),
            ("--HUGE",),
        ],
        ids=lambda command: "-".join(command)[-40:],
    )
    def test_huge_ones_are_quoted_in_short(self, hub: Path, command: tuple[str, ...]) -> None:
        typed = [part.replace("HUGE", "x" * 100_000) for part in command]

        result = run(*typed) if "--hub" in typed else run(*typed, "--hub", str(hub))

        assert result.code == 2
        assert len(result.text) < 3_000
        assert not kept(hub)

    def test_ten_megabytes_to_share(self, hub: Path) -> None:
        result = shell(hub, "soul share --source my-laptop", stdin=b"x" * 10_000_000)

        assert result.code == 2
        assert "10000000 code points" in result.err
        assert len(result.err) < 3_000

    def test_a_search_of_many_words(self, hub: Path) -> None:
        source_file(hub).write_bytes(line() + b"\n")
        started = time.monotonic()

        result = run("search", " ".join(f"w{n}" for n in range(20_000)) + " MARKER", "--json", "--hub", str(hub))

        assert result.json["total"] == 1
        assert time.monotonic() - started < 5

    @pytest.mark.parametrize(
        "arguments",
        [
            ("search", "!!!"),
            ("search", "--keyword", ""),
            ("search", "--limit", "-1"),
            ("search", "--scope", "galaxy"),
            ("search", "--kind", "prophecy"),
            ("search", "--status", "lost"),
            ("search", "--since", "2025-02-30"),
            ("search", "--until", "soon"),
            ("search", "a", "--query", "b"),
            ("compile", "--as-of", "2025-02-30"),
            ("compile", "--as-of", "soon"),
            ("compile", "--as-of", "2025-01-01T00:00:00Z"),
            ("compile", "--since", "31.12.2025"),
            ("compile", "--fuzzy-days", "-1"),
            ("compile", "--fuzzy-days", "seven"),
            ("compile", "--fuzzy-days", "99999999999999999999"),
            ("compile", "--check", "--apply"),
            ("show", ""),
            ("show", "nobody"),
            ("why", ""),
            ("why", "!!!"),
            ("why", "nobody here"),
            ("retract", "nobody", "--source", "my-laptop", "--reason", "x y"),
            ("retract", "bad-line-1", "--source", "My Laptop", "--reason", "x y"),
            ("retract", "bad-line-1", "--source", "my-laptop", "--reason", ""),
            ("resolve", "bad-line-1", "--source", "my-laptop", "--both", "x y"),
            ("resolve", "bad-line-1", "bad-line-1", "--source", "my-laptop", "--both", "x y"),
            ("share", "", "--source", "my-laptop"),
            ("share", "  ", "--source", "my-laptop"),
            ("share", "text", "--summary", "text", "--source", "my-laptop"),
            ("add", "—source", "my-laptop"),
            ("init",),
            ("nonsense",),
            ("--nonsense",),
        ],
        ids=" ".join,
    )
    def test_wrong_usage(self, hub: Path, arguments: tuple[str, ...]) -> None:
        source_file(hub).write_bytes(line() + b"\n")

        result = run(*arguments, "--hub", str(hub))

        assert result.code == 2
        assert result.err.startswith("soul: ")
        assert [event["event_id"] for event in kept(hub)] == ["bad-line-1"]

    def test_lines_of_which_some_are_taken(self, hub: Path) -> None:
        """Exit 2 says that nothing was written, so it is not for this."""
        lines = [line(event_id="good-1"), b"not JSON", line(event_id="good-2")]

        result = run("add", "--stdin", "--hub", str(hub), stdin=b"\n".join(lines))

        assert [event["event_id"] for event in kept(hub)] == ["good-1", "good-2"]
        assert [refusal["line"] for refusal in result.json["refused"]] == [2]
        assert result.code == 1

    @pytest.mark.parametrize("stdin", [b"", b"\n\n", b" \t\r\n"])
    def test_no_lines(self, hub: Path, stdin: bytes) -> None:
        result = run("add", "--stdin", "--hub", str(hub), stdin=stdin)

        assert result.code == 0
        assert result.json["added"] == 0


class TestHubOption:
    @pytest.mark.parametrize("by", ["option", "variable"])
    @pytest.mark.parametrize(
        "named",
        [
            "no/such/folder",
            "soul.yaml",
            "empty",
            "soul.yaml/x",
            "~no-such-user-here/hub",
            "x" * 300,
            "x/" * 3000,
            "dangling",
            "loop",
            "-rf",
            "--help",
        ],
        ids=lambda named: named[:12],
    )
    def test_names_no_hub(self, hub: Path, monkeypatch: pytest.MonkeyPatch, named: str, by: str) -> None:
        (hub / "empty").mkdir()
        (hub / "dangling").symlink_to("nowhere")
        (hub / "loop").symlink_to("loop")
        monkeypatch.chdir(hub)
        if by == "variable":
            monkeypatch.setenv("AGENT_SOUL_HOME", named)

        result = run("search", *(["--hub", named] if by == "option" else []))

        assert result.code == 2
        assert named[:60] in result.err
        assert "hub" in result.err

    def test_may_be_a_link(self, hub: Path) -> None:
        link = hub.parent / "link"
        link.symlink_to(hub)

        assert (
            run(
                "add",
                "--source",
                "my-laptop",
                "--kind",
                "fact",
                "--scope",
                "stable",
                "--summary",
                "A line.",
                "--hub",
                str(link),
            ).code
            == 0
        )
        assert run("compile", "--hub", str(link)).code == 0
        assert len(kept(hub)) == 1
        assert (hub / "canonical" / "index.md").is_file()

    def test_may_stand_before_the_command(self, hub: Path) -> None:
        assert run("--hub", str(hub), "validate").code == 0

    def test_a_folder_that_is_gone(self, hub: Path) -> None:
        result = shell(hub, "mkdir gone && cd gone && rmdir ../gone && soul search")

        assert result.code == 2
        assert "folder" in result.err


class TestSurroundings:
    @pytest.mark.parametrize(
        "env",
        [
            {"LC_ALL": "C", "PYTHONIOENCODING": "ascii"},
            {"LC_ALL": "C", "PYTHONIOENCODING": "gbk"},
            {"LC_ALL": "no_SUCH.locale", "LANG": "xx"},
            {"LC_ALL": "C.UTF-8", "PYTHONUTF8": "0", "COLUMNS": "1"},
        ],
        ids=str,
    )
    def test_chinese_and_emoji_in_any_locale(self, hub: Path, env: dict[str, str]) -> None:
        text = "所有服务都用 PostgreSQL 15。🐘"

        added = shell(
            hub, f"soul add --source my-laptop --kind fact --scope project:数据库 --summary '{text}'", env=env
        )
        assert added.code == 0
        assert json.loads(added.out)["event"]["summary"] == text
        assert text in shell(hub, "soul compile && soul search 服务", env=env).out
        assert (hub / "canonical" / "projects" / "数据库.md").is_file()

    @pytest.mark.parametrize(
        "zone",
        [
            "",
            "No/Such_Zone",
            ":/etc/passwd",
            "../../etc/passwd",
            "XYZ+23:59",
            "XYZ-23:59",
            "AAA-24",
            "AAA+24:59:59",
            "AAA-1:00:30",
            "EST5EDT,M3.2.0,M11.1.0",
            "<+0545>-5:45",
            "x" * 3000,
        ],
        ids=lambda zone: zone[:20] or "empty",
    )
    def test_wrong_time_zones(self, hub: Path, in_zone: Callable[[str], None], zone: str) -> None:
        source_file(hub).write_bytes(line() + b"\n")
        in_zone(zone)

        added = run(*ADD_WITH, "--hub", str(hub))

        assert added.code == 0, added.err
        assert run("validate", "--hub", str(hub)).code == 0
        assert run("show", added.json["event_id"], "--hub", str(hub)).code == 0

    @pytest.mark.parametrize("zone", ["UTC", "XYZ+12", "XYZ-14", "America/New_York"])
    @pytest.mark.parametrize("ts", ["0001-01-01T00:00:00Z", "9999-12-31T23:59:59Z"])
    def test_the_ends_of_the_calendar(self, hub: Path, in_zone: Callable[[str], None], zone: str, ts: str) -> None:
        source_file(hub).write_bytes(line(ts=ts) + b"\n")
        in_zone(zone)

        for command in ("show", "why"):
            assert run(command, "bad-line-1", "--hub", str(hub)).code == 0
        assert run("search", "--all", "--hub", str(hub)).code == 0

    def test_pages_are_the_same_in_any_zone(self, hub: Path, in_zone: Callable[[str], None]) -> None:
        source_file(hub).write_bytes(line(valid_until="2025-06-30") + b"\n")

        def pages(zone: str, day: str) -> dict[str, bytes]:
            in_zone(zone)
            run("compile", "--as-of", day, "--hub", str(hub))
            return {str(file): file.read_bytes() for file in hub.glob("canonical/**/*.md")}

        for day, shown in (("2025-06-30", True), ("2025-07-01", False)):
            west, east = pages("XYZ+12", day), pages("XYZ-14", day)
            assert west == east
            assert any(b"MARKER" in text for text in west.values()) is shown

    def test_instants_decide_the_order(self, hub: Path) -> None:
        times = [
            "2025-03-02T23:30:00-08:00",
            "2025-03-03T00:10:00+14:00",
            "2025-03-02T12:00Z",
            "2025-03-03T07:29:59.999999999Z",
        ]
        lines = [line(event_id=f"e-{number}", ts=ts, summary=f"Line {number}.") for number, ts in enumerate(times)]
        source_file(hub).write_bytes(b"\n".join(lines) + b"\n")

        found = run("search", "--json", "--hub", str(hub)).json["results"]

        assert [hit["event_id"] for hit in found] == ["e-0", "e-3", "e-2", "e-1"]


class TestPatienceAndMemory:
    @pytest.mark.parametrize(
        ("command", "place"),
        [
            ("search", "canonical/index.md"),
            ("compile", "canonical/profile.md"),
            ("compile", "soul.yaml"),
            ("doctor", "SOUL.md"),
        ],
    )
    def test_a_pipe_is_never_waited_for(self, hub: Path, command: str, place: str) -> None:
        (hub / "canonical").mkdir()
        (hub / place).unlink(missing_ok=True)
        os.mkfifo(hub / place)

        done = subprocess.run(
            [sys.executable, "-m", "agent_soul", command, "--hub", str(hub)], capture_output=True, text=True, timeout=6
        )

        assert_harmless(Result(done.returncode, done.stdout, done.stderr), command)

    def test_a_day_file_that_is_a_pipe_or_a_link(self, hub: Path) -> None:
        run(*ADD_WITH, "--hub", str(hub))
        (file,) = hub.glob("sources/my-laptop/*.ndjson")
        secret = hub.parent / "secret"
        secret.write_text("somebody's file\n")
        for replace in (
            lambda: file.symlink_to(secret),
            lambda: os.mkfifo(file),
            lambda: os.link(secret, file),
            file.mkdir,
        ):
            file.rmdir() if file.is_dir() and not file.is_symlink() else file.unlink()
            replace()

            result = run(*ADD_WITH, "--hub", str(hub))

            assert result.code == 5
            assert "nothing was added" in result.err
            assert file.name in result.err
            assert secret.read_text() == "somebody's file\n"

    def test_a_source_folder_that_is_a_link(self, hub: Path) -> None:
        outside = hub.parent / "outside"
        outside.mkdir()
        (hub / "sources" / "my-laptop").symlink_to(outside)

        result = run(*ADD_WITH, "--hub", str(hub))

        assert result.code == 5
        assert not list(outside.iterdir())

    def test_large_files_in_little_memory(self, hub: Path) -> None:
        file = source_file(hub)
        with file.open("wb") as opened:
            opened.truncate(40 << 30)
        file.with_name("long-line.ndjson").write_bytes(b'"' + b"x" * 60_000_000)

        def limit() -> None:
            resource.setrlimit(resource.RLIMIT_AS, (700 << 20, 700 << 20))

        done = subprocess.run(
            [sys.executable, "-m", "agent_soul", "validate", "--hub", str(hub)],
            capture_output=True,
            text=True,
            timeout=TIME_LIMIT,
            preexec_fn=limit,
        )

        assert done.returncode == 1, done.stderr
        assert f"{40 << 30} bytes" in done.stdout
        assert "60000001 bytes" in done.stdout

    def test_ten_thousand_statements_that_nearly_agree(self, hub: Path) -> None:
        claim = {"entity": "service", "attribute": "port"}
        lines = [
            line(event_id=f"near-{n}", summary=f"The service listens on {n}.", claim={**claim, "value": n})
            for n in range(10_000)
        ]
        source_file(hub).write_bytes(b"\n".join(lines) + b"\n")
        started = time.monotonic()

        def limit() -> None:
            resource.setrlimit(resource.RLIMIT_AS, (1 << 30, 1 << 30))

        done = subprocess.run(
            [sys.executable, "-m", "agent_soul", "compile", "--hub", str(hub)],
            capture_output=True,
            text=True,
            timeout=TIME_LIMIT,
            preexec_fn=limit,
        )

        assert done.returncode == 0, done.stderr
        assert time.monotonic() - started < 20
        assert (hub / "canonical" / "conflicts.md").stat().st_size <= 12 << 10
