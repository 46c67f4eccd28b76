"""The set-up of the private environment, by real interpreters in real checkouts, without a network.

A checkout here is a small copy: the modules that take part, a command line that tells what reached it, and a
build backend that links the packages of the running environment instead of fetching them.
"""

from __future__ import annotations

import ast
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import time
import tomllib
import venv
from importlib import metadata
from pathlib import Path

import pytest

from agent_soul import bootstrap, environment, requirements
from agent_soul.errors import StoppedError
from agent_soul.hub import open_hub
from offline import PROJECT, make_installable, write_backend

REPOSITORY = Path(__file__).resolve().parent.parent
MODULES = (
    "__init__",
    "__main__",
    "start",
    "bootstrap",
    "environment",
    "requirements",
    "toolkit",
    "hub",
    "lock",
    "errors",
)
COMMAND_OF_SCRIPT = {
    "add_event.py": ["add"],
    "compile_memory_hub.py": ["compile"],
    "compile_and_sync.sh": ["compile", "--apply"],
    "dedup_profile.py": ["dedup", "--scope", "profile"],
    "memory_op.py": ["memory"],
    "prune_fuzzy.py": ["prune"],
    "quick_share.py": ["share"],
    "quick_share.sh": ["share"],
    "search_events.py": ["search"],
    "soul.py": [],
    "validate_sources.py": ["validate"],
}
EXIT_CODE = 7
COMMAND_LINE = f"""
import json, os, sys
def main(argv=None):
    print(json.dumps({{"argv": sys.argv[1:] if argv is None else argv, "stdin": sys.stdin.read(), "prefix": sys.prefix,
                      "hub": os.environ["AGENT_SOUL_SCRIPT_HUB"], "pid": os.getpid(), "code": __file__,
                      "named": os.environ["AGENT_SOUL_INVOKED_AS"],
                      "left": sorted({{"PYTHONPATH", "AGENT_SOUL_SENT_TO"}} & set(os.environ))}}))
    return {EXIT_CODE}
"""


