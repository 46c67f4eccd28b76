"""What an agent is told to type is what its program was told to allow, word for word and quote for quote."""

from __future__ import annotations

import io
import json
import re
import sysconfig
from fnmatch import fnmatchcase
from pathlib import Path

import pytest

from agent_soul.adding import add
from agent_soul.cli import main
from agent_soul.compiler import compile_hub
from agent_soul.hub import Hub
from agent_soul.runtimes.joining import end_join, join
from agent_soul.runtimes.model import Home, Options
from agent_soul.runtimes.permissions import ALLOWED
from agent_soul.runtimes.registry import find
from joins import home_in, make_hub

SOURCE = "home-claude"
SPOKEN = re.compile(r"`([^`\n]*\bsoul(?:\.py\"?)? [^`\n]*)`")


@pytest.fixture(params=["hub", "my hub-1"])
def joined(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> tuple[Hub, Home]:
    """Return a hub that Claude Code is joined to by the hub's script, as where nothing is installed."""
    python = tmp_path / "bin" / "python3"
    python.parent.mkdir()
    python.touch(mode=0o755)
    monkeypatch.setattr(sysconfig, "get_path", lambda _: str(tmp_path))
    monkeypatch.setenv("PATH", f"{python.parent}:/usr/bin:/bin")
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    hub = make_hub(tmp_path / request.param)
    home = home_in(tmp_path / "home")
    join(hub, find("claude-code"), source=SOURCE, home=home, options=Options(allow=True))
    return hub, home


@pytest.fixture
def told(joined: tuple[Hub, Home], capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> str:
    """Return all that an agent of Claude Code is told of our commands, however they were started."""
    hub, home = joined
    fact = {"kind": "fact", "source": "other-mac", "scope": "stable"}
    add(hub, {**fact, "summary": "Some fact."})
    compile_hub(hub)
    rules = home.folder / ".claude" / "rules" / "agent-soul.md"
    skill = home.folder / ".agents" / "skills" / "agent-soul" / "SKILL.md"
    monkeypatch.setenv("AGENT_SOUL_INVOKED_AS", "python3 somewhere/scripts/soul.py")
    monkeypatch.setattr("sys.stdin", io.StringIO(""))
    where = ("--hub", str(hub.root))
    assert main(["boot", "--source", SOURCE, *where]) == 0
    assert main(["context", "--agent", SOURCE, *where]) == 0
    add(hub, {**fact, "summary": "Newer than what was read."})
    assert main(["hook", "session-start", "--runtime", "claude-code", "--source", SOURCE, *where]) == 0
    printed = capsys.readouterr().out
    assert "additionalContext" in printed
    return "\n".join([printed.replace('\\"', '"'), rules.read_text("utf-8"), skill.read_text("utf-8")])


def test_every_command_is_one_that_the_rules_allow(joined: tuple[Hub, Home], told: str) -> None:
    _, home = joined
    settings = json.loads((home.folder / ".claude" / "settings.json").read_text("utf-8"))
    rules = [rule[5:-1] for rule in settings["permissions"]["allow"] if rule.startswith("Bash(")]
    typed = rules[0].removesuffix(f" {ALLOWED[0]} *")

    commands = SPOKEN.findall(told)

    assert {command.removeprefix(typed).split()[0] for command in commands} >= {"add", "show", "search", "context"}
    for command in commands:
        assert command.startswith(f"{typed} ")
        if command.removeprefix(typed).split()[0] in ALLOWED:
            assert any(fnmatchcase(f"{command} ", rule) or fnmatchcase(command, rule) for rule in rules), command


def test_the_tools_of_the_server_are_allowed_too_until_the_join_ends(joined: tuple[Hub, Home]) -> None:
    hub, home = joined
    settings = home.folder / ".claude" / "settings.json"

    allowed = json.loads(settings.read_text("utf-8"))["permissions"]["allow"]

    assert {"mcp__agent-soul__read_context", "mcp__agent-soul__add_event"} <= set(allowed)
    assert "mcp__agent-soul__mem_delete" not in allowed
    settings.write_text(settings.read_text("utf-8").replace('"allow": [', '"allow": ["mcp__other__x",'), "utf-8")
    end_join(hub, find("claude-code"), home=home)
    assert json.loads(settings.read_text("utf-8")) == {"permissions": {"allow": ["mcp__other__x"]}}


@pytest.mark.parametrize("name", ["README.md", "README.zh-CN.md"])
def test_the_way_out_of_a_stopped_pull_ends_a_rebase_too(name: str) -> None:
    (row,) = (
        line
        for line in (Path(__file__).parents[1] / name).read_text(encoding="utf-8").split("\n")
        if "`git pull --no-rebase`" in line
    )
    assert row.index("`git commit --no-edit`") < row.index("`git rebase --continue`")
