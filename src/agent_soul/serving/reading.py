"""The tools that read. Their docstrings are what an agent is told of them."""

from __future__ import annotations

import os
from datetime import datetime
from typing import Annotated, Any

from mcp.types import CallToolResult

from agent_soul import task_memory, task_search
from agent_soul.adding import local_now
from agent_soul.boot import boot, boot_fields
from agent_soul.compiler import resolve_hub
from agent_soul.contexts.asking import DEFAULT_BUDGET, Request
from agent_soul.contexts.choosing import context_fields
from agent_soul.contexts.gathering import context_of
from agent_soul.doctor.standing import stand, standing_fields
from agent_soul.runtimes.following import tell_programs
from agent_soul.searching.filters import Filters, read_filters
from agent_soul.searching.paging import Asked, row_fields
from agent_soul.searching.paging import search as search_page
from agent_soul.serving import arguments as arg
from agent_soul.serving.place import Place
from agent_soul.serving.sdk import shown
from agent_soul.telling import as_typed, invoked_as
from agent_soul.upkeep.projects import list_projects, project_fields

_NOT_ASKED_FOR = ("sections", "ok")
"""Of a context: each line with its id, which the text holds as well."""


class Reading:
    """Tools that change nothing in the memory. `may_pull`: whether a context may first bring what others wrote."""

    def __init__(self, place: Place, *, may_pull: bool) -> None:
        self._place = place
        self._may_pull = may_pull
        self._session = f"mcp {os.urandom(8).hex()}"  # as long as the server runs it is one session

    def read_context(
        self,
        project: arg.Project = "",
        task: arg.Task = "",
        source: arg.Reader = "",
        budget: arg.Budget = DEFAULT_BUDGET,
        fresh: arg.Fresh = True,
    ) -> Annotated[CallToolResult, arg.Answer]:
        """Read who the user is and what all of the user's agents know, in about 6,000 tokens.

        Identity and lasting memory come first, then what fits the project and the task. Call it once a session, before
        you answer anything about the user or their work.
        """
        hub, reader = self._place.hub, source or self._place.source
        request = Request(reader, project, task, budget, invoked_as())
        if fresh and reader and self._may_pull:
            found = boot(hub, reader, request, local_now(), name=self._session)
            tell_programs(hub)
            fields, text = boot_fields(found, budget), found.text
        else:
            context = context_of(hub, request, local_now())
            fields, text = context_fields(context), context.text
        return shown(text, {name: value for name, value in fields.items() if name not in _NOT_ASKED_FOR})

    def search_events(
        self,
        query: arg.Text = "",
        keywords: arg.Required = [],  # noqa: B006 - never changed; null is no value here
        kind: arg.KindFilter = "",
        scope: arg.ScopeFilter = "",
        project: arg.ProjectFilter = "",
        source: arg.SourceFilter = "",
        since: arg.Since = "",
        until: arg.Until = "",
        every_status: arg.EveryStatus = False,
        limit: arg.Limit = 20,
        skip: arg.Skip = 0,
        snapshot: arg.Snapshot = "",
    ) -> arg.Answer:
        """Find events, best first, by words in any language.

        Each is given without its detail; mem_read gives one whole. Search before you say that something is not
        known.
        """
        filters = read_filters(
            scope, everything=every_status, since=since, until=until, kind=kind, project=project, source=source
        )
        page = search_page(self._place.hub, Asked(query, tuple(keywords), filters, skip, limit, snapshot=snapshot))
        return {
            "total": page.total,
            "snapshot": page.snapshot,
            "results": [_without_detail(row_fields(row)) for row in page.rows],
            "nearest_words": list(page.nearest),
        }

    def list_projects(self) -> arg.Answer:
        """List the projects that the memory knows, with their other names; the one that was written to last is first.

        Use their names as they stand here.
        """
        projects = list_projects(resolve_hub(self._place.hub))
        return {"total": len(projects), "projects": [project_fields(each) for each in projects]}

    def status(self) -> arg.Answer:
        """Say how the memory stands: events of each status, the newest of each source, what is not shared yet.

        `waiting` is what waits for somebody, each with the command that the user can run.
        """
        fields = standing_fields(stand(self._place.hub))
        waiting = [{**each, "command": as_typed(each["command"])} for each in fields["waiting"]]
        return {"source": self._place.source, **fields, "waiting": waiting}

    def mem_search(
        self,
        keywords: arg.AnyKeywords,
        kind: arg.KindFilter = "",
        project: arg.ProjectFilter = "",
        limit: arg.Limit = 20,
        skip: arg.Skip = 0,
        snapshot: arg.Snapshot = "",
    ) -> arg.Answer:
        """Find entries of task memory by 1 to 12 keywords before you begin a task.

        More keywords rank higher, then what is newer. `snapshot` and `next_skip` of an answer give its next
        page.
        """
        filters = Filters(kind=kind, project=project)
        return task_search.page(self._place.hub, keywords, filters, skip=skip, limit=limit, snapshot=snapshot)

    def mem_read(self, id: arg.EntryId, expand: arg.Expand = False) -> arg.Answer:  # noqa: A002 - the tool's word
        """Read one event whole by its id, whatever became of it; `newest` is what stands in its place now."""
        resolution = resolve_hub(self._place.hub)
        verdict = task_memory.find(resolution, id)
        links = {"links": list(task_memory.expanded(resolution, verdict))} if expand else {}
        return {**task_memory.entry(resolution, verdict), **links}


def _without_detail(row: dict[str, Any]) -> dict[str, Any]:
    event: dict[str, Any] = row["event"]
    short = {name: value for name, value in event.items() if name != "detail"}
    return {**row, "event": short, "has_detail": len(short) < len(event)}


def _local_time(seconds: float) -> str:
    return datetime.fromtimestamp(seconds).astimezone().isoformat(timespec="seconds")
