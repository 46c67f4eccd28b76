"""Homes of other programs as their owners left them: files in every form, and pictures of a whole tree."""

from __future__ import annotations

import json
import stat
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from hypothesis import strategies as st

from agent_soul.hub import Hub, open_hub
from agent_soul.runtimes.codex_trust import trusted_hash
from agent_soul.runtimes.model import Home

Draw = Callable[[st.SearchStrategy[Any]], Any]
STRANGER = {"hooks": [{"type": "command", "command": "beep --hook soul"}]}
COMMENTS = ("// mine", "/* keep me */", "// 我的，勿动")


def make_hub(folder: Path) -> Hub:
    """Make a hub with something on each page of L0 and L1."""
    (folder / "sources").mkdir(parents=True)
    (folder / "canonical").mkdir()
    (folder / "scripts").mkdir()
    files = {
        "soul.yaml": "template: false\n",
        "scripts/soul.py": "",
        "SOUL.md": "# SOUL\n\n## Purpose\n- Ships payments.\n- [fill in: more]\n",
        "USER.md": "# USER\n\n- Lin (林姐), in Shanghai.\n",
        "canonical/profile.md": "# Profile\n\n## Preferences\n- Prefers pnpm. (aaaaaaaa 2026-11-30)\n",
        "canonical/stable-memory.md": "# Stable memory\n\n- 数据库在东京。 (bbbbbbbb 2026-11-30)\n",
    }
    for name, text in files.items():
        (folder / name).write_text(text, encoding="utf-8")
    return open_hub(folder)


def home_in(folder: Path, **env: str) -> Home:
    """Return an empty home in the folder."""
    folder.mkdir(exist_ok=True)
    return Home(folder, env)


def picture(folder: Path) -> dict[str, tuple[Any, ...]]:
    """Return everything in a tree: kind, mode, and content or where a link leads."""
    found: dict[str, tuple[Any, ...]] = {}
    for path in sorted(folder.rglob("*")):
        name = path.relative_to(folder).as_posix()
        status = path.lstat()
        if path.is_symlink():
            found[name] = ("link", str(path.readlink()))
        elif path.is_dir():
            found[name] = ("folder", stat.S_IMODE(status.st_mode))
        else:
            found[name] = ("file", stat.S_IMODE(status.st_mode), path.read_bytes())
    return found


def trust_of(hooks: Path) -> str:
    """Return what Codex adds to its config.toml when a person trusts every hook in a file."""
    tables = ""
    for event, groups in json.loads(hooks.read_text("utf-8"))["hooks"].items():
        label = {"SessionStart": "session_start", "Stop": "stop", "SessionEnd": "session_end"}[event]
        for number, group in enumerate(groups):
            for place, handler in enumerate(group["hooks"]):
                key, known = f"{hooks}:{label}:{number}:{place}", trusted_hash(label, group.get("matcher"), handler)
                tables += f'\n[hooks.state.{json.dumps(key)}]\ntrusted_hash = "{known}"\n'
    return tables


def times(folder: Path) -> Mapping[str, int]:
    """Return when each file of a tree was last changed, in nanoseconds."""
    return {str(path): path.lstat().st_mtime_ns for path in sorted(folder.rglob("*")) if not path.is_dir()}


_SCALARS = st.one_of(st.none(), st.booleans(), st.integers(-9, 9), st.text('ab{}[]",:/*\\ 中', max_size=4))
VALUES = st.recursive(
    _SCALARS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text("kx/", max_size=2), inner, max_size=3),
    max_leaves=6,
)
_GROUPS = st.lists(st.sampled_from([STRANGER, {"matcher": "*", **STRANGER}, {"command": "beep"}]), max_size=2)


@st.composite
def settings_texts(draw: Draw) -> str:
    """Return JSON settings with strangers' hooks and servers, laid out in any way, perhaps with comments."""
    document = draw(st.dictionaries(st.text("kx", min_size=1, max_size=2), VALUES, max_size=2))
    if draw(st.booleans()):
        document["hooks"] = draw(st.dictionaries(st.sampled_from(["Stop", "SessionStart", "stop", "X"]), _GROUPS))
    if draw(st.booleans()):
        document["mcpServers"] = draw(st.dictionaries(st.sampled_from(["other", "二"]), VALUES, max_size=1))
    text = json.dumps(document, ensure_ascii=False, indent=draw(st.sampled_from([None, 2, 4, "\t"])))
    if draw(st.booleans()):
        text = _with_comments(text, draw)
    return text + draw(st.sampled_from(["", "\n", "\n\n"]))


def _with_comments(text: str, draw: Draw) -> str:
    """Put comments and trailing commas where lines end; no string of ours spans lines."""
    lines = text.split("\n")
    for number, line in enumerate(lines):
        closes = number + 1 < len(lines) and lines[number + 1].lstrip()[:1] in ("}", "]")
        comma = "," if closes and line[-1:] not in ("{", "[", ",") and draw(st.booleans()) else ""
        comment = draw(st.sampled_from(["", "", *(f" {each}" for each in COMMENTS)])) if len(lines) > 1 else ""
        lines[number] = line + comma + comment
    return "\n".join(lines)


PAGES = st.sampled_from(
    ["", "\n", "# Mine\n", "# 我的\n\n- 一条\n\n", "no line end", "a\n\n\n", "<!-- a comment -->\n"]
)
TABLES = st.sampled_from(
    [
        "",
        'model = "x"\n',
        '# mine\n[mcp_servers.other]\ncommand = "a" # why\n\n# about\n[z]\na = """\n[mcp_servers.agent-soul]\n"""\n',
        "[mcp_servers]\n",
        "a = 1",
    ]
)


@st.composite
def contents(draw: Draw, suffix: str) -> bytes:
    """Return what may stand in a file of that suffix before anybody joins."""
    strategy = {".json": settings_texts(), ".toml": TABLES}.get(suffix, PAGES)
    text = draw(strategy)
    if draw(st.integers(0, 3)) == 0:
        text = text.replace("\n", "\r\n")
    return (b"\xef\xbb\xbf" if draw(st.integers(0, 5)) == 0 else b"") + text.encode()
