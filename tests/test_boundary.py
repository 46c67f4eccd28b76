"""Where the command line meets the system: broken streams, refused files, interrupts, locales."""

from __future__ import annotations

import functools
import json
import os
import shutil
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

import pytest

from agent_soul.interrupts import held_back, load_native
from support import Soul, git

SOUL = f"{sys.executable} -m agent_soul"
ADD = "add --source s-one --kind fact --scope stable --summary"
IN_PROJECT = ADD.replace("stable", "project")
OLD = f"{ADD} 'An old one.' --valid-until 2020-01-01"

pytestmark = pytest.mark.skipif(os.name == "nt", reason="shells, signals and permissions of POSIX systems")
needs_full = pytest.mark.skipif(not Path("/dev/full").exists(), reason="Linux has /dev/full")


def shell(hub: Path, command: str, env: Mapping[str, str] | None = None) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        ["bash", "-c", command], cwd=hub, env={**os.environ, **(env or {})}, capture_output=True, text=True, check=False
    )


@needs_full
class TestBrokenStreams:
    """Talk that nobody can hear is dropped: the exit code is that of the work."""

    @pytest.mark.parametrize("stderr", ["2>/dev/full", "2> >(true)", "2>&-"])
    @pytest.mark.parametrize(
        "command", [f"{SOUL} {OLD}", f'printf \'{{}}\\n{{"summary":"Good."}}\\n\' | {SOUL} add --stdin --source s-one']
    )
    def test_an_event_is_kept_and_printed(self, git_hub: Path, command: str, stderr: str) -> None:
        bulk = "--stdin" in command
        options = " --kind fact --scope stable" if bulk else ""

        done = shell(git_hub, f"{command}{options} {stderr}")

        assert done.returncode == (1 if bulk else 0), done.stderr
        assert json.loads(done.stdout)["ok"] is not bulk
        assert len(list((git_hub / "sources" / "s-one").iterdir())) == 1

    @pytest.mark.parametrize("streams", ["2>/dev/full", ">/dev/full 2>/dev/full", "2> >(true)"])
    @pytest.mark.parametrize("command", [OLD, "compile", "compile --apply", "share --source s-one More."])
    def test_work_that_is_done_ends_with_0(self, git_hub: Path, command: str, streams: str) -> None:
        assert shell(git_hub, f"{SOUL} {command} {streams}").returncode == 0

    @pytest.mark.parametrize("streams", ["2>/dev/full", "2> >(true)"])
    def test_a_refusal_keeps_its_exit_code_and_its_object(self, git_hub: Path, streams: str) -> None:
        done = shell(git_hub, f"{SOUL} search --json --scope nowhere x {streams}")

        assert done.returncode == 2
        assert json.loads(done.stdout)["ok"] is False

    def test_a_full_stdout_does_not_hide_the_reason(self, git_hub: Path) -> None:
        done = shell(git_hub, f"{SOUL} search --json --scope nowhere x >/dev/full")

        assert done.returncode == 2
        assert "nowhere" in done.stderr


Run = Callable[..., subprocess.CompletedProcess[str]]


# Root may open everything; without these capabilities permissions hold for it as for anybody.
_LIKE_ANYBODY = ("setpriv", "--bounding-set=-dac_override,-dac_read_search")


@pytest.fixture
def anybody(git_hub: Path) -> Iterator[tuple[Path, Run]]:
    """Return a hub with one event and a function that runs the command line as a user whom permissions bind."""
    is_root = os.geteuid() == 0
    if is_root and not shutil.which("setpriv"):
        pytest.skip("root may read everything, and setpriv is not installed to change that")

    def soul(command: str, *, before: str = "") -> subprocess.CompletedProcess[str]:
        program = [sys.executable, "-m", "agent_soul", "--hub", str(git_hub), *command.split()]
        shell = [*(_LIKE_ANYBODY if is_root else ()), "bash", "-c", f'{before} exec "$@"', "-", *program]
        done = subprocess.run(shell, cwd=git_hub.parent, capture_output=True, text=True, check=False)
        print(command, done.returncode, done.stdout, done.stderr)
        assert "Traceback" not in done.stderr
        assert "bug" not in done.stdout + done.stderr
        return done

    assert soul(f"{ADD} Statement-one.").returncode == 0
    assert soul("compile --apply").returncode == 0
    yield git_hub, soul
    subprocess.run(["chmod", "-R", "u+rwX", str(git_hub)], check=True)


