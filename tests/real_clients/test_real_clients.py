"""Real agent programs read what `soul join` wrote, and nothing of it after `--uninstall`."""

from __future__ import annotations

import json
import os
import re
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest

from agent_soul.runtimes.registry import find
from real_clients.mock_model import Model, Wish, serving
from real_clients.programs import PROGRAMS, Program
from real_clients.world import L0, L1, World, home_for

pytestmark = [pytest.mark.programs, pytest.mark.timeout(600)]
COMMANDS = Path(os.environ.get("REAL_CLIENTS_COMMANDS", ""))
"""Where the programs are; `scripts/real_clients.sh` installs them and says it."""
_BOOT = re.compile(r"`([^`\n]* boot [^`\n]*)`")
_ADD = re.compile(r'`([^`\n]* add [^`\n]* --scope )project:NAME( --summary )"situation, fact, reason"`')
_SECONDS = 30
"""How long what a session recorded may take to the remote after its end."""


@pytest.fixture(scope="session")
def world(tmp_path_factory: pytest.TempPathFactory) -> World:
    made = World(tmp_path_factory.mktemp("world"))
    made.make()
    return made


def boot_where_told(text: str) -> str:
    """Return the command that the text gives for the start of a session, as a model that follows it would."""
    found = _BOOT.search(text)
    return found[1] if found else ""


def recording(summary: str) -> Wish:
    """Return the wish to record what every agent should know, by the command that the text gives."""

    def wish(text: str) -> str:
        found = _ADD.search(text)
        return f'{found[1]}stable{found[2]}"{summary}"' if found else ""

    return wish


def wait_until(holds: Callable[[], bool], seconds: float) -> None:
    """Fail the test where something does not hold within so many seconds."""
    latest = time.monotonic() + seconds
    while not holds():
        assert time.monotonic() < latest, "it did not happen"
        time.sleep(0.2)


@pytest.mark.parametrize("program", PROGRAMS, ids=[program.name for program in PROGRAMS])
def test_it_reads_the_memory_while_it_is_joined(program: Program, world: World, tmp_path: Path) -> None:
    newer = f"Deploy {program.name} on Tuesdays only: the bank's gateway restarts on Mondays (delta)."
    with serving(Model(boot_where_told)) as model:
        home = home_for(program, tmp_path / "home", model.port)
        world.soul("join", program.name, "--allow", home=home)
        world.recorded_elsewhere(newer)
        world.prompt(program, COMMANDS, home, model)
        first = next(seen.text for seen in model.seen if seen.tools)
        assert L0 in first
        assert L1 in first
        assert newer in (first if find(program.name).has_hooks else model.text)

        model.seen.clear()
        world.soul("join", program.name, "--uninstall", home=home)
        world.prompt(program, COMMANDS, home, model)
        assert model.text
        # Gemini CLI names the folder in which it is installed, and that may lie in our cache.
        sent = model.everything.replace(str(COMMANDS.parents[1]), "")
        for ours in (L0, L1, newer, "agent-soul", str(world.hub)):
            assert ours not in sent


@pytest.mark.parametrize("program", PROGRAMS, ids=[program.name for program in PROGRAMS])
def test_no_event_makes_it_read_a_file(program: Program, world: World, tmp_path: Path) -> None:
    """Gemini CLI imports only what lies beside its own files, Claude Code whatever it can read."""
    secret = tmp_path / "home" / ".gemini" / "secret.md"
    forms = ("For SSH see @{}", "@{}", "costs $@{}", "ask me@e.com@{}", "(@{})", "\\@{}", "@~/.gemini/secret.md")
    with serving(Model()) as model:
        home = home_for(program, tmp_path / "home", model.port)
        secret.parent.mkdir(exist_ok=True)
        secret.write_text("KEY-4242\n", encoding="utf-8")
        for form in forms:
            summary = f"{form.format(secret)} said {program.name}."
            world.soul("add", "--source", "other", "--kind", "rule", "--scope", "stable", "--summary", summary)
        world.soul("compile")
        world.soul("join", program.name, "--allow", home=home)
        world.prompt(program, COMMANDS, home, model)
        assert f"said {program.name}." in model.text
        assert "KEY-4242" not in model.everything


def test_what_each_program_records_all_others_know(world: World, tmp_path: Path) -> None:
    recorded = {program: f"{program.name} 记录：退款金额用 int64，以分为单位的 int32 会溢出。" for program in PROGRAMS}
    home = tmp_path / "home"
    with serving(Model()) as model:
        for program, summary in recorded.items():
            home_for(program, home, model.port)
            joined = json.loads(world.soul("join", program.name, "--allow", "--json", home=home))
            model.wish = recording(summary)
            world.prompt(program, COMMANDS, home, model)
            assert {"source": joined["source"], "summary": summary}.items() <= world.last_event().items()
            if find(program.name).has_hooks:  # the end of the session sends it
                wait_until(partial(world.remote_has, summary), _SECONDS)

        model.wish = boot_where_told
        for program in recorded:
            model.seen.clear()
            world.prompt(program, COMMANDS, home, model)
            assert [summary for summary in recorded.values() if summary not in model.text] == []
