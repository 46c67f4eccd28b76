"""The pages of docs/runtimes: made from the data, and complete in both languages."""

from __future__ import annotations

from pathlib import Path

import pytest

from agent_soul.cli.runtime_pages import CHINESE, runtime_documents
from agent_soul.runtimes.registry import RUNTIMES

ROOT = Path(__file__).parents[1]
DOCUMENTS = runtime_documents(ROOT)


@pytest.mark.parametrize("page", DOCUMENTS, ids=lambda page: page.name)
def test_a_page_says_what_the_program_does(page: Path) -> None:
    assert page.read_text(encoding="utf-8") == DOCUMENTS[page], "run `soul docs`"


def test_every_program_has_a_page_and_its_chinese() -> None:
    assert CHINESE.keys() == RUNTIMES.keys()
    assert {page.stem for page in (ROOT / "docs" / "runtimes").iterdir()} == {*RUNTIMES, "README", "README.zh-CN"}
    chinese = (ROOT / "docs" / "runtimes" / "README.zh-CN.md").read_text(encoding="utf-8")
    assert all(f"`{name}`" in chinese for name in RUNTIMES)


def test_a_page_names_every_file_that_a_join_writes() -> None:
    text = DOCUMENTS[ROOT / "docs" / "runtimes" / "codex.md"]

    for path in ("AGENTS.md", "hooks.json", "config.toml", "rules/agent-soul.rules"):
        assert f"`~/.codex/{path}`" in text
    assert "`$CODEX_HOME` takes the place of `~/.codex`" in text
