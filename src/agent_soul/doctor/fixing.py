"""What `soul doctor --fix` does: only what can lose nothing, and every act is said."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import NamedTuple

from agent_soul import gitio
from agent_soul.compiler import compile_hub
from agent_soul.doctor.facts import Facts
from agent_soul.doctor.files import ATTRIBUTES, missing_attributes
from agent_soul.doctor.finding import Finding
from agent_soul.errors import SoulError
from agent_soul.files import replace_file
from agent_soul.lock import exclusive
from agent_soul.runtimes.following import find_again, mend_skill, rerender
from agent_soul.runtimes.joining import sweep_joins


class Mended(NamedTuple):
    """What was done, and what could not be, each with the reason and what a person can do."""

    done: tuple[str, ...]
    failed: tuple[Finding, ...]


def fix(facts: Facts, findings: Iterable[Finding]) -> Mended:
    """Mend what of the findings can be mended without a loss; what fails keeps nothing else from being mended."""
    done = [f"removed what a killed join left: {file}" for file in sweep_joins(facts.hub)]
    find_again(facts.hub)
    wanted: dict[str, str] = {}
    for finding in findings:
        wanted.setdefault(finding.fix, finding.where)
    failed: list[Finding] = []
    for name in filter(wanted.__contains__, _FIXES):
        try:
            done += _FIXES[name](facts)
        except SoulError as error:
            why = "`--fix` could not mend what is said of it"
            failed.append(Finding("not-fixed", wanted[name], error.message, why, error.hint))
    return Mended(tuple(done), tuple(failed))


def _remove_locks(facts: Facts) -> Iterator[str]:
    """Remove the locks that a killed git of ours left; one of a person's stays, however old."""
    hub = facts.hub
    before = gitio.look(hub).locks
    conversation = exclusive(hub.state / "sync" / "lock", purpose="doctor")
    with conversation, exclusive(hub.lock_file, purpose="doctor"), gitio.writing(hub):
        after = gitio.look(hub).locks
    for path in sorted(before.keys() - after.keys()):
        yield f"removed the lock that a killed git of ours left: {path}"


def _add_attributes(facts: Facts) -> Iterator[str]:
    missing = missing_attributes(facts.attributes, facts.shipped[ATTRIBUTES].decode())
    file = facts.hub.root / ATTRIBUTES
    before = file.read_bytes() if file.exists() else b""
    seal = b"" if before.endswith(b"\n") or not before else b"\n"
    replace_file(file, before + seal + "".join(f"{line}\n" for line in missing).encode())
    yield f"{ATTRIBUTES}: added {'; '.join(missing)}"


def _make_executable(facts: Facts) -> Iterator[str]:
    for path in facts.not_executable:
        file = facts.hub.root / path
        file.chmod(file.stat().st_mode | 0o111)
        yield f"{path}: made executable"


def _compile(facts: Facts) -> Iterator[str]:
    """Compile, which also puts back what the files lost; in the middle of a person's rebase nothing is touched."""
    if facts.clone and facts.clone.sight.operation:
        return
    outcome = compile_hub(facts.hub)
    if outcome.replayed:
        yield f"put back {outcome.replayed} events from the outbox"
    if outcome.edited:
        yield outcome.edited
    if outcome.difference:
        yield f"compiled: {len(outcome.difference.written)} pages written, {len(outcome.difference.removed)} removed"


def _rerender(facts: Facts) -> Iterator[str]:
    for change in rerender(facts.hub):
        yield f"{change.path}: brought up to date with the pages"


def _mend_skill(facts: Facts) -> Iterator[str]:
    written = dict.fromkeys(str(change.path) for change in mend_skill(facts.hub))  # each program adds its name
    yield from (f"{path}: installed again" for path in written)


_FIXES: Mapping[str, Callable[[Facts], Iterator[str]]] = {
    "locks": _remove_locks,
    "attributes": _add_attributes,
    "executable": _make_executable,
    "compile": _compile,
    "static": _rerender,
    "skill": _mend_skill,
}
"""In the order in which they are done: a lock that is left over stops what comes after, and pages change texts."""
