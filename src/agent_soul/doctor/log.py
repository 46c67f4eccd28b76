"""The log: lines that cannot be read, ids with two contents, lines of a newer version. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from agent_soul.doctor.finding import Finding
from agent_soul.errors import Problem
from agent_soul.event import SetAside

# Odd, but the log only grows and nobody can take it out; `soul validate` lists it.
_PAST_MENDING = frozenset({"unknown-id", "self-reference", "not-replaceable", "cycle"})


def check_lines(problems: Iterable[Problem]) -> Iterator[Finding]:
    """Yield the problems of the log that somebody can do something about."""
    for problem in problems:
        if problem.code in _PAST_MENDING:
            continue
        where = f"{problem.path}:{problem.line}" if problem.line else problem.path
        if problem.level == "error":
            mend = "look at it with `soul validate`; the right statement can be added again with `soul add`"
            yield Finding("bad-line", where, problem.message, "no page shows what it says", mend)
        elif problem.code == "id-clash":
            mend = "`soul resolve ID --keep DIGEST`; `soul validate` lists the digests"
            yield Finding(problem.code, where, problem.message, "no page shows either", mend)
        else:
            yield Finding(problem.code, where, problem.message, "it costs nothing now", "see `soul validate`")


def check_newer_lines(set_aside: Sequence[SetAside]) -> Iterator[Finding]:
    """Yield that lines were made by a newer version, if any were."""
    if set_aside:
        first = set_aside[0]
        what = f"{len(set_aside)} lines are of a newer version of agent-soul: {first.reason}"
        mend = "update agent-soul on this machine (`toolkit:` in soul.yaml says which one its scripts run)"
        yield Finding("newer-lines", f"{first.path}:{first.line}", what, "no page made here shows them", mend)
