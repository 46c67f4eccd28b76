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
    settings._load.cache_clear()

    assert settings.config_of(home, b"fuzzy_days: 3")[0].fuzzy_days == 3


def test_what_the_schema_refuses_of_it_is_read_from_the_text(home: Hub) -> None:
    for spoilt in ("[1]", '{"fuzzy_days": "soon"}', "[" * 100_000):
        (home.state / settings._KEPT).write_text(f'{{"text": "fuzzy_days: 3", "says": {spoilt}}}', encoding="utf-8")
        settings._load.cache_clear()

        assert settings.config_of(home, b"fuzzy_days: 3")[0].fuzzy_days == 3


def test_a_changed_file_is_read_again(home: Hub) -> None:
    for days in (1, 2, 1):
        home.config_file.write_text(f"fuzzy_days: {days}\n", encoding="utf-8")
        settings._load.cache_clear()

        assert settings.load_config(home)[0].fuzzy_days == days


def test_nothing_is_kept_where_no_state_is(hub: Path) -> None:
    home = open_hub(hub)
    before = home.state.exists()

    settings.config_of(home, b"fuzzy_days: 3")

    assert home.state.exists() == before
