"""Turning a copy of the template into a hub of one's own."""

from __future__ import annotations

import re
import shlex
from collections import Counter
from dataclasses import dataclass
from typing import Any

from agent_soul import gitio, outbox
from agent_soul.adding import add
from agent_soul.compiler import compile_hub
from agent_soul.errors import RefusedError
from agent_soul.files import replace_file
from agent_soul.hub import Hub
from agent_soul.log import parse_log, read_source_files
from agent_soul.settings import load_config

EXAMPLE_SOURCE = "agent-soul"
"""Who recorded the examples that the template comes with."""
_TEMPLATE_LINE = re.compile(r"^template:[ \t]*true\b", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Initialised:
    """What was done, and what is left to the owner, in order."""

    done: tuple[str, ...]
    next_steps: tuple[str, ...]


def initialise_here(hub: Hub, source: str) -> Initialised:
    """Make the copy of the template in `hub` a hub of its owner's: its own settings, without the examples.

    The examples stay in the log, which only grows; a mark archives them. Doing it again changes nothing.
    """
    if not hub.config_file.is_file():
        raise RefusedError(f"{hub.config_file} is not there", hint="run this in a copy of the template")
    done = []
    if load_config(hub)[0].template:
        text = hub.config_file.read_bytes().decode("utf-8")
        changed = _TEMPLATE_LINE.sub("template: false", text)
        if changed == text:
            raise RefusedError(
                "soul.yaml says `template` in a form that is not understood",
                hint="write `template: false` there by hand",
            )
        replace_file(hub.config_file, changed.encode("utf-8"))
        done.append("soul.yaml: template: false")
    archived = _archive_examples(hub, source)
    if archived:
        done.append(f"archived the template's {archived} example events")
        compile_hub(hub)
    return Initialised(tuple(done), tuple(_next_steps(hub)))


def left_behind(hub: Hub, typed: str) -> str:
    """Return what a person recorded in a copy of the template, which a new hub does not hold, and how it gets there.

    `typed` is what starts our commands in the new hub. Nothing is said of any other hub: that is meant to stay.
    """
    if not load_config(hub, keep=False)[0].template:
        return ""
    log = outbox.whole_log(hub)
    own = Counter(event.source for event in log.events if event.source != EXAMPLE_SOURCE)
    if not own:
        return ""
    files = " ".join(f"{shlex.quote(f'{hub.sources.as_posix()}/{source}')}/*.ndjson" for source in sorted(own))
    first = "compile there, then " if outbox.contents(hub) else ""
    counted = f"events of {', '.join(sorted(own))} ({own.total()})"
    return (
        f"{counted} stay in {hub.root}; to take them along: {first}`cat {files} | {typed} add --stdin` in the new hub"
    )


def _archive_examples(hub: Hub, source: str) -> int:
    events = parse_log(read_source_files(hub.root)).events
    covered: set[Any] = {target for event in events if event.kind == "mark" for target in event.data["mark"]["targets"]}
    examples = [event.id for event in events if event.source == EXAMPLE_SOURCE and event.id not in covered]
    if examples:
        mark = {"action": "archive", "targets": examples}
        summary = "The template's own examples; this hub is its owner's now."
        add(hub, {"source": source, "kind": "mark", "scope": "stable", "summary": summary, "mark": mark})
    return len(examples)


def _next_steps(hub: Hub) -> list[str]:
    steps = ["fill in SOUL.md, IDENTITY.md, USER.md and VOICE.md; `soul doctor` names what is left"]
    if hub.git_root is None:
        return ["put the hub under Git: `git init && git add -A && git commit -m 'My hub'`", *steps]
    if not gitio.has_remote(hub):
        steps.append("give it a private remote: `git remote add origin URL`, then `git push -u origin main`")
    else:
        steps.append("check that `git remote -v` names your own private repository")
    who = "Git has to know once who you are: `git config user.name NAME`, `git config user.email ADDRESS`"
    return [
        *steps,
        f"commit what changed: `git add -A && git commit -m 'My hub'` ({who})",
        "send it to the remote: `soul sync`",
        "join your agent programs: `soul join` names them, `soul join claude-code` joins one",
    ]
