"""Joining agent programs: nothing of a stranger's is lost, doing it again changes nothing, and all of it comes back."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import sysconfig
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from agent_soul.clone import clone_ids
from agent_soul.errors import RefusedError, StoppedError
from agent_soul.runtimes.following import find_again, rerender
from agent_soul.runtimes.joining import end_join, join, proposed_source, sweep_joins
from agent_soul.runtimes.machine import lasting_program
from agent_soul.runtimes.model import Home, Options, Runtime
from agent_soul.runtimes.noting import read_note, write_note
from agent_soul.runtimes.plan import BACKUP, Change
from agent_soul.runtimes.registry import RUNTIMES, find
from agent_soul.runtimes.sources import propose
from agent_soul.runtimes.standing import joined, placed_by, probe
from agent_soul.runtimes.writing import write
from joins import contents, home_in, make_hub, picture, times
from support import Run, Soul, git

EVERYTHING = Options(mcp=True, allow=True)


@pytest.fixture
def home(tmp_path: Path) -> Home:
    return home_in(tmp_path / "home")


def files_of(runtime: Runtime, home: Home, hub_folder: Path) -> list[Path]:
    """Return every file that joining the runtime in an empty home would write."""
    plan = join(make_hub(hub_folder), runtime, home=home, options=EVERYTHING, apply=False).plan
    return [change.path for change in plan.changes]


@pytest.mark.proof
@pytest.mark.parametrize("name", [name for name, runtime in RUNTIMES.items() if not runtime.is_pasted])
@given(data=st.data())
# Every example writes dozens of files durably, so the smallest one that fails would take minutes to find.
@settings(max_examples=8, deadline=None, phases=(Phase.generate,), suppress_health_check=list(HealthCheck))
def test_what_was_joined_comes_back_byte_for_byte(name: str, data: st.DataObject) -> None:
    """Over files in any form: joining twice is joining once, and its end leaves the tree as it was."""
    runtime = RUNTIMES[name]
    with tempfile.TemporaryDirectory() as made:
        folder = Path(made)
        home = home_in(folder / "home")
        hub = make_hub(folder / "hub")
        for number, path in enumerate(files_of(runtime, home, folder / "other hub")):
            _put_something(path, number, data)
        before = picture(home.folder)

        first = join(hub, runtime, home=home, options=EVERYTHING)
        once, when = picture(home.folder), times(home.folder)
        again = join(hub, runtime, home=home, options=EVERYTHING)
        assert (picture(home.folder), times(home.folder)) == (once, when)
        assert not again.plan.changes
        if first.plan.changes:
            assert [(each.runtime.name, each.source) for each in joined(hub, home=home)] == [(name, first.source)]
        end_join(hub, runtime, home=home)

        assert picture(home.folder) == before
        assert joined(hub, home=home) == []


def _put_something(path: Path, number: int, data: st.DataObject) -> None:
    """Put at a place what a person may have there: nothing, an empty folder, a file, a link to one."""
    kind = data.draw(st.sampled_from(["nothing", "folder", "file", "file", "link"]))
    if kind == "nothing" or path.name in ("agent-soul.md", "SKILL.md"):
        return
    path.parent.mkdir(parents=True, exist_ok=True)
    if kind == "folder":
        return
    target = path if kind == "file" else path.parent / f"dotfile-{number}"
    target.write_bytes(data.draw(contents(path.suffix)))
    target.chmod(data.draw(st.sampled_from([0o644, 0o600])))
    if kind == "link":
        path.symlink_to(target.name)


@pytest.mark.parametrize("name", RUNTIMES)
def test_what_programs_read_follows_the_pages(name: str, tmp_path: Path, home: Home) -> None:
    """A new page comes into copies of it at once; where nothing changed no file is touched."""
    hub = make_hub(tmp_path / "hub")
    join(hub, find(name), home=home)
    when = times(home.folder)
    assert rerender(hub, home=home) == []
    assert times(home.folder) == when

    (hub.canonical / "profile.md").write_text("# Profile\n\n- Prefers uv. (cccccccc 2026-11-30)\n", encoding="utf-8")
    changed = rerender(hub, home=home)

    copies = [path for path in home.folder.rglob("*") if path.is_file() and b"Prefers uv" in path.read_bytes()]
    assert [change.path for change in changed] == copies
    assert copies or name in ("claude-code", "cursor", "claude-desktop", "generic")


def test_rerender_without_a_join_looks_at_one_file(tmp_path: Path, home: Home) -> None:
    hub = make_hub(tmp_path / "hub")
    end_join(hub, find("codex"), home=home)

    assert rerender(hub, home=home) == []
    assert not (hub.state / "joined.json").exists()


def test_a_file_that_cannot_be_parsed_is_left_alone(tmp_path: Path, home: Home) -> None:
    """What to paste is said, all else is joined, and once the file is mended the rest comes too."""
    hub = make_hub(tmp_path / "hub")
    settings_file = home.folder / ".claude" / "settings.json"
    settings_file.parent.mkdir()
    settings_file.write_text('{"model": "opus",, }')

    outcome = join(hub, find("claude-code"), home=home)

    assert [odd.path for odd in outcome.plan.odd] == [settings_file]
    assert '"session-start"' in outcome.plan.odd[0].snippet
    assert settings_file.read_text() == '{"model": "opus",, }'
    assert (settings_file.parent / "rules" / "agent-soul.md").is_file()
    settings_file.write_text('{"model": "opus"}')
    assert not join(hub, find("claude-code"), home=home).plan.odd
    settings_file.write_text("{ // soul")
    assert [odd.path for odd in end_join(hub, find("claude-code"), home=home).plan.odd] == [settings_file]
    assert settings_file.read_text() == "{ // soul"


@pytest.mark.parametrize(
    ("name", "file", "text"),
    [
        ("codex", "hooks.json", b'{"hooks": []}'),
        ("codex", "hooks.json", b'{"hooks": {}, "hooks": {}}'),
        ("codex", "hooks.json", b"\xff\xfe{\x00}\x00"),
        ("codex", "config.toml", b"[mcp_servers\n"),
        ("codex", "config.toml", b'mcp_servers = {other = {command = "a"}}\n'),
        ("codex", "AGENTS.md", b"<!-- agent-soul:begin id=core rev=none -->\nhalf\n"),
    ],
)
def test_no_guess_is_written(name: str, file: str, text: bytes, tmp_path: Path, home: Home) -> None:
    place = home.folder / ".codex" / file
    place.parent.mkdir()
    place.write_bytes(text)

    outcome = join(make_hub(tmp_path / "hub"), find(name), home=home, options=EVERYTHING)

    assert [odd.path for odd in outcome.plan.odd] == [place]
    assert place.read_bytes() == text


def test_a_dry_run_touches_nothing(tmp_path: Path, home: Home) -> None:
    hub = make_hub(tmp_path / "hub")
    before = picture(tmp_path)

    outcome = join(hub, find("codex"), home=home, apply=False)

    assert picture(tmp_path) == before
    assert {change.path.name for change in outcome.plan.changes} == {"AGENTS.md", "hooks.json", "SKILL.md"}


@pytest.mark.parametrize("standing", [True, False])
def test_a_refusal_in_the_middle_changes_nothing(standing: bool, tmp_path: Path, home: Home) -> None:
    """What was written before comes back, and folders that were made go."""
    hub = make_hub(tmp_path / "hub")
    (home.folder / ".copilot").mkdir()
    if standing:
        (home.folder / ".copilot" / "instructions").mkdir()
        (home.folder / ".copilot" / "instructions" / "agent-soul.instructions.md").write_text("")
    (home.folder / ".copilot" / "hooks").write_text("a file where a folder should be")
    before = picture(home.folder)

    with pytest.raises(StoppedError, match=r"hooks.*nothing was changed"):
        join(hub, find("copilot"), home=home)

    assert picture(home.folder) == before


def test_a_program_that_is_not_there_is_joined_all_the_same(tmp_path: Path, home: Home) -> None:
    hub = make_hub(tmp_path / "hub")

    [note] = join(hub, find("codex"), home=home).notes

    assert note == f"Codex CLI does not seem to be installed: there is no {home.folder / '.codex'}"
    assert joined(hub, home=home)
    assert join(hub, find("codex"), home=home).notes == ()


def test_a_read_only_file_stops_it(tmp_path: Path, home: Home) -> None:
    hub = make_hub(tmp_path / "hub")
    place = home.folder / ".codex" / "hooks.json"
    place.parent.mkdir()
    place.write_text("{}")
    place.chmod(0o444)
    before = picture(home.folder)

    with pytest.raises(StoppedError, match="is read-only; nothing was changed"):
        join(hub, find("codex"), home=home)

    assert picture(home.folder) == before


def test_a_program_remembers_in_one_hub(tmp_path: Path, home: Home) -> None:
    """Another hub's join is named and kept; that of a hub that is gone is taken over where that is asked for."""
    first, second = make_hub(tmp_path / "first"), make_hub(tmp_path / "second")
    join(first, find("codex"), home=home)
    before = picture(home.folder)

    for act in (join, end_join):
        with pytest.raises(RefusedError, match="belongs to the join of another hub") as caught:
            act(second, find("codex"), home=home)
        assert "--uninstall" in caught.value.hint
    assert picture(home.folder) == before
    assert joined(second, home=home) == []

    first.root.rename(tmp_path / "gone")
    for act in (join, end_join):
        with pytest.raises(RefusedError, match="which is not there now") as caught:
            act(second, find("codex"), home=home)
        assert "--replace" in caught.value.hint
    assert picture(home.folder) == before
    join(second, find("codex"), home=home, replaces=True)
    assert [each.runtime.name for each in joined(second, home=home)] == ["codex"]
    assert "/first" not in (home.folder / ".codex" / "hooks.json").read_text()


