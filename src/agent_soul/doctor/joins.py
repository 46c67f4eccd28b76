"""Looking at the agent programs that are joined: what joining again would change, and whether their command starts."""

from __future__ import annotations

import contextlib
import functools
import os
import re
import subprocess
from collections import defaultdict
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from pathlib import Path

from agent_soul.doctor.runtimes import Joined, Reading, Stray
from agent_soul.errors import SoulError, StoppedError
from agent_soul.hub import Hub
from agent_soul.instants import parse_instant
from agent_soul.runtimes.blocks import Block, find_block
from agent_soul.runtimes.joining import join
from agent_soul.runtimes.machine import home_of_process
from agent_soul.runtimes.plan import BACKUP
from agent_soul.runtimes.registry import RUNTIMES
from agent_soul.runtimes.standing import Standing, is_for, is_of, is_there, joined, marks_in, placed_by, probe
from agent_soul.runtimes.static_text import Limit
from agent_soul.runtimes.writing import text_at

_DAY_FILE = re.compile(r"sources/(?P<source>[^/]+)/(?P<day>\d{4}-\d\d-\d\d)\.(?P<clone>[0-9a-f]{8})\.ndjson")
_TIME = re.compile(rb'"ts"\s*:\s*"([^"]+)"')
_START_SECONDS = 60.0
"""A hub's own script sets its environment up at the first start."""


def look_at_joins(hub: Hub) -> list[Joined]:
    """Return the programs that are joined to the hub on this machine. Their command is started."""
    fault_of = functools.cache(_fault_of)  # most programs start the same command
    return [*(_look(hub, standing, fault_of) for standing in joined(hub)), *_spoilt(hub)]


def _spoilt(hub: Hub) -> Iterator[Joined]:
    """Yield the programs of which only text is left that nobody can tell for which hub it is: `joined` knows none."""
    known = {standing.runtime.name for standing in joined(hub)}
    for runtime in (each for each in RUNTIMES.values() if each.name not in known):
        blocks = (
            each for each in placed_by(runtime, probe(hub, home_of_process(), None)) if isinstance(each.edit, Block)
        )
        odd = tuple((str(each.path), reason) for each in blocks if (reason := _spoilt_block(each.path)))
        if odd:
            yield Joined(runtime.name, runtime.title, "", odd=odd)


def _spoilt_block(path: Path) -> str:
    """Return why the block in a file says nothing, or an empty string."""
    try:
        find_block(text_at(path))
    except StoppedError as error:
        return error.message
    return ""


def strays_of(hub: Hub) -> Iterator[Stray]:
    """Yield, for each program that joins a hub which is not there any more, the first file that does so."""
    for runtime in RUNTIMES.values():
        for each in placed_by(runtime, probe(hub, home_of_process(), None)):
            marks = [mark for mark in marks_in(each) if mark.hub and is_for(runtime, mark)]
            gone = [mark.hub for mark in marks if not is_there(mark)]
            if gone:
                yield Stray(str(each.path), runtime.name, gone[0])
                break


def written_elsewhere(files: Mapping[str, bytes], own_clones: Collection[str]) -> frozenset[str]:
    """Return the sources under which another clone went on after this one had begun. Pure.

    `files` are day files by their paths, `sources/<source>/<UTC date>.<clone>.ndjson`. Where a machine was cloned anew
    the other clone is its own of before, which writes no more.
    """
    moments: defaultdict[tuple[str, bool], list[tuple[str, int]]] = defaultdict(list)
    for path, content in files.items():
        parts = _DAY_FILE.fullmatch(path)
        if parts:
            written = [(parts["day"], instant) for instant in _instants_in(content)]
            moments[parts["source"], parts["clone"] in own_clones] += written or [(parts["day"], 0)]
    sources = {source for source, _ in moments}
    return frozenset(
        source
        for source in sources
        if (source, True) in moments and max(moments[source, False], default=("", 0)) > min(moments[source, True])
    )


def _instants_in(content: bytes) -> Iterator[int]:
    """Yield the times of the events in a day file, in nanoseconds; the name `ts` stands in no text unescaped."""
    for found in _TIME.finditer(content):
        with contextlib.suppress(ValueError):
            yield parse_instant(found[1].decode("ascii", "replace"))


def _look(hub: Hub, standing: Standing, fault_of: Callable[[tuple[str, ...]], str]) -> Joined:
    runtime, project = standing.runtime, standing.project
    programs = {mark.program for each in standing.placed for mark in marks_in(each) if is_of(hub, mark)}
    faults = [(" ".join(program), fault) for program in sorted(programs) if (fault := fault_of(program))]
    program, fault = faults[0] if faults else ("", "")
    found = Joined(
        runtime.name,
        runtime.title,
        standing.source,
        program,
        fault,
        readings=tuple(readings_of(standing)),
        dead_links=tuple(map(str, standing.dead_links)),
        untrusted=tuple(_untrusted(hub, standing)),
        project=str(project) if project else "",
    )
    try:
        outcome = join(hub, runtime, source=standing.source, project=project, apply=False)
    except SoulError as error:
        return found._replace(odd=((runtime.title, error.message),))
    outdated = [
        (str(change.path), change.what) for change in outcome.plan.changes if not change.path.name.endswith(BACKUP)
    ]
    odd = tuple((str(each.path), each.reason) for each in outcome.plan.odd)
    return found._replace(outdated=tuple(outdated), odd=odd, notes=tuple(_notes(hub, standing)))


def _notes(hub: Hub, standing: Standing) -> Sequence[str]:
    """Return what of the program's own files keeps it from reading ours."""
    if standing.runtime.notes is None:
        return ()
    return standing.runtime.notes(probe(hub, home_of_process(), standing.project), text_at)


def _untrusted(hub: Hub, standing: Standing) -> Sequence[str]:
    """Return the hooks that the program skips because nobody has trusted them."""
    if standing.runtime.untrusted is None or standing.project:
        return ()
    return standing.runtime.untrusted(probe(hub, home_of_process(), None), text_at)


def readings_of(standing: Standing) -> Iterator[Reading]:
    """Yield the files that the program reads by itself and that hold text of ours, with their sizes."""
    for each in standing.placed:
        text = text_at(each.path) if isinstance(each.edit, Block) else ""
        if text:
            limit = each.limit or Limit(0, "bytes")
            yield Reading(str(each.path), limit.size(text), limit.number, limit.unit)


def _fault_of(program: tuple[str, ...]) -> str:
    """Start a program as a hook would and return why it does not run, or an empty string."""
    if not program:
        return ""
    environment = {name: value for name, value in os.environ.items() if not name.startswith("AGENT_SOUL_")}
    try:
        done = subprocess.run(
            [*program, "--version"],
            env=environment,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=_START_SECONDS,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return f"no answer within {_START_SECONDS:.0f} s"
    except OSError as error:
        return str(error.strerror)
    said = done.stderr.decode("utf-8", "replace").strip().rpartition("\n")[2]
    return f"exit code {done.returncode}: {said}" if done.returncode else ""
