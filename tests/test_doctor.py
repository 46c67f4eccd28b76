"""`soul doctor`: every trouble is found in a hub that has it and in no other, and `--fix` mends what it may."""

from __future__ import annotations

import base64
import json
import os
import shutil
import time
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
import yaml

from agent_soul import outbox
from agent_soul.adding import add
from agent_soul.cli import main
from agent_soul.compiler import compile_hub
from agent_soul.config import default_config
from agent_soul.doctor.clone import Clone, check_clone
from agent_soul.doctor.examining import examine
from agent_soul.doctor.facts import gather
from agent_soul.doctor.files import missing_attributes
from agent_soul.doctor.finding import Finding, grouped
from agent_soul.doctor.fixing import fix
from agent_soul.doctor.joins import written_elsewhere
from agent_soul.doctor.runtimes import STATIC, Joined, Reading, check_joined
from agent_soul.doctor.secrets import check_secrets
from agent_soul.doctor.workflows import check_workflows
from agent_soul.founding.shipped import shipped_files
from agent_soul.gitio import Sight
from agent_soul.hub import open_hub
from agent_soul.identity import L0_FILES
from agent_soul.log import read_source_files
from agent_soul.runtimes.joining import join
from agent_soul.runtimes.machine import lasting_program
from agent_soul.runtimes.registry import find
from agent_soul.sessions import end_session, start_session
from agent_soul.sync import sync
from conftest import ROOT, SHARED
from joins import trust_of
from support import git, world_of_a_hub, write_log

NOW = datetime.now(UTC).astimezone()
RECORD = {"source": "my-mac", "kind": "fact", "scope": "stable"}
Spoil = Callable[[Path], object]
on_posix = pytest.mark.skipif(os.name == "nt", reason="a program of sh")


