"""The source id of one agent body: proposed from host, system and program, and used by nobody else. Pure."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable

_WORDS = re.compile(r"[a-z0-9]+")
_HOST_LENGTH = 30
_NAMELESS = "pc"


def propose(host: str, system: str, short: str, used: Collection[str]) -> str:
    """Return `<host>-<system>-<program>`, with a number where another clone writes under that id.

    A host's name without Latin letters says nothing in these ids, so it is `pc`.
    """
    words = "-".join(_WORDS.findall(host.split(".")[0].lower()))[:_HOST_LENGTH].strip("-")
    plain = f"{words if re.search('[a-z]', words) else _NAMELESS}-{system}-{short}"
    number, proposed = 1, plain
    while proposed in used:
        number += 1
        proposed = f"{plain}-{number}"
    return proposed


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
