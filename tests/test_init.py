"""`soul init`: a hub from nothing and from a hub of before, as a stranger makes it, and what is refused."""

from __future__ import annotations

import json
import os
import select
import shutil
import subprocess
import sys
import tempfile
import tomllib
from collections.abc import Callable
from pathlib import Path

import pytest

from agent_soul import toolkit
from agent_soul.cli import main
from agent_soul.errors import RefusedError
from agent_soul.files import TEMPORARY_PATTERN
from agent_soul.founding import asking, running, shipped
from agent_soul.founding.answers import Answers, filled_in
from agent_soul.founding.hub import Wishes, found_hub
from agent_soul.hub import open_hub
from agent_soul.identity import L0_FILES, UNFILLED
from agent_soul.log import parse_log, read_source_files
from agent_soul.settings import load_config
from conftest import ROOT, SHARED
from offline import make_installable
from support import git, write_log
from test_hostile_joins import KILLED

Init = Callable[..., str]
EVENT = {
    "event_id": "old-1",
    "source": "old-mac",
    "ts": "2026-03-01T09:00:00Z",
    "kind": "fact",
    "scope": "stable",
    "summary": "The build server is called Ada.",
    "fingerprint": "0123",
}


@pytest.fixture
def init(capsys: pytest.CaptureFixture[str]) -> Init:
    """Return a function that runs `soul init` in this process and returns what it prints on stdout."""

    def run(*arguments: object, code: int = 0) -> str:
        capsys.readouterr()
        done = main(["init", *map(str, arguments)])
        out, err = capsys.readouterr()
        assert done == code, err
        return out + err

    return run


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a new hub that no test changes."""
    folder = tmp_path_factory.mktemp("made") / "my soul"
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("GIT_CONFIG_GLOBAL", os.devnull)
        found_hub(folder, Wishes(Answers(name="Lin", agent="Pal", language="中文", time_zone="Asia/Shanghai")))
    return folder


def snapshot(folder: Path) -> dict[str, tuple[bytes, float]]:
    """Return every file of a folder, `.git` too, with the moment of its last change."""
    files = (file for file in folder.rglob("*") if file.is_file() and not file.is_symlink())
    return {str(file.relative_to(folder)): (file.read_bytes(), file.stat().st_mtime) for file in files}


# What is made


def test_a_new_hub_holds_everything_and_is_committed(made: Path) -> None:
    tracked = set(git(made, "ls-files").split())

    assert {"SOUL.md", "IDENTITY.md", "USER.md", "VOICE.md", "SCHEMA.md", "README.md", "soul.yaml"} <= tracked
    assert {".gitattributes", ".gitignore", "sources/.gitkeep", "canonical/index.md"} <= tracked
    assert {f".github/workflows/{name}.yml" for name in ("auto-compile", "nightly", "validate")} <= tracked
    assert not [path for path in tracked if path.startswith(("src/", "tests/", "docs/", "benchmarks/"))]
    assert git(made, "status", "--porcelain") == ""
    assert git(made, "log", "--format=%s").split("\n")[:-1] == ["A hub of agent-soul"]
    assert git(made, "symbolic-ref", "HEAD").strip() == "refs/heads/main"
    assert load_config(open_hub(made), keep=False)[0].template is False


def test_its_pages_are_those_of_its_log(made: Path, init: Init) -> None:
    assert main(["compile", "--check", "--hub", str(made)]) == 0


@pytest.mark.skipif(os.name == "nt", reason="Windows has no such bit")
def test_its_scripts_can_be_started_by_name(made: Path) -> None:
    modes = dict(reversed(row.split("\t")) for row in git(made, "ls-files", "--stage", "scripts").split("\n")[:-1])

    for path, row in modes.items():
        assert row.startswith("100755" if path.count("/") == 1 else "100644"), path


def test_answers_stand_in_the_identity_files(made: Path) -> None:
    texts = {name: (made / f"{name}.md").read_text(encoding="utf-8") for name in ("USER", "IDENTITY", "VOICE", "SOUL")}

    assert "- Name 称呼: Lin\n" in texts["USER"]
    assert "- Time zone 时区: Asia/Shanghai\n" in texts["USER"]
    assert "- Pal, in every program 各程序同名\n\n## Role" in texts["IDENTITY"]
    assert "- Answer in 回答用: 中文\n" in texts["VOICE"]
    assert texts["SOUL"].encode() == shipped.shipped_files()["SOUL.md"]


@pytest.mark.parametrize("name", Answers._fields)
def test_every_answer_has_its_place_in_the_templates(name: str) -> None:
    files = {path: content for path, content in shipped.shipped_files().items() if path.endswith(".md")}

    [(path, content)] = filled_in(files, Answers(**{name: "ANSWER {} \\1"})).items()

    before, after = files[path].decode(), content.decode()
    assert after.count("ANSWER {} \\1") == 1
    assert len(UNFILLED.findall(after)) == len(UNFILLED.findall(before)) - (name == "agent")


def test_what_ships_is_what_the_wheel_takes() -> None:
    """One list: `init` would else find in a checkout what an installed package lacks."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())
    taken = project["tool"]["hatch"]["build"]["targets"]["wheel"]["force-include"]

    assert taken == {name: f"agent_soul/founding/skeleton/{name}" for name in shipped.FROM_REPOSITORY}
    present = {file.relative_to(shipped._BESIDE).as_posix() for file in shipped._BESIDE.rglob("*") if file.is_file()}
    assert present == set(shipped.OWN)


