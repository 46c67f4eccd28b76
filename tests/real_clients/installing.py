"""Agent programs from the registry of npm, at the versions that package.json pins, in a folder that is kept.

Run by itself it prints the folder of their commands; where they cannot be had it says why and ends with `UNAVAILABLE`.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

PACKAGES = Path(__file__).with_name("package.json")
COMMANDS = ("claude", "codex", "gemini", "opencode")
FOLDER = "REAL_CLIENTS_DIR"
"""The variable that names the folder to keep them in; by default it lies in the user's cache."""
UNAVAILABLE = 69
"""`EX_UNAVAILABLE` of sysexits.h."""
_SECONDS = 600


class UnavailableError(Exception):
    """The programs cannot be had here."""


def kept_in() -> Path:
    """Return the folder in which installations are kept."""
    cache = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(os.environ.get(FOLDER) or Path(cache) / "agent-soul" / "real-clients")


def install(folder: Path) -> Path:
    """Return the folder of the programs' commands, below `folder`, installed on first use.

    One installation belongs to one package.json, and it is there as a whole or not at all. Raises `UnavailableError`.
    """
    npm = shutil.which("npm")
    if npm is None or shutil.which("node") is None:
        raise UnavailableError("there is no npm here: install Node.js")
    wanted = PACKAGES.read_bytes()
    place = folder / hashlib.sha256(wanted).hexdigest()[:12]
    if not place.is_dir():
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=folder) as made:
            inside = Path(made) / "inside"
            inside.mkdir()
            (inside / PACKAGES.name).write_bytes(wanted)
            _fetch(npm, inside)
            inside.replace(place)
    return place / "node_modules" / ".bin"


def _fetch(npm: str, folder: Path) -> None:
    words = [npm, "install", "--no-audit", "--no-fund", "--no-package-lock"]
    try:
        done = subprocess.run(words, cwd=folder, capture_output=True, text=True, timeout=_SECONDS)
    except subprocess.TimeoutExpired as stopped:
        raise UnavailableError(f"npm install took longer than {_SECONDS} s") from stopped
    if done.returncode:
        raise UnavailableError(f"npm install ended with {done.returncode}: {done.stderr.strip()[:400]}")
    missing = [name for name in COMMANDS if not (folder / "node_modules" / ".bin" / name).exists()]
    if missing:
        raise UnavailableError(f"npm install left out {', '.join(missing)}: {done.stderr.strip()[:400]}")


def main() -> int:
    try:
        print(install(kept_in()))
    except UnavailableError as unavailable:
        print(f"agent programs cannot be installed here: {unavailable}", file=sys.stderr)
        return UNAVAILABLE
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
