"""Hooks at work: what an agent is told at the start, when it is done, and what happens at the end of a session."""

from __future__ import annotations

import contextlib
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from agent_soul.adding import add
from agent_soul.compiler import compile_hub
from agent_soul.hooking.call import Call
from agent_soul.hooking.detached import log_file
from agent_soul.hooking.place import Place
from agent_soul.hooking.run import run
from agent_soul.hooking.stdin import read_object
from agent_soul.hub import Hub, open_hub
from agent_soul.lock import exclusive
from agent_soul.runtimes.following import rerender
from agent_soul.runtimes.joining import end_join, join
from agent_soul.runtimes.reading import pages_text, text_read
from agent_soul.runtimes.registry import RUNTIMES
from agent_soul.sessions import known_sessions, start_session
from agent_soul.sync import sync
from support import Machines, Soul, git

NOW = datetime.now().astimezone()
SOURCE = "office-codex"


def say(hub: Hub, summary: str, source: str = "home-mac", **fields: Any) -> str:
    return add(hub, {"kind": "fact", "scope": "stable", "source": source, "summary": summary, **fields}).event.id


def told(hub: Hub, session: str = "", *, origin: str = "", read: str | None = None, seconds: float = 0) -> str:
    """Return what an agent is told at the start of a session, who read the pages as they are."""
    place = Place(hub, SOURCE, datetime.now().astimezone() + timedelta(seconds=seconds))
    answer = run(Call("session-start", "codex", session, origin), place, pages_text(hub) if read is None else read)
    answer.remember()
    text: str = json.loads(answer.text)["hookSpecificOutput"]["additionalContext"] if answer.text else ""
    return text


def reminder(hub: Hub, minutes: float, *, runtime: str = "codex", session: str = "s", **more: Any) -> str:
    place = Place(
        hub, SOURCE, NOW + timedelta(minutes=minutes), lambda text: text.replace("`soul ", "`python3 soul.py ")
    )
    answer = run(Call("stop", runtime, session, **more), place, "")
    answer.remember()
    return json.loads(answer.text)["reason"] if answer.text else ""


