"""Sharing: from events on this machine to a commit that the remote accepted.

Nothing is ever merged in the work tree and nothing is forced. A commit is built on upstream's head from upstream's own
tree plus our lines, the pages are compiled from that tree, and a plain push is the compare-and-swap: whoever is
overtaken fetches and builds again. A kill at any point leaves loose objects and the outbox, and the next command goes
on from there. With no remote, and in a copy of the template, events are *kept here*.
"""

from __future__ import annotations

import contextlib
import json
import random
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from agent_soul import gitio, outbox
from agent_soul.adding import Added, add
from agent_soul.compiler import (
    NewerPagesError,
    Outcome,
    compile_locked,
    forget_committed,
    is_generated,
    load_config,
)
from agent_soul.errors import NotSharedError, RefusedError, SoulError, StoppedError
from agent_soul.event import Event, short_id
from agent_soul.files import replace_file
from agent_soul.hub import Hub
from agent_soul.lock import exclusive
from agent_soul.log import SourceFiles, parse_log
from agent_soul.outgoing import outgoing
from agent_soul.overview import State

DEFAULT_BUDGET = 60.0
"""Seconds that a command tries to reach the remote before it leaves the events for the next one."""
_FIRST_WAIT, _LONGEST_WAIT = 0.1, 5.0
_LEAST_TIMEOUT = 2.0
_PATHS_NAMED = 40
_SOURCES_NAMED = 3
_IDS_NAMED = 10
_LONGEST_REASON = 300


class Reach(StrEnum):
    """How far a command brought the memory."""

    SHARED = "shared"
    KEPT_HERE = "kept here"
    NOT_SHARED = "safe here, not shared yet"


@dataclass(frozen=True, slots=True)
class Kept:
    """What became of the hub's changes: `reason` says why they went no further, or what was shared.

    `commit` is the one that holds them, empty where none was made. `note` says what else a person should know.
    """

    reach: Reach
    reason: str
    commit: str = ""
    outcome: Outcome | None = None
    note: str = ""

    def __str__(self) -> str:
        return f"{self.reach}: {self.reason}" if self.reason else str(self.reach)


def share(hub: Hub, record: Mapping[str, Any], *, budget: float = DEFAULT_BUDGET) -> tuple[Added, Kept]:
    """Add one event and bring it as far as it goes. Raises nothing once the event is acknowledged."""
    added = add(hub, record)
    try:
        return added, sync(hub, author=added.event.source, budget=budget, look_first=False)
    except SoulError as error:
        return added, _not_shared(error)


def try_sync(hub: Hub, wanted: State | None = None, *, is_view: bool = False, **options: Any) -> Kept:
    """Do what `sync` does, and return it as a value where the remote was not reached or declined.

    A view of another day or with filters (`is_view`) stays on this machine: raises `RefusedError` with a remote.
    """
    if is_view and hub.git_root is not None and gitio.has_remote(hub) and not load_config(hub)[0].template:
        raise RefusedError(
            "--as-of, --since and --fuzzy-days make a view for this machine, and --apply would give it to all",
            hint="leave --apply out; days of fuzzy memory for everybody are `fuzzy_days` in soul.yaml",
        )
    try:
        return sync(hub, wanted, **options)
    except NotSharedError as error:
        return _not_shared(error)


def _not_shared(error: SoulError) -> Kept:
    """Say on one line why it was not shared; git may have told a whole story."""
    said = "; ".join(line.strip() for line in error.message.split("\n") if line.strip())
    said = said if len(said) <= _LONGEST_REASON else f"{said[:_LONGEST_REASON]}…"
    return Kept(Reach.NOT_SHARED, said, note=error.hint)


