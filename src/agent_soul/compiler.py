"""The one compiler: read, resolve, plan, render, write.

`compile_log` is a pure function of the log, the settings and a date. `compile_hub` reads and writes around it.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import UTC, datetime
from functools import partial
from typing import NamedTuple

from agent_soul import gitio, outbox, two_cores
from agent_soul.canonical import CANONICAL, Difference, difference, files_below, read_text, write_pages
from agent_soul.config import Config
from agent_soul.conflicts import Conflict, Look, contradictions, find_conflicts
from agent_soul.disuse import unused_since
from agent_soul.edited import is_as_noted, keep_copies, note_pages, noted_pages, said_of_copies
from agent_soul.errors import Problem, StoppedError
from agent_soul.event import short_id
from agent_soul.evidence import with_evidence
from agent_soul.files import read_regular
from agent_soul.hub import Hub, is_being_rebased
from agent_soul.instants import add_days
from agent_soul.judgements import remembered_contradictions
from agent_soul.lock import exclusive
from agent_soul.log import Log, SourceFiles, collector_at_rest, parse_log, read_source_files
from agent_soul.memory_json import render_memory
from agent_soul.metrics import Crossing, crossings
from agent_soul.overview import State, recorded_state, render_index, render_list
from agent_soul.pages import INDEX, LIST, MEMORY, PAGE_FORMAT, Page, home_of, plan_pages
from agent_soul.projects import folded
from agent_soul.render import Style, render_page
from agent_soul.reports import render_conflicts, render_metrics
from agent_soul.resolve import Resolution, Status, resolve
from agent_soul.settings import load_config
from agent_soul.upkeep_page import render_upkeep

_FAR_AHEAD_DAYS = 7
# What a child process costs is what it takes to render this many lines.
_MIN_LINES_FOR_TWO_CORES = 4000


class Compiled(NamedTuple):
    """Every page as text, by its path from `canonical/`, and what it was made from."""

    texts: Mapping[str, str]
    state: State
    resolution: Resolution
    conflicts: tuple[Conflict, ...]
    crossings: tuple[Crossing, ...]
    """Limits of the settings that a metric lies beyond."""


class Outcome(NamedTuple):
    """What `compile_hub` made of a hub. `replayed` counts events that the files had lost and that were put back."""

    compiled: Compiled
    log: Log
    difference: Difference
    warnings: tuple[str, ...]
    replayed: int = 0
    edited: str = ""
    """What to say of pages that a person had changed, of which copies were kept."""


def compile_log(log: Log, config: Config, state: State, look: Look = contradictions) -> Compiled:
    """Return all pages for `log` on the day of `state`. Pure: equal arguments give equal bytes, anywhere.

    `look` does what `contradictions` does, where the caller knows a faster way.
    """
    if state.fuzzy_days is not None:
        config = config._replace(fuzzy_days=state.fuzzy_days)
    resolution = folded(resolve(log.events, state.as_of, config, grace_days=0 if state.exact else 1))
    shown = _since(resolution, state.since)
    conflicts = find_conflicts(shown, look)
    crossed = crossings(shown, config.thresholds)
    style = Style(config, _homes(shown))
    unused = unused_since(resolution, state.as_of, config.upkeep.unused_days)
    pages = with_evidence(plan_pages(shown, conflicts, config, unused), shown)
    parts = [
        *(_Part(_weight(page), partial(render_page, page, style)) for page in pages),
        _Part(len(shown.active) // 3, lambda: {MEMORY: render_memory(shown, config, conflicts)}),
    ]
    texts = _rendered(parts)
    texts |= render_conflicts(conflicts, resolution, style) | render_metrics(shown, style, crossed)
    texts |= render_upkeep(shown, style)
    odd = len(log.set_aside)
    texts[INDEX] = render_index(state, resolution.counts, len(conflicts), log.bad_lines, odd, pages)
    texts[LIST] = render_list(pages, texts)
    return Compiled(dict(sorted(texts.items())), state, resolution, conflicts, crossed)


class _Part(NamedTuple):
    """Some of the texts by path, yet to be made; `weight` is what that costs, in lines of a page."""

    weight: int
    render: Callable[[], dict[str, str]]


def _rendered(parts: Sequence[_Part]) -> dict[str, str]:
    """Return the texts of all parts; of a large hub, half of them are made in a child meanwhile."""
    if sum(part.weight for part in parts) < _MIN_LINES_FOR_TWO_CORES or not two_cores.are_there():
        return _texts(parts)
    mine, others = two_cores.halved(parts, lambda part: part.weight)
    with two_cores.in_child(lambda: _texts(others)) as of_others:
        return _texts(mine) | of_others()


def _texts(parts: Iterable[_Part]) -> dict[str, str]:
    return {path: text for part in parts for path, text in part.render().items()}


def _weight(page: Page) -> int:
    return len(page.lines) + sum(len(view.lines) for view in page.views)


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
    texts, found = outcome.compiled.texts, outcome.difference
    edited = _changed_by_hand(hub, found)
    keep_copies(hub, edited)
    write_pages(hub.canonical, texts, found)
    note_pages(hub, {path: texts[path] for path in found.written}, found.removed)
    forget_committed(hub, _committed_revision(hub))
    return outcome._replace(edited=said_of_copies(hub, edited))


def _changed_by_hand(hub: Hub, found: Difference) -> dict[str, bytes]:
    """Return, of the pages that are about to change, those that neither a compile here nor the last commit wrote."""
    files = {path: hub.canonical / path for path in (*found.written, *found.removed)}
    there = {path: read_regular(file) for path, file in files.items() if file.exists()}
    noted = noted_pages(hub) if there else {}
    unknown = {path: content for path, content in there.items() if not is_as_noted(noted, path, content)}
    committed: Mapping[str, bytes] = {}
    if unknown and hub.git_root is not None:
        with contextlib.suppress(gitio.GitError):  # no git on this machine, or no commit yet
            committed = gitio.committed(hub, [f"{CANONICAL}/{path}" for path in unknown])
    return {path: content for path, content in unknown.items() if committed.get(f"{CANONICAL}/{path}") != content}


def recorded_in(hub: Hub) -> State | None:
    """Return the state that the hub's own `index.md` records, or None."""
    return recorded_state(read_text(hub.canonical / INDEX))


