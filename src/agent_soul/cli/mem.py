"""`mem`: task memory, in the five operations of GitMemo. The answers are JSON."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import click

from agent_soul import adding, task_memory
from agent_soul.cli.common import open_hub, output_options, show_added, show_json
from agent_soul.cli.fields import require, to_record
from agent_soul.cli.options import shared_options, with_options
from agent_soul.errors import ExitCode, RefusedError
from agent_soul.hub import Hub
from agent_soul.strict_json import RejectedError, load_object


@click.group()
def mem() -> None:
    """Task memory: find what is known before a task, keep what came out of it.

    An entry never changes: replacing or deleting it is another event, and its id can be read for ever.
    """


@mem.command()
@click.argument("words", nargs=-1, metavar="KEYWORD...")
@click.option("--keyword", "keywords", multiple=True, metavar="WORD", help="The same as KEYWORD; 1 to 12 together.")
@click.option("--skip", default=0, type=click.IntRange(min=0), metavar="N", help="Leave out the first N.")
@click.option("--snapshot", default="", metavar="NAME", help="Go on in that search, whatever was written since.")
@click.option("--limit", default=20, type=click.IntRange(min=1), show_default=True, help="How many a page.")
@click.option("--kind", default="", metavar="KIND", help="Only this kind, such as topic.")
@click.option("--project", default="", metavar="NAME", help="Only this project.")
@output_options
def search(
    words: tuple[str, ...],
    keywords: tuple[str, ...],
    skip: int,
    snapshot: str,
    limit: int,
    kind: str,
    project: str,
    as_json: bool,
    hub_name: str | None,
) -> int:
    """Find entries by 1 to 12 keywords; give synonyms and the other language too.

    The score is the number of keywords that an entry holds, and up to 0.5 for being new: nothing from 180 days on.
    """
    from agent_soul import task_search
    from agent_soul.searching.filters import Filters

    asked, filters = [*words, *keywords], Filters(kind=kind, project=project)
    found = task_search.page(open_hub(hub_name), asked, filters, skip=skip, limit=limit, snapshot=snapshot)
    show_json(ok=True, **found)
    return ExitCode.DONE


@mem.command()
@click.argument("wanted", metavar="ID")
@click.option("--expand", is_flag=True, help="Also what it links, one step, each with what replaced it.")
@output_options
def read(wanted: str, expand: bool, as_json: bool, hub_name: str | None) -> int:
    """Read one entry whole, whatever became of it. ID may be the first characters of an id."""
    from agent_soul.compiler import resolve_hub

    resolution = resolve_hub(open_hub(hub_name))
    verdict = task_memory.find(resolution, wanted)
    links = {"links": list(task_memory.expanded(resolution, verdict))} if expand else {}
    show_json(ok=True, **task_memory.entry(resolution, verdict), **links)
    return ExitCode.DONE


def _entry_options(command: Any) -> Any:
    """Add the options that describe an entry."""
    options = (
        with_options("summary", "topic"),
        click.option("--kind", metavar="KIND", help="task (the conclusion of one) or topic (the truth of a subject)."),
        click.option("--content", metavar="TEXT", help="The entry itself, Markdown; `[[ID]]` links another."),
        click.option(
            "--related-branch", "related_branches", multiple=True, metavar="NAME", help="A branch; repeatable."
        ),
        click.option("--related-path", "related_paths", multiple=True, metavar="FILE", help="A file; repeatable."),
        click.option("--stdin", "from_stdin", is_flag=True, help="Read the entry from stdin, as one JSON object."),
        shared_options,
        output_options,
    )
    for option in reversed(options):
        command = option(command)
    return command


@mem.command()
@_entry_options
def write(from_stdin: bool, as_json: bool, hub_name: str | None, **fields: Any) -> int:
    """Keep a conclusion: --title, --summary, --content and 2 to 12 --keyword, words that title and summary lack.

    Project, branch and commit are those of the folder that the command is run in.
    """
    hub = open_hub(hub_name)
    return _add(hub, task_memory.written(_given(fields, from_stdin=from_stdin), task_memory.workspace(hub, Path.cwd())))


@mem.command()
@click.argument("wanted", metavar="ID")
@_entry_options
def replace(wanted: str, from_stdin: bool, as_json: bool, hub_name: str | None, **fields: Any) -> int:
    """Put a new entry in the place of ID in one step: --summary and --content.

    Kind, project, topic, title and keywords are those of ID unless they are given.
    """
    from agent_soul.compiler import resolve_hub

    hub = open_hub(hub_name)
    given = _given(fields, from_stdin=from_stdin)
    where = task_memory.workspace(hub, Path.cwd())
    return _add(hub, task_memory.replacing(resolve_hub(hub), wanted, given, where))


@mem.command()
@click.argument("wanted", metavar="ID")
@click.option("--reason", required=True, metavar="TEXT", help="Why; kept with the act.")
@with_options("source")
@output_options
def delete(wanted: str, reason: str, as_json: bool, hub_name: str | None, **fields: Any) -> int:
    """Take an entry back that nothing replaces, with all that it had replaced. It can still be read by its id."""
    from agent_soul.compiler import resolve_hub

    hub = open_hub(hub_name)
    return _add(hub, to_record(fields) | task_memory.deleting(resolve_hub(hub), wanted, reason))


def _given(fields: dict[str, Any], *, from_stdin: bool) -> dict[str, Any]:
    """Return what the options say of the entry, over what stdin says."""
    options = to_record(fields)
    if not from_stdin:
        return task_memory.from_arguments(options)
    content = sys.stdin.buffer.read() if sys.stdin else b""
    try:
        return task_memory.from_arguments({**load_object(content.strip().replace(b"\n", b" ")), **options})
    except RejectedError as error:
        raise RefusedError(f"stdin, column {error.column}: {error.message}", hint=_EXAMPLE) from error


_EXAMPLE = "give one object: " + json.dumps({"title": "", "summary": "", "keywords": ["", ""], "content": ""})


def _add(hub: Hub, record: dict[str, Any]) -> int:
    require(record, "source")
    show_added(adding.add(hub, record))
    return ExitCode.DONE
