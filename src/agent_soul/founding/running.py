"""Which toolkit is running here, as a hub's soul.yaml names it: what the hub's own scripts are to install."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Mapping
from importlib import metadata
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit
from urllib.request import url2pathname

from agent_soul import __version__, gitio, toolkit
from agent_soul.errors import RefusedError, SoulError
from agent_soul.founding.shipped import checkout
from agent_soul.hub import open_hub

_SCP_FORM = re.compile(r"(?P<user>[\w.-]+@)(?P<host>[\w.-]+):(?!/)(?P<path>.+)")
_PINNED = re.compile(r"(?P<git>\w+://.+)@(?P<commit>[0-9a-f]{40}(?:[0-9a-f]{24})?)")


def running_toolkit(hub: Path) -> Mapping[str, str]:
    """Return the table for a hub in the folder `hub`.

    A checkout whose commit its remote has is that commit, and else the folder. An installed package is where the
    installer had it from (PEP 610), or its number in the registry.
    """
    source = checkout()
    if source is not None:
        return _of_checkout(source, hub)
    try:
        told = metadata.distribution("agent-soul").read_text("direct_url.json")
    except metadata.PackageNotFoundError:
        told = None
    return _of_installer(json.loads(told), hub) if told else {"version": __version__}


def toolkit_named(text: str, hub: Path) -> Mapping[str, str]:
    """Return the table that a person means: a folder, a version, or `URL@HASH`. Raises `RefusedError` for others."""
    pinned = _PINNED.fullmatch(text)
    if pinned:
        return pinned.groupdict()
    folder = Path(text).expanduser()
    if (folder / "src" / "agent_soul" / "__init__.py").is_file():
        return {"path": _seen_from(hub, folder)}
    if re.fullmatch(r"\d[0-9a-z.!+-]*", text):
        return {"version": text}
    hint = "give a folder that holds agent-soul, a version such as 1.2, or URL@FULL-COMMIT-HASH"
    raise RefusedError(f"--toolkit {text!r} names no toolkit", hint=hint)


def toolkit_lines(table: Mapping[str, str]) -> str:
    """Return the table as it is written into soul.yaml. Raises `RefusedError` for a value that cannot stand there."""
    rows = (f"  {name}: {json.dumps(value, ensure_ascii=False)}" for name, value in table.items())
    lines = "\n".join(["toolkit:", *rows])
    if toolkit.table_of(lines) != dict(table):
        hint = f"give another one with --toolkit; soul.yaml takes {toolkit.FORMS}"
        raise RefusedError(f"soul.yaml cannot name the toolkit {dict(table)!r}", hint=hint)
    return lines


def _of_checkout(source: Path, hub: Path) -> Mapping[str, str]:
    try:
        url, commit = gitio.published_commit(open_hub(source), ("src", "pyproject.toml"))
    except SoulError:
        url = commit = ""
    table = {"git": _as_url(url), "commit": commit}
    return table if commit and toolkit.makes_sense(table) else {"path": _seen_from(hub, source)}


def _of_installer(told: Mapping[str, Any], hub: Path) -> Mapping[str, str]:
    url = str(told.get("url", ""))
    table = {"git": url, "commit": str(told.get("vcs_info", {}).get("commit_id", ""))}
    if toolkit.makes_sense(table):
        return table
    folder = Path(url2pathname(unquote(urlsplit(url).path))) if url.startswith("file:") else Path()
    if "dir_info" in told and (folder / "src" / "agent_soul").is_dir():
        return {"path": _seen_from(hub, folder)}
    return {"version": __version__}


def _as_url(address: str) -> str:
    found = _SCP_FORM.fullmatch(address)
    return f"ssh://{found['user']}{found['host']}/{found['path']}" if found else address


def _seen_from(hub: Path, folder: Path) -> str:
    """Return the folder as seen from the hub; where both move together it is found again."""
    try:
        return Path(os.path.relpath(folder.resolve(), hub.resolve())).as_posix()
    except ValueError:  # another drive
        return folder.resolve().as_posix()