def resolve_today(hub: Hub, log: Log) -> Resolution:
    """Return what the events of `log` are worth today, by the hub's settings and the same date as the pages."""
    return folded(resolve(log.events, default_state(None, recorded_in(hub)).as_of, load_config(hub)[0]))


def resolve_hub(hub: Hub) -> Resolution:
    """Return what every acknowledged event of the hub is worth today."""
    return resolve_today(hub, outbox.whole_log(hub))


def odd_events(resolution: Resolution) -> list[Problem]:
    """Return what is odd about events that can be read: ids with two contents, replacements that replace nothing."""
    clashes = [
        Problem(v.event.path, v.event.line, 1, "id-clash", f"{v.event.id}: {v.reason}", "notice")
        for v in resolution.verdicts
        if resolution.by_id[v.event.id].status is Status.QUARANTINED  # of a decided clash one content counts
    ]
    return [*resolution.problems, *clashes]


def _compile(hub: Hub, wanted: State | None, *, write: bool) -> Outcome:
    config, warnings = load_config(hub, keep=write)
    recorded = recorded_in(hub)
    if recorded and recorded.page_format > PAGE_FORMAT:
        raise NewerPagesError(recorded.page_format)
    present = files_below(hub.canonical)
    log = parse_log(read_source_files(hub.root))
    log, replayed, notes = _with_outbox(hub, log, write=write)
    with remembered_contradictions(hub, keep=write) as look, collector_at_rest():
        compiled = compile_log(log, config, default_state(wanted, recorded), look)
    found = difference(hub.canonical, present, compiled.texts)
    return Outcome(compiled, log, found, (*warnings, *notes), replayed)


def _with_outbox(hub: Hub, log: Log, *, write: bool) -> tuple[Log, int, tuple[str, ...]]:
    """Return the log with all that the outbox alone holds, how much of it is put back, and why the rest cannot be."""
    if not write or is_being_rebased(hub):  # a rebase goes on over unchanged source files only
        whole = outbox.with_waiting(hub, log)
        return whole, len(whole.events) - len(log.events), ()
    replayed = outbox.replay(hub, {event.id for event in log.events})
    if replayed.events:
        log = parse_log(read_source_files(hub.root))
    if replayed.warnings:
        log = outbox.with_waiting(hub, log)
    return log, len(replayed.events), replayed.warnings


class NewerPagesError(StoppedError):
    """The pages were written by a newer toolkit, and an older one never writes over them."""

    def __init__(self, page_format: int) -> None:
        super().__init__(
            f"canonical/ has page format {page_format} of a newer agent-soul; this one writes {PAGE_FORMAT}",
            hint="update agent-soul on this machine; events can still be added and shared meanwhile",
        )


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
    return resolution._replace(verdicts=tuple(v for v in resolution.verdicts if v.event.date >= since))


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
