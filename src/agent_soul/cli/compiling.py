"""`compile` and `validate`: from the log to the pages, and what is wrong with the log."""

from __future__ import annotations

from typing import Any

import click

from agent_soul.canonical import unified_diff
from agent_soul.cli.common import open_hub, output_options, printed_if_possible, say, show, show_json, tell_agents
from agent_soul.compiler import Outcome, compile_hub, odd_events, recorded_in, resolve_today
from agent_soul.errors import ExitCode, Problem, RefusedError
from agent_soul.hub import Hub, is_being_rebased
from agent_soul.instants import parse_date
from agent_soul.overview import State


@click.command(name="compile")
@click.option("--dry-run", is_flag=True, help="Print what would change as a unified diff; write nothing.")
@click.option(
    "--check", is_flag=True, help="Exit 1 if canonical/ is not what its recorded day compiles to; write nothing."
)
@click.option("--apply", is_flag=True, help="Also commit log and pages (no remote).")
@click.option("--strict", is_flag=True, help="Exit 1 if a line of the log is bad.")
@click.option("--fuzzy-days", type=click.IntRange(0, 3650), metavar="N", help="Days for which fuzzy memory is shown.")
@click.option("--since", metavar="YYYY-MM-DD", help="Show only what was stated on or after this UTC date.")
@click.option("--as-of", metavar="YYYY-MM-DD", help="The memory as it was on this UTC date.")
@output_options
def compile_(
    dry_run: bool,
    check: bool,
    apply: bool,
    strict: bool,
    fuzzy_days: int | None,
    since: str | None,
    as_of: str | None,
    as_json: bool,
    hub_name: str | None,
) -> int:
    """Write canonical/ from sources/: validate, resolve, merge, age, mark conflicts, keep every page in its budget."""
    if sum((dry_run, check, apply)) > 1:
        raise RefusedError("--dry-run, --check and --apply exclude each other", hint="give one of them")
    hub = open_hub(hub_name)
    wanted = State(_date("--as-of", as_of), since=_date("--since", since), fuzzy_days=fuzzy_days, exact=bool(as_of))
    is_view = bool(as_of or since or fuzzy_days is not None)
    if apply:
        return _apply(hub, wanted, is_view=is_view, strict=strict, as_json=as_json)
    if check and not is_view:
        wanted = recorded_in(hub) or wanted
    writes = not (dry_run or check)
    outcome = compile_hub(hub, wanted, write=writes)
    if dry_run and not as_json:
        for line in unified_diff(hub.canonical, outcome.compiled.texts, outcome.difference):
            show(line.removesuffix("\n"))
    if writes and not is_view:
        tell_agents(hub)
    if is_view and writes and outcome.difference:
        say("note: canonical/ shows that view now; plain `soul compile` brings the whole memory of today back")
    fails = (check and bool(outcome.difference)) or (strict and outcome.log.bad_lines > 0)
    _warn(hub, outcome, writes=writes)
    if outcome.edited:
        say(f"note: {outcome.edited}")
    _show_outcome(outcome, as_json=as_json, ok=not fails, writes=writes)
    return ExitCode.PROBLEMS if fails else ExitCode.DONE


def _apply(hub: Hub, wanted: State, *, is_view: bool, strict: bool, as_json: bool) -> int:
    """Compile, and commit or share what came of it; once that is done, nothing that cannot be printed undoes it."""
    from agent_soul.cli.reaching import exit_code, show_kept
    from agent_soul.sync import try_sync

    kept = try_sync(hub, wanted, is_view=is_view)
    if not is_view:
        tell_agents(hub)
    outcome = kept.outcome
    with printed_if_possible(str(kept)):
        if outcome is None:
            show_kept(kept, as_json=as_json)
            return exit_code(kept)
        _warn(hub, outcome, writes=True)
        if kept.note:
            say(f"note: {kept.note}")
        fails = strict and outcome.log.bad_lines > 0
        _show_outcome(outcome, as_json=as_json, ok=not fails, writes=True, reason=str(kept))
        return ExitCode.PROBLEMS if fails else ExitCode.DONE
    return exit_code(kept)


