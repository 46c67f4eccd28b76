"""Acknowledged events survive whatever happens to the files of the log."""

from __future__ import annotations

import errno
import json
import os
import platform
import shutil
import subprocess
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from agent_soul import day_files, outbox
from agent_soul.adding import add_all
from agent_soul.clone import clone_id
from agent_soul.compiler import compile_hub
from agent_soul.day_files import day_file
from agent_soul.draft import draft
from agent_soul.errors import ExitCode, RefusedError, StoppedError
from agent_soul.event import Event, as_line
from agent_soul.hub import EDITED, Hub, open_hub
from agent_soul.log import parse_log, read_source_files

OTHER = b'{"half of a li'


def event(summary: str = "Drinks tea.", **fields: Any) -> Event:
    record = {"source": "home-mac", "kind": "fact", "scope": "stable", "summary": summary, **fields}
    return draft(record, datetime.now(UTC))


def append(hub: Hub, *events: Event) -> outbox.Appended:
    return add_all(hub, events)


def logged(hub: Hub, *, bad_lines: int = 0) -> list[str]:
    log = parse_log(read_source_files(hub.root))
    assert len(log.problems) == bad_lines, log.problems
    return [each.id for each in log.events]


def waiting(hub: Hub) -> list[str]:
    return [each.id for entry in outbox.entries(hub)[0] for each in entry.events]


def day_file_of(hub: Hub, each: Event) -> Path:
    path = hub.root / day_file(each, clone_id(hub))
    path.parent.mkdir(parents=True, exist_ok=True)
    return path


@pytest.fixture
def at(git_hub: Path) -> Hub:
    return open_hub(git_hub)


@pytest.fixture
def plain(hub: Path) -> Hub:
    opened = open_hub(hub)
    assert opened.git_root is None
    return opened


@pytest.fixture
def read_only(request: pytest.FixtureRequest) -> Callable[[Path], None]:
    """Return a function that makes a path read-only, also for root, whom no permission stops."""

    def seal(path: Path) -> None:
        mode = path.stat().st_mode
        if os.geteuid():
            path.chmod(0o555)
            request.addfinalizer(lambda: path.chmod(mode))
            return
        chattr = shutil.which("chattr")
        if not chattr or subprocess.run([chattr, "+i", path], capture_output=True).returncode:
            pytest.skip("root cannot make anything read-only on this file system")
        request.addfinalizer(lambda: subprocess.run([chattr, "-i", path], check=True))

    return seal


@pytest.fixture
def small_disk(request: pytest.FixtureRequest) -> Callable[[Path], None]:
    """Return a function that mounts a disk of 64 kB on a folder."""

    def mount(folder: Path) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        command = ["mount", "-t", "tmpfs", "-o", "size=64k", "none", str(folder)]
        if os.geteuid() or subprocess.run(command, capture_output=True).returncode:
            pytest.skip("only root may mount a small disk")
        request.addfinalizer(lambda: subprocess.run(["umount", "-l", str(folder)], check=True))

    return mount


def failing(number: int, times: int = 1) -> Callable[..., Any]:
    """Return a stand-in for a system call that fails the first `times` times."""
    left = [times]

    def fail(*_: object, **__: object) -> Any:
        if left[0]:
            left[0] -= 1
            raise OSError(number, os.strerror(number))
        raise AssertionError("it was tried again")

    return fail


# -- the usual way -------------------------------------------------------------------------------------------------


def test_events_are_in_the_day_file_and_in_the_outbox_until_committed(at: Hub) -> None:
    first, second = event("First."), event("Second.")
    appended = append(at, first, second)
    assert set(appended.paths.values()) == {day_file(first, clone_id(at))}
    assert logged(at) == waiting(at) == [first.id, second.id]
    assert len(list(at.outbox.iterdir())) == 1, "one file for the command"
    assert outbox.discard(at, {first.id}) == 0, "the other event is not committed yet"
    assert outbox.discard(at, {first.id, second.id}) == 1
    assert not list(at.outbox.iterdir())


def test_what_is_committed_stays_in_the_outbox_while_nothing_else_shows_it_here(at: Hub) -> None:
    one = event("First.")
    file = at.root / append(at, one).paths[one.id]
    mine = file.rename(at.root / "mine")
    file.symlink_to(mine)
    assert outbox.discard(at, {one.id}) == 0, "a link is not followed"
    assert [each.id for each in outbox.whole_log(at).events] == [one.id]
    mine.replace(file)
    assert outbox.discard(at, {one.id}) == 1


