"""Real agent programs read what `soul join` wrote, and nothing of it after `--uninstall`."""

from __future__ import annotations

import os
import re
from pathlib import Path

import pytest

from agent_soul.runtimes.registry import find
from real_clients.mock_model import Model, serving
from real_clients.programs import PROGRAMS, Program
from real_clients.world import L0, L1, World, home_for

pytestmark = [pytest.mark.programs, pytest.mark.timeout(600)]
COMMANDS = Path(os.environ.get("REAL_CLIENTS_COMMANDS", ""))
"""Where the programs are; `scripts/real_clients.sh` installs them and says it."""
_BOOT = re.compile(r"`([^`\n]* boot [^`\n]*)`")


@pytest.fixture(scope="session")
def world(tmp_path_factory: pytest.TempPathFactory) -> World:
    made = World(tmp_path_factory.mktemp("world"))
    made.make()
    return made


def boot_where_told(text: str) -> str:
    """Return the command that the text gives for the start of a session, as a model that follows it would."""
    found = _BOOT.search(text)
    return found[1] if found else ""


@pytest.mark.parametrize("program", PROGRAMS, ids=[program.name for program in PROGRAMS])
def test_it_reads_the_memory_while_it_is_joined(program: Program, world: World, tmp_path: Path) -> None:
    newer = f"Deploy {program.name} on Tuesdays only: the bank's gateway restarts on Mondays (delta)."
    with serving(Model(boot_where_told)) as model:
        home = home_for(program, tmp_path / "home", model.port)
        world.soul("join", program.name, home=home)
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
        for ours in (L0, L1, newer, "agent-soul", str(world.hub)):
            assert ours not in model.everything
