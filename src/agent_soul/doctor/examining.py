"""Every check, in the order in which their findings are said. Pure."""

from __future__ import annotations

from collections.abc import Iterator

from agent_soul.compiler import odd_events
from agent_soul.doctor.clone import check_clone
from agent_soul.doctor.facts import Facts
from agent_soul.doctor.files import ATTRIBUTES, check_attributes, check_scripts, check_set_up, check_unread
from agent_soul.doctor.finding import Finding
from agent_soul.doctor.identity import check_ceilings, check_identity
from agent_soul.doctor.log import check_lines, check_newer_lines
from agent_soul.doctor.pages import check_overflow, check_stale, check_stopped, check_waiting_for_people
from agent_soul.doctor.runtimes import check_joined, check_strays
from agent_soul.doctor.secrets import check_secrets
from agent_soul.doctor.settings import check_settings, check_template, check_toolkit
from agent_soul.doctor.workflows import check_workflows
from agent_soul.doctor.writing import check_waiting, check_writes_here
from agent_soul.founding.shipped import SET_UP_FOLDER
from agent_soul.resolve import Status


def examine(facts: Facts) -> Iterator[Finding]:
    """Yield what is wrong: what may cost memory first, then what agents load, then what surrounds it."""
    has_remote = bool(facts.clone and facts.clone.sight.url)
    l0 = {name: text.encode("utf-8") for name, text in facts.l0.items() if text}
    yield from check_secrets({**facts.sources.contents, **l0}, _retracted(facts))
    yield from check_unread(facts.unread)
    yield from check_settings(facts.config_warnings, facts.config_error)
    if facts.git_error:
        why = "nothing can be shared; adding and searching work without it"
        yield Finding("no-git", "git", facts.git_error.message, why, facts.git_error.hint)
    if facts.clone:
        yield from check_clone(facts.clone, is_template=facts.config.template)
    yield from check_waiting(facts.waiting, has_remote=has_remote)
    yield from check_template(is_template=facts.config.template, remote_is_template=facts.remote_is_template)
    yield from _log(facts)
    yield from check_identity(facts.l0)
    yield from _pages(facts)
    yield from check_writes_here(facts.writes, facts.here)
    yield from check_joined(facts.joined, facts.elsewhere)
    yield from check_strays(facts.strays)
    yield from _surroundings(facts)


def _log(facts: Facts) -> Iterator[Finding]:
    odd = odd_events(facts.outcome.compiled.resolution) if facts.outcome else []
    yield from check_lines([*facts.log.problems, *odd, *facts.outbox_problems])
    yield from check_newer_lines(facts.log.set_aside)


def _pages(facts: Facts) -> Iterator[Finding]:
    yield from check_ceilings(facts.pages)
    if facts.compile_error and not facts.config_error:
        yield from check_stopped(facts.compile_error)
    if facts.outcome is None:
        return
    if facts.log.events or facts.pages.get("canonical/index.md") is not None:
        stale = facts.outcome.difference
        yield from check_stale([*stale.written, *stale.removed])
    yield from check_overflow(facts.outcome.compiled.texts)
    yield from check_waiting_for_people(facts.outcome.compiled)


def _surroundings(facts: Facts) -> Iterator[Finding]:
    on_github = facts.clone is not None and "github" in facts.clone.sight.url
    if facts.clone and ATTRIBUTES in facts.shipped and ATTRIBUTES not in facts.unread:
        yield from check_attributes(facts.attributes, facts.shipped[ATTRIBUTES].decode())
    ours = {path: content for path, content in facts.shipped.items() if path.startswith(f"{SET_UP_FOLDER}/")}
    yield from check_set_up(facts.set_up, {path: ours[path] for path in ours.keys() - facts.unread.keys()})
    yield from check_scripts(facts.not_executable)
    runs_elsewhere = bool(facts.clone and facts.clone.sight.url and facts.workflows)
    yield from check_toolkit(facts.toolkit_path, facts.toolkit_error, runs_elsewhere=runs_elsewhere)
    if facts.workflows or on_github:
        branch = facts.clone.sight.branch if facts.clone else ""
        yield from check_workflows(facts.workflows, branch=branch, is_template=facts.config.template)


def _retracted(facts: Facts) -> frozenset[str]:
    if facts.outcome is None:
        return frozenset()
    verdicts = facts.outcome.compiled.resolution.verdicts
    return frozenset(verdict.event.id for verdict in verdicts if verdict.status is Status.RETRACTED)
