"""Task memory: conclusions of finished tasks and pages of topics, found before the next task begins.

The operations are those of GitMemo, on the one log: an entry is an event that never changes, replacing it is an event
that supersedes it, deleting it one that retracts it. Whatever became of an entry, its id can still be read.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from agent_soul import gitio
from agent_soul.errors import RefusedError
from agent_soul.event import Event
from agent_soul.hub import Hub, open_hub
from agent_soul.references import find_event, links_of
from agent_soul.resolve import Resolution, Status, Verdict
from agent_soul.settling import place_of
from agent_soul.slug import slug

KINDS = ("task", "topic")
LEAST_KEYWORDS, MOST_KEYWORDS = 2, 12
_NAMES = {"content": "detail", "related_paths": "paths"}
_INHERITED = ("title", "keywords", "tags", "importance", "topic")
_REPLACED = frozenset({Status.SUPERSEDED, Status.DUPLICATE})


class Workspace(NamedTuple):
    """Where the agent works: the project's name, and branch and commit of its code where there is Git."""

    project: str
    branch: str = ""
    commit: str = ""


def workspace(hub: Hub, folder: Path) -> Workspace | None:
    """Return the project at `folder`: the Git work tree that holds it, else the folder itself; None in the hub."""
    code = open_hub(folder)
    if hub.root in (code.root, *code.root.parents):
        return None
    name = (code.git_root or code.root).name
    if code.git_root is None:
        return Workspace(name)
    try:
        return Workspace(name, gitio.branch(code), gitio.head(code))
    except gitio.GitError:  # no git on this machine: the name says enough
        return Workspace(name)


def from_arguments(given: Mapping[str, Any]) -> dict[str, Any]:
    """Return the fields of an event from the arguments of a tool: `content`, `related_paths`, `related_branches`."""
    record = {_NAMES.get(name, name): value for name, value in given.items() if name != "related_branches"}
    branches = given.get("related_branches")
    if isinstance(branches, list):  # no branch has a comma and a space in its name, so the list can be read back
        branches = ", ".join(map(str, branches))
    return record | ({"branch": branches} if branches else {})


def written(given: Mapping[str, Any], where: Workspace | None) -> dict[str, Any]:
    """Return the record of a new entry. Raises `RefusedError` where something that every entry has is missing."""
    record = {"kind": "task", **given}
    if record["kind"] not in KINDS:
        raise RefusedError(
            f"--kind {record['kind']!r} is not one of: {', '.join(KINDS)}", hint="`soul add` takes others"
        )
    _refuse_incomplete(record, ("title", "summary", "keywords", "detail"))
    if record["kind"] == "topic":
        record.setdefault("topic", slug(str(record["title"])))
    return _placed(record, where)


def replacing(resolution: Resolution, wanted: str, given: Mapping[str, Any], where: Workspace | None) -> dict[str, Any]:
    """Return the record of the entry that takes the place of `wanted`, with its kind and place, and title and keywords.

    Raises `RefusedError` where there is none, or something took its place already, or it was taken back.
    """
    old = _standing(resolution, wanted)
    event = old.event
    inherited = {name: event.data[name] for name in _INHERITED if name in event.data}
    moved = {} if given.keys() & {"scope", "project", "agent"} else place_of(event)
    record = {"kind": event.kind, **inherited, **moved, **given, "supersedes": [event.id]}
    _refuse_incomplete(record, ("summary", "detail"))
    return _placed(record, where)


def deleting(resolution: Resolution, wanted: str, reason: str) -> dict[str, Any]:
    """Return the retraction of an entry and of all that it replaced: what was deleted must not bring those back.

    Raises `RefusedError` as `replacing` does.
    """
    standing = _standing(resolution, wanted)
    replaced = [
        v.event.id for v in resolution.verdicts if v.status in _REPLACED and newest_of(resolution, v) is standing
    ]
    ids = [standing.event.id, *dict.fromkeys(replaced)]
    return {"kind": "retraction", "supersedes": ids, "summary": reason, **place_of(standing.event)}


