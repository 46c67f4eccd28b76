"""One conversation with the remote: look, build, push, and once more if somebody was faster."""

from __future__ import annotations

import contextlib
import functools
import time
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from agent_soul import gitio, outbox
from agent_soul.canonical import is_generated
from agent_soul.clone import clone_ids, remember
from agent_soul.edited import is_as_noted, keep_copies, noted_pages, said_of_copies
from agent_soul.errors import NotSharedError, StoppedError
from agent_soul.event import Event, short_id
from agent_soul.hub import Hub
from agent_soul.lock import exclusive
from agent_soul.log import read_source_files
from agent_soul.outgoing import Held, Outgoing, changed_tree, held_event, held_lines, outgoing
from agent_soul.overview import State

_FIRST_WAIT, _LONGEST_WAIT = 0.1, 5.0
_LEAST_TIMEOUT = 2.0
_SILENT_TRIES = 3
"""Pushes without any answer that says what is wrong, after which it is left to the next command."""
_PATHS_NAMED = 40
_SOURCES_NAMED = 3
_IDS_NAMED = 10


def commit_message(paths: Sequence[str], events: int) -> str:
    """Return what a commit of these paths says: how many events of whom and how many pages, then the names of both.

    Summaries stay out of it: they may be retracted one day, and a commit's message is not.
    """
    sources = sorted({path.split("/")[1] for path in paths if path.startswith("sources/")})
    pages = sum(path.startswith("canonical/") for path in paths)
    parts = []
    if sources:
        more = f" and {len(sources) - _SOURCES_NAMED} more" if len(sources) > _SOURCES_NAMED else ""
        number = f"{events} event{'s' * (events != 1)}"
        parts.append(f"{number} of {', '.join(sources[:_SOURCES_NAMED])}{more}")
    if pages:
        parts.append(f"{pages} page{'s' * (pages > 1)}")
    hidden = len(paths) - _PATHS_NAMED
    rest = [f"and {hidden} more"] if hidden > 0 else []
    return "\n".join([f"memory: {', '.join(parts)}", "", *paths[:_PATHS_NAMED], *rest]) + "\n"


