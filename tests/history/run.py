"""One run: clones, agents and a bot write to one remote while the nemesis is at work; then all becomes quiet.

As a program it makes several runs and prints a line for each: `python -m history.run --help`.
"""

from __future__ import annotations

import argparse
import os
import random
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path

from history import nemesis
from history.checker import violations
from history.nemesis import Faults
from history.observe import clone_of, git, world_of
from history.records import Operation, Outcome, Recorder, World

SOUL = (sys.executable, "-m", "agent_soul")
_WORDS = [
    "amber",
    "anchor",
    "basil",
    "beacon",
    "birch",
    "canal",
    "cedar",
    "cinder",
    "cobalt",
    "copper",
    "coral",
    "cypress",
    "delta",
    "dune",
    "ember",
    "falcon",
    "fjord",
    "flint",
    "garnet",
    "glacier",
    "harbor",
    "hazel",
    "heron",
    "indigo",
    "ivory",
    "jasper",
    "juniper",
    "kelp",
    "lagoon",
    "lantern",
    "larch",
    "lichen",
    "lotus",
    "magnet",
    "maple",
    "marble",
    "meadow",
    "mica",
    "nectar",
    "nickel",
    "oasis",
    "ochre",
    "onyx",
    "orchid",
    "osprey",
    "pebble",
    "pewter",
    "pine",
    "plover",
    "quartz",
    "quill",
    "raven",
    "reed",
    "ridge",
    "saffron",
    "sage",
    "sierra",
    "slate",
    "sorrel",
    "spruce",
    "tallow",
    "tarn",
    "teal",
    "thistle",
    "tundra",
    "umber",
    "velvet",
    "violet",
    "walnut",
    "willow",
]
_ACKNOWLEDGED = (0, 4)
"""Exit codes after which an event is kept: shared, and safe here but not shared yet."""
_QUIET_ROUNDS = 3
_BUDGET = "20"


@dataclass(frozen=True, slots=True)
class Plan:
    """How many write how much, by which program, under which faults; times in seconds."""

    seed: int
    clones: int = 3
    agents: int = 1
    events: int = 15
    faults: Faults = field(default_factory=Faults)
    command: Sequence[str] = SOUL
    bot: bool = True
    bot_pause: float = 2.0
    latest_kill: float = 1.2
    plain_adds: float = 0.25


@dataclass(slots=True)
class Result:
    """What came of a run: the history, the repositories, the faults that happened, and what the checker says."""

    seed: int
    operations: list[Operation]
    world: World
    faults: Counter[str]
    seconds: float
    rounds: int

    @property
    def violations(self) -> list[str]:
        return violations(self.operations, self.world)

    def summary(self) -> str:
        """Return one line for a person."""
        outcomes = Counter(operation.outcome for operation in self.operations)
        told = ", ".join(f"{outcomes[outcome]} {outcome}" for outcome in Outcome)
        faults = ", ".join(f"{count} {name}" for name, count in sorted(self.faults.items())) or "no fault"
        commits = len(self.world.commits)
        quiet = f"quiet after {self.rounds} rounds" if self.rounds <= _QUIET_ROUNDS else "not quiet"
        return f"seed {self.seed}: {told}; {faults}; {commits} commits, {quiet}, {self.seconds:.0f} s"

    def explain(self) -> str:
        """Return the first violation with its evidence, how many more there are, and how to see it again."""
        found = self.violations
        return f"seed {self.seed}: {found[0]}\n({len(found) - 1} more violations; {self.summary()})" if found else ""


def run(plan: Plan, folder: Path) -> Result:
    """Let all write at once, end the faults, sync until quiet, and look at what there is."""
    started = time.monotonic()
    stage = _Stage(plan, folder)
    stage.write()
    rounds = stage.quieten()
    world = stage.look(stuck=rounds > _QUIET_ROUNDS)
    return Result(plan.seed, stage.recorder.operations, world, stage.faults, time.monotonic() - started, rounds)


