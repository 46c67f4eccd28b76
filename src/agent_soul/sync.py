"""From events on this machine to a commit: the form of sharing that needs no network.

With no remote, and in a copy of the template, an event is *kept here*: appended, compiled, committed.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from agent_soul import gitio
from agent_soul.adding import Added, add
from agent_soul.compiler import NewerPagesError, Outcome, compile_locked, forget_committed, load_config
from agent_soul.errors import NotSharedError, SoulError
from agent_soul.hub import Hub
from agent_soul.lock import exclusive
from agent_soul.overview import State

_PATHS_NAMED = 40
_SOURCES_NAMED = 3


class Reach(StrEnum):
    """How far a command brought the memory."""

    KEPT_HERE = "kept here"
    NOT_SHARED = "safe here, not shared yet"


@dataclass(frozen=True, slots=True)
class Kept:
    """What became of the hub's changes: `reason` says why they went no further; `commit` is empty if none was made."""

    reach: Reach
    reason: str
    commit: str = ""
    outcome: Outcome | None = None

    def __str__(self) -> str:
        return f"{self.reach}: {self.reason}"


def share(hub: Hub, record: Mapping[str, Any]) -> tuple[Added, Kept]:
    """Add one event and bring it as far as it goes. Raises nothing once the event is acknowledged."""
    added = add(hub, record)
    try:
        return added, keep(hub, author=added.event.source)
    except SoulError as error:
        hint = f" ({error.hint})" if error.hint else ""
        return added, Kept(Reach.NOT_SHARED, f"{error.message}{hint}")


def keep(hub: Hub, wanted: State | None = None, *, author: str = "agent-soul") -> Kept:
    """Compile the hub and commit the log and the pages, nothing else of the repository.

    Raises `NotSharedError` where a person's own work with Git stands in the way; the events are safe meanwhile.
    """
    template = load_config(hub)[0].template
    if hub.git_root is None:
        with exclusive(hub.lock_file, purpose="share"):
            return Kept(Reach.KEPT_HERE, "no Git repository holds this hub", outcome=compile_locked(hub, wanted))
    if gitio.has_remote(hub) and not template:
        raise NotSharedError(
            "this version cannot push yet",
            hint="share by hand: `git add sources && git commit -m memory && git pull --rebase && git push`",
        )
    _refuse_in_the_middle(hub)
    with exclusive(hub.lock_file, purpose="share"):
        outcome, note = _compile_unless_newer(hub, wanted)
        paths = gitio.changed_paths(hub)
        commit = gitio.commit_paths(hub, paths, commit_message(paths), author=author)
        forget_committed(hub, gitio.head(hub))
    reason = "this hub is a copy of the template (soul.yaml: template: true; `soul init --here` makes it your own)"
    return Kept(Reach.KEPT_HERE, (reason if template else "this repository has no remote") + note, commit, outcome)


def commit_message(paths: Sequence[str]) -> str:
    """Return what a commit of these paths says: how many files of which sources, how many pages, and their names."""
    sources = sorted({path.split("/")[1] for path in paths if path.startswith("sources/")})
    pages = sum(path.startswith("canonical/") for path in paths)
    parts = []
    if sources:
        more = f" and {len(sources) - _SOURCES_NAMED} more" if len(sources) > _SOURCES_NAMED else ""
        parts.append(f"events of {', '.join(sources[:_SOURCES_NAMED])}{more}")
    if pages:
        parts.append(f"{pages} page{'s' * (pages > 1)}")
    hidden = len(paths) - _PATHS_NAMED
    rest = [f"and {hidden} more"] if hidden > 0 else []
    return "\n".join([f"memory: {', '.join(parts)}", "", *paths[:_PATHS_NAMED], *rest]) + "\n"


def _compile_unless_newer(hub: Hub, wanted: State | None) -> tuple[Outcome | None, str]:
    try:
        return compile_locked(hub, wanted), ""
    except NewerPagesError as error:
        return None, f"; events only: {error.message}"


def _refuse_in_the_middle(hub: Hub) -> None:
    """A commit in the middle of somebody's rebase or on no branch would be lost or in their way."""
    operation = gitio.operation_under_way(hub)
    if operation:
        raise NotSharedError(
            f"a {operation} is under way in this repository",
            hint=f"finish it (`git {operation} --continue` or `--abort`), then run `soul compile --apply`",
        )
    if not gitio.branch(hub):
        raise NotSharedError(
            "no branch is checked out (HEAD is detached)", hint="`git switch main`, then run `soul compile --apply`"
        )
