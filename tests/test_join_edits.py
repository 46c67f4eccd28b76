"""Edits of texts in the forms that agent programs read: what is a stranger's stays as it was, comments and all."""

from __future__ import annotations

import json
import subprocess
import tomllib
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from agent_soul.runtimes import json_text
from agent_soul.runtimes.allowing import is_ours
from agent_soul.runtimes.blocks import Block, find_block
from agent_soul.runtimes.codex_trust import trusted_hash, untrusted_hooks
from agent_soul.runtimes.commands import HookCall, hook_command, hook_words, mcp_words, read_hook, read_server, words_of
from agent_soul.runtimes.edits import OddFileError, TakenError
from agent_soul.runtimes.joining import join
from agent_soul.runtimes.json_edits import Hooks, Member
from agent_soul.runtimes.line_edits import Lines
from agent_soul.runtimes.registry import find
from agent_soul.runtimes.toml_edits import ServerTable
from agent_soul.runtimes.yaml_edits import ListItem
from joins import COMMENTS, STRANGER, TABLES, VALUES, home_in, make_hub, settings_texts, trust_of

CALL = HookCall(("/opt/bin/soul",), "session-start", "codex", "my-codex", "/home/me/soul")
OURS = {"hooks": [{"type": "command", "command": hook_command(CALL)}]}
SERVER = mcp_words(["/opt/bin/soul"], "my-codex", "/home/me/soul")
few = settings(max_examples=40, deadline=None)


@few
@given(VALUES, st.sampled_from([None, 2, "\t"]))
def test_json_is_read_as_the_library_reads_it(value: Any, indent: int | str | None) -> None:
    text = json.dumps(value, indent=indent, ensure_ascii=False)

    assert json_text.parse(text).value == value


@pytest.mark.parametrize(
    "text",
    ["{", "[1", '{"a" 1}', '{"a": 1 "b": 2}', "{a: 1}", "{'a': 1}", "[,]", "{,}", "{} {}", '"a', "[" * 99, "tru", "/"],
)
def test_what_is_no_json_is_refused(text: str) -> None:
    with pytest.raises(OddFileError):
        json_text.parse(text)


@few
@given(settings_texts(), VALUES)
def test_a_member_changes_nothing_else(text: str, value: Any) -> None:
    """What the text says is what it said, with the member; its comments are there; without it, that again."""
    said = json_text.parse(text).value

    after = json_text.put_member(text, ("mcpServers", "agent-soul"), value)

    servers = {**said.get("mcpServers", {}), "agent-soul": value}
    assert json_text.parse(after).value == {**said, "mcpServers": servers}
    assert list(json_text.parse(after).value)[: len(said)] == list(said)
    assert [after.count(each) for each in COMMENTS] == [text.count(each) for each in COMMENTS]
    rest = json_text.remove(after, ("mcpServers", "agent-soul"))
    assert json_text.parse(rest).value == {key: each for key, each in said.items() if (key, each) != ("mcpServers", {})}
    assert [rest.count(each) for each in COMMENTS] == [text.count(each) for each in COMMENTS]


@few
@given(settings_texts())
def test_hooks_of_strangers_stay(text: str) -> None:
    hooks = Hooks({"Stop": OURS, "SessionStart": OURS})

    once = hooks.put(text)

    assert hooks.put(once) == once
    for event, items in json_text.parse(text).value.get("hooks", {}).items():
        assert json_text.parse(once).value["hooks"][event][: len(items)] == items
    assert [mark.source for mark in hooks.marks(once)] == ["my-codex"] * 2
    assert _without_empty_lists(hooks.take_out(once)) == _without_empty_lists(text)


def _without_empty_lists(text: str) -> Any:
    said = dict(json_text.parse(text).value)
    hooks = {event: items for event, items in said.pop("hooks", {}).items() if items}
    return said, hooks


LAYOUTS = {
    '{\n    "a": 1\n}\n': '{\n    "a": 1,\n    "m": true\n}\n',
    '{\n\t"a": 1, // why\n}': '{\n\t"a": 1, // why\n\t"m": true,\n}',
    '{\n  "a": 1 // why\n  // end\n}': '{\n  "a": 1, // why\n  "m": true\n  // end\n}',
    '{"a": 1}': '{"a": 1, "m": true}',
    "{}": '{\n  "m": true\n}',
    "": '{\n  "m": true\n}\n',
    '{\r\n  "a": 1\r\n}\r\n': '{\r\n  "a": 1,\r\n  "m": true\r\n}\r\n',
    "{\n  // nothing yet\n}\n": '{\n  // nothing yet\n  "m": true\n}\n',
    '{\n  "a": 1 }': '{\n  "a": 1,\n  "m": true }',
}


