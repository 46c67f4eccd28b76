"""Pages that a person changed by hand: what they wrote is kept before the page is made anew, and nothing else is."""

from __future__ import annotations

import os
import shutil
from pathlib import Path
from typing import Any

import pytest

from agent_soul import edited
from agent_soul.adding import add, local_now
from agent_soul.cli import main
from agent_soul.compiler import compile_hub
from agent_soul.doctor.examining import examine
from agent_soul.doctor.facts import gather
from agent_soul.doctor.fixing import fix
from agent_soul.hub import Hub, open_hub
from agent_soul.sync import sync
from support import Machines, git

MINE = "\nA line of mine.\n"


def record(hub: Hub, summary: str, **fields: Any) -> str:
    said = {"source": "a-b", "kind": "fact", "scope": "stable", "summary": summary, **fields}
    return add(hub, said).event.id


def change(hub: Hub, name: str = "stable-memory.md", text: str = MINE) -> str:
    """Change a page by hand; return what stands there then."""
    file = hub.canonical / name
    file.write_text(file.read_text("utf-8") + text, encoding="utf-8")
    return file.read_text("utf-8")


def copies(hub: Hub) -> list[str]:
    folder = hub.state / "edited"
    return sorted(file.read_text("utf-8") for file in folder.iterdir()) if folder.is_dir() else []


@pytest.fixture
def compiled(hub: Path) -> Hub:
    """Return a hub without Git, with an event on a page."""
    found = open_hub(hub)
    record(found, "The build server is called Ada.")
    compile_hub(found)
    return found


def test_what_a_person_wrote_is_kept_and_named(compiled: Hub, capsys: pytest.CaptureFixture[str]) -> None:
    written = change(compiled)

    assert main(["compile", "--hub", str(compiled.root)]) == 0

    [line] = [line for line in capsys.readouterr().err.split("\n") if "by hand" in line]
    assert line.startswith("note: canonical/stable-memory.md was changed by hand")
    assert line.endswith(str(compiled.state / "edited"))
    assert copies(compiled) == [written]
    assert MINE not in (compiled.canonical / "stable-memory.md").read_text("utf-8")
    assert main(["compile", "--hub", str(compiled.root)]) == 0
    assert "by hand" not in capsys.readouterr().err
    change(compiled)
    compile_hub(compiled)
    assert copies(compiled) == [written]


@pytest.mark.parametrize("command", [["compile", "--apply"], ["sync"]])
@pytest.mark.parametrize("in_git", [False, True])
def test_every_command_that_compiles_says_it_once(
    in_git: bool, command: list[str], compiled: Hub, capsys: pytest.CaptureFixture[str]
) -> None:
    if in_git:
        git(compiled.root, "init", "-q", "-b", "main")
    change(compiled)

    assert main([*command, "--hub", str(compiled.root)]) == 0

    assert capsys.readouterr().err.count("by hand") == 1


def test_a_page_of_ours_is_not_kept(compiled: Hub) -> None:
    gone = record(compiled, "Payment runs on Ada.", scope="project", project="payment")
    compile_hub(compiled)
    record(compiled, "That was another project.", kind="retraction", supersedes=[gone])

    found = compile_hub(compiled).difference

    assert {"stable-memory.md", "index.md"} & {*found.written}
    assert found.removed
    assert copies(compiled) == []


def test_a_page_that_goes_is_kept_too(compiled: Hub) -> None:
    gone = record(compiled, "Payment runs on Ada.", scope="project", project="payment")
    compile_hub(compiled)
    written = change(compiled, "projects/payment.md")
    record(compiled, "That was another project.", kind="retraction", supersedes=[gone])

    compile_hub(compiled)

    assert not (compiled.canonical / "projects" / "payment.md").exists()
    assert copies(compiled) == [written]