class TestStart:
    def test_what_another_machine_shared_is_told_once(self, machines: Machines) -> None:
        say(machines.one, "The gateway listens on 8443.")
        sync(machines.one)

        first = told(machines.other, "one")
        assert "- The gateway listens on 8443. (" in first
        assert first.startswith("# Shared memory of the user's agents")
        assert told(machines.other, "two", seconds=200) == ""

    def test_what_others_recorded_for_pages_loaded_on_demand_is_told_once(self, machines: Machines) -> None:
        say(machines.one, "Said before the first session.", scope="fuzzy")
        sync(machines.one)
        assert told(machines.other, "one") == ""
        say(machines.one, "Refund test is red.", scope="fuzzy")
        say(machines.one, "重试五次。", kind="decision", scope="project", project="支付")
        say(machines.one, "Seen by itself.", SOURCE, scope="fuzzy")
        say(machines.one, "It lasts.")
        sync(machines.one)
        say(machines.other, "Not committed yet.", "other-agent", scope="fuzzy")

        lines = told(machines.other, "two", seconds=200).partition(
            "## Recorded by others since the last session here\n"
        )
        assert [line.partition(" (")[0] for line in lines[2].strip().split("\n")] == [
            "- Not committed yet.",
            "- 支付: 重试五次。",
            "- Refund test is red.",
        ]
        assert [row.partition(" (")[0] for row in lines[0].split("\n") if row.startswith("- ")] == [
            "- Waiting: 1 not shared yet: `soul sync`",
            "- It lasts.",
        ]
        assert told(machines.other, "three", seconds=400) == ""

    def test_only_what_was_printed_counts_as_told(self, machines: Machines) -> None:
        """A hook that is ended before it printed has told nothing, so the next session hears it."""
        assert told(machines.other, "one") == ""
        say(machines.one, "Refund test is red.", scope="fuzzy")
        sync(machines.one)
        say(machines.other, "Not committed yet.", "other-agent", scope="fuzzy")
        later = Place(machines.other, SOURCE, datetime.now().astimezone() + timedelta(seconds=200))
        said = run(Call("session-start", "codex", "two"), later, pages_text(machines.other)).text

        again = told(machines.other, "three", seconds=400)

        for text in ("Refund test is red.", "Waiting: 1 not shared yet"):
            assert text in said
            assert text in again

    def test_what_was_recorded_here_and_is_on_no_page_yet_is_told(self, hub: Path) -> None:
        here = open_hub(hub)
        say(here, "Old fact.")
        compile_hub(here)
        assert told(here) == ""
        say(here, "新的事实。", "other-agent")

        text = told(here)

        assert text.startswith("# Shared memory: newer than what was read at the start")
        assert next(line for line in text.split("\n") if line.startswith("- ")).startswith("- 新的事实。 (")
        assert "Old fact" not in text

    def test_who_read_nothing_is_told_all_and_how_to_record(self, hub: Path) -> None:
        here = open_hub(hub)
        (hub / "USER.md").write_text("# User\n\n- Lin, an engineer.\n", encoding="utf-8")
        say(here, "Some fact.")

        text = told(here, read="")

        assert "## User\n- Lin, an engineer.\n\n## Stable memory\n- Some fact. (" in text
        assert f"`soul add --source {SOURCE} --kind decision" in text

    def test_a_second_program_with_the_same_hook_tells_nothing(self, hub: Path) -> None:
        here = open_hub(hub)
        say(here, "Some fact.")

        assert "Some fact" in told(here, "s", read="")
        assert told(here, "s", read="", seconds=10) == ""
        assert "Some fact" in told(here, "other", read="", seconds=10)
        assert "Some fact" in told(here, "s", read="", seconds=200)

    def test_what_a_hook_told_is_gone_after_compaction_and_there_after_a_resume(self, hub: Path) -> None:
        """A program that reads its files but once has them as they were, though they are rendered anew since."""
        here = open_hub(hub)
        say(here, "Read at the start.")
        compile_hub(here)
        at_start = pages_text(here)
        say(here, "Told by the hook.")
        assert "Told by the hook" in told(here, "s", read=at_start)
        compile_hub(here)

        assert told(here, "s", origin="resume") == ""
        say(here, "New since.")
        resumed = told(here, "s", origin="resume", seconds=100)
        assert "New since" in resumed
        assert "Told by the hook" not in resumed
        compacted = told(here, "s", origin="compact", seconds=200)
        assert "New since" in compacted
        assert "Told by the hook" in compacted
        assert "Read at the start" not in compacted

    def test_what_ended_is_told_once(self, hub: Path) -> None:
        here = open_hub(hub)
        old = say(here, "The port is 1.")
        compile_hub(here)
        at_start = pages_text(here)
        say(here, "The port is 2.", supersedes=[old])

        assert f"## No longer holds\n- The port is 1. ({old[:8]} " in told(here, "s", read=at_start)
        compile_hub(here)
        assert told(here, "t") == ""

    def test_what_waits_is_told_once_a_day_to_each_agent(self, hub: Path) -> None:
        here = open_hub(hub)
        start_session(here, "home-mac", NOW - timedelta(days=2))
        say(here, "Perhaps.", proposed=True)
        compile_hub(here)

        text = told(here, "a")
        assert "- Missed: home-mac had a session on " in text
        assert "- Waiting: 1 for review: `soul review`" in text
        assert told(here, "b") == ""
        say(here, "Perhaps not.", proposed=True)
        assert "- Waiting: 2 for review: `soul review`" in told(here, "c")
        assert "Missed" in told(here, "d", seconds=24 * 3600)

    def test_a_session_that_nobody_ended_is_told_once_though_it_grows(self, hub: Path) -> None:
        here = open_hub(hub)
        start_session(here, "home-mac", datetime.now().astimezone() - timedelta(hours=1))

        assert told(here, "a").count("- Missed: home-mac ") == 1
        assert told(here, "b", seconds=120) == ""

    def test_a_sub_agent_is_told_nothing(self, hub: Path) -> None:
        here = open_hub(hub)
        say(here, "Some fact.")

        place = Place(here, SOURCE, NOW)
        assert run(Call("session-start", "codex", "s", is_subagent=True), place, "").text == ""
        assert known_sessions(here) == []
        assert not (here.state / "hooks").exists()

    def test_the_remote_is_asked_once_a_minute(self, machines: Machines) -> None:
        told(machines.other, "one")
        say(machines.one, "The gateway listens on 8443.")
        sync(machines.one)

        assert told(machines.other, "two", seconds=10) == ""
        assert "8443" in told(machines.other, "three", seconds=200)

    def test_a_remote_that_another_command_has_just_met_is_not_asked(self, machines: Machines) -> None:
        sync(machines.other)
        say(machines.one, "The gateway listens on 8443.")
        sync(machines.one)

        assert told(machines.other, "one", seconds=10) == ""
        assert "8443" in told(machines.other, "two", seconds=200)

    def test_a_dead_remote_is_asked_once_a_minute_too(self, machines: Machines) -> None:
        (machines.remote / "HEAD").unlink()
        assert "- Stale: the remote 'origin' cannot be read: " in told(machines.other, "one")
        (machines.remote / "HEAD").write_text("ref: refs/heads/main\n", encoding="utf-8")
        say(machines.one, "The gateway listens on 8443.")
        sync(machines.one)

        assert told(machines.other, "two", seconds=10) == ""
        assert "8443" in told(machines.other, "three", seconds=200)

    def test_the_session_itself_is_not_one_that_left_too_little(self, hub: Path) -> None:
        here, now = open_hub(hub), datetime.now().astimezone()
        noon = now.replace(hour=12)  # a session of yesterday that nobody ended has no length
        for minutes, name in ((50, "s"), (40, "t")):
            start_session(here, SOURCE, noon - timedelta(minutes=minutes), name)

        heard = told(here, "s", origin="resume", seconds=(noon - now).total_seconds())
        assert re.findall(r"in the (\d+) minutes", heard) == ["40"]

    def test_the_session_is_noted_under_its_own_name(self, hub: Path) -> None:
        here = open_hub(hub)
        told(here, "s")
        told(here, "s", origin="resume", seconds=100)

        assert [(each.source, each.name) for each in known_sessions(here)] == [(SOURCE, "s")]

    def test_what_was_read_is_what_stands_in_the_programs_own_files(self, hub: Path) -> None:
        here, home = open_hub(hub), Path.home()
        say(here, "Old fact.")
        compile_hub(here)
        for name in ("codex", "claude-code"):
            join(here, RUNTIMES[name], source=SOURCE)
        say(here, "New fact.")
        compile_hub(here)

        copied, imported = (text_read(here, name, home).text for name in ("codex", "claude-code"))
        assert "- Old fact. (" in copied
        assert "New fact" not in copied
        assert "- New fact. (" in imported
        assert text_read(here, "gemini", home) == ("", 0)
        assert told(here, read=copied).count(" fact. (") == 1
        end_join(here, RUNTIMES["codex"])
        assert text_read(here, "codex", home) == ("", 0)

    def test_what_was_written_while_the_program_started_is_told(self, hub: Path, soul: Soul) -> None:
        """It may have read its file before another session's end brought the file up to date."""
        here, words = open_hub(hub), ("hook", "session-start", "--runtime", "codex", "--source", SOURCE)
        old = say(here, "Old fact.")
        say(here, "Lasting fact.")
        compile_hub(here)
        join(here, RUNTIMES["codex"], source=SOURCE)
        soul(*words, stdin='{"session_id": "s"}')
        say(here, "New fact.", supersedes=[old])
        compile_hub(here)
        rerender(here)

        at_once = soul(*words, stdin='{"session_id": "t"}').stdout
        assert "- New fact. (" in at_once
        assert "- Old fact. (" in at_once
        assert "Lasting fact" not in at_once
        os.utime(Path.home() / ".codex" / "AGENTS.md", (0, 0))
        assert " fact. (" not in soul(*words, stdin='{"session_id": "u"}').stdout

    def test_what_a_projects_file_says_was_read_there(self, hub: Path, tmp_path: Path) -> None:
        here, project = open_hub(hub), tmp_path / "project"
        (project / "src").mkdir(parents=True)
        join(here, RUNTIMES["codex"], source=SOURCE, project=project)

        assert "Shared memory" in text_read(here, "codex", project / "src").text
        assert text_read(here, "codex", tmp_path) == ("", 0)

    def test_spoilt_state_is_no_state(self, hub: Path) -> None:
        here = open_hub(hub)
        say(here, "Some fact.")
        told(here, "s")
        for file in (here.state / "hooks").glob("*.json"):
            file.write_text('[["s", 1]]', encoding="utf-8")

        assert "Some fact" in told(here, "s", read="")