def _standing(resolution: Resolution, wanted: str) -> Verdict:
    """Return the entry of that id; refuse one that was replaced or taken back: of those, another event decides."""
    verdict = find(resolution, wanted)
    name, newest = resolution.name_of(verdict.event.id), newest_of(resolution, verdict)
    if newest is not verdict:
        raise RefusedError(f"{name} was replaced already", hint=f"what holds now is {newest.event.id}")
    if verdict.status is Status.RETRACTED:
        raise RefusedError(f"{name} was taken back already: {verdict.reason}", hint="write a new entry")
    return verdict


def find(resolution: Resolution, wanted: str) -> Verdict:
    """Return the verdict on the event whose id is or starts with `wanted`; raises as `references.find_event` does."""
    return resolution.by_id[find_event([verdict.event for verdict in resolution.verdicts], wanted).id]


def _refuse_incomplete(record: Mapping[str, Any], needed: Sequence[str]) -> None:
    called = {"detail": "content", "keywords": "keyword"}
    missing = [f"--{called.get(name, name)}" for name in needed if not record.get(name)]
    if missing:
        raise RefusedError(f"missing: {', '.join(missing)}", hint="`soul mem write --help` explains each")
    keywords = record.get("keywords")
    if "keywords" in needed and isinstance(keywords, list) and not LEAST_KEYWORDS <= len(keywords) <= MOST_KEYWORDS:
        raise RefusedError(
            f"an entry has {LEAST_KEYWORDS} to {MOST_KEYWORDS} keywords, and there are {len(keywords)}",
            hint="give words that title and summary lack: synonyms, the other language",
        )


def _placed(record: dict[str, Any], where: Workspace | None) -> dict[str, Any]:
    """Return the record with the project in which it is kept, and the branch and commit that it comes from."""
    if where:
        code = {"branch": where.branch, "commit": where.commit}
        record = {**{name: value for name, value in code.items() if value}, **record}
    if "scope" not in record and "project" not in record and not where:
        raise RefusedError(
            "whose memory is it? This folder is the hub's own", hint="give --project NAME, or work in the code's folder"
        )
    if "scope" not in record:
        record = {"scope": "project", "project": where.project if where else "", **record}
    return record


def newest_of(resolution: Resolution, verdict: Verdict) -> Verdict:
    """Return what stands in the place of an event now: the end of its chain of replacements, or the event itself."""
    seen = {verdict.event.id}
    while verdict.status in _REPLACED and verdict.by in resolution.by_id and verdict.by not in seen:
        seen.add(verdict.by)
        verdict = resolution.by_id[verdict.by]
    return verdict


def entry(resolution: Resolution, verdict: Verdict) -> dict[str, Any]:
    """Return an entry whole, whatever became of it, with what stands in its place now."""
    event, newest = verdict.event, newest_of(resolution, verdict)
    optional = ("keywords", "tags", "topic", "paths", "branch", "commit", "refs", "supersedes")
    return {
        "event_id": event.id,
        "short_id": resolution.name_of(event.id),
        "kind": event.kind,
        "title": title_of(event.data),
        "summary": event.data["summary"],
        "status": str(verdict.status),
        "reason": verdict.reason,
        "newest": newest.event.id,
        "date": event.date,
        "source": event.source,
        "project": event.project,
        **{name: event.data[name] for name in optional if name in event.data},
        "markdown": markdown_of(event),
    }


def title_of(record: Mapping[str, Any]) -> str:
    """Return the title of an entry; what was recorded without one is called by its topic or summary."""
    return str(record.get("title") or record.get("topic") or record["summary"])


def markdown_of(event: Event) -> str:
    """Return an entry as the Markdown that its writer gave: title, summary, content."""
    title = title_of(event.data)
    parts = [f"# {title}", *([event.data["summary"]] if event.data["summary"] != title else [])]
    return "\n\n".join([*parts, *filter(None, [event.data.get("detail", "")])]) + "\n"


def expanded(resolution: Resolution, verdict: Verdict) -> Iterator[dict[str, Any]]:
    """Yield what an entry links, one step: each as it is, with what replaced it; of a dangling link, what is wrong."""
    for link in links_of(verdict.event):
        found = resolution.find(link)
        if found is None:
            yield {"link": link, "error": f"no event has the id {link!r}, or several begin so"}
            continue
        newest = newest_of(resolution, found)
        replaced = {"replaced_by": entry(resolution, newest)} if newest is not found else {}
        yield {"link": link, **entry(resolution, found), **replaced}
