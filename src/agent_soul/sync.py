"""Sharing: from events on this machine to a commit that the remote accepted.

Nothing is ever merged in the work tree and nothing is forced. A commit is built on upstream's head from upstream's own
tree plus our lines, the pages are compiled from that tree, and the push is a compare-and-swap: whoever is overtaken
fetches and builds again. A kill at any point leaves objects that nothing refers to and the outbox, and the next
command goes on from there. With no remote, and in a copy of the template, events are *kept here*.

Git looks around while the event is written and what compiles is loaded, which takes longer; that is imported once the
event is acknowledged.
"""

from __future__ import annotations

import contextlib
import functools
import time
from collections.abc import Callable, Collection, Iterator, Mapping
from enum import StrEnum
from typing import TYPE_CHECKING, Any, NamedTuple

from agent_soul import gitio
from agent_soul.adding import Added, add
from agent_soul.clone import remembered
from agent_soul.errors import NotSharedError, RefusedError, SoulError
from agent_soul.hub import Hub
from agent_soul.lock import exclusive
from agent_soul.settings import load_config

if TYPE_CHECKING:
    from agent_soul.compiler import Outcome
    from agent_soul.overview import State

DEFAULT_BUDGET = 60
"""Seconds that a command tries to reach the remote before it leaves the events for the next one."""
DEFAULT_RECORD: Mapping[str, str] = {"kind": "observation", "scope": "fuzzy"}
"""What `share` takes an event for that does not say what it is."""
_LONGEST_REASON = 300


class Reach(StrEnum):
    """How far a command brought the memory."""

    SHARED = "shared"
    KEPT_HERE = "kept here"
    NOT_SHARED = "safe here, not shared yet"


class Kept(NamedTuple):
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
    with _asking(hub) as asked:
        added = add(hub, record)
        try:
            return added, sync(hub, author=added.event.source, budget=budget, look_first=False, asked=asked)
        except SoulError as error:
            return added, not_shared(error)


@contextlib.contextmanager
def _asking(hub: Hub) -> Iterator[gitio.Asked | None]:
    """Let git look at a clone that has shared before, while the event is written and what compiles is loaded."""
    noted = remembered(hub)
    if not noted or hub.git_root is None:
        yield None
        return
    with gitio.surveying(hub, noted) as asked:
        yield asked


def try_sync(hub: Hub, wanted: State | None = None, *, is_view: bool = False, **options: Any) -> Kept:
    """Do what `sync` does, and return it as a value where the remote was not reached or declined.

    A view of another day or with filters (`is_view`) is nothing to commit: raises `RefusedError`.
    """
    if is_view and hub.git_root is not None:
        raise RefusedError(
            "--as-of, --since and --fuzzy-days make a view to look at, and --apply would commit it as the memory",
            hint="leave --apply out; days of fuzzy memory for everybody are `fuzzy_days` in soul.yaml",
        )
    try:
        return sync(hub, wanted, **options)
    except NotSharedError as error:
        return not_shared(error)


def not_shared(error: SoulError) -> Kept:
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
    asked: gitio.Asked | None = None,
) -> Kept:
    """Bring this clone and the remote together: our events and the pages go there, everything else comes here.

    Tries for `budget` seconds. `look_first` fetches before the first push; without it the push itself finds out
    whether anybody was faster, which saves a round trip. `asked` is what git was asked about the clone already.
    Raises `NotSharedError` where the remote was not reached or did not accept, `StoppedError` where the remote's
    history is not the one that this clone knows, unless `reattach`.
    """
    deadline = time.monotonic() + budget
    noted = remembered(hub)
    template = _is_template(hub, noted)
    if hub.git_root is None or template:
        return _keep(hub, wanted, template=template, author=author)
    with contextlib.ExitStack() as held:
        asked = asked or held.enter_context(gitio.surveying(hub, noted))
        from agent_soul.exchange import Exchange

        target = _found(functools.partial(asked.target, timeout=budget))
        if target is None:
            return _keep(hub, wanted, template=template, author=author)
        asked = _in_turn(hub, asked, budget, held)
        head = _head_noted(asked.noted, target)
        exchange = Exchange(hub, target, wanted, author, deadline, head)
        seen = _seen(asked)
        upstream = exchange.look(reattach=reattach) if look_first else exchange.known(gitio.tracked_head(hub, target))
        said, sent, there = exchange.send(upstream, seen, reattach=reattach)
        stayed = exchange.settle(sent.ids, there)
        if look_first:
            said += _came(hub, head, there.commit, ours=len(sent.events))
    _refuse_apart(sent.apart)
    return Kept(Reach.SHARED, said, there.commit, note="; ".join(filter(None, (sent.note, stayed))))


