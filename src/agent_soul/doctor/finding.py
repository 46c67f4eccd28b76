"""One thing to mend, and how many of a kind are named. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

_NAMED = 3
"""Findings of one kind that are named; more would hide the others."""


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing to mend: `what` is wrong, `where` (`file:line`), `why` it matters, `mend` the command or step.

    `code` is a stable short name for programs. `fix` names what `soul doctor --fix` does about it, if anything.
    """

    code: str
    where: str
    what: str
    why: str
    mend: str
    fix: str = ""


def grouped(findings: Iterable[Finding]) -> Iterator[Finding]:
    """Yield the findings, of each kind the first three and one that counts the rest, all of a kind together."""
    kinds: dict[str, list[Finding]] = {}
    for finding in findings:
        kinds.setdefault(finding.code, []).append(finding)
    for code, some in kinds.items():
        yield from some[:_NAMED]
        if some[_NAMED:]:
            yield _rest(code, some[_NAMED:])


def _rest(code: str, hidden: Sequence[Finding]) -> Finding:
    """Return one finding for all that are not named."""
    files = list(dict.fromkeys(each.where.partition(":")[0] for each in hidden))
    more = f" and {len(files) - _NAMED} more" if len(files) > _NAMED else ""
    what = f"{len(hidden)} more of this kind"
    why, mend = hidden[0].why, "the same for each; `soul doctor --all` names them"
    return Finding(code, ", ".join(files[:_NAMED]) + more, what, why, mend, hidden[0].fix)