@pytest.fixture(scope="session")
def bare_python(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return an interpreter that has nothing but the standard library."""
    folder = tmp_path_factory.mktemp("bare")
    venv.create(folder, symlinks=True)
    return folder / "bin" / "python"


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    root = tmp_path / "my hub"
    package = root / "src" / "agent_soul"
    package.mkdir(parents=True)
    for name in MODULES:
        shutil.copy(REPOSITORY / "src" / "agent_soul" / f"{name}.py", package)
    (package / "cli.py").write_text(COMMAND_LINE)
    shutil.copytree(REPOSITORY / "scripts", root / "scripts", ignore=shutil.ignore_patterns("__pycache__"))
    make_installable(root)
    (root / ".gitignore").write_text("__pycache__/\n")
    git(root, "init", "--quiet")
    git(root, "add", ".")
    git(root, "-c", "user.name=t", "-c", "user.email=t@example.org", "commit", "--quiet", "--message=all")
    return root


def git(root: Path, *arguments: str) -> str:
    variables = {"PATH": os.environ["PATH"], "HOME": str(root.parent), "GIT_CONFIG_NOSYSTEM": "1"}
    return subprocess.run(
        ["git", *arguments], cwd=root, env=variables, check=True, capture_output=True, text=True
    ).stdout


def variables(root: Path, **more: str) -> dict[str, str]:
    """Return a fresh machine's environment variables, with pip cut off from every registry."""
    home = root.parent / "home"
    home.mkdir(exist_ok=True)
    cut_off = {"PIP_NO_INDEX": "1", "PIP_CONFIG_FILE": os.devnull}
    return {"HOME": str(home), "PATH": "/usr/bin:/bin", **cut_off, **more}


def start(python: Path, script: Path, *arguments: str, **options: object) -> subprocess.Popen[str]:
    root = script.resolve().parent.parent
    settings = {
        "env": variables(root),
        "stdin": subprocess.PIPE,
        "stdout": subprocess.PIPE,
        "stderr": subprocess.PIPE,
    }
    return subprocess.Popen([python, script, *arguments], text=True, **(settings | options))  # type: ignore[call-overload, no-any-return]


def finish(process: subprocess.Popen[str], stdin: str = "") -> tuple[dict[str, object], str]:
    """Return what the command line saw and what was said on stderr."""
    stdout, stderr = process.communicate(stdin, timeout=120)
    assert process.returncode == EXIT_CODE, stderr
    return json.loads(stdout), stderr


def home_of(root: Path) -> Path:
    return root / ".git" / "agent-soul" / "venv"


def environments(root: Path) -> list[Path]:
    return sorted(home_of(root).glob("env-*"))


# --- the whole way ----------------------------------------------------------------------------------------


def test_first_run_sets_up_and_second_run_starts_at_once(checkout: Path, bare_python: Path, tmp_path: Path) -> None:
    script = checkout / "scripts" / "add_event.py"

    process = start(bare_python, script, "--source", "a b", "中文\n", cwd=tmp_path)
    seen, said = finish(process, stdin="from the pipe\n")

    assert seen["argv"] == ["add", "--source", "a b", "中文\n"]
    assert seen["stdin"] == "from the pipe\n"
    assert seen["hub"] == str(checkout)
    assert seen["pid"] == process.pid
    [made] = environments(checkout)
    assert seen["prefix"] == str(made)
    assert said.count("setting up") == 1
    assert re.findall(r"\d/3", said) == ["1/3", "2/3", "3/3"]

    link = tmp_path / "remember"
    link.symlink_to(script)
    other_packages = tmp_path / "of another Python"
    other_packages.mkdir()
    for name in bootstrap.NEEDED:
        (other_packages / f"{name}.py").write_text("raise ImportError('not for this Python')")
    confusing = variables(checkout, PYTHONPATH=str(other_packages), VIRTUAL_ENV="/nowhere", PYTHONSAFEPATH="1")
    again, said_again = finish(start(bare_python, link, "x", cwd="/", env=confusing))

    assert said_again == ""
    assert again["left"] == []
    assert (again["argv"], again["prefix"], again["hub"]) == (["add", "x"], str(made), str(checkout))
    assert git(checkout, "status", "--short") == ""


def test_a_hook_waits_for_no_set_up(checkout: Path, bare_python: Path) -> None:
    def hook() -> tuple[str, str]:
        process = start(bare_python, checkout / "scripts" / "soul.py", "hook", "stop", env=variables(checkout))
        out, said = process.communicate(timeout=60)
        assert process.returncode == 0
        return out, said

    began = time.monotonic()
    assert hook() == ("", "soul hook: not set up here yet; that is being done now, for the next session\n")
    assert time.monotonic() - began < 5
    wait_until(lambda: found(checkout) != "")
    assert json.loads(hook()[0])["argv"] == ["hook", "stop"]


def test_two_first_runs_make_one_environment(checkout: Path, bare_python: Path) -> None:
    script = checkout / "scripts" / "add_event.py"

    processes = [start(bare_python, script, str(number), stdin=subprocess.DEVNULL) for number in range(2)]
    seen, said = zip(*map(finish, processes), strict=True)

    [made] = environments(checkout)
    assert {run["prefix"] for run in seen} == {str(made)}
    assert sorted(text.count("waiting for it") for text in said) == [0, 1]
    assert sorted(text.count("setting up a Python") for text in said) == [0, 1]


def test_killed_set_up_and_an_environment_that_lost_a_package_are_swept_and_one_is_made(
    checkout: Path, bare_python: Path
) -> None:
    """A package is lost as after an upgrade of its Python, which then looks for packages in another folder."""
    script = checkout / "scripts" / "add_event.py"
    process = start(bare_python, script, start_new_session=True)
    wait_until(lambda: any(home_of(checkout).glob("env-*/bin/python")))
    os.killpg(process.pid, signal.SIGKILL)
    process.communicate()
    [half_made] = environments(checkout)
    broken = home_of(checkout) / "env-broken"
    venv.create(broken, symlinks=True)
    (broken / bootstrap.STAMP).write_text(bootstrap.stamp_text(str(checkout), ()))

    seen, said = finish(start(bare_python, script), stdin="kept")

    assert seen["stdin"] == "kept"
    assert said.count("setting up") == 1
    assert environments(checkout) == [Path(str(seen["prefix"]))]
    assert not half_made.exists()
    assert not broken.exists()


def test_without_a_registry_it_says_so_and_leaves_nothing(checkout: Path, bare_python: Path) -> None:
    (checkout / "pyproject.toml").write_text(PROJECT.replace("requires = []", 'requires = ["hatchling>=1.24"]'))

    process = start(bare_python, checkout / "scripts" / "add_event.py")
    stdout, stderr = process.communicate(timeout=120)

    assert (process.returncode, stdout) == (5, "")
    assert "the package registry was not reached" in stderr
    assert "Traceback" not in stderr
    assert environments(checkout) == []


def test_state_that_cannot_be_written_is_named(checkout: Path, bare_python: Path) -> None:
    (checkout / ".git" / "agent-soul").write_text("a file where the folder should be")

    process = start(bare_python, checkout / "scripts" / "add_event.py")
    _, stderr = process.communicate(timeout=120)

    assert process.returncode == 5
    assert str(home_of(checkout)) in stderr
    assert "Traceback" not in stderr


def wait_until(condition: object, seconds: float = 60) -> None:
    deadline = time.monotonic() + seconds
    while not condition():  # type: ignore[operator]
        assert time.monotonic() < deadline, "it never happened"
        time.sleep(0.02)


# --- which environment is used -----------------------------------------------------------------------------


@pytest.fixture
def ready(checkout: Path) -> Path:
    """Return a ready environment of the checkout, as far as a look-up can tell."""
    folder = home_of(checkout) / "env-ready"
    (folder / "bin").mkdir(parents=True)
    (folder / "bin" / "python").symlink_to(sys.executable)
    (folder / bootstrap.STAMP).write_text(bootstrap.stamp_text(str(checkout), ()))
    return folder


def found(root: Path, *groups: str, broken: str = "") -> str:
    return bootstrap.find_python(str(home_of(root)), str(root), groups, broken)


def test_ready_environment_is_found(checkout: Path, ready: Path) -> None:
    assert found(checkout) == str(ready / "bin" / "python")


def test_environment_without_stamp_is_not_used(checkout: Path, ready: Path) -> None:
    (ready / bootstrap.STAMP).unlink()
    assert found(checkout) == ""


def test_changed_requirements_make_it_stale(checkout: Path, ready: Path) -> None:
    (checkout / "pyproject.toml").write_text(PROJECT + "# pulled\n")
    assert found(checkout) == ""


def test_moved_checkout_makes_it_stale(checkout: Path, ready: Path) -> None:
    assert found(checkout.rename(checkout.with_name("moved"))) == ""


def test_removed_interpreter_makes_it_stale(checkout: Path, ready: Path) -> None:
    (ready / "bin" / "python").unlink()
    (ready / "bin" / "python").symlink_to("/usr/bin/python3.11-removed")
    assert found(checkout) == ""


def test_environment_for_other_groups_is_another_one(checkout: Path, ready: Path) -> None:
    assert found(checkout, "extra") == ""


def test_broken_environment_is_not_found_again(checkout: Path, ready: Path) -> None:
    assert found(checkout, broken=str(ready / "bin" / "python")) == ""


def test_the_usual_place_is_what_the_hub_says(checkout: Path) -> None:
    assert open_hub(checkout).state / "venv" == home_of(checkout)


def test_the_usual_place_needs_no_slow_import(checkout: Path, ready: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "agent_soul.environment", None)
    assert bootstrap._private_python(str(checkout), ()) == str(ready / "bin" / "python")


def test_sweep_keeps_the_last_environment_and_other_checkouts(checkout: Path, ready: Path, tmp_path: Path) -> None:
    def put(name: str, root: Path, age: int) -> Path:
        folder = home_of(checkout) / f"env-{name}"
        folder.mkdir()
        stamp = folder / bootstrap.STAMP
        stamp.write_text(f"{root}\n\nanything")
        os.utime(stamp, (0, age))
        return folder

    older, gone, worktree = (
        put("older", checkout, 1),
        put("gone", tmp_path / "gone", 2),
        put("tree", tmp_path, 3),
    )
    (home_of(checkout) / "env-unfinished").mkdir()

    environment._sweep(home_of(checkout))

    assert environments(checkout) == sorted([ready, worktree])
    assert not older.exists()
    assert not gone.exists()


# --- scripts -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", COMMAND_OF_SCRIPT)
def test_script_runs_its_command(name: str, checkout: Path, tmp_path: Path) -> None:
    programs = tmp_path / "programs"
    programs.mkdir()
    (programs / "python3").write_text(f'#!/bin/sh\nexec "{sys.executable}" "$@"\n')
    (programs / "python3").chmod(0o755)
    interpreter = Path("/bin/bash") if name.endswith(".sh") else Path(sys.executable)
    (checkout / "pyproject.toml").write_bytes((REPOSITORY / "pyproject.toml").read_bytes())

    process = start(
        interpreter,
        checkout / "scripts" / name,
        "--flag",
        "two words",
        env=variables(
            checkout, PATH=f"{programs}:/usr/bin:/bin", PYTHONHOME="/nowhere" if name.endswith(".sh") else ""
        ),
    )
    seen, said = finish(process, stdin="in")

    assert seen["argv"] == [*COMMAND_OF_SCRIPT[name], "--flag", "two words"]
    assert (seen["stdin"], seen["prefix"], said) == ("in", sys.prefix, "")
    words, script = str(seen["named"]).split(" ", 1)
    assert (words, Path(script.strip('"')).samefile(checkout / "scripts" / "soul.py")) == ("python3", True)


def test_every_script_is_tested() -> None:
    others = {"private_python.py", "real_clients.sh", "soak.sh", "start.sh", "test.sh"}
    assert {path.name for path in (REPOSITORY / "scripts").iterdir() if path.is_file()} == {
        *COMMAND_OF_SCRIPT,
        *others,
    }


@pytest.mark.parametrize("path", sorted((REPOSITORY / "scripts").glob("*.py")), ids=lambda path: path.name)
def test_script_has_no_logic(path: Path) -> None:
    body = ast.parse(path.read_text()).body
    assert [type(node).__name__ for node in body] == [
        "Expr",
        "Import",
        "Import",
        "Expr",
        "Expr",
        "ImportFrom",
        "Expr",
    ]


# --- what is run ---------------------------------------------------------------------------------------------


@pytest.fixture
def elsewhere(checkout: Path, tmp_path: Path) -> Path:
    """Return another checkout of the package, with a commit."""
    root = tmp_path / "elsewhere"
    shutil.copytree(checkout, root, ignore=shutil.ignore_patterns(".git"))
    write_backend(root)
    git(root, "init", "--quiet")
    git(root, "add", ".")
    git(root, "-c", "user.name=t", "-c", "user.email=t@example.org", "commit", "--quiet", "--message=all")
    return root


def test_a_toolkit_in_another_folder_is_run(checkout: Path, elsewhere: Path, bare_python: Path, tmp_path: Path) -> None:
    (checkout / "soul.yaml").write_text("template: false\ntoolkit:\n  path: ../elsewhere\n")
    # The folder that a command is started in may hold anything.
    (tmp_path / "agent_soul").mkdir()
    (tmp_path / "agent_soul" / "__init__.py").write_text("raise SystemExit('the wrong one')")

    script = checkout / "scripts" / "add_event.py"
    seen, _ = finish(start(bare_python, script, "--kind", "fact", cwd=tmp_path), stdin="from the pipe\n")

    assert seen["code"] == str(elsewhere / "src" / "agent_soul" / "cli.py")
    assert (seen["argv"], seen["stdin"]) == (["add", "--kind", "fact"], "from the pipe\n")
    assert seen["hub"] == str(checkout)
    assert len(environments(checkout)) == 1
    _, said = finish(start(bare_python, script))
    assert said == ""


def test_a_toolkit_of_one_commit_is_run(checkout: Path, elsewhere: Path, bare_python: Path) -> None:
    commit = git(elsewhere, "rev-parse", "HEAD").strip()
    (elsewhere / "src" / "agent_soul" / "cli.py").write_text("raise SystemExit('a later one')")
    (checkout / "soul.yaml").write_text(f"toolkit: {{git: file://{elsewhere}, commit: {commit}}}\n")

    seen, _ = finish(start(bare_python, checkout / "scripts" / "soul.py", "status"))

    assert Path(str(seen["code"])).is_relative_to(home_of(checkout))
    assert seen["argv"] == ["status"]


def test_another_toolkit_makes_it_stale(checkout: Path, ready: Path) -> None:
    (checkout / "soul.yaml").write_text("toolkit: {path: .} # said, not changed\nfuzzy_days: 3\n")
    (ready / bootstrap.STAMP).write_text(bootstrap.stamp_text(str(checkout), ()))
    assert found(checkout) != ""

    (checkout / "soul.yaml").write_text("toolkit: {path: .} # said, not changed\nfuzzy_days: 4\n")
    assert found(checkout) != ""
    (checkout / "soul.yaml").write_text('toolkit: {version: "1.2"}\nfuzzy_days: 4\n')
    assert found(checkout) == ""

    (ready / bootstrap.STAMP).write_text(bootstrap.stamp_text(str(checkout), ()))
    assert found(checkout) != ""
    (checkout / "soul.yaml").write_text('toolkit: {version: "1.3"}\nfuzzy_days: 4\n')
    assert found(checkout) == ""


def test_nonsense_is_refused_before_anything_is_made(checkout: Path, bare_python: Path) -> None:
    text = 'toolkit:\n  path: "../nowhere"\n\n# Days that a fuzzy memory is shown.\nfuzzy_days: 7\n'
    (checkout / "soul.yaml").write_text(text)

    process = start(bare_python, checkout / "scripts" / "soul.py")
    out, said = process.communicate(timeout=60)

    assert (process.returncode, out) == (5, "")
    assert "the toolkit is in '../nowhere', and " in said
    assert "nowhere holds no agent-soul\n  clone agent-soul into that folder, or write in soul.yaml " in said
    assert "Days" not in said
    assert not home_of(checkout).exists()


HASH = "0123456789abcdef0123456789abcdef01234567"


@pytest.mark.parametrize(
    ("text", "arguments"),
    [
        ('toolkit: {version: "1.2"}', ["agent-soul==1.2"]),
        ("toolkit: {version: 1.2.3}  # the first with search", ["agent-soul==1.2.3"]),
        ("\ufefftoolkit:\n\n  # ours\n  version: '2.0rc1'\npages: {}", ["agent-soul==2.0rc1"]),
        (
            f"toolkit: {{git: https://example.org/soul.git, commit: {HASH}}}",
            [f"git+https://example.org/soul.git@{HASH}"],
        ),
        (
            f"toolkit:\n  commit: {HASH}\n  git: ssh://git@example.org/soul.git\n",
            [f"git+ssh://git@example.org/soul.git@{HASH}"],
        ),
    ],
)
def test_what_is_installed(text: str, arguments: list[str], tmp_path: Path) -> None:
    (tmp_path / "soul.yaml").write_text(text, encoding="utf-8")
    assert requirements.install_target(str(tmp_path)) == arguments


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ('toolkit: {version: "1.2"}', ["agent-soul[mcp]==1.2"]),
        *(
            (f"toolkit: {{git: {url}, commit: {HASH}}}", [f"git+{url}@{HASH}", "agent-soul[mcp]"])
            for url in ("https://example.org/soul.git", "ssh://git@example.org/soul.git", "file:///srv/soul.git")
        ),
    ],
)
def test_a_package_from_elsewhere_comes_with_its_extra(text: str, wanted: list[str], tmp_path: Path) -> None:
    """An old pip takes no `NAME[EXTRA] @ git+file:///…`."""
    (tmp_path / "soul.yaml").write_text(text, encoding="utf-8")
    assert requirements.install_target(str(tmp_path), ("mcp",)) == wanted


