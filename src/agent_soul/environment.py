"""Making the private environment: the slow half of `bootstrap`, imported when there is something to make.

The lock is the environments' own and not the clone's: a set-up takes longer than other commands wait for
theirs, and touches nothing of theirs. Nothing here asks a question or reads stdin, which is the command's.
"""

from __future__ import annotations

import contextlib
import os
import re
import shutil
import subprocess
import sys
import tempfile
import textwrap
import time
from collections import deque
from collections.abc import Iterator
from pathlib import Path

from agent_soul import requirements
from agent_soul.bootstrap import NEEDED, STAMP, find_python, python_in, stamp_text
from agent_soul.errors import StoppedError
from agent_soul.hub import open_hub
from agent_soul.lock import exclusive

WAIT_SECONDS = 1800.0  # for another process's set-up, on a slow line
_TAIL_LINES = 15

# Settings that would send the packages elsewhere, or change which ones are taken.
_MISLEADING = re.compile(
    r"PYTHON.*|VIRTUAL_ENV|__PYVENV_LAUNCHER__"
    r"|PIP_(TARGET|PREFIX|ROOT|PYTHON|DRY_RUN|NO_DEPS|NO_BUILD_ISOLATION|REQUIRE_HASHES|REQUIREMENT|CONSTRAINT)"
    r"|UV_(SYSTEM_PYTHON|PYTHON|TARGET|PREFIX|NO_BUILD_ISOLATION|REQUIRE_HASHES|CONSTRAINT)"
)
_NO_QUESTIONS = {"PIP_NO_INPUT": "1", "PIP_USER": "0", "PIP_DISABLE_PIP_VERSION_CHECK": "1"}

# What the output of a failed step tells, and what to do then; the first that fits is meant.
_REMEDIES = (
    (r"No space left on device|Disk quota exceeded", "the disk is full", "free 200 MB"),
    (
        r"No matching distribution|NewConnectionError|(Connect|Read)Timeout|ProxyError|SSLError|CERTIFICATE_",
        "the package registry was not reached, or lacks a package",
        "see that this machine has network, or name your registry (PIP_INDEX_URL, HTTPS_PROXY, PIP_CERT)",
    ),
    (
        r"Could not resolve host|unable to access|Could not read from remote repository|Repository not found",
        "the address that `toolkit:` in soul.yaml names was not reached",
        "see that this machine reaches it and may read it (`git ls-remote URL`), or name another `toolkit:`",
    ),
    (
        r"ensurepip|No module named pip",
        "this Python cannot make virtual environments",
        "Debian, Ubuntu: apt install python3-venv; elsewhere: a Python with venv and pip, or uv",
    ),
    (
        r"metadata-generation-failed|Failed building|Failed to build|error: subprocess-exited",
        "a package has no ready build for this Python",
        "start the command with another Python, such as python3.12",
    ),
)


class _StepFailedError(Exception):
    """A program of the set-up ended with an error; the text is the end of what it said."""


def find_or_make(root: str, groups: tuple[str, ...], broken: str = "") -> str:
    """Return the interpreter of the private environment of the checkout `root` with the dependency `groups`.

    Makes it where it is missing or has the interpreter `broken`, or waits for another process that is making
    it. Raises `StoppedError` that says what to install or try; nothing half made is left then.
    """
    home = home_of(root)
    try:
        return find_python(str(home), root, groups, broken) or _make_in_turn(home, root, groups, broken)
    except OSError as error:
        raise StoppedError(
            f"cannot set up the private Python environment in {home}: {error}",
            hint="make that folder writable with 200 MB free on its disk, then run the same command again",
        ) from None


def home_of(root: str) -> Path:
    """Return the folder in which the environments of the checkout `root` lie."""
    return open_hub(Path(root)).state / "venv"


def _make_in_turn(home: Path, root: str, groups: tuple[str, ...], broken: str) -> str:
    home.mkdir(parents=True, exist_ok=True)
    with _turn(home / "lock"):
        made_meanwhile = find_python(str(home), root, groups, broken)
        if made_meanwhile:
            return made_meanwhile
        if broken:
            Path(broken).parent.with_name(STAMP).unlink(missing_ok=True)
        return _make(home, root, groups)


@contextlib.contextmanager
def _turn(lock_file: Path) -> Iterator[None]:
    with contextlib.ExitStack() as held:
        try:
            held.enter_context(exclusive(lock_file, timeout=0, purpose="set-up"))
        except StoppedError:
            _say("another command is setting up the Python environment of this clone; waiting for it")
            held.enter_context(exclusive(lock_file, timeout=WAIT_SECONDS, purpose="set-up"))
        yield


