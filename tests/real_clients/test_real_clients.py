"""Real agent programs read what `soul join` wrote, and nothing of it after `--uninstall`."""

from __future__ import annotations

import json
import os
import re
import time
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

import pytest

from agent_soul.runtimes.codex_trust import untrusted_hooks
from agent_soul.runtimes.registry import find
from joins import trust_of
from real_clients.mock_model import Model, Wish, serving
from real_clients.programs import CLAUDE_CODE, CODEX, CODEX_WITH_TRUST, PROGRAMS, Program
from real_clients.world import L0, L1, World, home_for

pytestmark = [pytest.mark.programs, pytest.mark.timeout(600)]
COMMANDS = Path(os.environ.get("REAL_CLIENTS_COMMANDS", ""))
"""Where the programs are; `scripts/real_clients.sh` installs them and says it."""
SKILL = "Look up or record memory"
"""How the description of our skill begins; programs list it."""
_BOOT = re.compile(r"`([^`\n]* boot [^`\n]*)`")
_ADD = re.compile(r'`([^`\n]* add [^`\n]* --scope )project:NAME( --summary )"situation, fact, reason"`')
_SECONDS = 30
"""How long what a session recorded may take to the remote after its end."""


class Worlds:
    """One for each way to make a hub, made when it is asked for."""

    def __init__(self, factory: pytest.TempPathFactory) -> None:
        self._factory = factory
        self._made: dict[str, World] = {}

    def made_by(self, way: str) -> World:
        if way not in self._made:
            self._made[way] = World(self._factory.mktemp("world"))
            self._made[way].make(way)
        return self._made[way]


@pytest.fixture(scope="session")
def worlds(tmp_path_factory: pytest.TempPathFactory) -> Worlds:
    return Worlds(tmp_path_factory)


@pytest.fixture
def world(worlds: Worlds) -> World:
    return worlds.made_by("init --here")


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
        assert SKILL in model.everything  # where Claude Code looks for it there is a link

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


def test_codex_runs_the_hooks_that_doctor_takes_for_trusted(world: World, tmp_path: Path) -> None:
    """What `/hooks` would write is written by hand: nobody is there to choose in it."""
    newer = "Deploy on Wednesdays only: the bank's gateway restarts on Tuesdays (trust)."
    with serving(Model()) as model:
        home = home_for(CODEX_WITH_TRUST, tmp_path / "home", model.port)
        world.soul("join", "codex", home=home)
        hooks, config = (home / ".codex" / name for name in ("hooks.json", "config.toml"))
        world.recorded_elsewhere(newer)
        world.prompt(CODEX_WITH_TRUST, COMMANDS, home, model)
        assert untrusted_hooks(hooks, hooks.read_text("utf-8"), config.read_text("utf-8"))
        assert model.text
        assert newer not in model.text

        config.write_text(config.read_text("utf-8") + trust_of(hooks), encoding="utf-8")
        assert untrusted_hooks(hooks, hooks.read_text("utf-8"), config.read_text("utf-8")) == []
        world.recorded_elsewhere(newer.replace("(trust)", "(trusted)"))
        world.prompt(CODEX_WITH_TRUST, COMMANDS, home, model)
        assert "(trusted)" in model.text


@pytest.mark.parametrize(("way", "programs"), [("init --here", PROGRAMS), ("init DIR", (CLAUDE_CODE, CODEX))])
def test_what_each_program_records_all_others_know(
    way: str, programs: Sequence[Program], worlds: Worlds, tmp_path: Path
) -> None:
    """With the second way, which most people go, it is tried with the two programs that most people have."""
    world = worlds.made_by(way)
    recorded = {program: f"{program.name} 记录：退款金额用 int64，以分为单位的 int32 会溢出。" for program in programs}
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
            assert L0 in model.text
            assert [summary for summary in recorded.values() if summary not in model.text] == []