def test_a_checkout_comes_with_the_packages_of_its_extra(checkout: Path) -> None:
    shutil.copy(REPOSITORY / "pyproject.toml", checkout)
    project = tomllib.loads((REPOSITORY / "pyproject.toml").read_text())
    (wanted,) = project["project"]["optional-dependencies"]["mcp"]
    assert project["dependency-groups"]["mcp"] == [wanted]
    assert requirements.install_target(str(checkout), ("mcp",)) == ["--editable", str(checkout), wanted]


@pytest.mark.parametrize(
    ("words", "extras"),
    [
        (["mcp", "--source", "a-b"], ("mcp",)),
        (["--hub", "mcp", "mcp"], ("mcp",)),
        (["--hub=x", "mcp"], ("mcp",)),
        (["--hub", "mcp"], ()),
        (["search", "mcp"], ()),
        (["--hub", "x", "search", "mcp"], ()),
        ([], ()),
    ],
)
def test_the_command_says_which_extra_it_needs(words: list[str], extras: tuple[str, ...]) -> None:
    assert bootstrap._extras_of(words) == extras


def test_a_python_without_the_extra_does_not_fit(checkout: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (checkout / "pyproject.toml").write_text('[project]\ndependencies = []\n[dependency-groups]\nmcp = ["pytest>=1"]\n')
    find_spec = bootstrap.PathFinder.find_spec
    monkeypatch.setattr(bootstrap.PathFinder, "find_spec", lambda name: name != "mcp" and find_spec(name))
    assert bootstrap._fits_here(str(checkout), ())
    assert not bootstrap._fits_here(str(checkout), ("mcp",))


@pytest.mark.parametrize("text", [None, "", "fuzzy_days: 3\n", "# toolkit: {path: ../x}\n", "toolkit: {path: .}\n"])
def test_without_another_word_the_checkout_is_installed(text: str | None, checkout: Path) -> None:
    if text is not None:
        (checkout / "soul.yaml").write_text(text)
    assert requirements.install_target(str(checkout)) == ["--editable", str(checkout)]


@pytest.mark.parametrize(
    "text",
    [
        "toolkit: 1.2",
        "toolkit: {version: 1.2}",  # YAML makes a number of it, and 1.10 would be 1.1
        "toolkit: {version: latest}",
        'toolkit: {version: "1.2 --index-url=https://example.org"}',
        'toolkit: {version: "1.2", path: .}',
        "toolkit: {git: https://example.org/soul.git}",
        "toolkit: {git: https://example.org/soul.git, commit: main}",
        f"toolkit: {{git: git@example.org:soul.git, commit: {HASH}}}",
        f"toolkit: {{git: https://example.org/soul.git@main, commit: {HASH}}}",
        f"toolkit: {{git: ext::sh, commit: {HASH}}}",
        "toolkit: {path: .",
        "toolkit:\n- path: .",
        "toolkit:",
        "toolkit: {path: &here .}\n",
        "toolkit: {path: .}\ntoolkit: {path: ..}",
        '"toolkit": {path: .}',
        "{toolkit: {path: .}}",
    ],
)
def test_what_names_no_toolkit_is_quoted(text: str, checkout: Path) -> None:
    (checkout / "soul.yaml").write_text(f"template: false\n{text}\n")
    with pytest.raises(StoppedError) as refused:
        requirements.install_target(str(checkout))
    assert repr(text.strip()) in refused.value.message
    assert "toolkit: {path: FOLDER}" in refused.value.hint


# --- old Pythons -------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "path",
    [
        *(REPOSITORY / "scripts").glob("*.py"),
        *(REPOSITORY / "src/agent_soul" / f"{n}.py" for n in ("__init__", "bootstrap")),
    ],
    ids=lambda path: path.name,
)
def test_old_python_can_read_it(path: Path) -> None:
    tree = ast.parse(path.read_text(), feature_version=(3, 6))
    imported = {node.module for node in tree.body if isinstance(node, ast.ImportFrom)}
    imported |= {alias.name for node in tree.body if isinstance(node, ast.Import) for alias in node.names}
    assert imported <= {"agent_soul.bootstrap", "importlib.machinery", "os", "os.path", "sys"}