def sync(
    hub: Hub,
    wanted: State | None = None,
    *,
    author: str = "agent-soul",
    budget: float = DEFAULT_BUDGET,
    look_first: bool = True,
    reattach: bool = False,
) -> Kept:
    """Bring this clone and the remote together: our events and the pages go there, everything else comes here.

    Tries for `budget` seconds. `look_first` fetches before the first push; without it the push itself finds out
    whether anybody was faster, which saves a round trip. Raises `NotSharedError` where the remote was not reached or
    did not accept, `StoppedError` where the remote's history is not the one that this clone knows, unless `reattach`.
    """
    template = load_config(hub)[0].template
    target = gitio.target_of(hub) if hub.git_root is not None and not template else None
    if target is None:
        return _keep(hub, wanted, template=template, author=author)
    deadline = time.monotonic() + budget
    # One conversation per clone: whoever waits finds its events sent along by the one before. `add` does not wait.
    with exclusive(hub.state / "sync" / "lock", timeout=budget, purpose="sync"), gitio.writing(hub):
        exchange = _Exchange(hub, target, wanted, author, deadline)
        upstream = exchange.look(reattach=reattach) if look_first else exchange.known()
        sent, upstream, note = exchange.send(upstream, reattach=reattach)
        stayed = exchange.settle(upstream)
    return Kept(Reach.SHARED, sent, upstream, note="; ".join(filter(None, (note, stayed))))


@dataclass(slots=True)
class _Exchange:
    """One conversation with the remote, until `deadline` (seconds of the monotonic clock)."""

    hub: Hub
    target: gitio.Target
    wanted: State | None
    author: str
    deadline: float

    def known(self) -> str:
        """Return what the remote branch was when we last looked; looks now if that was never."""
        return gitio.tracked_head(self.hub, self.target) or self.look()

    def look(self, *, reattach: bool = False) -> str:
        """Fetch, and return the remote branch's head; empty for a remote that has no branch yet."""
        try:
            upstream = gitio.fetch(self.hub, self.target, timeout=self._left())
        except gitio.GitError as error:
            raise NotSharedError(error.message, hint="run `soul sync` when the remote can be reached") from error
        if not reattach:
            self._check_history(upstream)
        return upstream

    def send(self, upstream: str, *, reattach: bool = False) -> tuple[str, str, str]:
        """Push until it is accepted or there is nothing to push; return what was sent, the new head, and a note."""
        extra = self._ours_missing(upstream) if reattach else []
        said, tries = "", 0
        while True:
            waiting = [*extra, *(event for entry in outbox.entries(self.hub)[0] for event in entry.events)]
            work = outgoing(self.hub, upstream or self._first_base(), waiting, self.wanted)
            if not work.changes and upstream:
                return said or "up to date", upstream, work.note
            commit = self._build(upstream or self._first_base(), work.changes)
            outcome, words = gitio.push(self.hub, self.target, commit, timeout=self._left())
            if outcome is gitio.Pushed.ACCEPTED:
                return _counted(work.events, work.changes), commit, work.note
            if outcome is gitio.Pushed.DECLINED:
                raise NotSharedError(
                    f"the remote declined: {words}", hint="the events stay safe here; mend that, then `soul sync`"
                )
            tries += 1
            said = _counted(
                work.events, work.changes
            )  # a push without an answer may have arrived: then nothing is left
            self._wait(tries, words)
            upstream = self.look()

    def settle(self, upstream: str) -> str:
        """Remember what the remote has, empty the outbox of it, and bring the clone's own branch along."""
        with exclusive(self.hub.lock_file, purpose="sync"):
            self._remember(upstream)
            forget_committed(self.hub, upstream)
            try:
                return gitio.bring_along(self.hub, self.target, upstream, _settler(self.hub), author=self.author)
            except gitio.GitError as error:
                return f"this clone stays as it is: {error.message}"

    def _build(self, parent: str, changes: Mapping[str, bytes | None]) -> str:
        if not changes:
            return parent  # the first push of commits that are all there
        return gitio.build_commit(self.hub, parent, changes, commit_message(sorted(changes)), author=self.author)

    def _first_base(self) -> str:
        """Return what the very first push starts from: the commits that are here."""
        return gitio.head(self.hub)

    def _left(self) -> float:
        return max(self.deadline - time.monotonic(), _LEAST_TIMEOUT)

    def _wait(self, tries: int, words: str) -> None:
        """Wait a random while that grows, so that two clones do not collide for ever."""
        wait = random.uniform(0, min(_FIRST_WAIT * 2**tries, _LONGEST_WAIT))  # noqa: S311 - no secret
        if time.monotonic() + wait > self.deadline:
            raise NotSharedError(
                f"the remote was busy for the whole time: {words}", hint="`soul sync` goes on from here"
            )
        time.sleep(wait)

    @property
    def _memory(self) -> Any:
        return self.hub.state / "upstream.json"

    def _remembered(self) -> str:
        with contextlib.suppress(OSError, ValueError, KeyError):
            noted = json.loads(self._memory.read_text(encoding="utf-8"))
            if (noted["url"], noted["branch"]) == (self.target.url, self.target.branch):
                return str(noted["head"])
        return ""

    def _remember(self, upstream: str) -> None:
        note = {"url": self.target.url, "branch": self.target.branch, "head": upstream}
        replace_file(self._memory, json.dumps(note).encode())

    def _check_history(self, upstream: str) -> None:
        """Stop where the remote branch is gone or no longer holds what it once accepted from here."""
        before = self._remembered()
        if not before or (upstream and gitio.is_ancestor(self.hub, before, upstream)):
            return
        missing = self._ours_missing(upstream)
        what = "was rewritten" if upstream else "is gone"
        named = ", ".join(short_id(event.id) for event in missing[:_IDS_NAMED])
        more = f" and {len(missing) - _IDS_NAMED} more" if len(missing) > _IDS_NAMED else ""
        raise StoppedError(
            f"the remote branch {self.target.branch!r} {what}; it lacks {len(missing)} events of this clone:"
            f" {named}{more}",
            hint="ask who did that; `soul sync --reattach` takes the remote as it is and sends these events again",
        )

    def _ours_missing(self, upstream: str) -> list[Event]:
        """Return the events of this clone's own files that the remote once had and `upstream` has not."""
        before = self._remembered()
        if not before:
            return []
        mine = [event for event in _events_at(self.hub, before) if f".{outbox.clone_id(self.hub)}." in event.path]
        there = {event.id for event in _events_at(self.hub, upstream)}
        return [event for event in mine if event.id not in there]