class TestRefusedBySystem:
    """What the system refuses is named with its path and a remedy; it is never a bug of ours."""

    @pytest.mark.parametrize(
        ("closed", "ends"),
        [
            (".git/agent-soul", {"validate": 5, "compile --check": 5, "compile": 5, "share --source s-one More": 5}),
            (".git/agent-soul/outbox", {"validate": 5, "compile --check": 5, "compile": 5}),
            ("canonical", {"compile": 5, "compile --check": 5, "search statement": 5, "why statement": 5}),
            (".", {"compile": 2, "validate": 2, "search statement": 2, f"{ADD} More.": 2}),
        ],
    )
    def test_a_closed_folder_is_named(self, anybody: tuple[Path, Run], closed: str, ends: Mapping[str, int]) -> None:
        hub, soul = anybody
        (hub / closed).chmod(0)
        for command, code in ends.items():
            done = soul(command)
            assert done.returncode == code
            assert str(hub / closed) in done.stderr
            assert "\n  → " in done.stderr

    @pytest.mark.parametrize("closed", ["sources/s-one", "sources/s-one/FILE", "sources"])
    def test_a_closed_part_of_the_log_stops_nothing_else(self, anybody: tuple[Path, Run], closed: str) -> None:
        hub, soul = anybody
        file = next((hub / "sources" / "s-one").iterdir())
        place = hub / closed.replace("FILE", file.name)
        place.chmod(0)
        (hub / "canonical" / "stable-memory.md").unlink()

        done = soul("compile --apply")

        place.chmod(0o755)
        assert done.returncode == 0
        assert f"left out: {closed.replace('FILE', file.name)}" in done.stderr
        assert file.name in git(hub, "-c", "safe.directory=*", "ls-tree", "-r", "HEAD", "sources")

    @pytest.mark.parametrize("limit", [12, 9, 8, 7, 6, 5])
    def test_too_few_open_files(self, anybody: tuple[Path, Run], limit: int) -> None:
        _, soul = anybody
        for command in ("compile", "compile --apply", "search statement"):
            done = soul(command, before=f"ulimit -n {limit};")
            assert done.returncode in (0, 4, 5)
            assert done.returncode == 0 or "ulimit -n" in done.stderr


class TestInterrupts:
    @pytest.mark.parametrize("imported", ["click", "json", "agent_soul.cli", "agent_soul.compiler", "yaml"])
    def test_ctrl_c_during_an_import(self, hub: Path, tmp_path: Path, imported: str) -> None:
        (tmp_path / "sitecustomize.py").write_text(INTERRUPTING, encoding="utf-8")
        places = f"{tmp_path}{os.pathsep}{os.environ.get('PYTHONPATH', '')}"
        env = {**os.environ, "PYTHONPATH": places, "INTERRUPT_AT": imported}

        # What runs in the background of a script inherits that Ctrl-C is ignored.
        listening = functools.partial(signal.signal, signal.SIGINT, signal.SIG_DFL)
        done = subprocess.run(
            [*SOUL.split(), "compile"], cwd=hub, env=env, capture_output=True, text=True, preexec_fn=listening
        )

        assert done.returncode == 128 + signal.SIGINT
        assert done.stderr == ""

    @pytest.mark.parametrize(
        ("imported", "calls"),
        [
            ("uuid", "strict_json.expect_many(); strict_json.load_object(b'{}')"),
            ("uuid", "strict_json.expect_many(); event.serialise({})"),
            ("decimal", "schemas.compiled_validator('event')"),
        ],
    )
    def test_ctrl_c_while_a_native_module_takes_what_it_needs(self, tmp_path: Path, imported: str, calls: str) -> None:
        """It would end the process by a signal, or with a panic of its own, where an exception met it."""
        program = f"{INTERRUPTING}\nfrom agent_soul import event, schemas, strict_json\nsys.modules.pop('uuid', None)\n"
        listening = functools.partial(signal.signal, signal.SIGINT, signal.SIG_DFL)
        program += f"try:\n    {calls}\nexcept KeyboardInterrupt:\n    print('interrupted')"
        env = {**os.environ, "INTERRUPT_AT": imported}
        done = subprocess.run(
            [sys.executable, "-c", program], env=env, capture_output=True, text=True, preexec_fn=listening
        )

        assert (done.returncode, done.stdout, done.stderr) == (0, "interrupted\n", "")


