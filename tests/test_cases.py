"""Small hubs on disk and every page that they compile to: `cases/<name>/{sources,soul.yaml,as_of}` to `canonical/`.

`as_of` holds the date, then flags: `since=DATE`, `fuzzy_days=N`, `exact`. `pytest --rewrite-cases` writes what the
compiler gives; read it before you keep it.
"""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from agent_soul.compiler import Compiled, compile_log
from agent_soul.config import default_config, parse_config
from agent_soul.log import parse_log, read_source_files
from agent_soul.overview import State
from vault import check_vault

CASES = sorted(path for path in (Path(__file__).parent / "cases").iterdir() if path.is_dir())


def compile_case(case: Path) -> Compiled:
    settings = case / "soul.yaml"
    config, warnings = parse_config(settings.read_bytes()) if settings.exists() else (default_config(), [])
    assert not warnings
    return compile_log(parse_log(read_source_files(case)), config, read_state(case / "as_of"))


def read_state(file: Path) -> State:
    as_of, *flags = file.read_text(encoding="utf-8").split()
    values = dict(flag.partition("=")[::2] for flag in flags)
    days = values.get("fuzzy_days")
    return State(
        as_of,
        since=values.get("since", ""),
        fuzzy_days=int(days) if days is not None else None,
        exact="exact" in values,
    )


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_case(case: Path, request: pytest.FixtureRequest) -> None:
    given = {path: text.encode("utf-8") for path, text in compile_case(case).texts.items()}
    folder = case / "canonical"
    if request.config.getoption("--rewrite-cases"):
        shutil.rmtree(folder, ignore_errors=True)
        for path, content in given.items():
            (folder / path).parent.mkdir(parents=True, exist_ok=True)
            (folder / path).write_bytes(content)

    expected = {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()}

    assert sorted(given) == sorted(expected)
    for path, content in given.items():
        assert content.decode("utf-8") == expected[path].decode("utf-8"), f"{case.name}/{path}"
        assert content == expected[path]


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_every_page_of_a_case_is_a_note_of_obsidian_and_no_link_leads_nowhere(case: Path) -> None:
    folder = case / "canonical"
    pages = {path.relative_to(folder).as_posix(): path.read_text(encoding="utf-8") for path in folder.rglob("*.md")}

    assert check_vault(pages) >= len(pages) - 1  # all but the list itself are on the list


def test_there_are_enough_cases() -> None:
    assert len(CASES) >= 22
