"""A checkout of the toolkit that installs without a network: it links the packages of the running environment."""

from __future__ import annotations

import site
from pathlib import Path

PROJECT = """
[build-system]
requires = []
build-backend = "backend"
backend-path = ["."]
[project]
name = "agent-soul"
version = "0"
dependencies = []
[dependency-groups]
extra = []
"""
BACKEND = """
import pathlib, zipfile
def build_wheel(folder, config_settings=None, metadata_directory=None):
    return build_editable(folder, linked={packages!r}, contents=pathlib.Path("src/agent_soul").glob("*.py"))
def build_editable(folder, config_settings=None, metadata_directory=None, linked={paths!r}, contents=()):
    name, info = "agent_soul-0-py3-none-any.whl", "agent_soul-0.dist-info/"
    with zipfile.ZipFile(folder + "/" + name, "w") as wheel:
        wheel.writestr("agent_soul.pth", linked)
        for file in contents:
            wheel.write(file, "agent_soul/" + file.name)
        wheel.writestr(info + "METADATA", "Metadata-Version: 2.1\\nName: agent-soul\\nVersion: 0\\n")
        wheel.writestr(info + "WHEEL", "Wheel-Version: 1.0\\nRoot-Is-Purelib: true\\nTag: py3-none-any\\n")
        wheel.writestr(info + "RECORD", "")
    return name
"""


def make_installable(root: Path) -> None:
    """Give the checkout `root` a project that pip installs as it is, in place or as a package."""
    (root / "pyproject.toml").write_text(PROJECT)
    write_backend(root)


def write_backend(root: Path) -> None:
    packages = "\n".join(site.getsitepackages())
    (root / "backend.py").write_text(BACKEND.format(packages=packages, paths=f"{root / 'src'}\n{packages}"))