def _in_turn(hub: Hub, asked: gitio.Asked, budget: float, held: contextlib.ExitStack) -> gitio.Asked:
    """Wait for the one that is at it, keep the turn as long as `held` does, and return what git says of the clone then.

    One conversation per clone: whoever waits finds its events sent along by the one before. `add` does not wait.
    """
    held.enter_context(exclusive(hub.state / "sync" / "lock", timeout=budget, purpose="sync"))
    held.enter_context(gitio.writing(hub))
    if remembered(hub) != asked.noted:  # by the one before
        return held.enter_context(gitio.surveying(hub, remembered(hub)))
    return asked


def _refuse_apart(paths: Collection[str]) -> None:
    if paths:
        raise NotSharedError(
            f"the remote has a link, a file or a folder in the place of {', '.join(paths)}; all else is shared",
            hint="take that away there or give it another name, then `soul sync`",
        )


def _head_noted(noted: Mapping[str, str], target: gitio.Target) -> str:
    """Return the remote branch's head as of our last conversation with it, or an empty string."""
    return noted.get("head", "") if (noted.get("url"), noted.get("branch")) == (target.url, target.branch) else ""


def _seen(asked: gitio.Asked) -> gitio.Survey | None:
    """Return the survey, or None where it failed: the commit that it was made for may be gone from this clone."""
    with contextlib.suppress(gitio.GitError):
        return asked.survey()
    return None


def pull(hub: Hub, *, budget: float) -> Kept:
    """Bring here what the remote has, and send nothing; a hub without a remote has all of it already.

    Raises what `sync` does. Tries for `budget` seconds.
    """
    deadline = time.monotonic() + budget
    noted = remembered(hub)
    template = _is_template(hub, noted)
    find = functools.partial(gitio.target_of, hub, noted, timeout=budget)
    target = _found(find) if hub.git_root is not None and not template else None
    if target is None:
        return Kept(Reach.KEPT_HERE, _why_kept(hub, template=template))
    with exclusive(hub.state / "sync" / "lock", timeout=budget, purpose="pull"), gitio.writing(hub):
        from agent_soul.exchange import Exchange

        head = _head_noted(remembered(hub), target)
        exchange = Exchange(hub, target, None, "agent-soul", deadline, head)
        upstream = exchange.look()
        stayed = exchange.settle((), gitio.read_tree(hub, upstream)) if upstream else ""
        said = f"up to date with the remote{_came(hub, head, upstream)}"
    return Kept(Reach.SHARED, said, upstream, note=stayed)


def _came(hub: Hub, old: str, new: str, ours: int = 0) -> str:
    """Say how many events came since the remote was at `old`, `ours` of its new lines being what we sent ourselves."""
    if not old or not new or old == new:
        return ""
    with contextlib.suppress(gitio.GitError):  # the old commit may be gone from this clone
        number = gitio.lines_added(hub, old, new) - ours
        return f", {number} event{'s' * (number > 1)} came" if number > 0 else ""
    return ""


def _why_kept(hub: Hub, *, template: bool) -> str:
    if hub.git_root is None:
        return "no Git repository holds this hub"
    if template:
        return "this hub is a copy of the template (soul.yaml: template: true; `soul init --here` makes it your own)"
    return "this repository has no remote"


def _is_template(hub: Hub, noted: Mapping[str, str]) -> bool:
    """Tell whether the hub is a copy of the template. A soul.yaml that is broken comes back mended by the exchange."""
    try:
        return load_config(hub)[0].template
    except RefusedError:
        if not noted:
            raise
        return False


def _found(find: Callable[[], gitio.Target | None]) -> gitio.Target | None:
    try:
        return find()
    except gitio.GitError as error:
        raise NotSharedError(error.message, hint=error.hint) from error


def _keep(hub: Hub, wanted: State | None, *, template: bool, author: str) -> Kept:
    """Compile the hub and commit the log and the pages here, nothing else of the repository.

    Raises `NotSharedError` where a person's own work with Git stands in the way; the events are safe meanwhile.
    """
    from agent_soul.compiler import compile_locked, forget_committed
    from agent_soul.keeping import keep

    reason = _why_kept(hub, template=template)
    if hub.git_root is None:
        with exclusive(hub.lock_file, purpose="share"):
            outcome = compile_locked(hub, wanted)
            return Kept(Reach.KEPT_HERE, reason, outcome=outcome, note=outcome.edited)
    _refuse_in_the_middle(hub)
    with exclusive(hub.lock_file, purpose="share"), gitio.writing(hub):
        compiled, newer = _compile_unless_newer(hub, wanted)
        commit, notes = keep(hub, compiled, wanted, author=author)
        forget_committed(hub, gitio.head(hub))
    edited = compiled.edited if compiled else ""
    return Kept(Reach.KEPT_HERE, reason + newer, commit, compiled, "; ".join(filter(None, [edited, *notes])))


def _compile_unless_newer(hub: Hub, wanted: State | None) -> tuple[Outcome | None, str]:
    from agent_soul.compiler import NewerPagesError, compile_locked

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
