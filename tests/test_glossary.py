"""The words of a text in the other language, by which a search without a model finds them."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path

import pytest

from agent_soul.adding import add
from agent_soul.contexts.asking import Request
from agent_soul.contexts.gathering import context_of
from agent_soul.hub import open_hub
from agent_soul.searching.glossary import glossary, translations


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("部署数据库", ["deploy", "deployment", "database", "db"]),
        ("单元测试", ["unit", "test"]),
        ("Thresholds", ["阈值"]),
        ("of the", []),
        ("咕噜", []),
        ("", []),
    ],
)
def test_words_are_given_in_the_other_language(text: str, found: list[str]) -> None:
    """The longest word of a run counts, endings and stop words do not."""
    assert translations(text)[: len(found) or 1] == found


def test_every_row_of_the_table_is_read() -> None:
    table = glossary()

    assert len(table.english) > 880
    assert all(word and not word.isascii() for word in table.english)
    assert all(english and all(each.isascii() for each in english) for english in table.english.values())


def test_a_chinese_task_finds_an_english_memory(hub: Path) -> None:
    here = open_hub(hub)
    for project, summary in (("shop", "Database migrations run before the deploy."), ("home", "Lunch is at noon.")):
        add(here, {"source": "mac", "kind": "fact", "scope": "project", "project": project, "summary": summary})
    now = datetime.fromisoformat("2026-11-30T12:00:00+08:00")

    text = context_of(here, Request(task="准备数据库迁移"), now).text

    assert "Database migrations" in text
    assert "Lunch" not in text