def test_what_git_has_is_not_kept(git_hub: Path) -> None:
    """The last commit holds it: pages that another clone made, and what a person committed."""
    hub = open_hub(git_hub)
    record(hub, "The build server is called Ada.")
    compile_hub(hub)
    change(hub)
    git(git_hub, "add", "-A")
    git(git_hub, "commit", "-q", "-m", "mine")
    (hub.state / "pages.json").unlink()
    record(hub, "The test server is called Bob.")

    assert compile_hub(hub).difference.written
    assert copies(hub) == []


@pytest.mark.parametrize("note", [None, "no json", "[1]"])
def test_without_its_note_and_git_a_page_may_be_a_persons(compiled: Hub, note: str | None) -> None:
    before = (compiled.canonical / "stable-memory.md").read_text("utf-8")
    if note is None:
        (compiled.state / "pages.json").unlink()
    else:
        (compiled.state / "pages.json").write_text(note)
    record(compiled, "The test server is called Bob.")

    compile_hub(compiled)

    assert before in copies(compiled)


def test_doctor_says_that_it_kept_it(compiled: Hub) -> None:
    written = change(compiled)
    facts = gather(compiled, local_now(), ask_remote=False)

    done = fix(facts, examine(facts)).done

    assert [line for line in done if line.startswith("canonical/stable-memory.md was changed by hand")]
    assert copies(compiled) == [written]


def test_sync_keeps_it_before_the_remotes_page_comes(machines: Machines) -> None:
    record(machines.other, "The build server is called Ada.")
    sync(machines.other)
    sync(machines.one)
    written = change(machines.one)
    compiled_here = record(machines.one, "Locally compiled only.")
    record(machines.other, "The test server is called Bob.")
    sync(machines.other)

    kept = sync(machines.one)

    assert "canonical/stable-memory.md was changed by hand" in kept.note
    assert copies(machines.one) == [written]
    assert compiled_here[:8] in (machines.one.canonical / "stable-memory.md").read_text("utf-8")


def test_sync_does_not_keep_what_was_compiled_here(machines: Machines) -> None:
    record(machines.one, "Compiled here, not shared yet.")
    compile_hub(machines.one)
    record(machines.other, "The test server is called Bob.")
    sync(machines.other)

    kept = sync(machines.one)

    assert "by hand" not in kept.note
    assert copies(machines.one) == []


def test_the_oldest_copies_go(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    hub = Hub(tmp_path, tmp_path / ".git" / "agent-soul", None)
    for number in range(60):
        edited.keep_copies(hub, {"profile.md": b"%d" % number})
        newest = max((hub.state / "edited").iterdir(), key=lambda file: file.stat().st_mtime_ns)
        os.utime(newest, ns=(number, number))
    assert copies(hub) == sorted(str(number) for number in range(10, 60))

    shutil.rmtree(hub.state / "edited")
    for number in range(4):
        edited.keep_copies(hub, {"memory.json": b"%d" % number + b" " * (3 << 20)})
    assert [copy[0] for copy in copies(hub)] == ["2", "3"]
    edited.keep_copies(hub, {"memory.json": b"9" * (9 << 20)})
    assert [copy[0] for copy in copies(hub)] == ["9"]


def test_what_is_no_copy_beside_the_copies_stops_no_compile(compiled: Hub) -> None:
    folder = compiled.state / "edited"
    (folder / "a folder").mkdir(parents=True)
    (folder / "gone.md").symlink_to("nowhere")
    mine = change(compiled)
    compile_hub(compiled)
    assert (folder / "gone.md").is_symlink()
    assert [file.read_text("utf-8") for file in folder.iterdir() if file.is_file()] == [mine]


def test_a_note_that_cannot_be_written_stops_no_compile(compiled: Hub) -> None:
    note = compiled.state / "pages.json"
    note.unlink()
    note.mkdir()
    record(compiled, "Drinks coffee.")
    assert compile_hub(compiled).difference
    assert "Drinks coffee." in (compiled.canonical / "stable-memory.md").read_text("utf-8")
