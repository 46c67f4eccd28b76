"""`search`: from words to events. What only some searches need is imported when they do."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import click

from agent_soul.cli.common import hub_option, open_hub, output_options, say
from agent_soul.cli.results import first_page, kept_page, print_json, print_text
from agent_soul.cli.text_command import TextCommand
from agent_soul.errors import ExitCode, RefusedError
from agent_soul.searching.filters import ACTIVE, SCOPES, Filters
from agent_soul.searching.finding import Answer, Meant, NoWordsError, find, open_index
from agent_soul.searching.index import Index
from agent_soul.searching.models import meant_by

_DEFAULT_LIMIT = 20
_MOST_KEPT = 500


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
@click.option("--query", default="", metavar="TEXT", help="The same as TEXT.")
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
@click.option("--all", "everything", is_flag=True, help="Whatever became of it; the status is shown.")
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
    query: str,
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
    words = _one_text(" ".join(text), query)
    hub = open_hub(hub_name)
    today = datetime.now(UTC).date().isoformat()
    index = open_index(hub, today)
    if kept:
        page = kept_page(hub, index, kept, asked=[words, *keywords], skip=skip, limit=limit, today=today)
    else:
        # By time any may be the first; else the list that is kept for the next pages is long enough.
        most = max(skip + limit, _MOST_KEPT) if limit and not newest else 0
        answer = _find(
            index, words, keywords, _filters(**filters), today, most, meant_by(hub, index, words, _say_missing)
        )
        page = first_page(hub, answer.newest_first() if newest else answer, [words, *keywords], skip, limit)
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
    index = open_index(hub, datetime.now(UTC).date().isoformat())
    vectors = Vectors(hub, model.name)
    embed_missing(index, vectors, model, math.inf, tell=lambda done, of: say(f"read {done} of {of}"))
    vectors.drop_others(key for _, key, _ in index.text_keys())
    return ExitCode.DONE


def _one_text(text: str, query: str) -> str:
    if text and query:
        raise RefusedError(f"the text is given twice: {text!r} and --query {query!r}", hint="give one of them")
    return text or query


def _filters(scope: str, statuses: tuple[str, ...], everything: bool, since: str, until: str, **plain: str) -> Filters:
    scope, _, name = scope.partition(":")
    if scope and scope not in SCOPES:
        raise RefusedError(
            f"--scope {scope!r} is not one of: {', '.join(SCOPES)}", hint="also project:NAME and agent:ID"
        )
    wanted = frozenset(_statuses() if everything else statuses) or ACTIVE
    return Filters(
        scope=scope, name=name, since=_date("--since", since), until=_date("--until", until), statuses=wanted, **plain
    )


def _date(option: str, text: str) -> str:
    if not text:
        return ""
    from agent_soul.instants import parse_date

    try:
        return parse_date(text)
    except ValueError as error:
        raise RefusedError(f"{option} {error}", hint="give a UTC date as YYYY-MM-DD") from error


def _find(
    index: Index, text: str, keywords: tuple[str, ...], filters: Filters, today: str, most: int, meant: Meant
) -> Answer:
    try:
        return find(index, text, keywords, filters, today, most, meant)
    except NoWordsError as error:
        raise RefusedError(f"no searchable words in {text or ' '.join(keywords)!r}", hint="give a word") from error
