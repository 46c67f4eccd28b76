"""Looking at a hub and this clone of it: everything that the checks judge, read once."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterable, Iterator, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import NamedTuple

from agent_soul import gitio, outbox, toolkit
from agent_soul.clone import clone_ids, last_together, remembered, spoilt_state
from agent_soul.compiler import Outcome, compile_hub
from agent_soul.config import CONFIG_NAME, Config, default_config, parse_config
from agent_soul.doctor.clone import Clone
from agent_soul.doctor.files import ATTRIBUTES
from agent_soul.doctor.joins import look_at_joins, strays_of, written_elsewhere
from agent_soul.doctor.runtimes import Joined, Stray
from agent_soul.doctor.workflows import FOLDER
from agent_soul.doctor.writing import Waiting
from agent_soul.errors import Problem, SoulError, StoppedError
from agent_soul.files import read_regular
from agent_soul.founding.shipped import SET_UP_FOLDER, shipped_files
from agent_soul.gitio import GitError
from agent_soul.hub import Hub
from agent_soul.identity import L0_FILES
from agent_soul.log import Log, SourceFiles, parse_log, read_source_files
from agent_soul.missed import Writes
from agent_soul.outbox import with_waiting
from agent_soul.pages import FUZZY, INDEX, PROFILE, STABLE
from agent_soul.sessions import known_sessions, writes_of
from agent_soul.settings import load_config

"""How long the remote may take to answer; somebody waits."""


class Facts(NamedTuple):
    """What was found, and why something could not be: an error stands beside what it kept from being known."""

    hub: Hub
    sources: SourceFiles
    log: Log
    unread: Mapping[str, SoulError]
    """Files that are there and cannot be read, by path, and why; `l0`, `pages` and `set_up` are without them."""
    l0: Mapping[str, str | None]
    pages: Mapping[str, str | None]
    config: Config
    config_warnings: tuple[str, ...]
    config_error: SoulError | None
    outcome: Outcome | None
    compile_error: SoulError | None
    outbox_problems: tuple[Problem, ...]
    waiting: Waiting
    writes: Writes
    here: frozenset[str]
    clone: Clone | None
    git_error: SoulError | None
    remote_is_template: bool
    toolkit_path: str | None
    toolkit_error: SoulError | None
    workflows: Mapping[str, str]
    attributes: str
    shipped: Mapping[str, bytes]
    set_up: Mapping[str, bytes]
    not_executable: tuple[str, ...]
    joined: tuple[Joined, ...]
    strays: tuple[Stray, ...]
    elsewhere: frozenset[str]


def gather(hub: Hub, now: datetime, *, ask_remote: bool = True) -> Facts:
    """Look at everything. `now` carries the local offset; without `ask_remote` nothing is asked of the network."""
    sources = read_source_files(hub.root)
    log = parse_log(sources)
    config, warnings, config_error = _settings(hub)
    outcome, compile_error = _compiled(hub)
    found, outbox_problems = outbox.entries(hub)
    clone, git_error = _clone(hub, now, ask_remote=ask_remote)
    path, toolkit_error = _toolkit(hub)
    unread: dict[str, SoulError] = {}
    return Facts(
        hub=hub,
        sources=sources,
        log=(whole := with_waiting(hub, log)),
        unread=unread,
        l0=_texts(hub, L0_FILES, unread),
        pages=_texts(hub, [f"canonical/{page}" for page in (INDEX, PROFILE, STABLE, FUZZY)], unread),
        config=config,
        config_warnings=warnings,
        config_error=config_error,
        outcome=outcome,
        compile_error=compile_error,
        outbox_problems=tuple(outbox_problems),
        waiting=_waiting(found, {event.id for event in log.events}),
        writes=Writes((), ()) if config_error else writes_of(hub, whole.events, now),
        here=frozenset(session.source for session in known_sessions(hub)),
        clone=clone,
        git_error=git_error,
        remote_is_template=_remote_is_template(hub),
        toolkit_path=path,
        toolkit_error=toolkit_error,
        workflows=dict(_texts_below(hub, FOLDER, (".yml", ".yaml"))),
        attributes=_texts(hub, [ATTRIBUTES], unread).get(ATTRIBUTES) or "",
        shipped=_shipped(),
        set_up=_set_up(hub, unread),
        not_executable=tuple(_not_executable(hub)),
        joined=tuple(look_at_joins(hub)),
        strays=tuple(strays_of(hub)),
        elsewhere=written_elsewhere(sources.contents, clone_ids(hub)),
    )


def _settings(hub: Hub) -> tuple[Config, tuple[str, ...], SoulError | None]:
    try:
        config, warnings = load_config(hub)
    except SoulError as error:
        return default_config(), (), error
    return config, tuple(warnings), None


def _compiled(hub: Hub) -> tuple[Outcome | None, SoulError | None]:
    try:
        return compile_hub(hub, write=False), None
    except SoulError as error:
        return None, error


def _waiting(found: list[outbox.Entry], logged: set[str]) -> Waiting:
    events = [event for entry in found for event in entry.events]
    ages = [entry.file.stat().st_mtime for entry in found if entry.file.exists()]
    since = f"{datetime.fromtimestamp(min(ages)).astimezone():%Y-%m-%d %H:%M}" if ages else ""
    return Waiting(len(events), sum(event.id not in logged for event in events), since)


def _clone(hub: Hub, now: datetime, *, ask_remote: bool) -> tuple[Clone | None, SoulError | None]:
    if hub.git_root is None:
        return None, None
    try:
        sight = gitio.look(hub)
        missed, said = _asked(hub, sight) if ask_remote and sight.remote else (None, "")
        undecided = tuple(gitio.unmerged(hub))
    except GitError as error:
        return None, error
    together = last_together(hub)
    days = None if together is None else (now.astimezone(UTC) - datetime.fromtimestamp(together, UTC)).days
    writable = os.access(_lowest_there(hub.state), os.W_OK | os.X_OK)
    return Clone(sight, undecided, said, days, tuple(spoilt_state(hub)), writable, missed), None


def _asked(hub: Hub, sight: gitio.Sight) -> tuple[tuple[str, str] | None, str]:
    """Ask the remote; return what a clone of it misses, and what stands in the way of an answer."""
    try:
        heads = gitio.heads_of(hub, sight.remote)
    except GitError as error:
        return None, error.message
    return heads.missed(remembered(hub).get("branch", sight.branch)), ""


def _lowest_there(folder: Path) -> Path:
    return next(each for each in (folder, *folder.parents) if each.exists())


def _remote_is_template(hub: Hub) -> bool:
    """Tell what the remote branch said of itself when somebody last looked there."""
    with contextlib.suppress(GitError, SoulError):
        commit = gitio.upstream(hub) if hub.git_root is not None and gitio.has_remote(hub) else ""
        if commit:
            content = gitio.read_files(hub, gitio.read_tree(hub, commit), [CONFIG_NAME]).get(CONFIG_NAME, b"")
            return bool(content) and parse_config(content)[0].template
    return False


def _toolkit(hub: Hub) -> tuple[str | None, SoulError | None]:
    """Return the folder that `toolkit:` names, if it names one, or what is wrong with it; only scripts read it."""
    if not (hub.root / "scripts" / "soul.py").is_file():
        return None, None
    try:
        toolkit.folder_of(str(hub.root))
        return toolkit.read(str(hub.root)).get("path"), None
    except SoulError as error:
        return None, error


def _shipped() -> Mapping[str, bytes]:
    """Return what a new hub would hold; nothing where this installation lacks some of it: `init` says so."""
    with contextlib.suppress(StoppedError):
        return shipped_files()
    return {}


def _set_up(hub: Hub, unread: dict[str, SoulError]) -> Mapping[str, bytes]:
    names = [f"{SET_UP_FOLDER}/{file.name}" for file in sorted((hub.root / SET_UP_FOLDER).glob("*.py"))]
    return {name: content for name, content in _contents(hub, names, unread).items() if content is not None}


def _not_executable(hub: Hub) -> Iterator[str]:
    if os.name == "nt":
        return
    for file in sorted((hub.root / "scripts").glob("*")):
        with contextlib.suppress(OSError):
            if file.suffix in (".py", ".sh") and file.name != "start.sh" and not file.stat().st_mode & 0o100:
                yield f"scripts/{file.name}"


def _texts_below(hub: Hub, folder: str, endings: tuple[str, ...]) -> Iterator[tuple[str, str]]:
    for file in sorted((hub.root / folder).glob("*")):
        if file.suffix in endings:
            with contextlib.suppress(StoppedError):
                yield file.name, read_regular(file).decode("utf-8", "replace")


def _texts(hub: Hub, paths: Iterable[str], unread: dict[str, SoulError]) -> dict[str, str | None]:
    contents = _contents(hub, paths, unread)
    return {path: None if content is None else content.decode("utf-8", "replace") for path, content in contents.items()}


def _contents(hub: Hub, paths: Iterable[str], unread: dict[str, SoulError]) -> dict[str, bytes | None]:
    """Return the files at `paths`, None for one that is not there; one that cannot be read goes to `unread`."""
    found: dict[str, bytes | None] = {}
    for path in paths:
        file = hub.root / path
        try:
            found[path] = read_regular(file) if os.path.lexists(file) else None
        except StoppedError as error:
            unread[path] = error
    return found