def test_ctrl_c_waits_until_what_may_not_be_interrupted_has_ended() -> None:
    done = []

    def work() -> None:
        with held_back():
            signal.raise_signal(signal.SIGINT)
            done.append("the rest")

    with pytest.raises(KeyboardInterrupt):
        work()
    assert done == ["the rest"]
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_outside_the_main_thread_ctrl_c_stays_what_it_is() -> None:
    found = []
    with held_back():
        outside = threading.Thread(target=lambda: found.append(load_native("json").dumps([])))
        outside.start()
        outside.join()

    assert found == ["[]"]
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


# Ctrl-C at the moment in which a module is imported.
INTERRUPTING = """
import os, signal, sys

class Interrupter:
    def find_spec(self, name, path=None, target=None):
        if name == os.environ["INTERRUPT_AT"] and "agent_soul" in sys.modules:
            os.environ["INTERRUPT_AT"] = ""
            os.kill(os.getpid(), signal.SIGINT)

sys.meta_path.insert(0, Interrupter())
"""


@pytest.fixture(scope="module")
def locales(tmp_path_factory: pytest.TempPathFactory) -> Path:
    if not shutil.which("localedef"):
        pytest.skip("localedef, which makes locales, is not installed")
    folder = tmp_path_factory.mktemp("locales")
    for language, encoding in (("zh_CN", "GBK"), ("en_US", "ISO-8859-1")):
        command = ["localedef", "-i", language, "-f", encoding, str(folder / f"{language}.{encoding}")]
        if subprocess.run(command, capture_output=True).returncode:
            pytest.skip(f"localedef cannot make {language}.{encoding}")
    return folder