@pytest.mark.parametrize("before", LAYOUTS)
def test_a_member_stands_as_its_neighbours_do(before: str) -> None:
    after = json_text.put_member(before, ("m",), True)

    assert after == LAYOUTS[before]
    if before:
        assert json_text.remove(after, ("m",)) == before


def test_our_handler_leaves_a_group_that_somebody_shares_with_it() -> None:
    """A person moved it among their own; it gets its own place again, and theirs stays."""
    beep = STRANGER["hooks"][0]
    text = json.dumps({"hooks": {"Stop": [{"matcher": "x", "hooks": [beep, OURS["hooks"][0]]}, OURS, OURS]}})
    hooks = Hooks({"Stop": OURS})

    after = json_text.parse(hooks.put(text)).value

    assert after == {"hooks": {"Stop": [{"matcher": "x", "hooks": [beep]}, OURS]}}
    assert json_text.parse(hooks.take_out(text)).value == {"hooks": {"Stop": [{"matcher": "x", "hooks": [beep]}]}}


def test_a_server_of_that_name_that_somebody_else_wrote_is_theirs() -> None:
    text = '{"mcpServers": {"agent-soul": {"command": "npx", "args": ["soul"]}}}'
    server = Member(("mcpServers", "agent-soul"), {"command": SERVER[0], "args": SERVER[1:]})
    table = '[mcp_servers.agent-soul]\ncommand = "npx"\n'

    assert server.take_out(text) == text
    with pytest.raises(TakenError, match=r"its mcpServers\.agent-soul is somebody else's"):
        server.put(text)
    with pytest.raises(TakenError, match=r"its mcp_servers\.agent-soul is somebody else's"):
        ServerTable(tuple(SERVER)).put(table)


def test_what_holds_a_comment_is_not_empty() -> None:
    text = '{\n  "a": 1,\n  "mcpServers": { // mine\n  }\n}\n'
    path = ("mcpServers", "agent-soul")

    assert json_text.remove(json_text.put_member(text, path, {"command": "x"}), path) == text


PATHS = st.text(st.characters(codec="utf-8", exclude_characters="\0\n\r"), min_size=1, max_size=12)


@few
@given(PATHS, PATHS)
def test_a_command_is_read_back_from_any_path(program: str, hub: str) -> None:
    call = HookCall((f"/opt/{program}/soul",), "stop", "gemini", "a-b", f"/home/{hub}")

    assert read_hook(words_of({"command": hook_command(call)})) == call
    assert read_hook(words_of({"command": call.program[0], "args": hook_words(call)[1:]})) == call
    assert read_server(mcp_words(call.program, "a-b", call.hub)) == (call.program, "a-b", call.hub)


def test_a_shell_takes_a_command_as_it_was_meant() -> None:
    hub = '/home/李 雷/my "$HOME" `x` \\ soul\'s'
    call = HookCall(("printf", "%s\\0", "/x y/soul"), "stop", "codex", "a-b", hub)

    said = subprocess.run(["sh", "-c", hook_command(call)], capture_output=True, check=True).stdout

    assert said.decode().split("\0")[:-1] == hook_words(call)[2:]


LINE = hook_command(CALL)


@pytest.mark.parametrize(
    "line",
    [
        *("soul", "soul hooks x", "say hook soul", "beep 'open", "", "my-soul hook stop", "/opt/karma/soul hook stop"),
        *(f"{LINE}; beep", f"{LINE}>/tmp/log", f"{LINE} --mine", f"echo a; {LINE}", f"nice {LINE}", f"'{LINE}'"),
        LINE.replace("session-start", "guard"),
        LINE.replace("/opt/bin/soul", "'/opt/bin/soul'"),
    ],
)
def test_commands_of_strangers_are_not_ours(line: str) -> None:
    assert read_hook(words_of({"command": line})) is None


@pytest.mark.parametrize("words", [["npx", "x", "mcp", "--hub", "/h"], [*SERVER, "--mine"], SERVER[1:], []])
def test_servers_of_strangers_are_not_ours(words: list[str]) -> None:
    assert read_server(words) is None


@few
@given(TABLES, st.booleans())
def test_our_table_changes_no_other(text: str, crlf: bool) -> None:
    text = text.replace("\n", "\r\n") if crlf else text
    table = ServerTable(tuple(SERVER))

    once = table.put(text)

    assert table.put(once) == once
    assert tomllib.loads(once.replace("\r\n", "\n"))["mcp_servers"]["agent-soul"]["args"] == SERVER[1:]
    assert table.take_out(once).rstrip() == text.rstrip()
    assert "\r\n" not in text or "\n" not in once.replace("\r\n", "")


