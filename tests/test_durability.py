"""Acknowledged means kept: commands that are killed, hit by faults, many at once, with a person's Git between."""

from __future__ import annotations

import json
import multiprocessing
import os
import random
import re
import shutil
import signal
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path

import pytest

from agent_soul import outbox
from agent_soul.adding import add_all
from agent_soul.compiler import compile_hub
from agent_soul.draft import draft
from agent_soul.errors import ExitCode
from agent_soul.event import Event
from agent_soul.hub import open_hub
from agent_soul.log import parse_log, read_source_files

SOUL = [sys.executable, "-m", "agent_soul"]
KILLED = -signal.SIGKILL


def add_command(hub: Path, summary: str, source: str = "home-mac") -> list[str]:
    return [
        *SOUL,
        "add",
        "--hub",
        str(hub),
        "--source",
        source,
        "--kind",
        "fact",
        "--scope",
        "stable",
        "--summary",
        summary,
    ]


def git(hub: Path, *arguments: str) -> str:
    done = subprocess.run(["git", *arguments], cwd=hub, capture_output=True, text=True)
    assert done.returncode == 0, f"git {arguments}: {done.stdout}{done.stderr}"
    return done.stdout


def ids_in(hub: Path) -> Counter[str]:
    """Count the ids in the log, each line of which must be whole."""
    log = parse_log(read_source_files(hub))
    assert not log.problems
    return Counter(event.id for event in log.events)


def make_event(summary: str, source: str = "home-mac") -> Event:
    return draft({"source": source, "kind": "fact", "scope": "stable", "summary": summary}, datetime.now(UTC))


def assert_sound(hub: Path, acknowledged: Sequence[str]) -> None:
    """Compile once, then all that was acknowledged is in the log exactly once and nothing is left lying about."""
    compile_hub(open_hub(hub))
    found = ids_in(hub)
    assert not [id_ for id_ in acknowledged if found[id_] != 1]
    assert set(found.values()) <= {1}
    assert not list(hub.rglob(".agent-soul.*.tmp"))
    assert not compile_hub(open_hub(hub), write=False).difference, "every page is whole and up to date"


# -- kills ---------------------------------------------------------------------------------------------------------


def run_and_kill(command: Sequence[str], cwd: Path, seconds: float) -> tuple[int, bytes]:
    """Run the command, kill it and its children after that time, and return its exit code and output."""
    # A session of its own, so that Git dies with it as it does in a power cut.
    process = subprocess.Popen(
        command, cwd=cwd, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, start_new_session=True
    )
    timer = threading.Timer(seconds, os.killpg, (process.pid, signal.SIGKILL))
    timer.start()
    try:
        output = process.communicate()[0]
    finally:
        timer.cancel()
    return process.returncode, output


def typical_seconds(command: Sequence[str], cwd: Path) -> float:
    started = time.monotonic()
    subprocess.run(command, cwd=cwd, capture_output=True, check=True)
    return time.monotonic() - started


@pytest.mark.proof
@pytest.mark.parametrize("seed", [1, 2])
def test_killed_commands_lose_nothing(git_hub: Path, seed: int) -> None:
    dice = random.Random(seed)
    share = [*SOUL, "share", "--hub", str(git_hub), "--json", "--source", "home-mac"]
    commands = {
        "add": lambda n: add_command(git_hub, f"Added {n}."),
        "share": lambda n: [*share, f"Shared {n}."],
        "compile": lambda _: [*SOUL, "compile", "--hub", str(git_hub)],
    }
    usual = {name: typical_seconds(command(-1), git_hub) for name, command in commands.items()}
    order = ["add"] * 30 + ["compile"] * 10 + ["share"] * 10
    dice.shuffle(order)
    acknowledged: list[str] = []
    killed = Counter[str]()
    for number, name in enumerate(order):
        code, output = run_and_kill(commands[name](number), git_hub, dice.uniform(0.3, 1.2) * usual[name])
        killed[name] += code == KILLED
        # The machine may be busier or idler than at first: about half of the commands are to finish.
        usual[name] *= 1.2 if code == KILLED else 0.85
        if output.endswith(b"\n") and name != "compile":
            acknowledged.append(json.loads(output)["event_id"])
    assert killed["add"] >= 5, "the kills come too late to prove anything"
    assert killed["compile"] + killed["share"] >= 4
    assert len(acknowledged) >= 5
    assert_sound(git_hub, acknowledged)
    subprocess.run([*share, "The last word."], cwd=git_hub, capture_output=True, check=True)
    assert git(git_hub, "status", "--porcelain") == ""
    git(git_hub, "fsck", "--strict")
    assert not list(open_hub(git_hub).outbox.iterdir())
    assert_sound(git_hub, acknowledged)