@pytest.fixture(scope="module")
def sound(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with `mine`, a hub in which nothing is to be mended, and its remote `remote.git`."""
    world = tmp_path_factory.mktemp("sound")
    with world_of_a_hub(world) as hub:
        for name in L0_FILES:
            (hub / name).write_text(f"# {name}\n- Be exact.\n", encoding="utf-8")
        commit(hub)
        add(open_hub(hub), {**RECORD, "summary": "The build server is called Ada."})
        sync(open_hub(hub))
        git(hub, "push", "-q", "-u", "origin", "main")
    return world


@pytest.fixture
def mine(sound: Path, tmp_path: Path) -> Path:
    """Return a copy of the sound hub, with its remote beside it, to be spoilt."""
    shutil.copytree(sound, tmp_path / "world", symlinks=True)
    return tmp_path / "world" / "mine"


def commit(folder: Path) -> None:
    git(folder, "add", "-A")
    git(folder, "-c", "user.name=t", "-c", "user.email=t@example.invalid", "commit", "-q", "-m", "work")


def found(hub: Path, *, now: datetime = NOW) -> list[Finding]:
    return list(examine(gather(open_hub(hub), now)))


def codes(hub: Path) -> list[str]:
    return [finding.code for finding in found(hub)]


def test_nothing_is_found_in_a_sound_hub(mine: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert found(mine) == []
    assert main(["doctor", "--json", "--hub", str(mine)]) == 0
    assert json.loads(capsys.readouterr().out) == {"ok": True, "findings": []}


# Spoilt hubs


def event(**fields: Any) -> dict[str, Any]:
    record = {"event_id": "spoilt-1", "ts": "2026-03-01T09:00:00Z", "summary": "The office is in Kiel.", **RECORD}
    return {**record, **fields}


def log_line(hub: Path, text: str) -> None:
    file = hub / "sources" / "by-hand" / "2026-03-01.ndjson"
    file.parent.mkdir(exist_ok=True)
    file.write_text(text, encoding="utf-8")


def recorded(hub: Path, *records: dict[str, Any]) -> None:
    """Bring the records into the log, the pages and the remote."""
    write_log(hub, *records)
    commit(hub)
    sync(open_hub(hub))


def edited(hub: Path, name: str, before: str, after: str) -> None:
    text = (hub / name).read_text(encoding="utf-8")
    assert before in text
    (hub / name).write_text(text.replace(before, after), encoding="utf-8")


def claims(hub: Path) -> None:
    claim = {"entity": "build server", "attribute": "name"}
    recorded(
        hub,
        event(event_id="claim-1", source="mac-a", claim={**claim, "value": "Ada"}, summary="The server is Ada."),
        event(event_id="claim-2", source="mac-b", claim={**claim, "value": "Bob"}, summary="The server is Bob."),
    )


def much(hub: Path, scope: str, number: int) -> None:
    today = datetime.now(UTC).isoformat()
    records = (
        event(event_id=f"much-{scope}-{n}", ts=today, scope=scope, summary=f"{scope} item {n}: {n * 7919} of 网络 {n}.")
        for n in range(number)
    )
    recorded(hub, *records)


def pushed_by_another(hub: Path) -> None:
    other = hub.parent / "other"
    git(hub.parent, "clone", "-q", "remote.git", "other")
    (other / "notes.md").write_text("x")
    commit(other)
    git(other, "push", "-q")
    git(hub, "fetch", "-q")


def diverged(hub: Path) -> None:
    pushed_by_another(hub)
    (hub / "own.md").write_text("y")
    commit(hub)


def in_a_rebase(hub: Path) -> None:
    (hub / ".git" / "rebase-merge").mkdir()


def detached(hub: Path) -> None:
    git(hub, "checkout", "-q", "--detach")


def undecided(hub: Path) -> None:
    git(hub, "checkout", "-q", "-b", "side")
    (hub / "USER.md").write_text("# USER.md\n- a\n", encoding="utf-8")
    commit(hub)
    git(hub, "checkout", "-q", "main")
    (hub / "USER.md").write_text("# USER.md\n- b\n", encoding="utf-8")
    commit(hub)
    with pytest.raises(AssertionError):
        git(hub, "merge", "side")


def locked(hub: Path) -> None:
    lock = hub / ".git" / "index.lock"
    lock.touch()
    os.utime(lock, (time.time() - 3600,) * 2)


def unreachable(hub: Path) -> None:
    (hub.parent / "remote.git").rename(hub.parent / "moved.git")


def head_elsewhere(hub: Path) -> None:
    git(hub.parent / "remote.git", "branch", "old", "main")
    git(hub.parent / "remote.git", "symbolic-ref", "HEAD", "refs/heads/old")


def head_nowhere(hub: Path) -> None:
    git(hub.parent / "remote.git", "symbolic-ref", "HEAD", "refs/heads/master")


def long_apart(hub: Path) -> None:
    note = hub / ".git" / "agent-soul" / "upstream.json"
    os.utime(note, (time.time() - 8 * 86400,) * 2)


def quiet(hub: Path) -> None:
    then = NOW - timedelta(days=20)
    recorded(hub, event(source="old-mac", ts=then.isoformat()))
    start_session(open_hub(hub), "old-mac", then)
    end_session(open_hub(hub), "old-mac", then + timedelta(minutes=3))


def silent_day(hub: Path) -> None:
    then = NOW - timedelta(days=2)
    start_session(open_hub(hub), "my-mac", then)
    end_session(open_hub(hub), "my-mac", then + timedelta(minutes=3))


def lost_lines(hub: Path) -> None:
    add(open_hub(hub), {**RECORD, "summary": "Reset by a person."})
    git(hub, "clean", "-fdxq")
    git(hub, "reset", "-q", "--hard")


def newer_pages(hub: Path) -> None:
    edited(hub, "canonical/index.md", "page format 2", "page format 9")


def without(name: str) -> Spoil:
    return lambda hub: (hub / name).unlink()


def changed(name: str, before: str, after: str) -> Spoil:
    return lambda hub: edited(hub, name, before, after)


COMPILE = ".github/workflows/auto-compile.yml"
NIGHTLY = ".github/workflows/nightly.yml"
GITHUB_TOKEN = "ghp_" + "aB3dE5gH7jK9mN1pQ3sT5vW7yZ9bC1dF3gH5"
SPOILT: dict[str, tuple[Spoil, str, str, str]] = {
    # What is wrong: how it comes about, the code, where, and the command or file of the remedy.
    "secret": (
        lambda hub: recorded(hub, event(summary=f"Use {GITHUB_TOKEN} here.")),
        "secret",
        "sources/",
        "soul retract",
    ),
    "secret in identity": (
        lambda hub: (hub / "USER.md").write_text(f"# U\n- {GITHUB_TOKEN}\n"),
        "secret",
        "USER.md:2",
        "USER.md",
    ),
    "settings broken": (
        lambda hub: (hub / "soul.yaml").write_text("template: maybe\n"),
        "settings",
        "soul.yaml",
        "mend",
    ),
    "settings misspelt": (changed("soul.yaml", "fuzzy_days:", "fuzy_days:"), "settings", "soul.yaml", "soul.yaml"),
    "no toolkit": (changed("soul.yaml", '"1.2"', '"x y"'), "toolkit", "soul.yaml", "write toolkit:"),
    "toolkit of this machine": (
        changed("soul.yaml", 'version: "1.2"', f'path: "{os.path.relpath(ROOT, "/")}"'),
        "toolkit",
        "soul.yaml",
        "toolkit",
    ),
    "template": (
        changed("soul.yaml", "template: false", "template: true"),
        "template",
        "soul.yaml",
        "soul init --here",
    ),
    "rebase": (in_a_rebase, "unfinished", ".git", "git rebase --abort"),
    "merge": (undecided, "unfinished", ".git", "git merge --abort"),
    "detached": (detached, "detached", ".git", "git switch main"),
    "lock": (locked, "git-lock", "index.lock", "rm '"),
    "unreachable": (unreachable, "unreachable", "git remote", "git ls-remote origin"),
    "another default branch": (head_elsewhere, "remote-head", "git remote", "refs/heads/main"),
    "no default branch": (head_nowhere, "remote-head", "git remote", "refs/heads/main"),
    "long apart": (long_apart, "apart", "git remote", "soul sync"),
    "behind": (pushed_by_another, "behind", "main", "soul sync"),
    "diverged": (diverged, "diverged", "main", "soul sync"),
    "never shared": (without(".git/agent-soul/upstream.json"), "never-shared", "git remote", "soul sync"),
    "state spoilt": (
        lambda hub: (hub / ".git/agent-soul/clone.json").write_text("["),
        "state",
        ".git/agent-soul/clone.json",
        "delete",
    ),
    "password in the address": (
        lambda hub: git(hub, "remote", "set-url", "origin", "https://me:s3cr3t@host.invalid/x.git"),
        "credentials",
        "git remote",
        "git remote set-url origin https://host.invalid/x.git",
    ),
    "unsent": (lambda hub: add(open_hub(hub), {**RECORD, "summary": "New."}), "unsent", "outbox", "soul sync"),
    "lost lines": (lost_lines, "lost-lines", "sources", "soul compile"),
    "bad line": (
        lambda hub: log_line(hub, "{broken\n"),
        "bad-line",
        "sources/by-hand/2026-03-01.ndjson:1",
        "soul validate",
    ),
    "two contents of an id": (
        lambda hub: recorded(hub, event(), event(summary="The office is in Bonn.")),
        "id-clash",
        "sources/my-mac",
        "soul resolve ID --keep",
    ),
    "newer lines": (
        lambda hub: recorded(hub, event(schema=99)),
        "newer-lines",
        "sources/my-mac",
        "update agent-soul",
    ),
    "identity missing": (without("VOICE.md"), "missing", "VOICE.md", "template"),
    "identity unfilled": (
        lambda hub: (hub / "SOUL.md").write_text("# S\n- [填写：使命]\n", encoding="utf-8"),
        "unfilled",
        "SOUL.md:2",
        "SOUL.md",
    ),
    "examples left": (
        lambda hub: (hub / "SOUL.md").write_text("# S\n> ✔ x\n", encoding="utf-8"),
        "examples",
        "SOUL.md",
        "delete",
    ),
    "identity too long": (lambda hub: (hub / "USER.md").write_text("word " * 2000), "over-budget", "USER.md", "events"),
    "pages stale": (without("canonical/stable-memory.md"), "stale-pages", "canonical", "soul compile"),
    "page edited by hand": (
        changed("canonical/stable-memory.md", "Ada", "Bob"),
        "stale-pages",
        "canonical",
        "soul compile",
    ),
    "page over its ceiling": (
        lambda hub: (hub / "canonical/profile.md").write_text("word " * 2000),
        "over-budget",
        "canonical/profile.md",
        "soul compile",
    ),
    "pages of a newer version": (newer_pages, "newer-pages", "canonical", "update agent-soul"),
    "contradiction": (claims, "conflicts", "canonical/conflicts.md", "soul conflicts"),
    "proposal waits": (lambda hub: recorded(hub, event(proposed=True)), "pending", "sources", "soul review"),
    "limit crossed": (
        lambda hub: (
            edited(hub, "soul.yaml", "thresholds: []", "thresholds: [{metric: ocr, min: 0.9, reason: x}]"),
            recorded(hub, event(kind="metric", metric={"name": "ocr", "value": 0.5})),
        ),
        "limit",
        "canonical/metrics.md",
        "soul metric --check",
    ),
    "too much lasting memory": (
        lambda hub: much(hub, "stable", 80),
        "overflow",
        "canonical/stable-memory.md",
        "soul dedup",
    ),
    "too much fuzzy memory": (
        lambda hub: much(hub, "fuzzy", 300),
        "overflow",
        "canonical/fuzzy-memory.md",
        "fuzzy_days",
    ),
    "quiet source": (quiet, "quiet", "old-mac", "hooks"),
    "silent day": (silent_day, "missed-write", "my-mac", "soul note --source my-mac"),
    "git attributes": (without(".gitattributes"), "gitattributes", ".gitattributes", "add them"),
    "script not executable": (
        lambda hub: (hub / "scripts/quick_share.sh").chmod(0o644),
        "not-executable",
        "scripts/quick_share.sh",
        "chmod +x",
    ),
    "set-up lacks a module": (
        without("scripts/agent_soul/lock.py"),
        "set-up",
        "scripts",
        "git checkout HEAD -- scripts",
    ),
    "set-up of another version": (
        lambda hub: (hub / "scripts/agent_soul/lock.py").write_text("# older\n"),
        "set-up",
        "scripts",
        "soul init",
    ),
    "no workflow": (
        lambda hub: [(hub / name).unlink() for name in (COMPILE, NIGHTLY)],
        "no-workflow",
        ".github/workflows",
        "auto-compile.yml",
    ),
    "workflow may not push": (
        changed(COMPILE, "contents: write", "contents: read"),
        "permissions",
        COMPILE,
        "contents: write",
    ),
    "workflow with an old Python": (changed(COMPILE, '"3.13"', '"3.9"'), "workflow-python", COMPILE, "3.13"),
    "workflow is cancelled": (
        changed(COMPILE, "cancel-in-progress: false", "cancel-in-progress: true"),
        "cancel",
        COMPILE,
        "false",
    ),
    "workflow on another branch": (changed(COMPILE, "[main]", "[master]"), "branch", ".github/workflows", "main"),
    "workflow is no YAML": (lambda hub: (hub / NIGHTLY).write_text("jobs: [\n"), "workflow", NIGHTLY, "mend it"),
}


@pytest.mark.parametrize("name", SPOILT)
def test_a_trouble_is_found_with_its_place_its_reason_and_its_remedy(mine: Path, name: str) -> None:
    spoil, code, where, mend = SPOILT[name]
    if code == "not-executable" and os.name == "nt":
        pytest.skip("Windows has no such bit")

    spoil(mine)

    [first, *_] = [finding for finding in found(mine) if finding.code == code]
    assert where in first.where
    assert mend in first.mend
    assert first.what
    assert first.why


def test_every_code_is_spoilt_once() -> None:
    """A check that no test has seen red may be one that cannot fail."""
    text = "".join(file.read_text(encoding="utf-8") for file in (ROOT / "src/agent_soul/doctor").glob("*.py"))
    known = set(yaml_codes(text))
    tried = {code for _, code, _, _ in SPOILT.values()} | {"no-git", "old-git", "ahead", "template-remote"}

    below = {"toolkit-here", "no-schedule", "template-guard", "no-compile", "moved-hub", "unread", "not-fixed"}
    # each of these has a test of its own
    assert known - tried - below == {code for _, code in JOINED_BADLY}


def yaml_codes(text: str) -> Iterator[str]:
    for part in text.split("Finding(")[1:]:
        first = part.split(",")[0].strip()
        if first.startswith('"'):
            yield first.strip('"')


# What people who keep such a hub run into, cause by cause, and the spoilt hub in which it is found.
TROUBLES: dict[str, tuple[str, ...]] = {
    "The workflow on GitHub fails": (
        "workflow with an old Python",
        "workflow is no YAML",
        "workflow may not push",
        "toolkit of this machine",
    ),
    "An agent does not know the newest memory": ("behind", "long apart", "unreachable", "pages stale", "unsent"),
    "Pages contradict themselves": ("contradiction",),
    "The fuzzy memory is too long": ("too much fuzzy memory", "no workflow"),
    "An event is refused, or a line cannot be read": ("bad line", "newer lines"),
    "Agents start slowly": ("identity too long", "too much lasting memory", "page over its ceiling"),
}


def test_every_trouble_is_in_the_documents_with_what_finds_it() -> None:
    text = (ROOT / "docs/doctor.md").read_text(encoding="utf-8")
    rows = {row.split(" | ")[0].removeprefix("| "): row for row in text.split("\n") if row.startswith("| ")}

    for trouble, causes in TROUBLES.items():
        assert [cause for cause in causes if f"`{SPOILT[cause][1]}`" not in rows[trouble]] == []


def test_every_code_is_in_the_documents() -> None:
    text = (ROOT / "docs/doctor.md").read_text(encoding="utf-8")
    code = "".join(file.read_text(encoding="utf-8") for file in (ROOT / "src/agent_soul/doctor").glob("*.py"))

    assert [each for each in sorted(set(yaml_codes(code))) if f"`{each}`" not in text] == []


# Mending


def all_bytes(hub: Path) -> dict[str, bytes]:
    return {
        str(file.relative_to(hub)): file.read_bytes()
        for file in sorted(hub.rglob("*"))
        if file.is_file() and ".git/" not in str(file)
    }


@pytest.mark.parametrize(
    "name",
    [
        "pages stale",
        "page edited by hand",
        "lost lines",
        "git attributes",
        "script not executable",
        "page over its ceiling",
    ],
)
def test_fix_mends_what_can_lose_nothing_and_then_does_nothing(
    mine: Path, name: str, capsys: pytest.CaptureFixture[str]
) -> None:
    spoil, code, _, _ = SPOILT[name]
    spoil(mine)
    assert code in codes(mine)
    capsys.readouterr()

    main(["doctor", "--fix", "--json", "--hub", str(mine)])
    first = json.loads(capsys.readouterr().out)
    after = all_bytes(mine)
    main(["doctor", "--fix", "--json", "--hub", str(mine)])
    second = json.loads(capsys.readouterr().out)

    assert first["fixed"]
    assert code not in [finding["code"] for finding in first["findings"]]
    assert second["fixed"] == []
    assert all_bytes(mine) == after


def test_fix_touches_nothing_that_it_does_not_name(mine: Path) -> None:
    for name in ("identity unfilled", "bad line", "settings misspelt", "workflow may not push", "unsent"):
        SPOILT[name][0](mine)
    compile_hub(open_hub(mine))
    before = all_bytes(mine)

    facts = gather(open_hub(mine), NOW)
    assert fix(facts, examine(facts)) == ((), ())

    assert all_bytes(mine) == before


def test_fix_removes_a_lock_of_ours_and_leaves_a_persons(mine: Path) -> None:
    hub = open_hub(mine)
    locked(mine)
    facts = gather(hub, NOW)
    assert fix(facts, examine(facts)) == ((), ())
    assert (mine / ".git" / "index.lock").exists()

    (hub.state / "git-at-work").touch()  # what a command of ours that was killed leaves
    made = (mine / ".git" / "index.lock").stat().st_mtime
    os.utime(hub.state / "git-at-work", (made - 1,) * 2)
    facts = gather(hub, NOW)

    [said] = fix(facts, examine(facts)).done
    assert said.endswith("index.lock")
    assert not (mine / ".git" / "index.lock").exists()


def test_fix_compiles_nothing_in_the_middle_of_a_rebase(mine: Path) -> None:
    (mine / "canonical/stable-memory.md").unlink()
    in_a_rebase(mine)
    facts = gather(open_hub(mine), NOW)

    assert fix(facts, examine(facts)) == ((), ())
    assert not (mine / "canonical/stable-memory.md").exists()


def test_fix_keeps_what_else_stands_in_gitattributes(mine: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (mine / ".gitattributes").write_bytes(b"*.png binary\r\nsources/**   -text\tmerge=union")

    main(["doctor", "--fix", "--hub", str(mine)])

    text = (mine / ".gitattributes").read_bytes().decode()
    assert text.startswith("*.png binary\r\nsources/**   -text\tmerge=union\ncanonical/**")
    assert text.count("sources/**") == 1
    assert missing_attributes(text, shipped_files()[".gitattributes"].decode()) == []
    assert "fixed: .gitattributes: added canonical/**" in capsys.readouterr().out


# What is said


def test_of_one_kind_three_are_named_and_the_rest_counted(mine: Path, capsys: pytest.CaptureFixture[str]) -> None:
    log_line(mine, "{broken\n" * 7)
    capsys.readouterr()

    assert main(["doctor", "--json", "--hub", str(mine)]) == 1
    few = [each for each in json.loads(capsys.readouterr().out)["findings"] if each["code"] == "bad-line"]
    assert main(["doctor", "--all", "--json", "--hub", str(mine)]) == 1
    every = [each for each in json.loads(capsys.readouterr().out)["findings"] if each["code"] == "bad-line"]

    assert [each["where"].rpartition(":")[2] for each in every] == list("1234567")
    assert few[:3] == every[:3]
    assert [each["what"] for each in few[3:]] == ["4 more of this kind"]
    assert few[3]["where"] == "sources/by-hand/2026-03-01.ndjson"
    assert "soul doctor --all" in few[3]["mend"]


def test_kinds_stay_together_and_in_order() -> None:
    findings = [Finding(code, str(n), "x", "y", "z") for n, code in enumerate("abacababb")]

    shown = [(each.code, each.what) for each in grouped(findings)]

    assert shown == [
        *[("a", "x")] * 3,
        ("a", "1 more of this kind"),
        *[("b", "x")] * 3,
        ("b", "1 more of this kind"),
        ("c", "x"),
    ]


def test_offline_nothing_is_asked_of_the_remote(mine: Path, capsys: pytest.CaptureFixture[str]) -> None:
    unreachable(mine)

    assert main(["doctor", "--offline", "--hub", str(mine)]) == 0
    assert main(["doctor", "--hub", str(mine)]) == 1
    assert "unreachable" not in capsys.readouterr().err


@on_posix
def test_a_remote_that_hangs_is_not_waited_for(mine: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    ssh = tmp_path / "ssh"
    ssh.write_text("#!/bin/sh\nsleep 60\n")
    ssh.chmod(0o755)
    monkeypatch.setenv("GIT_SSH_COMMAND", str(ssh))
    monkeypatch.setattr("agent_soul.gitio.looking._ASKING_SECONDS", 0.3)
    git(mine, "remote", "set-url", "origin", "ssh://host.invalid/x.git")
    started = time.monotonic()

    assert "unreachable" in codes(mine)
    assert time.monotonic() - started < 10


def test_without_git_the_rest_is_looked_at(mine: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(mine / "nowhere"))

    assert codes(mine) == ["no-git"]


def test_pages_behind_a_link_are_named_and_the_rest_looked_at(mine: Path) -> None:
    shutil.rmtree(mine / "canonical")
    (mine / "canonical").symlink_to(mine / "sources")
    (mine / "VOICE.md").unlink()

    assert {"no-compile", "missing"} <= set(codes(mine))


@pytest.mark.parametrize(
    ("path", "code"),
    [
        ("canonical", "no-compile"),
        ("canonical/index.md", "no-compile"),
        ("canonical/profile.md", "no-compile"),
        ("canonical/agents", "no-compile"),
        ("sources", "bad-line"),
        ("soul.yaml", "settings"),
        ("SOUL.md", "unread"),
        (".gitattributes", "unread"),
        (".github", ""),
    ],
)
def test_what_is_in_the_place_of_something_else_is_a_finding(
    path: str, code: str, mine: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    place = mine / path
    if place.is_dir():
        shutil.rmtree(place)
        place.write_text("mine\n")
    else:
        place.unlink(missing_ok=True)
        place.mkdir()
    capsys.readouterr()

    for fix_ in ([], ["--fix"], ["--fix"]):
        assert main(["doctor", "--offline", "--all", "--json", *fix_, "--hub", str(mine)]) == (1 if code else 0)
        findings = json.loads(capsys.readouterr().out)["findings"]
        named = [each["code"] for each in findings if path in f"{each['where']} {each['what']}" and each["mend"]]
        assert code in named or not code
    assert place.is_dir() or place.read_text() == "mine\n"


def test_what_cannot_be_fixed_is_a_finding_and_the_rest_is_mended(
    mine: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (mine / "canonical/stable-memory.md").unlink()
    (mine / ".gitattributes").unlink()
    hub = open_hub(mine)
    hub.lock_file.unlink(missing_ok=True)
    hub.lock_file.mkdir()
    capsys.readouterr()

    assert main(["doctor", "--fix", "--offline", "--json", "--hub", str(mine)]) == 1

    answer = json.loads(capsys.readouterr().out)
    assert [said.partition(":")[0] for said in answer["fixed"]] == [".gitattributes"]
    failed = answer["findings"][0]
    assert (failed["code"], failed["where"]) == ("not-fixed", "canonical")
    assert str(hub.lock_file) in failed["what"]


def test_a_remote_that_is_still_the_templates_is_named(mine: Path) -> None:
    edited(mine, "soul.yaml", "template: false", "template: true")
    commit(mine)
    git(mine, "push", "-q")
    edited(mine, "soul.yaml", "template: true", "template: false")

    assert "template-remote" in codes(mine)


def test_a_toolkit_that_only_this_machine_has_is_named(mine: Path) -> None:
    edited(mine, "soul.yaml", 'version: "1.2"', f'path: "{os.path.relpath(ROOT, mine)}"')

    assert codes(mine) == ["toolkit-here"]


# The clone, by what git says of it


def sight(**fields: Any) -> Sight:
    usual = Sight("main", "0" * 40, "", "origin", "https://host.invalid/x.git", "origin/main", 0, 0, {}, (2, 43, 0))
    return usual._replace(**fields)


@pytest.mark.parametrize(
    ("clone", "code"),
    [
        (Clone(sight(), apart_days=0), None),
        (Clone(sight(ahead=2), apart_days=0), "ahead"),
        (Clone(sight(behind=2), apart_days=0), "behind"),
        (Clone(sight(ahead=1, behind=2), apart_days=0), "diverged"),
        (Clone(sight(version=(2, 37, 9)), apart_days=0), "old-git"),
        (Clone(sight(version=(2, 38)), apart_days=0), None),
        (Clone(sight(), apart_days=6), None),
        (Clone(sight(), apart_days=7), "apart"),
        (Clone(sight(), apart_days=None), "never-shared"),
        (Clone(sight(locks={"index.lock": 599.0}), apart_days=0), None),
        (Clone(sight(locks={"index.lock": 600.0}), apart_days=0), "git-lock"),
        (Clone(sight(operation="bisect"), apart_days=0), "unfinished"),
        (Clone(sight(), ("USER.md",), apart_days=0), "unfinished"),
        (Clone(sight(), apart_days=0, writable=False), "state"),
        (Clone(sight(url="https://me:token@host.invalid/x.git"), apart_days=0), "credentials"),
        (Clone(sight(url="https://me@host.invalid/x.git"), apart_days=0), None),
        (Clone(sight(url="", remote="", upstream="")), None),
    ],
)
def test_the_state_of_a_clone(clone: Clone, code: str | None) -> None:
    assert [finding.code for finding in check_clone(clone)] == ([code] if code else [])
    if code in ("ahead", "behind", "apart", "never-shared"):
        assert list(check_clone(clone, is_template=True)) == []


def test_a_password_in_an_address_is_never_said() -> None:
    clone = Clone(sight(url="https://me:s3cr3t@host.invalid/x.git"), (), "it said no", 0)

    assert "s3cr3t" not in str(list(check_clone(clone)))


# Workflows


def shipped_workflows() -> dict[str, str]:
    folder = ".github/workflows/"
    return {
        path.removeprefix(folder): content.decode()
        for path, content in shipped_files().items()
        if path.startswith(folder)
    }


def test_the_workflows_that_ship_are_sound() -> None:
    assert list(check_workflows(shipped_workflows(), branch="main", is_template=True)) == []


@pytest.mark.parametrize("place", ["job", "workflow", "all"])
def test_permission_may_be_given_anywhere(place: str) -> None:
    flow = yaml.safe_load(shipped_workflows()["auto-compile.yml"])
    del flow["jobs"]["compile"]["permissions"], flow["permissions"]
    bare = yaml.safe_dump(flow)
    rights = "write-all" if place == "all" else {"contents": "write"}
    (flow["jobs"]["compile"] if place == "job" else flow)["permissions"] = rights

    def check(text: str) -> list[str]:
        return [each.code for each in check_workflows({"x.yml": text}, branch="main", is_template=False)]

    assert check(bare) == ["permissions"]
    assert check(yaml.safe_dump(flow)) == []


@pytest.mark.parametrize(
    ("before", "after", "code"),
    [
        ("  schedule:\n    - cron", "  repository_dispatch:\n    # - cron", "no-schedule"),
        ("    if: ${{ !github.event.repository.is_template }}\n", "", "template-guard"),
    ],
)
def test_workflows_of_a_template_run_once_a_day_and_in_copies_only(before: str, after: str, code: str) -> None:
    text = shipped_workflows()["auto-compile.yml"]
    assert before in text

    found = check_workflows({"x.yml": text.replace(before, after)}, branch="main", is_template=True)

    assert [each.code for each in found] == [code]


@pytest.mark.parametrize("text", ["", "[]", "jobs: {}", "jobs: {a: 1}", "on: push\njobs: {a: {steps: [1]}}", "a: &x 1"])
def test_odd_workflows_are_no_fault_of_ours(text: str) -> None:
    assert [each.code for each in check_workflows({"x.yml": text}, branch="main", is_template=False)] == ["no-workflow"]


# Joined programs

SOUND = Joined("codex", "Codex CLI", "mac-codex", "soul", readings=(Reading("AGENTS.md", 100, 100, "bytes"),))
JOINED_BADLY = [
    (SOUND._replace(fault="exit code 1"), "dead-hook"),
    (SOUND._replace(outdated=(("AGENTS.md", STATIC),)), "stale-static"),
    (SOUND._replace(outdated=(("hooks.json", "hooks"),)), "join-incomplete"),
    (SOUND._replace(odd=(("hooks.json", "it is no JSON"),)), "join-odd"),
    (SOUND._replace(notes=("AGENTS.override.md is there",)), "join-note"),
    (SOUND._replace(dead_links=(".claude/skills/agent-soul",)), "dead-link"),
    (SOUND._replace(untrusted=("stop",)), "untrusted-hooks"),
    (SOUND._replace(readings=(Reading("AGENTS.md", 101, 100, "bytes"),)), "over-limit"),
    (SOUND._replace(title="Cursor", name="cursor"), "same-source"),
    (SOUND._replace(source="elsewhere-codex"), "source-elsewhere"),
]


@pytest.mark.parametrize(("program", "code"), [(SOUND, None), *JOINED_BADLY])
def test_the_state_of_a_joined_program(program: Joined, code: str | None) -> None:
    programs = [SOUND, program] if code == "same-source" else [program]

    assert [each.code for each in check_joined(programs, {"elsewhere-codex"})] == ([code] if code else [])


@pytest.fixture
def joined_mine(mine: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a sound hub to which Codex and Claude Code are joined in a home of their own."""
    monkeypatch.setenv("HOME", str(tmp_path))
    for folder, name in ((".codex", "codex"), (".claude", "claude-code")):
        (tmp_path / folder).mkdir()
        join(open_hub(mine), find(name))
    (tmp_path / ".codex" / "config.toml").write_text(trust_of(tmp_path / ".codex" / "hooks.json"), encoding="utf-8")
    return mine


def test_joined_programs_are_sound_and_named(joined_mine: Path) -> None:
    assert found(joined_mine) == []
    assert {each.name for each in gather(open_hub(joined_mine), NOW).joined} == {"codex", "claude-code"}


def test_a_program_whose_text_is_spoilt_is_named(mine: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing else of it is left, so nobody can tell that it is joined to this hub, or to which."""
    monkeypatch.setenv("HOME", str(tmp_path))
    file = tmp_path / ".codeium" / "windsurf" / "memories" / "global_rules.md"
    join(open_hub(mine), find("windsurf"))
    file.write_text(file.read_text("utf-8").replace("program=[", "program=[["), encoding="utf-8")

    [finding] = examine(gather(open_hub(mine), NOW))
    assert (finding.code, finding.where) == ("join-odd", str(file))


def test_old_text_of_a_program_is_found_and_mended(joined_mine: Path, tmp_path: Path) -> None:
    (joined_mine / "USER.md").write_text("# USER\n- Call me Lin.\n", encoding="utf-8")
    facts = gather(open_hub(joined_mine), NOW)

    [finding] = examine(facts)
    assert (finding.code, finding.where) == ("stale-static", str(tmp_path / ".codex" / "AGENTS.md"))
    [said] = fix(facts, [finding]).done
    assert "brought up to date" in said
    assert "Call me Lin." in (tmp_path / ".codex" / "AGENTS.md").read_text(encoding="utf-8")
    assert found(joined_mine) == []


def test_a_hook_whose_program_is_gone_is_found(joined_mine: Path, tmp_path: Path) -> None:
    for file in (tmp_path / ".claude" / "settings.json", tmp_path / ".codex" / "hooks.json"):
        text = file.read_text(encoding="utf-8")
        program = lasting_program(open_hub(joined_mine))[-1]
        assert program in text
        file.write_text(text.replace(program, "/nowhere/bin/soul"), encoding="utf-8")

    dead = [each for each in found(joined_mine) if each.code == "dead-hook"]

    assert [each.where for each in dead] == ["Claude Code", "Codex CLI"]
    assert "/nowhere/bin/soul" in dead[0].what
    assert dead[0].mend == "`soul join claude-code`"


@on_posix
def test_a_hook_whose_program_fails_is_found(joined_mine: Path, tmp_path: Path) -> None:
    """As after an upgrade of its Python: the file is there, and what it imports is not."""
    broken = tmp_path / "bin" / "soul"
    broken.parent.mkdir()
    broken.write_text("#!/bin/sh\necho 'No module named agent_soul' >&2\nexit 1\n")
    broken.chmod(0o755)
    file = tmp_path / ".codex" / "hooks.json"
    program = lasting_program(open_hub(joined_mine))[-1]
    file.write_text(file.read_text(encoding="utf-8").replace(program, str(broken)), encoding="utf-8")

    [dead] = [each for each in found(joined_mine) if each.code == "dead-hook"]

    assert dead.what.endswith("which does not start: exit code 1: No module named agent_soul")


def test_programs_that_look_for_a_hub_that_was_moved_are_found(joined_mine: Path, tmp_path: Path) -> None:
    moved = joined_mine.rename(joined_mine.with_name("moved"))

    strays = [each for each in found(moved) if each.code == "moved-hub"]

    assert [each.mend for each in strays] == [
        "`soul join claude-code --replace` joins this one",
        "`soul join codex --replace` joins this one",
    ]
    assert str(joined_mine) in strays[0].what
    join(open_hub(moved), find("codex"), replaces=True)
    assert [each.mend for each in found(moved) if each.code == "moved-hub"] == [strays[0].mend]


def test_a_hook_that_somebody_took_out_is_found(joined_mine: Path, tmp_path: Path) -> None:
    file = tmp_path / ".claude" / "settings.json"
    settings = json.loads(file.read_text(encoding="utf-8"))
    del settings["hooks"]["SessionStart"]
    file.write_text(json.dumps(settings), encoding="utf-8")

    [finding] = [each for each in found(joined_mine) if each.code == "join-incomplete"]

    assert (finding.where, finding.mend) == (str(file), "`soul join claude-code`")


def test_hooks_that_codex_skips_are_found(joined_mine: Path, tmp_path: Path) -> None:
    (tmp_path / ".codex" / "config.toml").unlink()

    [finding] = found(joined_mine)

    assert (finding.code, finding.where) == ("untrusted-hooks", "Codex CLI")
    assert finding.what.endswith(": session_start, stop, session_end")
    assert "`/hooks`" in finding.mend


def test_a_link_to_the_skill_that_leads_nowhere_is_found_and_mended(joined_mine: Path, tmp_path: Path) -> None:
    skill, link = (tmp_path / place / "skills" / "agent-soul" for place in (".agents", ".claude"))
    text = (link / "SKILL.md").read_text(encoding="utf-8")
    shutil.rmtree(tmp_path / ".agents")
    facts = gather(open_hub(joined_mine), NOW)

    [finding] = [each for each in examine(facts) if each.code == "dead-link"]
    assert (finding.where, finding.mend) == (str(link), "`soul join claude-code`")
    [said] = fix(facts, [finding]).done
    assert said.startswith(str(skill / "SKILL.md"))
    assert (link / "SKILL.md").read_text(encoding="utf-8").split("for=")[0] == text.split("for=")[0]
    assert found(joined_mine) == []


def test_a_skill_that_is_gone_is_found_for_a_program_without_a_link_to_it(joined_mine: Path, tmp_path: Path) -> None:
    skill = tmp_path / ".agents" / "skills" / "agent-soul" / "SKILL.md"
    text = skill.read_text(encoding="utf-8")
    skill.write_text(text.replace("for=codex,claude-code", "for=claude-code"), encoding="utf-8")
    facts = gather(open_hub(joined_mine), NOW)

    [finding] = examine(facts)
    assert (finding.code, finding.where, finding.fix) == ("join-incomplete", str(skill), "skill")
    assert fix(facts, [finding]).failed == ()
    assert "for=claude-code,codex" in skill.read_text(encoding="utf-8")
    assert found(joined_mine) == []


@pytest.mark.parametrize(
    ("name", "path", "text", "says"),
    [
        ("codex", ".codex/AGENTS.override.md", "Mine.\n", "ignores AGENTS.md"),
        ("claude-code", ".claude/AGENTS.md", "Mine.\n", "does not read it"),
        ("gemini", ".gemini/GEMINI.md", "@~/soul/SOUL.md\n", "imports @~/soul/SOUL.md"),
    ],
)
def test_what_keeps_a_program_from_reading_is_found(
    joined_mine: Path, tmp_path: Path, name: str, path: str, text: str, says: str
) -> None:
    file = tmp_path / path
    file.parent.mkdir(exist_ok=True)
    file.write_text(text, encoding="utf-8")
    join(open_hub(joined_mine), find(name))

    [finding] = found(joined_mine)
    assert finding.code == "join-note"
    assert says in finding.what


def test_what_programs_read_is_measured_against_their_limit(joined_mine: Path, tmp_path: Path) -> None:
    file = tmp_path / ".codex" / "AGENTS.md"
    file.write_text(file.read_text(encoding="utf-8") + "x" * 40_000, encoding="utf-8")

    assert {"over-limit", "stale-static"} <= set(codes(joined_mine))


@pytest.mark.parametrize(
    ("files", "elsewhere"),
    [
        (("a/2026-03-01.0000000a", "a/2026-03-02.0000000a"), set()),
        (("a/2026-03-01.0000000b", "a/2026-03-02.0000000a"), set()),  # cloned anew
        (("a/2026-03-01.0000000b", "a/2026-03-01.0000000a"), set()),  # on the same day
        (("a/2026-03-01.0000000a", "a/2026-03-02.0000000b"), {"a"}),
        (("a/2026-03-01.0000000a", "b/2026-03-02.0000000b"), set()),
        (("a/2026-03-01.0000000a", "a/2026-03-02"), set()),  # of the public format
    ],
)
def test_a_source_that_goes_on_elsewhere(files: tuple[str, ...], elsewhere: set[str]) -> None:
    assert written_elsewhere({f"sources/{file}.ndjson": b"" for file in files}, ["0000000a"]) == elsewhere


@pytest.mark.parametrize(("here", "there", "elsewhere"), [("08:00", "09:00", {"a"}), ("09:00", "08:00", set())])
def test_a_source_that_goes_on_elsewhere_on_the_same_day(here: str, there: str, elsewhere: set[str]) -> None:
    files = {
        f"sources/a/2026-03-01.0000000{clone}.ndjson": f'{{"ts": "2026-03-01T{time}:00Z"}}\n'.encode()
        for clone, time in (("a", here), ("b", there))
    }

    assert written_elsewhere(files, ["0000000a"]) == elsewhere


# Secrets


def token(kind: str, length: int) -> str:
    letters = "aB3dE5gH7jK9mN1pQ3sT5vW7yZ9bC1dF3gH5"
    return kind + (letters * 6)[:length]


JWT = ".".join(
    base64.urlsafe_b64encode(json.dumps(part).encode()).decode().rstrip("=")
    for part in ({"alg": "HS256", "typ": "JWT"}, {"sub": "1234567890", "name": "Lin"}, "signature of it")
)
REAL = {
    "an AWS access key": "AKIA" + "QZ4WJ7TXNMP2R5VB",
    "a GitHub token": GITHUB_TOKEN,
    "a fine-grained GitHub token": "github_pat_" + token("", 22) + "_" + token("", 59),
    "an Anthropic key": token("sk-ant-api03-", 95),
    "an OpenAI key": token("sk-proj-", 64),
    "an old OpenAI key": token("sk-", 48),
    "a token on a line of its own": "this:\\n" + GITHUB_TOKEN,
    "a private key": "-----BEGIN OPENSSH PRIVATE KEY-----\\nb3BlbnNzaC1rZXktdjE",
    "an encrypted private key": "-----BEGIN RSA PRIVATE KEY-----\\nProc-Type: 4,ENCRYPTED",
    "a JSON web token": JWT,
    "an Alibaba Cloud key": "LTAI" + "5tQz4WJ7TxNmP2R5vBkD9s",
    "a password in an address": "postgres://shop:k7Qz-4WJ7TxNm@db.shop.cn:5432/shop",
    "a password of somebody with a short name": "https://me:me7Qz-4WJ7TxNm@git.shop.cn/hub.git",
    "a password of a service": "mongodb+srv://shop:9fK2mQ7xV4bT@cluster0.ab1cd.mongodb.net",
}
NONE = {
    "the example of the manual": "AKIAIOSFODNN7EXAMPLE",
    "a placeholder": "ghp_" + "x" * 36,
    "a placeholder of another kind": "ghp_" + "0" * 36,
    "a name of a placeholder": "sk-ant-api03-your-key-goes-here-your-key-goes-here",
    "a hash of a commit": "3d3c42e5aac5ba805825da76410c181273ba90b1",
    "a UUID": "d4a5a253-8612-4893-a1d4-b339e98c67de",
    "a word": "sk-learn and task-management-of-a-very-long-kind-indeed-and-so-on",
    "a public key": "-----BEGIN PUBLIC KEY-----\\nMFkwEwYHKoZIzj0CAQYIKoZI",
    "the name of a block": "Look for '-----BEGIN PRIVATE KEY-----' in the file.",
    "the name of a block in a sentence": "Look for -----BEGIN PRIVATE KEY----- in the configuration file.",
    "what only looks like a token": "eyJhbGciOi.eyJzdWIiOi.short",
    "dotted base64 without an algorithm": "eyJ0eXAiOiJ4In0." + "eyJzdWIiOiIxIn0x." + "c2lnbmF0dXJlIG9mIGl0",
    "a key within a word": "notAKIAQZ4WJ7TXNMP2R5VB",
    "an address with a word for a password": "postgres://user:password@db.shop.cn/shop",
    "an address with a word and digits": "postgres://shop:password123@db.shop.cn/shop",
    "an address with the user's name again": "amqp://rabbit:rabbit2026xyz@mq.shop.cn",
    "an address with a variable": "postgres://shop:${DB_PASSW0RD}@db.shop.cn/shop",
    "an address with a place to fill in": "postgres://shop:<k7Qz4WJ7TxNm>@db.shop.cn/shop",
    "an address on this machine": "postgres://shop:k7Qz4WJ7TxNm@localhost:5432/shop",
    "an address of an example": "https://shop:k7Qz4WJ7TxNm@db.example.com/shop",
    "an address of nobody": "https://shop:k7Qz4WJ7TxNm@db.invalid/shop",
    "a port and a mention": "http://db.shop.cn:8080/path of @lin2026abc",
    "an address of a repository": "ssh://git@github.com:22/lin/hub.git",
    "a word of Alibaba's": "LTAIxxxxxxxxxxxxxxxxxxxx",
}


@pytest.mark.parametrize("name", REAL)
def test_a_key_is_found_by_its_line_and_never_said(name: str) -> None:
    content = f'{{"summary":"first"}}\n{{"summary":"It is {REAL[name]}."}}\n'.encode()

    [finding] = check_secrets({"sources/a-b/x.ndjson": content})

    assert finding.where == "sources/a-b/x.ndjson:2"
    key = REAL[name].removeprefix("this:\\n")
    assert key[:4] in finding.what
    assert key[4:10] not in str(finding)
    assert "revoke it" in finding.mend


def test_a_token_in_an_address_that_is_let_be_is_found_all_the_same() -> None:
    [finding] = check_secrets({"USER.md": f"https://me:{GITHUB_TOKEN}@localhost/x.git".encode()})

    assert "a GitHub token" in finding.what


def test_a_key_in_an_event_that_was_taken_back_is_seen_to() -> None:
    files = {"sources/a-b/x.ndjson": f'{{"event_id":"one-1","summary":"{GITHUB_TOKEN}"}}\n'.encode()}

    [finding] = check_secrets(files)

    assert "`soul retract one-1 --source" in finding.mend
    assert list(check_secrets(files, {"one-1"})) == []


@pytest.mark.parametrize("name", NONE)
def test_what_is_no_key_is_let_be(name: str) -> None:
    assert list(check_secrets({"sources/a-b/x.ndjson": NONE[name].encode()})) == []


@pytest.mark.shared
@pytest.mark.parametrize("name", ["itestflow", "ai-universal-memory", "commit-subjects"])
def test_no_false_alarm_in_the_real_hubs(name: str) -> None:
    assert list(check_secrets(read_source_files(SHARED / "data" / "hubs" / name).contents)) == []


# Counting


def test_what_waits_is_counted_as_the_outbox_says(mine: Path) -> None:
    hub = open_hub(mine)
    for number in range(3):
        add(hub, {**RECORD, "summary": f"Waiting fact {number}."})

    waiting = gather(hub, NOW).waiting

    assert (waiting.events, waiting.lost) == (3, 0)
    assert len(outbox.entries(hub)[0]) == 3
    assert waiting.since[:10] == f"{datetime.now().astimezone():%Y-%m-%d}"
    assert default_config().template is False
