"""Whether Codex runs our hooks: it skips, without a word, one that nobody has trusted in the form that it has. Pure.

What was trusted stands in config.toml, for each handler of hooks.json by the numbers of its group and of itself:

    [hooks.state."/home/me/.codex/hooks.json:session_start:0:0"]
    trusted_hash = "sha256:…"

The hash is over the handler as Codex reads it: github.com/openai/codex, codex-rs/hooks/src/engine/discovery.rs and
codex-rs/config/src/fingerprint.rs; tried with 0.171.0.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import re
import tomllib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from agent_soul.runtimes.commands import read_hook, words_of

_USUAL_SECONDS = 600
_END_SECONDS = (1, 3)
"""What Codex gives a hook at the end of a session at least, and at most."""
_WITHOUT_MATCHER = ("stop", "user_prompt_submit")


class _Hook(NamedTuple):
    """A handler: its event as config.toml has it, the numbers of its group and of itself, and the group's matcher."""

    event: str
    group: int
    number: int
    matcher: str | None
    handler: Mapping[str, Any]

    @property
    def place(self) -> str:
        return f"{self.event}:{self.group}:{self.number}"


def untrusted_hooks(file: Path, hooks: str, config: str) -> list[str]:
    """Return the events of the hooks of ours in `file`, with the text `hooks`, that Codex skips.

    `config` is the text of config.toml. A text that Codex could not read either has none.
    """
    states = dict(_states_of(file, config))
    return [hook.event for hook in _ours(hooks) if not _runs(hook, states.get(hook.place))]


def trusted_hash(event: str, matcher: str | None, handler: Mapping[str, Any]) -> str:
    """Return the hash by which Codex knows a handler that runs a command; `event` is written `session_start`."""
    seconds = handler.get("timeout", _USUAL_SECONDS)
    least, most = _END_SECONDS if event == "session_end" else (1, max(1, seconds))
    command = {
        "type": "command",
        "command": handler["command"],
        "timeout": min(max(least, seconds), most),
        "async": handler.get("async", False),
        **{name: handler[name] for name in ("statusMessage",) if name in handler},
    }
    known = {"event_name": event, "hooks": [command]}
    if matcher is not None and event not in _WITHOUT_MATCHER:
        known["matcher"] = matcher
    text = json.dumps(known, ensure_ascii=False, sort_keys=True, separators=(",", ":"))
    return f"sha256:{hashlib.sha256(text.encode('utf-8', 'surrogatepass')).hexdigest()}"


def _runs(hook: _Hook, state: Any) -> bool:
    if not isinstance(state, dict) or state.get("enabled") is False:
        return False
    return bool(state.get("trusted_hash") == trusted_hash(hook.event, hook.matcher, hook.handler))


def _states_of(file: Path, config: str) -> Iterator[tuple[str, Any]]:
    """Yield what is said of the hooks in a file, by their places in it; Codex may know another way to the file."""
    with contextlib.suppress(tomllib.TOMLDecodeError, KeyError, TypeError, AttributeError):
        for key, state in tomllib.loads(config)["hooks"]["state"].items():
            path, *place = key.rsplit(":", 3)
            if os.path.realpath(path) == os.path.realpath(file):
                yield ":".join(place), state


def _ours(hooks: str) -> Iterator[_Hook]:
    with contextlib.suppress(ValueError, RecursionError, AttributeError, TypeError, KeyError):
        for event, groups in json.loads(hooks)["hooks"].items():
            label = re.sub(r"(?<!^)(?=[A-Z])", "_", event).lower()
            for number, group in enumerate(groups):
                for place, handler in enumerate(group["hooks"]):
                    if read_hook(words_of(handler)):
                        yield _Hook(label, number, place, group.get("matcher"), handler)