def test_the_source_and_the_command_of_a_join_stay(tmp_path: Path, home: Home) -> None:
    """Codex trusts a hook by a hash over its command, so another program that joins again must not change it."""
    hub = make_hub(tmp_path / "hub")
    join(hub, find("codex"), home=home, source="my-codex")
    hooks = home.folder / ".codex" / "hooks.json"
    program = tmp_path / "bin" / "soul"
    program.parent.mkdir()
    program.touch()
    standing = joined(hub, home=home)[0].program
    for file in (hooks, home.folder / ".codex" / "AGENTS.md"):
        file.write_text(file.read_text().replace(standing[0], str(program)))

    again = join(hub, find("codex"), home=home)

    assert again.source == "my-codex"
    assert joined(hub, home=home)[0].program == (str(program),)
    program.unlink()
    join(hub, find("codex"), home=home)
    assert joined(hub, home=home)[0].program == standing
    assert join(hub, find("codex"), home=home, source="other").source == "other"
    assert "my-codex" not in hooks.read_text()


def test_a_source_id_belongs_to_one_clone(tmp_path: Path, home: Home) -> None:
    hub = make_hub(tmp_path / "hub")
    plain = proposed_source(hub, find("codex"), home)
    folder = hub.sources / plain
    folder.mkdir()
    (folder / "2026-11-30.0123abcd.ndjson").write_text("")

    assert proposed_source(hub, find("codex"), home) == f"{plain}-2"
    with pytest.raises(RefusedError):
        join(hub, find("codex"), home=home, source="Not An Id")