class Exchange(NamedTuple):
    """One conversation with the remote, until `deadline` (seconds of the monotonic clock)."""

    hub: Hub
    target: gitio.Target
    wanted: State | None
    author: str
    deadline: float
    remembered: str
    """The remote branch's head as of our last conversation with it, or an empty string."""

    def known(self, tracked: str) -> str:
        """Return what the remote branch was when we last looked, if that is `tracked`; looks now if it is not.

        Somebody else may have fetched meanwhile, or nobody ever did.
        """
        return tracked if tracked and tracked == self.remembered else self.look()

    def look(self, *, reattach: bool = False) -> str:
        """Fetch, and return the remote branch's head; empty for a remote that has no branch yet."""
        try:
            upstream = gitio.fetch(self.hub, self.target, timeout=self._left())
        except gitio.GitError as error:
            raise NotSharedError(error.message, hint="run `soul sync` when the remote can be reached") from error
        if not reattach:
            self._check_history(upstream)
        return upstream

    def send(
        self, upstream: str, seen: gitio.Survey | None = None, *, reattach: bool = False
    ) -> tuple[str, Outgoing, gitio.Tree]:
        """Push until it is accepted or there is nothing to push; return what was sent, and what the remote has.

        The first part says it in words. `seen` is a survey of this conversation, which counts for the commit that it
        was made for.
        """
        again = self._missing(upstream) if reattach else []
        said, tries, silent = "", 0, 0
        while True:
            base = upstream or gitio.head(self.hub)  # the very first push starts from the commits that are here
            if seen is None or seen.tree.commit != base:
                seen = gitio.survey(self.hub, base)
            work = outgoing(self.hub, seen.tree, [*again, *self._waiting(seen)], self.wanted)
            if not work.changes and upstream:
                return said or "up to date", work, seen.tree
            commit = self._build(base, work.changes, work.events, seen.people)
            outcome, words = gitio.push(self.hub, self.target, commit, expected=upstream, timeout=self._left())
            brought = 0 if upstream else sum(line.event is not None for line in _lines_at(self.hub, base))
            # If the answer gets lost it arrived, and then nothing is left.
            said = _counted(len(work.events) + brought, work.changes)
            if outcome is gitio.Pushed.ACCEPTED:
                return said, work, changed_tree(seen.tree, work.changes, commit)
            tries, silent = tries + 1, silent + (outcome is gitio.Pushed.UNKNOWN)
            if outcome is gitio.Pushed.DECLINED or silent >= _SILENT_TRIES:
                how = "declined" if outcome is gitio.Pushed.DECLINED else "did not take it"
                raise NotSharedError(f"the remote {how}: {words}", hint="mend that, then `soul sync`")
            self._wait(tries, words)
            upstream, seen = self.look(reattach=reattach), None

    def _waiting(self, seen: gitio.Survey) -> list[Held]:
        """Return the lines that may have to be sent: the outbox, and files here that the remote has not as they are."""
        waiting = [held_event(event) for entry in outbox.entries(self.hub)[0] for event in entry.events]
        mine = is_ours(self.hub)
        paths = {path for path in seen.differing if path in seen.changed or mine(path)}
        files = read_source_files(self.hub.root).contents if paths else {}
        held = [line for path in sorted(paths & files.keys()) for line in held_lines(path, files[path])]
        # A line of ours that cannot be read is one that a killed writer left: its event comes from the outbox.
        return [*waiting, *(line for line in held if line.event or not mine(line.path))]

    def settle(self, ids: Collection[str], there: gitio.Tree) -> str:
        """Remember the commit that the remote has, empty the outbox of its `ids`, and bring our own branch along.

        What killed commands left half-written goes first. While the branch of the memory is not checked out (a rebase,
        another branch) or a person has to merge first, the events leave our files and stay in the outbox, where every
        reader finds them.
        """
        with exclusive(self.hub.lock_file, purpose="sync"):
            outbox.tidy(self.hub)
            remember(self.hub, self.target.url, self.target.branch, there.commit)
            try:
                if not self.target.local:
                    gitio.put_back(self.hub, there, _arrival(self.hub, ids))
                edited: set[str] = set()
                settle = _settler(self.hub, ids, edited)
                stayed = gitio.bring_along(self.hub, self.target, there, settle, author=self.author)
                if self.target.local:
                    outbox.discard(self.hub, ids)
                return "; ".join(filter(None, (stayed, said_of_copies(self.hub, sorted(edited)))))
            except gitio.UnmergedError as error:
                gitio.put_back(self.hub, there, _arrival(self.hub, ids, with_pages=True))
                return f"this clone stays as it is: {error.message}: {error.hint}"
            except gitio.GitError as error:
                return f"this clone stays as it is: {error.message}; {error.hint}"

    def _build(
        self,
        parent: str,
        changes: Mapping[str, bytes | None],
        events: Sequence[Event],
        people: tuple[str, str] | None,
    ) -> str:
        if not changes:
            return parent  # the first push of commits that are all there
        message = commit_message(sorted(changes), len(events))
        return gitio.build_commit(self.hub, parent, changes, message, author=self.author, people=people)

    def _left(self) -> float:
        return max(self.deadline - time.monotonic(), _LEAST_TIMEOUT)

    def _wait(self, tries: int, words: str) -> None:
        """Wait a random while that grows, so that two clones do not collide for ever."""
        import random  # most pushes are the first

        wait = random.uniform(0, min(_FIRST_WAIT * 2**tries, _LONGEST_WAIT))  # noqa: S311 - no secret
        if time.monotonic() + wait > self.deadline:
            raise NotSharedError(
                f"the remote was busy for the whole time: {words}", hint="`soul sync` goes on from here"
            )
        time.sleep(wait)

    def _check_history(self, upstream: str) -> None:
        """Stop where the remote branch is gone or no longer holds what it once accepted from here."""
        before = self.remembered
        if not before or (upstream and gitio.is_ancestor(self.hub, before, upstream)):
            return
        missing = self._missing(upstream)
        what = "was rewritten" if upstream else "is gone"
        ids = [short_id(line.event.id) for line in missing if line.event]
        named = ", ".join(ids[:_IDS_NAMED])
        more = f" and {len(missing) - _IDS_NAMED} more" if len(missing) > _IDS_NAMED else ""
        raise StoppedError(
            f"the remote branch {self.target.branch!r} {what}; it lacks {len(missing)} events of this clone:"
            f" {named}{more}",
            hint="ask who did that; `soul sync --reattach` takes the remote as it is and sends these events again",
        )

    def _missing(self, upstream: str) -> list[Held]:
        """Return the lines of this clone's history that `upstream` has not, whoever wrote them.

        That is what the remote once accepted, and what the branch that is checked out has. Another machine's lines may
        be nowhere else by now.
        """
        there = {line.key for line in _lines_at(self.hub, upstream)}
        return [line for line in self._once().values() if line.key not in there]

    def _once(self) -> dict[tuple[str, bytes], Held]:
        """Return all lines of this clone's history, by what they say."""
        commits = [self.remembered] if self.remembered else []
        if self.target.local:
            commits.append(gitio.head(self.hub))
        found: dict[tuple[str, bytes], Held] = {}
        for commit in commits:
            with contextlib.suppress(gitio.GitError):  # the commit is gone, as after a purge of history
                found |= {line.key: line for line in _lines_at(self.hub, commit)}
        return found


