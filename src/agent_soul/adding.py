"""Adding events to a hub: draft, find what they replace, append. The thin rim around `draft` and `outbox`."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any, NamedTuple

from agent_soul import outbox
from agent_soul.credentials import find_credentials
from agent_soul.draft import ALLOW_SECRET, advice, draft, reconcile, refuse_credentials
from agent_soul.event import Event, as_line
from agent_soul.hub import Hub
from agent_soul.lock import exclusive
from agent_soul.log import SourceFiles, parse_log, read_source_files
from agent_soul.references import KnownIds, links_in, named_ids, with_whole_ids
from agent_soul.slug import slug

if TYPE_CHECKING:
    from agent_soul.bulk import Drafted


class Added(NamedTuple):
    """One acknowledged event: the file that holds it, from the hub's folder, and what its writer should know."""

    event: Event
    path: str
    warnings: tuple[str, ...]


def add(hub: Hub, record: Mapping[str, Any]) -> Added:
    """Draft one event and append it. Raises `RefusedError` with nothing written where it is not taken.

    A record that brings its own id may be added again: the event that is there already comes back. What looks like a
    key is refused, but for a record with `allow_secret`, which is no field of the event.
    """
    now = local_now()
    if not record.get(ALLOW_SECRET):
        refuse_credentials(record)
    record, notes = _with_whole_ids(hub, record)
    event = draft({name: value for name, value in record.items() if name != ALLOW_SECRET}, now)
    notes += _notes_on_links(hub, event)
    unusual = _doubts_about_project(hub, event)
    with exclusive(hub.lock_file, purpose="add"):
        if record.get("event_id") is not None:
            earlier = [known for known in _events_naming(hub, [event.id]) if known.id == event.id]
            event = reconcile(event, earlier[-1] if earlier else None, record)
        appended = outbox.append(hub, [as_line(event)])
    if event.path:
        notes.append(f"{event.id} was added before; it is there once")
    today = now.astimezone(UTC).date().isoformat()
    warnings = (*notes, *_notes_on_credentials(event), *advice(event, today), *unusual, *appended.warnings)
    return Added(event, appended.paths[event.id], warnings)


def _doubts_about_project(hub: Hub, event: Event) -> list[str]:
    """Return a warning where the project is new here and its name may be a slip for one that is there.

    A project that has a page is known; only a new name pays for a look at the log.
    """
    if event.scope != "project" or (hub.canonical / "projects" / f"{slug(event.project)}.md").exists():
        return []
    from agent_soul.projects import names_in, nearest_name

    near = nearest_name(event.project, names_in(_contents(hub).values()))
    if not near:
        return []
    import shlex  # only the warning needs it

    alias = f"`soul project alias {shlex.quote(near)} {shlex.quote(event.project)}`"
    return [f"project {event.project!r} is new here, and there is a project {near!r}; if that is meant, run {alias}"]


def local_now() -> datetime:
    """Return this moment with the offset of the local clock, or in UTC where that is none that RFC 3339 can write."""
    now = datetime.now(UTC)
    try:
        here = now.astimezone()
        offset = here.utcoffset() or timedelta()
    except (ValueError, OverflowError):
        return now
    return now if offset % timedelta(minutes=1) else here


def add_all(hub: Hub, events: Sequence[Event]) -> outbox.Appended:
    """Append drafted events under the clone's lock, as one outbox file."""
    with exclusive(hub.lock_file, purpose="add"):
        return outbox.append(hub, [as_line(event) for event in events])


def add_lines(
    hub: Hub, lines: Sequence[bytes], defaults: Mapping[str, Any], seen: Callable[[int], object] = lambda _: None
) -> tuple[Drafted, outbox.Appended]:
    """Draft NDJSON lines as `draft_lines` does and append the events as one outbox file.

    Lines that name ids are drafted again where the log has changed before it is our turn: two commands may bring the
    same ids at the same moment.
    """
    from agent_soul.bulk import draft_lines  # not for one event

    now = local_now()
    log = _LogOnce(hub)
    drafted = draft_lines(lines, defaults, now, seen, existing=log.by_id)
    with exclusive(hub.lock_file, purpose="add"):
        if log.is_outdated():
            drafted = draft_lines(lines, defaults, now, existing=_LogOnce(hub).by_id)
        return drafted, outbox.append(hub, drafted.lines)


class _LogOnce:
    """The events of a hub, read when somebody asks."""

    def __init__(self, hub: Hub) -> None:
        self._hub = hub
        self._contents: dict[str, bytes] | None = None

    def by_id(self) -> dict[str, Event]:
        """Return every event by its id, those in the outbox too; an event in the log knows its file."""
        self._contents = _contents(self._hub)
        return {event.id: event for event in _parse(self._contents)}

    def is_outdated(self) -> bool:
        return self._contents is not None and self._contents != _contents(self._hub)


def _events_naming(hub: Hub, ids: Sequence[str]) -> list[Event]:
    """Return the events in whose lines one of `ids` stands: parsing a large log whole takes seconds."""
    needles = [id_.encode("utf-8", "replace") for id_ in ids if id_]
    lines: dict[str, bytes] = {}
    for path, content in _contents(hub).items():
        if any(needle in content for needle in needles):
            lines[path] = b"\n".join(line for line in content.split(b"\n") if any(n in line for n in needles))
    return _parse(lines)


def _contents(hub: Hub) -> dict[str, bytes]:
    """Return the bytes of the outbox's files, then of the log's."""
    return {**outbox.contents(hub), **read_source_files(hub.root).contents}


def _parse(contents: Mapping[str, bytes]) -> list[Event]:
    return [event for path in contents for event in parse_log(SourceFiles({path: contents[path]})).events]


def _notes_on_links(hub: Hub, event: Event) -> list[str]:
    """Name the `[[id]]` in an event's texts that no event here has."""
    links = links_in(event.summary, event.data.get("detail", ""))
    known = KnownIds(each.id for each in (_events_naming(hub, links) if links else ()))
    dangling = [link for link in links if not known.beginning_with(link)]
    return [f"[[{link}]] links nothing: no event here has that id" for link in dangling]


def _notes_on_credentials(event: Event) -> list[str]:
    """Name what looks like a key: the log never forgets a line, so only its issuer can make it harmless."""
    return [
        f"this looks like {found}: revoke it where it was issued, as it stays in the log and in Git's history"
        for found in find_credentials(as_line(event).raw)
    ]


def _with_whole_ids(hub: Hub, record: Mapping[str, Any]) -> tuple[Mapping[str, Any], list[str]]:
    """Do what `with_whole_ids` does. Only a record that names ids pays for reading the log."""
    named = named_ids(record)
    if not named:
        return record, []
    return with_whole_ids(record, KnownIds(event.id for event in _events_naming(hub, named)))
