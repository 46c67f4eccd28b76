"""The arguments of the tools: types and descriptions, from which the SDK makes their JSON schemas.

Nothing is optional by being null: the SDK would read a text that happens to be JSON as a value where null is allowed.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, Literal

from pydantic import Field

from agent_soul.boot import LEAST_REPORT_BUDGET
from agent_soul.contexts.asking import DEFAULT_BUDGET
from agent_soul.event import KINDS
from agent_soul.schemas import load
from agent_soul.task_memory import KINDS as ENTRY_KINDS

if TYPE_CHECKING:
    Kind = str
    KindOrAny = str
    EntryKind = str
else:
    Kind = Literal[tuple(kind for kind in KINDS if kind != "mark")]
    KindOrAny = Literal[("", *KINDS)]
    EntryKind = Literal[ENTRY_KINDS]

MOST_RESULTS = 100
Answer = dict[str, Any]
"""One JSON object, as the command of the same name prints it with --json."""

Source = Annotated[str, Field(description="Who writes: your own id. Leave it out where the server was given one.")]
Reader = Annotated[str, Field(description="Whose context: your own id. Leave it out where the server was given one.")]
Summary = Annotated[str, Field(description="The memory, one line of 2 to 500 characters: situation, fact, reason.")]
Scope = Annotated[
    str,
    Field(
        description="Where it belongs: profile (who the user is), stable (lasting), project (with `project`), fuzzy (a "
        "week), daily (today's log), agent (with `agent`); also project:NAME and agent:ID."
    ),
]
EventKind = Annotated[Kind, Field(description="What it is.")]
Project = Annotated[str, Field(description="The project's name, in the user's own words.")]
AgentId = Annotated[str, Field(description="The agent, with scope agent.")]
Title = Annotated[str, Field(description="A short name.")]
Detail = Annotated[str, Field(description="More than a line, up to 16 KiB; `[[ID]]` links another event.")]
Keywords = Annotated[
    list[str], Field(description="Up to 12 words that the summary lacks: synonyms, the other language.")
]
Tags = Annotated[list[str], Field(description="Up to 12 labels.")]
Importance = Annotated[float, Field(ge=0, le=1, description="How much it matters, 0 to 1.")]
ValidFrom = Annotated[str, Field(description="First UTC date on which it holds, YYYY-MM-DD.")]
ValidUntil = Annotated[str, Field(description="Last UTC date on which it holds, YYYY-MM-DD.")]
Supersedes = Annotated[list[str], Field(description="Ids of the events that this one replaces, or takes back.")]
Topic = Annotated[str, Field(description="The subject, with kind topic: small letters and hyphens, or Chinese.")]
Paths = Annotated[list[str], Field(description="Files that it is about.")]
Refs = Annotated[list[str], Field(description="Addresses outside.")]
EventId = Annotated[
    str,
    Field(description="An id of your own making, so that a call whose answer you missed can be repeated safely."),
]
Proposed = Annotated[bool, Field(description="True where you are not sure: it waits for the user's review.")]

Text = Annotated[str, Field(description="What to look for, in any language; it ranks. Empty: the newest.")]
Required = Annotated[list[str], Field(description="Words that must all occur.")]
KindFilter = Annotated[KindOrAny, Field(description="Only this kind, such as decision.")]
ScopeFilter = Annotated[str, Field(description="Only this scope; also project:NAME and agent:ID.")]
ProjectFilter = Annotated[str, Field(description="Only this project.")]
SourceFilter = Annotated[str, Field(description="Only what this source wrote.")]
Since = Annotated[str, Field(description="Stated on or after this UTC date, YYYY-MM-DD.")]
Until = Annotated[str, Field(description="Stated on or before this UTC date, YYYY-MM-DD.")]
EveryStatus = Annotated[bool, Field(description="Also what was replaced, taken back or is over.")]
Limit = Annotated[int, Field(ge=1, le=MOST_RESULTS, description="How many results.")]
Skip = Annotated[int, Field(ge=0, description="Leave out the first so many.")]
Snapshot = Annotated[str, Field(description="The name that an earlier page gave: go on in that very list.")]

Task = Annotated[str, Field(description="What you are about to do; lines that help with it come first.")]
Budget = Annotated[int, Field(ge=LEAST_REPORT_BUDGET, description=f"Tokens; {DEFAULT_BUDGET} if left out.")]
Fresh = Annotated[
    bool, Field(description="First bring what other machines wrote, three seconds at most. False answers at once.")
]

EntryId = Annotated[str, Field(description="The entry's id, or its first characters.")]
Expand = Annotated[bool, Field(description="Also what it links, one step.")]
AnyKeywords = Annotated[
    list[str], Field(description="1 to 12 words; synonyms and the other language too. An entry with more ranks higher.")
]
EntryKeywords = Annotated[list[str], Field(description="2 to 12 words that title and summary lack.")]
EntryKindName = Annotated[EntryKind, Field(description="task: the conclusion of one. topic: the truth of a subject.")]
Content = Annotated[str, Field(description="The entry itself, Markdown; `[[ID]]` links another.")]
RelatedPaths = Annotated[list[str], Field(description="Files that it is about.")]
RelatedBranches = Annotated[list[str], Field(description="Branches that it is about.")]
Reason = Annotated[str, Field(description="Why; it is kept with the act.")]


def _part(name: str) -> Any:
    """Return the type of a field that has fields of its own, as our schema describes them; `draft` checks them.

    Written out where it is used: not every client follows the references that a class would make.
    """
    described = load("event")["properties"][name]
    fields = {"properties": described["properties"]}
    return Annotated[dict[str, Any], Field(description=described["description"], json_schema_extra=fields)]


if TYPE_CHECKING:
    DecisionPart = dict[str, Any]
    LessonPart = dict[str, Any]
    MetricPart = dict[str, Any]
    ClaimPart = dict[str, Any]
else:
    DecisionPart, LessonPart, MetricPart, ClaimPart = map(_part, ("decision", "lesson", "metric", "claim"))