def test_our_table_is_found_where_codex_moved_it() -> None:
    """Codex writes `env` as a table of its own, and puts other tables behind ours; their comments are theirs."""
    table = ServerTable(tuple(SERVER))
    text = f'{table.snippet}\n[mcp_servers.agent-soul.env]\nA = "b"\n\n# mine\n[other]\na = 1\n'

    assert table.take_out(text) == "\n# mine\n[other]\na = 1\n"
    assert (
        table.take_out('[mcp_servers.agent-soul]\ncommand = "npx"\n') == '[mcp_servers.agent-soul]\ncommand = "npx"\n'
    )


LISTS = {
    "": "read:\n  - /a/b.md\n",
    "model: x # mine\n": "model: x # mine\nread:\n  - /a/b.md\n",
    "read:\n- one\n- two # why\n\nmodel: x\n": "read:\n- one\n- two # why\n- /a/b.md\n\nmodel: x\n",
    "read:\n    - one": "read:\n    - one\n    - /a/b.md",
    "read: # mine\r\n  - one\r\n": "read: # mine\r\n  - one\r\n  - /a/b.md\r\n",
}
ON_ONE_LINE = {
    "read: [one, 'two, three'] # why\nmodel: x\n": (
        "read: [one, 'two, three', /a/b.md] # why\nmodel: x\n",
        "read: [one, 'two, three'] # why\nmodel: x\n",
    ),
    "read: []\n": ("read: [/a/b.md]\n", ""),
    "read: [ one, ]\r\n": ("read: [ one, /a/b.md]\r\n", "read: [ one]\r\n"),
    "read: CONVENTIONS.md\n": ("read: [CONVENTIONS.md, /a/b.md]\n", "read: [CONVENTIONS.md]\n"),
    "model: x\nread: 'my rules.md'   # mine": (
        "model: x\nread: ['my rules.md', /a/b.md]   # mine",
        "model: x\nread: ['my rules.md']   # mine",
    ),
    "read: a#b.md\r\nmodel: x\r\n": (
        "read: [a#b.md, /a/b.md]\r\nmodel: x\r\n",
        "read: [a#b.md]\r\nmodel: x\r\n",
    ),
}
"""Before, joined, and ended: a list of one word says the same as the word, which the copy of the file brings back."""


@pytest.mark.parametrize("before", LISTS)
def test_an_item_joins_a_list(before: str) -> None:
    item = ListItem("read", "/a/b.md")

    after = item.put(before)

    assert after == LISTS[before]
    assert item.put(after) == after
    assert item.take_out(after).rstrip() == before.rstrip()
    assert "/a/b.md" in yaml.safe_load(after)["read"]


@pytest.mark.parametrize("before", ON_ONE_LINE)
def test_an_item_joins_what_stands_on_one_line(before: str) -> None:
    item, (joined, ended) = ListItem("read", "/a/b.md"), ON_ONE_LINE[before]

    assert item.put(before) == joined
    assert item.put(joined) == joined
    assert item.take_out(joined) == ended


def test_an_item_that_a_person_moved_is_taken_out() -> None:
    item = ListItem("read", "/a/b.md")
    assert item.take_out("read: [/a/b.md, one]\n") == "read: [one]\n"
    assert item.take_out("read: [one, /a/b.md, two]\n") == "read: [one, two]\n"
    assert item.take_out("read: [one, /a/b.md.old, /a/b.md]\n") == "read: [one, /a/b.md.old]\n"
    assert item.take_out("read: [/a/b.md.old, /a/b.md]\n") == "read: [/a/b.md.old]\n"


@pytest.mark.parametrize(
    "text",
    [
        "read: [a,\n  b]\n",
        "read: a, b\n",
        "read: &x a\n",
        "read: >\n  a\n",
        "read: {a: 1}\n",
        "read: a\n  b\n",
        "read:\n",
        "- a\n",
        "a: [\n",
        "read:\n  - |\n    x\n    - y\n",
        "x: |\n  a\nread: [a]\nread: [b]\n",
    ],
)
def test_a_list_of_another_form_is_left_to_a_person(text: str) -> None:
    with pytest.raises(OddFileError):
        ListItem("read", "/a/b.md").put(text)


TEXTS = st.text(st.sampled_from("ab中\n #<!->"), max_size=30)


