"""The workflows: what they may do, and their steps run for real, taken out of the YAML, in clones of a bare remote.

A small runner stands in for GitHub's: it follows what `actions/checkout` documents and runs each `run:` by the shell
that GitHub gives it. The Python on its PATH is the running one, so that no step has to set up an environment.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
import yaml

from support import git

ROOT = Path(__file__).parents[1]
WORKFLOWS = {file.stem: file for file in sorted((ROOT / ".github/workflows").glob("*.yml"))}
RECORD = ROOT / ".github/actions/record/action.yml"
AUTOMATION = ROOT / "docs/automation.md"
TOOLKIT = ("scripts", "src", "pyproject.toml", ".gitignore", ".gitattributes", ".github")
SHELLS = {"bash": ["bash", "--noprofile", "--norc", "-eo", "pipefail"], "python": ["python"], None: ["bash", "-e"]}
TODAY = datetime.now(UTC).date()
EXPRESSION = re.compile(r"\$\{\{\s*(.*?)\s*\}\}")

on_a_runner = pytest.mark.skipif(os.name == "nt", reason="these steps run on Linux runners")


def load(file: Path) -> dict[str, Any]:
    """Load YAML as GitHub does, for which `on` is a word."""
    text = re.sub(r"^on:", '"on":', file.read_text(encoding="utf-8"), flags=re.MULTILINE)
    document: dict[str, Any] = yaml.safe_load(text)
    return document


def jobs() -> Iterator[Any]:
    for name, file in WORKFLOWS.items():
        for job_name, job in load(file)["jobs"].items():
            yield pytest.param(job, id=f"{name}-{job_name}")


def steps_of(document: Mapping[str, Any]) -> list[dict[str, Any]]:
    jobs_or_action = document["jobs"].values() if "jobs" in document else [document["runs"]]
    return [step for each in jobs_or_action for step in each["steps"]]


every_workflow = pytest.mark.parametrize("file", WORKFLOWS.values(), ids=WORKFLOWS)
every_job = pytest.mark.parametrize("job", list(jobs()))
every_file = pytest.mark.parametrize("file", [*WORKFLOWS.values(), RECORD], ids=[*WORKFLOWS, "record"])


# What they may do


def test_there_are_these_workflows() -> None:
    assert set(WORKFLOWS) == {"auto-compile", "nightly", "test", "validate"}


@every_workflow
def test_nothing_is_permitted_by_default_and_no_run_is_cut_short(file: Path) -> None:
    workflow = load(file)
    assert workflow["permissions"] == {}
    assert workflow["concurrency"]["group"]
    assert workflow["concurrency"]["cancel-in-progress"] is False


@every_workflow
def test_nothing_starts_with_the_rights_of_main_on_the_code_of_a_fork(file: Path) -> None:
    assert not {"pull_request_target", "workflow_run"} & set(load(file)["on"])


@every_job
def test_a_job_has_a_time_limit_and_a_fixed_runner(job: Mapping[str, Any]) -> None:
    assert 0 < job["timeout-minutes"] <= 60
    assert "latest" not in str(job["runs-on"])
    assert "latest" not in str(job.get("strategy", ""))


def test_only_the_jobs_that_push_may_write() -> None:
    granted = {
        (name, job_name): job.get("permissions", {})
        for name, file in WORKFLOWS.items()
        for job_name, job in load(file)["jobs"].items()
    }
    for pushing in (("auto-compile", "compile"), ("nightly", "upkeep")):
        assert granted.pop(pushing) == {"contents": "write"}
    assert all(rights in ({}, {"contents": "read"}) for rights in granted.values()), granted


@every_file
def test_actions_are_pinned_to_a_commit_with_their_version_beside_it(file: Path) -> None:
    for line in file.read_text(encoding="utf-8").splitlines():
        if "uses:" in line:
            assert re.search(r"uses: [\w-]+/[\w-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$", line), line


def test_an_action_has_one_pin_everywhere() -> None:
    """The page for people to copy from too: an old pin there would outlive every update."""
    pins: dict[str, set[str]] = {}
    for file in (*WORKFLOWS.values(), AUTOMATION):
        for action, pin in re.findall(r"uses: ([\w-]+/[\w-]+)@(.*)", file.read_text(encoding="utf-8")):
            pins.setdefault(action, set()).add(pin)
    assert set(pins) == {"actions/checkout", "actions/setup-python"}
    assert all(len(each) == 1 for each in pins.values()), pins


@every_job
def test_a_checkout_says_whether_it_keeps_credentials(job: Mapping[str, Any]) -> None:
    writes = job.get("permissions") == {"contents": "write"}
    for step in job["steps"]:
        if "checkout" in step.get("uses", ""):
            assert step["with"]["persist-credentials"] is writes


@every_file
def test_no_expression_reaches_a_script(file: Path) -> None:
    for step in steps_of(load(file)):
        assert "${{" not in step.get("run", ""), step


def test_what_auto_compile_pushes_does_not_start_it() -> None:
    paths = load(WORKFLOWS["auto-compile"])["on"]["push"]["paths"]
    assert paths == ["sources/**", "soul.yaml"]


@pytest.mark.parametrize(("name", "job"), [("auto-compile", "compile"), ("nightly", "upkeep")])
def test_what_runs_daily_does_so_off_the_hour_and_not_in_the_template(name: str, job: str) -> None:
    workflow = load(WORKFLOWS[name])
    minute, hour, *rest = workflow["on"]["schedule"][0]["cron"].split()
    assert minute.isdigit()
    assert minute != "0"
    assert hour.isdigit()
    assert rest == ["*", "*", "*"]
    assert "workflow_dispatch" in workflow["on"]
    assert workflow["jobs"][job]["if"] == "${{ !github.event.repository.is_template }}"


@pytest.mark.parametrize("name", ["validate", "test"])
def test_a_check_that_may_be_required_starts_for_every_pull_request(name: str) -> None:
    assert "paths" not in load(WORKFLOWS[name])["on"]["pull_request"]


def test_the_suite_runs_on_three_systems_with_each_python_that_the_project_names() -> None:
    named = set(re.findall(r"Python :: (3\.\d+)", (ROOT / "pyproject.toml").read_text(encoding="utf-8")))
    suite = load(WORKFLOWS["test"])["jobs"]["suite"]
    assert set(suite["strategy"]["matrix"]["python"]) == named
    assert {system.split("-")[0] for system in suite["strategy"]["matrix"]["system"]} == {"ubuntu", "macos", "windows"}
    assert suite["strategy"]["fail-fast"] is False


def test_one_job_stands_for_all_others() -> None:
    all_jobs = load(WORKFLOWS["test"])["jobs"]
    gathering = all_jobs.pop("tested")
    assert set(gathering["needs"]) == set(all_jobs)
    assert gathering["if"] == "always()"


def test_new_versions_of_actions_wait_a_week() -> None:
    (update,) = load(ROOT / ".github/dependabot.yml")["updates"]
    assert update["package-ecosystem"] == "github-actions"
    assert update["cooldown"]["default-days"] >= 7


def test_zizmor_finds_nothing() -> None:
    zizmor = shutil.which("zizmor") or shutil.which("zizmor", path=str(Path(sys.executable).parent))
    if not zizmor:
        pytest.skip("zizmor is not installed")
    done = subprocess.run(
        [zizmor, "--offline", "--no-progress", "--persona=auditor", ROOT / ".github"], capture_output=True, text=True
    )
    assert done.returncode == 0, done.stdout


# The runner


@dataclass
class Done:
    """How a job ended: the exit code of the step that failed or 0, and all that was printed."""

    code: int
    said: str
    skipped: list[str] = field(default_factory=list)


@dataclass
class Runner:
    """Runs the steps of a job in `workspace`, with a checkout of `remote`."""

    folder: Path
    remote: Path

    @property
    def workspace(self) -> Path:
        return self.folder / "workspace"

    @property
    def programs(self) -> Path:
        return self.folder / "bin"

    def program(self, name: str, script: str) -> None:
        self.programs.mkdir(parents=True, exist_ok=True)
        (self.programs / name).write_text(f"#!/bin/sh\n{script}\n", encoding="utf-8")
        (self.programs / name).chmod(0o755)

    def run(
        self,
        steps: list[dict[str, Any]],
        *,
        ref: str = "refs/heads/main",
        inputs: Mapping[str, str] | None = None,
        action: Path | None = None,
    ) -> Done:
        for name in ("python", "python3"):
            self.program(name, f'exec "{sys.executable}" "$@"')
        (self.folder / "temp").mkdir(parents=True, exist_ok=True)
        self.workspace.mkdir(exist_ok=True)
        done = Done(0, "")
        outputs: dict[str, str] = {}
        for step in steps:
            if not self._is_due(step, outputs):
                done.skipped.append(step.get("name") or step["uses"])
            elif "checkout" in step.get("uses", ""):
                self._check_out(step.get("with", {}), ref)
            elif "run" in step:
                done.code, said = self._run_step(step, inputs or {}, outputs, action)
                done.said += said
                if done.code:
                    break
        print(done.said)
        assert "Traceback" not in done.said
        return done

    def _is_due(self, step: Mapping[str, Any], outputs: Mapping[str, str]) -> bool:
        condition = re.fullmatch(r"steps\.\w+\.outputs\.(\w+) == '(\w+)'", step.get("if", ""))
        assert condition or "if" not in step
        return condition is None or outputs.get(condition[1]) == condition[2]

    def _check_out(self, options: Mapping[str, Any], ref: str) -> None:
        """Do what the action does: one fetch of so many commits; the branch, or for a pull request its merge."""
        name = f"refs/heads/{options['ref']}" if "ref" in options else ref
        here = name.replace("refs/heads/", "refs/remotes/origin/").replace("refs/pull/", "refs/remotes/pull/")
        git(self.workspace, "init", "-q", "-b", "unused")
        git(self.workspace, "remote", "add", "origin", f"file://{self.remote}")
        depth = f"--depth={options.get('fetch-depth', 1)}"
        git(self.workspace, "fetch", "-q", "--no-tags", "--prune", depth, "origin", f"+{name}:{here}")
        branch = ("-B", name.removeprefix("refs/heads/")) if name.startswith("refs/heads/") else ()
        git(self.workspace, "checkout", "-q", "--force", *branch, here)

    def _run_step(
        self, step: Mapping[str, Any], inputs: Mapping[str, str], outputs: dict[str, str], action: Path | None
    ) -> tuple[int, str]:
        def value_of(expression: re.Match[str]) -> str:
            assert expression[1].startswith("inputs."), expression[0]
            return inputs[expression[1].removeprefix("inputs.")]

        output = self.folder / "output"
        output.write_text("", encoding="utf-8")
        script = self.folder / "script"
        script.write_text(step["run"], encoding="utf-8")
        given = {name: EXPRESSION.sub(value_of, str(value)) for name, value in step.get("env", {}).items()}
        standard = {
            "PATH": f"{self.programs}{os.pathsep}{os.environ['PATH']}",
            "RUNNER_TEMP": str(self.folder / "temp"),
            "GITHUB_OUTPUT": str(output),
            "GITHUB_ACTION_PATH": str(action or ""),
            "GITHUB_SHA": "0123456789abcdef0123456789abcdef01234567",
            "GITHUB_SERVER_URL": "https://github.example",
            "GITHUB_REPOSITORY": "you/app",
            "GITHUB_RUN_ID": "17",
        }
        unknown = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}  # who commits
        quiet = {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1"}
        done = subprocess.run(
            [*SHELLS[step.get("shell")], str(script)],
            cwd=self.workspace,
            env={**unknown, **quiet, **standard, **given},
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            encoding="utf-8",
            timeout=120,
        )
        outputs |= {line.split("=")[0]: line.split("=")[1] for line in output.read_text(encoding="utf-8").splitlines()}
        return done.returncode, done.stdout


# The hub


@dataclass
class World:
    """A bare remote, a person's clone of it, and a runner."""

    folder: Path
    remote: Path
    mine: Path
    runner: Runner

    def clone(self, name: str) -> Path:
        git(self.folder, "clone", "-q", str(self.remote), name)
        return self.folder / name

    def head(self) -> str:
        return git(self.remote, "rev-parse", "main").strip()

    def on_main(self, path: str) -> str:
        return git(self.remote, "show", f"main:{path}")


