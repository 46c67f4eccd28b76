"""`soul share --source ID "text"` and nothing else, without the library that reads command lines.

That takes longer to load than Python itself takes to start, and what agents type most needs none of it. A command line
that is not exactly of this form is left to `cli`, and so is every word but the one that all went well.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from agent_soul.adding import Added
    from agent_soul.sync import Kept

_OPTIONS = frozenset({"--source", "--hub"})
_BEGINS_A_FOLDER = frozenset("/.~")


class Share(NamedTuple):
    """What a `share` of the plainest form says; `hub` is None where it does not name one."""

    source: str
    text: str
    hub: str | None


def run_plainly(arguments: Sequence[str]) -> int | None:
    """Run a `share` of the plainest form and return its exit code; None, with nothing done, for all else."""
    given = plain_share(arguments)
    if given is None or os.name == "nt" or sys.stdout is None or sys.stderr is None:
        return None
    try:
        added, kept = _share(given)
        if _said(added, kept):
            return 0
    except (Exception, KeyboardInterrupt) as error:
        return _through_cli(arguments, _again, error)
    return _through_cli(arguments, _reported, added, kept)


def plain_share(arguments: Sequence[str]) -> Share | None:
    """Return what the command line says, or None where it is not of the plainest form."""
    given: dict[str, str] = {}
    texts = []
    rest = iter(arguments[1:])
    for argument in rest:
        if argument in _OPTIONS:
            given[argument] = next(rest, "")
        else:
            texts.append(argument)
    source, hub = given.get("--source") or os.environ.get("AGENT_SOUL_SOURCE", ""), given.get("--hub")
    if arguments[:1] != ["share"] or len(texts) != 1 or not all(each[:1].isalnum() for each in (*texts, source)):
        return None
    if hub is not None and not (hub[:1].isalnum() or hub[:1] in _BEGINS_A_FOLDER):
        return None
    return Share(source, texts[0], hub)


def _share(given: Share) -> tuple[Added, Kept]:
    from agent_soul.hub import find_hub
    from agent_soul.sync import DEFAULT_RECORD, share

    return share(find_hub(given.hub), {**DEFAULT_RECORD, "source": given.source, "summary": given.text})


def _said(added: Added, kept: Kept) -> bool:
    """Print that it was shared, and tell whether that is all there is to say, and went out."""
    from agent_soul.event import short_id
    from agent_soul.sync import Reach

    line = f"{kept} ({short_id(added.event.id)})"
    if kept.reach is not Reach.SHARED or kept.note or added.warnings or not (line.isascii() and line.isprintable()):
        return False
    try:
        sys.stdout.write(f"{line}\n")
        sys.stdout.flush()
    except OSError:
        return False
    return True


def _through_cli(arguments: Sequence[str], act: Callable[..., int], *values: object) -> int:
    from agent_soul.cli.boundary import run_safely

    return run_safely(lambda _: act(*values), arguments)


def _again(error: BaseException) -> int:
    raise error


def _reported(added: Added, kept: Kept) -> int:
    from agent_soul.cli.sharing import report

    return report(added, kept)
