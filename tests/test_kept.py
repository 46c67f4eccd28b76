"""Tables are made of their files once, and again when the files change; a kept copy that is broken is made anew."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from agent_soul.judging import lexicon
from agent_soul.judging.kept import kept


@pytest.fixture
def source(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(sys, "dont_write_bytecode", False)
    monkeypatch.setattr(sys, "pycache_prefix", None)
    file = tmp_path / "words.py"
    file.write_text("one", encoding="utf-8")
    return file


def lengths_of(source: Path, made: list[str]) -> dict[str, int]:
    def build() -> dict[str, int]:
        made.append(source.read_text(encoding="utf-8"))
        return {made[-1]: len(made[-1])}

    return dict(kept([source], build))


def test_tables_are_made_once_and_again_after_a_change(source: Path) -> None:
    made: list[str] = []

    assert [lengths_of(source, made) for _ in range(2)] == [{"one": 3}] * 2
    os.utime(source, ns=(1, 1))
    lengths_of(source, made)
    source.write_text("three", encoding="utf-8")

    assert lengths_of(source, made) == {"three": 5}
    assert made == ["one", "one", "three"]


@pytest.mark.parametrize("content", [b"", b"broken", b"\xe9\x05\x00\x00\x00", b"i\x01\x00\x00\x00"])
def test_a_broken_copy_is_made_anew(source: Path, content: bytes) -> None:
    lengths_of(source, [])
    (copy,) = (source.parent / "__pycache__").iterdir()
    copy.write_bytes(content)

    assert lengths_of(source, []) == {"one": 3}
    assert copy.read_bytes() != content


def test_without_compiled_modules_nothing_is_kept(source: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "dont_write_bytecode", True)

    lengths_of(source, [])

    assert not (source.parent / "__pycache__").exists()


def test_the_kept_word_tables_are_those_of_the_files(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(sys, "dont_write_bytecode", False)
    monkeypatch.setattr(sys, "pycache_prefix", str(tmp_path))

    first, second = (lexicon.load.__wrapped__() for _ in range(2))

    assert list(tmp_path.rglob("*.tables"))
    assert first == second == lexicon._build()
    assert isinstance(second.words["not"], lexicon.Word)
