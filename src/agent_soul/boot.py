"""The one command at the start of a session: bring what is new, look at what was missed, and say what to know.

In this order: the remote, yesterday's log, what waits for somebody, the context. Whatever goes wrong with the remote is
said, and stops nothing.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import datetime
from typing import Any, NamedTuple

from agent_soul import gitio, outbox
from agent_soul.clone import last_together
from agent_soul.contexts.asking import LEAST_BUDGET, Memory, Request
from agent_soul.contexts.choosing import Context, context_fields, make_context
from agent_soul.contexts.gathering import recall
from agent_soul.errors import RefusedError, SoulError, StoppedError
from agent_soul.hub import Hub
from agent_soul.instants import add_days
from agent_soul.log import Log, SourceFiles, parse_log
from agent_soul.metrics import crossings
from agent_soul.missed import Session, Writes
from agent_soul.pending import Pending
from agent_soul.resolve import Status
from agent_soul.sessions import begun, start_session, writes_of
from agent_soul.sync import Reach, not_shared, pull
from agent_soul.telling import with_commands
from agent_soul.tokens import estimate_tokens

PULL_SECONDS = 3
"""How long the start of a session waits for the remote; what follows takes a second or two for a thousand events."""
_NAMED = 3
LEAST_REPORT_BUDGET = 1_000
"""Tokens of a whole start; what is said before the context takes at most 700."""


class Pulled(NamedTuple):
    """Whether the memory may be behind the remote, and what there is to say about it."""

    is_stale: bool
    said: str


class Report(NamedTuple):
    """What is said before the context. `revision` is the commit from which a later start can ask what is new."""

    pulled: Pulled
    session: Session
    writes: Writes
    yesterday: str
    pending: tuple[str, ...]
    revision: str

    @property
    def text(self) -> str:
        missed = [f"- Missed: {each.what}. Mend: `{each.mend}`" for each in self.writes.missed]
        quiet = [f"- {each}" for each in self.writes.quiet]
        later = f" What is new later: `soul boot --changed-since {self.revision[:12]}`." if self.revision else ""
        rows = [
            f"- {self.pulled.said.rstrip('.')}.{later}",
            f"- {self.yesterday}",
            *some_of(missed, "soul check-writes"),
            *some_of(quiet, "soul check-writes"),
            *(f"- {each}" for each in self.pending),
        ]
        source = self.session.source
        return with_commands("\n".join([f"# Start of a session of {source}", *rows]) + "\n", source)


class Boot(NamedTuple):
    """What the start of a session found, and what the agent should know."""

    report: Report
    context: Context

    @property
    def text(self) -> str:
        return f"{self.report.text}\n{self.context.text}"


def boot(
    hub: Hub,
    source: str,
    request: Request,
    now: datetime,
    *,
    seconds: float = PULL_SECONDS,
    changed_since: str = "",
    name: str = "",
) -> Boot:
    """Start a session of `source` and return what it should know, never over the budget of the request.

    An open session of the same `name` goes on. With `changed_since`, a commit, the context holds only what is new since
    then. Raises `RefusedError` where there is no such commit, or the budget has no room for what has to be said.
    """
    if request.budget < LEAST_REPORT_BUDGET:
        raise RefusedError(
            f"a budget of {request.budget} tokens is too small", hint=f"give {LEAST_REPORT_BUDGET} or more"
        )
    before = _known_commit(hub, changed_since)
    pulled = pull_within(hub, seconds)
    log = outbox.whole_log(hub)
    writes = writes_of(hub, log.events, now)
    session = noted_session(hub, source, now, name)
    memory = recall(hub, log, request.task, now, reading=0)  # nobody waits for a model at a start
    pending = tuple(waiting(hub, log, memory))
    revision = gitio.head(hub) if hub.git_root else ""
    report = Report(pulled, session, writes, _log_of_yesterday(log, memory.today), pending, revision)
    if before:
        memory = memory._replace(only=new_ids(hub, log, before))
    left = request.budget - estimate_tokens(f"{report.text}\n") - 1
    return Boot(report, make_context(request._replace(budget=max(left, LEAST_BUDGET)), memory))


def boot_fields(found: Boot, budget: int) -> dict[str, Any]:
    """Return the start of a session for programs: what was found, and the context with the text of both."""
    report = found.report
    whole = {"text": found.text, "tokens": estimate_tokens(found.text), "budget": budget}
    return {
        "stale": report.pulled.is_stale,
        "remote": report.pulled.said,
        "revision": report.revision,
        "session": report.session._asdict(),
        "yesterday": report.yesterday,
        "missed": [each._asdict() for each in report.writes.missed],
        "quiet": [each._asdict() for each in report.writes.quiet],
        "pending": list(report.pending),
        **context_fields(found.context),
        **whole,
    }


def noted_session(hub: Hub, source: str, now: datetime, name: str = "") -> Session:
    """Note that the session begins; where nothing can be written, it is not looked at later, and that is all."""
    try:
        return start_session(hub, source, now, name)
    except (StoppedError, OSError):
        return begun(source, now, name)


def pull_within(hub: Hub, seconds: float) -> Pulled:
    """Bring here what the remote has, and wait no longer than `seconds` for it; what went wrong is said."""
    try:
        kept = pull(hub, budget=seconds)
    except SoulError as error:
        together = last_together(hub)
        since = f"{datetime.fromtimestamp(together).astimezone():%Y-%m-%d %H:%M}" if together else "never"
        return Pulled(True, f"Stale: {not_shared(error).reason.rstrip('.')}. Last together with the remote: {since}")
    if kept.reach is Reach.KEPT_HERE:
        return Pulled(False, f"Kept here: {kept.reason}")
    said = kept.reason[:1].upper() + kept.reason[1:]
    return Pulled(bool(kept.note), "; ".join(filter(None, [said, kept.note])))


def _log_of_yesterday(log: Log, today: str) -> str:
    day = add_days(today, -1)
    number = sum(event.scope == "daily" and event.local_date == day for event in log.events)
    if not number:
        is_new = bool(log.events) and all(event.local_date > day for event in log.events)
        return "No log of yesterday: the memory begins today" if is_new else f"Yesterday's log ({day}) is empty"
    return f"Yesterday's log: {number} entr{'ies' if number > 1 else 'y'}, canonical/daily/{day}.md"


def waiting(hub: Hub, log: Log, memory: Memory) -> Iterator[str]:
    """Yield what waits for somebody, each with the command that shows it."""
    resolution = memory.resolution
    pending = Pending(
        unsent=outbox.unsent(hub),
        conflicts=len(memory.conflicts),
        unjudged=memory.unjudged,
        crossed=len(crossings(resolution, memory.config.thresholds)),
        for_review=resolution.counts[Status.PENDING],
        quarantined=resolution.counts[Status.QUARANTINED],
        bad_lines=log.bad_lines,
    )
    for number, what, command in pending.rows():
        yield f"Waiting: {number} {what}: `{command}`"


def some_of(rows: Sequence[str], command: str) -> list[str]:
    """Return the first of the rows, and one that counts the others and names the command that shows them."""
    more = len(rows) - _NAMED
    return [*rows[:_NAMED], *([f"- and {more} more: `{command}`"] if more > 0 else [])]


def _known_commit(hub: Hub, revision: str) -> str:
    if not revision:
        return ""
    commit = gitio.find_commit(hub, revision) if hub.git_root else ""
    if not commit:
        raise RefusedError(
            f"--changed-since {revision!r} names no commit of this hub",
            hint="`soul boot` prints the one to give next time",
        )
    return commit


def new_ids(hub: Hub, log: Log, commit: str) -> frozenset[str]:
    """Return the events that the log has and the commit has not; only files that differ are looked into."""
    differing = set(gitio.differing_sources(hub, commit))
    objects = gitio.read_tree(hub, commit).objects
    then = gitio.read_objects(hub, {path: name for path, name in objects.items() if path in differing})
    known = {event.id for event in parse_log(SourceFiles(then)).events}
    is_new = (event.id for event in log.events if event.path in differing or not event.path.startswith("sources/"))
    return frozenset(is_new) - known
