"""The tools that write. Their docstrings are what an agent is told of them."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from agent_soul import adding, recording, task_memory
from agent_soul.compiler import resolve_hub
from agent_soul.errors import RefusedError
from agent_soul.event import DEFAULT_IMPORTANCE
from agent_soul.hub import Hub, open_hub
from agent_soul.runtimes.following import tell_programs
from agent_soul.serving import arguments as arg
from agent_soul.serving.place import Place
from agent_soul.sync import DEFAULT_RECORD, share
from agent_soul.telling import with_commands

SHARE_SECONDS = 40
"""How long `quick_share` tries to reach the remote: clients give a tool up after a minute, and it also compiles."""


class Writing:
    """Tools that append events; nothing that is written is ever changed or removed."""

    def __init__(self, place: Place) -> None:
        self._place = place

    def add_event(
        self,
        kind: arg.EventKind,
        scope: arg.Scope,
        summary: arg.Summary,
        source: arg.Source = "",
        project: arg.Project = "",
        agent: arg.AgentId = "",
        title: arg.Title = "",
        detail: arg.Detail = "",
        keywords: arg.Keywords = [],  # noqa: B006 - never changed; null is no value here
        tags: arg.Tags = [],  # noqa: B006
        importance: arg.Importance = DEFAULT_IMPORTANCE,
        valid_from: arg.ValidFrom = "",
        valid_until: arg.ValidUntil = "",
        supersedes: arg.Supersedes = [],  # noqa: B006
        topic: arg.Topic = "",
        decision: arg.DecisionPart = {},  # noqa: B006
        lesson: arg.LessonPart = {},  # noqa: B006
        metric: arg.MetricPart = {},  # noqa: B006
        claim: arg.ClaimPart = {},  # noqa: B006
        paths: arg.Paths = [],  # noqa: B006
        refs: arg.Refs = [],  # noqa: B006
        event_id: arg.EventId = "",
        proposed: arg.Proposed = False,
    ) -> arg.Answer:
        """Record one event in the memory that all of the user's agents share; it is kept when this answers.

        Do it the moment you learn something lasting: a preference, fact, decision, rule or lesson. `supersedes`
        corrects earlier ones. Other machines have it after the next quick_share or sync.
        """
        return self._added(_given(locals()))

    def quick_share(
        self,
        summary: arg.Summary,
        source: arg.Source = "",
        kind: arg.EventKind = DEFAULT_RECORD["kind"],
        scope: arg.Scope = "",
        project: arg.Project = "",
        keywords: arg.Keywords = [],  # noqa: B006
        event_id: arg.EventId = "",
    ) -> arg.Answer:
        """Record something and bring it to the user's other machines at once, in 40 seconds at most.

        `outcome` is `shared`, `kept here` (there is no remote), or `safe here, not shared yet` with the reason: then it
        is kept and goes along with the next share, so do not repeat it. Without kind and scope it is shown for a week.
        """
        record = {**DEFAULT_RECORD, **recording.in_project(_given(locals()))}
        record["source"] = self._place.writer(source)
        added, kept = share(self._place.hub, record, budget=SHARE_SECONDS)
        said = {"outcome": str(kept.reach), "reason": with_commands(kept.reason), "note": kept.note}
        said["commit"] = kept.commit
        answer = _fields(added)
        return {**said, **answer, "warnings": [*answer["warnings"], *tell_programs(self._place.hub)]}

    def mem_write(
        self,
        title: arg.Title,
        summary: arg.Summary,
        content: arg.Content,
        keywords: arg.EntryKeywords,
        kind: arg.EntryKindName = "task",
        topic: arg.Topic = "",
        project: arg.Project = "",
        related_paths: arg.RelatedPaths = [],  # noqa: B006
        related_branches: arg.RelatedBranches = [],  # noqa: B006
        source: arg.Source = "",
    ) -> arg.Answer:
        """Keep what came out of a task, so that the next one begins with it.

        Search first; where an entry is there already, mem_replace it. Without `project` it is that of the
        folder in which the server was started.
        """
        given, hub = _given(locals()), self._place.hub
        where = _workspace(hub)
        if where is None and not project:
            raise RefusedError(
                "whose memory is it? This server was not started in a project's Git folder",
                hint="give project; list_projects names those that are known",
            )
        return self._added(task_memory.written(task_memory.from_arguments(given), where))

    def mem_replace(
        self,
        id: arg.EntryId,  # noqa: A002 - the tool's word
        summary: arg.Summary,
        content: arg.Content,
        title: arg.Title = "",
        keywords: arg.Keywords = [],  # noqa: B006
        project: arg.Project = "",
        related_paths: arg.RelatedPaths = [],  # noqa: B006
        related_branches: arg.RelatedBranches = [],  # noqa: B006
        source: arg.Source = "",
    ) -> arg.Answer:
        """Put a new entry in the place of another in one step.

        What is not given is that of the old one, which can still be read by its id.
        """
        given, hub = _given(locals()), self._place.hub
        del given["id"]
        record = task_memory.replacing(resolve_hub(hub), id, task_memory.from_arguments(given), _workspace(hub))
        return self._added(record)

    def mem_delete(self, id: arg.EntryId, reason: arg.Reason, source: arg.Source = "") -> arg.Answer:  # noqa: A002
        """Take back an entry that is wrong and that nothing replaces, with all that it had replaced.

        It can still be read by its id, so this can be undone by writing it anew.
        """
        return self._added({"source": source, **task_memory.deleting(resolve_hub(self._place.hub), id, reason)})

    def _added(self, record: Mapping[str, Any]) -> dict[str, Any]:
        source = self._place.writer(record.get("source", ""))
        return _fields(adding.add(self._place.hub, recording.in_project({**record, "source": source})))


def _given(arguments: Mapping[str, Any]) -> dict[str, Any]:
    """Return what a call says of an event: an argument that says nothing is no field of it."""
    said = {name: value for name, value in arguments.items() if value not in ("", [], {}) and value is not False}
    if said.get("importance") == DEFAULT_IMPORTANCE:
        del said["importance"]
    return {name: value for name, value in said.items() if name != "self"}


def _fields(added: adding.Added) -> dict[str, Any]:
    return {
        "event_id": added.event.id,
        "path": added.path,
        "event": added.event.data,
        "warnings": list(added.warnings),
    }


def _workspace(hub: Hub) -> task_memory.Workspace | None:
    """Return the project that the server was started in: only Git says so, for a program's own folder is none."""
    try:
        folder = Path.cwd()
    except OSError:
        return None
    return task_memory.workspace(hub, folder) if open_hub(folder).git_root else None