# -- faults at each system call ------------------------------------------------------------------------------------


_CALLS = "write,fsync,rename,openat,mkdir,flock,unlink,ftruncate,pwrite64"
_FAULTS = {
    "write": ["error=EIO", "error=ENOSPC", "signal=SIGKILL"],
    "fsync": ["error=EIO", "signal=SIGKILL"],
    "rename": ["error=EIO", "error=ENOSPC", "signal=SIGKILL"],
    "openat": ["error=EMFILE", "error=EACCES", "signal=SIGKILL"],
    "mkdir": ["error=ENOSPC", "signal=SIGKILL"],
    "flock": ["error=ENOLCK", "signal=SIGKILL"],
    "unlink": ["error=EIO", "signal=SIGKILL"],
    "pwrite64": ["error=EIO"],
}


@pytest.fixture
def strace() -> list[str]:
    """Return strace's command, which changes the result of one system call."""
    program = shutil.which("strace")
    if not program:
        pytest.skip("strace is not installed")
    if subprocess.run([program, "-qq", "-o", os.devnull, "true"], capture_output=True).returncode:
        pytest.skip("strace may not trace here")
    return [program, "-f", "-qq", "-y"]


def _points(strace: Sequence[str], hub: Path, command: Sequence[str], record: Path) -> Iterator[tuple[str, int]]:
    """Yield each system call of the command that touches the hub, as its name and its number among those of the name.

    Only calls of the process itself are looked at: Git has its own tests.
    """
    subprocess.run([*strace, "-e", f"trace={_CALLS}", "-o", record, *command], capture_output=True, check=True)
    counts = Counter[str]()
    for line in record.read_text(errors="replace").splitlines():
        found = re.match(r"\d+ +(\w+)\(", line)
        if found:
            counts[found[1]] += 1
            if str(hub) in line:
                yield found[1], counts[found[1]]


@pytest.mark.proof
@pytest.mark.parametrize("fresh", [True, False], ids=["first command", "later command"])
def test_a_fault_at_any_system_call_of_add(
    strace: list[str], git_hub: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, fresh: bool
) -> None:
    monkeypatch.setenv("PYTHONDONTWRITEBYTECODE", "1")
    monkeypatch.setenv("PYTHONHASHSEED", "0")
    state = open_hub(git_hub).state

    def reset() -> None:
        if fresh:
            shutil.rmtree(state, ignore_errors=True)
            shutil.rmtree(git_hub / "sources")
            (git_hub / "sources").mkdir()

    if not fresh:
        subprocess.run(add_command(git_hub, "Before."), capture_output=True, check=True)
    reset()
    points = list(_points(strace, git_hub, add_command(git_hub, "Probe."), tmp_path / "trace"))
    chosen = [(call, number, fault) for call, number in points for fault in _FAULTS.get(call, ())]
    assert len(chosen) > (45 if fresh else 15), points
    chosen = random.Random(1).sample(chosen, 45 if fresh else 15)
    for call, number, fault in chosen:
        reset()
        before = ids_in(git_hub)
        # strace makes no call fail that it does not trace.
        inject = ["-e", f"trace={call}", "-e", f"inject={call}:{fault}:when={number}", "-o", str(tmp_path / "hit")]
        done = subprocess.run([*strace, *inject, *add_command(git_hub, "Hit.")], capture_output=True, text=True)
        at = f"{call} {number} {fault}: {done.returncode} {done.stderr}"
        assert re.search("INJECTED|killed by SIGKILL", (tmp_path / "hit").read_text(errors="replace")), at
        assert "Traceback" not in done.stderr, at
        assert "a bug of ours" not in done.stderr, at
        compile_hub(open_hub(git_hub))
        new = ids_in(git_hub) - before
        assert set(new.values()) <= {1}, at
        if done.returncode == ExitCode.DONE:
            assert json.loads(done.stdout)["event_id"] in new, at
        elif done.returncode == ExitCode.STOPPED:
            unknown = "outcome unknown" in done.stderr
            assert unknown or "nothing was" in done.stderr, at
            assert unknown == bool(new), at
            assert not unknown or next(iter(new)) in done.stderr, at
        else:
            assert done.returncode == KILLED, at
        assert not list(state.rglob(".agent-soul.*.tmp")), at


