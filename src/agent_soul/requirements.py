"""What the toolkit needs, read from pyproject.toml: packages to install, and whether this Python has them."""

from __future__ import annotations

import re
import tomllib
from importlib import metadata
from pathlib import Path
from typing import Any

from agent_soul import toolkit
from agent_soul.errors import StoppedError

_AT_LEAST = re.compile(r"([A-Za-z0-9._-]+)\s*>=\s*([0-9.]+)(?:,\s*<\s*([0-9.]+))?")


def install_target(root: str, groups: tuple[str, ...] = ()) -> list[str]:
    """Return the installer's arguments for what `toolkit:` in soul.yaml names; a checkout so that a pull takes effect.

    With the packages of the dependency `groups`: of a package from elsewhere they are the extras of these names. Raises
    `StoppedError` where that is nothing that can be installed.
    """
    folder = toolkit.folder_of(root)
    return ["--editable", folder, *of_groups(folder, groups)] if folder else toolkit.requirements_of(root, groups)


def of_groups(root: str, groups: tuple[str, ...]) -> list[str]:
    """Return the requirements of the dependency `groups`, included groups too (PEP 735).

    Read here because only pip 25.1 and newer know groups, and a new environment has the pip of its Python.
    A hub without the toolkit's source has no groups, and no pyproject.toml.
    """
    if not groups:
        return []
    table = _pyproject(root).get("dependency-groups", {})
    return [requirement for group in groups for requirement in _expand(table, group)]


def are_met(root: str, groups: tuple[str, ...] = ()) -> bool:
    """Tell whether the running Python has every dependency, the groups' too, in a version that pyproject.toml takes."""
    needed = [*_pyproject(root)["project"]["dependencies"], *of_groups(root, groups)]
    return all(_is_met(requirement) for requirement in needed)


def _pyproject(root: str) -> dict[str, Any]:
    file = Path(root, "pyproject.toml")
    try:
        return tomllib.loads(file.read_text(encoding="utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise StoppedError(f"{file} cannot be read: {error}", hint="put it right, or restore it with git") from None


def _expand(table: dict[str, list[Any]], group: str) -> list[str]:
    if group not in table:
        raise StoppedError(f"pyproject.toml has no dependency group {group!r}", hint=f"it has: {', '.join(table)}")
    found: list[str] = []
    for entry in table[group]:
        found += _expand(table, entry["include-group"]) if isinstance(entry, dict) else [entry]
    return found


def _is_met(requirement: str) -> bool:
    """Judge `NAME>=VERSION` and `NAME>=VERSION,<OTHER`; another form counts as not met: a set-up is never wrong."""
    match = _AT_LEAST.fullmatch(requirement)
    if match is None:
        return False
    try:
        version = _numbers(metadata.version(match[1]))
    except metadata.PackageNotFoundError:
        return False
    return version >= _numbers(match[2]) and (not match[3] or version < _numbers(match[3]))


def _numbers(version: str) -> list[int]:
    """Return the leading numbers of a version: enough to compare with a lower bound made of numbers."""
    return [int(number) for number in re.findall(r"\d+", re.match(r"[0-9.]*", version)[0])]  # type: ignore[index]