def _events_at(hub: Hub, commit: str) -> list[Event]:
    objects = gitio.read_tree(hub, commit).objects
    files = gitio.read_objects(hub, {path: name for path, name in objects.items() if path.startswith("sources/")})
    return parse_log(SourceFiles(files)).events


def _settler(hub: Hub) -> Any:
    """Return the rule for our files that differ from the branch: pages are upstream's, our day files keep all lines."""
    ours = f".{outbox.clone_id(hub)}."

    def settle(path: str, here: bytes | None, shared: bytes | None) -> gitio.Settled | None:
        if path.startswith("canonical/"):
            strange = here is not None and shared is None and not is_generated(here)
            return None if strange else gitio.Settled(shared)
        return gitio.Settled(_all_lines(shared, here)) if ours in path else None

    return settle


def _all_lines(shared: bytes | None, here: bytes | None) -> bytes | None:
    """Return every line of both, what is here in its own order where it has all the others."""
    if not shared or not here:
        return here or shared
    there = shared.split(b"\n")
    mine = here.split(b"\n")
    if set(there) <= set(mine):
        return here
    fresh = [line for line in mine if line not in set(there)]
    return b"\n".join([*filter(None, there), *fresh]) + b"\n"


def _counted(events: Sequence[Event], changes: Mapping[str, bytes | None]) -> str:
    pages = sum(path.startswith("canonical/") for path in changes)
    return f"{len(events)} event{'s' * (len(events) != 1)}, {pages} page{'s' * (pages != 1)}"


def _keep(hub: Hub, wanted: State | None, *, template: bool, author: str) -> Kept:
    """Compile the hub and commit the log and the pages here, nothing else of the repository.

    Raises `NotSharedError` where a person's own work with Git stands in the way; the events are safe meanwhile.
    """
    if hub.git_root is None:
        with exclusive(hub.lock_file, purpose="share"):
            return Kept(Reach.KEPT_HERE, "no Git repository holds this hub", outcome=compile_locked(hub, wanted))
    _refuse_in_the_middle(hub)
    with exclusive(hub.lock_file, purpose="share"), gitio.writing(hub):
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