class TestStop:
    @pytest.fixture
    def here(self, hub: Path) -> Hub:
        found = open_hub(hub)
        start_session(found, SOURCE, NOW, "s")
        return found

    def test_a_long_session_that_recorded_nothing_is_reminded_once(self, here: Hub) -> None:
        assert reminder(here, 20) == ""
        text = reminder(here, 40)

        assert text.startswith(f"agent-soul, once a session: {SOURCE} recorded 0 bytes in the 40 minutes from ")
        assert f'`python3 soul.py note --source {SOURCE} "' in text
        assert reminder(here, 60) == ""
        assert reminder(here, 600) == ""

    def test_the_agent_that_goes_on_for_a_hook_is_let_be(self, here: Hub) -> None:
        assert reminder(here, 40, is_final=True) == ""
        assert reminder(here, 40) != ""

    def test_a_session_that_recorded_something_is_let_be(self, here: Hub) -> None:
        say(here, "It went well.", SOURCE, detail="x" * 1200, ts=(NOW + timedelta(minutes=5)).isoformat())

        assert reminder(here, 40) == ""

    def test_the_log_is_read_every_ten_minutes_at_most(self, here: Hub) -> None:
        event = say(here, "It went well.", SOURCE, detail="x" * 1200, ts=(NOW + timedelta(minutes=5)).isoformat())
        assert reminder(here, 40) == ""
        say(here, "It did not.", "home-mac", kind="retraction", supersedes=[event])
        for file in here.sources.glob(f"{SOURCE}/*"):
            file.unlink()

        assert reminder(here, 45) == ""
        assert reminder(here, 51) != ""

    @pytest.mark.parametrize("more", [{"session": "unknown"}, {"session": ""}, {"is_subagent": True}])
    def test_nobody_else_is_reminded(self, here: Hub, more: dict[str, Any]) -> None:
        assert reminder(here, 40, **more) == ""

    def test_a_program_without_such_a_form_is_told_nothing(self, here: Hub) -> None:
        assert reminder(here, 40, runtime="copilot") == ""