def test_the_file_is_named_by_the_utc_date_of_each_event(at: Hub) -> None:
    late, early = event(ts="2026-11-30T23:30:00-05:00"), event(ts="2026-12-01T00:30:00+05:00")
    appended = append(at, late, early)
    assert [Path(appended.paths[each.id]).name[:10] for each in (late, early)] == ["2026-12-01", "2026-11-30"]


def test_one_write_brings_a_whole_command(at: Hub, monkeypatch: pytest.MonkeyPatch) -> None:
    written: list[bytes] = []
    write = os.write
    monkeypatch.setattr(os, "write", lambda fd, data: written.append(data) or write(fd, data))
    append(at, *[event(f"Fact {n}.") for n in range(50)])
    assert [block.count(b"\n") for block in written] == [50]


def test_without_git_the_outbox_is_empty_after_each_command(plain: Hub) -> None:
    append(plain, event())
    assert len(logged(plain)) == 1
    assert not list(plain.outbox.iterdir())


def test_no_events_touch_nothing(at: Hub) -> None:
    assert append(at).paths == {}
    assert not at.outbox.exists()


# -- what the file looks like --------------------------------------------------------------------------------------


@pytest.mark.parametrize("whole", [True, False])
def test_a_last_line_without_its_newline_is_sealed(at: Hub, whole: bool) -> None:
    earlier, later = event("Earlier."), event("Later.")
    append(at, earlier)
    file = day_file_of(at, earlier)
    before = file.read_bytes()[:-1] if whole else file.read_bytes() + OTHER
    file.write_bytes(before)
    append(at, later)
    assert file.read_bytes().startswith(before + b"\n")
    assert logged(at, bad_lines=0 if whole else 1) == [earlier.id, later.id]


@pytest.mark.parametrize("size", [0, 10])
def test_a_short_write_is_cut_back(at: Hub, monkeypatch: pytest.MonkeyPatch, size: int) -> None:
    earlier, later = event("Earlier."), event("Later.")
    append(at, earlier)
    file = day_file_of(at, earlier)
    before = file.read_bytes()
    write = os.write
    with monkeypatch.context() as patched:
        patched.setattr(os, "write", lambda fd, data: write(fd, data[:size]))
        appended = append(at, later)
    assert file.read_bytes() == before
    assert f"could not be written (only {size} of" in appended.warnings[0]
    assert "its events are safe" in appended.warnings[0]
    assert compile_hub(at).replayed == 1
    assert logged(at) == [earlier.id, later.id]


def test_a_file_swapped_before_the_write_is_written_again(at: Hub, monkeypatch: pytest.MonkeyPatch) -> None:
    earlier, later = event("Earlier."), event("Later.")
    append(at, earlier)
    file = day_file_of(at, earlier)
    write = os.write

    def swap_then_write(fd: int, data: bytes) -> int:
        monkeypatch.setattr(os, "write", write)
        (file.parent / "new").write_bytes(file.read_bytes())
        (file.parent / "new").replace(file)  # as a checkout does
        return write(fd, data)

    monkeypatch.setattr(os, "write", swap_then_write)
    assert append(at, later).warnings == ()
    assert logged(at) == [earlier.id, later.id]


def test_a_file_removed_before_the_write_is_made_again(at: Hub, monkeypatch: pytest.MonkeyPatch) -> None:
    each = event()
    write = os.write

    def remove_then_write(fd: int, data: bytes) -> int:
        monkeypatch.setattr(os, "write", write)
        shutil.rmtree(at.sources / "home-mac")
        return write(fd, data)

    monkeypatch.setattr(os, "write", remove_then_write)
    assert append(at, each).warnings == ()
    assert logged(at) == [each.id]


def test_a_file_that_keeps_being_swapped_is_left_to_the_next_compile(at: Hub, monkeypatch: pytest.MonkeyPatch) -> None:
    each = event()
    file = day_file_of(at, each)
    write = os.write

    def swap_then_write(fd: int, data: bytes) -> int:
        (file.parent / "new").write_bytes(b"")
        (file.parent / "new").replace(file)
        return write(fd, data)

    with monkeypatch.context() as patched:
        patched.setattr(os, "write", swap_then_write)
        assert "keeps replacing the file" in append(at, each).warnings[0]
    compile_hub(at)
    assert logged(at) == [each.id]


