"""`memory`: the operations of `memory_op.py`, by the names under which other agents know them."""

from __future__ import annotations

from typing import Any

import click

from agent_soul import adding, recording
from agent_soul.cli.common import open_hub, output_options, show_added
from agent_soul.cli.fields import require, to_record
from agent_soul.cli.groups import AliasGroup
from agent_soul.cli.options import shared_options, with_options
from agent_soul.cli.text_command import TextCommand
from agent_soul.errors import ExitCode, RefusedError

_UNNAMED = {"source": "memory-op"}
"""Who writes where nobody says: these commands are known without --source."""
_NAMES = {"read": "context", "context": "context", "search": "search", "daily": "note"}


@click.group(cls=AliasGroup, aliases=_NAMES, context_settings={"default_map": {"write": _UNNAMED, "daily": _UNNAMED}})
def memory() -> None:
    """Read, write, search, daily, context: what `scripts/memory_op.py` does.

    `read` and `context` are `soul context`, `search` is `soul search` and `daily` is `soul note`, with all of their
    options. What is written without --source or AGENT_SOUL_SOURCE is from memory-op.
    """


@memory.command(cls=TextCommand)
@click.option("--fact", metavar="TEXT", help="What to keep, one line.")
@click.option("--category", required=True, metavar="LIST", help="facts, decisions, kpis or lessons.")
@click.option("--name", metavar="NAME", help="The measure, of a kpi; the same as --metric.")
@with_options("entity", "attribute", "value", "rationale", "decision_status", "decided_by", "context", "applies_to")
@with_options("metric", "target", "unit")
@shared_options
@output_options
def write(fact: str | None, category: str, name: str | None, as_json: bool, hub_name: str | None, **fields: Any) -> int:
    """Keep a fact, a decision, a measurement or a lesson; canonical/memory.json has them in lists of those names."""
    given = to_record({**fields, "metric": fields["metric"] or name})
    record = recording.of_category(category, given | ({"summary": fact} if fact else {}))
    if not record.get("summary"):
        raise RefusedError("missing: --fact", hint="say in one line what to keep")
    require(record, "source")
    show_added(adding.add(open_hub(hub_name), record))
    return ExitCode.DONE
