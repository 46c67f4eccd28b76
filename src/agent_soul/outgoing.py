"""What a clone has to send: upstream's own tree, plus our lines, plus the pages that this makes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from agent_soul import gitio
from agent_soul.canonical import CANONICAL, is_generated
from agent_soul.clone import clone_id
from agent_soul.compiler import NewerPagesError, compile_log, default_state
from agent_soul.config import CONFIG_NAME, default_config
from agent_soul.day_files import day_file
from agent_soul.errors import NotSharedError, RefusedError, SoulError, StoppedError
from agent_soul.event import Event, parse_line, serialise
from agent_soul.hub import SOURCES, Hub
from agent_soul.judgements import remembered_contradictions
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
    pages are not among the changes, where they are not. `apart` are the files of lines that must stay here, because
    the commit has something else in their place.
    """

    changes: Mapping[str, bytes | None]
    events: tuple[Event, ...]
    ids: frozenset[str]
    note: str = ""
    apart: tuple[str, ...] = ()


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
    placed, apart = _placed(hub, tree, missing)
    appended = _appended(sources, placed)
    changes: dict[str, bytes | None] = {**appended}
    note = ""
    try:
        changes |= changed_pages(hub, tree, contents, _with(log, appended), wanted)
    except SoulError as error:
        note = f"events only: {error.message}"
    sent = tuple(line.event for lines in placed.values() for line in lines if line.event)
    return Outgoing(changes, sent, frozenset(event.id for event in (*log.events, *sent)), note, apart)


def changed_tree(tree: gitio.Tree, changes: Mapping[str, bytes | None], commit: str) -> gitio.Tree:
    """Return what the commit holds that was built on `tree` with these changes."""
    contents = {path: content for path, content in changes.items() if content is not None}
    kept = {path: name for path, name in tree.objects.items() if path not in changes}
    replaced = {path: name for path, name in tree.objects.items() if path in changes}
    made = {path: gitio.object_name(content, commit) for path, content in contents.items()}
    removed = changes.keys() - contents.keys()
    return gitio.Tree(commit, kept | made, tree.commit, contents, removed, replaced, tree.strange)


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


def _placed(hub: Hub, tree: gitio.Tree, missing: Sequence[Held]) -> tuple[dict[str, list[Held]], tuple[str, ...]]:
    """Return the lines by the file that each is to stand in, and the files of those for which there is no place.

    That is the file that it stands in here, else the day file of this clone.
    """
    clone = clone_id(hub) if missing else ""
    places = [(line, [line.path, *([day_file(line.event, clone)] if line.event else [])]) for line in missing]
    barred = taken((path for _, paths in places for path in paths), tree)
    placed: dict[str, list[Held]] = {}
    apart = set()
    for line, paths in places:
        free = next((path for path in paths if path and path not in barred), "")
        if free:
            placed.setdefault(free, []).append(line)
        else:
            apart.add(paths[-1])
    return placed, tuple(sorted(apart))


def _appended(sources: Mapping[str, bytes], placed: Mapping[str, Sequence[Held]]) -> dict[str, bytes]:
    """Return the files with the lines placed in them after what upstream has there."""
    result: dict[str, bytes] = {}
    for path, lines in placed.items():
        before = sources.get(path, b"")
        seal = b"" if not before or before.endswith(b"\n") else b"\n"
        result[path] = before + seal + b"".join(line.raw + b"\n" for line in lines)
    return result


def taken(paths: Iterable[str], tree: gitio.Tree) -> frozenset[str]:
    """Return those of `paths` for which the commit has no place.

    It has a link or a folder there, or something that is no folder on the way. Git would put the new file in the place
    of all that.
    """
    new = {path for path in paths if path not in tree.objects}
    if not new:
        return frozenset()
    there = tree.objects.keys() | tree.strange
    folders = {folder for path in there for folder in _folders(path)}
    return frozenset(path for path in new if path in tree.strange or path in folders or there & {*_folders(path)})


def _folders(path: str) -> Iterator[str]:
    end = path.find("/")
    while end > 0:
        yield path[:end]
        end = path.find("/", end + 1)


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
    with remembered_contradictions(hub) as look:
        texts = compile_log(log, config, default_state(wanted, recorded), look).texts
    made = {f"{CANONICAL}/{path}": text.encode("utf-8") for path, text in texts.items()}
    changed: dict[str, bytes | None] = {
        path: content
        for path, content in made.items()
        if tree.objects.get(path) != gitio.object_name(content, tree.commit)
    }
    unknown = {
        path: name for path, name in tree.objects.items() if path.startswith(f"{CANONICAL}/") and path not in made
    }
    changed |= {path: None for path, content in gitio.read_objects(hub, unknown).items() if is_generated(content)}
    if barred := sorted(taken(changed, tree)):
        raise StoppedError(
            f"{barred[0]} cannot be written: the commit has a link, a folder or another file in its place",
            hint="take that away, or give it another name",
        )
    if list(changed) == [INDEX_PATH] and recorded and without_as_of(index) == without_as_of(texts[INDEX]):
        return {}
    return changed