# -- refused before it is acknowledged -----------------------------------------------------------------------------


def _make_fifo(path: Path) -> None:
    os.mkfifo(path)


def _make_hard_link(path: Path) -> None:
    (path.parent / "other").touch()
    path.hardlink_to(path.parent / "other")


def _make_link(path: Path) -> None:
    path.symlink_to(path.parent / "other")


def _link_folder(path: Path) -> None:
    outside = path.parents[2] / "outside"
    path.parent.rename(outside)
    path.parent.symlink_to(outside)


def _link_sources(path: Path) -> None:
    outside = path.parents[2] / "outside"
    path.parents[1].rename(outside)
    path.parents[1].symlink_to(outside)


@pytest.mark.parametrize("spoil", [_make_fifo, _make_hard_link, _make_link, _link_folder, _link_sources, Path.mkdir])
def test_an_odd_file_is_refused_and_nothing_kept(at: Hub, spoil: Callable[[Path], None]) -> None:
    each = event()
    spoil(day_file_of(at, each))
    with pytest.raises(StoppedError, match=r"nothing was added: .*/sources/home-mac/.* cannot be opened") as caught:
        append(at, each)
    assert caught.value.hint.startswith("put a plain file or folder in its place")
    assert waiting(at) == []


@pytest.mark.parametrize("part", ["file", "folder"])
def test_a_read_only_place_is_refused_and_nothing_kept(at: Hub, read_only: Callable[[Path], None], part: str) -> None:
    each = event()
    file = day_file_of(at, each)
    if part == "file":
        file.touch()
    read_only(file if part == "file" else file.parent)
    with pytest.raises(StoppedError, match="nothing was added: ") as caught:
        append(at, each)
    assert "write there, then try again" in caught.value.hint
    assert waiting(at) == []


def test_a_read_only_state_folder_is_refused(at: Hub, read_only: Callable[[Path], None]) -> None:
    append(at, event())
    read_only(at.outbox)
    with pytest.raises(StoppedError, match=r"nothing was added: .*/outbox.* cannot be written: ") as caught:
        append(at, event("Later."))
    assert caught.value.exit_code == ExitCode.STOPPED
    assert len(logged(at)) == 1


def test_a_state_folder_that_cannot_be_made_is_refused(at: Hub, read_only: Callable[[Path], None]) -> None:
    read_only(at.state.parent)
    with pytest.raises(StoppedError, match="nothing was done: the lock"):
        append(at, event())
    assert logged(at) == []


