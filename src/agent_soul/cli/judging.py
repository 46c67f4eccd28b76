"""`conflicts` and `dedup`: what cannot hold together, what says the same, and the commands that end it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import click

from agent_soul import adding
from agent_soul.cli.common import line_of, open_hub, output_options, say, show, show_json
from agent_soul.cli.upkeep import open_for_upkeep
from agent_soul.compiler import resolve_hub
from agent_soul.conflicts import Conflict, find_conflicts
from agent_soul.dedup import Cluster, disputed, find_clusters
from agent_soul.draft import draft
from agent_soul.errors import ExitCode, RefusedError
from agent_soul.event import SCOPES, Event
from agent_soul.hub import Hub
from agent_soul.judgements import remembered_contradictions
from agent_soul.resolve import Resolution
from agent_soul.suggesting import suggestions
from agent_soul.telling import as_typed, with_commands

if TYPE_CHECKING:
    from agent_soul.searching.alike import Near

_MEMBERS_SHOWN = 6
_SUGGESTIONS_SHOWN = 20


@click.command()
@click.option(
    "--suggest",
    is_flag=True,
    help="Also pairs near in meaning by a model, though they share few words: to read; no page marks them.",
)
@output_options
def conflicts(suggest: bool, as_json: bool, hub_name: str | None) -> int:
    """List what cannot hold together, newest first, each with its id, its evidence and the commands that settle it."""
    hub = open_hub(hub_name)
    resolution = resolve_hub(hub)
    found = open_conflicts(hub, resolution)
    near = suggestions(hub, resolution, found, _tell_read) if suggest else []
    if as_json:
        more = {"suggestions": [pair._asdict() for pair in near]} if suggest else {}
        rows = [_conflict_fields(conflict, resolution) for conflict in found]
        show_json(ok=True, total=len(found), conflicts=rows, **more)
        return ExitCode.DONE
    for number, conflict in enumerate(found):
        if number:
            show("")
        _show_conflict(conflict, resolution)
    say(f"{len(found)} open" if found else "no open conflicts")
    _show_suggestions(near, resolution)
    return ExitCode.DONE


def open_conflicts(hub: Hub, resolution: Resolution) -> tuple[Conflict, ...]:
    with remembered_contradictions(hub) as look:
        return find_conflicts(resolution, look)


def _tell_read(done: int, of: int) -> None:
    say(f"read {done} of {of}")


def _show_suggestions(near: Sequence[Near], resolution: Resolution) -> None:
    for pair in near[:_SUGGESTIONS_SHOWN]:
        how = with_commands("`soul retract ID --reason WHY` where one does not hold")
        show(f"\nnear in meaning ({pair.likeness:.2f}); {how}")
        for id_ in (pair.one, pair.other):
            show(f"  {line_of(resolution.by_id[id_].event, shown_id=resolution.name_of(id_))}")
    hidden = len(near) - _SUGGESTIONS_SHOWN
    if hidden > 0:
        say(f"and {hidden} more pairs that are near in meaning with --json")


def _show_conflict(conflict: Conflict, resolution: Resolution) -> None:
    show(f"{conflict.id}  {conflict.headline}")
    for member in conflict.members[:_MEMBERS_SHOWN]:
        against = _against(conflict, member, resolution) if conflict.is_group else ""
        show(f"  {line_of(member, shown_id=resolution.name_of(member.id))}{against}")
    hidden = len(conflict.members) - _MEMBERS_SHOWN
    if hidden > 0:
        show(f"  and {hidden} more with --json")
    for way, command in _commands(conflict, resolution).items():
        show(f"  {way:<6}{command}")
        if way == "keep" and conflict.is_group:
            show("        one EVENT of these, and what it is against is taken back")


def _against(conflict: Conflict, member: Event, resolution: Resolution) -> str:
    """Return what a member of a larger group contradicts: what stays when it is kept depends on that."""
    first, *others = conflict.against[member.id]
    return f" (against {resolution.name_of(first)}{f' +{len(others)}' if others else ''})"


def _commands(conflict: Conflict, resolution: Resolution) -> dict[str, str]:
    return {way: as_typed(command) for way, command in conflict.commands(resolution.name_of).items()}


def _conflict_fields(conflict: Conflict, resolution: Resolution) -> dict[str, Any]:
    members = [
        {"event_id": member.id, "against": list(conflict.against[member.id]), "event": member.data}
        for member in conflict.members
    ]
    return {
        "id": conflict.id,
        "certain": conflict.certain,
        "subject": conflict.subject,
        "headline": conflict.headline,
        "evidence": list(conflict.evidence),
        "members": members,
        "commands": _commands(conflict, resolution),
    }


@click.command()
@click.argument("cluster_ids", nargs=-1, metavar="[CLUSTER]...")
@click.option(
    "--scope", default="", type=click.Choice(["", *SCOPES]), metavar="SCOPE", help="Only groups with one of it."
)
@click.option(
    "--apply",
    "apply_",
    is_flag=True,
    help="Merge them by superseding events: those named, or all but the nearly same and those in a conflict.",
)
@click.option("--source", default="", envvar="AGENT_SOUL_SOURCE", metavar="ID", help="Who decides; with --apply.")
@output_options
def dedup(
    cluster_ids: tuple[str, ...], scope: str, apply_: bool, source: str, as_json: bool, hub_name: str | None
) -> int:
    """Suggest which statements say the same in other words, and what would be kept. Merging is by appended events."""
    hub = open_for_upkeep(hub_name, source, apply_=apply_)
    resolution = resolve_hub(hub)
    found = _named(find_clusters(resolution, scope), cluster_ids)
    held = disputed(found, open_conflicts(hub, resolution)) if found else {}
    chosen = [cluster for cluster in found if cluster_ids or (cluster.is_certain and cluster.id not in held)]
    added = _apply(hub, chosen, source) if apply_ else {}
    if as_json:
        clusters = [cluster_fields(cluster, added) | {"conflicts": held.get(cluster.id, ())} for cluster in found]
        show_json(ok=True, total=len(found), applied=len(added), clusters=clusters)
    else:
        for cluster in found:
            show_cluster(cluster, resolution)
    for cluster_id in () if cluster_ids else held:
        say_held(cluster_id, held[cluster_id])
    nearly = sum(cluster not in chosen and cluster.id not in held for cluster in found)
    _say_what_follows(len(found), len(added), nearly=nearly, apply_=apply_)
    return ExitCode.DONE


def say_held(cluster_id: str, conflict_ids: Sequence[str]) -> None:
    """Say of a group that it is not merged with all others, and how to go on."""
    settle = f"`soul resolve {conflict_ids[0]} --keep EVENT --source YOUR-ID` settles it (`soul conflicts` shows it)"
    merge = f"`soul dedup {cluster_id} --apply --source YOUR-ID` merges all the same"
    why = f"it holds a side of the open conflict {', '.join(conflict_ids)}"
    say(f"{cluster_id} is left out: {why}; {settle}, and {merge}")


def _say_what_follows(found: int, added: int, *, nearly: int, apply_: bool) -> None:
    rest = f"; {nearly} nearly the same: look, then name each with --apply" if nearly else ""
    if not found:
        say("nothing says the same in other words")
    elif apply_:
        say(f"{added} merged{rest}; the pages follow at the next `soul compile`, `share` or `sync`")
    else:
        merges = "`soul dedup --apply --source YOUR-ID` merges all that say the same, with ids behind it those alone"
        say(f"{found} suggested; {merges}{rest}")


def _named(clusters: Sequence[Cluster], ids: Sequence[str]) -> list[Cluster]:
    """Return the clusters that the ids name, each by its first characters; without ids all."""
    named = []
    for id_ in ids:
        fitting = [cluster for cluster in clusters if cluster.id.startswith(id_)]
        if len(fitting) != 1:
            raise RefusedError(f"{id_!r} names {len(fitting)} groups", hint="`soul dedup` lists their ids")
        named += fitting
    return list({cluster.id: cluster for cluster in named}.values()) if ids else list(clusters)


def _apply(hub: Hub, clusters: Sequence[Cluster], source: str) -> dict[str, str]:
    """Append what stands for each cluster, all in one step; return the ids by cluster."""
    now = adding.local_now()
    events = {cluster.id: draft({"source": source, **cluster.replacement()}, now) for cluster in clusters}
    if events:
        adding.add_all(hub, list(events.values()))
    return {cluster_id: event.id for cluster_id, event in events.items()}


def show_cluster(cluster: Cluster, resolution: Resolution) -> None:
    """Print what a merge would keep and what it would put aside, and why."""
    newest, *others = cluster.members
    show(f"{cluster.id}  {len(cluster.members)} statements of {', '.join(cluster.sources)}")
    show(f"  keep  {line_of(newest, shown_id=resolution.name_of(newest.id))}")
    for member in others:
        reason = cluster.evidence[member.id]
        show(f"  drop  {line_of(member, shown_id=resolution.name_of(member.id))}  ({reason})")


def cluster_fields(cluster: Cluster, added: Mapping[str, str]) -> dict[str, Any]:
    """Return a cluster for JSON; `added` maps the ids of clusters that were merged to the ids of their events."""
    members = [
        {"event_id": member.id, "evidence": cluster.evidence.get(member.id, ""), "event": member.data}
        for member in cluster.members
    ]
    fields = {"id": cluster.id, "sources": list(cluster.sources), "kept": cluster.replacement(), "members": members}
    return fields | ({"event_id": added[cluster.id]} if cluster.id in added else {})
