"""Files are whole or not at all, and no link, pipe or device is written to."""

from __future__ import annotations

import errno
import os
import threading
from pathlib import Path

import pytest

from agent_soul.errors import StoppedError
from agent_soul.files import TEMPORARY_PATTERN, install, replace_file, replace_files, sweep
from agent_soul.opening import open_day_file

DAY = "sources/home-mac/2026-11-30.0a1b2c3d.ndjson"


def _refusal(root: Path, path: str = DAY) -> OSError:
    with pytest.raises(OSError, match=r".") as caught:
        os.close(open_day_file(root, path))
    return caught.value


def test_replacing_leaves_the_new_bytes_and_nothing_else(tmp_path: Path) -> None:
    target = tmp_path / "a" / "b" / "page.md"
    replace_file(target, b"old")
    replace_file(target, b"new")
    assert target.read_bytes() == b"new"
    assert [path.name for path in target.parent.iterdir()] == ["page.md"]


def test_a_failed_replace_keeps_the_old_file_and_names_it(tmp_path: Path) -> None:
    target = tmp_path / "page.md"
    target.mkdir()
    (target / "kept").touch()
    with pytest.raises(StoppedError, match=r"page\.md cannot be written: "):
        replace_file(target, b"new")
    assert [path.name for path in tmp_path.iterdir()] == ["page.md"]


def test_files_before_a_failing_one_are_replaced(tmp_path: Path) -> None:
    (tmp_path / "b").mkdir()
    with pytest.raises(StoppedError, match=r"/b cannot be written"):
        replace_files({tmp_path / "a": b"1", tmp_path / "b": b"2", tmp_path / "c": b"3"})
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a", "b"]


def test_an_interrupted_install_removes_its_temporary_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupt(_: int) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(os, "fsync", interrupt)
    with pytest.raises(KeyboardInterrupt):
        install(tmp_path / "page.md", b"new")
    assert not list(tmp_path.iterdir())


def test_sweeping_takes_temporary_files_only(tmp_path: Path) -> None:
    for name in (".agent-soul.12.ab.tmp", "agent-soul.tmp", ".agent-soul.keep", "page.md"):
        (tmp_path / name).touch()
    assert [path.name for path in tmp_path.glob(TEMPORARY_PATTERN)] == [".agent-soul.12.ab.tmp"]
    sweep(tmp_path)
    assert sorted(path.name for path in tmp_path.iterdir()) == [".agent-soul.keep", "agent-soul.tmp", "page.md"]


def test_a_day_file_and_its_folders_are_made(tmp_path: Path) -> None:
    fd = open_day_file(tmp_path, DAY)
    os.write(fd, b"line\n")
    os.close(fd)
    assert (tmp_path / DAY).read_bytes() == b"line\n"


@pytest.mark.parametrize("linked", ["sources", "sources/home-mac", DAY])
def test_a_link_in_any_part_of_the_path_is_refused(tmp_path: Path, linked: str) -> None:
    outside = tmp_path / "outside"
    hub = tmp_path / "hub"
    (hub / linked).parent.mkdir(parents=True)
    outside.touch() if linked == DAY else (outside / "home-mac").mkdir(parents=True)
    (hub / linked).symlink_to(outside)
    before = sorted(outside.rglob("*"))
    assert "symbolic link" in str(_refusal(hub).strerror)
    assert sorted(outside.rglob("*")) == before
    assert outside.is_dir() or outside.read_bytes() == b""


def test_a_link_that_leads_nowhere_is_refused(tmp_path: Path) -> None:
    (tmp_path / DAY).parent.mkdir(parents=True)
    (tmp_path / DAY).symlink_to(tmp_path / "made-by-it")
    assert _refusal(tmp_path).errno == errno.ELOOP
    assert not (tmp_path / "made-by-it").exists()


def test_a_pipe_is_refused_without_waiting_for_a_reader(tmp_path: Path) -> None:
    (tmp_path / DAY).parent.mkdir(parents=True)
    os.mkfifo(tmp_path / DAY)
    assert _refusal(tmp_path).strerror == "it is not a plain file"


def test_a_pipe_put_there_after_the_look_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def nothing_there(*_: object, **__: object) -> None:
        raise FileNotFoundError

    (tmp_path / DAY).parent.mkdir(parents=True)
    os.mkfifo(tmp_path / DAY)
    with monkeypatch.context() as patched:
        patched.setattr(os, "stat", nothing_there)
        refused = _refusal(tmp_path)
    assert refused.strerror == "it is not a plain file"


def test_a_device_is_refused(tmp_path: Path) -> None:
    (tmp_path / DAY).parent.mkdir(parents=True)
    try:
        os.mknod(tmp_path / DAY, 0o20600, os.makedev(1, 3))
    except PermissionError:
        pytest.skip("only root may make a device")
    assert _refusal(tmp_path).strerror == "it is not a plain file"


def test_a_hard_link_is_refused(tmp_path: Path) -> None:
    (tmp_path / "precious").write_text("not a log")
    (tmp_path / DAY).parent.mkdir(parents=True)
    (tmp_path / DAY).hardlink_to(tmp_path / "precious")
    assert _refusal(tmp_path).strerror == "it has 2 hard links"
    assert (tmp_path / "precious").read_text() == "not a log"


def test_a_folder_in_the_file_s_place_is_refused(tmp_path: Path) -> None:
    (tmp_path / DAY).mkdir(parents=True)
    assert _refusal(tmp_path).strerror == "it is not a plain file"


def test_no_descriptor_leaks_from_refusals(tmp_path: Path) -> None:
    if not Path("/proc/self/fd").is_dir():
        pytest.skip("needs /proc")
    (tmp_path / DAY).parent.mkdir(parents=True)
    (tmp_path / DAY).symlink_to(tmp_path)
    before = len(list(Path("/proc/self/fd").iterdir()))
    for _ in range(5):
        _refusal(tmp_path)
    assert len(list(Path("/proc/self/fd").iterdir())) == before


@pytest.mark.parametrize("threads", [0, 3])
def test_many_files_are_written_by_as_many_threads_as_start(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, threads: int
) -> None:
    start = threading.Thread.start
    started: list[threading.Thread] = []

    def start_few(self: threading.Thread) -> None:
        if len(started) >= threads:
            raise RuntimeError("can't start new thread")
        started.append(self)
        start(self)

    monkeypatch.setattr(threading.Thread, "start", start_few)
    contents = {tmp_path / f"{number}.md": b"%d" % number for number in range(100)}
    replace_files(contents)
    assert {file: file.read_bytes() for file in tmp_path.iterdir()} == contents
