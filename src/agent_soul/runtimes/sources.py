"""The source id of one agent body: proposed from host, system and program, and used by nobody else. Pure."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable

_WORDS = re.compile(r"[a-z0-9]+")
_HOST_LENGTH = 30
_NAMELESS = "pc"
_COMMON = re.compile(
    r"(vm|pc|localhost|host|server|desktop|laptop|notebook|workstation|computer|home|default|linux|windows|docker"
    r"|dev|devcontainer|ubuntu|debian|fedora|centos|rocky|alpine|arch|archlinux|kali|manjaro|mint|nixos|raspberrypi"
    r"|penguin|wsl|android|mac|imac|mac-mini|mac-studio|macbook|macbook-pro|macbook-air|macbookpro|macbookair)(-?\d+)?"
)
"""What systems, images and vendors call a machine that nobody has named."""
_CLONE_LENGTH = 4
UNKNOWN_CLONE = "xxxx"
"""Stands for the id of a clone that has not written yet, where nothing may be written."""


def propose(host: str, system: str, short: str, used: Collection[str], *, clone: str = "") -> str:
    """Return `<host>-<system>-<program>`, with a number where another clone writes under that id.

    A host's name without Latin letters says nothing in these ids, so it is `pc`. Behind one that many machines have
    stands the start of the id of this `clone`: what another one has not written yet nobody can know of.
    """
    words = _words_of(host)
    tag = f"-{clone[:_CLONE_LENGTH]}" if clone and is_common(host) else ""
    plain = f"{words}{tag}-{system}-{short}"
    number, proposed = 1, plain
    while proposed in used:
        number += 1
        proposed = f"{plain}-{number}"
    return proposed


def is_common(host: str) -> bool:
    """Tell whether many machines have that name, so that two clones of one hub may."""
    return _COMMON.fullmatch(_words_of(host)) is not None


def _words_of(host: str) -> str:
    words = "-".join(_WORDS.findall(host.split(".")[0].lower()))[:_HOST_LENGTH].strip("-")
    return words if re.search("[a-z]", words) else _NAMELESS


def used_by_others(paths: Iterable[str], own_clones: Collection[str]) -> frozenset[str]:
    """Return the sources that hold a day file of another clone; `paths` count from `sources/`.

    A day file is `<source>/<UTC date>.<clone>.ndjson`; of other forms nobody knows who wrote them.
    """
    used = set()
    for path in paths:
        source, _, name = path.partition("/")
        if name.removesuffix(".ndjson").rpartition(".")[2] not in own_clones:
            used.add(source)
    return frozenset(used)