@click.command()
@click.option("--since", metavar="COMMIT", help="Also exit 1 if a line that this commit has is changed or gone.")
@output_options
def validate(since: str | None, as_json: bool, hub_name: str | None) -> int:
    """Check every line of the log; each problem is named as file:line:column. Exit 1 if a line is bad."""
    from agent_soul.growth import lost_lines
    from agent_soul.log import parse_log, read_source_files
    from agent_soul.outbox import entries

    hub = open_hub(hub_name)
    log = parse_log(read_source_files(hub.root))
    lost = lost_lines(hub, since) if since is not None else []
    problems = sorted([*log.problems, *odd_events(resolve_today(hub, log)), *entries(hub)[1], *lost])
    if as_json:
        listed = [_problem_fields(problem) for problem in problems]
        aside = [{"path": each.path, "line": each.line, "reason": each.reason} for each in log.set_aside]
        show_json(
            ok=not log.bad_lines and not lost,
            events=len(log.events),
            bad_lines=log.bad_lines,
            problems=listed,
            set_aside=aside,
        )
    else:
        for problem in problems:
            show(str(problem) if problem.level == "error" else f"{problem} (notice)")
        for each in log.set_aside:
            show(f"{each.path}:{each.line}: set aside, {each.reason}")
        say(f"{len(log.events)} events, {log.bad_lines} bad lines, {len(log.set_aside)} from a newer version")
    return ExitCode.PROBLEMS if log.bad_lines or lost else ExitCode.DONE


def _date(option: str, text: str | None) -> str:
    try:
        return parse_date(text) if text else ""
    except ValueError as error:
        raise RefusedError(f"{option} {error}", hint="give a UTC date as YYYY-MM-DD") from error


def _warn(hub: Hub, outcome: Outcome, *, writes: bool) -> None:
    for warning in outcome.warnings:
        say(f"note: {warning}")
    waits = writes and is_being_rebased(hub)
    if waits and outcome.difference:
        say(
            "note: a rebase is under way; before `git rebase --continue`: `git checkout -- canonical`;"
            " after it: `soul sync`"
        )
    if outcome.replayed and waits:
        wait = "event waits" if outcome.replayed == 1 else "events wait"
        say(f"note: {outcome.replayed} {wait} in the outbox until the rebase has ended")
    elif outcome.replayed:
        verb = "were" if writes else "would be"
        say(f"note: {outcome.replayed} events that the source files had lost {verb} put back from the outbox")
    for crossing in outcome.compiled.crossings:
        say(f"limit crossed: {crossing}")
    errors = [problem for problem in outcome.log.problems if problem.level == "error"]
    for problem in errors[:5]:
        say(f"left out: {problem}")
    if len(errors) > 5:
        say(f"and {len(errors) - 5} more bad lines; `soul validate` names each")


def _show_outcome(outcome: Outcome, *, as_json: bool, ok: bool, writes: bool, reason: str = "") -> None:
    found, compiled = outcome.difference, outcome.compiled
    if as_json:
        changed, gone = ("written", "removed") if writes else ("would_write", "would_remove")
        show_json(
            ok=ok,
            as_of=compiled.state.as_of,
            **{changed: list(found.written), gone: list(found.removed)},
            counts={str(status): number for status, number in compiled.resolution.counts.items()},
            conflicts=len(compiled.conflicts),
            crossed=[str(each) for each in compiled.crossings],
            bad_lines=outcome.log.bad_lines,
            set_aside=len(outcome.log.set_aside),
            outcome=reason,
        )
        return
    if found:
        verb = "written" if writes else "would be written"
        removed = f", {len(found.removed)} removed" if found.removed else ""
        pages = f"{len(found.written)} page{'s' * (len(found.written) != 1)}"
        say(f"{pages} {verb}{removed}, as of {compiled.state.as_of}")
    else:
        say(f"canonical/ is up to date, as of {compiled.state.as_of}")
    if reason:
        show(reason)


def _problem_fields(problem: Problem) -> dict[str, Any]:
    return {name: getattr(problem, name) for name in ("path", "line", "column", "code", "message", "level")}