def test_newest_python_that_starts_is_taken(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, command in {
        "python3.13": "exit 127",
        "python3.12": f'exec "{sys.executable}" "$@"',
        "python3.11": "exit 1",
    }.items():
        (tmp_path / name).write_text(f"#!/bin/sh\n{command}\n")
        (tmp_path / name).chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))

    assert bootstrap._newer_python() == str(tmp_path / "python3.12")


def test_without_a_new_python_it_says_what_to_install(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))

    with pytest.raises(SystemExit) as ended:
        bootstrap._newer_python()

    assert ended.value.code == 5
    assert "needs Python 3.11 or newer" in capsys.readouterr().err


# --- requirements ------------------------------------------------------------------------------------------


def test_needed_modules_are_those_of_the_dependencies() -> None:
    distributions = metadata.packages_distributions()
    provided = {name.lower().replace("_", "-") for module in bootstrap.NEEDED for name in distributions[module]}
    project = tomllib.loads((REPOSITORY / "pyproject.toml").read_text())["project"]
    assert {re.split("[^A-Za-z0-9-]", wanted)[0].lower() for wanted in project["dependencies"]} == provided


def project_with(root: Path, text: str) -> str:
    (root / "pyproject.toml").write_text(text)
    return str(root)


@pytest.mark.parametrize(
    ("wanted", "met"),
    [
        ("pytest>=1.0", True),
        ("pytest>=999", False),
        ("pytest>=1.0,<999", True),
        ("pytest>=1.0,<2", False),
        ("no-such-thing>=1", False),
        ("pytest~=1.0", False),
    ],
)
def test_running_python_is_judged_by_versions(wanted: str, met: bool, tmp_path: Path) -> None:
    root = project_with(tmp_path, f'[project]\ndependencies = ["{wanted}"]\n')
    assert requirements.are_met(root) is met


def test_groups_bring_the_groups_they_include(tmp_path: Path) -> None:
    text = '[dependency-groups]\na = ["one>=1", { include-group = "b" }]\nb = ["two"]\n'
    assert requirements.of_groups(project_with(tmp_path, text), ("a",)) == ["one>=1", "two"]


def test_unknown_group_is_refused(tmp_path: Path) -> None:
    with pytest.raises(StoppedError, match="'c'") as refused:
        requirements.of_groups(project_with(tmp_path, "[dependency-groups]\na = []\n"), ("c",))
    assert "a" in refused.value.hint


def test_broken_project_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(StoppedError, match=re.escape(str(tmp_path / "pyproject.toml"))):
        requirements.are_met(project_with(tmp_path, "["))
