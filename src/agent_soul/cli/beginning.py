"""`init`: the beginning of a hub."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import click

from agent_soul.cli.common import open_hub, output_options, say, show, show_json
from agent_soul.errors import ExitCode, RefusedError, SoulError
from agent_soul.founding.answers import Answers, check_answer
from agent_soul.founding.asking import check_remote, check_time_zone
from agent_soul.founding.hub import Founded, Wishes, found_hub, is_taken
from agent_soul.founding.taking import Taken
from agent_soul.sessions import refuse_no_source
from agent_soul.sync import Reach
from agent_soul.telling import invoked_as, spoken_as, with_commands

_QUESTIONS: Mapping[str, str] = {
    "name": "Your name, as your agents should call you 你的称呼",
    "agent": "One name for your agents 智能体统一的名字",
    "language": "Language to answer in 用什么语言回答",
    "time_zone": "Your time zone 你的时区",
    "remote": "Address of your empty private repository, or nothing yet 私有仓库地址，可留空",
}


@click.command()
@click.argument("folder", required=False, metavar="[DIR]")
@click.option("--here", is_flag=True, help="Make this copy of the template a hub of your own, instead of a new one.")
@click.option("--yes", is_flag=True, help="Ask nothing; what no option says is left to be filled in.")
@click.option("--from", "origin", metavar="HUB", help="Take over a hub of before: a folder, or a repository's address.")
@click.option("--name", metavar="TEXT", help="What your agents call you.")
@click.option("--agent", metavar="TEXT", help="What your agents are called.")
@click.option("--language", metavar="TEXT", help="The language in which they answer.")
@click.option("--time-zone", metavar="AREA/CITY", help="Where you live, such as Asia/Shanghai.")
@click.option("--remote", metavar="URL", help="Your private repository; nothing is sent there yet.")
@click.option("--push", is_flag=True, help="Send the hub there at once.")
@click.option("--toolkit", metavar="T", help="What the hub's scripts install: a folder, a version, or URL@HASH.")
@click.option("--source", default="soul-init", show_default=True, metavar="ID", help="With --here: who records that.")
@output_options
def init(folder: str | None, here: bool, source: str, as_json: bool, hub_name: str | None, **given: Any) -> int:
    """Make a hub in DIR: identity files, log, pages, scripts and workflows, in a Git repository of its own.

    On a terminal it asks for the five things that no default can know. A folder that holds anything else is refused,
    and a hub that is there already stays as it is.
    """
    if here:
        return _init_here(folder, source, as_json=as_json, hub_name=hub_name)
    if folder is None:
        hint = "`soul init DIR` makes a hub there; `soul init --here` makes a copy of the template your own"
        raise RefusedError("say where", hint=hint)
    place = Path(folder)
    said = {name: _checked(name, given[name], place) for name in _QUESTIONS if given[name] is not None}
    if not (given["yes"] or is_taken(place)):
        said |= _asked([name for name in _QUESTIONS if name not in said], place, as_json=as_json)
    made = found_hub(place, _wishes(said, given))
    if made.is_new and not given["origin"]:
        made = made._replace(notes=(*made.notes, *_left_behind(hub_name)))
    _show(made, as_json=as_json)
    return ExitCode.NOT_SHARED if made.kept and made.kept.reach is Reach.NOT_SHARED else ExitCode.DONE


def _asked(names: Sequence[str], folder: Path, *, as_json: bool) -> dict[str, str]:
    """Return what a person at a terminal says; without one nothing is asked, so that nothing hangs.

    What makes no sense is asked again, with the reason.
    """
    if as_json or not (sys.stdin and sys.stdin.isatty() and sys.stderr.isatty()):
        say("note: nobody is at a terminal, so nothing is asked; what no option says stays to be filled in")
        return {}
    from agent_soul.founding.asking import time_zone_here

    say("Five questions; Enter leaves one open. 五个问题，回车跳过。")
    proposals = {"time_zone": time_zone_here()}
    answers: dict[str, str] = {}
    for name in names:
        proposal, check = proposals.get(name, ""), partial(_checked_on_terminal, name, folder)
        answers[name] = click.prompt(
            _QUESTIONS[name], default=proposal, err=True, show_default=bool(proposal), value_proc=check
        )
    return answers


def _checked_on_terminal(name: str, folder: Path, text: str) -> str:
    try:
        return _checked(name, text, folder)
    except RefusedError as error:
        raise click.UsageError(f"{error.message}; {error.hint}") from error


def _checked(name: str, text: str, folder: Path) -> str:
    """Return an answer, tidied. Raises `RefusedError` for one that makes no sense."""
    tidy = check_answer(f"--{name.replace('_', '-')}", text)
    if tidy and name == "time_zone":
        check_time_zone(tidy)
    if tidy and name == "remote":
        check_remote(tidy, folder.expanduser().resolve())
    return tidy


def _wishes(said: Mapping[str, str], given: Mapping[str, Any]) -> Wishes:
    answers = {name: said.get(name, "") for name in _QUESTIONS}
    remote = answers.pop("remote")
    if given["push"] and not remote:
        raise RefusedError("--push has nowhere to go", hint="give --remote URL")
    return Wishes(Answers(**answers), given["origin"] or "", given["toolkit"] or "", remote, given["push"])


def _show(made: Founded, *, as_json: bool) -> None:
    if as_json:
        taken = made.taken and {**made.taken._asdict(), "files": len(made.taken.files), "left": list(made.taken.left)}
        kept = made.kept and {"outcome": made.kept.reach, "reason": made.kept.reason, "note": made.kept.note}
        fields = {"hub": str(made.hub), "is_new": made.is_new, "toolkit": dict(made.toolkit), "remote": made.remote}
        show_json(ok=True, **fields, taken=taken, pushed=kept, next_steps=list(made.next_steps), notes=list(made.notes))
        return
    if not made.is_new:
        show(f"{made.hub} is a hub already; nothing was changed")
        return
    show(f"made a hub in {made.hub}")
    if made.taken:
        show(f"taken over, every byte as it was: {len(made.taken.files)} files with {_counts(made.taken)}")
        for each in made.taken.left:
            say(f"note: left behind: {each}")
    if made.kept:
        is_there = made.kept.reach is Reach.SHARED
        show(f"shared: it is at {made.remote} too" if is_there else with_commands(str(made.kept)))
        if made.kept.note:
            say(f"note: {made.kept.note}")
    for note in made.notes:
        say(f"note: {note}")
    show("Go on there:")
    with spoken_as(_typed_there()):
        for number, step in enumerate(made.next_steps, start=1):
            show(f"{number}. {with_commands(step)}")


def _left_behind(hub_name: str | None) -> list[str]:
    """Return what is to be said of the copy of the template in which this runs; most run it in no hub at all."""
    from agent_soul.founding.template import left_behind

    with contextlib.suppress(SoulError):  # the new hub is made, whatever the other is like
        return [note for note in [left_behind(open_hub(hub_name), _typed_there())] if note]
    return []


def _typed_there() -> str:
    """Return what starts our commands in the new hub, which has scripts of its own."""
    return "soul" if invoked_as() == "soul" else "python3 scripts/soul.py"


def _counts(taken: Taken) -> str:
    newer = f", {taken.set_aside} lines of a newer version" if taken.set_aside else ""
    return f"{taken.events} events, {taken.bad_lines} bad lines{newer}"


def _init_here(folder: str | None, source: str, *, as_json: bool, hub_name: str | None) -> int:
    from agent_soul.founding.template import initialise_here

    if folder is not None:
        raise RefusedError("DIR and --here exclude each other", hint="--here is the copy of the template you are in")
    refuse_no_source(source)
    outcome = initialise_here(open_hub(hub_name), source)
    if as_json:
        show_json(ok=True, done=list(outcome.done), next_steps=list(outcome.next_steps))
        return ExitCode.DONE
    for line in outcome.done or ("it was a hub of its own already",):
        show(line)
    for number, step in enumerate(outcome.next_steps, start=1):
        show(f"{number}. {with_commands(step)}")
    return ExitCode.DONE
