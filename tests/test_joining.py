"""Joining agent programs: nothing of a stranger's is lost, doing it again changes nothing, and all of it comes back."""

from __future__ import annotations

import tempfile
from pathlib import Path

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from agent_soul.runtimes.joining import end_join, join, rerender
from agent_soul.runtimes.model import Home, Options, Runtime
from agent_soul.runtimes.registry import RUNTIMES, find
from agent_soul.runtimes.standing import joined
from joins import contents, home_in, make_hub, picture, times

EVERYTHING = Options(mcp=True, allow=True)


@pytest.fixture
def home(tmp_path: Path) -> Home:
    return home_in(tmp_path / "home")


def files_of(runtime: Runtime, home: Home, hub_folder: Path) -> list[Path]:
    """Return every file that joining the runtime in an empty home would write."""
    plan = join(make_hub(hub_folder), runtime, home=home, options=EVERYTHING, apply=False).plan
    return [change.path for change in plan.changes]


@pytest.mark.parametrize("name", [name for name, runtime in RUNTIMES.items() if not runtime.is_pasted])
@given(data=st.data())
# Every example writes dozens of files durably, so the smallest one that fails would take minutes to find.
@settings(max_examples=12, deadline=None, phases=(Phase.generate,), suppress_health_check=list(HealthCheck))
def test_what_was_joined_comes_back_byte_for_byte(name: str, data: st.DataObject) -> None:
    """Over files in any form: joining twice is joining once, and its end leaves the tree as it was."""
    runtime = RUNTIMES[name]
    with tempfile.TemporaryDirectory() as made:
        folder = Path(made)
        home = home_in(folder / "home")
        hub = make_hub(folder / "hub")
        for number, path in enumerate(files_of(runtime, home, folder / "other hub")):
            _put_something(path, number, data)
        before = picture(home.folder)

        first = join(hub, runtime, home=home, options=EVERYTHING)
        once, when = picture(home.folder), times(home.folder)
        again = join(hub, runtime, home=home, options=EVERYTHING)
        assert (picture(home.folder), times(home.folder)) == (once, when)
        assert not again.plan.changes
        if first.plan.changes:
            assert [(each.runtime.name, each.source) for each in joined(hub, home=home)] == [(name, first.source)]
        end_join(hub, runtime, home=home)

        assert picture(home.folder) == before
        assert joined(hub, home=home) == []


def _put_something(path: Path, number: int, data: st.DataObject) -> None:
    """Put at a place what a person may have there: nothing, an empty folder, a file, a link to one."""
    kind = data.draw(st.sampled_from(["nothing", "folder", "file", "file", "link"]))
    if kind == "nothing" or path.name in ("agent-soul.md", "SKILL.md"):
        return
    path.parent.mkdir(parents=True, exist_ok=True)
    if kind == "folder":
        return
    target = path if kind == "file" else path.parent / f"dotfile-{number}"
    target.write_bytes(data.draw(contents(path.suffix)))
    target.chmod(data.draw(st.sampled_from([0o644, 0o600])))
    if kind == "link":
        path.symlink_to(target.name)


@pytest.mark.parametrize("name", RUNTIMES)
def test_what_programs_read_follows_the_pages(name: str, tmp_path: Path, home: Home) -> None:
    """A new page comes into copies of it at once; where nothing changed no file is touched."""
    hub = make_hub(tmp_path / "hub")
    join(hub, find(name), home=home)
    when = times(home.folder)
    assert rerender(hub, home=home) == []
    assert times(home.folder) == when

    (hub.canonical / "profile.md").write_text("# Profile\n\n- Prefers uv. (cccccccc 2026-11-30)\n", encoding="utf-8")
    changed = rerender(hub, home=home)

    copies = [path for path in home.folder.rglob("*") if path.is_file() and b"Prefers uv" in path.read_bytes()]
    assert [change.path for change in changed] == copies
    assert copies or name in ("claude-code", "cursor", "claude-desktop", "generic")


def test_rerender_without_a_join_looks_at_one_file(tmp_path: Path, home: Home) -> None:
    hub = make_hub(tmp_path / "hub")
    end_join(hub, find("codex"), home=home)

    assert rerender(hub, home=home) == []
    assert not (hub.state / "joined.json").exists()