@pytest.fixture(scope="session")
def made_remote(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Make a bare remote with a hub of one's own in it: the toolkit of this checkout, one event, its pages."""
    folder = tmp_path_factory.mktemp("made")
    work = folder / "work"
    for name in TOOLKIT:
        source, target = ROOT / name, work / name
        target.parent.mkdir(parents=True, exist_ok=True)
        if source.is_dir():
            shutil.copytree(source, target, ignore=shutil.ignore_patterns("__pycache__"))
        else:
            shutil.copy(source, target)
    (work / "soul.yaml").write_text("template: false\n", encoding="utf-8")
    with pytest.MonkeyPatch.context() as patch:
        for role in ("AUTHOR", "COMMITTER"):
            patch.setenv(f"GIT_{role}_NAME", "test")
            patch.setenv(f"GIT_{role}_EMAIL", "test@example.invalid")
        git(folder, "init", "-q", "--bare", "-b", "main", "remote.git")
        git(work, "init", "-q", "-b", "main")
        append(work, "The team writes its reports in Markdown.")
        soul(work, "compile")
        commit(work, "A hub")
        git(work, "push", "-q", str(folder / "remote.git"), "main")
    return folder / "remote.git"


@pytest.fixture
def world(made_remote: Path, tmp_path: Path) -> World:
    remote = tmp_path / "remote.git"
    shutil.copytree(made_remote, remote)
    world = World(tmp_path, remote, tmp_path / "mine", Runner(tmp_path / "runner", remote))
    world.clone("mine")
    return world


def soul(folder: Path, *arguments: str, code: int = 0) -> str:
    done = subprocess.run([sys.executable, "scripts/soul.py", *arguments], cwd=folder, capture_output=True, text=True)
    assert done.returncode == code, done.stdout + done.stderr
    return done.stdout


def append(folder: Path, summary: str, *options: str) -> None:
    basic = ("--source", "home-claude", "--kind", "fact", "--scope", "stable", "--summary", summary)
    soul(folder, "add", *basic, *options)


def commit(folder: Path, message: str) -> str:
    git(folder, "add", "-A")
    git(folder, "commit", "-q", "-m", message)
    return git(folder, "rev-parse", "HEAD").strip()


def publish(folder: Path, message: str) -> None:
    commit(folder, message)
    git(folder, "push", "-q", "origin", "HEAD:main")


def day(offset: int) -> str:
    return (TODAY + timedelta(days=offset)).isoformat()


BAD_LINE = '{"event_id": "x-1", "ts": "yesterday"}\n'


def spoil(folder: Path, text: str = BAD_LINE, name: str = "2026-01-01.0badbad0.ndjson") -> str:
    """Append a line to a source file, as somebody does who writes it by hand; return the file's path."""
    file = folder / "sources" / "by-hand" / name
    file.parent.mkdir(parents=True, exist_ok=True)
    with file.open("a", encoding="utf-8") as opened:
        opened.write(text)
    return file.relative_to(folder).as_posix()


# auto-compile


def compile_on_github(world: World) -> Done:
    shutil.rmtree(world.runner.workspace, ignore_errors=True)
    return world.runner.run(load(WORKFLOWS["auto-compile"])["jobs"]["compile"]["steps"])


@on_a_runner
def test_auto_compile_pushes_the_pages_of_new_events_and_then_nothing_more(world: World) -> None:
    append(world.mine, "The build server is called Ada.")
    publish(world.mine, "An event")
    before = world.head()
    assert compile_on_github(world).code == 0
    after = world.head()
    assert "Ada" in world.on_main("canonical/stable-memory.md")
    changed = git(world.remote, "diff", "--name-only", before, after).split()
    assert changed
    assert all(path.startswith("canonical/") for path in changed)
    assert git(world.remote, "log", "-1", "--format=%an %cn", "main").split() == ["github-actions[bot]"] * 2
    assert git(world.runner.workspace, "status", "--porcelain") == ""
    assert compile_on_github(world).code == 0
    assert world.head() == after
    soul(world.clone("fresh"), "compile", "--check")


@on_a_runner
@pytest.mark.parametrize("moment", ["fetch", "push"])
def test_a_writer_who_pushes_while_auto_compile_runs_loses_nothing(world: World, moment: str) -> None:
    append(world.mine, "The build server is called Ada.")
    publish(world.mine, "An event")
    racer = world.clone("racer")
    append(racer, "The office is in Delft.")
    commit(racer, "Another event")
    real, flag = shutil.which("git"), world.folder / "raced"
    race = f'touch "{flag}"; "{real}" -C "{racer}" push -q origin HEAD:main'
    world.runner.program(
        "git", f'for a; do if [ "$a" = {moment} ] && [ ! -e "{flag}" ]; then {race}; fi; done\nexec "{real}" "$@"'
    )
    assert compile_on_github(world).code == 0
    assert flag.exists()
    page = world.on_main("canonical/stable-memory.md")
    assert "Ada" in page
    assert "Delft" in page
    soul(world.clone("fresh"), "compile", "--check")


@on_a_runner
def test_the_daily_run_takes_what_expired_off_the_pages(world: World) -> None:
    append(
        world.mine,
        "The garage is closed.",
        "--valid-from",
        day(-9),
        "--valid-until",
        day(-1),
        "--ts",
        f"{day(-9)}T08:00:00Z",
    )
    soul(world.mine, "compile", "--as-of", day(-3))
    publish(world.mine, "As it was three days ago")
    assert "garage" in world.on_main("canonical/stable-memory.md")
    assert compile_on_github(world).code == 0
    assert "garage" not in world.on_main("canonical/stable-memory.md")


@on_a_runner
def test_a_copy_of_the_template_pushes_nothing_and_is_not_red(world: World) -> None:
    (world.mine / "soul.yaml").write_text("template: true\n", encoding="utf-8")
    append(world.mine, "The build server is called Ada.")
    publish(world.mine, "A template")
    before = world.head()
    done = compile_on_github(world)
    assert done.code == 0
    assert "kept here" in done.said
    assert world.head() == before


@on_a_runner
def test_a_bad_line_costs_auto_compile_that_line_only(world: World) -> None:
    spoil(world.mine)
    append(world.mine, "The build server is called Ada.")
    publish(world.mine, "Two lines, one bad")
    assert compile_on_github(world).code == 0
    assert "Ada" in world.on_main("canonical/stable-memory.md")


@on_a_runner
def test_a_protected_branch_ends_auto_compile_with_the_words_of_the_server(world: World) -> None:
    append(world.mine, "The build server is called Ada.")
    publish(world.mine, "An event")
    before = world.head()
    hook = world.remote / "hooks" / "pre-receive"
    hook.parent.mkdir(exist_ok=True)
    hook.write_text("#!/bin/sh\necho 'Changes must be made through a pull request.' >&2\nexit 1\n", encoding="utf-8")
    hook.chmod(0o755)
    done = compile_on_github(world)
    assert done.code == 4
    assert "Changes must be made through a pull request." in done.said
    assert world.head() == before


# nightly


def keep_up_on_github(world: World) -> Done:
    shutil.rmtree(world.runner.workspace, ignore_errors=True)
    return world.runner.run(load(WORKFLOWS["nightly"])["jobs"]["upkeep"]["steps"])


def remark(world: World, summary: str, age: int, *options: str) -> None:
    append(world.mine, summary, "--ts", f"{day(-age)}T08:00:00Z", *options)


@on_a_runner
def test_the_night_fades_keeps_and_proposes_and_then_has_nothing_to_do(world: World) -> None:
    correction = ("--kind", "correction", "--scope", "profile")
    preference = ("--kind", "preference", "--scope", "profile")
    remark(world, "Call the database Postgres.", 100, *correction)
    remark(world, "We decided to ship on Mondays only.", 1, "--kind", "note", "--scope", "daily")
    remark(world, "User likes concise replies.", 3, *preference)
    remark(world, "User prefers short answers.", 2, *preference)
    publish(world.mine, "Events")
    before = world.head()
    assert keep_up_on_github(world).code == 0
    after = world.head()
    assert after != before
    profile = world.on_main("canonical/profile.md")
    assert "Postgres" not in profile
    assert "User likes concise replies" in profile
    assert "ship on Mondays" in world.on_main("canonical/stable-memory.md")
    assert "soul heartbeat by nightly-upkeep" in world.on_main("canonical/upkeep.md")
    assert [event["kind"] for event in events_on_main(world, "nightly-upkeep") if event.get("proposed")] == [
        "preference"
    ]
    assert git(world.remote, "log", "-1", "--format=%an %cn", "main").split() == ["github-actions[bot]"] * 2
    assert keep_up_on_github(world).code == 0
    assert world.head() == after


# validate


def pull_request(
    world: World, change: Callable[[Path], object], *, meanwhile: Callable[[Path], None] | None = None
) -> Done:
    """Let a fork of main make a change, and validate its merge as GitHub does."""
    fork = world.clone("fork")
    change(fork)
    head = commit(fork, "A change")
    if meanwhile:
        meanwhile(world.mine)
        publish(world.mine, "Meanwhile")
        git(fork, "fetch", "-q", "origin")
    git(fork, "checkout", "-q", "--detach", "origin/main")
    git(fork, "merge", "-q", "--no-ff", "-m", "Merge", head)
    git(fork, "push", "-q", "origin", "HEAD:refs/pull/1/merge")
    return world.runner.run(load(WORKFLOWS["validate"])["jobs"]["validate"]["steps"], ref="refs/pull/1/merge")


def page_by_hand(folder: Path) -> None:
    page = folder / "canonical/stable-memory.md"
    page.write_text(page.read_text(encoding="utf-8").replace("Markdown", "Word"), encoding="utf-8")


@on_a_runner
def test_a_change_with_good_lines_alone_is_fine_although_its_pages_are_old(world: World) -> None:
    done = pull_request(world, lambda fork: append(fork, "The build server is called Ada."))
    assert done.code == 0
    assert done.skipped == []


@on_a_runner
def test_a_change_beside_the_memory_is_not_judged(world: World) -> None:
    done = pull_request(world, lambda fork: (fork / "README.md").write_text("Hello\n"))
    assert done.code == 0
    assert "Judge what the change brings" in done.skipped


@on_a_runner
def test_a_bad_line_that_the_change_brings_is_named(world: World) -> None:
    done = pull_request(world, spoil)
    assert done.code == 1
    assert "sources/by-hand/2026-01-01.0badbad0.ndjson:1:" in done.said


@on_a_runner
def test_a_bad_line_of_before_is_not_the_fault_of_the_change(world: World) -> None:
    spoil(world.mine)
    publish(world.mine, "A bad line")
    done = pull_request(world, lambda fork: append(fork, "The build server is called Ada."))
    assert done.code == 0


@on_a_runner
def test_a_bad_line_of_before_does_not_hide_the_same_fault_in_a_new_one(world: World) -> None:
    spoil(world.mine)
    publish(world.mine, "A bad line")
    done = pull_request(world, spoil)
    assert done.code == 1
    assert ".ndjson:2:" in done.said
    assert ".ndjson:1:" not in done.said


@on_a_runner
@pytest.mark.parametrize(("old", "new"), [("Markdown", "Word"), ("", None)], ids=["a line", "a file"])
def test_a_line_that_the_change_takes_away_is_named(world: World, old: str, new: str | None) -> None:
    def rewrite(fork: Path) -> None:
        log = next(file for file in fork.glob("sources/*/*.ndjson") if "Markdown" in file.read_text(encoding="utf-8"))
        if new is None:
            log.unlink()
        else:
            log.write_text(log.read_text(encoding="utf-8").replace(old, new), encoding="utf-8")

    done = pull_request(world, rewrite)
    assert done.code == 1
    assert "changed or gone" in done.said


@on_a_runner
def test_a_page_changed_by_hand_is_named(world: World) -> None:
    done = pull_request(world, page_by_hand)
    assert done.code == 1
    assert "canonical/stable-memory.md is not what the log compiles to" in done.said


@on_a_runner
def test_pages_compiled_by_the_change_are_fine_by_the_day_that_they_record(world: World) -> None:
    def compile_days_ago(fork: Path) -> None:
        append(
            fork,
            "The garage is closed.",
            "--valid-from",
            day(-9),
            "--valid-until",
            day(-1),
            "--ts",
            f"{day(-9)}T08:00:00Z",
        )
        soul(fork, "compile", "--as-of", day(-3))
        assert "garage" in (fork / "canonical/stable-memory.md").read_text(encoding="utf-8")

    assert pull_request(world, compile_days_ago).code == 0


@on_a_runner
def test_old_pages_of_main_are_not_the_fault_of_a_change_to_another_one(world: World) -> None:
    page_by_hand(world.mine)
    publish(world.mine, "A page by hand")

    def compile_another(fork: Path) -> None:
        append(fork, "The door code is on the wall.", "--project", "office", "--scope", "project")
        soul(fork, "compile")
        git(fork, "checkout", "-q", "HEAD", "--", "canonical/stable-memory.md")

    assert pull_request(world, compile_another).code == 0


@on_a_runner
def test_pages_made_by_another_toolkit_are_not_judged(world: World) -> None:
    def update_toolkit(mine: Path) -> None:
        (mine / "src/agent_soul/newer.py").write_text("", encoding="utf-8")

    done = pull_request(world, page_by_hand, meanwhile=update_toolkit)
    assert done.code == 0
    assert "another toolkit" in done.said


@on_a_runner
def test_settings_that_the_change_breaks_are_its_fault(world: World) -> None:
    done = pull_request(world, lambda fork: (fork / "soul.yaml").write_text("fuzzy_days: many\n"))
    assert done.code == 1
    assert "fuzzy_days" in done.said


@on_a_runner
def test_settings_that_were_broken_before_are_not(world: World) -> None:
    (world.mine / "soul.yaml").write_text("fuzzy_days: many\n", encoding="utf-8")
    publish(world.mine, "Broken settings")
    done = pull_request(world, lambda fork: append(fork, "The build server is called Ada."))
    assert done.code == 0
    assert "not judged" in done.said


@on_a_runner
def test_no_code_of_the_change_is_run(world: World, tmp_path: Path) -> None:
    marker = tmp_path / "was-run"

    def add_code(fork: Path) -> None:
        code = f"open({str(marker)!r}, 'w').close()\n"
        for name in ("scripts/soul.py", "src/agent_soul/__init__.py", "json.py", "sitecustomize.py"):
            (fork / name).write_text(code, encoding="utf-8")
        page_by_hand(fork)
        spoil(fork)

    done = pull_request(world, add_code)
    assert done.code == 1
    assert "by-hand" in done.said
    assert not marker.exists()


@on_a_runner
def test_text_of_the_change_gives_the_runner_no_orders(world: World) -> None:
    order = "::set-output name=x::y"
    event = {"event_id": "a-1", "ts": f"{day(0)}T08:00:00Z", "source": "by-hand", "kind": "fact", "summary": "A fact."}
    line = json.dumps({**event, "scope": f"stable\n{order}"})
    done = pull_request(world, lambda fork: spoil(fork, f"{line}\n"))
    assert done.code == 1
    seal = re.search(r"^::stop-commands::([0-9a-f]{32})$", done.said, re.MULTILINE)
    assert seal
    before, _, after = done.said.partition(seal[0])
    quoted, end, rest = after.partition(f"::{seal[1]}::")
    assert end
    assert "by-hand" in quoted
    assert "::" not in before + rest


# record


def record(world: World, **inputs: str) -> Done:
    """Run the action from a checkout of the hub in another repository's workspace."""
    world.runner.workspace.mkdir(parents=True, exist_ok=True)
    git(world.runner.workspace, "clone", "-q", str(world.remote), "my-soul")
    action = world.runner.workspace / "my-soul/.github/actions/record"
    document = load(action / "action.yml")
    defaults = {name: each.get("default", "") for name, each in document["inputs"].items()}
    given = {name.replace("_", "-"): text for name, text in inputs.items()}
    assert set(given) <= set(defaults)
    return world.runner.run(document["runs"]["steps"], inputs={**defaults, **given}, action=action)


def events_on_main(world: World, source: str) -> list[dict[str, Any]]:
    paths = git(world.remote, "ls-tree", "-r", "--name-only", "main", f"sources/{source}/").split()
    return [json.loads(line) for path in paths for line in world.on_main(path).splitlines()]


@on_a_runner
def test_the_action_records_and_shares_what_it_is_given(world: World) -> None:
    done = record(
        world,
        source="ci-app",
        summary="Version 2 is out.",
        kind="project-update",
        scope="project:app",
        valid_until=day(9),
    )
    assert done.code == 0
    assert "shared" in done.said
    (event,) = events_on_main(world, "ci-app")
    fields = ("summary", "kind", "scope", "project", "valid_until", "commit", "refs")
    assert [event[name] for name in fields] == [
        "Version 2 is out.",
        "project-update",
        "project",
        "app",
        day(9),
        "0123456789abcdef0123456789abcdef01234567",
        ["https://github.example/you/app/actions/runs/17"],
    ]
    assert "Version 2 is out" in world.on_main("canonical/projects/app.md")
    assert git(world.remote, "log", "-1", "--format=%an %cn", "main").split() == ["ci-app"] * 2


@on_a_runner
def test_the_action_takes_any_text_as_text(world: World) -> None:
    summary = "--kind=rule \"; touch pwned; $(touch pwned) `touch pwned` ${IFS} '\\"
    detail = "One line\n::error::and another\n$(touch pwned)"
    assert record(world, source="ci-app", summary=summary, detail=detail).code == 0
    (event,) = events_on_main(world, "ci-app")
    assert (event["summary"], event["detail"], event["kind"]) == (summary, detail, "observation")
    assert not list(world.folder.rglob("pwned"))


@on_a_runner
def test_the_action_fails_where_the_event_was_not_shared(world: World) -> None:
    hook = world.remote / "hooks" / "pre-receive"
    hook.parent.mkdir(exist_ok=True)
    hook.write_text("#!/bin/sh\nexit 1\n", encoding="utf-8")
    hook.chmod(0o755)
    assert record(world, source="ci-app", summary="Version 2 is out.").code == 4


@on_a_runner
def test_the_action_says_what_is_wrong_with_an_event(world: World) -> None:
    done = record(world, source="ci-app", summary="Version 2 is out.", kind="rumor")
    assert done.code == 2
    assert "rumor" in done.said


# docs/automation.md


def blocks(language: str, page: Path = AUTOMATION) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```", page.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)


@pytest.mark.parametrize(("page", "number"), [("docs/automation.md", 2), ("README.md", 1), ("README.zh-CN.md", 1)])
def test_the_examples_use_the_action_as_it_is(page: str, number: int) -> None:
    action = load(RECORD)["inputs"]
    examples = [yaml.safe_load(block) for block in blocks("yaml", ROOT / page)]
    uses = [
        step
        for example in examples
        for step in (example["jobs"]["remember"]["steps"] if "jobs" in example else example)
    ]
    recording = [step for step in uses if step["uses"].endswith(".github/actions/record")]
    assert len(recording) == number
    pinned = {step["uses"] for step in uses} - {step["uses"] for step in recording}
    assert pinned <= set(re.findall(r"uses: (\S+)", WORKFLOWS["auto-compile"].read_text(encoding="utf-8")))
    for step in recording:
        assert set(step["with"]) <= set(action)
        assert {name for name, each in action.items() if each.get("required")} <= set(step["with"])


@on_a_runner
def test_the_lines_for_any_pipeline_work(world: World) -> None:
    git(world.folder, "clone", "-q", str(world.remote), "runner/workspace/my-soul")
    (lines,) = blocks("bash")
    assert world.runner.run([{"run": lines}]).code == 0
    assert [event["summary"] for event in events_on_main(world, "ci-my-app")] == [
        "Version 2.1 is out.",
        "Version 2.2 is out.",
    ]


# test


def step_of_test(job: str) -> dict[str, Any]:
    step: dict[str, Any] = load(WORKFLOWS["test"])["jobs"][job]["steps"][-1]
    return step


@on_a_runner
@pytest.mark.parametrize(
    ("settings", "has_toolkit", "here"), [("true", True, "yes"), ("false", True, "no"), ("true", False, "no")]
)
def test_only_the_repository_of_the_toolkit_is_tested(
    world: World, settings: str, has_toolkit: bool, here: str
) -> None:
    world.runner.workspace.mkdir(parents=True)
    (world.runner.workspace / "soul.yaml").write_text(f"template: {settings}\n", encoding="utf-8")
    if has_toolkit:
        (world.runner.workspace / "src/agent_soul").mkdir(parents=True)
    assert world.runner.run([step_of_test("toolkit")]).code == 0
    assert (world.runner.folder / "output").read_text(encoding="utf-8") == f"here={here}\n"


@on_a_runner
@pytest.mark.parametrize(
    ("looked", "here", "suite", "passes"),
    [
        ("success", "yes", "success", True),
        ("success", "no", "skipped", True),
        ("success", "yes", "failure", False),
        ("success", "yes", "cancelled", False),
        ("success", "yes", "skipped", False),
        ("failure", "", "skipped", False),
        ("cancelled", "no", "skipped", False),
    ],
)
def test_the_gathering_job_passes_only_if_all_passed_or_there_was_nothing(
    world: World, looked: str, here: str, suite: str, passes: bool
) -> None:
    step = {**step_of_test("tested"), "env": {"LOOKED": looked, "HERE": here, "SUITE": suite}}
    assert (world.runner.run([step]).code == 0) is passes
