"""A large hub is rendered on two cores: the same pages as on one, whatever becomes of the second process."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent_soul.lock import exclusive
from agent_soul.two_cores import halved
from support import write_log

needs_two_cores = pytest.mark.skipif(
    sys.platform in ("win32", "darwin") or len(os.sched_getaffinity(0)) < 2, reason="needs Linux and two cores"
)
ONE_CORE = "os.sched_setaffinity(0, [min(os.sched_getaffinity(0))])"

# Compiles in a process of its own, since a test runner has threads and then nothing is forked.
_PROGRAM = """
import json, os, sys
from pathlib import Path
from agent_soul import compiler, two_cores
from agent_soul.hub import open_hub
{prelude}
outcome = compiler.compile_hub(open_hub(Path(sys.argv[1])), compiler.State("2026-04-01"), write=False)
json.dump([dict(outcome.compiled.texts), os.times().children_user > 0], sys.stdout)
"""


def pages_of(hub: Path, prelude: str = "") -> tuple[dict[str, str], bool]:
    """Compile in a process that does `prelude` first; return the pages, and whether it had a child that worked."""
    program = _PROGRAM.format(prelude=textwrap.dedent(prelude))
    done = subprocess.run([sys.executable, "-c", program, hub], capture_output=True, check=True, timeout=120)
    assert done.stderr == b""
    texts, had_child = json.loads(done.stdout)
    return texts, had_child


@pytest.fixture(scope="module")
def large_hub(tmp_path_factory: pytest.TempPathFactory) -> Path:
    hub = tmp_path_factory.mktemp("large")
    (hub / "soul.yaml").write_text("template: false\n")
    for source in range(20):
        log = hub / "sources" / f"s-{source}" / "2026-03-01.0a1b2c3d.ndjson"
        log.parent.mkdir(parents=True)
        records = (
            {
                "event_id": f"e-{source}-{number}",
                "source": f"s-{source}",
                "ts": f"2026-03-01T10:{number % 60:02}:00Z",
                "kind": "project-update",  # which the judge of texts leaves alone: it is not what is tested
                "scope": "project",
                "project": f"p-{source % 7}",
                "summary": f"Value {number} of 部件 {source} is {number * 7}.",
            }
            for number in range(200)
        )
        log.write_text("".join(json.dumps(record) + "\n" for record in records))
    return hub


@pytest.fixture(scope="module")
def of_one_core(large_hub: Path) -> dict[str, str]:
    texts, had_child = pages_of(large_hub, ONE_CORE)
    assert not had_child
    assert len(texts) > 27
    return texts


@needs_two_cores
def test_two_cores_render_what_one_does(large_hub: Path, of_one_core: dict[str, str]) -> None:
    assert pages_of(large_hub) == (of_one_core, True)


@needs_two_cores
@pytest.mark.parametrize("fault", ["os.kill(os.getpid(), 9)", "raise MemoryError", "raise KeyboardInterrupt"])
def test_a_child_that_fails_costs_time_only(large_hub: Path, of_one_core: dict[str, str], fault: str) -> None:
    prelude = f"""
    parent, render_page = os.getpid(), compiler.render_page
    def render_or_fail(*arguments):
        if os.getpid() != parent:
            {fault}
        return render_page(*arguments)
    compiler.render_page = render_or_fail
    """
    assert pages_of(large_hub, prelude)[0] == of_one_core


@needs_two_cores
def test_a_small_hub_is_spared_the_child(hub: Path) -> None:
    write_log(
        hub,
        *(
            {
                "event_id": f"e-{number}",
                "source": "s-one",
                "ts": "2026-03-01T10:00:00Z",
                "kind": "fact",
                "scope": "stable",
                "summary": f"Value {number}.",
            }
            for number in range(100)
        ),
    )
    assert not pages_of(hub, "two_cores.in_child = None")[1]


@given(st.lists(st.integers(0, 1000)))
def test_halves_hold_every_item_once_and_differ_by_one_item_at_most(weights: list[int]) -> None:
    halves = halved(weights, lambda weight: weight)
    assert sorted(halves[0] + halves[1]) == sorted(weights)
    assert abs(sum(halves[0]) - sum(halves[1])) <= max(weights, default=0)


@needs_two_cores
@pytest.mark.parametrize("fault", ["ForkProcess.start", "BaseContext.Pipe"])
def test_where_no_child_can_be_made_one_core_does_it_all(
    large_hub: Path, of_one_core: dict[str, str], fault: str
) -> None:
    prelude = f"""
    import errno
    from multiprocessing import context
    def refuse(*_, **__):
        raise OSError(errno.EAGAIN, "Resource temporarily unavailable")
    context.{fault} = refuse
    """
    assert pages_of(large_hub, prelude) == (of_one_core, False)


@needs_two_cores
def test_a_child_that_is_killed_while_it_sends_costs_time_only(large_hub: Path, of_one_core: dict[str, str]) -> None:
    prelude = """
    from multiprocessing import connection
    def send_half(self, found):
        os.write(self.fileno(), (1 << 20).to_bytes(4, "big") + bytes(1000))
        os.kill(os.getpid(), 9)
    connection.Connection.send = send_half
    """
    assert pages_of(large_hub, prelude)[0] == of_one_core


# Ends itself as `kill -9` would, with a child that has much to send, and under a lock that the child holds too.
_KILLED = """
import os, sys, time
from pathlib import Path
from agent_soul.lock import exclusive
from agent_soul.two_cores import in_child
with exclusive(Path(sys.argv[1])), in_child(lambda: bytes(1 << 20)):
    time.sleep(0.3)
    os.kill(os.getpid(), 9)
"""


@needs_two_cores
def test_where_the_parent_is_killed_the_child_ends_and_its_lock_is_free(tmp_path: Path) -> None:
    killed = subprocess.run(
        [sys.executable, "-c", _KILLED, tmp_path / "lock"], check=False, timeout=30, stdout=subprocess.DEVNULL
    )
    assert killed.returncode == -9
    with exclusive(tmp_path / "lock", timeout=5):
        pass
