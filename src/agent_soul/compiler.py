"""The one compiler: read, resolve, plan, render, write.

`compile_log` is a pure function of the log, the settings and a date. `compile_hub` reads and writes around it.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Collection, Iterable, Mapping
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import NamedTuple

from agent_soul import gitio, outbox
from agent_soul.config import Config, default_config, parse_config
from agent_soul.conflicts import Conflict, find_conflicts
from agent_soul.errors import StoppedError
from agent_soul.event import add_days, short_id
from agent_soul.files import TEMPORARY_PATTERN, read_regular, remedy, replace_files
from agent_soul.hub import Hub
from agent_soul.lock import exclusive
from agent_soul.log import Log, SourceFiles, parse_log, read_source_files
from agent_soul.memory_json import render_memory
from agent_soul.overview import State, recorded_state, render_index, render_list, without_as_of
from agent_soul.pages import INDEX, LIST, MEMORY, PAGE_FORMAT, home_of, plan_pages
from agent_soul.render import GENERATED, Style, render_page
from agent_soul.reports import render_conflicts, render_metrics
from agent_soul.resolve import Resolution, resolve

CANONICAL = "canonical"
_FAR_AHEAD_DAYS = 7
_GENERATED_JSON = '{\n "generated_by": "soul compile"'


class Compiled(NamedTuple):
    """Every page as text, by its path from `canonical/`, and what it was made from."""

    texts: Mapping[str, str]
    state: State
    resolution: Resolution
    conflicts: tuple[Conflict, ...]


class Difference(NamedTuple):
    """What a compile changes: paths from `canonical/` that it writes, and generated ones that it removes."""

    written: tuple[str, ...]
    removed: tuple[str, ...]

    def __bool__(self) -> bool:
        return bool(self.written or self.removed)


class Outcome(NamedTuple):
    """What `compile_hub` made of a hub. `replayed` counts events that the files had lost and that were put back."""

    compiled: Compiled
    log: Log
    difference: Difference
    warnings: tuple[str, ...]
    replayed: int = 0


def compile_log(log: Log, config: Config, state: State) -> Compiled:
    """Return all pages for `log` on the day of `state`. Pure: equal arguments give equal bytes, anywhere."""
    if state.fuzzy_days is not None:
        config = config._replace(fuzzy_days=state.fuzzy_days)
    resolution = resolve(log.events, state.as_of, config, grace_days=0 if state.exact else 1)
    shown = _since(resolution, state.since)
    conflicts = find_conflicts(shown)
    style = Style(config, _homes(shown))
    pages = plan_pages(shown, conflicts, config)
    texts = {path: text for page in pages for path, text in render_page(page, style).items()}
    texts |= render_conflicts(conflicts, resolution, style) | render_metrics(shown, style)
    texts[MEMORY] = render_memory(shown, config, conflicts)
    odd = len(log.set_aside)
    texts[INDEX] = render_index(state, resolution.counts, len(conflicts), log.bad_lines, odd, pages)
    texts[LIST] = render_list(pages, texts)
    return Compiled(dict(sorted(texts.items())), state, resolution, conflicts)


def load_config(hub: Hub) -> tuple[Config, list[str]]:
    """Return the hub's settings and warnings about them; the defaults where there is no soul.yaml."""
    if not hub.config_file.exists():
        return default_config(), []
    return parse_config(read_regular(hub.config_file))


def compile_hub(hub: Hub, wanted: State | None = None, *, write: bool = True) -> Outcome:
    """Compile the hub's work tree; with `write` also put back lost events and bring `canonical/` up to date.

    `wanted` fixes date and filters; its empty `as_of` means the later of today and the recorded day. Raises
    `StoppedError` where pages of a newer toolkit are there, or a link stands in their way.
    """
    if not write:
        return _compile(hub, wanted, write=False)
    with exclusive(hub.lock_file, purpose="compile"):
        return compile_locked(hub, wanted)


def compile_locked(hub: Hub, wanted: State | None = None) -> Outcome:
    """Do what `compile_hub` does, for a caller that holds the lock."""
    outcome = _compile(hub, wanted, write=True)
    _write(hub.canonical, outcome.compiled.texts, outcome.difference)
    forget_committed(hub, _committed_revision(hub))
    return outcome


