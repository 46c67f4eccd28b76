"""`doctor`, `init` and `docs`: the state of the hub, its beginning, and the generated documents."""

from __future__ import annotations

from dataclasses import asdict

import click

from agent_soul.cli.common import hub_option, open_hub, output_options, say, show, show_json, with_commands
from agent_soul.errors import ExitCode, RefusedError


@click.command()
@output_options
def doctor(as_json: bool, hub_name: str | None) -> int:
    """Name what is wrong with the hub and what mends it. Exit 1 if there is anything."""
    from agent_soul.adding import local_now
    from agent_soul.cli.compiling import odd_events
    from agent_soul.doctor import examine
    from agent_soul.log import parse_log, read_source_files
    from agent_soul.outbox import entries, with_waiting

    hub = open_hub(hub_name)
    log = parse_log(read_source_files(hub.root))
    problems = [*log.problems, *odd_events(hub, log), *entries(hub)[1]]
    findings = examine(hub, problems, with_waiting(hub, log).events, local_now())
    if as_json:
        show_json(ok=not findings, findings=[asdict(finding) for finding in findings])
    else:
        for finding in findings:
            show(f"{finding.where}: {finding.what}\n  why: {finding.why}\n  mend: {with_commands(finding.mend)}")
        say(f"{len(findings)} findings" if findings else "nothing to mend")
    return ExitCode.PROBLEMS if findings else ExitCode.DONE


@click.command()
@click.option("--here", is_flag=True, help="Make this copy of the template a hub of your own.")
@click.option("--source", default="soul-init", show_default=True, metavar="ID", help="Who records that.")
@output_options
def init(here: bool, source: str, as_json: bool, hub_name: str | None) -> int:
    """Begin a hub: `soul init --here`, in a copy of the template."""
    from agent_soul.initialise import initialise_here

    if not here:
        raise RefusedError("say where: `soul init --here` turns this copy of the template into your own hub")
    outcome = initialise_here(open_hub(hub_name), source)
    if as_json:
        show_json(ok=True, done=list(outcome.done), next_steps=list(outcome.next_steps))
        return ExitCode.DONE
    for line in outcome.done or ("it was a hub of its own already",):
        show(line)
    for number, step in enumerate(outcome.next_steps, start=1):
        show(f"{number}. {with_commands(step)}")
    return ExitCode.DONE


@click.command(hidden=True)
@click.option("--check", is_flag=True, help="Exit 1 if a document is not what would be written.")
@hub_option
def docs(check: bool, hub_name: str | None) -> int:
    """Write SCHEMA.md and the command help in the READMEs (for people who work on agent-soul)."""
    from agent_soul.cli.documents import generated_documents

    documents = generated_documents(open_hub(hub_name).root)
    stale = [path for path, text in documents.items() if not path.is_file() or path.read_text(encoding="utf-8") != text]
    for path in stale:
        show(f"{path.name} {'is out of date; run `soul docs`' if check else 'was written'}")
        if not check:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(documents[path], encoding="utf-8", newline="\n")
    return ExitCode.PROBLEMS if check and stale else ExitCode.DONE
