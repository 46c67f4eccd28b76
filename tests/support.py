"""What several test modules call."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from pathlib import Path

Soul = Callable[..., subprocess.CompletedProcess[str]]


def git(folder: Path, *arguments: str) -> str:
    """Run git in `folder` and return its stdout; a failure fails the test with git's words."""
    done = subprocess.run(["git", *arguments], cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode == 0, f"git {arguments}: {done.stdout}{done.stderr}"
    return done.stdout
