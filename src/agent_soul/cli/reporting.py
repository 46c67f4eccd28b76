"""`report`: one page for a person's five minutes."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import click

from agent_soul.cli.common import open_hub, output_options, show, show_json
from agent_soul.compiler import compile_log, default_state, recorded_in
from agent_soul.errors import ExitCode
from agent_soul.event import Event
from agent_soul.outbox import whole_log
from agent_soul.resolve import Resolution, Verdict
from agent_soul.settings import load_config
from agent_soul.telling import with_commands
from agent_soul.upkeep.weekly import Report, weekly

_WEEK = 7
_NEW_SHOWN = 10
_SHOWN = 4
_WIDTH = 140
"""Code points of a statement in the report."""


@click.command()
@click.option("--weekly", "is_weekly", is_flag=True, help="The last seven days; so it is without an option too.")
@click.option("--days", type=click.IntRange(1, 366), metavar="N", help="Another number of days, to today.")
@output_options
def report(is_weekly: bool, days: int | None, as_json: bool, hub_name: str | None) -> int:
    """Tell what changed, what conflicts, what is old and what to decide, in one page for five minutes."""
    if is_weekly and days not in (None, _WEEK):
        raise click.UsageError("--weekly and --days exclude each other")
    hub = open_hub(hub_name)
    config = load_config(hub)[0]
    compiled = compile_log(whole_log(hub), config, default_state(None, recorded_in(hub)))
    found = weekly(compiled, config, days or _WEEK)
    if as_json:
        show_json(ok=True, **_fields(found))
        return ExitCode.DONE
    resolution = compiled.resolution
    sections = {
        f"What changed, {found.days} days to {found.as_of}": _changed(found, resolution),
        "What conflicts": _conflicting(found, resolution),
        "What is old": _old(found, resolution),
        "What to decide": _to_decide(found, resolution),
    }
    show("\n\n".join("\n".join([title, *(lines or ["  nothing"])]) for title, lines in sections.items()))
    return ExitCode.DONE


def _changed(found: Report, resolution: Resolution) -> list[str]:
    places = ", ".join(f"{place} {number}" for place, number in found.places[:_SHOWN])
    more = f" and {len(found.places) - _SHOWN} more places" if len(found.places) > _SHOWN else ""
    lines = [f"  {len(found.new)} new: {places}{more}"] if found.new else []
    lines += _listed("  + ", (v.event for v in found.new), resolution, len(found.new), _NEW_SHOWN)
    gone = [f"  - {_line(v.event, resolution)} [{v.status}: {_short(v.reason)}]" for v in found.gone[:_SHOWN]]
    return lines + gone + _hidden("  - ", len(found.gone), _SHOWN)


def _conflicting(found: Report, resolution: Resolution) -> list[str]:
    lines = []
    for conflict in found.conflicts[:_SHOWN]:
        lines += [f"  {conflict.id}  {_short(conflict.headline)}"]
        lines += [f"    {_line(member, resolution)}" for member in conflict.members[:2]]
    if lines:
        settle = "`soul resolve CONFLICT --source YOUR-ID` with --keep EVENT, --both WHY or --write TEXT settles one"
        lines += [*_hidden("  ", len(found.conflicts), _SHOWN), f"  {with_commands(settle)}"]
    return lines


def _old(found: Report, resolution: Resolution) -> list[str]:
    lines = []
    for id_, date in list(found.unused.items())[:_SHOWN]:
        lines.append(f"  unused since {date}: {_line(resolution.by_id[id_].event, resolution)}")
    lines += _hidden("  unused: ", len(found.unused), _SHOWN)
    for verdict in found.expiring[:_SHOWN]:
        lines.append(f"  holds until {verdict.event.valid_until}: {_line(verdict.event, resolution)}")
    lines += _hidden("  expiring: ", len(found.expiring), _SHOWN)
    for project in found.quiet[:_SHOWN]:
        lines.append(f"  quiet since {project.last_date}: project {project.name}, {len(project.active)} active")
    lines += _hidden("  quiet projects: ", len(found.quiet), _SHOWN)
    if found.outdated:
        lines.append(with_commands(f"  {found.outdated} stale or expired: `soul prune`"))
    return lines


def _to_decide(found: Report, resolution: Resolution) -> list[str]:
    lines = _listed("  proposed: ", (v.event for v in found.waiting), resolution, len(found.waiting), _SHOWN)
    if lines:
        lines.append(with_commands("  `soul review approve ID --source YOUR-ID`, or `soul review reject ID`"))
    lines += _listed("  pending: ", (v.event for v in found.undecided), resolution, len(found.undecided), _SHOWN)
    lines += [f"  crossed limit: {crossing}" for crossing in found.crossed[:_SHOWN]]
    lines += _hidden("  crossed limit: ", len(found.crossed), _SHOWN)
    lines += [f"  two contents of one id: {id_}" for id_ in found.quarantined[:_SHOWN]]
    lines += _hidden("  ", len(found.quarantined), _SHOWN)
    if found.merges or found.fragments:
        said = f"  {len(found.merges)} to merge, {len(found.fragments)} remarks worth keeping: `soul consolidate`"
        lines.append(with_commands(said))
    lines += [f"  no room for all of canonical/{path}" for path in found.oversize[:_SHOWN]]
    return lines + _hidden("  ", len(found.oversize), _SHOWN)


def _listed(start: str, events: Iterable[Event], resolution: Resolution, number: int, most: int) -> list[str]:
    shown = [f"{start}{_line(event, resolution)}" for event, _ in zip(events, range(most), strict=False)]
    return shown + _hidden(start, number, most)


def _hidden(start: str, number: int, shown: int) -> list[str]:
    return [f"{start}and {number - shown} more"] if number > shown else []


def _line(event: Event, resolution: Resolution) -> str:
    return f"{_short(event.summary)} ({resolution.name_of(event.id)} {event.place})"


def _short(text: str) -> str:
    return text if len(text) <= _WIDTH else f"{text[: _WIDTH - 1]}…"


def _fields(found: Report) -> dict[str, Any]:
    def ids(verdicts: Sequence[Verdict]) -> list[str]:
        return [verdict.event.id for verdict in verdicts]

    return {
        "as_of": found.as_of,
        "days": found.days,
        "changed": {"new": ids(found.new), "places": dict(found.places), "gone": ids(found.gone)},
        "conflicts": [conflict.id for conflict in found.conflicts],
        "old": {
            "unused": found.unused,
            "expiring": ids(found.expiring),
            "quiet_projects": [project.name for project in found.quiet],
            "outdated": found.outdated,
        },
        "decide": {
            "proposed": ids(found.waiting),
            "undecided": ids(found.undecided),
            "crossed": [str(crossing) for crossing in found.crossed],
            "quarantined": list(found.quarantined),
            "merges": [cluster.id for cluster in found.merges],
            "remarks": [fragment.newest.id for fragment in found.fragments],
            "oversize": list(found.oversize),
        },
    }