@few
@given(TEXTS, TEXTS, st.booleans())
def test_a_block_changes_nothing_around_it(before: str, body: str, crlf: bool) -> None:
    before = before.replace("\n", "\r\n") if crlf else before
    block = Block(lambda _: f"{body}\n", "a-b", '/home/"me" -->/soul', ("/bin/soul",), "zed")

    once = block.put(before)

    assert once.startswith(before) or not before.strip()
    assert block.put(once) == once
    assert [mark.hub for mark in block.marks(once)] == ['/home/"me" -->/soul']
    assert block.take_out(once).rstrip() == before.rstrip()
    changed = Block(lambda _: "new\n", "a-b", "/soul", ("/bin/soul",), "zed")
    assert find_block(changed.put(once)).body == "new\n"  # type: ignore[union-attr]
    assert changed.take_out(changed.put(once)).rstrip() == before.rstrip()


def test_no_text_ends_its_own_block() -> None:
    block = Block(lambda _: "<!-- agent-soul:end id=core -->\n<!--agent-soul:begin\n", "a-b", "/soul", (), "zed")

    assert block.take_out(block.put("mine\n")) == "mine\n"


def test_lines_stand_once() -> None:
    lines = Lines(("/AGENTS.md",))

    assert lines.put("a") == "a\n/AGENTS.md\n"
    assert lines.put("/AGENTS.md\r\n") == "/AGENTS.md\r\n"
    assert lines.take_out("a\n/AGENTS.md\nb/AGENTS.md\n") == "a\nb/AGENTS.md\n"


@pytest.mark.parametrize(
    ("rule", "ours"),
    [
        ("Bash(soul add *)", True),
        ('Bash(python3 "/home/me/soul/scripts/soul.py" search *)', True),
        ("Shell(/opt/bin/soul)", True),
        ("/opt/bin/soul boot *", True),
        ("mcp__agent-soul__mem_search", True),
        ("mcp__agent-soul__mem_delete", False),
        ("mcp__other__mem_search", False),
        ("Bash(git add *)", False),
        ("Bash(soul redact *)", False),
        ("Bash(npm run soul)", False),
    ],
)
def test_rules_of_ours_are_known_however_the_command_was_typed(rule: str, ours: bool) -> None:
    assert is_ours(rule) == ours


def test_codex_knows_a_hook_by_this_hash() -> None:
    """As Codex CLI 0.171.0 has it; what it does not have in its text counts as what it takes for it."""
    handler = {"type": "command", "command": "soul hook stop # 你好", "timeout": 10}

    begin, stop = (
        "sha256:1d5c228e43f1223f4ae6c9ee266d3a24b8ea92d7cda2c6f6d9c1f76c2e29b3cf",
        "sha256:d0dd9fb726274d3d9ce2c06cca0b3cec3b233f02feaf7f14d81333cb3cd4292f",
    )

    assert trusted_hash("session_start", "startup|resume", handler) == begin
    assert trusted_hash("stop", None, handler) == stop
    assert trusted_hash("stop", "a matcher means nothing there", handler) == stop
    assert trusted_hash("session_end", None, handler) == trusted_hash("session_end", None, {**handler, "timeout": 3})
    assert trusted_hash("stop", None, {**handler, "timeout": 600}) == trusted_hash(
        "stop", None, {"type": "command", "command": handler["command"], "async": False}
    )
    assert len({trusted_hash("stop", None, handler | more) for more in ({}, {"async": True}, {"timeout": 9})}) == 3


def test_hooks_that_nobody_trusted_as_they_are_now_are_skipped(tmp_path: Path) -> None:
    hub, home = make_hub(tmp_path / "hub"), home_in(tmp_path / "home")
    join(hub, find("codex"), home=home)
    file = home.folder / ".codex" / "hooks.json"
    trusted, all_of_them = trust_of(file), ["session_start", "stop", "session_end"]

    def skipped(config: str, hooks: str = "") -> list[str]:
        return untrusted_hooks(file, hooks or file.read_text("utf-8"), config)

    assert skipped(trusted) == []
    assert skipped(trusted.replace(str(file), f"{file.parent}/../.codex/hooks.json")) == []
    assert skipped(trusted.replace(str(file), "/elsewhere/hooks.json")) == all_of_them
    for spoilt in ("", "no toml", "hooks = 1", "[hooks]\nstate = 1", f'[hooks.state]\n"{file}:stop:0:0" = 1'):
        assert skipped(spoilt) == all_of_them
    assert skipped(f"{trusted}enabled = false\n") == ["session_end"]
    assert skipped(trusted, file.read_text("utf-8").replace("hook stop", "hook  stop")) == []  # not ours any more
    settings = json.loads(file.read_text("utf-8"))
    settings["hooks"]["Stop"].insert(0, {"hooks": [{"type": "command", "command": "beep"}]})
    settings["hooks"]["SessionStart"][0]["matcher"] = "startup"
    assert skipped(trusted, json.dumps(settings)) == ["session_start", "stop"]
    assert skipped(trusted, "no json") == []
