"""A hub's settings, without reading the same YAML again and again.

Reading YAML takes 20 ms to load and 15 ms for the soul.yaml that a hub begins with, in every command. What the text
says is the same as long as the text is, so it is kept in the state folder.
"""

from __future__ import annotations

import binascii
import contextlib
import functools
import json
from typing import Any

from agent_soul import __version__
from agent_soul.config import Config, default_config, load_yaml, parse_config
from agent_soul.errors import RefusedError, StoppedError
from agent_soul.files import read_regular, replace_file
from agent_soul.hub import Hub

_KEPT = "soul.yaml.json"


def load_config(hub: Hub, *, keep: bool = True) -> tuple[Config, list[str]]:
    """Return the hub's settings and warnings about them; the defaults where there is no soul.yaml.

    Without `keep` nothing is written, for commands that promise to touch nothing.
    """
    if not hub.config_file.exists():
        return default_config(), []
    return config_of(hub, read_regular(hub.config_file), keep=keep)


@functools.lru_cache(maxsize=4)
def config_of(hub: Hub, text: bytes, *, keep: bool = True) -> tuple[Config, list[str]]:
    """Do what `parse_config` does with a soul.yaml of this hub, be it the work tree's or a commit's."""
    try:
        return parse_config(text, functools.partial(_load, hub, keep=keep))
    except RefusedError:
        return parse_config(text)  # what was kept may be spoilt; the text itself says what is wrong with it


def _load(hub: Hub, text: bytes, *, keep: bool) -> Any:
    """Return what the YAML says, from the state folder where it is kept for this very text."""
    file, key = hub.state / _KEPT, text.decode("latin-1")
    with contextlib.suppress(StoppedError, ValueError, TypeError, KeyError, RecursionError):
        kept = json.loads(read_regular(file))
        if kept["check"] == _check(key, kept["says"]):
            return kept["says"]
    says = load_yaml(text)
    if keep and hub.state.is_dir():
        with contextlib.suppress(StoppedError, ValueError, TypeError):  # it only saves time
            replace_file(file, json.dumps({"check": _check(key, says), "says": says}).encode())
    return says


def _check(text: str, says: Any) -> int:
    """Return what tells a text and what it says from any other two, and from what another version read in it.

    A spoilt file could else turn a setting into another one that is allowed. It guards against accidents alone: who
    may write into the state folder may write soul.yaml too.
    """
    return binascii.crc32("\0".join([__version__, text, json.dumps(says)]).encode())