def test_machines_of_one_common_name_get_ids_of_their_own(
    tmp_path: Path, home: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Neither has written yet, so neither could know the other's id."""
    monkeypatch.setattr("platform.node", lambda: "ubuntu-2.lan")
    hubs = [make_hub(tmp_path / name) for name in ("one", "two")]
    dry = join(hubs[0], find("codex"), home=home, apply=False)
    assert dry.source == "ubuntu-2-xxxx-linux-codex"
    assert clone_ids(hubs[0]) == ()

    outcomes = [join(hub, find("codex"), home=home_in(tmp_path / hub.root.name / "home")) for hub in hubs]

    ids = [clone_ids(hub)[0][:4] for hub in hubs]
    assert [each.source for each in outcomes] == [f"ubuntu-2-{id_}-linux-codex" for id_ in ids]
    assert any("many machines are called 'ubuntu-2.lan'" in note for note in dry.notes)
    monkeypatch.setattr("platform.node", lambda: "ada")
    assert proposed_source(hubs[0], find("codex"), home) == "ada-linux-codex"


@pytest.mark.parametrize(
    ("host", "proposed"),
    [
        ("MacBook-Pro.local", "macbook-pro-mac-claude"),
        ("张三的电脑", "pc-mac-claude"),
        ("", "pc-mac-claude"),
        ("10.0.0.7", "pc-mac-claude"),
        ("a" * 90, f"{'a' * 30}-mac-claude"),
        ("Ünï--codé_", "n-cod-mac-claude"),
    ],
)
def test_source_ids_are_made_of_what_any_host_is_called(host: str, proposed: str) -> None:
    assert propose(host, "mac", "claude", ()) == proposed


def test_what_others_need_stays(tmp_path: Path, home: Home) -> None:
    hub = make_hub(tmp_path / "hub")
    skill = home.folder / ".agents" / "skills" / "agent-soul" / "SKILL.md"
    for name in ("codex", "gemini"):
        join(hub, find(name), home=home)

    end_join(hub, find("codex"), home=home)
    assert skill.is_file()
    end_join(hub, find("gemini"), home=home)
    assert picture(home.folder) == {}


def test_what_a_person_changed_meanwhile_stays(tmp_path: Path, home: Home) -> None:
    hub = make_hub(tmp_path / "hub")
    settings_file, page = home.folder / ".gemini" / "settings.json", home.folder / ".gemini" / "GEMINI.md"
    page.parent.mkdir()
    settings_file.write_text('{\n  "theme": "dark" // mine\n}\n')
    page.write_text("Mine.\n")
    join(hub, find("gemini"), home=home)
    settings_file.write_text(settings_file.read_text().replace('"dark"', '"light"'))
    page.write_text(page.read_text().replace("Mine.", "Mine, changed.") + "After.\n")

    end_join(hub, find("gemini"), home=home)

    assert settings_file.read_text() == '{\n  "theme": "light" // mine\n}\n'
    assert page.read_text() == "Mine, changed.\nAfter.\n"
    assert not list(home.folder.rglob(f"*{BACKUP}"))


def test_text_in_a_project_stays_out_of_its_repository(tmp_path: Path, home: Home) -> None:
    hub = make_hub(tmp_path / "hub")
    project = tmp_path / "project"
    project.mkdir()
    git(project, "init", "-q")
    before = picture(project)

    for name in ("cursor", "codex"):
        join(hub, find(name), home=home, project=project)
    assert "Ships payments" in (project / ".cursor" / "rules" / "agent-soul.mdc").read_text()
    assert git(project, "status", "--porcelain", "--untracked-files=all") == ""
    (hub.canonical / "profile.md").write_text("- Prefers uv. (cccccccc 2026-11-30)\n")
    assert {change.path.name for change in rerender(hub, home=home)} == {"agent-soul.mdc", "AGENTS.md"}

    end_join(hub, find("codex"), home=home, project=project)
    assert git(project, "status", "--porcelain", "--untracked-files=all") == ""
    end_join(hub, find("cursor"), home=home, project=project)
    assert picture(project) == before
    assert picture(home.folder) == {}


def test_a_tracked_file_never_gets_private_text(tmp_path: Path, home: Home) -> None:
    hub = make_hub(tmp_path / "hub")
    project = tmp_path / "project"
    project.mkdir()
    git(project, "init", "-q")
    (project / "AGENTS.md").write_text("Ours.\n")
    git(project, "add", "AGENTS.md")
    before = picture(tmp_path)

    with pytest.raises(RefusedError, match=r"Git tracks AGENTS\.md"):
        join(hub, find("codex"), home=home, project=project)

    assert picture(tmp_path) == before


@pytest.mark.parametrize("way", ["unignored", "copy", "odd exclude", "link"])
def test_what_git_would_take_up_never_gets_private_text(way: str, tmp_path: Path, home: Home) -> None:
    """Refused before anything is written, also where a link leads into another repository that has the file or not."""
    hub = make_hub(tmp_path / "hub")
    project, team = tmp_path / "project", tmp_path / "team"
    for repository in (project, team):
        repository.mkdir()
        git(repository, "init", "-q")
    if way == "unignored":
        (project / ".gitignore").write_text("*.md\n!AGENTS.md\n")
    elif way == "copy":
        (project / ".gitignore").write_text(f"!*{BACKUP}\n")
    elif way == "odd exclude":
        (project / ".git" / "info").mkdir(exist_ok=True)
        (project / ".git" / "info" / "exclude").write_bytes(b"\xff\n")
    else:
        (team / "AGENTS.md").write_text("Theirs.\n")
        (project / "AGENTS.md").symlink_to("../team/AGENTS.md")
    before = picture(tmp_path)

    with pytest.raises(RefusedError, match=r"Git would take AGENTS\.md"):
        join(hub, find("codex"), home=home, project=project)

    assert picture(tmp_path) == before


def test_a_link_into_what_another_repository_looks_over_is_written(tmp_path: Path, home: Home) -> None:
    hub = make_hub(tmp_path / "hub")
    project, team = tmp_path / "project", tmp_path / "team"
    for repository in (project, team):
        repository.mkdir()
        git(repository, "init", "-q")
    (team / ".gitignore").write_text(f"AGENTS.md\n*{BACKUP}\n")
    (project / "AGENTS.md").symlink_to("../team/AGENTS.md")
    (team / "AGENTS.md").write_text("Theirs.\n")

    join(hub, find("codex"), home=home, project=project)

    assert "Ships payments" in (team / "AGENTS.md").read_text()
    assert git(team, "status", "--porcelain", "--untracked-files=all") == "?? .gitignore\n"


@pytest.mark.skipif(os.name == "nt", reason="Windows has no such names")
@pytest.mark.parametrize("name", ["plain", "[a] b*", "back\\slash", "blank "])
def test_a_folder_of_any_name_is_kept_out(name: str, tmp_path: Path, home: Home) -> None:
    hub = make_hub(tmp_path / "hub")
    project = tmp_path / "work" / name
    project.mkdir(parents=True)
    git(tmp_path / "work", "init", "-q")

    join(hub, find("codex"), home=home, project=project)

    assert "Ships payments" in (project / "AGENTS.md").read_text()
    assert git(tmp_path / "work", "status", "--porcelain", "--untracked-files=all") == ""


def test_a_full_file_is_named(tmp_path: Path, home: Home) -> None:
    """Windsurf reads 6,000 characters of one file, a person's own rules among them."""
    hub = make_hub(tmp_path / "hub")
    rules = home.folder / ".codeium" / "windsurf" / "memories" / "global_rules.md"
    rules.parent.mkdir(parents=True)
    for length, number in ((4_000, 0), (5_900, 1)):
        rules.write_text("我" * length)
        notes = join(hub, find("windsurf"), home=home).notes
        assert sum("longer than the 6,000 characters" in note for note in notes) == number
        assert (len(rules.read_text()) <= 6_000) == (number == 0)
        end_join(hub, find("windsurf"), home=home)


def test_the_command_line_joins(run: Run, inside: Soul, hub: Path) -> None:
    home = Path.home()
    said = inside("join", "codex", "--dry-run").stdout
    assert f"+++ {home}/.codex/AGENTS.md" in said
    assert not (home / ".codex").exists()

    first = run("join", "codex", "--source", "my-codex")
    assert (first["ok"], first["source"], first["written"]) == (True, "my-codex", True)
    assert run("join", "codex")["changes"] == []
    assert {each["name"]: each["source"] for each in run("join")["runtimes"]} == {
        name: "my-codex" if name == "codex" else None for name in RUNTIMES
    }
    assert "joined as my-codex" in inside("join").stdout
    inside("add", "--source", "my-codex", "--kind", "fact", "--scope", "profile", "--summary", "Lin drinks tea.")
    inside("compile")
    assert "Lin drinks tea." in (home / ".codex" / "AGENTS.md").read_text()

    (home / ".codex" / "hooks.json").write_text("{")
    broken = run("join", "codex", code=5)
    assert [each["path"] for each in broken["by_hand"]] == [str(home / ".codex" / "hooks.json")]
    assert run("join", "codx", code=2)["error"]["hint"] == "did you mean 'codex'?"
    assert run("join", "vscode", code=2)["error"]["hint"] == "did you mean 'copilot'?"


def test_in_a_project_there_is_nothing_to_paste_and_no_hook_to_trust(run: Run, hub: Path, tmp_path: Path) -> None:
    project = tmp_path / "project"
    project.mkdir()
    for name in ("codex", "cursor"):
        joined = run("join", name, "--project", str(project))
        assert (joined["paste"], len(joined["afterwards"])) == ("", 1)
        assert joined["afterwards"][0].endswith("anew in the project")


def test_any_other_program_gets_a_text_to_paste(inside: Soul) -> None:
    said = inside("join", "generic", "--source", "my-agent").stdout

    assert said.startswith("# Shared memory\n")
    assert "--source my-agent" in said


def test_one_file_under_two_names_has_one_text(tmp_path: Path, home: Home) -> None:
    """Dotfiles are often linked: what two programs read is then one file, and what one needs the other keeps."""
    hub = make_hub(tmp_path / "hub")
    dotfile = home.folder / "dotfiles" / "AGENTS.md"
    dotfile.parent.mkdir()
    dotfile.write_text("Mine.\n")
    for place in (".codex/AGENTS.md", ".config/zed/AGENTS.md"):
        (home.folder / place).parent.mkdir(parents=True)
        (home.folder / place).symlink_to(dotfile)
    before = picture(home.folder)

    for name in ("codex", "zed"):
        outcome = join(hub, find(name), home=home)
    assert outcome.notes == (f"{dotfile} is read by codex too, and names one source id: {outcome.source!r}",)
    assert dotfile.read_text().count("agent-soul:begin") == 1
    rerender(hub, home=home)
    assert rerender(hub, home=home) == []

    end_join(hub, find("codex"), home=home)
    assert "Ships payments" in dotfile.read_text()
    end_join(hub, find("zed"), home=home)
    assert picture(home.folder) == before


MOVED = {
    "claude-code": ({"CLAUDE_CONFIG_DIR": "/x/claude"}, "/x/claude/rules/agent-soul.md"),
    "codex": ({"CODEX_HOME": "/x/codex"}, "/x/codex/AGENTS.md"),
    "copilot": ({"COPILOT_HOME": "~/c"}, "/home/me/c/instructions/agent-soul.instructions.md"),
    "opencode": ({"XDG_CONFIG_HOME": "/x/config"}, "/x/config/opencode/agent-soul.md"),
    "openclaw": ({"OPENCLAW_WORKSPACE_DIR": "/x/claw"}, "/x/claw/SOUL.md"),
    "zed": ({"XDG_CONFIG_HOME": "relative"}, "/home/me/.config/zed/AGENTS.md"),
    "claude-desktop": ({"XDG_CONFIG_HOME": ""}, "/home/me/.config/Claude/claude_desktop_config.json"),
}


@pytest.mark.parametrize("name", MOVED)
def test_the_environment_moves_a_programs_files(name: str, tmp_path: Path) -> None:
    env, first = MOVED[name]
    scene = probe(make_hub(tmp_path / "hub"), Home(Path("/home/me"), env), None)

    assert next(placed_by(find(name), scene)).path == Path(first)


def test_each_system_has_its_place_for_claude_desktop(tmp_path: Path) -> None:
    """On Windows the packaged program has a folder of its own beside the usual one, and both may be in use."""
    hub = make_hub(tmp_path / "hub")
    package = tmp_path / "Local" / "Packages" / "Claude_1x" / "LocalCache" / "Roaming" / "Claude"
    package.mkdir(parents=True)
    windows = Home(tmp_path, {"APPDATA": str(tmp_path / "Roaming"), "LOCALAPPDATA": str(tmp_path / "Local")}, "windows")
    mac = Home(tmp_path, {}, "mac")

    def places(home: Home) -> list[Path]:
        return [each.path.parent for each in placed_by(find("claude-desktop"), probe(hub, home, None))]

    assert places(mac) == [tmp_path / "Library" / "Application Support" / "Claude"]
    assert places(windows) == [tmp_path / "Roaming" / "Claude", package]


def test_a_path_with_blanks_is_copied_and_not_imported(tmp_path: Path, home: Home) -> None:
    hub = make_hub(tmp_path / "my hub 记忆")

    join(hub, find("claude-code"), home=home)

    text = (home.folder / ".claude" / "rules" / "agent-soul.md").read_text()
    assert "Ships payments" in text
    assert "\n@" not in text


def test_what_changed_is_named(tmp_path: Path, home: Home) -> None:
    hub = make_hub(tmp_path / "hub")
    file = home.folder / ".gemini" / "settings.json"
    file.parent.mkdir()
    file.write_text("{}")

    first = join(hub, find("gemini"), home=home).plan
    then = join(hub, find("gemini"), home=home, options=Options(mcp=True)).plan
    last = end_join(hub, find("gemini"), home=home).plan

    assert [change.what for change in first.changes if change.path == file] == ["hooks"]
    assert [(change.path, change.what) for change in then.changes] == [(file, "MCP server")]
    assert [change.what for change in last.changes if change.path == file] == ["hooks, MCP server"]


@pytest.mark.parametrize("name", [name for name, runtime in RUNTIMES.items() if runtime.project_parts])
def test_a_project_is_left_as_it_was(name: str, tmp_path: Path, home: Home) -> None:
    hub = make_hub(tmp_path / "hub")
    project = tmp_path / "my project" / "part"
    project.mkdir(parents=True)
    git(project.parent, "init", "-q")
    (project / "AGENTS.md").write_text("Mine, without a line end")
    before, status = picture(project.parent), git(project, "status", "--porcelain", "--untracked-files=all")

    join(hub, find(name), home=home, project=project, options=EVERYTHING)
    hidden = git(project, "status", "--porcelain", "--untracked-files=all")
    assert hidden in (status, "")
    assert any("Ships payments" in path.read_text() for path in project.rglob("*") if path.is_file())
    assert not join(hub, find(name), home=home, project=project, options=EVERYTHING).plan.changes
    end_join(hub, find(name), home=home, project=project)

    assert picture(project.parent) == before
    assert picture(home.folder) == {}


def test_an_agent_does_not_give_its_own_id_away(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    """Agents have their id in the environment, and are asked to join other programs."""
    monkeypatch.setenv("AGENT_SOUL_SOURCE", "home-claude")

    assert run("join", "codex")["source"] != "home-claude"


NOTED = {
    ("claude-code", ".claude/settings.json", '{"enabledPlugins": {"agent-soul@agent-soul": true}}'): "our plugin",
    ("codex", ".codex/AGENTS.override.md", "Mine."): "ignores AGENTS.md",
    ("codex", ".codex/config.toml", "[[hooks.Stop]]\n"): "keep all hooks in hooks.json",
}


@pytest.mark.parametrize(("name", "file", "text"), NOTED)
def test_what_stands_in_the_way_is_said(name: str, file: str, text: str, tmp_path: Path, home: Home) -> None:
    place = home.folder / file
    place.parent.mkdir()
    (place.parent / "config.toml").write_text('[hooks.state]\n"x" = 1\n')
    hub = make_hub(tmp_path / "hub")
    assert join(hub, find(name), home=home, source="my-agent", apply=False).notes == ()
    place.write_text(text)

    [note] = join(hub, find(name), home=home).notes

    assert NOTED[name, file, text] in note


def test_what_was_asked_for_beside_is_told(tmp_path: Path, home: Home) -> None:
    hub = make_hub(tmp_path / "hub")

    for name, options, said in (
        ("zed", Options(allow=True), "Zed keeps no list of what needs no permission: --allow adds nothing"),
        ("codex", Options(allow=True, mcp=True), ""),
    ):
        notes = join(hub, find(name), options=options, home=home).notes
        assert [note for note in notes if "--allow" in note] == ([said] if said else [])


def test_whoever_has_to_trust_hooks_is_told_to() -> None:
    for runtime in RUNTIMES.values():
        steps = " ".join(runtime.afterwards)
        assert ("trust our hooks" in steps) == (runtime.untrusted is not None), runtime.name


def test_what_needs_no_permission_is_offered_once(tmp_path: Path, home: Home) -> None:
    hub = make_hub(tmp_path / "hub")
    plain, allowing = Options(), Options(allow=True)

    def offered(name: str, options: Options = plain) -> str:
        return join(hub, find(name), options=options, home=home).offer

    assert offered("claude-code").startswith("`soul join claude-code --allow`, if ")
    assert offered("zed") == ""
    assert offered("claude-code", allowing) == ""
    assert offered("claude-code") == ""


def test_where_only_a_program_can_be_allowed_a_script_gets_no_rule_and_that_is_said(
    tmp_path: Path, home: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    hub = make_hub(tmp_path / "hub")
    for program, is_said in ((("python3", f"{hub.root}/scripts/soul.py"), True), (("/opt/soul",), False)):
        monkeypatch.setattr("agent_soul.runtimes.machine.lasting_program", lambda _, program=program: program)
        notes = join(hub, find("cursor"), options=Options(allow=True), home=home, apply=False).notes
        assert any(note.startswith("--allow adds no rule: Cursor allows whole programs") for note in notes) is is_said


def test_hooks_start_what_will_be_there_tomorrow(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An installed command; else the hub's own script, for what `uvx` or the hub's environment holds goes again."""
    hub = make_hub(tmp_path / "hub")
    installed, fetched = tmp_path / "bin" / "soul", tmp_path / "uv" / "archive-v0" / "x" / "bin" / "soul"
    private = hub.state / "venv-1" / "bin" / "soul"
    for program in (installed, fetched, private):
        program.parent.mkdir(parents=True)
        program.touch(mode=0o755)

    def started(scripts: Path, path: Path) -> tuple[str, ...]:
        monkeypatch.setattr(sysconfig, "get_path", lambda _: str(scripts))
        monkeypatch.setenv("PATH", str(path))
        return lasting_program(hub)

    nowhere = tmp_path / "nowhere"
    script = ("python3", f"{hub.root}/scripts/soul.py")
    assert started(installed.parent, nowhere) == (str(installed),)
    assert started(private.parent, installed.parent) == (str(installed),)
    for folder in (fetched.parent, private.parent):
        assert started(folder, folder) == script
    offered = tmp_path / "system" / "bin" / "python3"
    offered.parent.mkdir(parents=True)
    offered.touch(mode=0o755)
    assert started(nowhere, offered.parent) == (str(offered), script[1])
    (tmp_path / "system" / "pyvenv.cfg").touch()
    assert started(nowhere, offered.parent) == script
    (hub.root / "scripts" / "soul.py").unlink()
    with pytest.raises(StoppedError, match="still be there tomorrow"):
        started(nowhere, nowhere)


def test_the_end_of_a_join_takes_out_what_it_can(tmp_path: Path, home: Home) -> None:
    """One file that nobody can edit, and one that is read-only, are named; all else goes, and the rest later."""
    hub = make_hub(tmp_path / "hub")
    mine = home.folder / ".claude" / "CLAUDE.md"
    mine.parent.mkdir()
    before = picture(home.folder)
    join(hub, find("claude-code"), home=home, options=EVERYTHING)
    settings_file, rules = (
        home.folder / ".claude" / "settings.json",
        home.folder / ".claude" / "rules" / "agent-soul.md",
    )
    whole = settings_file.read_text()
    settings_file.write_text(whole[:-9])
    rules.chmod(0o444)

    plan = end_join(hub, find("claude-code"), home=home).plan

    assert {odd.path for odd in plan.odd} == {settings_file, rules}
    assert all(odd.reason and odd.snippet for odd in plan.odd)
    assert sorted(path for path in home.folder.rglob("*") if path.is_file()) == [rules, settings_file]
    rules.chmod(0o644)
    settings_file.write_text(whole)
    assert not end_join(hub, find("claude-code"), home=home).plan.odd
    assert picture(home.folder) == before


def test_a_join_that_cannot_be_noted_is_none(tmp_path: Path, home: Home) -> None:
    """Nobody would remember the folders that were made for it, nor bring its copies up to date."""
    hub = make_hub(tmp_path / "hub")
    (hub.state / "joined.json").mkdir(parents=True)

    with pytest.raises(StoppedError, match=r"joined\.json cannot be written"):
        join(hub, find("codex"), home=home)

    assert picture(home.folder) == {}


def test_joins_are_found_again_without_their_note(tmp_path: Path, home: Home) -> None:
    hub = make_hub(tmp_path / "hub")
    join(hub, find("codex"), home=home)
    (hub.state / "joined.json").unlink()
    (hub.canonical / "profile.md").write_text("# Profile\n\n- Prefers uv. (cccccccc 2026-11-30)\n", encoding="utf-8")

    find_again(hub, home=home)

    assert [change.path.name for change in rerender(hub, home=home)] == ["AGENTS.md"]


def test_joins_at_the_same_time_forget_no_folder(tmp_path: Path, hub: Path, soul: Soul) -> None:
    (hub / "scripts").mkdir()
    (hub / "scripts" / "soul.py").write_text("")
    folder = tmp_path / "home"
    folder.mkdir()
    names = ("codex", "zed", "gemini", "opencode")

    def all_at_once(*more: str) -> None:
        with ThreadPoolExecutor(len(names)) as pool:
            list(pool.map(lambda name: soul("join", name, *more, env={"HOME": str(folder)}), names))

    all_at_once()
    assert (folder / ".gemini" / "GEMINI.md").is_file()
    all_at_once("--uninstall")

    assert picture(folder) == {}


def test_what_killed_joins_left_is_removed_and_what_a_living_one_writes_is_not(tmp_path: Path, home: Home) -> None:
    hub = make_hub(tmp_path / "hub")
    folder = home.folder / ".codex"
    folder.mkdir()
    died = subprocess.Popen([sys.executable, "-c", ""])
    died.wait()
    names = [f".agent-soul.{pid}.0a1b2c3d.tmp" for pid in (died.pid, os.getppid())] + [".agent-soul.mine.tmp"]
    for name in names:
        (folder / name).write_text("half of a file")

    removed = sweep_joins(hub, home=home)

    assert [path.name for path in removed] == names[:1]
    assert sorted(path.name for path in folder.iterdir()) == sorted(names[1:])


def test_a_link_that_leads_nowhere_costs_only_its_file(tmp_path: Path, home: Home) -> None:
    """Writing through it would make a file, or a folder, that its owner did not think of."""
    hub = make_hub(tmp_path / "hub")
    (home.folder / ".claude").mkdir()
    (home.folder / ".claude" / "settings.json").symlink_to(tmp_path / "not mounted" / "settings.json")
    (home.folder / ".agents").symlink_to(".agents")
    before = picture(home.folder)

    outcome = join(hub, find("claude-code"), home=home)
    others = join(hub, find("codex"), home=home)

    assert [odd.path.name for odd in outcome.plan.odd] == ["settings.json", "SKILL.md"]
    assert [odd.path.name for odd in others.plan.odd] == ["SKILL.md"]
    assert not (tmp_path / "not mounted").exists()
    assert [each.runtime.name for each in joined(hub, home=home)] == ["claude-code", "codex"]
    end_join(hub, find("claude-code"), home=home)
    end_join(hub, find("codex"), home=home)
    assert picture(home.folder) == before


def test_a_note_within_our_part_is_kept_beside_the_file(tmp_path: Path, home: Home) -> None:
    """What a person wrote between our comments, in the skill or among our rules goes at the next compile and join."""
    hub = make_hub(tmp_path / "hub")
    place = home.folder / ".codex" / "AGENTS.md"
    skill = home.folder / ".agents" / "skills" / "agent-soul" / "SKILL.md"
    place.parent.mkdir()
    place.write_text("Mine.\n")
    join(hub, find("codex"), home=home, options=EVERYTHING)
    rules = place.parent / "rules" / "agent-soul.rules"
    title = "\n# Shared memory"
    noted = {file: file.read_text().replace(title, f"\nA NOTE{title}") for file in (place, skill)}
    noted[rules] = f"{rules.read_text()}# A NOTE\n"
    for file, text in noted.items():
        file.write_text(text)

    [kept, _] = rerender(hub, home=home)
    join(hub, find("codex"), home=home, options=EVERYTHING)
    assert not join(hub, find("codex"), home=home, options=EVERYTHING).plan.changes
    end_join(hub, find("codex"), home=home)

    assert "changed our part" in kept.what
    assert place.read_text() == "Mine.\n"
    left = [path for path in home.folder.rglob("*") if path.is_file() and path != place]
    assert sorted(path.read_text() for path in left) == sorted(noted.values())
    assert all(path.name.endswith(BACKUP) for path in left)


@pytest.mark.parametrize(
    "said", ["read: CONVENTIONS.md\n", "model: x # mine\nread: [ CONVENTIONS.md ]", "read: []\r\n"]
)
def test_what_aider_reads_already_stays(said: str, tmp_path: Path, home: Home) -> None:
    hub = make_hub(tmp_path / "hub")
    file = home.folder / ".aider.conf.yml"
    file.write_bytes(said.encode())
    before = picture(home.folder)

    outcome = join(hub, find("aider"), home=home)
    ours = (home.folder / ".aider" / "agent-soul.md").as_posix()
    text = file.read_bytes().decode()
    assert not outcome.plan.odd
    assert ours in text
    assert ("CONVENTIONS.md" in text) == ("CONVENTIONS.md" in said)
    assert not join(hub, find("aider"), home=home).plan.changes
    end_join(hub, find("aider"), home=home)
    assert picture(home.folder) == before


@pytest.mark.parametrize("when", ["at once", "after a look", "before another join"])
def test_folders_of_joins_are_found_where_the_note_is_lost(when: str, tmp_path: Path, home: Home) -> None:
    """Those that hold nothing but ours; others stay, and so does what a person put beside it."""
    hub = make_hub(tmp_path / "hub")
    (home.folder / ".codex").mkdir()
    (home.folder / ".codex" / "config.toml").write_text("# mine\n")
    before = picture(home.folder)
    for name in ("codex", "claude-code", "aider"):
        join(hub, find(name), home=home, options=EVERYTHING)
    (hub.state / "joined.json").unlink()

    if when == "after a look":
        find_again(hub, home=home)
        (home.folder / ".codex" / "config.toml").unlink()  # the folder was a person's, and stays that
        del before[".codex/config.toml"]
    if when == "before another join":
        join(hub, find("zed"), home=home)
        end_join(hub, find("zed"), home=home)
    (home.folder / ".claude" / "skills" / "mine").mkdir()
    for name in ("codex", "aider", "claude-code"):
        end_join(hub, find(name), home=home)

    assert picture(home.folder).keys() == before.keys() | {".claude", ".claude/skills", ".claude/skills/mine"}
    assert not (hub.state / "joined.json").exists()


@pytest.mark.parametrize("way", ["work in it", "Claude Code's settings", "Codex's settings", "its own join"])
def test_projects_are_found_where_the_note_is_lost(
    way: str, tmp_path: Path, home: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    hub, project = make_hub(tmp_path / "hub"), tmp_path / "project"
    (project / "src").mkdir(parents=True)
    join(hub, find("codex"), home=home)
    join(hub, find("codex"), home=home, project=project)
    (hub.state / "joined.json").unlink()
    if way == "Claude Code's settings":
        (home.folder / ".claude.json").write_text(json.dumps({"projects": {str(project): {}}}))
    if way == "Codex's settings":
        (home.folder / ".codex" / "config.toml").write_text(f'[projects."{project}"]\ntrust_level = "trusted"\n')
    find_again(hub, home=home, near=home.folder)
    is_known = [each.project for each in joined(hub, home=home)] == [None, project]
    assert is_known == ("settings" in way)

    if way == "work in it":
        monkeypatch.chdir(project / "src")
        find_again(hub, home=home)
    if way == "its own join":
        end_join(hub, find("codex"), home=home, project=project)
        assert not list(project.glob("*.md"))
    else:
        assert [each.project for each in joined(hub, home=home)] == [None, project]
        (hub.canonical / "profile.md").write_text("# Profile\n\n- Prefers uv. (cccccccc 2026-11-30)\n")
        rerender(hub, home=home)
        assert "Prefers uv" in (project / "AGENTS.md").read_text("utf-8")


def test_a_home_is_no_project(tmp_path: Path, home: Home) -> None:
    """Its files are those of the join in it, in the same places."""
    hub = make_hub(tmp_path / "hub")
    join(hub, find("claude-code"), home=home)
    (hub.state / "joined.json").unlink()
    (home.folder / ".claude.json").write_text(json.dumps({"projects": {str(home.folder): {}, "/": {}, "relative": 1}}))

    find_again(hub, home=home, near=home.folder / ".claude")

    assert [each.project for each in joined(hub, home=home)] == [None]


def test_a_server_of_our_name_stays_and_the_rest_is_joined(tmp_path: Path, home: Home) -> None:
    hub = make_hub(tmp_path / "hub")
    file = home.folder / ".gemini" / "settings.json"
    file.parent.mkdir()
    file.write_text('{"mcpServers": {"agent-soul": {"command": "npx", "env": {"KEY": "mine"}}}}')
    before = picture(home.folder)

    outcome = join(hub, find("gemini"), home=home, options=Options(mcp=True))
    text = file.read_text()
    end_join(hub, find("gemini"), home=home)

    assert [odd.path for odd in outcome.plan.odd] == [file]
    assert '"mcp"' in outcome.plan.odd[0].snippet
    assert '{"command": "npx", "env": {"KEY": "mine"}}' in text
    assert '"hooks"' in text
    assert picture(home.folder) == before


def test_a_copy_stays_where_the_file_cannot_be_what_it_was(tmp_path: Path, home: Home) -> None:
    """A program wrote its settings anew without the comment; the next join leaves the older copy alone, too."""
    hub = make_hub(tmp_path / "hub")
    file = home.folder / ".gemini" / "settings.json"
    file.parent.mkdir()
    file.write_text('{"hooks": {/* mine */}}')
    join(hub, find("gemini"), home=home)
    file.write_text(file.read_text().replace("/* mine */", "").replace('{"hooks"', '{"theme": "dark", "hooks"'))

    [note] = end_join(hub, find("gemini"), home=home).notes
    again = file.read_text()
    copy = file.with_name(f"{file.name}{BACKUP}")
    assert str(copy) in note
    assert copy.read_text() == '{"hooks": {/* mine */}}'
    join(hub, find("gemini"), home=home)
    end_join(hub, find("gemini"), home=home)

    assert file.read_text() == again
    assert [path.read_text() for path in file.parent.glob(f"*{BACKUP}")] == ['{"hooks": {/* mine */}}']


def test_a_join_of_another_machine_leaves_a_copy_too(tmp_path: Path, home: Home) -> None:
    """Settings that came with dotfiles hold a join of a hub that is not here, and what is a person's."""
    first, second = make_hub(tmp_path / "first"), make_hub(tmp_path / "second")
    file = home.folder / ".gemini" / "settings.json"
    join(first, find("gemini"), home=home)
    file.write_text(text := file.read_text().replace("{", '{"theme": "dark", ', 1))
    first.root.rename(tmp_path / "gone")

    join(second, find("gemini"), home=home, replaces=True)
    assert file.with_name(f"{file.name}{BACKUP}").read_text() == text
    end_join(second, find("gemini"), home=home)

    assert json.loads(file.read_text()) == {"theme": "dark"}
    assert not list(home.folder.rglob(f"*{BACKUP}"))


def test_what_is_joined_elsewhere_is_not_forgotten(tmp_path: Path) -> None:
    """A variable that led to the program's files is not set any more: that is said, and the next time finds them."""
    hub = make_hub(tmp_path / "hub")
    moved = home_in(tmp_path / "home", CODEX_HOME=str(tmp_path / "codex"))
    join(hub, find("codex"), home=moved)

    [note] = end_join(hub, find("codex"), home=home_in(tmp_path / "home")).notes

    assert "$CODEX_HOME" in note
    assert (hub.state / "joined.json").exists()
    assert joined(hub, home=moved)
    assert end_join(hub, find("codex"), home=moved).notes == ()
    assert not (tmp_path / "codex").exists()
    assert not (hub.state / "joined.json").exists()


@pytest.mark.parametrize("kind", ["empty folder", "nothing", "our own file"])
def test_no_link_at_the_skills_place_is_written_through(kind: str, tmp_path: Path, home: Home) -> None:
    hub = make_hub(tmp_path / "hub")
    place, mine = home.folder / ".agents" / "skills" / "agent-soul", tmp_path / "mine"
    place.parent.mkdir(parents=True)
    if kind == "our own file":  # as dotfiles keep it
        join(hub, find("zed"), home=home_in(tmp_path / "other"))
        place.mkdir()
        (place / "SKILL.md").symlink_to(tmp_path / "other" / ".agents" / "skills" / "agent-soul" / "SKILL.md")
    else:
        place.symlink_to(mine)
    if kind == "empty folder":
        mine.mkdir()
    before = picture(tmp_path)

    outcome = join(hub, find("zed"), home=home)
    end_join(hub, find("zed"), home=home)

    assert [odd.path.name for odd in outcome.plan.odd] == ["SKILL.md"]
    why = "which is not there" if kind == "nothing" else "a link in its place leads to"
    assert why in outcome.plan.odd[0].reason
    after = picture(tmp_path)
    assert {name: each for name, each in after.items() if not name.startswith("hub")} == {
        name: each for name, each in before.items() if not name.startswith("hub")
    }


@pytest.mark.parametrize("kind", ["file", "link to a file", "folder of skills that is a link to nowhere"])
@pytest.mark.parametrize("name", ["claude-code", "zed"])
def test_what_bars_the_skill_stays_and_the_rest_is_joined(name: str, kind: str, tmp_path: Path, home: Home) -> None:
    hub = make_hub(tmp_path / "hub")
    place = home.folder / (".claude" if name == "claude-code" else ".agents") / "skills" / "agent-soul"
    place.parent.parent.mkdir(parents=True, exist_ok=True)
    if kind.startswith("folder"):
        place.parent.symlink_to(tmp_path / "nowhere")
    else:
        place.parent.mkdir()
        target = place if kind == "file" else tmp_path / "mine"
        target.write_text("mine", encoding="utf-8")
        if target != place:
            place.symlink_to(target)
    before = picture(home.folder)

    outcome = join(hub, find(name), home=home)
    assert [standing.runtime.name for standing in joined(hub, home=home)] == [name]
    end_join(hub, find(name), home=home)

    assert len(outcome.plan.odd) == 1
    assert picture(home.folder) == before


def test_the_skill_is_installed_once_and_linked(tmp_path: Path, home: Home) -> None:
    """The link goes with Claude Code; the skill stays while another program reads it."""
    hub = make_hub(tmp_path / "hub")
    skill, link = (home.folder / place / "skills" / "agent-soul" for place in (".agents", ".claude"))
    join(hub, find("claude-code"), home=home)
    join(hub, find("codex"), home=home)

    assert link.readlink() == skill
    assert not skill.is_symlink()
    assert not join(hub, find("claude-code"), home=home).plan.changes
    end_join(hub, find("claude-code"), home=home)
    assert not (home.folder / ".claude").exists()
    assert "for=codex" in (skill / "SKILL.md").read_text("utf-8")
    end_join(hub, find("codex"), home=home)
    assert picture(home.folder) == {}


@pytest.mark.parametrize(
    ("kind", "is_linked", "says"),
    [
        ("ours", True, ""),
        ("ours, changed by hand", False, "more than our copy"),
        ("beside something else", False, "more than our copy"),
        ("in a folder of the person's", False, "was there before"),
    ],
)
def test_a_copy_of_before_becomes_a_link(kind: str, is_linked: bool, says: str, tmp_path: Path, home: Home) -> None:
    """Only where nothing but what an earlier join made goes for it; the end of the join leaves the rest."""
    hub = make_hub(tmp_path / "hub")
    skill, link = (home.folder / place / "skills" / "agent-soul" for place in (".agents", ".claude"))
    join(hub, find("claude-code"), home=home)
    copied = (skill / "SKILL.md").read_text("utf-8")
    link.unlink()
    link.mkdir()
    (link / "SKILL.md").write_text(f"{'Mine. ' if 'changed' in kind else ''}{copied}", encoding="utf-8")
    if kind == "beside something else":
        (link / "mine.md").write_text("Mine.")
    if "person" not in kind:
        write_note(hub, read_note(hub).with_folders([link]))

    outcome = join(hub, find("claude-code"), home=home)
    again = join(hub, find("claude-code"), home=home)

    assert link.is_symlink() is is_linked
    assert not again.plan.changes
    assert (link / "SKILL.md").read_text("utf-8") == copied
    assert [note for note in outcome.notes if says in note] == list(outcome.notes)
    assert bool(outcome.notes) is not is_linked
    end_join(hub, find("claude-code"), home=home)
    left = [path.read_text("utf-8") for path in home.folder.rglob("*") if path.is_file()]
    assert left == {"ours, changed by hand": [f"Mine. {copied}"], "beside something else": ["Mine."]}.get(kind, [])


def test_where_no_link_can_be_made_the_skill_is_copied(
    tmp_path: Path, home: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As on Windows without the right to."""
    hub = make_hub(tmp_path / "hub")

    def refuse(*arguments: object, **options: object) -> None:
        raise PermissionError(1, "Operation not permitted")

    monkeypatch.setattr(Path, "symlink_to", refuse)
    outcome = join(hub, find("claude-code"), home=home)

    skill, copy = (home.folder / place / "skills" / "agent-soul" for place in (".agents", ".claude"))
    assert (copy / "SKILL.md").read_text("utf-8") == (skill / "SKILL.md").read_text("utf-8")
    assert [note for note in outcome.notes if "no link can be made there" in note]
    assert not join(hub, find("claude-code"), home=home).plan.changes
    end_join(hub, find("claude-code"), home=home)
    assert picture(home.folder) == {}


def test_a_copy_comes_back_where_the_system_refuses_later(tmp_path: Path, home: Home) -> None:
    copy, link, file = (tmp_path / name for name in ("skill/SKILL.md", "skill", "no folder/file"))
    copy.parent.mkdir()
    copy.write_text("A copy.")
    file.parent.write_text("in the way")
    before = picture(tmp_path)

    changes = [
        Change(copy, b"A copy.", None, ""),
        Change(link, None, os.fsencode(home.folder), "", is_link=True),
        Change(file, None, b"x", ""),
    ]
    with pytest.raises(StoppedError):
        write(changes)
    assert picture(tmp_path) == before


def test_a_skill_of_somebody_elses_is_not_linked_to(tmp_path: Path, home: Home) -> None:
    """A link would give Claude Code that one, and ours to nobody."""
    hub = make_hub(tmp_path / "hub")
    skill, copy = (home.folder / place / "skills" / "agent-soul" for place in (".agents", ".claude"))
    skill.mkdir(parents=True)
    (skill / "SKILL.md").write_text("Mine.\n")
    before = picture(home.folder)

    outcome = join(hub, find("claude-code"), home=home)

    assert [odd.path for odd in outcome.plan.odd] == [skill / "SKILL.md"]
    assert "# Shared memory" in (copy / "SKILL.md").read_text("utf-8")
    assert [note for note in outcome.notes if "somebody else's" in note]
    end_join(hub, find("claude-code"), home=home)
    assert picture(home.folder) == before


def test_folders_of_skills_that_are_one_hold_one_skill(tmp_path: Path, home: Home) -> None:
    """As people link `~/.claude/skills` to `~/.agents/skills`: a link there would lead to itself."""
    hub = make_hub(tmp_path / "hub")
    (home.folder / ".agents" / "skills").mkdir(parents=True)
    (home.folder / ".claude").mkdir()
    (home.folder / ".claude" / "skills").symlink_to(home.folder / ".agents" / "skills")
    before = picture(home.folder)

    join(hub, find("claude-code"), home=home)
    assert "# Shared memory" in (home.folder / ".claude/skills/agent-soul/SKILL.md").read_text("utf-8")
    assert not join(hub, find("claude-code"), home=home).plan.changes
    end_join(hub, find("claude-code"), home=home)
    assert picture(home.folder) == before


def test_programs_that_share_a_skill_share_a_hub(tmp_path: Path, home: Home) -> None:
    """Its commands name one; what to end first is named by the program that is joined there."""
    first, second = make_hub(tmp_path / "first"), make_hub(tmp_path / "second")
    join(first, find("codex"), home=home)

    with pytest.raises(RefusedError, match="belongs to the join of another hub") as caught:
        join(second, find("zed"), home=home)
    assert "soul join codex --uninstall" in caught.value.hint

    assert [each.runtime.name for each in joined(first, home=home)] == ["codex"]
    end_join(first, find("codex"), home=home)
    join(second, find("zed"), home=home)
    end_join(second, find("zed"), home=home)
    assert picture(home.folder) == {}
