"""The skill `agent-soul`: what an agent reads when it is about to look something up or to record something.

Its text stands once, in `agent-soul/SKILL.md`, with two places to fill in: `{soul}`, the words that start a command on
the machine, and `{where}`, the option that names the hub. Both differ from machine to machine, and an agent types what
it reads.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

NAME = "agent-soul"


def skill_files(soul: str = "soul", hub: str = "") -> Mapping[str, bytes]:
    """Return the files of the skill by their paths (`/` between parts) in its folder, as they are installed.

    `soul` is what is typed for the command. Without `hub` it finds the hub by $AGENT_SOUL_HOME or by the folder.
    """
    folder = Path(__file__).parent / NAME
    where = f' --hub "{hub}"' if hub else ""
    return {
        file.relative_to(folder).as_posix(): _filled(file.read_text(encoding="utf-8"), soul, where)
        for file in sorted(folder.rglob("*.md"))
    }


def _filled(text: str, soul: str, where: str) -> bytes:
    return text.replace("{soul}", soul).replace("{where}", where).encode("utf-8")