class TestEnd:
    def test_what_waits_is_sent_by_a_process_that_outlives_the_hook(self, machines: Machines) -> None:
        """Programs end what a hook has started with the hook itself, by its process group."""
        say(machines.one, "Recorded, not shared.")
        start_session(machines.one, SOURCE, NOW - timedelta(minutes=1), "s")
        slow = machines.remote / "hooks" / "pre-receive"
        slow.write_text("#!/bin/sh\nsleep 1\n", encoding="utf-8")
        slow.chmod(0o755)
        command = ["hook", "--hub", str(machines.one.root), "session-end", "--runtime", "codex", "--source", SOURCE]
        hook = subprocess.Popen(
            [sys.executable, "-m", "agent_soul", *command],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            start_new_session=True,
        )
        out, err = hook.communicate(b'{"session_id": "s", "reason": "other"}', timeout=30)
        with contextlib.suppress(ProcessLookupError):
            os.killpg(hook.pid, signal.SIGKILL)

        assert (hook.returncode, out, err) == (0, b"", b"")
        assert known_sessions(machines.one)[-1].end
        _wait_for(
            lambda: "Recorded, not shared." in git(machines.remote, "grep", "-h", "-e", ".", "main", "--", "sources")
        )
        _wait_for(lambda: log_file(machines.one).read_text(encoding="utf-8").startswith("shared: 1 event"))

    def test_nothing_is_started_where_nothing_waits(self, machines: Machines) -> None:
        run(Call("session-end", "codex", "s"), Place(machines.one, SOURCE, NOW), "")

        assert not log_file(machines.one).exists()

    def test_a_session_that_is_resumed_at_once_is_told_what_is_new(self, hub: Path) -> None:
        here = open_hub(hub)
        told(here, "s", origin="resume")
        run(Call("session-end", "codex", "s"), Place(here, SOURCE, NOW), "")
        say(here, "Some fact.")

        assert "Some fact" in told(here, "s", origin="resume", seconds=20)


def _wait_for(is_so: Callable[[], bool], seconds: float = 30) -> None:
    deadline = time.monotonic() + seconds
    while True:
        with contextlib.suppress(AssertionError, OSError):
            if is_so():
                return
        assert time.monotonic() < deadline
        time.sleep(0.1)