def test_a_limit_on_file_sizes_loses_nothing(git_hub: Path) -> None:
    several = "\n".join(json.dumps({"summary": f"Fact {n}. " + "x" * 400}) for n in range(100))
    bulk = [
        *SOUL,
        "add",
        "--hub",
        str(git_hub),
        "--stdin",
        "--source",
        "home-mac",
        "--kind",
        "fact",
        "--scope",
        "stable",
    ]
    limited = ["sh", "-c", 'ulimit -f 20; exec "$@"', "sh", *bulk]
    done = subprocess.run(limited, input=several, capture_output=True, text=True)
    assert done.returncode == ExitCode.STOPPED, done.stderr
    assert "nothing was added: " in done.stderr
    assert "File too large" in done.stderr
    assert_sound(git_hub, [])
    assert not ids_in(git_hub)


# -- a person's own commands ---------------------------------------------------------------------------------------


def _remove_sources(hub: Path) -> None:
    shutil.rmtree(hub / "sources")


def _by_git(*arguments: str) -> Callable[[Path], None]:
    def act(hub: Path) -> None:
        git(hub, *arguments)

    return act


@pytest.mark.parametrize(
    "act",
    [
        pytest.param(_by_git("reset", "-q", "--hard"), id="reset --hard"),
        pytest.param(_by_git("stash", "-q", "-u"), id="stash -u"),
        pytest.param(_by_git("clean", "-q", "-fdx"), id="clean -fdx"),
        pytest.param(_by_git("checkout", "-q", "."), id="checkout ."),
        pytest.param(_remove_sources, id="rm -rf sources"),
    ],
)
@pytest.mark.parametrize("committed", [True, False], ids=["known file", "new file"])
def test_what_a_person_does_to_the_work_tree_loses_nothing(
    git_hub: Path, act: Callable[[Path], None], committed: bool
) -> None:
    hub = open_hub(git_hub)
    events = [make_event("Committed.")]
    add_all(hub, events)
    if committed:
        git(git_hub, "add", "-A")
        git(git_hub, "commit", "-q", "-m", "by hand")
    events += [make_event("Only here."), make_event("Here too.")]
    add_all(hub, events[1:])
    act(git_hub)
    assert_sound(git_hub, [event.id for event in events])


def test_a_stash_that_comes_back_doubles_nothing(git_hub: Path) -> None:
    event = make_event("Stashed.")
    add_all(open_hub(git_hub), [event])
    git(git_hub, "stash", "-q", "-u")
    add_all(open_hub(git_hub), [make_event("Meanwhile.")])
    shutil.rmtree(git_hub / "sources")
    git(git_hub, "stash", "pop", "-q")
    assert_sound(git_hub, [event.id])


# -- many at once --------------------------------------------------------------------------------------------------


def _add_many(root: str, name: str, count: int) -> None:
    hub = open_hub(Path(root))
    for number in range(count):
        add_all(hub, [draft_numbered(name, number)])


def draft_numbered(name: str, number: int) -> Event:
    record = {"source": "home-mac", "kind": "fact", "scope": "stable", "summary": f"From {name}: fact {number}."}
    return draft({**record, "event_id": f"{name}-{number}"}, datetime.now(UTC))


