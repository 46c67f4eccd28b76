"""`review`: what waits for a person, and the person's word on it."""

from __future__ import annotations

from collections.abc import Sequence

import click

from agent_soul.cli.common import line_of, open_hub, output_options, say, show, show_json, take_turn
from agent_soul.cli.judging import open_conflicts
from agent_soul.cli.upkeep import PAGES_FOLLOW, show_verdicts, verdict_fields
from agent_soul.compiler import resolve_hub
from agent_soul.dedup import find_clusters
from agent_soul.errors import ExitCode, RefusedError
from agent_soul.hub import Hub
from agent_soul.resolve import Resolution, Verdict
from agent_soul.upkeep.reviewing import DECISIONS, deciding, find_proposals, waiting
from agent_soul.upkeep.runs import apply_run


@click.command()
@click.argument("action", required=False, type=click.Choice(tuple(DECISIONS)), metavar="[approve|reject]")
@click.argument("event_ids", nargs=-1, metavar="[ID]...")
@click.option("--reason", default="", metavar="TEXT", help="Why; kept with the decision.")
@click.option("--source", default="", envvar="AGENT_SOUL_SOURCE", metavar="ID", help="Who decides.")
@output_options
def review(
    action: str | None, event_ids: tuple[str, ...], reason: str, source: str, as_json: bool, hub_name: str | None
) -> int:
    """List what was proposed and waits; `review approve ID...` lets it count, `review reject ID...` does not."""
    hub = open_hub(hub_name)
    if action:
        take_turn(hub, f"review {action}")
    resolution = resolve_hub(hub)
    if action:
        return _decide(hub, resolution, action, event_ids, reason, source, as_json=as_json)
    found = waiting(resolution)
    if as_json:
        show_json(ok=True, total=len(found), items=verdict_fields(found))
        return ExitCode.DONE
    _show_waiting(hub, resolution, found)
    how = "; `soul review approve ID --source YOUR-ID`, or `reject` with --reason" if found else ""
    say(f"{len(found)} wait{'s' * (len(found) == 1)} for a review{how}" if found else "nothing waits for a review")
    return ExitCode.DONE


def _show_waiting(hub: Hub, resolution: Resolution, found: Sequence[Verdict]) -> None:
    """Print each proposal with what it would replace, how like that is, and the open conflicts that it would decide."""
    replacing = any(verdict.event.supersedes for verdict in found)
    clusters = find_clusters(resolution) if replacing else []
    evidence = {frozenset(member.id for member in cluster.members): cluster.evidence for cluster in clusters}
    conflicts = open_conflicts(hub, resolution) if replacing else ()
    for verdict in found:
        show_verdicts([verdict], resolution)
        replaced = [resolution.by_id[id_] for id_ in verdict.event.supersedes if id_ in resolution.by_id]
        reasons = evidence.get(frozenset(verdict.event.supersedes), {})
        for each in replaced:
            why = f"  ({reasons[each.event.id]})" if each.event.id in reasons else ""
            line = line_of(each.event, each.status, shown_id=resolution.name_of(each.event.id))
            show(f"  would replace  {line}{why}")
        for conflict in conflicts:
            if any(each.event.id in conflict.against for each in replaced):
                show(f"  it holds a side of the open conflict {conflict.id}")


def _decide(
    hub: Hub,
    resolution: Resolution,
    action: str,
    event_ids: tuple[str, ...],
    reason: str,
    source: str,
    *,
    as_json: bool,
) -> int:
    if not event_ids:
        raise RefusedError(f"say what to {action}: `soul review {action} ID...`", hint="`soul review` lists what waits")
    if not source:
        raise RefusedError("missing: --source", hint="say who decides; or set AGENT_SOUL_SOURCE")
    found = find_proposals(resolution, event_ids, action)
    marks = apply_run(hub, "review", source, deciding(found, action, reason))
    if as_json:
        decided = [verdict.event.id for verdict in found]
        show_json(ok=True, action=action, decided=decided, marks=[mark.id for mark in marks])
        return ExitCode.DONE
    for verdict in found:
        say(f"{DECISIONS[action].lower().rstrip('.')}: {line_of(verdict.event)}")
    say(PAGES_FOLLOW)
    return ExitCode.DONE
