"""What a clone has to send: upstream's own tree, plus our lines, plus the pages that this makes."""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from agent_soul import gitio, outbox
from agent_soul.canonical import CANONICAL, is_generated
from agent_soul.clone import clone_id
from agent_soul.compiler import NewerPagesError, compile_log, default_state
from agent_soul.config import CONFIG_NAME, default_config
from agent_soul.errors import NotSharedError, RefusedError, SoulError
from agent_soul.event import Event, parse_line, serialise
from agent_soul.hub import SOURCES, Hub
from agent_soul.log import BOM, Log, SourceFiles, parse_log
from agent_soul.overview import State, recorded_state, without_as_of
from agent_soul.pages import INDEX, PAGE_FORMAT
from agent_soul.settings import config_of

INDEX_PATH = f"{CANONICAL}/{INDEX}"


class Held(NamedTuple):
    """A line that a clone holds and may have to send: its bytes, the file it stands in, and its event.

    `path` is empty where it stands in no source file yet. `event` is None for a line that cannot be read; somebody else
    may be able to mend it, so it is sent as it is.
    """

    raw: bytes
    path: str
    event: Event | None

    @property
    def key(self) -> tuple[str, bytes]:
        """Equal for lines that say the same: nobody has to send what is there already."""
        return (self.event.id, serialise(self.event.data)) if self.event else (self.path, self.raw)


def held_event(event: Event) -> Held:
    """Return an event as the line that `add` writes for it."""
    return Held(serialise(event.data).rstrip(b"\n"), event.path if event.path.startswith(f"{SOURCES}/") else "", event)


def held_lines(path: str, content: bytes) -> Iterator[Held]:
    """Yield the lines of a source file as they stand there, but for a last one that somebody is still writing."""
    *whole, last = content.split(b"\n")
    for raw in (*whole, last):
        outcome = parse_line(raw.removeprefix(BOM).removesuffix(b"\r"), path, 0) if raw.strip() else None
        event = outcome if isinstance(outcome, Event) else None
        if event or (outcome and raw is not last):
            yield Held(raw, path, event)


class Outgoing(NamedTuple):
    """The files to change on upstream's tree, by path from the hub's folder; None removes one.

    `events` are those that upstream lacks, `ids` those of all that a commit with the changes holds. `note` says why the
    pages are not among the changes, where they are not.
    """

    changes: Mapping[str, bytes | None]
    events: tuple[Event, ...]
    ids: frozenset[str]
    note: str = ""


def outgoing(hub: Hub, tree: gitio.Tree, waiting: Iterable[Held], wanted: State | None = None) -> Outgoing:
    """Work out what is to be committed on upstream's commit (whose files are `tree`) so that it holds `waiting`."""
    read = [path for path in tree.objects if path.startswith("sources/") or path in (CONFIG_NAME, INDEX_PATH)]
    contents = gitio.read_files(hub, tree, read)
    sources = {path: content for path, content in contents.items() if path.startswith("sources/")}
    _refuse_template(hub, contents)
    log = parse_log(SourceFiles(sources))
    present = {(event.id, serialise(event.data)) for event in log.events}
    unread = {problem.path for problem in log.problems} | {line.path for line in log.set_aside}
    present |= {held.key for path in unread & sources.keys() for held in held_lines(path, sources[path])}
    missing = list({line.key: line for line in waiting if line.key not in present}.values())
    appended = _appended(hub, sources, missing)
    changes: dict[str, bytes | None] = {**appended}
    note = ""
    try:
        changes |= changed_pages(hub, tree, contents, _with(log, appended), wanted)
    except SoulError as error:
        note = f"events only: {error.message}"
    sent = tuple(line.event for line in missing if line.event)
    return Outgoing(changes, sent, frozenset(event.id for event in (*log.events, *sent)), note)


def changed_tree(tree: gitio.Tree, changes: Mapping[str, bytes | None], commit: str) -> gitio.Tree:
    """Return what the commit holds that was built on `tree` with these changes."""
    contents = {path: content for path, content in changes.items() if content is not None}
    kept = {path: name for path, name in tree.objects.items() if path not in changes}
    made = {path: _object_name(content, commit) for path, content in contents.items()}
    return gitio.Tree(commit, kept | made, tree.commit, contents, changes.keys() - contents.keys())


