"""The settings of a hub are read from YAML once, and again when the file says something else."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from agent_soul import settings
from agent_soul.config import parse_config
from agent_soul.hub import Hub, open_hub

TEMPLATE = (Path(__file__).parents[1] / "soul.yaml").read_bytes()


@pytest.fixture
def home(hub: Path) -> Hub:
    found = open_hub(hub)
    found.state.mkdir(parents=True, exist_ok=True)
    return found


def test_another_process_reads_no_yaml_again(home: Hub) -> None:
    home.config_file.write_bytes(TEMPLATE)
    program = (
        "import sys; from pathlib import Path; from agent_soul.hub import open_hub; from agent_soul.settings import"
        " load_config; print(load_config(open_hub(Path(sys.argv[1]))) , 'yaml' in sys.modules)"
    )

    first, second = (
        subprocess.run([sys.executable, "-c", program, home.root], capture_output=True, text=True, check=True).stdout
        for _ in range(2)
    )

    assert first.replace(" True\n", " False\n") == second == f"{parse_config(TEMPLATE)} False\n"


@pytest.mark.parametrize("kept", [b"", b"[]", b"{", b'{"text": 1}', b'{"text": "fuzzy_days: 3"}', b"\xff"])
def test_what_is_kept_of_another_text_or_broken_is_not_trusted(home: Hub, kept: bytes) -> None:
    (home.state / settings._KEPT).write_bytes(kept)
    settings.config_of.cache_clear()

    assert settings.config_of(home, b"fuzzy_days: 3")[0].fuzzy_days == 3


@pytest.mark.parametrize(
    "spoilt",
    ["[1]", '{"fuzzy_days": "soon"}', "[" * 100_000, "null", "{}", '{"fuzzy_days": 30}', '{"fuzzy_day": 3}', "NaN"],
)
def test_what_is_kept_is_what_was_read_or_it_is_read_again(home: Hub, spoilt: str) -> None:
    """Also where the schema would take it: a template that is none all at once would be pushed to its origin."""
    text = b"fuzzy_days: 3\ntemplate: true"
    settings.config_of(home, text)
    file = home.state / settings._KEPT
    kept = file.read_text(encoding="utf-8")
    spoilt_too = kept.replace('{"fuzzy_days": 3, "template": true}', spoilt)
    assert spoilt_too != kept
    file.write_text(spoilt_too, encoding="utf-8")
    settings.config_of.cache_clear()

    config, warnings = settings.config_of(home, text)
    assert (config.fuzzy_days, config.template, warnings) == (3, True, [])
    assert file.read_text(encoding="utf-8") == kept, "and is kept anew"


def test_a_file_of_any_length_is_no_other_setting(home: Hub) -> None:
    """As a full disk or a power cut may leave it."""
    settings.config_of(home, b"fuzzy_days: 31")
    file = home.state / settings._KEPT
    kept = file.read_bytes()
    for length in range(len(kept)):
        file.write_bytes(kept[:length])
        settings.config_of.cache_clear()
        assert settings.config_of(home, b"fuzzy_days: 31")[0].fuzzy_days == 31


def test_what_another_version_read_is_read_again(home: Hub, monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as older:
        older.setattr(settings, "__version__", "0.0.1")
        older.setattr(settings, "load_yaml", lambda text: {"fuzzy_days": 30})
        assert settings.config_of(home, b"fuzzy_days: 3")[0].fuzzy_days == 30
    settings.config_of.cache_clear()

    assert settings.config_of(home, b"fuzzy_days: 3")[0].fuzzy_days == 3


def test_a_changed_file_is_read_again(home: Hub) -> None:
    for days in (1, 2, 1):
        home.config_file.write_text(f"fuzzy_days: {days}\n", encoding="utf-8")
        settings.config_of.cache_clear()

        assert settings.load_config(home)[0].fuzzy_days == days


def test_nothing_is_kept_where_no_state_is(hub: Path) -> None:
    home = open_hub(hub)
    before = home.state.exists()

    settings.config_of(home, b"fuzzy_days: 3")

    assert home.state.exists() == before