def recorded_in(hub: Hub) -> State | None:
    """Return the state that the hub's own `index.md` records, or None."""
    return recorded_state(_read_text(hub.canonical / INDEX))


def resolve_today(hub: Hub, log: Log, config: Config) -> Resolution:
    """Return what the events are worth today, by the same date as the pages."""
    return resolve(log.events, default_state(None, recorded_in(hub)).as_of, config)


def _compile(hub: Hub, wanted: State | None, *, write: bool) -> Outcome:
    config, warnings = load_config(hub)
    recorded = recorded_in(hub)
    if recorded and recorded.page_format > PAGE_FORMAT:
        raise NewerPagesError(recorded.page_format)
    present = _files_below(hub.canonical)
    log = parse_log(read_source_files(hub.root))
    lost = _lost_events(hub, log, write=write)
    if lost and write:
        log = parse_log(read_source_files(hub.root))
    compiled = compile_log(log, config, default_state(wanted, recorded))
    found = _difference(hub.canonical, present, compiled.texts)
    return Outcome(compiled, log, found, tuple(warnings), lost)


class NewerPagesError(StoppedError):
    """The pages were written by a newer toolkit, and an older one never writes over them."""

    def __init__(self, page_format: int) -> None:
        super().__init__(
            f"canonical/ has page format {page_format} of a newer agent-soul; this one writes {PAGE_FORMAT}",
            hint="update agent-soul on this machine; events can still be added and shared meanwhile",
        )


def _lost_events(hub: Hub, log: Log, *, write: bool) -> int:
    """Put back what the outbox holds and the files lack (into `log` alone where nothing may be written)."""
    present = {event.id for event in log.events}
    if write:
        return len(outbox.replay(hub, present))
    waiting = {event.id: event for entry in outbox.entries(hub)[0] for event in entry.events if event.id not in present}
    log.events.extend(waiting.values())
    return len(waiting)


def default_state(wanted: State | None, recorded: State | None, today: str = "") -> State:
    """Return what to compile: without a date in `wanted` as of the later of `today` (UTC) and the recorded day."""
    wanted = wanted or State("")
    if wanted.as_of:
        return wanted
    today = today or datetime.now(UTC).date().isoformat()
    known = recorded.as_of if recorded and recorded.as_of <= add_days(today, _FAR_AHEAD_DAYS) else ""
    return wanted._replace(as_of=max(today, known))


def _since(resolution: Resolution, since: str) -> Resolution:
    """Return the resolution with only the events from the date `since` on; it filters what is shown, not what holds."""
    if not since:
        return resolution
    return replace(resolution, verdicts=tuple(v for v in resolution.verdicts if v.event.date >= since))


def _homes(resolution: Resolution) -> dict[str, str]:
    """Return the home page of every active event by its id, and by its short id where that names one event only.

    Hubs in which nothing refers to anything, as most do not, are spared the work.
    """
    if not any("[[" in v.event.summary or "[[" in v.event.data.get("detail", "") for v in resolution.active):
        return {}
    homes: dict[str, str] = {}
    ambiguous: set[str] = set()
    for verdict in resolution.active:
        home = home_of(verdict.event)
        short = short_id(verdict.event.id)
        if short in homes and short != verdict.event.id:
            ambiguous.add(short)
        homes[short] = homes[verdict.event.id] = home
    return {id_: home for id_, home in homes.items() if id_ not in ambiguous}


def _difference(canonical: Path, present: Collection[str], texts: Mapping[str, str]) -> Difference:
    """Compare `texts` with the files in the folder `canonical`; a new date in the index alone is no difference."""
    written = [
        path
        for path, text in texts.items()
        if path not in present or read_regular(canonical / path) != text.encode("utf-8")
    ]
    removed = [path for path in sorted(present) if path not in texts and _is_generated(canonical / path)]
    if written == [INDEX] and not removed:
        before = recorded_state(_read_text(canonical / INDEX))
        if before and without_as_of(_read_text(canonical / INDEX)) == without_as_of(texts[INDEX]):
            written = []
    return Difference(tuple(written), tuple(removed))