class _Stage:
    """The folders of a run and the threads that act in them."""

    def __init__(self, plan: Plan, folder: Path) -> None:
        self.plan, self.folder = plan, folder
        self.env = environment(folder)
        self.recorder = Recorder(folder / "history.ndjson")
        self.faults: Counter[str] = Counter()
        self.remote = folder / "remote.git"
        self._prepare()
        self.clones = [self._clone(f"clone{number}") for number in range(plan.clones)]
        self.bot = self._clone("bot") if plan.bot else None
        self.server_log = nemesis.install_hooks(self.remote, plan.faults, plan.seed)

    def write(self) -> None:
        """Run all agents to their end, and the bot for as long."""
        agents = [
            threading.Thread(target=self._act, args=(clone, f"agent-{clone.name}-{number}"))
            for clone in self.clones
            for number in range(self.plan.agents)
        ]
        done = threading.Event()
        bot = threading.Thread(target=self._synchronise_until, args=(done,))
        for thread in (*agents, bot):
            thread.start()
        for agent in agents:
            agent.join()
        done.set()
        bot.join()
        self.faults.update(self.server_log.read_text(encoding="utf-8").split())

    def quieten(self) -> int:
        """End the faults and sync every clone until none has anything to do; return the rounds that this took."""
        nemesis.remove_hooks(self.remote)
        while nemesis.still_at_work(self.folder):
            time.sleep(0.1)
        for number in range(1, _QUIET_ROUNDS + 1):
            self.said = {clone.name: self._run(clone, "sync") for clone in self._all()}
            heads = {git(clone, "rev-parse", "HEAD") for clone in self._all()}
            if heads == {git(self.remote, "rev-parse", "main")} and not any(said[0] for said in self.said.values()):
                return number
        return _QUIET_ROUNDS + 1

    def look(self, *, stuck: bool) -> World:
        """Return what the remote and the clones hold."""
        clones = []
        for clone in self._all():
            code, words = self._run(clone, "compile", "--check")
            told = f"exit {self.said[clone.name][0]}, {self.said[clone.name][1]}" if stuck else ""
            clones.append(clone_of(clone, stale=words if code else "", stuck=told))
        return world_of(self.remote, clones)

    def _all(self) -> list[Path]:
        return [*self.clones, *([self.bot] if self.bot else [])]

    def _act(self, clone: Path, source: str) -> None:
        dice = random.Random(f"{self.plan.seed} {source}")
        for number in range(self.plan.events):
            self._record(clone, source, number, dice)
            if dice.random() < self.plan.faults.person:
                self.faults[nemesis.person_acts(clone, self.env, dice)] += 1

    def _record(self, clone: Path, source: str, number: int, dice: random.Random) -> None:
        text = f"{source} says {number:03}: {' '.join(dice.sample(_WORDS, 6))}"
        event_id = f"evt_{source.replace('-', '')}{number:04}s{self.plan.seed}"
        arguments = ["--source", source, "--event-id", event_id, *self._time(dice)]
        if dice.random() < self.plan.plain_adds:
            command = ["add", "--kind", "observation", "--scope", "fuzzy", *arguments, "--summary", text]
        else:
            command = ["share", "--budget", _BUDGET, *arguments, text]
        invoked = self.recorder.invoke(source, event_id, text)
        code = self._run_or_kill(clone, command, dice)
        self.recorder.end(Operation(source, event_id, text, invoked, time.monotonic(), _outcome(code)))

    def _time(self, dice: random.Random) -> list[str]:
        if dice.random() >= self.plan.faults.skewed:
            return []
        self.faults["skewed"] += 1
        return ["--ts", (datetime.now(UTC) + timedelta(hours=dice.uniform(-48, 48))).isoformat()]

    def _synchronise_until(self, done: threading.Event) -> None:
        dice = random.Random(f"{self.plan.seed} bot")
        while self.bot and not done.wait(self.plan.bot_pause):
            self._run_or_kill(self.bot, ["sync", "--budget", _BUDGET], dice)

    def _run_or_kill(self, clone: Path, arguments: Sequence[str], dice: random.Random) -> int | None:
        """Run a command and return its exit code, or None where the nemesis killed it before it ended."""
        process = subprocess.Popen(
            [*self.plan.command, *arguments],
            cwd=clone,
            env=self.env,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        if dice.random() < self.plan.faults.killed:
            patience, whole_tree = dice.uniform(0, self.plan.latest_kill), dice.random() < 0.5
            try:
                return process.wait(patience)
            except subprocess.TimeoutExpired:
                nemesis.kill(process, self.remote, whole_tree=whole_tree)
                process.wait()
                self.faults["killed"] += 1
                return None
        return process.wait()

    def _run(self, clone: Path, *arguments: str) -> tuple[int, str]:
        command = [*self.plan.command, *arguments]
        done = subprocess.run(command, cwd=clone, env=self.env, capture_output=True, text=True, check=False)
        return done.returncode, (done.stdout + done.stderr).strip()

    def _git(self, folder: Path, *arguments: str) -> None:
        subprocess.run(["git", *arguments], cwd=folder, env=self.env, check=True, capture_output=True)

    def _prepare(self) -> None:
        """Make the remote, with the first commit of a hub."""
        self._git(self.folder, "init", "-q", "--bare", "-b", "main", str(self.remote))
        seed = self.folder / "seed"
        (seed / "sources").mkdir(parents=True)
        (seed / "soul.yaml").write_text("template: false\n", encoding="utf-8")
        attributes = "sources/** -text merge=union\ncanonical/** -text linguist-generated merge=binary\n"
        (seed / ".gitattributes").write_text(attributes, encoding="utf-8")
        self._git(seed, "init", "-q", "-b", "main")
        self._git(seed, "add", "-A")
        self._git(seed, "commit", "-q", "-m", "seed")
        self._git(seed, "push", "-q", str(self.remote), "main")

    def _clone(self, name: str) -> Path:
        self._git(self.folder, "clone", "-q", str(self.remote), name)
        return self.folder / name


def _outcome(code: int | None) -> Outcome:
    if code is None:
        return Outcome.UNKNOWN
    return Outcome.OK if code in _ACKNOWLEDGED else Outcome.FAIL


def environment(home: Path) -> dict[str, str]:
    """Return an environment in which no setting of the user's reaches Git, the hub, or Python's compiled modules."""
    left_out = ("GIT_", "AGENT_SOUL_", "XDG_", "PYTHONDONTWRITEBYTECODE")
    kept = {name: value for name, value in os.environ.items() if not name.startswith(left_out)}
    names = [f"GIT_{role}_{part}" for role in ("AUTHOR", "COMMITTER") for part in ("NAME", "EMAIL")]
    fixed = {
        "HOME": str(home),
        "GIT_CONFIG_GLOBAL": os.devnull,
        "GIT_CONFIG_NOSYSTEM": "1",
        "PYTHONPYCACHEPREFIX": str(home / "pycache"),
    }
    return {**kept, **dict.fromkeys(names, "test@example.invalid"), **fixed}


def main(arguments: Sequence[str] | None = None) -> int:
    """Run with several seeds; print a line for each, the first violation of a red one, and end with 1 if there was."""
    parser = argparse.ArgumentParser(prog="history.run", description=__doc__.split("\n")[0])
    for name, default in (("clones", 6), ("agents", 2), ("events", 60), ("seeds", 5), ("first-seed", 1)):
        parser.add_argument(f"--{name}", type=int, default=default)
    parser.add_argument("--keep", action="store_true", help="leave the folders of red runs")
    asked = parser.parse_args(arguments)
    red = 0
    for seed in range(asked.first_seed, asked.first_seed + asked.seeds):
        folder = Path(tempfile.mkdtemp(prefix="agent-soul-history-"))
        result = run(Plan(seed, asked.clones, asked.agents, asked.events), folder)
        print(result.explain() or f"green, {result.summary()}", flush=True)
        red += bool(result.violations)
        if result.violations and asked.keep:
            print(f"  kept in {folder}", flush=True)
        else:
            shutil.rmtree(folder)
    return min(red, 1)


if __name__ == "__main__":
    sys.exit(main())
