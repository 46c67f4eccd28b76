"""Commits without a remote: the log only grows, whatever became of the work tree, and a person's Git is left alone."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from agent_soul.keeping import grow
from support import Soul, git

needs_posix = pytest.mark.skipif(os.name == "nt", reason="Windows has no pipes or links like these")


def line(number: int, source: str = "s-one") -> str:
    fields = {"event_id": f"event-{number}", "ts": f"2026-03-01T09:{number:02}:00Z", "source": source}
    return json.dumps({**fields, "kind": "fact", "scope": "stable", "summary": f"Fact number {number}."}) + "\n"


def day_file(hub: Path, source: str = "s-one") -> Path:
    return hub / "sources" / source / "2026-03-01.0a1b2c3d.ndjson"


def write(file: Path, *numbers: int) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text("".join(line(number, file.parent.name) for number in numbers), encoding="utf-8")


def committed(hub: Path) -> str:
    """Return all lines of the log in the last commit."""
    paths = git(hub, "ls-tree", "-r", "--name-only", "-z", "HEAD", "sources").split("\0")
    return "".join(git(hub, "show", f"HEAD:{path}") for path in paths if path)


@pytest.fixture
def soul(inside: Soul) -> Soul:
    return inside


@pytest.fixture
def kept(git_hub: Path, soul: Soul) -> Path:
    """Make a hub whose last commit holds events 1 to 4: three of one source, one of another."""
    write(day_file(git_hub), 1, 2, 3)
    write(day_file(git_hub, "s-two"), 4)
    soul("compile", "--apply")
    return git_hub


def a_line_less(file: Path) -> None:
    write(file, 1, 3)


def gone(file: Path) -> None:
    shutil.rmtree(file.parent)


def a_folder(file: Path) -> None:
    file.unlink()
    file.mkdir()


def a_folder_with_a_log(file: Path) -> None:
    a_folder(file)
    (file / "more.ndjson").write_text(line(5), encoding="utf-8")


def a_file_for_its_folder(file: Path) -> None:
    shutil.rmtree(file.parent)
    file.parent.write_text("not a folder\n", encoding="utf-8")


def a_link(file: Path) -> None:
    file.rename(file.with_suffix(".aside"))
    file.symlink_to(file.with_suffix(".aside").name)


def a_pipe(file: Path) -> None:
    file.unlink()
    os.mkfifo(file)


def a_linked_log(file: Path) -> None:
    sources = file.parents[1]
    sources.rename(sources.with_name("elsewhere"))
    sources.symlink_to("elsewhere")


HARMS = [a_line_less, gone, a_folder, a_folder_with_a_log, a_file_for_its_folder, a_link, a_pipe, a_linked_log]


@needs_posix
@pytest.mark.parametrize("harm", HARMS)
def test_what_the_work_tree_lost_stays_in_every_commit(kept: Path, soul: Soul, harm: Callable[[Path], None]) -> None:
    before = {entry for entry in git(kept, "ls-tree", "-r", "HEAD", "sources").split("\n") if "s-two" not in entry}
    harm(day_file(kept))
    (kept / "soul.yaml").write_text("template: false\nfuzzy_days: 3\n", encoding="utf-8")  # pages may change as well
    write(kept / "sources" / "s-two" / "2026-03-02.0a1b2c3d.ndjson", 6) if harm is not a_linked_log else None

    done = soul("compile", "--apply")

    assert before <= set(git(kept, "ls-tree", "-r", "HEAD", "sources").split("\n"))
    assert "the work tree lacks" in done.stderr
    assert "git checkout HEAD -- sources/" in done.stderr
    if harm is not a_linked_log:
        assert '"event-6"' in committed(kept)
    if harm in (a_line_less, gone):
        git(kept, "checkout", "HEAD", "--", "sources")
        assert "lacks" not in soul("compile", "--apply").stderr
        soul("compile", "--check")


@needs_posix
@pytest.mark.parametrize("harm", HARMS)
def test_nor_is_it_taken_from_a_remote(kept: Path, soul: Soul, tmp_path: Path, harm: Callable[[Path], None]) -> None:
    remote = tmp_path / "remote.git"
    git(tmp_path, "init", "-q", "--bare", "-b", "main", str(remote))
    git(kept, "remote", "add", "origin", str(remote))
    soul("sync")
    before = set(git(kept, "ls-tree", "-r", "HEAD", "sources").split("\n"))
    harm(day_file(kept))

    for _ in range(2):
        soul("sync")
        assert before <= set(git(remote, "ls-tree", "-r", "main", "sources").split("\n"))

    if harm is a_folder_with_a_log:
        assert "event-5" in git(remote, "log", "-p", "main", "--", "sources")


def test_share_says_it_too_and_commits_the_pages_of_its_own_log(kept: Path, soul: Soul, tmp_path: Path) -> None:
    gone(day_file(kept, "s-two"))
    write(day_file(kept), 1, 3)

    done = json.loads(soul("share", "--source", "s-new", "--json", "A new one.").stdout)

    assert "lacks 2 lines" in done["note"]
    assert [f'"event-{number}"' in committed(kept) for number in (1, 2, 3, 4)] == [True] * 4
    assert day_file(kept).read_text(encoding="utf-8").count("\n") == 2  # the person's file is as it was
    git(tmp_path, "clone", "-q", str(kept), "copy")
    soul("compile", "--check", cwd=tmp_path / "copy")


def test_a_line_that_was_edited_stands_beside_the_new_one(kept: Path, soul: Soul) -> None:
    file = day_file(kept)
    file.write_text(file.read_text(encoding="utf-8").replace("number 2", "number two"), encoding="utf-8")

    soul("compile", "--apply")

    assert "number 2." in committed(kept)
    assert "number two." in committed(kept)


def test_a_file_whose_lines_only_end_otherwise_doubles_nothing(kept: Path, soul: Soul) -> None:
    file = day_file(kept)
    file.write_bytes(file.read_bytes().replace(b"\n", b"\r\n"))

    assert "lacks" not in soul("compile", "--apply").stderr

    assert committed(kept).count("event-2") == 1


def test_what_a_person_staged_stays_staged(kept: Path, soul: Soul) -> None:
    git(kept, "rm", "-q", "-r", "sources/s-two")
    (kept / "notes.txt").write_text("mine\n", encoding="utf-8")
    git(kept, "add", "notes.txt")

    soul("share", "--source", "s-new", "A new one.")

    assert sorted(git(kept, "diff", "--cached", "--name-status").split("\n")) == [
        "",
        "A\tnotes.txt",
        f"D\t{day_file(kept, 's-two').relative_to(kept)}",
    ]
    assert "event-4" in committed(kept)


def test_a_persons_next_commit_takes_nothing_back(kept: Path, soul: Soul) -> None:
    """A part of the log was staged before the rest was written."""
    write(day_file(kept), 1, 2, 3, 5)
    git(kept, "add", "sources")
    write(day_file(kept), 1, 2, 3, 5, 6)
    soul("compile", "--apply")

    git(kept, "commit", "-q", "--allow-empty", "-m", "mine")

    assert "event-6" in committed(kept)
    assert git(kept, "status", "--porcelain") == ""


def test_nothing_new_makes_no_commit(kept: Path, soul: Soul) -> None:
    before = git(kept, "rev-parse", "HEAD")

    soul("compile", "--apply")

    assert git(kept, "rev-parse", "HEAD") == before
    assert git(kept, "status", "--porcelain") == ""


@needs_posix
def test_a_folder_whose_name_is_not_utf8(kept: Path, soul: Soul) -> None:
    folder = os.fsencode(kept / "sources") + b"/s\xff"
    os.mkdir(folder)  # noqa: PTH102 - a name of bytes
    with open(folder + b"/a.ndjson", "wb") as opened:  # noqa: PTH123
        opened.write(b"{}\n")

    soul("share", "--source", "s-new", "A new one.")

    assert "A new one." in committed_bytes(kept)
    assert git(kept, "status", "--porcelain") == ""


def committed_bytes(hub: Path) -> str:
    return subprocess.run(["git", "grep", "-h", "new", "HEAD", "--", "sources"], cwd=hub, stdout=-1, text=True).stdout


LINES = st.lists(st.integers(1, 9).map(line), unique=True)


@given(LINES, LINES, st.booleans())
@example([line(1)], [line(2)], False)
def test_growing_keeps_the_old_bytes_and_takes_every_new_line(old: list[str], new: list[str], sealed: bool) -> None:
    before = "".join(old).encode()[: None if sealed else -1]
    here = "".join(new).encode()

    grown, lost = grow("sources/s-one/a.ndjson", before, here)

    assert grown.startswith(before)
    assert set(filter(None, grown.split(b"\n"))) == {text.encode().strip() for text in (*old, *new)}
    assert lost == len(set(old) - set(new))


class TestLocks:
    def test_a_foreign_lock_stops_before_the_commit(self, kept: Path, soul: Soul) -> None:
        lock = kept / ".git" / "index.lock"
        lock.touch()
        write(day_file(kept), 1, 2, 3, 5)
        before = git(kept, "rev-parse", "HEAD").strip()

        done = soul("compile", "--apply", code=4)

        assert str(lock) in done.stdout
        assert "soul compile --apply" in done.stderr
        assert lock.exists()
        assert git(kept, "rev-parse", "HEAD").strip() == before
        lock.unlink()
        soul("compile", "--apply")
        assert git(kept, "rev-list", "--count", f"{before}..HEAD").strip() == "1"
        assert git(kept, "status", "--porcelain") == ""

    def test_a_lock_that_goes_is_waited_for(self, kept: Path, soul: Soul) -> None:
        lock = kept / ".git" / "index.lock"
        lock.touch()
        write(day_file(kept), 1, 2, 3, 5)
        remover = subprocess.Popen([sys.executable, "-c", f"import time,os; time.sleep(1); os.unlink({str(lock)!r})"])

        soul("compile", "--apply")

        assert remover.wait() == 0
        assert "event-5" in committed(kept)

    def test_a_lock_made_while_ours_works_is_not_ours(self, kept: Path, soul: Soul) -> None:
        """Also the next command, which finds the note of a killed one, leaves a lock that a program has open."""
        note = kept / ".git" / "agent-soul" / "git-at-work"
        note.touch()
        time.sleep(0.02)
        write(day_file(kept), 1, 2, 3, 5)
        with (kept / ".git" / "index.lock").open("xb"):
            soul("compile", "--apply", code=4)

        assert (kept / ".git" / "index.lock").exists()

    @pytest.mark.parametrize("point", ["update-ref", "replace"])
    def test_a_kill_between_lock_and_index(self, kept: Path, soul: Soul, point: str) -> None:
        write(day_file(kept), 1, 2, 3, 5)
        assert subprocess.run([sys.executable, "-c", DYING, point, "compile", "--apply"], cwd=kept).returncode == 137
        assert (kept / ".git" / "index.lock").exists()

        soul("compile", "--apply")

        assert "event-5" in committed(kept)
        assert git(kept, "log", "--format=%s").count("memory:") == 2
        assert git(kept, "status", "--porcelain") == ""
        assert not list((kept / ".git").rglob("*.lock")) + list((kept / ".git" / "agent-soul").glob("index.*"))


# Dies before the branch moves, or right after it, with the lock in place.
DYING = """
import os, sys
from pathlib import Path
import agent_soul.gitio.local as local

point, run, replace = sys.argv.pop(1), local.run, Path.replace

def dying_run(hub, *arguments, **keywords):
    if arguments[0] == point:
        os._exit(137)
    return run(hub, *arguments, **keywords)

def dying_replace(file, target):
    if point == "replace" and file.name == "index.lock":
        os._exit(137)
    return replace(file, target)

local.run, Path.replace = dying_run, dying_replace
from agent_soul.cli import main
sys.exit(main(sys.argv[1:]))
"""