def _refuse_template(hub: Hub, contents: Mapping[str, bytes]) -> None:
    """Stop where the commit to build on still calls itself the template: no other machine would share from it."""
    try:
        template = CONFIG_NAME in contents and config_of(hub, contents[CONFIG_NAME])[0].template
    except RefusedError:
        return  # without settings no pages are made, but events are sent all the same
    if template:
        raise NotSharedError(
            "the remote branch is still the template's (its soul.yaml says `template: true`), and nothing goes there",
            hint="`git remote -v` names it; if that is not your own repository: `git remote set-url origin URL`; then"
            " `git add -A && git commit -m 'My hub'` where something is to commit, and `git push -u origin HEAD`",
        )


def _appended(hub: Hub, sources: Mapping[str, bytes], missing: Sequence[Held]) -> dict[str, bytes]:
    """Return the day files with the missing lines after what upstream has in them."""
    result: dict[str, bytes] = {}
    clone = clone_id(hub) if missing else ""
    for line in missing:
        path = _place(line, sources, clone)
        if not path:
            continue
        before = result.get(path, sources.get(path, b""))
        seal = b"" if not before or before.endswith(b"\n") else b"\n"
        result[path] = before + seal + line.raw + b"\n"
    return result


def _place(line: Held, sources: Mapping[str, bytes], clone: str) -> str:
    """Return the file for the line: the one that it stands in here, unless the commit has no place for that file."""
    if line.path and not is_taken(line.path, sources):
        return line.path
    return outbox.day_file(line.event, clone) if line.event else ""


def is_taken(path: str, there: Collection[str]) -> bool:
    """Tell whether a commit with the files `there` has no place for `path`: one is a folder of it, or lies below it."""
    folders = path.split("/")[:-1]
    above = ("/".join(folders[:depth]) for depth in range(1, len(folders) + 1))
    return path not in there and (
        any(folder in there for folder in above) or any(other.startswith(f"{path}/") for other in there)
    )


def _with(log: Log, appended: Mapping[str, bytes]) -> Log:
    """Return the log as it is once the files at `appended` hold these bytes; the others are not parsed again."""
    if not appended:
        return log
    fresh = parse_log(SourceFiles(appended))
    return Log(
        [event for event in log.events if event.path not in appended] + fresh.events,
        [problem for problem in log.problems if problem.path not in appended] + fresh.problems,
        [line for line in log.set_aside if line.path not in appended] + fresh.set_aside,
    )


def changed_pages(
    hub: Hub, tree: gitio.Tree, contents: Mapping[str, bytes], log: Log, wanted: State | None
) -> dict[str, bytes | None]:
    """Return the pages that differ from the tree's own, and as None those that it should have no longer."""
    config = config_of(hub, contents[CONFIG_NAME])[0] if CONFIG_NAME in contents else default_config()
    index = contents.get(INDEX_PATH, b"").decode("utf-8", "replace")
    recorded = recorded_state(index)
    if recorded and recorded.page_format > PAGE_FORMAT:
        raise NewerPagesError(recorded.page_format)
    texts = compile_log(log, config, default_state(wanted, recorded)).texts
    made = {f"{CANONICAL}/{path}": text.encode("utf-8") for path, text in texts.items()}
    changed: dict[str, bytes | None] = {
        path: content for path, content in made.items() if tree.objects.get(path) != _object_name(content, tree.commit)
    }
    unknown = {
        path: name for path, name in tree.objects.items() if path.startswith(f"{CANONICAL}/") and path not in made
    }
    changed |= {path: None for path, content in gitio.read_objects(hub, unknown).items() if is_generated(content)}
    if list(changed) == [INDEX_PATH] and recorded and without_as_of(index) == without_as_of(texts[INDEX]):
        return {}
    return changed


def _object_name(content: bytes, commit: str) -> str:
    """Return what Git calls a file with this content, in a repository whose commits have names like `commit`."""
    make = hashlib.sha256 if len(commit) == 64 else hashlib.sha1
    return make(b"blob %d\0%s" % (len(content), content), usedforsecurity=False).hexdigest()