@pytest.mark.parametrize(
    "locale",
    [
        {"LC_ALL": "zh_CN.GBK"},
        {"LC_ALL": "en_US.ISO-8859-1"},
        {"LC_ALL": "POSIX", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"},
        {"LC_ALL": "C"},
    ],
    ids=lambda locale: locale["LC_ALL"],
)
@pytest.mark.parametrize("how", ["module", "script"])
def test_every_locale_gives_the_same_bytes(
    git_hub: Path, soul: Soul, locales: Path, locale: Mapping[str, str], how: str
) -> None:
    """Arguments that are split anywhere by an encoding of two bytes, a name of such, and one that is no UTF-8."""
    root = Path(__file__).parents[1]
    command = SOUL if how == "module" else f"{sys.executable} {root}/scripts/soul.py --hub {git_hub}"
    env = {"LOCPATH": str(locales), "PYTHONWARNINGS": "default", **locale}
    text = "用户喜欢茶é☕"

    for what in (f"{IN_PROJECT} {text}中 --project 中文项目", "compile --apply"):
        done = shell(git_hub, f"{command} {what}", env)
        assert done.returncode == 0, done

    assert (git_hub / "canonical" / "projects" / "中文项目.md").is_file()
    assert f"{text}中" in next((git_hub / "sources" / "s-one").iterdir()).read_text(encoding="utf-8")
    assert "中文项目.md" in git(git_hub, "-c", "core.quotePath=false", "ls-tree", "-r", "--name-only", "HEAD")
    soul("compile", "--check")


class TestWhyBeforeAnyCommit:
    @pytest.mark.parametrize("has_git", [True, False])
    def test_it_names_page_event_and_file(self, hub: Path, soul: Soul, tmp_path: Path, has_git: bool) -> None:
        git(hub, "init", "-q", "-b", "main")
        soul(*ADD.split(), "We use pnpm.")
        soul("compile")
        env = {} if has_git else {"PATH": str(tmp_path)}

        told = soul("why", "pnpm", env=env).stdout
        fields = json.loads(soul("why", "pnpm", "--json", env=env).stdout)["results"][0]

        assert "canonical/stable-memory.md" in told
        assert "sources/s-one/" in told
        assert ("none yet" in told) is has_git
        assert ("git is not installed" in told) is not has_git
        assert fields["commit"] is None


def test_messages_name_the_command_that_can_be_typed(soul: Soul) -> None:
    """Who starts a script has no `soul` on PATH, and a hint that ends in `command not found` helps nobody."""
    here = {"AGENT_SOUL_INVOKED_AS": "python3 scripts/soul.py"}
    wrong = soul("show", "nothing-like-it", "--json", code=2, env=here)
    assert "`python3 scripts/soul.py " in wrong.stderr
    assert "`soul " not in wrong.stderr + wrong.stdout
    assert "`python3 scripts/soul.py " in json.loads(wrong.stdout)["error"]["hint"]
    assert soul("add", "--help", env=here).stdout.startswith("Usage: python3 scripts/soul.py add ")
    assert "`soul " in soul("show", "nothing-like-it", code=2).stderr


@pytest.mark.parametrize(
    ("words", "named"),
    [
        (["share", "text", "--source"], "share"),
        (["memory", "write", "--nothing"], "memory write"),
        (["sync", "--budget"], "sync"),
    ],
)
def test_a_mistake_names_the_help_of_its_own_command(inside: Soul, words: list[str], named: str) -> None:
    assert f"see `soul {named} --help`" in inside(*words, code=2).stderr


def test_what_is_printed_names_the_command_and_the_agent_that_can_be_typed(soul: Soul, git_hub: Path) -> None:
    here = {"AGENT_SOUL_INVOKED_AS": "python3 scripts/soul.py", "AGENT_SOUL_SOURCE": "my-mac"}
    for value in ("Tokyo", "Osaka"):
        claim = ("--entity", "database", "--attribute", "place", "--value", value)
        soul("add", "--kind", "fact", "--scope", "stable", "--summary", f"It is in {value}.", *claim, env=here)
    told, fields = soul("conflicts", env=here).stdout, json.loads(soul("conflicts", "--json", env=here).stdout)
    keep = fields["conflicts"][0]["commands"]["keep"]
    assert keep.startswith("python3 scripts/soul.py resolve c-")
    assert keep in told
    assert " --source my-mac --keep " in keep
    assert "`python3 scripts/soul.py share --source my-mac " in soul("share", " ", code=2, env=here).stderr
    (git_hub / "soul.yaml").write_text("template: true\n", encoding="utf-8")
    assert "`python3 scripts/soul.py init --here`" in soul("share", "Kept.", env=here).stdout
    assert " --source YOUR-ID --keep " in soul("conflicts").stdout


def test_a_retraction_says_what_holds_again(soul: Soul) -> None:
    old, new = ("It ships on Friday, by train.", "It ships on Monday, by ship.")
    add = ("add", "--source", "a-b", "--kind", "fact", "--scope", "stable", "--summary")
    first = json.loads(soul(*add, old).stdout)["event_id"]
    second = json.loads(soul(*add, new, "--supersedes", first).stdout)["event_id"]
    take_back = ("retract", "--source", "a-b", "--reason", "It was wrong.")

    said = soul(*take_back, second).stderr.split("\n")
    assert [line for line in said if line.startswith("holds again") and line.endswith(old)]
    assert "holds again" not in soul(*take_back, first).stderr


@pytest.mark.parametrize(
    "command", ["search x --project", "search x --source", "mem search x --kind", "search x --topic"]
)
def test_bytes_that_are_no_text_are_refused(git_hub: Path, command: str) -> None:
    shell(git_hub, f"{SOUL} {ADD} 'A statement.'")
    done = shell(git_hub, f"{SOUL} {command} $'\\xff'")
    assert done.returncode == 2
    assert "holds bytes that are no UTF-8" in done.stderr
