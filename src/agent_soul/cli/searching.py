"""`search`: from words to events. What only some searches need is imported when they do."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import click

from agent_soul.cli.common import hub_option, open_hub, output_options, say
from agent_soul.cli.results import print_json, print_text
from agent_soul.cli.text_command import TextCommand
from agent_soul.errors import ExitCode, RefusedError
from agent_soul.searching.filters import SCOPES, read_filters
from agent_soul.searching.finding import open_index
from agent_soul.searching.paging import Asked, NoWordsRefusedError
from agent_soul.searching.paging import search as search_page

_DEFAULT_LIMIT = 20


if TYPE_CHECKING:
    _Type = click.ParamType[str]
else:
    _Type = click.ParamType  # generic in new versions only


def _kinds() -> Sequence[str]:
    from agent_soul.event import KINDS

    return KINDS


def _statuses() -> Sequence[str]:
    from agent_soul.resolve import Status

    return [str(status) for status in Status]


class _OneOf(_Type):
    """A choice whose values are looked up only when the option is given: their module takes as long as the search."""

    def __init__(self, name: str, values: Callable[[], Sequence[str]]) -> None:
        self.name = name
        self._values = values

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        if value and value not in self._values():
            self.fail(f"{value!r} is not one of: {', '.join(self._values())}", param, ctx)
        return str(value)


@click.command(cls=TextCommand)
@click.argument("text", nargs=-1)
@click.option("--query", default=None, metavar="TEXT", help="The same as TEXT.")
@click.option("--keyword", "keywords", multiple=True, metavar="WORD", help="Must occur; repeatable, then all must.")
@click.option("--scope", default="", metavar="SCOPE", help=f"One of: {', '.join(SCOPES)}; also project:NAME, agent:ID.")
@click.option("--kind", default="", type=_OneOf("kind", _kinds), metavar="KIND", help="Only this kind.")
@click.option("--source", default="", metavar="ID", help="Only what this source wrote.")
@click.option("--project", default="", metavar="NAME", help="Only this project.")
@click.option("--topic", default="", metavar="SLUG", help="Only this topic.")
@click.option("--tag", default="", metavar="TAG", help="Only with this tag.")
@click.option("--since", default="", metavar="YYYY-MM-DD", help="Stated on or after this UTC date.")
@click.option("--until", default="", metavar="YYYY-MM-DD", help="Stated on or before this UTC date.")
@click.option(
    "--status",
    "statuses",
    multiple=True,
    type=_OneOf("status", _statuses),
    metavar="STATUS",
    help="Instead of active: superseded, retracted, expired, … (repeatable).",
)
@click.option("--all", "everything", is_flag=True, help="Whatever became of it; a --status still filters.")
@click.option("--newest", is_flag=True, help="The newest first instead of the best.")
@click.option(
    "--limit", default=_DEFAULT_LIMIT, type=click.IntRange(min=0), help="How many; 0 is all.", show_default=True
)
@click.option("--skip", default=0, type=click.IntRange(min=0), metavar="N", help="Leave out the first N.")
@click.option("--snapshot", "kept", default="", metavar="NAME", help="Go on in a search that was kept, for a day.")
@click.option("--explain", is_flag=True, help="Say what each score is made of.")
@output_options
def search(
    text: tuple[str, ...],
    query: str | None,
    keywords: tuple[str, ...],
    newest: bool,
    limit: int,
    skip: int,
    kept: str,
    explain: bool,
    as_json: bool,
    hub_name: str | None,
    **filters: Any,
) -> int:
    """Find events, best first.

    TEXT ranks: first come the events that hold most of its words. Words are found in other forms of theirs too,
    Chinese, Japanese and Korean by every character; a date in TEXT is compared with that of the event. Without TEXT
    and keywords the newest come first.
    """
    looked_for = _one_text(" ".join(text) if text else None, query)
    if looked_for == "" and not (keywords or kept):
        raise NoWordsRefusedError(looked_for)
    asked = Asked(looked_for or "", keywords, read_filters(**filters), skip, limit, newest, kept)
    page = search_page(open_hub(hub_name), asked, _say_missing)
    if as_json:
        print_json(page, explain=explain)
    else:
        print_text(page, explain=explain)
    return ExitCode.DONE


def _say_missing(number: int) -> None:
    say(f"note: {number} events are found by their words alone until `soul embed` has read them")


@click.command()
@hub_option
def embed(hub_name: str | None) -> int:
    """Let the model of the extra [semantic] read every event now, so that searches find by meaning at once."""
    from agent_soul.searching.meaning import embed_missing
    from agent_soul.searching.models import installed
    from agent_soul.searching.vectors import Vectors

    model = installed()
    if model is None:
        raise RefusedError("no model is installed", hint="pip install 'agent-soul[semantic]', or see docs/search.md")
    hub = open_hub(hub_name)
    with open_index(hub, datetime.now(UTC).date().isoformat()) as index:
        vectors = Vectors(hub, model.name)
        embed_missing(index, vectors, model, math.inf, tell=lambda done, of: say(f"read {done} of {of}"))
        vectors.drop_others(key for _, key, _ in index.text_keys())
    return ExitCode.DONE


def _one_text(text: str | None, query: str | None) -> str | None:
    if text and query:
        raise RefusedError(f"the text is given twice: {text!r} and --query {query!r}", hint="give one of them")
    return text or query or (text if query is None else query)