def test_an_installed_package_ships_the_same(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As a wheel has it: the files beside the module, and no checkout around."""
    expected = shipped.shipped_files()
    package = tmp_path / "site" / "agent_soul"
    for name in shipped.SET_UP:
        copied(ROOT / "src" / "agent_soul" / name, package / name)
    for name in shipped.FROM_REPOSITORY:
        copied(ROOT / name, package / "founding" / "skeleton" / name)
    for name in shipped.OWN:
        copied(shipped._BESIDE / name, package / "founding" / "skeleton" / name)
    monkeypatch.setattr(shipped, "_PACKAGE", package)
    monkeypatch.setattr(shipped, "_BESIDE", package / "founding" / "skeleton")

    assert shipped.checkout() is None
    assert shipped.shipped_files() == expected


def copied(source: Path, target: Path) -> None:
    target.parent.mkdir(parents=True, exist_ok=True)
    shutil.copy(source, target)


def test_every_script_of_the_repository_is_shipped_or_for_its_own_work() -> None:
    own = {"private_python.py", "real_clients.sh", "soak.sh", "test.sh"}
    there = {path.name for path in (ROOT / "scripts").iterdir() if path.is_file()}

    assert there - own == {name.removeprefix("scripts/") for name in shipped.FROM_REPOSITORY if "scripts/" in name}


# As a stranger


@pytest.mark.proof
@pytest.mark.skipif(os.name == "nt", reason="bash")
def test_the_hubs_own_script_installs_the_toolkit_and_shares(tmp_path: Path) -> None:
    """Nothing of the hub but its own files, a Python with nothing installed, and the toolkit that soul.yaml names."""
    source = tmp_path / "agent-soul"
    shutil.copytree(
        ROOT / "src" / "agent_soul",
        source / "src" / "agent_soul",
        ignore=shutil.ignore_patterns("__pycache__"),
    )
    make_installable(source)
    hub = tmp_path / "my soul"
    found_hub(hub, Wishes(toolkit=str(source)))
    environment = {"HOME": str(tmp_path), "PATH": "/usr/local/bin:/usr/bin:/bin", "PIP_NO_INDEX": "1"}

    done = subprocess.run(
        ["bash", "my soul/scripts/quick_share.sh", "--source", "my-laptop", "用户习惯在晚上写代码。"],
        cwd=tmp_path,
        env=environment,
        capture_output=True,
        text=True,
        timeout=200,
    )

    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("kept here: this repository has no remote")
    assert "setting up a Python environment" in done.stderr
    assert "晚上写代码" in (hub / "canonical" / "fuzzy-memory.md").read_text(encoding="utf-8")
    assert git(hub, "status", "--porcelain") == ""


@pytest.mark.skipif(os.name == "nt", reason="cat")
def test_what_was_recorded_in_a_copy_of_the_template_can_be_taken_along(tmp_path: Path, init: Init) -> None:
    template = tmp_path / "the template"
    template.mkdir()
    (template / "soul.yaml").write_text("template: true\n", encoding="utf-8")
    write_log(template, {**EVENT, "event_id": "example", "source": "agent-soul"})
    arguments = (tmp_path / "mine", "--yes", "--hub", template)

    assert "to take them along" not in init(*arguments)
    write_log(template, EVENT)
    shutil.rmtree(tmp_path / "mine")
    [note] = [line for line in init(*arguments).split("\n") if "to take them along" in line]

    assert note.startswith(f"note: events of old-mac (1) stay in {template}; ")
    command = note.split("`")[1].replace("| soul ", f"| {sys.executable} -m agent_soul ")
    subprocess.run(["bash", "-c", command], cwd=tmp_path / "mine", check=True, capture_output=True)
    assert main(["compile", "--hub", str(tmp_path / "mine")]) == 0
    assert [event.id for event in parse_log(read_source_files(tmp_path / "mine")).events] == ["old-1"]


# Where


def test_a_second_time_changes_nothing(made: Path, init: Init) -> None:
    before = snapshot(made)

    assert "is a hub already; nothing was changed" in init(made, "--yes")
    answer = json.loads(init(made, "--yes", "--json", "--name", "Somebody else"))
    assert (answer["ok"], answer["is_new"]) == (True, False)
    assert snapshot(made) == before


def test_what_was_interrupted_is_finished(made: Path, tmp_path: Path) -> None:
    """At every moment a killed `init` leaves files of the hub, whole ones, and maybe no repository yet."""
    folder = tmp_path / made.name
    wishes = Wishes(Answers(name="Lin", agent="Pal", language="中文", time_zone="Asia/Shanghai"), toolkit="1.2")
    found_hub(folder, wishes)
    whole = {path: content for path, (content, _) in snapshot(folder).items() if not path.startswith(".git/")}
    shutil.rmtree(folder / ".git")
    for path in sorted(whole)[::2]:
        (folder / path).unlink()

    assert found_hub(folder, wishes).is_new

    assert {path: content for path, (content, _) in snapshot(folder).items() if not path.startswith(".git/")} == whole
    assert git(folder, "status", "--porcelain") == ""


@pytest.mark.skipif(os.name == "nt", reason="no SIGKILL")
@pytest.mark.parametrize("step", [0, 9, 40])
def test_a_killed_init_is_finished_by_running_it_again(step: int, old: Path, tmp_path: Path, init: Init) -> None:
    """Killed when it is about to bring its n-th file into place, among them many of a log, side by side or not."""
    for number in range(step and 70):
        write_log(old, {**EVENT, "event_id": f"e{number}", "source": f"s{number}"})
    words = ["init", str(tmp_path / "new"), "--yes", "--from", str(old)]

    subprocess.run([sys.executable, "-c", KILLED, str(step), *words], capture_output=True, timeout=120)
    left = list((tmp_path / "new").rglob(TEMPORARY_PATTERN))
    said = init(*words[1:])

    assert left
    assert "made a hub" in said
    assert not list((tmp_path / "new").rglob(TEMPORARY_PATTERN))
    assert git(tmp_path / "new", "status", "--porcelain", "--ignored") == ""


def test_a_file_that_only_looks_like_ours_is_a_strangers(tmp_path: Path, init: Init) -> None:
    """We write none there, so a killed writer left none there."""
    file = tmp_path / "new" / "photos" / ".agent-soul.1.ab.tmp"
    file.parent.mkdir(parents=True)
    file.write_text("mine")

    assert "is not empty: photos/" in init(tmp_path / "new", "--yes", code=2)
    assert file.read_text() == "mine"


@pytest.mark.parametrize("inside", ["inner", "sources/a-b", ".git", ".git/x/y", "bare.git/x"])
def test_nothing_is_made_within_another_hub_or_gits_own_folder(tmp_path: Path, init: Init, inside: str) -> None:
    folder = tmp_path / "there"
    git(tmp_path, "init", "-q", "there")
    git(folder, "init", "-q", "--bare", "bare.git")
    if "git" not in inside:
        (folder / "soul.yaml").write_text("template: false\n")
    before = snapshot(folder)

    said = init(folder / inside, "--yes", code=2)

    assert ("which is Git's own" if "git" in inside else f"lies in another hub, {folder}") in said
    assert snapshot(folder) == before


def test_an_empty_repository_becomes_the_hub(tmp_path: Path, init: Init) -> None:
    remote, folder = tmp_path / "remote.git", tmp_path / "mine"
    git(tmp_path, "init", "-q", "--bare", "-b", "main", str(remote))
    subprocess.run(["git", "clone", "-q", str(remote), str(folder)], check=True, capture_output=True)

    said = init(folder, "--yes", "--remote", remote, "--push")

    assert f"shared: it is at {remote} too" in said
    assert git(remote, "rev-parse", "main") == git(folder, "rev-parse", "HEAD")
    assert git(folder, "config", "remote.origin.url").strip() == str(remote)


def test_next_steps_are_as_they_are_typed_in_the_new_hub(
    tmp_path: Path, init: Init, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("AGENT_SOUL_INVOKED_AS", "python3 elsewhere/scripts/soul.py")

    said = init(tmp_path / "hub", "--yes")

    assert "`python3 scripts/soul.py join RUNTIME`" in said
    assert "elsewhere" not in said


def test_without_push_nothing_is_sent_to_the_remote(tmp_path: Path, init: Init) -> None:
    said = init(tmp_path / "hub", "--yes", "--remote", "https://host.invalid/me/soul.git")

    assert "`soul sync` sends it to the remote" in said
    assert git(tmp_path / "hub", "remote", "get-url", "origin").strip() == "https://host.invalid/me/soul.git"


def test_a_push_that_does_not_arrive_is_exit_4_and_the_hub_is_there(tmp_path: Path, init: Init) -> None:
    said = init(tmp_path / "hub", "--yes", "--remote", tmp_path / "nowhere.git", "--push", code=4)

    assert "not shared yet" in said
    assert (tmp_path / "hub" / "canonical" / "index.md").is_file()


@pytest.mark.parametrize("name", ["notes.txt", "SOUL.md", "sources/a-b/2026-01-01.ndjson", ".hidden/x"])
def test_a_folder_with_anything_else_is_refused_and_kept(tmp_path: Path, init: Init, name: str) -> None:
    file = tmp_path / "there" / name
    file.parent.mkdir(parents=True)
    file.write_text("mine\n", encoding="utf-8")

    said = init(tmp_path / "there", "--yes", code=2)

    assert f"is not empty: {name}" in said
    assert "soul init NEW --from OLD" in said
    assert list(snapshot(tmp_path / "there")) == [name]


def test_a_repository_with_commits_is_refused(tmp_path: Path, init: Init) -> None:
    git(tmp_path, "init", "-q", "code")
    git(tmp_path / "code", "commit", "-q", "--allow-empty", "-m", "work")

    assert "is not empty: commits in .git" in init(tmp_path / "code", "--yes", code=2)


def test_a_file_is_refused(tmp_path: Path, init: Init) -> None:
    (tmp_path / "file").write_text("")

    assert "is a file" in init(tmp_path / "file", "--yes", code=2)


def test_another_remote_than_the_one_there_is_refused_before_anything_is_written(tmp_path: Path, init: Init) -> None:
    git(tmp_path, "init", "-q", "mine")
    git(tmp_path / "mine", "remote", "add", "origin", "https://one.invalid/soul.git")

    said = init(tmp_path / "mine", "--yes", "--remote", "https://two.invalid/soul.git", code=2)

    assert "https://one.invalid/soul.git" in said
    assert [file.name for file in (tmp_path / "mine").iterdir()] == [".git"]


@pytest.mark.parametrize("branch", ["main", "master"])
def test_a_remote_that_holds_something_is_refused(branch: str, tmp_path: Path, init: Init) -> None:
    """A hub would share no history with it, and only its pages would get there."""
    git(tmp_path, "init", "-q", "-b", branch, "full")
    git(tmp_path / "full", "commit", "-q", "--allow-empty", "-m", "README")

    for remote in (str(tmp_path / "full"), "../full"):
        said = init(tmp_path / "hub", "--yes", "--push", "--remote", remote, code=2)
        assert f"--remote {remote!r} is not empty: it has {branch}" in said
    assert not (tmp_path / "hub").exists()


def test_a_remote_that_does_not_answer_is_named(tmp_path: Path, init: Init) -> None:
    missing = f"file://{tmp_path}/missing.git"

    said = init(tmp_path / "hub", "--yes", "--remote", missing)

    assert f"note: the remote {missing!r} cannot be read" in said
    assert git(tmp_path / "hub", "remote", "get-url", "origin").strip() == missing


@pytest.mark.parametrize("head", ["main", "master"])
def test_a_remote_whose_clones_get_nothing_is_named(head: str, tmp_path: Path, init: Init) -> None:
    git(tmp_path, "init", "-q", "--bare", "-b", head, "remote.git")

    said = init(tmp_path / "hub", "--yes", "--push", "--remote", tmp_path / "remote.git")

    assert ("a clone of the remote gets nothing" in said) == (head == "master")
    assert ("git symbolic-ref HEAD refs/heads/main" in said) == (head == "master")


def test_a_folder_within_another_repository_gets_its_own(tmp_path: Path) -> None:
    git(tmp_path, "init", "-q", "code")

    found_hub(tmp_path / "code" / "soul", Wishes(toolkit="1.2"))

    assert git(tmp_path / "code" / "soul", "rev-parse", "--show-toplevel").strip().endswith("/code/soul")


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--name", "a\u202eb"], "--name"),
        (["--agent", "x" * 121], "is longer than 120 characters"),
        (["--time-zone", "Shang hai!"], "is no name of a time zone"),
        (["--time-zone", "shanghai"], "did you mean Asia/Shanghai?"),
        (["--time-zone", "asia/shanghai"], "did you mean Asia/Shanghai?"),
        (["--time-zone", "Mars/Olympus"], "--time-zone 'Mars/Olympus' is no name of a time zone"),
        (["--remote", "--upload-pack=x"], "is no address"),
        (["--remote", "github.com/you/my-soul"], "--remote 'github.com/you/my-soul' is no address"),
        (["--remote", "my soul"], "is no address"),
        (["--push"], "give --remote URL"),
        (["--toolkit", "../nowhere"], "names no toolkit"),
        (["--toolkit", "https://host.invalid/x@abc"], "names no toolkit"),
        (["--from", "no such folder"], "neither a folder nor the address of a repository"),
    ],
)
def test_what_makes_no_sense_is_refused_before_anything_is_made(
    tmp_path: Path, init: Init, arguments: list[str], said: str
) -> None:
    assert said in init(tmp_path / "hub", "--yes", *arguments, code=2)
    assert not (tmp_path / "hub").exists()


def test_a_copy_of_the_template_stays_one_where_nobody_could_record_that(tmp_path: Path, init: Init) -> None:
    write_log(tmp_path, {**EVENT, "source": "agent-soul"})
    (tmp_path / "soul.yaml").write_text("template: true\n")

    assert "'Bad Id' is not" in init("--here", "--source", "Bad Id", "--hub", tmp_path, code=2)
    assert (tmp_path / "soul.yaml").read_text() == "template: true\n"


def test_init_says_where_it_could_go(init: Init) -> None:
    assert "soul init DIR" in init(code=2)


# What is asked


def test_without_a_terminal_nothing_is_asked(tmp_path: Path) -> None:
    """Also with a stdin that never says anything."""
    reader, writer = os.pipe()
    done = subprocess.run(
        [sys.executable, "-m", "agent_soul", "init", str(tmp_path / "hub"), "--toolkit", "1.2"],
        stdin=reader,
        capture_output=True,
        text=True,
        timeout=60,
    )
    os.close(reader)
    os.close(writer)

    assert done.returncode == 0, done.stderr
    assert "nobody is at a terminal, so nothing is asked" in done.stderr
    assert "[fill in: name" in (tmp_path / "hub" / "USER.md").read_text(encoding="utf-8")


@pytest.mark.skipif(os.name == "nt", reason="no pseudo-terminals")
def test_nobody_is_asked_for_what_is_refused_anyway(tmp_path: Path) -> None:
    import pty

    (tmp_path / "notes.txt").write_text("mine")
    controller, terminal = pty.openpty()
    process = subprocess.Popen(
        [sys.executable, "-m", "agent_soul", "init", str(tmp_path)], stdin=terminal, stderr=terminal
    )
    os.close(terminal)

    said = _heard(controller, process)

    assert process.returncode == 2
    assert "is not empty: notes.txt" in said
    assert "你的称呼" not in said


@pytest.mark.skipif(os.name == "nt", reason="no pseudo-terminals")
def test_on_a_terminal_five_questions_are_asked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import pty  # Windows has none

    monkeypatch.setenv("TZ", "Europe/Berlin")
    controller, terminal = pty.openpty()
    process = subprocess.Popen(
        [sys.executable, "-m", "agent_soul", "init", str(tmp_path / "hub"), "--toolkit", "1.2", "--agent", "Pal"],
        stdin=terminal,
        stdout=subprocess.PIPE,
        stderr=terminal,
    )
    os.close(terminal)
    # name, language, time zone, remote; what makes no sense is asked again
    os.write(controller, "林\n\nMars/Olympus\n\ngithub.com/me\n\n".encode())
    said = _heard(controller, process)
    assert process.stdout is not None
    process.stdout.close()

    assert process.returncode == 0, said
    assert "你的称呼" in said
    assert "[Europe/Berlin]" in said
    assert "统一的名字" not in said  # said by an option already
    assert "'Mars/Olympus' is no name of a time zone; such as Asia/Shanghai" in said
    assert "'github.com/me' is no address; such as git@github.com" in said
    user = (tmp_path / "hub" / "USER.md").read_text(encoding="utf-8")
    assert "- Name 称呼: 林\n" in user
    assert "- Time zone 时区: Europe/Berlin\n" in user
    assert git(tmp_path / "hub", "remote") == ""


def _heard(controller: int, process: subprocess.Popen[bytes]) -> str:
    """Return what a process says on its terminal until it ends."""
    said = b""
    while select.select([controller], [], [], 60)[0]:
        try:
            said += os.read(controller, 4096)
        except OSError:  # Linux says so that the other side is closed
            break
    os.close(controller)
    process.wait(60)
    return said.decode()


@pytest.mark.parametrize(
    ("zone", "found"),
    [("Asia/Shanghai", "Asia/Shanghai"), (":Europe/Berlin", "Europe/Berlin"), ("UTC", ""), ("<x>", "")],
)
def test_a_server_that_is_nowhere_proposes_no_time_zone(zone: str, found: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TZ", zone)
    assert asking.time_zone_here() == found


# Which toolkit


@pytest.mark.parametrize(
    ("told", "table"),
    [
        (
            {"url": "https://host.invalid/a.git", "vcs_info": {"vcs": "git", "commit_id": "0" * 40}},
            {"git": "https://host.invalid/a.git", "commit": "0" * 40},
        ),
        ({"url": ROOT.as_uri(), "dir_info": {"editable": True}}, {"path": os.path.relpath(ROOT, "/x/hub")}),
        ({"url": "https://host.invalid/a.whl", "archive_info": {}}, {"version": running.__version__}),
    ],
)
def test_an_installed_toolkit_is_where_the_installer_had_it_from(
    told: dict[str, object], table: dict[str, str]
) -> None:
    assert running._of_installer(told, Path("/x/hub")) == table


@pytest.mark.parametrize(
    ("address", "url"),
    [
        ("git@github.com:me/agent-soul.git", "ssh://git@github.com/me/agent-soul.git"),
        ("https://github.com/me/agent-soul", "https://github.com/me/agent-soul"),
    ],
)
def test_a_checkout_is_the_commit_that_its_remote_has(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, address: str, url: str
) -> None:
    source = tmp_path / "source"
    (source / "src" / "agent_soul").mkdir(parents=True)
    (source / "src" / "agent_soul" / "__init__.py").write_text("")
    git(source, "init", "-q", "-b", "main")
    git(source, "add", "-A")
    git(source, "commit", "-q", "-m", "one")
    git(source, "remote", "add", "origin", address)
    monkeypatch.setattr(running, "checkout", lambda: source)
    unseen = running.running_toolkit(tmp_path / "hub")
    git(source, "update-ref", "refs/remotes/origin/main", "HEAD")
    commit = git(source, "rev-parse", "HEAD").strip()
    (source / "sources").mkdir()
    (source / "sources" / "a.ndjson").write_text("{}")
    git(source, "add", "-A")
    git(source, "commit", "-q", "-m", "a memory that only this clone has")
    seen = running.running_toolkit(tmp_path / "hub")
    (source / "src" / "agent_soul" / "__init__.py").write_text("changed = 1")

    assert unseen == {"path": "../source"}
    assert seen == {"git": url, "commit": commit}
    assert running.running_toolkit(tmp_path / "hub") == {"path": "../source"}


@pytest.mark.parametrize("folder", ["with blank", "逗号，目录", "a, b", "it's"])
def test_what_is_written_is_what_the_scripts_read(tmp_path: Path, folder: str) -> None:
    source = tmp_path / folder
    (source / "src" / "agent_soul").mkdir(parents=True)
    (source / "src" / "agent_soul" / "__init__.py").write_text("")

    found_hub(tmp_path / "hub", Wishes(toolkit=str(source)))

    assert toolkit.folder_of(str(tmp_path / "hub")) == str(source.resolve())
    assert load_config(open_hub(tmp_path / "hub"), keep=False)[1] == []


def test_a_folder_that_soul_yaml_cannot_name_is_refused(tmp_path: Path) -> None:
    source = tmp_path / "a #b"
    (source / "src" / "agent_soul").mkdir(parents=True)
    (source / "src" / "agent_soul" / "__init__.py").write_text("")

    with pytest.raises(RefusedError, match="cannot name the toolkit"):
        found_hub(tmp_path / "hub", Wishes(toolkit=str(source)))
    assert not (tmp_path / "hub").exists()


# From a hub of before


@pytest.fixture
def old(tmp_path: Path) -> Path:
    """Return a hub of the public format with a bad line, an identity file, and what nobody takes over."""
    folder = tmp_path / "old"
    write_log(folder, EVENT, {**EVENT, "event_id": "old-2", "source": "build", "summary": "二号服务器叫白泽。"})
    file = next((folder / "sources" / "old-mac").iterdir())
    file.write_bytes(file.read_bytes() + b"{broken\r\n")
    (folder / "soul.json").write_text('{"name": "old"}\n')
    for name in L0_FILES:
        (folder / name).write_bytes(f"# 我的 {name}\r\n".encode())
    (folder / "notes.md").write_text("not memory\n")
    (folder / "sources" / "link").symlink_to("/etc")
    file.with_name("2026-03-09.ndjson").symlink_to(file)
    file.with_name("README.md").write_text("of the source\n")
    return folder


def test_a_hub_of_before_is_taken_over_as_it_is(old: Path, tmp_path: Path, init: Init) -> None:
    before = snapshot(old)
    hub = tmp_path / "new"

    answer = json.loads(init(hub, "--yes", "--json", "--from", old).partition("\n")[0])

    taken = answer["taken"]
    links = ["sources/link", "sources/old-mac/2026-03-09.ndjson"]
    assert (taken["events"], taken["bad_lines"]) == (2, 1)
    said = [f"{link} is a symbolic link; links are not followed" for link in links]
    assert all((hub / name).read_bytes() == f"# 我的 {name}\r\n".encode() for name in L0_FILES)
    assert taken["left"] == [*said, "1 below sources/ is no file of the log: sources/old-mac/README.md"]
    for path, (content, _) in before.items():
        if path in L0_FILES or (path.endswith(".ndjson") and path not in links):
            assert (hub / path).read_bytes() == content
    assert not (hub / "notes.md").exists()
    assert not (hub / "sources" / "old-mac" / "README.md").exists()
    assert "Ada" in (hub / "canonical" / "stable-memory.md").read_text(encoding="utf-8")
    assert "bad lines 1" in (hub / "canonical" / "index.md").read_text(encoding="utf-8")
    assert git(hub, "status", "--porcelain", "--ignored") == ""  # a source may be called what .gitignore names
    assert snapshot(old) == before
    assert "is a hub already; nothing was changed" in init(hub, "--yes", "--from", old)


def test_lines_of_a_newer_version_are_taken_over_and_counted(old: Path, tmp_path: Path, init: Init) -> None:
    write_log(old, {**EVENT, "event_id": "new-1", "kind": "dream"}, {**EVENT, "event_id": "new-2", "schema": 99})

    assert "2 events, 1 bad lines, 2 lines of a newer version" in init(tmp_path / "new", "--yes", "--from", old)
    assert "dream" in (tmp_path / "new" / "sources" / "old-mac" / "2026-03-01.0a1b2c3d.ndjson").read_text("utf-8")


def test_a_hub_of_before_is_taken_over_from_its_address(
    old: Path, tmp_path: Path, init: Init, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    git(old, "init", "-q", "-b", "main")
    git(old, "add", "-A")
    git(old, "commit", "-q", "-m", "old")

    assert "2 events, 1 bad lines" in init(tmp_path / "new", "--yes", "--from", f"file://{old}")
    assert len(parse_log(read_source_files(tmp_path / "new")).events) == 2
    assert not list((tmp_path / "new" / "sources").rglob("link"))
    assert list(tmp_path.glob("agent-soul-*")) == []


def test_settings_of_before_stay_but_for_what_makes_it_a_template(old: Path, tmp_path: Path, init: Init) -> None:
    text = "# mine\ntemplate: true # yes\nfuzzy_days: 9\ntoolkit: {path: .}"
    (old / "soul.yaml").write_text(text, encoding="utf-8")

    init(tmp_path / "new", "--yes", "--from", old, "--toolkit", "1.2")

    expected = '# mine\ntemplate: false # yes\nfuzzy_days: 9\ntoolkit:\n  version: "1.2"\n'
    assert (tmp_path / "new" / "soul.yaml").read_text(encoding="utf-8") == expected


@pytest.mark.parametrize("inside", ["new", "."])
def test_nothing_is_made_within_the_hub_of_before(old: Path, init: Init, inside: str) -> None:
    before = snapshot(old)

    assert "stays as it is" in init(old / inside, "--yes", "--from", old, code=2)
    assert snapshot(old) == before


def test_nothing_of_a_hub_of_before_is_read_through_a_link(old: Path, tmp_path: Path, init: Init) -> None:
    private = tmp_path / "private"
    (old / "soul.json").unlink()
    (old / "sources").rename(private)
    (old / "sources").mkdir()
    (private / "old-mac").rename(old / "sources" / "old-mac")
    private.joinpath("key").write_text("PRIVATE\n")
    (old / "USER.md").unlink()
    os.link(private / "key", old / "USER.md")
    for name in ("SOUL.md", "soul.yaml", "sources/all"):
        (old / name).unlink(missing_ok=True)
        (old / name).symlink_to(private if name == "sources/all" else private / "key")

    taken = json.loads(init(tmp_path / "new", "--yes", "--json", "--from", old).partition("\n")[0])["taken"]

    assert [said.split(" ")[0] for said in taken["left"][:4]] == ["SOUL.md", "USER.md", "soul.yaml", "sources/all"]
    assert "PRIVATE" not in git(tmp_path / "new", "show", "HEAD")


def test_a_log_that_is_a_link_is_no_hub_of_before(old: Path, tmp_path: Path, init: Init) -> None:
    (old / "sources").rename(tmp_path / "private")
    (old / "sources").symlink_to(tmp_path / "private")

    assert "a sources that is a link" in init(tmp_path / "new", "--yes", "--from", old, code=2)
    assert not (tmp_path / "new").exists()


def test_what_git_would_not_record_is_no_file_of_the_log(old: Path, tmp_path: Path, init: Init) -> None:
    """Also under the names that only Windows takes for `.git`."""
    for name in (".git", ".GIT", "git~1", ".git ."):
        folder = old / "sources" / "old-mac" / name
        folder.mkdir(parents=True)
        (folder / "HEAD").write_text("ref: refs/heads/main\n")
        (folder / "2026-03-05.ndjson").write_text("{}\n")

    taken = json.loads(init(tmp_path / "new", "--yes", "--json", "--from", old).partition("\n")[0])["taken"]

    assert taken["left"][-1].startswith("5 below sources/ are no files of the log: sources/old-mac/.GIT, ")
    assert taken["bad_lines"] == 1
    assert not list((tmp_path / "new" / "sources").rglob("*[Gg][Ii][Tt]*[!p]"))


def test_a_commit_that_changes_the_log_is_not_made(old: Path, tmp_path: Path, init: Init) -> None:
    """Somebody's attributes in the repository that was there stand above the hub's own."""
    git(tmp_path, "init", "-q", "new")
    attributes = tmp_path / "new" / ".git" / "info" / "attributes"
    attributes.parent.mkdir(exist_ok=True)
    attributes.write_text("*.ndjson text eol=lf\n")

    said = init(tmp_path / "new", "--yes", "--from", old, code=5)
    attributes.unlink()

    assert "Git would not record sources/old-mac/" in said
    assert git(tmp_path / "new", "for-each-ref") == ""
    assert "made a hub" in init(tmp_path / "new", "--yes", "--from", old)


def test_a_folder_without_a_log_is_no_hub_of_before(tmp_path: Path, init: Init) -> None:
    (tmp_path / "empty").mkdir()

    assert "holds no sources/" in init(tmp_path / "new", "--yes", "--from", tmp_path / "empty", code=2)


@pytest.mark.shared
@pytest.mark.parametrize(("name", "counts"), [("itestflow", (28, 0)), ("ai-universal-memory", (31, 0))])
def test_real_hubs_are_taken_over(tmp_path: Path, name: str, counts: tuple[int, int]) -> None:
    taken = found_hub(tmp_path / "hub", Wishes(origin=str(SHARED / "data" / "hubs" / name), toolkit="1.2")).taken

    assert taken is not None
    assert (taken.events, taken.bad_lines) == counts
    assert git(tmp_path / "hub", "status", "--porcelain") == ""
