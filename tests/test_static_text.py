"""What agents have read before their first word: within each limit, whole lines, and what is missing is said."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agent_soul.pages import INDEX, PROFILE, STABLE
from agent_soul.runtimes.model import Home, Scene
from agent_soul.runtimes.static_text import Body, Limit, copied_text, import_text

IDENTITY = {
    "SOUL.md": "# SOUL 灵魂\n\n> Owner: fill.\n\n## Purpose\n- Ships payments.\n- [fill in: more]\n> ✔ An example.\n",
    "VOICE.md": "# VOICE\n\n- Short.\n",
}
INDEX_PAGE = "# Memory\n\n## How to load it\n1. Always read SOUL.md.\n\n## State\nactive 2, conflicts 0.\n"
PAGES = {
    PROFILE: "# Profile\n\n## Preferences\n- Prefers pnpm. (aaaaaaaa 2026-11-30)\n",
    STABLE: "# Stable memory\n\n## Facts\n- 数据库在东京。 (bbbbbbbb 2026-11-30)\n",
    INDEX: INDEX_PAGE,
}
EXPECTED = """\

## SOUL 灵魂

### Purpose
- Ships payments.

## VOICE
- Short.

## Profile

### Preferences
- Prefers pnpm. (aaaaaaaa 2026-11-30)

## Stable memory

### Facts
- 数据库在东京。 (bbbbbbbb 2026-11-30)

## State of the memory
active 2, conflicts 0.

End of the shared memory. Nothing is left out.
"""


def scene_of(identity: dict[str, str], pages: dict[str, str]) -> Scene:
    return Scene(Home(Path("/home/me"), {}), "/home/me/soul", "my-codex", ("soul",), body=Body(identity, pages))


def test_all_of_it_in_the_order_in_which_it_matters() -> None:
    """Places to be filled in and examples say nothing; of the index only the state is news to who reads this."""
    text = copied_text(scene_of(IDENTITY, PAGES), None)

    assert text.endswith(EXPECTED)
    head = text.removesuffix(EXPECTED)
    assert head.startswith("# Shared memory\n")
    assert "Write before you reply" in head
    assert 'soul add --hub "/home/me/soul" --source my-codex' in head
    assert "soul boot" not in head
    assert "soul boot" in copied_text(scene_of(IDENTITY, PAGES), None, boots=True)


def long_pages(lines: int) -> dict[str, str]:
    return {
        path: f"# {path}\n\n## Facts\n" + "".join(f"- 第 {number} 条 of {path}\n" for number in range(lines))
        for path in (PROFILE, STABLE)
    }


@settings(max_examples=60, deadline=None)
@given(
    number=st.integers(1_600, 9_000),
    unit=st.sampled_from(["characters", "bytes"]),
    lines=st.integers(0, 150),
    around=st.text("我a\n", max_size=100),
)
def test_no_limit_is_passed_and_what_is_missing_is_counted(number: int, unit: str, lines: int, around: str) -> None:
    limit = Limit(number, unit)  # type: ignore[arg-type]
    scene = scene_of(IDENTITY, long_pages(lines))

    text = copied_text(scene, limit, around)

    assert limit.fits(around + text)
    shown = sum(line.startswith("- 第") for line in text.split("\n"))
    left_out = text.rpartition("End of the shared memory. ")[2]
    assert (shown == 2 * lines) == left_out.startswith("Nothing is left out.")
    whole = set(copied_text(scene, None).split("\n"))
    assert set(text.split("\n")[:-2]) <= whole
    if shown < 2 * lines and "SOUL.md" not in left_out:
        missing = sum(int(part.split(" of ")[0]) for part in left_out.partition(": ")[2].split(", "))
        assert missing == 2 * lines - shown


def test_first_goes_what_stands_last() -> None:
    """Of each page the first lines stay, which matter most; who it is for goes last of all."""
    scene = scene_of(IDENTITY, long_pages(200))

    text = copied_text(scene, Limit(4_000, "characters"))

    assert "Ships payments." in text
    for path in (PROFILE, STABLE):
        assert f"- 第 0 条 of {path}" in text
        assert f"- 第 199 条 of {path}" not in text
    assert "Left out for the limit of 4,000 characters: " in text
    assert f"of 200 lines of canonical/{PROFILE}" in text


@pytest.mark.parametrize(
    ("hub", "root"), [("/home/me/soul", "~/soul"), ("/data/soul", "/data/soul"), ("/home/me2/s", "/home/me2/s")]
)
def test_a_program_that_imports_gets_a_list_of_files(hub: str, root: str) -> None:
    scene = Scene(Home(Path("/home/me"), {}), hub, "my-claude", ("soul",))

    lines = import_text(scene).split("\n")

    assert [line for line in lines if line.startswith("@")] == [
        f"@{root}/{name}"
        for name in (
            "SOUL.md",
            "IDENTITY.md",
            "USER.md",
            "VOICE.md",
            "canonical/index.md",
            "canonical/profile.md",
            "canonical/stable-memory.md",
        )
    ]
