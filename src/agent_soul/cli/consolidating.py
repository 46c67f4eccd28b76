"""`consolidate`: what could be said once, what is worth keeping, and what has outgrown its page."""

from __future__ import annotations

from typing import Any

import click

from agent_soul.cli.common import line_of, output_options, say, show, show_json
from agent_soul.cli.judging import cluster_fields, say_held, show_cluster
from agent_soul.cli.upkeep import PAGES_FOLLOW, open_for_upkeep, show_verdicts, verdict_fields
from agent_soul.compiler import compile_log, default_state, recorded_in
from agent_soul.errors import ExitCode, StoppedError
from agent_soul.event import short_id
from agent_soul.outbox import whole_log
from agent_soul.settings import load_config
from agent_soul.upkeep.consolidating import Consolidation, consolidate, sizes
from agent_soul.upkeep.runs import Run

_NOBODY = "soul-consolidate"
_IDS_NAMED = 5


@click.command("consolidate")
@click.option("--apply", "apply_", is_flag=True, help="Append the merges, and the remarks worth keeping.")
@click.option("--propose", is_flag=True, help="With --apply: the merges wait for `soul review`.")
@click.option("--source", default="", envvar="AGENT_SOUL_SOURCE", metavar="ID", help="Who does it; with --apply.")
@output_options
def consolidate_(apply_: bool, propose: bool, source: str, as_json: bool, hub_name: str | None) -> int:
    """List what says the same, remarks worth keeping, what is stale, and pages without room.

    --apply merges what says the same and keeps the remarks, by appended events alone.
    Writes only if every key fact is still on its page afterwards. canonical/upkeep.md tells what was done.
    """
    hub = open_for_upkeep(hub_name, source, apply_=apply_)
    log, config = whole_log(hub), load_config(hub)[0]
    before = compile_log(log, config, default_state(None, recorded_in(hub)))
    run = Run("consolidate", source or _NOBODY)
    found = consolidate(log, config, before, run.draft, propose=propose)
    if apply_ and run.events:
        _refuse_loss(found)
        run.draft([found.report(proposed=propose)])
        run.keep(hub)
    if as_json:
        show_json(ok=True, **_fields(found, applied=apply_))
    else:
        _show(found)
    for cluster_id, conflict_ids in found.held.items():
        say_held(cluster_id, conflict_ids)
    say(_what_follows(found, apply_=apply_, propose=propose))
    return ExitCode.DONE


def _refuse_loss(found: Consolidation) -> None:
    if found.lost:
        named = ", ".join(short_id(event.id) for event in found.lost[:_IDS_NAMED])
        raise StoppedError(
            f"{len(found.lost)} key facts would not be on their pages any more: {named}; nothing was written",
            hint="merge by hand with `soul dedup`, which names what it would put aside",
        )


def _show(found: Consolidation) -> None:
    resolution = found.before.resolution
    for cluster in found.merges:
        show_cluster(cluster, resolution)
    for fragment in found.fragments:
        line = line_of(fragment.newest, shown_id=resolution.name_of(fragment.newest.id))
        show(f"worth keeping ({', '.join(fragment.reasons)}): {line}")
    show_verdicts(found.outdated, resolution)
    for path, pages in found.oversize.items():
        show(f"no room on canonical/{path}: the rest is on {pages} page{'s' * (pages != 1)} in more/")
    for reason in found.unwritable:
        say(f"left out, as it cannot be written again: {reason}")


def _what_follows(found: Consolidation, *, apply_: bool, propose: bool) -> str:
    counts = f"{len(found.merges)} to merge, {len(found.fragments)} to keep"
    listed = f"{len(found.outdated)} stale (`soul prune`), {len(found.oversize)} pages without room"
    if apply_:
        follows = "`soul review` lists what waits" if propose and found.merged else PAGES_FOLLOW
        how = "proposed" if propose else "merged"
        done = f"{len(found.merged)} {how}, {len(found.kept)} kept; {found.key_facts}; {follows}"
        done = done if found.merged or found.kept else f"nothing to merge or to keep; {listed}"
        return done + _left_out(found)
    then = "`soul consolidate --apply --source YOUR-ID` merges and keeps"
    return f"{counts}{_left_out(found)}; {listed}; {found.key_facts}; {then}"


def _left_out(found: Consolidation) -> str:
    """Return what is not merged with the others, each of it for a person to look at."""
    held = f"; {len(found.held)} left out for open conflicts" if found.held else ""
    held += f"; {found.answered} left out, proposed or answered before (`soul dedup`)" if found.answered else ""
    return held + (f"; {found.nearly} nearly the same (`soul dedup`)" if found.nearly else "")


def _fields(found: Consolidation, *, applied: bool) -> dict[str, Any]:
    ids = {c.id: e.id for c, e in zip(found.merges, found.merged, strict=True)} if applied else {}
    return {
        "applied": len(found.merged) + len(found.kept) if applied else 0,
        "merges": [cluster_fields(cluster, ids) for cluster in found.merges],
        "fragments": [
            {"event_id": each.newest.id, "reasons": list(each.reasons), "kept": each.statement()}
            for each in found.fragments
        ],
        "outdated": verdict_fields(found.outdated),
        "oversize": dict(found.oversize),
        "unwritable": list(found.unwritable),
        "left_out": dict(found.held),
        "nearly": found.nearly,
        "key_facts": {"checked": len(found.key), "lost": [event.id for event in found.lost]},
        "sizes": sizes(found.before.texts, found.after.texts),
    }
