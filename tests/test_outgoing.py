"""What a commit on upstream's head holds: our lines, and never something in the place of what is there."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from agent_soul import gitio
from agent_soul.adding import add
from agent_soul.hub import open_hub
from agent_soul.outgoing import taken
from agent_soul.sync import Reach, sync, try_sync
from support import git

FOREIGN = {"event_id": "foreign-1", "source": "old-pc", "ts": "2026-11-01T10:00:00Z", "kind": "fact", "scope": "stable"}


def foreign_line(text: str) -> str:
    return json.dumps({**FOREIGN, "summary": text}) + "\n"


def add_event(clone: Path, source: str, text: str) -> Path:
    added = add(open_hub(clone), {"source": source, "kind": "fact", "scope": "stable", "summary": text})
    return Path(added.path)


@pytest.fixture
def clones(git_hub: Path, tmp_path: Path) -> tuple[Path, Path]:
    """Make two clones of one remote; what `a` pushes is there before `b` shares."""
    git(tmp_path, "clone", "-q", "--bare", str(git_hub), "remote.git")
    for name in ("a", "b"):
        git(tmp_path, "clone", "-q", "remote.git", name)
    return tmp_path / "a", tmp_path / "b"


def push_all(clone: Path) -> None:
    git(clone, "add", "-A")
    git(clone, "commit", "-q", "-m", "by hand")
    git(clone, "push", "-q")


def texts_at_remote(clone: Path) -> list[str]:
    git(clone, "fetch", "-q")
    lines = git(clone, "grep", "-h", "summary", "origin/main", "--", "sources").splitlines()
    return sorted(json.loads(line)["summary"] for line in lines)


def a_file_for_its_folder(day_file: Path) -> Path:
    day_file.parent.parent.mkdir(exist_ok=True)
    day_file.parent.write_text("mine\n", encoding="utf-8")
    return day_file.parent


def a_link_for_its_folder(day_file: Path) -> Path:
    day_file.parent.parent.mkdir(exist_ok=True)
    day_file.parent.symlink_to("elsewhere")
    return day_file.parent


def a_link(day_file: Path) -> Path:
    day_file.parent.mkdir(parents=True)
    day_file.symlink_to("elsewhere")
    return day_file


def a_folder_with_a_log(day_file: Path) -> Path:
    day_file.mkdir(parents=True)
    (day_file / "log.ndjson").write_text(foreign_line("In the folder.").replace("old-pc", "agent-b"), encoding="utf-8")
    return day_file


@pytest.mark.parametrize("obstacle", [a_file_for_its_folder, a_link_for_its_folder, a_link, a_folder_with_a_log])
def test_what_is_in_the_place_of_a_day_file_stays_and_the_event_waits(
    clones: tuple[Path, Path], obstacle: Callable[[Path], Path]
) -> None:
    a, b = clones
    place = obstacle(a / add_event(b, "agent-b", "Has no place.")).relative_to(a)
    push_all(a)
    before = git(a, "ls-tree", "-r", "HEAD", "--", str(place))
    add_event(b, "other", "Has one.")

    kept = try_sync(open_hub(b))

    assert kept.reach is Reach.NOT_SHARED
    assert "agent-b" in kept.reason
    git(a, "pull", "-q")
    assert git(a, "ls-tree", "-r", "HEAD", "--", str(place)) == before
    assert "Has one." in texts_at_remote(a)
    assert "Has no place." not in texts_at_remote(a)
    git(a, "rm", "-q", "-r", str(place))
    push_all(a)
    assert sync(open_hub(b)).reach is Reach.SHARED
    assert "Has no place." in texts_at_remote(a)


def test_a_line_of_another_file_goes_to_our_day_file_where_its_own_has_no_place(clones: tuple[Path, Path]) -> None:
    a, b = clones
    for log, text in ((a / "sources/old-pc/log.ndjson/x.ndjson", "Of a."), (b / "sources/old-pc/log.ndjson", "Of b.")):
        log.parent.mkdir(parents=True)
        log.write_text(foreign_line(text).replace("foreign-1", f"foreign-{text[3]}"), encoding="utf-8")
    push_all(a)

    assert sync(open_hub(b)).reach is Reach.SHARED

    assert texts_at_remote(a) == ["Of a.", "Of b."]


@pytest.mark.parametrize("strange", ["a file for a folder", "a link"])
def test_what_is_in_the_place_of_a_page_stays_and_events_are_shared(clones: tuple[Path, Path], strange: str) -> None:
    a, b = clones
    (a / "canonical").mkdir()
    if strange == "a link":
        place = a / "canonical" / "index.md"
        place.symlink_to("elsewhere")
    else:
        place = a / "canonical" / "agents"
        place.write_text("mine\n", encoding="utf-8")
    push_all(a)
    before = git(a, "ls-tree", "-r", "HEAD", "--", "canonical")
    add_event(b, "agent-b", "Of b.")

    kept = sync(open_hub(b))

    assert kept.reach is Reach.SHARED
    assert f"canonical/{place.name}" in kept.note
    git(a, "pull", "-q")
    assert git(a, "ls-tree", "-r", "HEAD", "--", "canonical") == before
    assert texts_at_remote(a) == ["Of b."]


def test_a_link_that_was_committed_stays_without_a_remote_too(git_hub: Path) -> None:
    day_file = add_event(git_hub, "agent-a", "Has no place.")
    (git_hub / day_file).unlink()
    (git_hub / day_file).symlink_to("elsewhere")
    git(git_hub, "add", "-A")
    git(git_hub, "commit", "-q", "-m", "a link")
    (git_hub / day_file).unlink()

    kept = sync(open_hub(git_hub))

    assert str(day_file) in kept.note
    assert git(git_hub, "ls-tree", "HEAD", str(day_file)).startswith("120000")
    waiting = next(open_hub(git_hub).outbox.iterdir())
    assert "Has no place." in waiting.read_text(encoding="utf-8")


def test_staged_logs_are_shared_before_the_first_commit(tmp_path: Path, hub: Path) -> None:
    git(tmp_path, "init", "-q", "--bare", "-b", "main", "remote.git")
    git(hub, "init", "-q", "-b", "main")
    git(hub, "remote", "add", "origin", str(tmp_path / "remote.git"))
    (hub / "sources" / "old-pc").mkdir()
    (hub / "sources" / "old-pc" / "log.ndjson").write_text(foreign_line("Copied and staged."), encoding="utf-8")
    git(hub, "add", "-A")

    assert sync(open_hub(hub)).reason.startswith("1 event, ")

    assert texts_at_remote(hub) == ["Copied and staged."]


@pytest.mark.parametrize(
    "here",
    [
        b"one\ntwo\n",
        b"one\ntwo\nthree\n",
        b"one\ntwo\nthr",
        b"one\ntwo\n3\n4\n5\n6\n7\n",
        b"0\none\ntwo\n",
        b"one\n",
        b"",
        None,
    ],
)
def test_files_are_read_as_the_commit_has_them(git_hub: Path, here: bytes | None) -> None:
    """Whatever the work tree holds."""
    file = git_hub / "sources" / "old-pc" / "2026-11-01.ndjson"
    file.parent.mkdir(parents=True)
    file.write_bytes(b"one\ntwo\n")
    git(git_hub, "add", "-A")
    git(git_hub, "commit", "-q", "-m", "log")
    file.unlink() if here is None else file.write_bytes(here)
    hub, path = open_hub(git_hub), "sources/old-pc/2026-11-01.ndjson"

    tree = gitio.read_tree(hub, gitio.head(hub))

    assert gitio.read_files(hub, tree, [path, "sources/none.ndjson"]) == {path: b"one\ntwo\n"}


@pytest.mark.parametrize(
    ("path", "is_taken"),
    [
        ("sources/a/new.ndjson", False),
        ("sources/a/log.ndjson", False),
        ("sources/a", True),
        ("sources", True),
        ("sources/a/log.ndjson/below.ndjson", True),
        ("sources/link", True),
        ("sources/link/log.ndjson", True),
        ("sources/a/log.ndjson.old", False),
    ],
)
def test_taken(path: str, is_taken: bool) -> None:
    tree = gitio.Tree("c", {"sources/a/log.ndjson": "1"}, strange=frozenset({"sources/link"}))

    assert (path in taken([path], tree)) == is_taken
