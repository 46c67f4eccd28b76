"""The pages: whether they are what the log compiles to, and what on them waits for somebody. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

from agent_soul.compiler import Compiled, NewerPagesError
from agent_soul.doctor.finding import Finding
from agent_soul.errors import SoulError
from agent_soul.pages import CONFLICTS, FUZZY, METRICS, PROFILE, STABLE
from agent_soul.resolve import Status

_LEFT_OUT = re.compile(r"^Left out for room: .*$", re.MULTILINE)
_PAGES_NAMED = 5


def check_stopped(error: SoulError) -> Iterator[Finding]:
    """Yield why no page can be compiled."""
    code = "newer-pages" if isinstance(error, NewerPagesError) else "no-compile"
    yield Finding(code, "canonical", error.message, "no page can be made here meanwhile", error.hint)


def check_stale(stale: Sequence[str]) -> Iterator[Finding]:
    """Yield that pages are not what the log compiles to; `stale` are their paths from canonical/."""
    if stale:
        named = ", ".join(stale[:_PAGES_NAMED]) + (
            f" and {len(stale) - _PAGES_NAMED} more" if stale[_PAGES_NAMED:] else ""
        )
        what = f"{len(stale)} pages are not what the log compiles to: {named}"
        yield Finding("stale-pages", "canonical", what, "agents read old memory", "`soul compile`", "compile")


def check_waiting_for_people(compiled: Compiled) -> Iterator[Finding]:
    """Yield what only a person can decide: contradictions, proposals, limits of metrics."""
    if compiled.conflicts:
        what = f"{len(compiled.conflicts)} conflicts are open: {compiled.conflicts[0].headline}"
        why = "agents find two statements that cannot both hold, and have to ask"
        yield Finding("conflicts", f"canonical/{CONFLICTS}", what, why, "`soul conflicts` gives the command for each")
    pending = compiled.resolution.counts[Status.PENDING]
    if pending:
        what = f"{pending} proposals wait for review"
        yield Finding("pending", "sources", what, "no page shows them until somebody says yes", "`soul review`")
    for crossing in compiled.crossings:
        mend = "`soul metric --check`"
        yield Finding("limit", f"canonical/{METRICS}", str(crossing), "a limit of soul.yaml is crossed", mend)


def check_overflow(texts: Mapping[str, str]) -> Iterator[Finding]:
    """Yield that a page which is loaded always, or the fuzzy one, has no room for all of its lines."""
    for path in (PROFILE, STABLE, FUZZY):
        found = _LEFT_OUT.search(texts.get(path, ""))
        if found:
            mend = "`soul dedup` and `soul consolidate` say what may go; what belongs to a project goes to its scope"
            if path == FUZZY:
                mend = "`soul compile --fuzzy-days 3 --dry-run` shows fewer days; set `fuzzy_days` in soul.yaml"
            yield Finding("overflow", f"canonical/{path}", found[0], "agents do not see those lines at once", mend)