def unified_diff(canonical: Path, compiled: Compiled, found: Difference) -> Iterable[str]:
    """Yield the lines, newline included, of the diff from what is in `canonical` to what was compiled."""
    import difflib  # only a dry run pays for it

    for path in sorted((*found.written, *found.removed)):
        before = _read_text(canonical / path).splitlines(keepends=True)
        after = compiled.texts.get(path, "").splitlines(keepends=True)
        yield from difflib.unified_diff(before, after, f"a/{CANONICAL}/{path}", f"b/{CANONICAL}/{path}")


def _write(canonical: Path, texts: Mapping[str, str], found: Difference) -> None:
    """Bring the folder up to date, each file whole at every moment; the index comes last, when all others are there."""
    for leftover in canonical.rglob(TEMPORARY_PATTERN) if found else ():
        leftover.unlink(missing_ok=True)
    index_last = sorted(found.written, key=lambda path: (path == INDEX, path))
    replace_files({canonical / path: texts[path].encode("utf-8") for path in index_last})
    for path in found.removed:
        (canonical / path).unlink(missing_ok=True)
        for folder in (canonical / path).parents:
            if folder == canonical:
                break
            with contextlib.suppress(OSError):  # not empty
                folder.rmdir()


def _is_generated(file: Path) -> bool:
    """Tell whether a compile wrote the file, by how it begins; a person's own files there are left alone."""
    if file.suffix not in (".md", ".json") or not file.is_file():
        return False
    with contextlib.suppress(OSError), file.open("rb") as opened:
        return is_generated(opened.read(len(GENERATED)))
    return False


def is_generated(start: bytes) -> bool:
    """Tell whether a file that begins so was written by a compile."""
    return start.startswith((b"<!-- Generated by `soul compile`", _GENERATED_JSON.encode()))


def _files_below(canonical: Path) -> frozenset[str]:
    """Return the paths of all files in the folder; stop where a link could lead our writing out of the hub."""
    found = set()
    _refuse_link(canonical)
    waiting = [""] if canonical.is_dir() else []
    while waiting:
        folder = waiting.pop()
        for entry in _entries(canonical / folder):
            if entry.is_symlink():
                _refuse_link(Path(entry.path))
            path = f"{folder}{entry.name}"
            if entry.is_dir(follow_symlinks=False):
                waiting.append(f"{path}/")
            else:
                found.add(path)
    return frozenset(found)


def _entries(folder: Path) -> list[os.DirEntry[str]]:
    try:
        with os.scandir(folder) as entries:
            return list(entries)
    except OSError as error:
        raise StoppedError(f"{folder} cannot be read: {error.strerror}", hint=remedy(error)) from error


def _refuse_link(path: Path) -> None:
    if path.is_symlink():
        raise StoppedError(f"{path} is a symbolic link; pages are not written through links", hint="remove the link")


def forget_committed(hub: Hub, revision: str) -> None:
    """Empty the outbox of what the commit `revision` holds."""
    waiting = outbox.entries(hub)[0] if revision else []
    if waiting:
        outbox.discard(hub, _ids_at(hub, revision, waiting))


def _committed_revision(hub: Hub) -> str:
    """Return the commit that makes an event safe: the upstream's where there is a remote, else the local one."""
    if hub.git_root is None or not any(hub.outbox.glob("*")):
        return ""
    with contextlib.suppress(gitio.GitError):  # no git on this machine: the outbox waits
        return gitio.upstream(hub) if gitio.has_remote(hub) else gitio.head(hub)
    return ""


def _ids_at(hub: Hub, revision: str, waiting: Iterable[outbox.Entry]) -> set[str]:
    """Return the ids that a commit holds in the day files where the waiting events may be, of any clone.

    A clone that was moved writes other files than before, and its events may stand in both.
    """
    days = tuple({f"sources/{event.source}/{event.date}." for entry in waiting for event in entry.events})
    objects = gitio.read_tree(hub, revision).objects
    contents = gitio.read_objects(hub, {path: name for path, name in objects.items() if path.startswith(days)})
    return {event.id for event in parse_log(SourceFiles(contents)).events}


def _read_bytes(file: Path) -> bytes | None:
    return read_regular(file) if file.exists() else None


def _read_text(file: Path) -> str:
    return (_read_bytes(file) or b"").decode("utf-8", "replace")
