"""Bad input, as cases on disk: what each command makes of it.

A case is a folder `bad_input/<name>/` with an `expected.json`. It tests any of:

- `lines.ndjson` (or `builder`, a name in `bad_input/builders.py`): lines that stand between two good ones in a source
  file. `lines` says of each whether it is `bad` (with `code`, `column` and what the message `says`), `good` (with what
  is `shown` on a page, the `page` folder, whether it is `absent` from all pages, a `notice` of `validate`), or set
  `aside`; `refused` says what `add --stdin` has against a line that is read, and `stdin` that it takes one that is not
  (`taken`), or may (`either`). `"stdin": false` leaves that part out.
- `tree`: a builder that changes the hub's files, with the `problems` that `validate` names.
- `add`: what is typed. `options` are laid over those of a good event (null takes one away); `exit` and what is said
  follow, or what is `stored`.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest
from markdown_it import MarkdownIt

from bad_input.builders import FILE, LINES, TREES, line, remove_deep_folders, source_file
from bad_input.harness import Result, run, snapshot, unseen
from vault import check_properties, parts

CASES = Path(__file__).parent / "bad_input"
NAMES = sorted(file.parent.name for file in CASES.glob("*/expected.json"))
PATH = f"sources/bad-source/{FILE}"
FIRST_LINE = 2
"""Number of the first line under test: a good neighbour stands before it."""
NEIGHBOURS = {
    "good-before": "The left neighbour of the bad line.",
    "good-after": "The right neighbour of the bad line.",
    "good-elsewhere": "In another source, a good line.",
}
TYPED = {"source": "my-laptop", "kind": "fact", "scope": "stable", "summary": "A good line that somebody typed."}


@pytest.fixture(autouse=True)
def without_waiting_for_the_disk(monkeypatch: pytest.MonkeyPatch) -> None:
    """Power cuts are tested elsewhere; here they would take half of the time."""
    monkeypatch.setattr(os, "fsync", lambda _: None)


@pytest.mark.parametrize("name", NAMES)
def test_case(name: str, hub: Path) -> None:
    case = json.loads((CASES / name / "expected.json").read_text(encoding="utf-8"))
    _write_neighbours(hub)
    if "tree" in case:
        TREES[case["tree"]](hub)
        try:
            _check_tree(hub, case)
        finally:
            remove_deep_folders(hub)
    if "lines" in case:
        lines = _lines_of(name, case)
        _check_lines(hub, lines, case)
        if case.get("stdin", True):
            _check_stdin(hub.parent / "piped", lines, case["lines"])
    if "add" in case:
        for typed in case["add"]:
            _check_typed(hub.parent / "typed", typed)
        _check_readable(hub.parent / "typed")


def test_there_are_enough_cases() -> None:
    cases = [json.loads((CASES / name / "expected.json").read_text(encoding="utf-8")) for name in NAMES]
    inputs = sum(len(case.get("lines", ())) + len(case.get("add", ())) or 1 for case in cases)
    rows = {case["row"] for case in cases}

    assert len(NAMES) >= 100
    assert inputs >= 300
    assert {*range(55, 88)} - rows <= {75, 86}, "these two rows have tests of their own"


def _write_neighbours(hub: Path) -> None:
    folder = hub / "sources" / "good-source"
    folder.mkdir(parents=True)
    elsewhere = line(event_id="good-elsewhere", source="good-source", summary=NEIGHBOURS["good-elsewhere"])
    (folder / "2025-01-01.0000cafe.ndjson").write_bytes(elsewhere + b"\n")


def _lines_of(name: str, case: dict[str, Any]) -> list[bytes]:
    if "builder" in case:
        return LINES[case["builder"]]()
    return (CASES / name / "lines.ndjson").read_bytes().removesuffix(b"\n").split(b"\n")


def _check_lines(hub: Path, lines: Sequence[bytes], case: dict[str, Any]) -> None:
    before, after = (line(event_id=id_, summary=NEIGHBOURS[id_]) for id_ in ("good-before", "good-after"))
    source_file(hub).write_bytes(b"\n".join((before, *lines, after)) + b"\n")
    expected = case["lines"]
    assert len(lines) == len(expected)
    untouched = snapshot(hub.parent, without=hub / "canonical")

    bad = sum(each["is"] == "bad" for each in expected)
    _check_validate(hub, expected, case.get("notices", ()), bad)
    compiled = _check_compile(hub, bad)
    _check_counts(compiled.json, case, expected)
    pages = _pages(hub)
    gone = case.get("gone", ())
    for text in NEIGHBOURS.values():
        assert (text in pages["stable-memory.md"]) is not any(part in text for part in gone)
    for raw, each in zip(lines, expected, strict=True):
        _check_shown(pages, raw, each)
    if not any(each["is"] == "good" for each in expected):
        assert not any("MARKER" in text for text in pages.values())
    if "distinct_pages" in case:
        projects = [path for path in pages if path.startswith("projects/")]
        assert len({path.casefold() for path in projects}) == len(projects) == case["distinct_pages"]
    _check_finding(hub, [_id_of(raw) for raw, each in zip(lines, expected, strict=True) if each["is"] == "good"])

    assert snapshot(hub.parent, without=hub / "canonical") == untouched


def _check_validate(hub: Path, expected: Sequence[dict[str, Any]], notices: Sequence[str], bad: int) -> None:
    spoken, listed = _soul(hub, "validate"), _soul(hub, "validate", "--json")
    assert spoken.code == listed.code == (1 if bad else 0)
    answer = listed.json
    assert answer["ok"] is not bool(bad)
    assert answer["bad_lines"] == bad
    assert len(answer["set_aside"]) == sum(each["is"] == "aside" for each in expected)
    for number, each in enumerate(expected, FIRST_LINE):
        here = [problem for problem in answer["problems"] if (problem["path"], problem["line"]) == (PATH, number)]
        errors = [problem for problem in here if problem["level"] == "error"]
        assert [problem["code"] for problem in errors] == ([each["code"]] if each["is"] == "bad" else [])
        assert {*([each["notice"]] if "notice" in each else [])} <= {problem["code"] for problem in here}
        if each["is"] == "good":
            continue
        place = f"{PATH}:{number}:" if each["is"] == "aside" else f"{PATH}:{number}:{each.get('column', '')}"
        said = [row for row in spoken.out.split("\n") if row.startswith(place)]
        assert len(said) == 1, spoken
        assert len(said[0]) < 500
        assert all(part in said[0] for part in each["says"]), (each["says"], said[0])
    assert {*notices} <= {problem["code"] for problem in answer["problems"]}


def _check_compile(hub: Path, bad: int) -> Result:
    dry = _soul(hub, "compile", "--dry-run")
    assert dry.code == 0
    assert not (hub / "canonical").exists()
    compiled = _soul(hub, "compile", "--json")
    assert compiled.code == 0
    assert compiled.json["bad_lines"] == bad
    assert f"bad lines {bad}" in (hub / "canonical" / "index.md").read_text(encoding="utf-8")
    assert _soul(hub, "compile", "--strict").code == (1 if bad else 0)
    assert _soul(hub, "compile", "--check").code == 0
    assert _soul(hub, "doctor").code == 1
    return compiled


def _check_counts(compiled: dict[str, Any], case: dict[str, Any], expected: Sequence[dict[str, Any]]) -> None:
    counts, wanted = compiled["counts"], case.get("counts", {})
    assert {status: counts[status] for status in wanted} == wanted
    assert compiled["set_aside"] == sum(each["is"] == "aside" for each in expected)


def _pages(hub: Path) -> dict[str, str]:
    """Return all pages by their path from `canonical/`, each checked to be well formed."""
    pages = {}
    for file in sorted((hub / "canonical").rglob("*.*")):
        text = file.read_bytes().decode("utf-8")
        path = file.relative_to(hub / "canonical").as_posix()
        assert not unseen(text), (path, unseen(text))
        assert "\r" not in text
        if file.suffix == ".json":
            json.loads(text)
        else:
            check_properties(path, text)
            assert not set(_markup(text)), (path, set(_markup(text)))
        pages[path] = text
    assert {"index.md", "profile.md", "stable-memory.md", "pages.md", "memory.json"} <= set(pages)
    return pages


def _markup(page: str) -> Iterator[str]:
    """Yield everything in a page that a renderer makes of it and that no page of ours has."""
    parser = MarkdownIt("gfm-like", {"html": True})
    assert parser.linkify
    parser.linkify.set({"fuzzy_link": False})  # it would take SOUL.md for the name of a host
    for token in parser.parse(parts(page)[1]):
        for each in (token, *(token.children or ())):
            ours = {"text", "inline", "softbreak", "heading", "paragraph", "bullet_list", "ordered_list", "list_item"}
            if each.type.removesuffix("_open").removesuffix("_close") not in ours | {"code_inline"}:
                yield each.type
            if each.type == "code_inline" and not re.match(r"(soul|scripts/|python3|bash|why|show|--)", each.content):
                yield f"code {each.content}"


def _check_shown(pages: dict[str, str], raw: bytes, each: dict[str, Any]) -> None:
    if each["is"] != "good":
        return
    if "shown" in each:
        assert any(each["shown"] in text for text in pages.values()), each["shown"]
    id_ = re.compile(rf"(?<![\w-]){re.escape(_id_of(raw))}(?![\w-])")
    on = {
        path for path, text in pages.items() if id_.search(text) and path.endswith(".md") and "agents/bad" not in path
    }
    if each.get("absent"):
        assert not on
    elif "page" in each:
        assert [path.startswith(each["page"]) for path in on] == [True], on


def _check_finding(hub: Path, good: Sequence[str]) -> None:
    everything = _soul(hub, "search", "--all", "--limit", "0", "--json").json["results"]
    assert {hit["event_id"] for hit in everything} == {*good, *NEIGHBOURS}
    assert "right neighbour" in _soul(hub, "search", "right neighbour").out
    _soul(hub, "search", "--all", "--limit", "0")
    for id_ in dict.fromkeys([*good[:3], "good-after"]):
        for command in (("show", id_), ("show", id_, "--json"), ("why", id_), ("why", id_, "--json")):
            found = _soul(hub, *command)
            assert found.code == 0
            assert id_ in found.out
    if "bad-line-1" not in good:
        assert _soul(hub, "show", "bad-line-1x").code == 2


def _check_stdin(hub: Path, lines: Sequence[bytes], expected: Sequence[dict[str, Any]]) -> None:
    (hub / "sources").mkdir(parents=True)
    piped = _soul(hub, "add", "--stdin", "--json", stdin=b"\n".join(lines) + b"\n")
    answer = piped.json
    refused = {each["line"]: each["reason"] for each in answer["refused"]}
    wanted = {n: each for n, each in enumerate(expected, 1) if _is_refused(each, n in refused)}
    assert set(refused) == set(wanted), refused
    assert answer["ok"] is not bool(wanted)
    assert answer["added"] == len(lines) - len(wanted)
    assert (piped.code != 0) is bool(wanted)
    for number, each in wanted.items():
        first = each.get("refused", each.get("says", ())[:1])
        assert all(part in refused[number] for part in first), (first, refused[number])
    if not answer["added"]:
        assert piped.code == 2
        assert not list((hub / "sources").iterdir())
    _check_readable(hub)


def _is_refused(each: dict[str, Any], was_refused: bool) -> bool:
    """Tell whether `add --stdin` must refuse the line: what it cannot take, but for what it fills in or tidies."""
    if "stdin" in each:
        return was_refused if each["stdin"] == "either" else False
    return each["is"] != "good" or "refused" in each


def _check_typed(hub: Path, typed: dict[str, Any]) -> None:
    (hub / "sources").mkdir(parents=True, exist_ok=True)
    untouched = snapshot(hub.parent)
    arguments = []
    for name, value in {**TYPED, **typed["options"]}.items():
        values = value if isinstance(value, list) else [value] if value is not None else []
        arguments += [part for each in values for part in (f"--{name}", each)]
    added = _soul(hub, "add", *arguments)
    assert added.code == typed["exit"], (arguments, added)
    if typed["exit"]:
        assert all(part in added.err for part in typed["says"]), (typed["says"], added.err)
        assert len(added.err) < 1_500
        assert not added.out
        said = _soul(hub, "add", *arguments, "--json")
        assert said.json["ok"] is False
        assert said.code == typed["exit"]
        assert snapshot(hub.parent) == untouched
        return
    event = added.json["event"]
    assert {name: event[name] for name in typed.get("stored", {})} == typed.get("stored", {})
    assert all(any(part in warning for warning in added.json["warnings"]) for part in typed.get("warns", ()))
    assert added.json["event_id"] in _soul(hub, "show", added.json["event_id"]).out
    assert added.json["path"].startswith(f"sources/{event['source']}/")


def _check_readable(hub: Path) -> None:
    """What was written can be read, compiles, and lies where it belongs."""
    outside = snapshot(hub.parent, without=hub)
    assert _soul(hub, "validate").code == 0
    assert _soul(hub, "compile").code == 0
    assert _soul(hub, "compile", "--check").code == 0
    _pages(hub)
    assert snapshot(hub.parent, without=hub) == outside
    assert {entry.name for entry in hub.iterdir()} == {"sources", "canonical"}


def _check_tree(hub: Path, case: dict[str, Any]) -> None:
    untouched = snapshot(hub.parent, without=hub / "canonical")
    standing = snapshot(hub / "canonical")
    validated = _soul(hub, "validate", "--json")
    spoken = _soul(hub, "validate")
    problems = validated.json["problems"]
    for wanted in case.get("problems", ()):
        found = [each for each in problems if (each["path"], each["code"]) == (wanted["path"], wanted["code"])]
        assert found, problems
        assert all(part in found[0]["message"] for part in wanted.get("says", ()))
        assert any(row.startswith(wanted["path"]) for row in spoken.out.split("\n"))
    bad = case.get("bad", len(case.get("problems", ())))
    if bad is not None:
        assert validated.json["bad_lines"] == bad
        assert validated.code == spoken.code == (1 if bad else 0)

    compiled = _soul(hub, "compile")
    assert compiled.code == case.get("compile", 0), compiled
    for command in (("search", "good"), ("doctor",), ("why", "good"), ("compile", "--dry-run"), ("compile", "--check")):
        _soul(hub, *command)
    if compiled.code:
        assert all(part in compiled.err for part in case["compile_says"]), compiled.err
        assert standing.items() <= snapshot(hub / "canonical").items(), "what was there was changed"
        assert not (hub / "canonical" / "index.md").exists(), "the index says that all pages are there"
    else:
        pages = "".join(_pages(hub).values())
        assert (NEIGHBOURS["good-elsewhere"] in pages) is case.get("log", True)
        assert all(text in pages for text in case.get("shown", ()))
        assert "somebody else's file" not in pages
    if case.get("log", True):
        assert "another source" in _soul(hub, "search", "another source").out
    assert snapshot(hub.parent, without=hub / "canonical") == untouched


def _id_of(raw: bytes) -> str:
    return str(json.loads(raw)["event_id"])


def _soul(hub: Path, *arguments: str, stdin: bytes = b"") -> Result:
    return run(*arguments, "--hub", str(hub), stdin=stdin)