class TestProcess:
    """Whatever is wrong: exit 0, at most one line on stderr, and soon."""

    def hook(self, soul: Soul, *arguments: str, state: Path | None = None, **more: Any) -> tuple[str, str]:
        """Run it until it is in time, three times at most, each without what is in the folder `state`."""
        for _ in range(3):  # Shared machines run at half their speed for minutes; a slow moment is not a slow program.
            if state:
                shutil.rmtree(state, ignore_errors=True)
            began = time.monotonic()
            done = soul("hook", *arguments, **more)
            if time.monotonic() - began < 5 and "took too long" not in done.stderr:
                assert done.stderr.count("\n") <= 1
                return done.stdout, done.stderr
        raise AssertionError(f"it takes {time.monotonic() - began:.1f} s: {done.stderr}")

    def test_a_remote_that_hangs(self, git_hub: Path, soul: Soul) -> None:
        say(open_hub(git_hub), "Some fact.")
        git(git_hub, "remote", "add", "origin", "ssh://nowhere.invalid/hub.git")
        (git_hub / "USER.md").write_text("# User\n", encoding="utf-8")
        stdin = json.dumps({"source": "startup", "hook_event_name": "SessionStart"})

        out, _ = self.hook(
            soul,
            *("session-start", "--runtime", "gemini", "--source", SOURCE),
            state=open_hub(git_hub).state / "hooks",
            stdin=stdin,
            env={"GIT_SSH_COMMAND": "sleep 60; true"},
        )

        text = json.loads(out)["hookSpecificOutput"]["additionalContext"]
        assert "Some fact." in text
        assert "Stale: git " in text

    @pytest.mark.parametrize(
        "stdin", ["", "not JSON", "[1]", '{"session_id": {}, "source": 1}', "[" * 100_000, b"\xff{}"]
    )
    def test_anything_on_stdin(self, hub: Path, soul: Soul, stdin: Any) -> None:
        say(open_hub(hub), "Some fact.")

        out, err = self.hook(soul, "SessionStart", "--runtime", "claude-code", stdin=stdin)

        assert "Some fact." in out
        assert err == ""

    @pytest.mark.parametrize("is_full", [True, False])
    def test_a_stdout_that_takes_nothing(self, hub: Path, is_full: bool) -> None:
        say(open_hub(hub), "Some fact.")
        read, write = os.pipe()
        os.close(read)
        with Path("/dev/full").open("wb") as full, os.fdopen(write, "wb") as nobody_reads:
            done = subprocess.run(
                [sys.executable, "-m", "agent_soul", "hook", "session-start", "--hub", str(hub), "--runtime", "codex"],
                stdin=subprocess.DEVNULL,
                stdout=full if is_full else nobody_reads,
                stderr=subprocess.PIPE,
                timeout=30,
            )

        assert done.returncode == 0
        assert done.stderr.count(b"\n") == 1

    @pytest.mark.parametrize("redirection", ["<&-", "2>&-", "< /dev/zero"])
    def test_no_stdin_and_one_without_end(self, hub: Path, redirection: str) -> None:
        say(open_hub(hub), "Some fact.")
        command = f'exec "$0" -m agent_soul hook session-start --hub "$1" --runtime codex {redirection}'
        began = time.monotonic()
        done = subprocess.run(["/bin/sh", "-c", command, sys.executable, str(hub)], capture_output=True, timeout=30)

        assert time.monotonic() - began < 10
        assert done.returncode == 0
        assert b"Some fact." in done.stdout
        assert done.stderr == b""

    def test_no_more_is_read_than_a_program_says(self) -> None:
        began = time.monotonic()
        with Path("/dev/zero").open("rb") as endless:
            assert read_object(endless.fileno(), seconds=30) == {}

        assert time.monotonic() - began < 20

    def test_a_bug_of_ours(self, hub: Path, soul: Soul) -> None:
        folder = open_hub(hub).state / "hooks"
        folder.mkdir(parents=True)
        (folder / "sessions.json").write_text('[["s", {"ran": {"start ": "no number"}}]]', encoding="utf-8")

        out, err = self.hook(soul, "session-start", "--runtime", "codex", stdin='{"session_id": "s"}')
        assert out == ""
        assert err.startswith("soul hook: TypeError: ")

    def test_a_stdin_that_stays_open(self, hub: Path, open_pipe: int) -> None:
        say(open_hub(hub), "Some fact.")
        began = time.monotonic()
        done = subprocess.run(
            [sys.executable, "-m", "agent_soul", "hook", "session-start", "--hub", str(hub), "--runtime", "codex"],
            stdin=open_pipe,
            capture_output=True,
            timeout=30,
        )

        assert time.monotonic() - began < 10
        assert (done.returncode, done.stderr) == (0, b"")
        assert b"Some fact." in done.stdout

    @pytest.fixture
    def open_pipe(self) -> Iterator[int]:
        read, write = os.pipe()
        os.write(write, b'{"session_id": "s"')
        yield read
        os.close(read)
        os.close(write)

    def test_a_hub_that_somebody_holds(self, hub: Path, soul: Soul) -> None:
        here = open_hub(hub)
        say(here, "Some fact.")
        options, stdin = ["--runtime", "codex", "--source", SOURCE], '{"session_id": "s"}'
        with exclusive(here.lock_file), exclusive(here.state / "hooks" / "lock"):
            out, _ = self.hook(soul, "session-start", *options, stdin=stdin)
            began = time.monotonic()
            soul("hook", "session-end", *options, stdin=stdin)
            assert time.monotonic() - began < 5

        assert "Some fact." in out

    def test_files_that_are_none(self, hub: Path, soul: Soul) -> None:
        os.mkfifo(hub / "sources" / "pipe")
        (hub / "USER.md").symlink_to("/dev/zero")

        out, err = self.hook(soul, "session-start", "--runtime", "codex")

        assert out == ""
        assert err.startswith(f"soul hook: {hub / 'USER.md'} cannot be read: it is not a plain file; ")

    def test_what_hangs_where_no_time_limit_of_ours_is_short(
        self, machines: Machines, tmp_path: Path, soul: Soul, hub: Path
    ) -> None:
        say(machines.other, "From elsewhere.")
        sync(machines.other)
        git_file = tmp_path / "bin" / "git"
        git_file.parent.mkdir()
        script = f'#!/bin/sh\ncase "$*" in *read-tree*) sleep 20 ;; esac\nexec {shutil.which("git")} "$@"\n'
        git_file.write_text(script, encoding="utf-8")
        git_file.chmod(0o755)

        began = time.monotonic()
        done = soul(
            "hook", "session-start", "--runtime", "codex", env={"PATH": f"{git_file.parent}:{os.environ['PATH']}"}
        )

        text = json.loads(done.stdout)["hookSpecificOutput"]["additionalContext"]
        assert "there was no time" in text
        assert f'boot --hub "{hub}"' in text
        assert done.stderr == "soul hook: it took too long and was ended\n"
        assert time.monotonic() - began < 10
        assert "From elsewhere." in told(machines.one, seconds=200)

    @pytest.mark.parametrize(
        ("arguments", "said"),
        [
            (["PreCompact"], "there is no event 'PreCompact'"),
            (["session-start", "--nosuch"], "No such option '--nosuch'"),
            (["session-start", "--runtime"], "Option '--runtime' requires an argument."),
            ([], "Missing argument 'EVENT'."),
            (["session-start", "--hub", "nowhere"], "--hub names 'nowhere', which is not a folder"),
            (["SubagentStart", "--hub", "nowhere"], ""),
        ],
    )
    def test_a_wrong_call(self, soul: Soul, arguments: list[str], said: str) -> None:
        out, err = self.hook(soul, *arguments)

        assert out == ""
        assert err.startswith(f"soul hook: {said}" if said else "")
        assert err.count("\n") == bool(said)

    def test_no_hub_and_a_broken_one(self, hub: Path, soul: Soul, tmp_path: Path) -> None:
        assert self.hook(soul, "session-start", cwd=tmp_path)[1].startswith("soul hook: no hub at or above")
        (hub / "soul.yaml").write_text("fuzzy_days: [\n", encoding="utf-8")

        out, err = self.hook(soul, "session-start")
        assert out == ""
        assert err.startswith("soul hook: soul.yaml")

    def test_commands_can_be_typed_in_any_folder(self, hub: Path, soul: Soul) -> None:
        say(open_hub(hub), "Some fact.")
        start = ["session-start", "--runtime", "codex", "--source", SOURCE]

        plain, _ = self.hook(soul, *start)
        script, _ = self.hook(soul, *start, env={"AGENT_SOUL_INVOKED_AS": "python3 /h/soul.py"})

        assert f'`soul show --hub "{hub}" ID`' in json.loads(plain)["hookSpecificOutput"]["additionalContext"]
        assert (
            f'`python3 /h/soul.py show --hub "{hub}" ID`'
            in json.loads(script)["hookSpecificOutput"]["additionalContext"]
        )
