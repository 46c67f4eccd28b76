"""`lesson`, `metric`, `decision`, `fact` and `topic`: the common events in one short line."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from agent_soul import adding, recording
from agent_soul.cli.common import line_of, open_hub, output_options, say, show, show_added, show_json
from agent_soul.cli.fields import finite_number, require, to_record
from agent_soul.cli.options import shared_options, with_options
from agent_soul.cli.text_command import TextCommand
from agent_soul.errors import ExitCode, RefusedError
from agent_soul.hub import Hub
from agent_soul.settings import load_config

if TYPE_CHECKING:
    from agent_soul.metrics import Crossing, Series


@click.command(cls=TextCommand)
@click.argument("text")
@with_options("context", "applies_to")
@shared_options
@output_options
def lesson(text: str, as_json: bool, hub_name: str | None, **fields: Any) -> int:
    """Record what was learned. It stands on the page of --agent, else of --project, else of the source."""
    return _add(open_hub(hub_name), recording.lesson({"summary": text, **to_record(fields)}))


@click.command(cls=TextCommand)
@click.argument("text")
@with_options("rationale", "decision_status", "decided_by")
@shared_options
@output_options
def decision(text: str, as_json: bool, hub_name: str | None, **fields: Any) -> int:
    """Record a decision, for --project or for everything. It is approved, unless --status says otherwise."""
    return _add(open_hub(hub_name), recording.decision({"summary": text, **to_record(fields)}))


@click.command(cls=TextCommand)
@click.argument("text", required=False)
@with_options("entity", "attribute", "value")
@shared_options
@output_options
def fact(text: str | None, as_json: bool, hub_name: str | None, **fields: Any) -> int:
    """Record a fact, as TEXT, in parts, or both. Two values of one attribute of one entity are a conflict."""
    given = to_record(fields)
    if not text and "claim" not in given:
        raise RefusedError("there is no fact", hint="give it as text, or by --entity, --attribute and --value")
    return _add(open_hub(hub_name), recording.fact(given | ({"summary": text} if text else {})))


@click.command(cls=TextCommand)
@click.argument("name", required=False)
@click.argument("value", required=False)
@with_options("target", "unit")
@shared_options
@click.option("--check", is_flag=True, help="Exit 1 if a limit of soul.yaml is crossed; records nothing.")
@output_options
def metric(name: str | None, value: str | None, check: bool, as_json: bool, hub_name: str | None, **fields: Any) -> int:
    """Record a measurement; without VALUE show the history and trend of NAME, or of all metrics.

    A target or unit holds until another is given. Limits are the `thresholds` of soul.yaml.
    """
    hub, whose = open_hub(hub_name), fields["project"] or fields["agent"] or ""
    if name is None or value is None or check:
        return _show_metrics(hub, name or "", whose, check=check, as_json=as_json)
    if finite_number(value) is None:
        raise RefusedError(f"{value!r} is not a number", hint=f"such as: soul metric {name} 0.87")
    code = _add(hub, recording.metric(to_record({"metric": name, "value": value, **fields})))
    for crossing in _measured(hub, name, whose)[1] if load_config(hub)[0].thresholds else ():  # else no log is read
        say(f"limit crossed: {crossing}")
    return code


@click.command(cls=TextCommand)
@click.argument("slug")
@click.argument("text", required=False)
@shared_options
@output_options
def topic(slug: str, text: str | None, as_json: bool, hub_name: str | None, **fields: Any) -> int:
    """Say what is true of a topic now, in TEXT and --detail. It replaces what was, which its page keeps as history.

    Without TEXT show what is true of it.
    `[[ID]]` in the text or detail, and --derived-from, name the evidence; the page shows what became of each.
    """
    from agent_soul.topics import truth

    hub = open_hub(hub_name)
    if text is None:
        if to_record(fields).keys() - {"source"}:
            raise click.UsageError("Missing argument 'TEXT'.")
        return _show_topic(hub, slug, as_json=as_json)
    return _add(hub, truth(hub, slug, {"summary": text, **to_record(fields)}))


def _show_topic(hub: Hub, slug: str, *, as_json: bool) -> int:
    """Print what is true of a topic now; two machines may have said it each."""
    from agent_soul.topics import of_any_spelling

    found = of_any_spelling(hub, slug)
    if not found:
        hint = f'say what is true of it: `soul topic {slug} "TEXT" --source YOUR-ID`; `soul search` finds others'
        raise RefusedError(f"nothing is known of the topic {slug!r}", hint=hint)
    if as_json:
        show_json(ok=True, total=len(found), events=[event.data for event in found])
        return ExitCode.DONE
    for event in found:
        show("\n".join(filter(None, [line_of(event), event.detail])))
    return ExitCode.DONE


def _add(hub: Hub, record: dict[str, Any]) -> int:
    require(record, "source", "summary")
    show_added(adding.add(hub, record))
    return ExitCode.DONE


def _measured(hub: Hub, name: str, whose: str) -> tuple[list[Series], list[Crossing]]:
    """Return the series of that name, or all, and the limits that they cross. A project may go by any of its names."""
    from agent_soul.compiler import resolve_hub
    from agent_soul.metrics import crossings, find_series, metric_series
    from agent_soul.projects import aliases_of

    resolution = resolve_hub(hub)
    series = metric_series(resolution)
    found = find_series(series, name, aliases_of(resolution).name_for(whose)) if name else series
    return found, [each for each in crossings(resolution, load_config(hub)[0].thresholds) if each.series in found]


def _show_metrics(hub: Hub, name: str, whose: str, *, check: bool, as_json: bool) -> int:
    """Print the metrics and the limits that are crossed; with `check` the exit code says whether there are any."""
    from agent_soul.reports import metric_text, plot_text

    series, crossed = _measured(hub, name, whose)
    if name and not series:
        raise RefusedError(f"nothing was measured as {name!r}", hint=f"record it: soul metric {name} VALUE --source ID")
    if as_json:
        show_json(
            ok=not (check and crossed), metrics=[_fields(each) for each in series], crossed=list(map(str, crossed))
        )
    for each in () if as_json or check else series:
        show(f"{metric_text(each)}\n  {plot_text(each)}")
    if check and not load_config(hub)[0].thresholds:
        say("soul.yaml has no `thresholds`, so nothing has a limit: a target is none")
    for crossing in crossed:
        (say if as_json else show)(f"limit crossed: {crossing}")
    return ExitCode.PROBLEMS if check and crossed else ExitCode.DONE


def _fields(series: Any) -> dict[str, Any]:
    points = [{"id": event.id, "date": event.date, "value": event.data["metric"]["value"]} for event in series]
    return {
        "name": series.name,
        "of": series.whose,
        "value": series.values[-1],
        "target": series.target,
        "unit": series.unit,
        "trend": series.trend,
        "history": points,
    }
