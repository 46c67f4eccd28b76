"""No text from a hub, a file name or an argument steers the terminal of whoever reads what a command prints."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from bad_input.builders import FILE, line
from bad_input.harness import run
from support import git

STEERING = {
    "clear-screen": "\x1b[2J\x1b[H",
    "clipboard-osc-52": "\x1b]52;c;cm0gLXJm\x07",
    "link-osc-8": "\x1b]8;;http://e.example\x1b\\here\x1b]8;;\x1b\\",
    "title": "\x1b]0;owned\x07",
    "c1-csi": "\x9b2J",
    "c1-osc": "\x9d52;c;cm0=\x9c",
    "next-line": "a\x85b",
    "bell": "\x07",
    "backspaces": "good\x08\x08\x08\x08evil",
    "carriage-return": "good\revil",
    "delete": "\x7f",
    "new-line": "good\nsources/other/1.ndjson:1:1: evil",
    "line-separator": "good\u2028evil",
    "bidi": "\u202eevil",
    "invisible": "e\u200bvil\U000e0065",
    "no-unicode-text": "\U000e0001\ue000",
}
FIELDS = [
    "event_id",
    "ts",
    "source",
    "kind",
    "scope",
    "project",
    "agent",
    "summary",
    "title",
    "detail",
    "keywords",
    "tags",
    "valid_until",
    "supersedes",
    "topic",
    "branch",
    "commit",
    "schema",
    "fingerprint",
    "own",
]
COMMANDS = (
    ("validate",),
    ("compile", "--dry-run"),
    ("compile",),
    ("compile", "--check"),
    ("search", "--all", "--limit", "0"),
    ("search", "text", "--all"),
    ("show", "readable"),
    ("why", "readable"),
    ("why", "text"),
    ("show", "conflicting"),
    ("doctor",),
    ("resolve", "readable", "conflicting", "--source", "my-laptop", "--both", "both hold"),
    ("retract", "readable", "--source", "my-laptop", "--reason", "not so"),
    ("compile", "--apply"),
)


@pytest.fixture(params=STEERING)
def steering(request: pytest.FixtureRequest) -> str:
    return STEERING[request.param]


def _fill(hub: Path, text: str) -> None:
    """Put `text` into each field of a line of its own, into all free texts of one, and into names of files."""
    folder = hub / "sources" / "bad-source"
    folder.mkdir()
    wrong = [
        line(**{"event_id": f"bad-line-{name}", name: [text] if name in ("keywords", "tags") else text})
        for name in FIELDS
    ]
    free = dict.fromkeys(("summary", "title", "detail", "project", "branch", "commit", "own"), f"text {text}")
    parts = {"entity": f"e{text}", "attribute": "a"}
    more = {
        "scope": "project",
        "keywords": [text],
        "tags": [text],
        "paths": [text],
        "refs": [text],
        text: text,
        "nested": {text: [text]},
        "decision": {"status": "pending", "rationale": text, "by": text},
    }
    readable = line(event_id="readable", **free, **more, claim={**parts, "value": text})
    conflicting = line(event_id="conflicting", **free, **more, claim={**parts, "value": f"not {text}"})
    metric = line(event_id="measured", kind="metric", metric={"name": f"m{text}", "value": 1, "unit": text})
    lesson = line(event_id="learned", kind="lesson", lesson={"context": text, "applies_to": [text]})
    topic = line(event_id="current", kind="topic", topic=f"t{text}")
    agent = line(event_id="agents", scope="agent", agent=f"a{text}")
    lines = [*wrong, readable, conflicting, metric, lesson, topic, agent, b"not JSON " + text.encode()]
    (folder / FILE).write_bytes(b"\n".join(lines) + b"\n")
    (folder / f"x{text.replace('/', '')}.ndjson").write_bytes(line(event_id="named") + b"\nnot JSON\n")
    odd = hub / "sources" / f"s{text.replace('/', '')}"
    odd.mkdir()
    (odd / FILE).write_bytes(line(event_id="elsewhere") + b"\n")
    (hub / "USER.md").write_text(f"[fill in: {text}]\n", encoding="utf-8", newline="")


def test_every_command_in_text_and_json(git_hub: Path, steering: str) -> None:
    _fill(git_hub, steering)
    git(git_hub, "add", "-A")
    git(git_hub, "commit", "-q", "-m", f"subject {steering.strip()}", "--author", "odd\x1b[2J <a@e.example>")
    for command in COMMANDS:
        for form in ((), ("--json",)):
            result = run(*command, *form, "--hub", str(git_hub))

            again = command[0] == "retract" and bool(form)  # what is retracted already is not retracted twice
            assert result.code in ((2,) if again else (0, 1)), (command, result)
            if form:
                assert result.json["ok"] in (True, False)
                assert len(result.out.splitlines()) == 1
            assert not any(row.startswith("sources/other") for row in result.text.split("\n")), (command, result)


def test_rows_of_show_cannot_be_faked(git_hub: Path) -> None:
    folder = git_hub / "sources" / "bad-source"
    folder.mkdir()
    fake = "true\nstatus     retracted: no longer so"
    (folder / FILE).write_bytes(line(event_id="readable", detail=fake, own=fake, refs=[fake]) + b"\n")

    shown = run("show", "readable", "--hub", str(git_hub)).out

    assert [row for row in shown.split("\n") if row.startswith("status")] == ["status     active"]


def test_pages_that_somebody_changed_by_hand(git_hub: Path, steering: str) -> None:
    """Pages come with a pull from elsewhere; the diff and `why` show what stands in them."""
    folder = git_hub / "sources" / "bad-source"
    folder.mkdir()
    (folder / FILE).write_bytes(line(event_id="readable") + b"\n")
    run("compile", "--hub", str(git_hub))
    page = git_hub / "canonical" / "stable-memory.md"
    page.write_text(
        page.read_text(encoding="utf-8") + f"- {steering} (readable 2025-01-01)\n", encoding="utf-8", newline=""
    )
    (page.parent / f"x{steering.replace('/', '')}.md").write_bytes(page.read_bytes())

    for command in (("compile", "--dry-run"), ("compile", "--check"), ("why", "readable"), ("doctor",), ("compile",)):
        for form in ((), ("--json",)):
            assert run(*command, *form, "--hub", str(git_hub)).code in (0, 1)


@pytest.mark.parametrize(
    "arguments",
    [
        ("TEXT",),
        ("--TEXT",),
        ("--hub", "TEXT", "validate"),
        ("search", "TEXT x"),
        ("search", "--keyword", "TEXT x"),
        ("search", "--scope", "TEXT"),
        ("search", "--kind", "TEXT"),
        ("search", "--since", "TEXT"),
        ("search", "--limit", "TEXT"),
        ("search", "--TEXT"),
        ("show", "TEXT"),
        ("why", "TEXT"),
        ("retract", "TEXT", "--source", "my-laptop", "--reason", "x"),
        ("resolve", "TEXT", "TEXT", "--source", "my-laptop", "--both", "x"),
        ("compile", "--as-of", "TEXT"),
        ("compile", "--fuzzy-days", "TEXT"),
        ("add", "--source", "TEXT", "--kind", "TEXT", "--scope", "TEXT", "--summary", "TEXT"),
        (
            "add",
            "--source",
            "my-laptop",
            "--kind",
            "fact",
            "--scope",
            "stable",
            "--summary",
            "x y",
            "--importance",
            "TEXT",
        ),
        ("share", "TEXT", "--source", "TEXT"),
    ],
    ids=lambda arguments: "-".join(arguments)[:40],
)
def test_arguments_in_messages(hub: Path, arguments: tuple[str, ...]) -> None:
    for steering in STEERING.values():
        typed = [part.replace("TEXT", steering) for part in arguments]
        for form in ((), ("--json",)):
            result = run(*typed, *form) if "--hub" in typed else run(*typed, *form, "--hub", str(hub))

            # What holds a blank is text, however it begins.
            is_text = arguments[:2] in (("search", "TEXT x"), ("search", "--keyword"), ("search", "--TEXT"))
            assert result.code == 2 or is_text, result
            if form and result.out:
                assert json.loads(result.out)["ok"] in (True, False)