def test_a_day_too_large_to_be_read_is_refused(at: Hub, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(day_files, "MAX_FILE_BYTES", 300)
    append(at, event("First."))
    with pytest.raises(RefusedError, match=r"would grow to \d+ bytes, and files up to 300 are read"):
        append(at, event("Second."))
    assert len(logged(at)) == len(waiting(at)) == 1


def test_a_full_disk_under_the_outbox(plain: Hub, small_disk: Callable[[Path], None]) -> None:
    small_disk(plain.state)
    append(plain, event())
    with pytest.raises(StoppedError, match=r"nothing was added: .*: No space left on device") as caught:
        append(plain, *[event("x" * 400) for _ in range(300)])
    assert caught.value.hint.startswith("free some space")
    assert not list(plain.outbox.iterdir()), "no temporary file stays"
    append(plain, event("Later."))
    assert len(logged(plain)) == 2


def test_too_many_open_files(at: Hub, monkeypatch: pytest.MonkeyPatch) -> None:
    append(at, event())
    with monkeypatch.context() as patched:
        patched.setattr(os, "open", failing(errno.EMFILE))
        with pytest.raises(StoppedError, match="Too many open files"):
            append(at, event("Later."))
    assert len(logged(at)) == len(waiting(at)) == 1


def test_an_outbox_file_that_cannot_be_made_durable(at: Hub, monkeypatch: pytest.MonkeyPatch) -> None:
    append(at, event())
    with monkeypatch.context() as patched:
        patched.setattr(os, "fsync", failing(errno.EIO))
        with pytest.raises(StoppedError, match=r"nothing was added: .*Input/output error") as caught:
            append(at, event("Later."))
    assert "the disk reports a fault" in caught.value.hint
    assert len(logged(at)) == len(waiting(at)) == len(list(at.outbox.iterdir())) == 1


def test_an_outbox_name_that_cannot_be_made_durable_leaves_the_outcome_unknown(
    at: Hub, monkeypatch: pytest.MonkeyPatch
) -> None:
    append(at, event())
    each = event("Later.")
    with monkeypatch.context() as patched:
        patched.setattr(outbox, "sync_folder", failing(errno.EIO))
        with pytest.raises(StoppedError, match=r"outcome unknown: .*Input/output error") as caught:
            append(at, each)
    assert caught.value.exit_code == ExitCode.STOPPED
    assert each.id in caught.value.message
    compile_hub(at)
    assert logged(at).count(each.id) == 1


# -- failing after it is acknowledged ------------------------------------------------------------------------------


def test_a_full_disk_under_the_log_is_a_warning(at: Hub, small_disk: Callable[[Path], None]) -> None:
    small_disk(at.sources)
    filler = at.sources / "filler"
    filler.write_bytes(b"x" * 48_000)
    several = [event("y" * 400) for _ in range(100)]
    appended = append(at, *several)
    assert "could not be written" in appended.warnings[0]
    assert logged(at) == []
    filler.unlink()
    compile_hub(at)
    assert sorted(logged(at)) == sorted(each.id for each in several)


@pytest.mark.parametrize("number", [errno.ENOSPC, errno.EFBIG, errno.EIO, errno.EDQUOT])
def test_a_failing_write_to_the_log_is_a_warning(at: Hub, monkeypatch: pytest.MonkeyPatch, number: int) -> None:
    each = event()
    with monkeypatch.context() as patched:
        patched.setattr(os, "write", failing(number))
        appended = append(at, each)
    assert os.strerror(number) in appended.warnings[0]
    assert waiting(at) == [each.id]
    assert compile_hub(at).replayed == 1
    assert compile_hub(at).replayed == 0
    assert logged(at) == [each.id]


def test_a_link_made_after_the_acknowledgement_is_a_warning(at: Hub, monkeypatch: pytest.MonkeyPatch) -> None:
    each = event()
    acknowledge = outbox._acknowledge

    def acknowledge_then_link(*arguments: Any) -> Path:
        entry = acknowledge(*arguments)
        day_file_of(at, each).unlink()
        day_file_of(at, each).symlink_to(at.root / "elsewhere")
        return entry

    with monkeypatch.context() as patched:
        patched.setattr(outbox, "_acknowledge", acknowledge_then_link)
        assert "it is a symbolic link" in append(at, each).warnings[0]
    assert not (at.root / "elsewhere").exists()
    other = event("Another source goes on.", source="s-other")
    outbox._acknowledge(at, [as_line(other)])
    outcome = compile_hub(at)
    assert outcome.replayed == 1
    assert "it is a symbolic link; 1 of its events wait safely in " in outcome.warnings[0]
    assert "(put a plain file" in outcome.warnings[0]
    assert logged(at, bad_lines=1) == [other.id]
    assert each.summary in outcome.compiled.texts["stable-memory.md"], "no page lacks what is acknowledged"
    assert not compile_hub(at, write=False).difference
    day_file_of(at, each).unlink()
    assert compile_hub(at).warnings == ()
    assert sorted(logged(at)) == sorted([each.id, other.id])


def test_without_git_a_log_that_cannot_be_made_durable_is_a_warning(
    plain: Hub, monkeypatch: pytest.MonkeyPatch
) -> None:
    append(plain, event())
    each = event("Later.")
    real, failed = os.fsync, []

    def fail_on_log(fd: int) -> None:
        if Path(f"/proc/self/fd/{fd}").readlink().suffix == ".ndjson":
            failed.append(fd)
            raise OSError(errno.EIO, "Input/output error")
        real(fd)

    if not Path("/proc/self/fd").is_dir():
        pytest.skip("needs /proc")
    with monkeypatch.context() as patched:
        patched.setattr(os, "fsync", fail_on_log)
        appended = append(plain, each)
    assert len(failed) == 1, "a failed fsync is not tried again"
    assert "Input/output error" in appended.warnings[0]
    assert waiting(plain) == [each.id]
    compile_hub(plain)
    assert waiting(plain) == []
    assert logged(plain).count(each.id) == 1


# -- the outbox itself ---------------------------------------------------------------------------------------------


def test_what_is_lost_from_the_files_is_put_back_once(at: Hub) -> None:
    several = [event(f"Fact {n}.") for n in range(5)]
    append(at, *several[:3])
    append(at, *several[3:])
    file = day_file_of(at, several[0])
    kept = file.read_bytes().splitlines(keepends=True)
    file.write_bytes(b"".join(kept[1:3]))
    assert [each.id for each in outbox.replay(at, set(logged(at))).events] == [several[n].id for n in (0, 3, 4)]
    assert sorted(file.read_bytes().splitlines(keepends=True)) == sorted(kept), "the same bytes"


@pytest.mark.parametrize(
    "damage",
    [
        lambda whole: whole[: len(whole) // 2],
        lambda whole: b"\0" * len(whole),
        lambda whole: whole + OTHER,
        lambda whole: b"",
        lambda whole: whole.replace(b'"fact"', b'"from-the-future"'),
    ],
)
def test_a_damaged_outbox_file_is_kept_and_told_and_the_others_go_on(at: Hub, damage: Callable[[bytes], bytes]) -> None:
    append(at, event("Damaged."))
    (spoiled,) = at.outbox.iterdir()
    spoiled.write_bytes(damage(spoiled.read_bytes()))
    other = event("Fine.")
    append(at, other)
    shutil.rmtree(at.sources)
    found, problems = outbox.entries(at)
    assert [entry.whole for entry in found] == [False, True]
    assert [(problem.path, problem.code, problem.level) for problem in problems] == [(str(spoiled), "outbox", "notice")]
    compile_hub(at)
    assert other.id in logged(at)
    outbox.discard(at, set(logged(at)))
    assert list(at.outbox.iterdir()) == [spoiled], "unreadable bytes are never thrown away"


def test_odd_things_in_the_outbox_wedge_nothing(at: Hub) -> None:
    append(at, event())
    (at.outbox / "0-folder.ndjson").mkdir()
    os.mkfifo(at.outbox / "0-pipe.ndjson")
    (at.outbox / "0-link.ndjson").symlink_to("nowhere")
    (at.outbox / ".agent-soul.99.ab.tmp").write_bytes(OTHER)
    (at.state / ".agent-soul.99.cd.tmp").write_bytes(OTHER)
    (at.state / EDITED).mkdir()
    (at.state / EDITED / ".agent-soul.99.ef.tmp").write_bytes(OTHER)
    assert len(outbox.entries(at)[1]) == 3
    compile_hub(at)
    assert not [*at.outbox.glob(".*"), *at.state.glob(".*"), *(at.state / EDITED).iterdir()], (
        "what killed writers left is swept"
    )


# -- whose files ---------------------------------------------------------------------------------------------------


def clone(hub: Hub) -> str:
    return clone_id(hub)


def test_a_clone_keeps_its_id(at: Hub) -> None:
    assert clone(at) == clone(open_hub(at.root))
    assert len(bytes.fromhex(clone(at))) == 4


def test_a_copied_clone_gets_an_id_of_its_own(at: Hub, tmp_path: Path) -> None:
    first = clone(at)
    append(at, event("Before the copy."))
    subprocess.run(["cp", "-a", at.root, tmp_path / "copy"], check=True)
    copy = open_hub(tmp_path / "copy")
    assert clone(copy) != first
    assert clone(at) == first
    mine, theirs = event("Mine."), event("Theirs.")
    assert set(append(at, mine).paths.values()).isdisjoint(append(copy, theirs).paths.values())


def test_another_host_gets_an_id_of_its_own(at: Hub) -> None:
    first = clone(at)
    file = at.state / "clone.json"
    known = json.loads(file.read_bytes())
    assert known["host"] == platform.node()
    file.write_text(json.dumps({**known, "host": "another-host"}), encoding="utf-8")
    assert clone(at) != first
    assert clone(at) == clone(at)


@pytest.mark.parametrize(
    "damaged", [b"", b"null", b"[]", b"{}", b'"x"', b"\xff", b"[" * 100_000, b'{"id":"../../x"}', b'{"id":5}']
)
def test_a_damaged_clone_file_is_made_anew(at: Hub, damaged: bytes) -> None:
    clone(at)
    file = at.state / "clone.json"
    known = json.loads(file.read_bytes())
    if damaged.startswith(b'{"id"'):
        damaged = json.dumps({**known, **json.loads(damaged)}).encode()
    file.write_bytes(damaged)
    made = clone(at)
    assert len(bytes.fromhex(made)) == 4
    assert made == clone(at)
