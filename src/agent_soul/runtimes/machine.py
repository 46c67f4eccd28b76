"""What a join needs to know of this machine: the home, the command that stays, the texts of the hub."""

from __future__ import annotations

import os
import shutil
import sys
import sysconfig
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from agent_soul import gitio
from agent_soul.errors import StoppedError
from agent_soul.files import read_regular
from agent_soul.hub import Hub
from agent_soul.identity import L0_FILES
from agent_soul.runtimes.blocks import NO_REVISION
from agent_soul.runtimes.commands import typed_line
from agent_soul.runtimes.model import Home, Scene, System
from agent_soul.runtimes.static_text import L1_PAGES, Body
from agent_soul.skill import skill_files

_SYSTEMS: Mapping[str, System] = {"darwin": "mac", "win32": "windows"}
_REVISION_LENGTH = 12
_FLEETING = ("uv/archive-v", "uv/environments-v", "uv/cache", "pipx/.cache", "pipx/venvs/.cache", "/_npx/")
"""Parts of paths where a program lies that may be gone tomorrow (`uvx`, `pipx run`)."""


def home_of_process() -> Home:
    """Return this user's home, environment and system."""
    return Home(Path.home(), os.environ, _SYSTEMS.get(sys.platform, "linux"))


def lasting_program(hub: Hub) -> tuple[str, ...]:
    """Return the words that start `soul` here for ever: an installed command, else the hub's own script.

    The hub's private environment has a new name after each update, and a program that `uvx` fetched goes again.
    Raises `StoppedError` where there is neither.
    """
    name = "soul.exe" if os.name == "nt" else "soul"
    own = Path(sysconfig.get_path("scripts")) / name
    found = shutil.which("soul")
    for candidate in (own, *([Path(found)] if found else [])):
        if candidate.is_file() and not _is_fleeting(candidate, hub):
            return (candidate.as_posix(),)
    script = hub.root / "scripts" / "soul.py"
    if script.is_file():
        return (_python(), script.as_posix())
    raise StoppedError(
        "there is no `soul` command here that will still be there tomorrow",
        hint="install it (`uv tool install agent-soul` or `pipx install agent-soul`), then join again",
    )


def _python() -> str:
    """Return the address of the Python that the system offers: a program with windows has a short PATH of its own.

    The link of that name outlives the version behind it; what a virtual environment offers may be gone tomorrow.
    """
    name = "python" if os.name == "nt" else "python3"
    found = shutil.which(name)
    in_environment = found and (Path(found).parents[1] / "pyvenv.cfg").is_file()
    return Path(found).as_posix() if found and not in_environment else name


def _is_fleeting(program: Path, hub: Hub) -> bool:
    real = program.resolve()
    return real.is_relative_to(hub.state) or any(part in real.as_posix() for part in _FLEETING)


def typed_command(program: tuple[str, ...]) -> str:
    """Return what is typed for the program: `soul` where that leads to it."""
    found = shutil.which("soul")
    if len(program) == 1 and found and Path(found).resolve() == Path(program[0]).resolve():
        return "soul"
    return typed_line(program)


def still_there(program: tuple[str, ...], hub: Hub) -> tuple[str, ...]:
    """Return the words that a join starts us with, or `lasting_program` where that is gone.

    A bare name is looked for by the shell.
    """
    is_there = program and all(Path(word).is_file() for word in program if "/" in word)
    return program if is_there else lasting_program(hub)


def filled(scene: Scene, hub: Hub) -> Scene:
    """Return the scene with all that a join writes, as the hub and this machine have it; its program if still there."""
    program = still_there(scene.program, hub)
    typed = typed_command(program)
    return replace(
        scene,
        program=program,
        typed=typed,
        body=texts_of(hub),
        rev=revision_of(hub),
        skill=skill_texts(typed, scene.hub),
    )


def texts_of(hub: Hub) -> Body:
    """Return L0 and L1 as they stand in the work tree."""
    identity = {name: text_of(hub.root / name) for name in L0_FILES}
    return Body(identity, {path: text_of(hub.canonical / path) for path in L1_PAGES})


def page_files(hub: Hub) -> list[Path]:
    """Return the files of L0 and L1, whether they are there or not."""
    return [*(hub.root / name for name in L0_FILES), *(hub.canonical / path for path in L1_PAGES)]


def text_of(file: Path) -> str:
    """Return a page's text; nothing where it is not there."""
    return read_regular(file).decode("utf-8", "replace") if file.exists() else ""


def revision_of(hub: Hub) -> str:
    """Return the start of the hash of the commit that is checked out, or `none`."""
    if hub.git_root is None:
        return NO_REVISION
    try:
        return gitio.head(hub)[:_REVISION_LENGTH] or NO_REVISION
    except gitio.GitError:
        return NO_REVISION


def skill_texts(typed: str, hub: str = "") -> dict[str, str]:
    """Return the files of the skill by their paths in its folder, with the command as it is typed here."""
    return {path: content.decode("utf-8") for path, content in skill_files(typed, hub).items()}
