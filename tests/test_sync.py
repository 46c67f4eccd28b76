"""Sharing over a real remote: two clones, a person at work in one of them, and servers that misbehave."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from agent_soul import gitio
from agent_soul.gitio import repository
from agent_soul.gitio.merging import merged
from agent_soul.hub import find_hub
from support import git, run_here

Share = Callable[..., subprocess.CompletedProcess[str]]


def run(folder: Path, *arguments: str, code: int = 0, **env: str) -> subprocess.CompletedProcess[str]:
    done = run_here(folder, *arguments, env=env)
    assert done.returncode == code, f"{arguments} ended with {done.returncode}, not {code}"
    return done


def share(folder: Path, text: str, *options: str, code: int = 0, source: str = "") -> str:
    return run(folder, "share", "--source", source or f"agent-{folder.name}", text, *options, code=code).stdout


def log_of(folder: Path, revision: str = "HEAD") -> list[str]:
    """Return the summaries of all events that a commit holds."""
    paths = git(folder, "ls-tree", "-r", "--name-only", revision, "sources").split()
    lines = [line for path in paths for line in git(folder, "show", f"{revision}:{path}").split("\n") if line]
    return sorted(json.loads(line)["summary"] for line in lines)


def page(folder: Path, name: str = "fuzzy-memory.md") -> str:
    return (folder / "canonical" / name).read_text(encoding="utf-8")


def is_tidy(folder: Path) -> bool:
    leftovers = [*(folder / ".git").glob("rebase-*"), *folder.rglob(".agent-soul.*.tmp")]
    return (
        git(folder, "status", "--porcelain") == "" and not leftovers and not (folder / ".git" / "index.lock").exists()
    )


@pytest.fixture
def remote(tmp_path: Path) -> Path:
    bare = tmp_path / "remote.git"
    git(tmp_path, "init", "-q", "--bare", "-b", "main", str(bare))
    return bare


@pytest.fixture
def seed(tmp_path: Path, remote: Path) -> Path:
    """Make a hub that was pushed by hand, as the set-up in the README does it."""
    folder = tmp_path / "seed"
    (folder / "sources").mkdir(parents=True)
    (folder / "soul.yaml").write_text("template: false\n", encoding="utf-8")
    (folder / "USER.md").write_text("# User\n", encoding="utf-8")
    attributes = "sources/** -text merge=union\ncanonical/** -text linguist-generated merge=binary\n"
    (folder / ".gitattributes").write_text(attributes, encoding="utf-8")
    git(folder, "init", "-q", "-b", "main")
    git(folder, "add", "-A")
    git(folder, "commit", "-q", "-m", "seed")
    git(folder, "remote", "add", "origin", str(remote))
    git(folder, "push", "-q", "-u", "origin", "main")
    return folder


@pytest.fixture
def clones(tmp_path: Path, seed: Path, remote: Path) -> tuple[Path, Path]:
    folders = (tmp_path / "a", tmp_path / "b")
    for folder in folders:
        git(tmp_path, "clone", "-q", str(remote), str(folder))
    return folders


class TestTwoMachines:
    def test_what_one_shares_the_other_pulls(self, clones: tuple[Path, Path]) -> None:
        a, b = clones
        assert share(a, "Login returns 500.").startswith("shared: 1 event, ")
        git(b, "pull", "-q", "--ff-only")

        assert "Login returns 500." in page(b)
        assert is_tidy(a)

    def test_a_share_in_step_with_the_remote_takes_few_gits(self, clones: tuple[Path, Path], tmp_path: Path) -> None:
        a, _ = clones
        share(a, "First.")
        (tmp_path / "trace").mkdir()
        run(a, "share", "--source", "agent-a", "Second.", GIT_TRACE2_EVENT=str(tmp_path / "trace"))

        lines = "".join(file.read_text(encoding="utf-8") for file in (tmp_path / "trace").iterdir()).split("\n")
        commands = [event for event in map(json.loads, filter(None, lines)) if event["event"] == "cmd_name"]
        ours = [command["name"] for command in commands if command["name"] == command["hierarchy"]]
        looks = ["config", "ls-tree", "status", "status", "var", "var"]
        assert sorted(ours) == sorted([*looks, "fast-import", "push", "update-index", "update-index", "update-ref"])
        assert is_tidy(a)

    def test_whoever_is_overtaken_builds_again(self, clones: tuple[Path, Path]) -> None:
        a, b = clones
        share(a, "First of a.")
        share(b, "First of b.")
        share(a, "Second of a.")
        run(b, "sync")

        assert log_of(a) == log_of(b) == ["First of a.", "First of b.", "Second of a."]
        assert git(a, "rev-parse", "HEAD") == git(b, "rev-parse", "HEAD")
        assert is_tidy(a)
        assert is_tidy(b)
        run(a, "compile", "--check")

    def test_many_at_once(self, clones: tuple[Path, Path], remote: Path) -> None:
        command = [sys.executable, "-m", "agent_soul", "share", "--json"]
        running = [
            subprocess.Popen([*command, "--source", f"agent-{f.name}", f"{f.name} {n}"], cwd=f, stdout=subprocess.PIPE)
            for n in range(4)
            for f in clones
        ]
        answers = [json.loads(process.communicate()[0]) for process in running]

        assert [answer["outcome"] for answer in answers] == ["shared"] * 8, answers
        assert log_of(remote, "main") == sorted(f"{f.name} {n}" for n in range(4) for f in clones)
        for folder in clones:
            run(folder, "sync")
            assert is_tidy(folder)

    def test_pages_are_only_in_commits_that_were_pushed(self, clones: tuple[Path, Path], remote: Path) -> None:
        a, b = clones
        share(a, "Of a.")
        share(b, "Of b.")

        for line in git(remote, "log", "--format=%H", "main").split():
            tree = git(remote, "ls-tree", "-r", "--name-only", line)
            assert ("canonical/index.md" in tree) == ("sources/" in tree)
        assert git(a, "log", "--merges", "--format=%H") == ""

    def test_sync_with_nothing_to_do_makes_no_commit(self, clones: tuple[Path, Path]) -> None:
        a, _ = clones
        share(a, "Of a.")
        before = git(a, "rev-parse", "HEAD")

        assert run(a, "sync").stdout == "shared: up to date\n"
        assert git(a, "rev-parse", "HEAD") == before

    def test_sync_says_how_many_events_came(self, clones: tuple[Path, Path]) -> None:
        a, b = clones
        share(a, "The first of a.")
        run(b, "sync")
        share(a, "The second of a.")
        share(a, "The third of a.")
        run(b, "add", "--source", "of-b", "--kind", "fact", "--scope", "stable", "--summary", "Of b.")

        assert re.fullmatch(r"shared: 1 event, \d pages, 2 events came\n", run(b, "sync").stdout)
        assert run(a, "sync").stdout == "shared: up to date, 1 event came\n"
        assert run(a, "sync").stdout == "shared: up to date\n"

    def test_events_that_a_person_pushed_by_hand_are_compiled(self, clones: tuple[Path, Path]) -> None:
        """The manual way: add_event, git add, git commit, git push; then whoever syncs compiles."""
        a, b = clones
        run(a, "add", "--source", "agent-a", "--kind", "fact", "--scope", "stable", "--summary", "Added by hand.")
        git(a, "add", "sources")
        git(a, "commit", "-q", "-m", "memory")
        git(a, "push", "-q")
        run(b, "sync")

        assert "Added by hand." in page(b, "stable-memory.md")
        run(a, "sync")
        assert log_of(a) == ["Added by hand."]
        assert is_tidy(a)
        assert not list((a / ".git" / "agent-soul" / "outbox").iterdir())


class TestAPersonAtWork:
    def test_dirty_and_staged_files_stay_as_they_are(self, clones: tuple[Path, Path]) -> None:
        a, b = clones
        share(b, "Of b.")
        (a / "USER.md").write_text("# User\nHalf a sentence\n", encoding="utf-8")
        (a / "plan.txt").write_text("staged\n", encoding="utf-8")
        git(a, "add", "plan.txt")
        before = git(a, "status", "--porcelain")

        assert "shared" in share(a, "Of a.")
        assert git(a, "status", "--porcelain") == before
        assert "Of b." in page(a)
        assert git(a, "show", ":plan.txt") == "staged\n"

    def test_a_dirty_file_in_the_way_leaves_the_clone_and_shares_all_the_same(
        self, clones: tuple[Path, Path], remote: Path
    ) -> None:
        a, b = clones
        (b / "USER.md").write_text("# User\nFrom b\n", encoding="utf-8")
        git(b, "commit", "-q", "-a", "-m", "user")
        git(b, "push", "-q")
        (a / "USER.md").write_text("# User\nFrom a, not committed\n", encoding="utf-8")
        head = git(a, "rev-parse", "HEAD")

        done = run(a, "share", "--source", "agent-a", "Of a.")

        assert done.stdout.startswith("shared")
        assert "in the way: USER.md; commit or stash it, then `soul sync`\n" in done.stderr
        assert (a / "USER.md").read_text(encoding="utf-8") == "# User\nFrom a, not committed\n"
        assert git(a, "rev-parse", "HEAD") == head
        assert log_of(remote, "main") == ["Of a."]
        git(a, "checkout", "-q", "USER.md")
        run(a, "sync")
        assert is_tidy(a)
        assert "From b" in (a / "USER.md").read_text(encoding="utf-8")

    def test_an_unknown_file_in_the_way_is_named_with_what_to_do(self, clones: tuple[Path, Path]) -> None:
        a, b = clones
        (b / "MORE.md").write_text("From b\n", encoding="utf-8")
        git(b, "add", "MORE.md")
        git(b, "commit", "-q", "-m", "more")
        git(b, "push", "-q")
        (a / "MORE.md").write_text("From a\n", encoding="utf-8")

        assert "in the way: MORE.md; move it elsewhere, then `soul sync`\n" in run(a, "sync").stderr
        (a / "MORE.md").rename(a / "OTHER.md")
        run(a, "sync")
        assert (a / "MORE.md").read_text(encoding="utf-8") == "From b\n"

    def test_a_lock_that_a_killed_git_left_is_named(self, clones: tuple[Path, Path], remote: Path) -> None:
        a, _ = clones
        lock = a / ".git" / "index.lock"
        lock.touch()

        done = run(a, "share", "--source", "agent-a", "Of a.")

        assert f"{lock} is there: a git is at work, or was killed; when no git runs here, remove that" in done.stderr
        assert log_of(remote, "main") == ["Of a."]
        lock.unlink()
        run(a, "sync")
        assert log_of(a) == ["Of a."]
        assert is_tidy(a)

    @pytest.mark.parametrize(("zone", "offset"), [("ABC-24:59:59", "+0000"), ("ABC12:30", "-1230")])
    def test_a_zone_that_git_takes_for_no_date(self, clones: tuple[Path, Path], zone: str, offset: str) -> None:
        a, _ = clones

        assert run(a, "share", "--source", "agent-a", "Of a.", TZ=zone).stdout.startswith("shared: 1 event")
        assert git(a, "log", "-1", "--format=%ad %cd", "--date=format:%z").split() == [offset, offset]
        assert not list((a / ".git").glob("fast_import_crash_*"))

    def test_nothing_is_written_through_a_link_in_the_place_of_a_folder(
        self, clones: tuple[Path, Path], tmp_path: Path
    ) -> None:
        a, _ = clones
        share(a, "First.")
        (tmp_path / "elsewhere").mkdir()
        (a / "canonical" / "topics").symlink_to(tmp_path / "elsewhere")

        done = run(a, "share", "--source", "agent-a", "--kind", "topic", "--topic", "ci", "--scope", "stable", "Green.")

        assert done.stdout.startswith("shared")
        assert "files of yours are in the way" in done.stderr
        assert not list((tmp_path / "elsewhere").iterdir())

    def test_unpushed_commits_are_left_for_the_person_to_push(self, clones: tuple[Path, Path], remote: Path) -> None:
        a, b = clones
        share(b, "Of b.")
        (a / "USER.md").write_text("# User\nMine\n", encoding="utf-8")
        git(a, "commit", "-q", "-a", "-m", "mine")
        share(a, "Of a.")

        assert "Mine" not in git(remote, "show", "main:USER.md")
        assert log_of(a) == log_of(remote, "main") == ["Of a.", "Of b."]
        assert is_tidy(a)
        git(a, "push", "-q")
        assert "Mine" in git(remote, "show", "main:USER.md")
        run(b, "sync")
        assert git(b, "rev-parse", "HEAD") == git(a, "rev-parse", "HEAD")

    def test_unpushed_commits_that_conflict_stay_where_they_are(self, clones: tuple[Path, Path], remote: Path) -> None:
        a, b = clones
        for folder in clones:
            (folder / "USER.md").write_text(f"# User\nFrom {folder.name}\n", encoding="utf-8")
            git(folder, "commit", "-q", "-a", "-m", f"user of {folder.name}")
        git(b, "push", "-q")
        head = git(a, "rev-parse", "HEAD")

        done = run(a, "share", "--source", "agent-a", "Of a.")

        assert done.stdout.startswith("shared")
        assert "USER.md" in done.stderr
        assert git(a, "rev-parse", "HEAD") == head
        assert log_of(remote, "main") == ["Of a."]

    def test_the_pull_that_settles_a_conflict_finds_nothing_of_ours_in_its_way(
        self, clones: tuple[Path, Path], remote: Path
    ) -> None:
        a, b = clones
        share(a, "Before.")
        run(b, "sync")
        for folder in clones:
            (folder / "USER.md").write_text(f"# User\nFrom {folder.name}\n", encoding="utf-8")
            git(folder, "commit", "-q", "-a", "-m", f"user of {folder.name}")
        git(b, "push", "-q")
        run(a, "add", "--source", "agent-new", "--kind", "fact", "--scope", "stable", "--summary", "A new file.")
        run(a, "compile")
        assert not is_tidy(a)

        done = run(a, "share", "--source", "agent-a", "A known file.")

        assert "USER.md: `git pull --no-rebase`, settle" in done.stderr
        assert is_tidy(a)
        assert "A known file." in run(a, "search", "known file").stdout
        pulled = subprocess.run(["git", "pull", "-q", "--no-rebase"], cwd=a, capture_output=True, text=True)
        assert git(a, "diff", "--name-only", "--diff-filter=U") == "USER.md\n", pulled.stderr
        (a / "USER.md").write_text("# User\nFrom both\n", encoding="utf-8")
        git(a, "commit", "-q", "-a", "-m", "both")
        run(a, "sync")
        git(a, "push", "-q")
        run(b, "sync")
        assert log_of(a) == log_of(b) == log_of(remote, "main") == ["A known file.", "A new file.", "Before."]
        assert is_tidy(a)
        assert not list((a / ".git" / "agent-soul" / "outbox").iterdir())

    def test_a_rebase_goes_on_as_if_we_were_not_there(self, clones: tuple[Path, Path], remote: Path) -> None:
        a, b = clones
        share(a, "Before.")
        for folder in clones:
            (folder / "USER.md").write_text(f"# User\nFrom {folder.name}\n", encoding="utf-8")
            git(folder, "commit", "-q", "-a", "-m", f"user of {folder.name}")
        git(b, "pull", "-q", "--rebase")
        git(b, "push", "-q")
        assert subprocess.run(["git", "pull", "-q", "--rebase"], cwd=a).returncode
        before = git(a, "status", "--porcelain")

        share(a, "In the middle.")
        added = run(a, "add", "--source", "agent-a", "--kind", "fact", "--scope", "stable", "--summary", "Added too.")

        assert git(a, "status", "--porcelain") == before
        assert "a rebase is under way" in added.stderr
        assert "In the middle." in run(a, "search", "the middle").stdout
        (a / "USER.md").write_text("# User\nFrom both\n", encoding="utf-8")
        run(a, "compile")
        assert "Added too." in page(a, "stable-memory.md")
        git(a, "add", "USER.md", "canonical")
        git(a, "-c", "core.editor=true", "rebase", "--continue")
        run(a, "sync")
        assert log_of(a) == log_of(remote, "main") == ["Added too.", "Before.", "In the middle."]
        assert is_tidy(a)
        assert not list((a / ".git" / "agent-soul" / "outbox").iterdir())

    def test_a_compile_in_a_rebase_says_how_to_go_on(self, clones: tuple[Path, Path]) -> None:
        a, _ = clones
        share(a, "Before.")
        (a / "USER.md").write_text("# User\nOf a\n", encoding="utf-8")
        git(a, "commit", "-q", "-a", "-m", "user")
        edit = {"GIT_SEQUENCE_EDITOR": "sed -i -e 1s/pick/edit/"}
        subprocess.run(["git", "rebase", "-q", "-i", "HEAD~1"], cwd=a, env={**os.environ, **edit}, check=True)
        run(a, "add", "--source", "agent-a", "--scope", "fuzzy", "--kind", "observation", "--summary", "Meanwhile.")

        said = run(a, "compile").stderr

        assert "1 event waits in the outbox" in said
        assert "had lost" not in said
        assert subprocess.run(["git", "rebase", "--continue"], cwd=a, capture_output=True).returncode
        (step,) = re.findall(r"`(git checkout .*?)`", said)
        git(a, *step.split()[1:])
        git(a, "-c", "core.editor=true", "rebase", "--continue")
        run(a, "sync")
        assert "Meanwhile." in page(a)

    def test_a_file_made_by_hand_may_lack_its_last_newline(self, clones: tuple[Path, Path], remote: Path) -> None:
        a, b = clones
        share(b, "Of b.")
        made = next((b / "sources").rglob("*.ndjson")).read_bytes().replace(b"agent-b", b"by-hand").rstrip(b"\n")
        made = re.sub(rb'("event_id":")........', rb"\g<1>00000000", made)
        (a / "sources" / "by-hand").mkdir(parents=True)
        (a / "sources" / "by-hand" / "2026-01-01.ndjson").write_bytes(made)

        done = run(a, "sync")
        assert "in the way" not in done.stderr
        share(b, "More of b.")
        run(a, "sync")
        assert log_of(a) == log_of(remote, "main") == ["More of b.", "Of b.", "Of b."]

    def test_another_branch_stays_one_that_git_can_leave(self, clones: tuple[Path, Path], remote: Path) -> None:
        a, b = clones
        share(a, "Before.")
        git(a, "switch", "-q", "-c", "experiment")

        share(a, "On the branch.")
        run(a, "add", "--source", "agent-b", "--kind", "fact", "--scope", "stable", "--summary", "A new file.")
        run(a, "sync")

        assert is_tidy(a)
        assert "On the branch." in run(a, "search", "the branch").stdout
        run(b, "sync")
        git(a, "fetch", "-q", "origin", "main:main")
        share(a, "Once more.")
        git(a, "switch", "-q", "main")
        run(a, "sync")
        assert log_of(a) == log_of(remote, "main") == ["A new file.", "Before.", "On the branch.", "Once more."]
        assert is_tidy(a)
        assert not list((a / ".git" / "agent-soul" / "outbox").iterdir())

    def test_what_a_person_staged_on_another_branch_stays(self, clones: tuple[Path, Path]) -> None:
        a, _ = clones
        share(a, "Before.")
        git(a, "switch", "-q", "-c", "experiment")
        run(a, "add", "--source", "agent-a", "--kind", "fact", "--scope", "stable", "--summary", "Staged.")
        git(a, "add", "sources")

        run(a, "sync")

        assert git(a, "status", "--porcelain").startswith("M  sources/agent-a/")

    @pytest.mark.parametrize("state", ["rebase", "detached", "other branch"])
    def test_where_no_commit_of_ours_belongs(self, clones: tuple[Path, Path], remote: Path, state: str) -> None:
        a, _ = clones
        if state == "rebase":
            (a / ".git" / "rebase-merge").mkdir()
        elif state == "detached":
            git(a, "checkout", "-q", "--detach")
        else:
            git(a, "checkout", "-q", "-b", "experiment")
        head = git(a, "rev-parse", "HEAD")

        done = run(a, "share", "--source", "agent-a", "Of a.")

        assert done.stdout.startswith("shared")
        assert "this clone stays as it is" in done.stderr
        assert log_of(remote, "main") == ["Of a."]
        assert git(a, "rev-parse", "HEAD") == head

    @pytest.mark.parametrize(
        "way", [("pull", "-q", "--rebase"), ("pull", "-q", "--no-rebase"), ("pull", "-q", "--ff-only")]
    )
    def test_plain_git_goes_on_working(self, clones: tuple[Path, Path], way: tuple[str, ...]) -> None:
        a, b = clones
        share(a, "Of a.")
        share(b, "Of b.")
        git(a, *way)
        share(a, "Again of a.")
        git(b, *way)

        assert log_of(a) == log_of(b) == ["Again of a.", "Of a.", "Of b."]
        assert is_tidy(a)

    def test_a_reset_between_add_and_sync_loses_nothing(self, clones: tuple[Path, Path], remote: Path) -> None:
        a, _ = clones
        run(a, "add", "--source", "agent-a", "--kind", "fact", "--scope", "stable", "--summary", "Kept.")
        git(a, "reset", "-q", "--hard")
        git(a, "clean", "-fdxq")
        run(a, "sync")

        assert log_of(remote, "main") == log_of(a) == ["Kept."]


LINE = {"event_id": "foreign-1", "source": "old-pc", "ts": "2026-11-01T10:00:00Z", "kind": "fact", "scope": "stable"}


class TestLinesThatOthersWrote:
    """Source files that were copied into a hub, or that another program writes."""

    def test_they_are_sent_byte_for_byte_and_the_clone_comes_along(
        self, clones: tuple[Path, Path], remote: Path
    ) -> None:
        a, b = clones
        file = a / "sources" / "old-pc" / "2026-11-01.ndjson"
        file.parent.mkdir(parents=True)
        spaced = json.dumps({**LINE, "summary": "Spaced as json.dumps does it."}).encode()
        windows = json.dumps({**LINE, "event_id": "foreign-2", "summary": "With CR."}).encode() + b"\r"
        content = b"\xef\xbb\xbf" + b"\n".join([spaced, b"not json at all", windows, b'{"kind":"of-the-future"}', b""])
        file.write_bytes(content)

        assert run(a, "sync").stdout.startswith("shared: 2 events, ")
        run(b, "sync")

        assert (b / file.relative_to(a)).read_bytes() == file.read_bytes() == content
        assert is_tidy(a)
        assert git(a, "rev-parse", "HEAD") == git(remote, "rev-parse", "main")
        assert "Spaced as json.dumps does it." in page(b, "stable-memory.md")

    def test_a_line_added_to_a_file_that_is_shared_already(self, clones: tuple[Path, Path]) -> None:
        a, b = clones
        file = a / "sources" / "old-pc" / "log.ndjson"
        file.parent.mkdir(parents=True)
        file.write_text(json.dumps({**LINE, "summary": "The first."}) + "\n", encoding="utf-8")
        run(a, "sync")
        for text, number in (("The second.", 2), ("The third.", 3)):
            with file.open("a", encoding="utf-8") as opened:
                opened.write(json.dumps({**LINE, "event_id": f"foreign-{number}", "summary": text}) + "\nbroken\n")
            run(a, "sync")
            assert is_tidy(a)
        run(b, "sync")

        assert (b / file.relative_to(a)).read_bytes() == file.read_bytes()
        assert file.read_bytes().count(b"\n") == 4, "a broken line that is there already is not sent again"

    def test_a_line_that_a_person_took_out_is_not_put_back_over_their_file(self, clones: tuple[Path, Path]) -> None:
        a, b = clones
        file = a / "sources" / "old-pc" / "log.ndjson"
        file.parent.mkdir(parents=True)
        lines = [json.dumps({**LINE, "event_id": f"foreign-{n}", "summary": f"Number {n}."}) + "\n" for n in (1, 2)]
        file.write_text("".join(lines), encoding="utf-8")
        run(a, "sync")
        share(b, "By b.")
        file.write_text(lines[1], encoding="utf-8")

        share(a, "By a.")

        assert file.read_text(encoding="utf-8") == lines[1]
        assert log_of(a, "origin/main") == ["By a.", "By b.", "Number 1.", "Number 2."]


class TestServers:
    def test_a_hook_that_declines(self, clones: tuple[Path, Path], remote: Path) -> None:
        hook = remote / "hooks" / "pre-receive"
        hook.write_text("#!/bin/sh\nprintf 'policy: \\033[31mno memory on Sundays\\n' >&2\nexit 1\n", encoding="utf-8")
        hook.chmod(0o755)
        a, _ = clones
        started = time.monotonic()
        said = share(a, "Of a.", code=4)

        assert said.startswith("safe here, not shared yet: the remote declined")
        assert "no memory on Sundays" in said
        assert "\033" not in said
        assert time.monotonic() - started < 30
        hook.unlink()
        assert run(a, "sync").stdout.startswith("shared: 1 event")

    def test_a_push_whose_answer_is_lost(self, clones: tuple[Path, Path], remote: Path) -> None:
        """The server dies after the branch moved; the event must not be sent a second time."""
        hook = remote / "hooks" / "post-receive"
        hook.write_text('#!/bin/sh\nrm -f "$0"\nkill -9 $PPID\n', encoding="utf-8")
        hook.chmod(0o755)
        a, _ = clones
        share(a, "Of a.")

        assert log_of(remote, "main") == ["Of a."]
        assert git(remote, "rev-list", "--count", "main").strip() == "2"
        assert is_tidy(a)

    def test_a_remote_that_is_not_there(self, clones: tuple[Path, Path], remote: Path) -> None:
        a, _ = clones
        remote.rename(remote.with_name("gone.git"))
        assert "safe here, not shared yet" in share(a, "Of a.", code=4)
        remote.with_name("gone.git").rename(remote)

        assert run(a, "sync").stdout.startswith("shared: 1 event")
        assert log_of(remote, "main") == ["Of a."]

    def test_a_remote_that_hangs(self, clones: tuple[Path, Path], tmp_path: Path) -> None:
        slow = tmp_path / "slow.sh"
        slow.write_text("#!/bin/sh\nsleep 60\n", encoding="utf-8")
        slow.chmod(0o755)
        a, _ = clones
        git(a, "remote", "set-url", "origin", "ssh://example.invalid/hub.git")
        started = time.monotonic()
        done = run(a, "share", "--source", "agent-a", "Of a.", "--budget", "3", code=4, GIT_SSH_COMMAND=str(slow))

        assert "safe here, not shared yet" in done.stdout
        assert time.monotonic() - started < 25

    def test_what_ssh_says_is_shown_without_its_line_ends(self, clones: tuple[Path, Path], tmp_path: Path) -> None:
        ssh = tmp_path / "ssh.sh"
        ssh.write_text("#!/bin/sh\nprintf 'Connection refused\\r\\n' >&2\nexit 255\n", encoding="utf-8")
        ssh.chmod(0o755)
        a, _ = clones
        git(a, "remote", "set-url", "origin", "ssh://example.invalid/hub.git")
        done = run(a, "sync", code=4, GIT_SSH_COMMAND=str(ssh))

        assert "Connection refused; " in done.stdout

    def test_a_persons_signing_is_not_ours(self, clones: tuple[Path, Path]) -> None:
        """It could ask for a passphrase, and most servers take no signed push."""
        a, _ = clones
        for name in ("push.gpgSign", "commit.gpgSign"):
            git(a, "config", name, "true")

        assert share(a, "Of a.").startswith("shared")

    def test_settings_that_git_cannot_read_are_not_a_repository_without_a_remote(
        self, clones: tuple[Path, Path], tmp_path: Path
    ) -> None:
        """`git config` that is refused `.git/HEAD` takes the folder for no repository, and says nothing."""
        broken = tmp_path / "git"
        script = f'#!/bin/sh\ncase "$*" in *--get-regexp*) exit 1 ;; esac\nexec {shutil.which("git")} "$@"\n'
        broken.write_text(script, encoding="utf-8")
        broken.chmod(0o755)
        a, _ = clones
        head = git(a, "rev-parse", "HEAD")
        done = run(a, "share", "--source", "agent-a", "Of a.", code=4, PATH=f"{tmp_path}:{os.environ['PATH']}")

        assert "settings" in done.stdout
        assert git(a, "rev-parse", "HEAD") == head

    def test_an_address_cannot_name_a_program(self, clones: tuple[Path, Path], tmp_path: Path) -> None:
        a, _ = clones
        git(a, "remote", "set-url", "origin", f"ext::sh -c touch% {tmp_path}/owned")
        share(a, "Of a.", "--budget", "2", code=4)

        assert not (tmp_path / "owned").exists()

    def test_a_rewritten_remote_stops_until_a_person_decides(
        self, clones: tuple[Path, Path], seed: Path, remote: Path
    ) -> None:
        a, _ = clones
        share(a, "Of a.")
        git(seed, "push", "-q", "--force", "origin", "main")
        done = run(a, "sync", code=5)

        assert "was rewritten" in done.stderr
        assert "1 events of this clone" in done.stderr
        assert "--reattach" in done.stderr
        run(a, "sync", "--reattach")
        assert log_of(remote, "main") == ["Of a."]
        run(a, "sync")

    def test_what_another_machine_wrote_is_counted_and_sent_again(
        self, clones: tuple[Path, Path], seed: Path, remote: Path
    ) -> None:
        """The machine that wrote it may be gone, and this clone the last that has it."""
        a, b = clones
        texts = [f"Fact {number} of the port." for number in range(4)]
        for text in texts:
            share(a, text)
        run(b, "sync")
        (seed / "NEWS.md").write_text("rewritten\n", encoding="utf-8")
        git(seed, "add", "-A")
        git(seed, "commit", "-q", "-m", "rewritten")
        git(seed, "push", "-q", "--force", "origin", "main")

        said = run(b, "sync", code=5).stderr
        listed = said.partition("lacks 4 events of this clone: ")[2].partition("\n")[0]
        assert len(listed.split(", ")) == 4
        run(b, "sync", "--reattach")
        assert log_of(remote, "main") == log_of(b) == texts
        run(b, "compile", "--check")
        assert "up to date" in run(b, "sync").stdout
        run(b, "compile", "--check")

    @pytest.mark.parametrize("change", ["deleted", "set back"])
    def test_a_push_does_not_put_back_what_somebody_took_away(
        self, clones: tuple[Path, Path], remote: Path, change: str
    ) -> None:
        """`share` pushes without a look first; to a plain push both would be what can be moved forward."""
        a, _ = clones
        before = git(remote, "rev-parse", "main").strip()
        share(a, "One.")
        git(remote, "update-ref", *(["-d", "refs/heads/main"] if change == "deleted" else ["refs/heads/main", before]))
        there = git(remote, "for-each-ref")

        said = share(a, "Two.", code=4)

        assert ("is gone" if change == "deleted" else "was rewritten") in said
        assert git(remote, "for-each-ref") == there
        run(a, "sync", "--reattach")
        assert log_of(remote, "main") == ["One.", "Two."]

    def test_a_deleted_branch_is_not_made_again_silently(self, clones: tuple[Path, Path], remote: Path) -> None:
        a, _ = clones
        share(a, "Of a.")
        git(remote, "update-ref", "-d", "refs/heads/main")

        assert "is gone" in run(a, "sync", code=5).stderr
        run(a, "sync", "--reattach")
        assert log_of(remote, "main") == ["Of a."]


class TestShapes:
    def test_the_first_push_to_an_empty_remote(self, tmp_path: Path, remote: Path) -> None:
        folder = tmp_path / "new"
        (folder / "sources").mkdir(parents=True)
        (folder / "soul.yaml").write_text("template: false\n", encoding="utf-8")
        git(folder, "init", "-q", "-b", "main")
        git(folder, "remote", "add", "origin", str(remote))
        assert share(folder, "Before any commit.").startswith("shared")
        git(folder, "add", "soul.yaml")
        git(folder, "commit", "-q", "-m", "mine")
        share(folder, "After one.")

        assert log_of(remote, "main") == ["After one.", "Before any commit."]

    def test_a_first_push_counts_the_events_of_a_persons_commit(self, tmp_path: Path, seed: Path) -> None:
        share(seed, "One.")
        share(seed, "Two.")
        git(tmp_path, "init", "-q", "--bare", "-b", "main", "other.git")
        git(seed, "remote", "set-url", "origin", str(tmp_path / "other.git"))

        assert run(seed, "sync").stdout.startswith("shared: 2 events")

    def test_a_shallow_clone(self, tmp_path: Path, clones: tuple[Path, Path], remote: Path) -> None:
        share(clones[0], "Of a.")
        share(clones[0], "More of a.")
        shallow = tmp_path / "shallow"
        git(tmp_path, "clone", "-q", "--depth", "1", f"file://{remote}", str(shallow))
        share(clones[0], "Meanwhile.")
        share(shallow, "Of the shallow one.")

        assert log_of(shallow) == ["Meanwhile.", "More of a.", "Of a.", "Of the shallow one."]
        assert is_tidy(shallow)

    def test_a_worktree_shares_the_outbox_of_its_clone(
        self, clones: tuple[Path, Path], tmp_path: Path, remote: Path
    ) -> None:
        a, _ = clones
        git(a, "worktree", "add", "-q", "-b", "side", str(tmp_path / "side"))
        share(tmp_path / "side", "From the side.")

        assert log_of(remote, "main") == ["From the side."]

    def test_a_hub_in_a_subfolder(self, tmp_path: Path, remote: Path) -> None:
        top = tmp_path / "mono"
        hub = top / "tools" / "soul"
        (hub / "sources").mkdir(parents=True)
        (hub / "soul.yaml").write_text("template: false\n", encoding="utf-8")
        (top / "README.md").write_text("mono\n", encoding="utf-8")
        git(top, "init", "-q", "-b", "main")
        git(top, "add", "-A")
        git(top, "commit", "-q", "-m", "mono")
        git(top, "remote", "add", "origin", str(remote))
        git(top, "push", "-q", "-u", "origin", "main")
        share(hub, "Below the top.", source="agent-x")
        git(top, "commit", "-q", "--allow-empty", "-m", "unpushed")
        share(hub, "Once more.", source="agent-x")

        assert git(top, "status", "--porcelain") == ""
        changed = git(remote, "diff", "--name-only", "main~1", "main").split()
        assert changed
        assert all(path.startswith("tools/soul/") for path in changed)
        assert "Once more." in (hub / "canonical" / "fuzzy-memory.md").read_text(encoding="utf-8")

    def test_a_remote_with_an_unrelated_beginning(self, tmp_path: Path, seed: Path, remote: Path) -> None:
        """A repository made on a website with a README of its own."""
        other = tmp_path / "other"
        (other / "sources").mkdir(parents=True)
        (other / "soul.yaml").write_text("template: false\n", encoding="utf-8")
        git(other, "init", "-q", "-b", "main")
        git(other, "add", "-A")
        git(other, "commit", "-q", "-m", "unrelated")
        git(other, "remote", "add", "origin", str(remote))
        done = run(other, "share", "--source", "agent-x", "Of the other.")

        assert done.stdout.startswith("shared")
        assert "this clone stays as it is" in done.stderr
        assert "`git reset --hard " in done.stderr
        assert log_of(remote, "main") == ["Of the other."]

    def test_pages_of_a_newer_toolkit_are_left_and_events_shared(self, clones: tuple[Path, Path], remote: Path) -> None:
        a, b = clones
        share(a, "Of a.")
        index = a / "canonical" / "index.md"
        index.write_text(index.read_text(encoding="utf-8").replace("page format 2", "page format 3"), encoding="utf-8")
        git(a, "commit", "-q", "-a", "-m", "newer")
        git(a, "push", "-q")
        done = run(b, "share", "--source", "agent-b", "Of b.")

        assert done.stdout.startswith("shared: 1 event, 0 pages")
        assert "events only" in done.stderr
        assert log_of(remote, "main") == ["Of a.", "Of b."]

    def test_a_kill_between_push_and_bringing_along_is_repaired(self, clones: tuple[Path, Path], remote: Path) -> None:
        a, _ = clones
        program = (
            "import os, sys, agent_soul.gitio as g, agent_soul.sync as s;"
            "s.gitio.bring_along = lambda *a, **k: os._exit(9);"
            "from agent_soul.cli import main; main(sys.argv[1:])"
        )
        subprocess.run([sys.executable, "-c", program, "share", "--source", "agent-a", "Of a."], cwd=a, check=False)
        assert log_of(remote, "main") == ["Of a."]

        assert run(a, "sync").stdout == "shared: up to date\n"
        assert is_tidy(a)
        assert log_of(a) == ["Of a."]


class TestNothingIsLeftBehind:
    """Events that are acknowledged reach the remote, also where the clone lost what it knew of itself."""

    @pytest.mark.parametrize("command", [["sync"], ["compile"]], ids=" ".join)
    def test_what_killed_commands_left_half_written_goes(self, clones: tuple[Path, Path], command: list[str]) -> None:
        a, _ = clones
        share(a, "Of a.")
        folders = (a / "canonical", a / "canonical" / "agents", a / "sources" / "agent-a", a / ".git" / "agent-soul")
        left = [folder / ".agent-soul.1.abcdef01.tmp" for folder in (*folders, folders[-1] / "outbox")]
        for file in left:
            file.write_text("half", encoding="utf-8")

        run(a, *command)

        assert not [file for file in left if file.exists()]
        assert is_tidy(a)

    def test_the_state_folder_was_deleted(self, clones: tuple[Path, Path], remote: Path) -> None:
        a, _ = clones
        run(a, "add", "--source", "agent-a", "--kind", "fact", "--scope", "stable", "--summary", "Kept.")
        shutil.rmtree(a / ".git" / "agent-soul")
        run(a, "sync")

        assert log_of(remote, "main") == log_of(a) == ["Kept."]

    def test_what_was_kept_here_goes_along_once_there_is_a_remote(
        self, clones: tuple[Path, Path], remote: Path
    ) -> None:
        a, b = clones
        git(b, "remote", "remove", "origin")
        share(b, "Kept here.")
        share(a, "Of a.")
        git(b, "remote", "add", "origin", str(remote))
        git(b, "fetch", "-q")
        git(b, "branch", "-q", "-u", "origin/main")
        run(b, "sync")

        assert log_of(remote, "main") == ["Kept here.", "Of a."]

    @pytest.mark.parametrize("state", ["feature branch", "detached", "worktree"])
    def test_no_second_branch_is_made_on_the_remote(self, tmp_path: Path, seed: Path, remote: Path, state: str) -> None:
        """In a hub made by `init` and `push`, which knows no default branch of its remote."""
        folder = seed
        if state == "feature branch":
            git(seed, "checkout", "-q", "-b", "feature")
        elif state == "detached":
            git(seed, "checkout", "-q", "--detach")
        else:
            folder = tmp_path / "side"
            git(seed, "worktree", "add", "-q", "-b", "side", str(folder))
        share(folder, "From elsewhere.", source="agent-x")

        assert git(remote, "for-each-ref", "--format=%(refname)").split() == ["refs/heads/main"]
        assert log_of(remote, "main") == ["From elsewhere."]

    def test_a_rewrite_is_noticed_after_a_persons_own_fetch(self, clones: tuple[Path, Path], remote: Path) -> None:
        a, _ = clones
        share(a, "One.")
        before = git(remote, "rev-parse", "main").strip()
        share(a, "Two.")
        git(remote, "update-ref", "refs/heads/main", before)
        git(a, "fetch", "-q")

        assert "was rewritten" in share(a, "Three.", code=4)
        run(a, "sync", "--reattach")
        assert log_of(remote, "main") == ["One.", "Three.", "Two."]

    def test_a_clone_that_moved_knows_its_own_events(self, clones: tuple[Path, Path], remote: Path) -> None:
        a, _ = clones
        share(a, "One.")
        before = git(remote, "rev-parse", "main").strip()
        share(a, "Two.")
        moved = a.rename(a.with_name("moved"))
        git(remote, "update-ref", "refs/heads/main", before)

        assert "lacks 1 events" in run(moved, "sync", code=5).stderr
        run(moved, "sync", "--reattach")
        assert log_of(remote, "main") == ["One.", "Two."]

    def test_two_contents_of_one_id_both_arrive(self, clones: tuple[Path, Path], remote: Path) -> None:
        options = ("--kind", "fact", "--scope", "stable", "--event-id", "same-id-0001")
        for folder, text in zip(clones, ("Apples are red.", "Bananas are bent."), strict=True):
            run(folder, "add", "--source", f"agent-{folder.name}", "--summary", text, *options)
            run(folder, "sync")

        assert log_of(remote, "main") == ["Apples are red.", "Bananas are bent."]

    def test_after_a_purge_of_history_reattaching_works(self, clones: tuple[Path, Path], remote: Path) -> None:
        a, _ = clones
        first = git(remote, "rev-parse", "main").strip()
        share(a, "A secret.")
        git(remote, "update-ref", "refs/heads/main", first)
        git(a, "fetch", "-q")
        git(a, "reset", "-q", "--hard", "origin/main")
        git(a, "update-ref", "-d", "refs/agent-soul/outgoing")
        git(a, "reflog", "expire", "--expire=now", "--all")
        git(a, "gc", "-q", "--prune=now")

        run(a, "sync", code=5)
        run(a, "sync", "--reattach")
        run(a, "sync")
        assert log_of(remote, "main") == []

    def test_a_broken_soul_yaml_here_holds_up_no_share(self, clones: tuple[Path, Path], remote: Path) -> None:
        a, _ = clones
        share(a, "First.")
        (a / "soul.yaml").write_text("template: [\n", encoding="utf-8")
        done = run(a, "share", "--source", "agent-a", "Second.")

        assert done.stdout.startswith("shared: ")
        assert "note: soul.yaml cannot be read" in done.stderr
        assert len(log_of(remote, "main")) == 2

    def test_a_broken_soul_yaml_comes_back_mended(self, clones: tuple[Path, Path]) -> None:
        a, b = clones
        share(b, "Of b.")
        git(a, "pull", "-q")
        for text in ("template: [\n", "template: false\n"):
            (a / "soul.yaml").write_text(text, encoding="utf-8")
            git(a, "commit", "-q", "-a", "-m", "settings")
            git(a, "push", "-q")
            run(b, "sync")

        assert (b / "soul.yaml").read_text(encoding="utf-8") == "template: false\n"

    @pytest.mark.parametrize("strange", ["pipe", "link"])
    def test_a_pipe_or_link_in_place_of_a_day_file_is_not_opened(
        self, clones: tuple[Path, Path], remote: Path, tmp_path: Path, strange: str
    ) -> None:
        a, b = clones
        share(a, "Of a.")
        file = next((a / "sources" / "agent-a").iterdir())
        file.unlink()
        if strange == "pipe":
            os.mkfifo(file)
        else:
            (tmp_path / "private").write_text("private\n", encoding="utf-8")
            file.symlink_to(tmp_path / "private")
        share(b, "Of b.")
        run(a, "sync")

        assert "private" not in git(remote, "grep", "-h", "-e", "", "main")
        assert file.is_symlink() or file.is_fifo()

    def test_a_fault_of_gits_own_is_not_tried_for_the_whole_time(self, clones: tuple[Path, Path]) -> None:
        a, _ = clones
        git(a, "config", "remote.origin.mirror", "true")
        started = time.monotonic()
        said = share(a, "Of a.", code=4)

        assert "mirror" in said
        assert time.monotonic() - started < 30


def test_a_fast_import_that_fails_leaves_no_report(clones: tuple[Path, Path]) -> None:
    a, _ = clones
    broken = ("Nobody <nobody@example.org> 1 +9999",) * 2

    with pytest.raises(gitio.GitError, match=r"Invalid raw date [^\n]*\Z"):
        gitio.build_commit(find_hub(str(a)), "", {"a": b""}, "a", author="agent-a", people=broken)

    assert not list((a / ".git").glob("fast_import_crash_*"))


def test_json_is_one_object(clones: tuple[Path, Path]) -> None:
    a, _ = clones
    answer: dict[str, Any] = json.loads(run(a, "share", "--source", "agent-a", "Of a.", "--json").stdout)

    assert answer["ok"] is True
    assert answer["outcome"] == "shared"
    assert answer["commit"] == git(a, "rev-parse", "HEAD").strip()


def test_the_next_step_in_json_can_be_typed(clones: tuple[Path, Path], remote: Path) -> None:
    a, _ = clones
    remote.rename(remote.with_name("elsewhere.git"))

    done = run(a, "share", "--source", "agent-a", "Of a.", "--json", code=4, AGENT_SOUL_INVOKED_AS="python3 soul.py")

    assert "`python3 soul.py sync`" in json.loads(done.stdout)["note"]


class TestAClockBefore1970:
    """What `git var` tells then, and git would write, is a date that `git fsck` calls broken; a push is for good."""

    WRAPPED = "18446744072352032256"

    def test_what_is_shared_has_a_date_that_git_accepts(self, clones: tuple[Path, Path], remote: Path) -> None:
        a, _ = clones
        dates = dict.fromkeys(("GIT_AUTHOR_DATE", "GIT_COMMITTER_DATE"), f"@{self.WRAPPED} +0000")
        assert (
            self.WRAPPED
            in subprocess.run(
                ["git", "var", "GIT_COMMITTER_IDENT"],
                cwd=a,
                env={**os.environ, **dates},
                capture_output=True,
                text=True,
            ).stdout
        )
        run(a, "share", "--source", "agent-a", "From long ago.", code=0, **dates)

        assert git(remote, "log", "-1", "--format=%at %ct", "main").split() == ["0", "0"]
        git(remote, "fsck", "--strict")

    @pytest.mark.parametrize("named", [True, False])
    def test_so_has_a_commit_by_whomever_and_a_merge(
        self, clones: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch, named: bool
    ) -> None:
        a, _ = clones
        hub = find_hub(str(a))
        hub.state.mkdir()
        monkeypatch.setattr(time, "time", lambda: -1357519360.0)
        if not named:
            monkeypatch.setattr(repository, "known_people", lambda _: None)
        head = git(a, "rev-parse", "HEAD").strip()
        one, other = (
            gitio.build_commit(hub, head, {name: b""}, "m", author="desk", people=None) for name in ("one", "other")
        )
        merge, _ = merged(hub, one, other, "desk")

        for commit in (one, merge):
            assert git(a, "log", "-1", "--format=%at %ct", commit).split() == ["0", "0"]
