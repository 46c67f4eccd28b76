"""`doctor`, `status` and `docs`: what is wrong with the hub, how it stands, and the generated documents."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING

import click

from agent_soul.cli.common import hub_option, open_hub, output_options, say, show, show_json
from agent_soul.errors import ExitCode
from agent_soul.telling import with_commands

if TYPE_CHECKING:
    from agent_soul.doctor.standing import Program, Standing

_SOURCES_SHOWN = 12


@click.command()
@click.option("--fix", is_flag=True, help="Mend what can be mended without any loss, and say what was done.")
@click.option("--all", "names_all", is_flag=True, help="Name every finding; else three of a kind.")
@click.option("--offline", is_flag=True, help="Ask nothing of the remote.")
@output_options
def doctor(fix: bool, names_all: bool, offline: bool, as_json: bool, hub_name: str | None) -> int:
    """Name what is wrong with the hub and this clone, why it matters and what mends it. Exit 1 if anything is."""
    from agent_soul.adding import local_now
    from agent_soul.doctor.examining import examine
    from agent_soul.doctor.facts import gather
    from agent_soul.doctor.finding import grouped

    hub = open_hub(hub_name)
    facts = gather(hub, local_now(), ask_remote=not offline)
    findings = list(examine(facts))
    done: Sequence[str] = ()
    if fix:
        from agent_soul.doctor.fixing import fix as mend

        done, failed = mend(facts, findings)
        findings = list(examine(gather(hub, local_now(), ask_remote=not offline))) if done else findings
        findings = [*failed, *findings]
    shown = findings if names_all else list(grouped(findings))
    if as_json:
        show_json(
            ok=not findings, findings=[asdict(finding) for finding in shown], **({"fixed": list(done)} if fix else {})
        )
        return ExitCode.PROBLEMS if findings else ExitCode.DONE
    for line in done:
        show(f"fixed: {line}")
    for finding in shown:
        show(f"{finding.where}: {finding.what}\n  why: {finding.why}\n  mend: {with_commands(finding.mend)}")
    say(f"{len(findings)} finding{'s' * (len(findings) != 1)}" if findings else "nothing to mend")
    if not fix and any(finding.fix for finding in findings):
        say("`soul doctor --fix` mends some of it")
    return ExitCode.PROBLEMS if findings else ExitCode.DONE


@click.command()
@output_options
def status(as_json: bool, hub_name: str | None) -> int:
    """Say on one screen how the hub and this clone stand. Nothing is asked of the network."""
    from agent_soul.doctor.standing import stand, standing_fields
    from agent_soul.runtimes.following import find_again

    hub = open_hub(hub_name)
    find_again(hub)
    standing = stand(hub)
    if as_json:
        show_json(ok=True, **standing_fields(standing))
    else:
        show("\n".join(_screen(standing)))
    return ExitCode.DONE


def _screen(standing: Standing) -> list[str]:
    from agent_soul.doctor.standing import waiting_of

    counts = ", ".join(f"{name} {number}" for name, number in standing.counts.items()) or "none yet"
    as_of = f", pages as of {standing.as_of}" if standing.as_of else ", no pages yet"
    costs = ", ".join(f"{cost.name} {cost.tokens} of {cost.limit}" for cost in standing.costs)
    waiting = [f"{number} {what}: `{command}`" for number, what, command in waiting_of(standing)]
    rows = [
        ("hub", standing.hub),
        *_git_rows(standing),
        ("events", counts + as_of),
        *[("waiting", with_commands(each)) for each in waiting],
        *[
            ("source", f"{event.source}: {event.date} {_shortened(event.summary)}")
            for event in standing.newest[:_SOURCES_SHOWN]
        ],
        (
            "joined",
            ", ".join(_program(*each) for each in standing.joined.items()) or "no agent program yet",
        ),
        ("tokens", costs),
        ("versions", ", ".join(f"{name} {value}" for name, value in standing.versions.items() if value)),
    ]
    hidden = len(standing.newest) - _SOURCES_SHOWN
    if hidden > 0:
        rows.insert(-3, ("source", f"and {hidden} more that wrote earlier"))
    return [f"{name:<9} {text}" for name, text in rows]


def _program(name: str, program: Program) -> str:
    """Return a joined program with what it reads by itself; where it has a limit, against that."""
    sizes = [
        f"{reading.size:,}{f' of {reading.limit:,}' if reading.limit else ''} {reading.unit}"
        for reading in program.readings
    ]
    return f"{name} ({', '.join([program.source, *sizes])})"


def _git_rows(standing: Standing) -> list[tuple[str, str]]:
    from agent_soul.gitio import without_credentials

    sight = standing.sight
    if sight is None:
        return [("git", standing.git_said)]
    branch = sight.branch or f"no branch, at {sight.head[:8] or 'no commit'}"
    state = f" ({sight.operation} under way)" if sight.operation else ""
    clone = f", clone {standing.clone}" if standing.clone else ""
    rows = [("git", f"{branch}{state}{clone}")]
    if not sight.url:
        return [*rows, ("remote", "none: events are kept here")]
    distance = f"{sight.ahead} ahead, {sight.behind} behind {sight.upstream}" if sight.upstream else "never fetched"
    together = f"last together {standing.together}" if standing.together else "never together by `soul`"
    return [*rows, ("remote", f"{without_credentials(sight.url)}; {distance}; {together}")]


def _shortened(text: str, width: int = 60) -> str:
    return text if len(text) <= width else f"{text[: width - 1]}…"


@click.command(hidden=True)
@click.option("--check", is_flag=True, help="Exit 1 if a document is not what would be written.")
@hub_option
def docs(check: bool, hub_name: str | None) -> int:
    """Write SCHEMA.md, docs/commands.md and the indexes of the judge (for people who work on agent-soul)."""
    from agent_soul.cli.documents import generated_documents

    documents = generated_documents(open_hub(hub_name).root)
    stale = [path for path, text in documents.items() if not path.is_file() or path.read_text(encoding="utf-8") != text]
    for path in stale:
        show(f"{path.name} {'is out of date; run `soul docs`' if check else 'was written'}")
        if not check:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(documents[path], encoding="utf-8", newline="\n")
    return ExitCode.PROBLEMS if check and stale else ExitCode.DONE
