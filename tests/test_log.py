"""Reading the log: real files and folders of every sort, and what each bad line costs."""

from __future__ import annotations

import gc
import json
import os
import shutil
import socket
import subprocess
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from agent_soul import log
from agent_soul.errors import Problem
from agent_soul.log import SourceFiles, parse_log, read_source_files

GOOD: dict[str, Any] = {
    "event_id": "abc",
    "ts": "2026-11-30T09:12:44+08:00",
    "source": "laptop",
    "kind": "fact",
    "scope": "stable",
    "summary": "Prefers pnpm.",
}
FILE = "sources/laptop/2026-11-30.ndjson"


def line(number: int = 0, **changes: Any) -> bytes:
    return json.dumps({**GOOD, "event_id": f"id-{number}", **changes}).encode() + b"\n"


def parsed(content: bytes) -> log.Log:
    return parse_log(SourceFiles({FILE: content}))


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A hub with one readable source file."""
    folder = tmp_path / "sources" / "laptop"
    folder.mkdir(parents=True)
    (folder / "2026-11-30.ndjson").write_bytes(line())
    return tmp_path


def problems(root: Path) -> dict[str, str]:
    """Read, check that the good file was read all the same, and return the code of each problem by its path."""
    found = read_source_files(root)
    assert found.contents[FILE] == line()
    assert all(str(problem).encode("utf-8", "surrogateescape") for problem in found.problems)
    return {problem.path: problem.code for problem in found.problems}


# Lines.


def test_each_bad_line_costs_one_line() -> None:
    bad = [b"{'a':1}", b"[1]", b"null", b'"x"', b"\xff", b"{}", line(summary=""), line(importance=float("inf"))]
    content = b"".join(text.rstrip(b"\n") + b"\n" + line(number) for number, text in enumerate(bad))

    found = parsed(content)

    assert [event.id for event in found.events] == [f"id-{number}" for number in range(len(bad))]
    assert [problem.line for problem in found.problems] == [2 * number + 1 for number in range(len(bad))]
    assert found.bad_lines == len(bad)


def test_a_line_of_a_newer_version_is_set_aside_and_no_problem() -> None:
    found = parsed(line(1, kind="dream") + line(2))

    assert [(aside.path, aside.line) for aside in found.set_aside] == [(FILE, 1)]
    assert (len(found.events), found.problems) == (1, [])


def test_a_last_line_without_its_newline_is_read() -> None:
    assert [event.id for event in parsed(line(1) + line(2).rstrip(b"\n")).events] == ["id-1", "id-2"]


@pytest.mark.parametrize("length", [1, 20, 100, len(line(2)) - 2])
def test_a_torn_last_line_is_told_from_a_bad_one(length: int) -> None:
    found = parsed(line(1) + line(2)[:length])

    assert [(problem.line, problem.code) for problem in found.problems] == [(2, "torn")]


def test_a_line_torn_within_a_character_is_torn() -> None:
    whole = json.dumps({**GOOD, "summary": "雨"}, ensure_ascii=False).encode()

    assert parsed(whole[: whole.index("雨".encode()) + 1]).problems[0].code == "torn"


def test_a_bad_last_line_is_not_called_torn() -> None:
    assert parsed(b"{'a':1}").problems[0].code == "json"
    assert parsed(line(1)[:30] + b"\n").problems[0].code == "cut-off"


@pytest.mark.parametrize("content", [b"", b"\n", b"\n\n \n\t\n", b"\r\n"])
def test_blank_lines_are_nothing(content: bytes) -> None:
    found = parsed(content)

    assert (found.events, found.bad_lines) == ([], 0)


def test_a_byte_order_mark_is_a_notice_at_the_start_and_a_fault_later() -> None:
    found = parsed(b"\xef\xbb\xbf" + line(1) + b"\xef\xbb\xbf" + line(2))

    assert [event.id for event in found.events] == ["id-1"]
    assert [(problem.line, problem.code, problem.level) for problem in found.problems] == [
        (1, "bom", "notice"),
        (2, "json", "error"),
    ]


def test_carriage_returns_are_read_with_a_notice() -> None:
    found = parsed(line(1).replace(b"\n", b"\r\n") + line(2))

    assert len(found.events) == 2
    assert [(problem.code, problem.level) for problem in found.problems] == [("crlf", "notice")]


def test_only_a_newline_ends_a_line() -> None:
    separators = "\u2028\u2029\u0085"  # what `str.splitlines` splits at besides control characters

    found = parsed(json.dumps({**GOOD, "detail": separators}, ensure_ascii=False).encode())

    assert [event.data["detail"] for event in found.events] == [separators]


@pytest.mark.parametrize("control", [b"\x0b", b"\x0c", b"\x1c", b"\x00", b"\r"])
def test_a_raw_control_character_costs_its_one_line(control: bytes) -> None:
    found = parsed(line(1).replace(b"pnpm", b"p" + control) + line(2))

    assert ([event.id for event in found.events], [problem.line for problem in found.problems]) == (["id-2"], [1])


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-be"])
def test_a_file_in_utf_16_is_one_problem(encoding: str) -> None:
    text = (b"" if encoding == "utf-16" else b"\xfe\xff") + line(1).decode().encode(encoding)

    assert [problem.code for problem in parsed(text * 1).problems] == ["utf-16"]


def test_a_huge_line_costs_itself_alone() -> None:
    found = parsed(line(1) + line(2, detail="x" * (1 << 20)) + line(3))

    assert [event.id for event in found.events] == ["id-1", "id-3"]
    assert found.problems[0].code == "size"


def test_the_order_of_files_is_that_of_their_paths() -> None:
    files = {f"sources/laptop/{name}.ndjson": line(number) for number, name in enumerate("cab")}

    assert [event.id for event in parse_log(SourceFiles(files)).events] == ["id-1", "id-2", "id-0"]


@pytest.mark.parametrize("enabled", [True, False])
def test_the_garbage_collector_is_left_as_it_was(enabled: bool) -> None:
    was_enabled = gc.isenabled()
    try:
        (gc.enable if enabled else gc.disable)()
        parsed(line(1))
        assert gc.isenabled() is enabled
    finally:
        (gc.enable if was_enabled else gc.disable)()


# Files.


def test_a_hub_without_sources_is_empty(tmp_path: Path) -> None:
    assert read_source_files(tmp_path) == SourceFiles({}, ())


def test_sources_that_are_a_file_or_a_link_are_a_problem(tmp_path: Path) -> None:
    def faults() -> list[tuple[str, str]]:
        return [(problem.path, problem.code) for problem in read_source_files(tmp_path).problems]

    (tmp_path / "sources").write_text("x")
    assert faults() == [("sources", "unreadable")]
    (tmp_path / "sources").unlink()
    (tmp_path / "sources").symlink_to("/etc")
    assert faults() == [("sources", "link")]


def test_folders_are_walked_at_any_depth(root: Path) -> None:
    (root / "sources/laptop/2025/x.ndjson").mkdir(parents=True)
    (root / "sources/laptop/2025/x.ndjson/y.ndjson").write_bytes(line(1))

    found = read_source_files(root)

    assert list(found.contents) == ["sources/laptop/2025/x.ndjson/y.ndjson", FILE]
    assert found.problems == ()


@pytest.fixture
def deep(root: Path) -> Iterator[Path]:
    """A hub with folders so deep that pytest itself could not clear them away."""
    here = os.open(root / "sources/laptop", os.O_RDONLY)
    for _ in range(1200):
        os.mkdir("d", dir_fd=here)
        below = os.open("d", os.O_RDONLY, dir_fd=here)
        os.close(here)
        here = below
    os.close(here)
    yield root
    subprocess.run(["rm", "-rf", root / "sources"], check=True)


def test_folders_nest_deeper_than_calls_may(deep: Path) -> None:
    assert problems(deep) == {}


def test_links_are_reported_and_never_followed(root: Path, tmp_path: Path) -> None:
    secret = tmp_path / "secret"
    secret.mkdir()
    (secret / "x.ndjson").write_bytes(line(1))
    (root / "sources/phone").symlink_to(secret)
    (root / "sources/laptop/d").symlink_to(secret)
    (root / "sources/laptop/l.ndjson").symlink_to(secret / "x.ndjson")
    (root / "sources/laptop/gone.ndjson").symlink_to("nowhere")
    (root / "sources/top.ndjson").symlink_to(secret / "x.ndjson")

    found = problems(root)

    assert set(found.values()) == {"link"}
    assert len(found) == 5
    assert list(read_source_files(root).contents) == [FILE]


def test_hard_links_are_reported_and_not_read(root: Path, tmp_path: Path) -> None:
    (tmp_path / "elsewhere").write_bytes(line(1))
    os.link(tmp_path / "elsewhere", root / "sources/laptop/h.ndjson")

    assert problems(root) == {"sources/laptop/h.ndjson": "hard-link"}
    assert list(read_source_files(root).contents) == [FILE]


def test_pipes_and_sockets_are_reported_and_never_opened(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    os.mkfifo(root / "sources/laptop/p.ndjson")
    monkeypatch.chdir(root / "sources/laptop")
    with socket.socket(socket.AF_UNIX) as bound:
        bound.bind("s.ndjson")
        opened: list[str] = []
        real_open = os.open

        def watched(path: Any, *rest: Any, **more: Any) -> int:
            opened.append(Path(path).name)
            return real_open(path, *rest, **more)

        monkeypatch.setattr(os, "open", watched)

        assert problems(root) == {f"sources/laptop/{name}.ndjson": "not-a-file" for name in "ps"}
        assert "p.ndjson" not in opened
        assert "s.ndjson" not in opened


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can make a device")
def test_devices_are_reported(root: Path) -> None:
    try:
        os.mknod(root / "sources/laptop/d.ndjson", 0o600 | 0o020000, os.makedev(1, 5))  # /dev/zero, which never ends
    except PermissionError:
        pytest.skip("this container forbids devices")

    assert problems(root) == {"sources/laptop/d.ndjson": "not-a-file"}


def test_a_pipe_put_in_place_of_a_file_after_the_look_does_not_hang(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    target = root / "sources/laptop/x.ndjson"
    target.write_bytes(line(1))
    swap_when_opened(monkeypatch, target, lambda: os.mkfifo(target))

    assert problems(root) == {"sources/laptop/x.ndjson": "not-a-file"}


def test_a_link_put_in_place_of_a_file_after_the_look_is_not_followed(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    target = root / "sources/laptop/x.ndjson"
    target.write_bytes(line(1))
    swap_when_opened(monkeypatch, target, lambda: target.symlink_to("/etc/passwd"))

    assert problems(root) == {"sources/laptop/x.ndjson": "link"}


def test_a_file_that_vanishes_after_the_look_is_reported(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    target = root / "sources/laptop/x.ndjson"
    target.write_bytes(line(1))
    swap_when_opened(monkeypatch, target, lambda: None)

    assert problems(root) == {"sources/laptop/x.ndjson": "unreadable"}


def swap_when_opened(monkeypatch: pytest.MonkeyPatch, target: Path, put: Any) -> None:
    """Put something else in the place of `target` between the look at it and the opening."""
    real_open = os.open

    def swapping(path: Any, *rest: Any, **more: Any) -> int:
        if os.fspath(path) == str(target):
            target.unlink()
            put()
        return real_open(path, *rest, **more)

    monkeypatch.setattr(os, "open", swapping)


def test_a_file_replaced_while_it_is_read_is_whole(root: Path) -> None:
    target = root / "sources/laptop/x.ndjson"
    versions = [line(number) * 20_000 for number in (1, 2)]
    target.write_bytes(versions[0])
    done = threading.Event()

    def replace_again_and_again() -> None:
        number = 0
        while not done.is_set():
            number += 1
            other = root / "other"
            other.write_bytes(versions[number % 2])
            other.replace(target)

    writer = threading.Thread(target=replace_again_and_again)
    writer.start()
    try:
        seen = [read_source_files(root).contents["sources/laptop/x.ndjson"] for _ in range(30)]
    finally:
        done.set()
        writer.join()

    assert all(content in versions for content in seen)


def test_folders_that_come_and_go_never_stop_the_reading(root: Path) -> None:
    done = threading.Event()

    def come_and_go() -> None:
        while not done.is_set():
            folder = root / "sources/phone/deep"
            folder.mkdir(parents=True)
            (folder / "x.ndjson").write_bytes(line(1, source="phone"))
            shutil.rmtree(root / "sources/phone")

    other = threading.Thread(target=come_and_go)
    other.start()
    try:
        for _ in range(200):
            assert set(problems(root).values()) <= {"unreadable"}
    finally:
        done.set()
        other.join()


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_what_may_not_be_read_is_reported_with_its_path(root: Path) -> None:
    (root / "sources/phone").mkdir()
    (root / "sources/laptop/x.ndjson").write_bytes(line(1))
    (root / "sources/phone").chmod(0)
    (root / "sources/laptop/x.ndjson").chmod(0)
    try:
        assert problems(root) == {"sources/laptop/x.ndjson": "unreadable", "sources/phone": "unreadable"}
    finally:
        (root / "sources/phone").chmod(0o700)


def test_a_refusing_system_is_reported_with_its_path(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (root / "sources/phone").mkdir()
    real_scandir = os.scandir

    def refusing(path: Any) -> Any:
        if os.fspath(path).endswith("phone"):
            raise PermissionError(13, "Permission denied")
        return real_scandir(path)

    monkeypatch.setattr(os, "scandir", refusing)

    assert problems(root) == {"sources/phone": "unreadable"}


def test_names_that_are_no_text_can_be_read_and_printed(root: Path) -> None:
    folder = root / "sources/laptop"
    for name in (b"\xff.ndjson", b"a\nb.ndjson", b"\x1b[2J.ndjson"):
        (folder / os.fsdecode(name)).write_bytes(b"not json\n")

    found = parse_log(read_source_files(root))

    assert len(found.problems) == 3
    assert {os.fsencode(problem.path) for problem in found.problems} == {
        b"sources/laptop/" + name for name in (b"\xff.ndjson", b"a\nb.ndjson", b"\x1b[2J.ndjson")
    }


@pytest.mark.parametrize("size", [64, 65])
def test_a_file_above_the_limit_is_reported_with_its_size(
    root: Path, monkeypatch: pytest.MonkeyPatch, size: int
) -> None:
    monkeypatch.setattr(log, "MAX_FILE_BYTES", len(line()))
    (root / "sources/laptop/x.ndjson").write_bytes(b"\n" * (len(line()) + size - 64))

    assert problems(root) == ({"sources/laptop/x.ndjson": "size"} if size > 64 else {})


def test_a_file_that_is_too_large_is_not_read(root: Path) -> None:
    with (root / "sources/laptop/x.ndjson").open("wb") as file:
        file.truncate((64 << 20) + 1)

    found = read_source_files(root)

    assert list(found.contents) == [FILE]
    assert "67108865 bytes" in found.problems[0].message


@pytest.mark.parametrize("name", ["x.jsonl", "x.json", "x.ndjson.txt", "X.NDJSON"])
def test_a_file_that_looks_like_a_log_but_is_none_is_a_notice(root: Path, name: str) -> None:
    (root / "sources/laptop" / name).write_bytes(line(1))

    assert read_source_files(root).problems == (
        Problem(f"sources/laptop/{name}", 0, 0, "name", "is not read: the log's files end in .ndjson", "notice"),
    )


def test_a_source_file_outside_a_source_is_a_problem(root: Path) -> None:
    (root / "sources/x.ndjson").write_bytes(line(1))
    (root / "sources/README.md").write_text("hello")

    assert problems(root) == {"sources/x.ndjson": "place"}