def _make(home: Path, root: str, groups: tuple[str, ...]) -> str:
    started = time.monotonic()
    stamp = stamp_text(root, groups)
    _say(f"setting up a Python environment for agent-soul in {home} (once, about half a minute)")
    _sweep(home)
    # A fresh name each time: the installer of a killed set-up may still be writing to the old one.
    folder = Path(tempfile.mkdtemp(prefix="env-", dir=home))
    try:
        _fill(folder, root, groups)
        _write_stamp(folder, stamp)
    except BaseException:
        shutil.rmtree(folder, ignore_errors=True)
        raise
    _say(f"ready after {time.monotonic() - started:.0f} s")
    return python_in(str(folder))


def _fill(folder: Path, root: str, groups: tuple[str, ...]) -> None:
    """Install everything with uv where there is one, else (or where uv fails) with venv and pip."""
    packages = requirements.install_target(root, groups)
    uv = shutil.which("uv")
    if uv:
        try:
            _take(_steps_with_uv(uv, folder, packages), root)
        except _StepFailedError as failure:
            _say(f"uv did not manage, so pip is tried; uv said:\n{textwrap.indent(str(failure), '    ')}")
            shutil.rmtree(folder, ignore_errors=True)
        else:
            return
    try:
        _take(_steps_with_pip(folder, packages), root)
    except _StepFailedError as failure:
        raise _explained(str(failure)) from None


def _steps_with_uv(uv: str, folder: Path, packages: list[str]) -> list[list[str]]:
    python = python_in(str(folder))
    return [
        [uv, "venv", "--no-project", "--python", _base_python(), str(folder)],
        [uv, "pip", "install", "--python", python, *packages],
        _proof(python),
    ]


def _steps_with_pip(folder: Path, packages: list[str]) -> list[list[str]]:
    python = python_in(str(folder))
    return [
        [_base_python(), "-I", "-m", "venv", str(folder)],
        [python, "-I", "-m", "pip", "install", "--prefer-binary", "--progress-bar", "off", *packages],
        _proof(python),
    ]


def _proof(python: str) -> list[str]:
    """Import everything once: an environment that cannot is not ready, and the next start is faster."""
    return [python, "-I", "-c", f"import agent_soul, {', '.join(NEEDED)}"]


def _take(steps: list[list[str]], root: str) -> None:
    labels = ("1/3 new environment", "2/3 packages", "3/3 check")
    for label, step in zip(labels, steps, strict=True):
        _run_step(label, step, root)


def _run_step(label: str, command: list[str], root: str) -> None:
    """Run one program, in `root` because uv takes settings from wherever it is started."""
    variables = {name: value for name, value in os.environ.items() if not _MISLEADING.fullmatch(name)}
    tail: deque[str] = deque(maxlen=_TAIL_LINES)
    started = time.monotonic()
    with subprocess.Popen(
        command,
        cwd=root,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        env=variables | _NO_QUESTIONS,
        encoding="utf-8",
        errors="replace",
    ) as process:
        assert process.stdout is not None
        for line in process.stdout:
            tail.append(line.rstrip())
            _show_passing(f"{label}: {line.strip()}")
    if process.returncode:
        raise _StepFailedError("\n".join(tail) or f"{command[0]} ended with {process.returncode}")
    _show_passing("")
    _say(f"  {label}, {time.monotonic() - started:.1f} s")


def _explained(output: str) -> StoppedError:
    fitting = ((what, remedy) for pattern, what, remedy in _REMEDIES if re.search(pattern, output))
    what, remedy = next(fitting, ("the installer failed", "put right what it says"))
    said = textwrap.indent(output, "    ")
    return StoppedError(
        f"cannot set up the private Python environment: {what}\n{said}",
        hint=f"{remedy}; then run the same command again",
    )


def _write_stamp(folder: Path, text: str) -> None:
    if hasattr(os, "sync"):
        os.sync()  # a power cut must not leave a stamp beside empty files
    draft = folder / f"{STAMP}.draft"
    draft.write_text(text, encoding="utf-8", errors="surrogateescape")
    draft.replace(folder / STAMP)


def _sweep(home: Path) -> None:
    """Remove what no checkout needs; the last environment of each stays, as programs may still run in it."""
    newest = {}
    for stamp in sorted(home.glob(f"env-*/{STAMP}"), key=lambda stamp: stamp.stat().st_mtime):
        root, groups, _ = stamp.read_text(encoding="utf-8", errors="surrogateescape").split("\n", 2)
        if Path(root).is_dir():
            newest[root, groups] = stamp.parent
    for folder in home.glob("env-*"):
        if folder not in newest.values():
            shutil.rmtree(folder, ignore_errors=True)


def _base_python() -> str:
    """Return the interpreter behind the virtual environment, if any, that we were started in."""
    return getattr(sys, "_base_executable", None) or sys.executable


def _say(text: str) -> None:
    sys.stderr.write(f"{text}\n")
    sys.stderr.flush()


def _show_passing(text: str) -> None:
    """Show `text` in place on a terminal; an agent's log gets only the lines that stay."""
    if sys.stderr.isatty():
        width = shutil.get_terminal_size().columns - 1
        sys.stderr.write(f"\r\033[K{text[:width]}")
        sys.stderr.flush()