def is_ours(hub: Hub) -> Callable[[str], bool]:
    """Return whether a path is a day file of this clone, under whatever id it wrote so far."""
    marks = tuple(f".{id_}." for id_ in clone_ids(hub))
    return lambda path: path.startswith("sources/") and any(mark in path for mark in marks)


def _lines_at(hub: Hub, commit: str) -> Iterator[Held]:
    tree = gitio.read_tree(hub, commit)
    files = gitio.read_files(hub, tree, [path for path in tree.objects if path.startswith("sources/")])
    for path in sorted(files):
        if path.endswith(".ndjson"):
            yield from held_lines(path, files[path])


def _settler(hub: Hub, ids: Collection[str], edited: set[str]) -> gitio.Settle:
    """Return the rule for our files that differ from the branch, where the commit that was shared holds these `ids`.

    Pages are upstream's; of those that a person changed copies are kept, and `edited` gets their names. Our day files
    keep all lines. Another source file that somebody only added lines to is upstream's once upstream has all of them.
    """
    mine, noted = is_ours(hub), functools.cache(functools.partial(noted_pages, hub))

    def settle(
        path: str, here: bytes | None, shared: bytes | None, before: Callable[[], bytes]
    ) -> gitio.Settled | None:
        if path.startswith("canonical/"):
            if here is not None and shared is None and not is_generated(here):
                return None
            name = path.removeprefix("canonical/")
            if here is not None and here != shared and not is_as_noted(noted(), name, here):
                keep_copies(hub, {name: here})
                edited.add(name)
            return gitio.Settled(shared)
        if mine(path):
            return gitio.Settled(_all_lines(shared, here))
        if here and shared and _has_arrived(held_lines(path, here), shared, ids) and _only_grew(before(), here, shared):
            return gitio.Settled(shared)
        return None

    return settle


def _arrival(hub: Hub, ids: Collection[str], *, with_pages: bool = False) -> Callable[[str, bytes, bytes], bool]:
    """Return the rule for when a file of ours holds nothing that the commit that was shared lacks.

    Pages that nobody but a compile here changed count as well, if asked for: they can be made anew.
    """
    mine, noted = is_ours(hub), noted_pages(hub) if with_pages else {}

    def has_arrived(path: str, here: bytes, shared: bytes) -> bool:
        if path.startswith("canonical/"):
            return is_as_noted(noted, path.removeprefix("canonical/"), here)
        return mine(path) and _has_arrived(held_lines(path, here), shared, ids)

    return has_arrived


def _has_arrived(lines: Iterable[Held], shared: bytes, ids: Collection[str]) -> bool:
    there = frozenset(shared.split(b"\n"))
    return all(line.raw in there or (line.event and line.event.id in ids) for line in lines)


def _only_grew(before: bytes, now: bytes, shared: bytes) -> bool:
    """Tell whether a file only got more lines, all of them whole; a last one without its newline is if it is shared."""
    lines = now.split(b"\n")
    return lines[-1] in {b"", *shared.split(b"\n")} and set(before.split(b"\n")) <= {b"", *lines}


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


def _counted(events: int, changes: Mapping[str, bytes | None]) -> str:
    pages = sum(path.startswith("canonical/") for path in changes)
    return f"{events} event{'s' * (events != 1)}, {pages} page{'s' * (pages != 1)}"