def _compile_until(root: str, stop: str) -> None:
    while not Path(stop).exists():
        compile_hub(open_hub(Path(root)))
        time.sleep(0.3)  # the lock is not fair, and nobody compiles all the time


def _sample_pages(hub: Path, halves: list[str], stop: threading.Event) -> None:
    """Look at every page again and again; each must be there whole, from its first line to its last."""
    while not stop.is_set():
        for page in (*hub.glob("canonical/*.md"), hub / "canonical" / "memory.json"):
            try:
                content = page.read_bytes()
            except FileNotFoundError:
                continue
            whole = content.startswith((b"---\ngenerated: ", b"{\n")) and content.endswith(b"\n")
            if page.suffix == ".json" and whole:
                json.loads(content)
            if not whole:
                halves.append(f"{page}: {content[:40]!r} … {content[-40:]!r}")


@pytest.mark.proof
def test_eight_writers_and_two_compilers_at_once(git_hub: Path, tmp_path: Path) -> None:
    writers, each = 8, 40
    compile_hub(open_hub(git_hub))
    context = multiprocessing.get_context("spawn")
    stop = tmp_path / "stop"
    compilers = [context.Process(target=_compile_until, args=(str(git_hub), str(stop))) for _ in range(2)]
    adders = [context.Process(target=_add_many, args=(str(git_hub), f"writer{n}", each)) for n in range(writers)]
    halves: list[str] = []
    done = threading.Event()
    reader = threading.Thread(target=_sample_pages, args=(git_hub, halves, done))
    for starting in (*compilers, *adders, reader):
        starting.start()
    for adder in adders:
        adder.join()
    stop.touch()
    for compiler in compilers:
        compiler.join()
    done.set()
    reader.join()
    assert [process.exitcode for process in (*adders, *compilers)] == [0] * (writers + 2)
    assert not halves, halves[:3]
    assert_sound(git_hub, [f"writer{n}-{number}" for n in range(writers) for number in range(each)])
    assert sum(ids_in(git_hub).values()) == writers * each
    assert len(list(git_hub.glob("sources/*/*"))) <= 2, "one file a day"


def test_eight_command_lines_at_once(git_hub: Path) -> None:
    each = 4
    loop = f'for n in $(seq {each}); do "$@" "Fact $n of $0." || exit; done'
    running = [
        subprocess.Popen(["sh", "-c", loop, f"writer {n}", *add_command(git_hub, "")[:-1]], stdout=subprocess.PIPE)
        for n in range(8)
    ]
    outputs = [process.communicate()[0] for process in running]
    assert [process.returncode for process in running] == [0] * 8
    acknowledged = [json.loads(line)["event_id"] for output in outputs for line in output.splitlines()]
    assert len(set(acknowledged)) == 8 * each
    assert_sound(git_hub, acknowledged)


# -- in bulk -------------------------------------------------------------------------------------------------------


def test_twenty_thousand_events_in_one_command(git_hub: Path) -> None:
    record = {"source": "home-mac", "kind": "fact", "scope": "stable", "keywords": ["tea", "茶"]}
    lines = [
        json.dumps({**record, "summary": f"Fact {n}: 喜欢 tea, and so on."}, ensure_ascii=False) for n in range(20_000)
    ]
    lines[7] = "not json"
    command = [*SOUL, "add", "--hub", str(git_hub), "--stdin"]
    before = os.times()
    done = subprocess.run(command, input="\n".join(lines).encode(), capture_output=True)
    seconds = os.times().children_user - before.children_user
    answer = json.loads(done.stdout)
    assert (answer["added"], [refused["line"] for refused in answer["refused"]]) == (19_999, [8])
    hub = open_hub(git_hub)
    assert len(list(hub.outbox.iterdir())) == 1
    events = parse_log(read_source_files(git_hub)).events
    assert [event.summary[:12] for event in events[:2]] == ["Fact 0: 喜欢 t", "Fact 1: 喜欢 t"]
    assert len({event.id for event in events}) == 19_999
    assert [event.instant for event in events] == sorted(event.instant for event in events)
    assert seconds < 6, "about 1 s on a quiet machine"
    assert outbox.replay(hub, {event.id for event in events}) == ([], ())
