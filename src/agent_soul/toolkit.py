"""What a hub's scripts and workflows run: the `toolkit:` of its soul.yaml, read before any package is there.

YAML cannot be read yet, so this takes the few ways in which people write one small table, on one line or one key a
line, and refuses every other. A script reads it at every start: only `os` is imported until something is wrong.
"""

# Importing pathlib takes longer than all the rest.
# ruff: noqa: PTH113, PTH118, PTH123

from __future__ import annotations

import os

FORMS = 'toolkit: {path: FOLDER}, toolkit: {version: "NUMBER"} or toolkit: {git: URL, commit: HASH}'
_KEY = "toolkit"
_HERE = {"path": "."}
_HEX = frozenset("0123456789abcdef")
_NUMBER = frozenset("0123456789abcdefghijklmnopqrstuvwxyz.!+-_")
_SCHEMES = ("https://", "ssh://", "file://")
_FULL_HASHES = (40, 64)


def lines_of(root: str) -> str:
    """Return the lines of the key as they stand in the soul.yaml of the hub `root`; an empty string where none does."""
    try:
        with open(os.path.join(root, "soul.yaml"), encoding="utf-8-sig", errors="surrogateescape") as file:
            lines = file.read().split("\n")
    except OSError:
        return ""
    found = [number for number, line in enumerate(lines) if _names_the_key(line)]
    if not found:
        return ""
    below = lines[found[0] + 1 :]
    length = next(
        (number for number, line in enumerate(below) if line[:1] not in ("", " ", "\t", "#", "-")), len(below)
    )
    others = [lines[number] for number in found[1:]]
    return "\n".join([lines[found[0]], *below[:length], *others]).rstrip()


def read(root: str) -> dict[str, str]:
    """Return the table: `path`, or `version`, or `git` and `commit`; without the key the hub's own folder.

    Raises `StoppedError` for anything else, with the value and the forms that are taken.
    """
    lines = lines_of(root)
    if not lines:
        return _HERE
    table = table_of(lines)
    if table is None or not makes_sense(table):
        raise _refused(lines, f"write {FORMS}; a commit is its full hash, a number stands in quotes")
    return table


def folder_of(root: str) -> str:
    """Return the checkout that the scripts of `root` run, or an empty string where they run an installed package."""
    path = read(root).get("path")
    if path is None:
        return ""
    folder = os.path.realpath(os.path.join(root, path))
    if not os.path.isfile(os.path.join(folder, "src", "agent_soul", "__init__.py")):
        raise _stopped(
            f"soul.yaml says that the toolkit is in {path!r}, and {folder} holds no agent-soul",
            f"clone agent-soul into that folder, or write in soul.yaml what this machine can install: {FORMS}",
        )
    return folder


def requirements_of(root: str, extras: tuple[str, ...] = ()) -> list[str]:
    """Return what pip and uv are told for a package that comes from elsewhere, with these extras of it.

    An address and the extras are two requirements: `NAME[EXTRA] @ git+file:///…` is none for pip before 24.
    """
    table = read(root)
    name = f"agent-soul[{','.join(extras)}]" if extras else "agent-soul"
    if "version" in table:
        return [f"{name}=={table['version']}"]
    address = f"git+{table['git']}@{table['commit']}"
    return [address, name] if extras else [address]


def _names_the_key(line: str) -> bool:
    """Tell whether the line has the key, however it is written; a comment has not."""
    start, colon, _ = line.partition("#")[0].partition(":")
    return bool(colon) and start.strip(" \t{\"'") == _KEY


def table_of(lines: str) -> dict[str, str] | None:
    """Return the table that the lines of the key hold, or None where they hold none in a form that is taken."""
    first, *below = [line for line in map(_uncommented, lines.split("\n")) if line.strip()]
    value = first.removeprefix(f"{_KEY}:")
    if value == first or (value.strip() and below) or (value and value[0] not in " \t"):
        return None
    if not value.strip():
        return _pairs(below)
    inside = value.strip()
    return _pairs(inside[1:-1].split(",")) if inside.startswith("{") and inside.endswith("}") else None


def _pairs(parts: list[str]) -> dict[str, str] | None:
    table: dict[str, str] = {}
    for part in parts:
        name, colon, value = part.strip().partition(": ")
        plain = _plain(value.strip())
        if not colon or plain is None or name in table:
            return None
        table[name] = plain
    return table


def _plain(value: str) -> str | None:
    """Return what a plain or quoted YAML scalar says, or None where it is neither or would not be text."""
    if value[:1] in ("'", '"'):
        inside = value[1:-1]
        return None if len(value) < 2 or value[-1] != value[0] or value[0] in inside or "\\" in inside else inside
    is_number = value.replace(".", "", 1).replace("_", "").isdigit()
    return None if is_number or not value or value[0] in "&*!|>%@`[]{}?," or value == "~" else value


def _uncommented(line: str) -> str:
    return "" if line.lstrip().startswith("#") else line.partition(" #")[0].rstrip()


def makes_sense(table: dict[str, str]) -> bool:
    """Tell whether the table names a folder, a version, or one commit."""
    names = sorted(table)
    if names == ["path"]:
        return bool(table["path"])
    if names == ["version"]:
        return table["version"][:1].isdigit() and set(table["version"]) <= _NUMBER
    if names == ["commit", "git"]:
        url, commit = table["git"], table["commit"]
        is_full = len(commit) in _FULL_HASHES and set(commit) <= _HEX
        return is_full and url.startswith(_SCHEMES) and "@" not in url.rpartition("/")[2] and " " not in url
    return False


def _refused(lines: str, hint: str) -> Exception:
    said = "\n".join(line for line in map(_uncommented, lines.split("\n")) if line.strip())
    return _stopped(f"soul.yaml says {said.strip()!r}, which names no toolkit to run", hint)


def _stopped(message: str, hint: str) -> Exception:
    from agent_soul.errors import StoppedError

    return StoppedError(message, hint=hint)
