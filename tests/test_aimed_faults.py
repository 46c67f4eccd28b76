"""Some of the faults and kills that `scripts/soak.sh aimed` tries in full: the next command mends what they leave."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from history.aimed import Range
from history.faults import why_not

pytestmark = [
    pytest.mark.proof,
    pytest.mark.skipif(
        not Path("/proc/self/stat").exists(), reason="looks for running commands in /proc, which only Linux has"
    ),
]


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Range:
    return Range(tmp_path_factory.mktemp("range") / "alone")


def fire_at_some(place: Range, name: str) -> None:
    """Try a fault of the command itself and one of a git that it starts, both at calls that change something."""
    shots = [shot for shot in place.shots(name) if shot.point.is_writing]
    for ours in (True, False):
        shot = random.Random(1).choice([shot for shot in shots if (not shot.point.program) == ours])
        broken = place.fire(name, shot)
        assert not broken, f"{name}, {shot}: {broken}"


@pytest.mark.skipif(bool(why_not()), reason=why_not())
@pytest.mark.parametrize("name", ["compile", "sync", "share"])
def test_faults_at_system_calls(place: Range, name: str) -> None:
    fire_at_some(place, name)


@pytest.mark.skipif(bool(why_not()), reason=why_not())
def test_faults_beside_a_commit_that_a_person_has_not_pushed(tmp_path: Path) -> None:
    fire_at_some(Range(tmp_path / "range", unpushed=True), "sync")


@pytest.mark.parametrize("name", ["add", "compile", "sync"])
def test_kills_at_random_moments(place: Range, name: str) -> None:
    dice, usual = random.Random(2), place.usual_seconds(name)
    for whole_tree in (True, False):
        seconds = dice.uniform(0.3, 1.0) * usual
        broken = place.kill(name, seconds, whole_tree=whole_tree)
        assert not broken, f"{name} killed after {seconds:.3f} s, whole_tree={whole_tree}: {broken}"
