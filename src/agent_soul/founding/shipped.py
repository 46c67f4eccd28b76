"""The files of which a new hub is made, as they come with this package.

A wheel holds them beside this module. In a checkout they are the repository's own, so that there is one of each:
pyproject.toml lists which of them a wheel takes.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from agent_soul.errors import StoppedError
from agent_soul.files import read_regular

_PACKAGE = Path(__file__).parents[1]
_BESIDE = Path(__file__).parent / "skeleton"
_CHECKOUT = _PACKAGE.parents[1]

_SCRIPTS = (
    "add_event.py",
    "compile_and_sync.sh",
    "compile_memory_hub.py",
    "dedup_profile.py",
    "memory_op.py",
    "prune_fuzzy.py",
    "quick_share.py",
    "quick_share.sh",
    "search_events.py",
    "soul.py",
    "start.sh",
    "validate_sources.py",
)
FROM_REPOSITORY = (
    *("SOUL.md", "IDENTITY.md", "USER.md", "VOICE.md", "SCHEMA.md", "soul.yaml", ".gitattributes", ".gitignore"),
    *(f"scripts/{name}" for name in _SCRIPTS),
    ".github/dependabot.yml",
    ".github/actions/record/action.yml",
    *(f".github/workflows/{name}.yml" for name in ("auto-compile", "nightly", "validate")),
)
"""What a hub has as this repository has it."""
OWN = ("README.md", "sources/.gitkeep")
"""What only a hub has; it lies beside this module in a checkout too."""
SET_UP = (
    *("__init__.py", "bootstrap.py", "environment.py", "errors.py", "hub.py", "lock.py", "requirements.py"),
    *("start.py", "toolkit.py"),
)
"""Modules of this package that a hub without the toolkit needs to install it."""
SET_UP_FOLDER = "scripts/agent_soul"


def shipped_files() -> Mapping[str, bytes]:
    """Return every file of a new hub by its path in it, as it was shipped: nothing in it is anybody's own yet.

    Raises `StoppedError` where one is missing, which a whole installation never lacks.
    """
    shipped = {name: _read(name) for name in (*OWN, *FROM_REPOSITORY)}
    return shipped | {f"{SET_UP_FOLDER}/{name}": read_regular(_PACKAGE / name) for name in SET_UP}


def is_program(path: str) -> bool:
    """Tell whether a file of a hub is one that people start by its name."""
    return path.startswith("scripts/") and path.count("/") == 1


def checkout() -> Path | None:
    """Return the checkout whose source is running, or None where an installed package is."""
    in_checkout = _PACKAGE.parent.name == "src" and (_CHECKOUT / "pyproject.toml").is_file()
    return _CHECKOUT if in_checkout else None


def _read(name: str) -> bytes:
    beside = _BESIDE / name
    home = checkout()
    file = beside if beside.is_file() or home is None else home / name
    try:
        return read_regular(file)
    except StoppedError as error:
        raise StoppedError(error.message, hint="install agent-soul again: this file comes with it") from error
