"""Check that the labelled tasks and the hub that `build_hub.py` made of the records agree.

Run: `python check_labels.py HUB_DIR`. Prints the faults, a line each; exits with 1 if there are any.
"""

from __future__ import annotations

import argparse
import re
import sys
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Any

from records.shaping import Event, json_lines

Task = Mapping[str, Any]

_TASKS = Path(__file__).parent / "tasks.jsonl"
_HOW_MANY = 40
_LEAST_OF_TAG = {"zh": 6, "no-project": 10, "lessons": 5, "metrics": 5, "decisions": 5, "paraphrase": 5}
_END = date(2026, 8, 20)
_FUZZY_LIFE = timedelta(days=7)


def main() -> None:
    """Print the faults of the tasks beside this file over the hub that is named."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("hub", type=Path, metavar="HUB_DIR")
    events = list(json_lines(sorted(parser.parse_args().hub.glob("sources/*/*.ndjson"))))
    tasks = list(json_lines([_TASKS]))
    faults = check_labels(events, tasks)
    sys.stdout.write(
        "".join(f"{fault}\n" for fault in faults) or f"{len(tasks)} tasks, {len(events)} events: no faults\n"
    )
    sys.exit(bool(faults))


def check_labels(events: Sequence[Event], tasks: Sequence[Task]) -> list[str]:
    """Return what is wrong with the events, with each task and with the tasks as a set, a line each."""
    hub = _Hub(events)
    return [
        *(f"{event['event_id']}: {fault}" for event in events for fault in _event_faults(event, hub)),
        *(f"{task['id']}: {fault}" for task in tasks for fault in _task_faults(task, hub)),
        *_set_faults(tasks),
    ]


class _Hub:
    """The events by id, and since when each is superseded."""

    def __init__(self, events: Sequence[Event]) -> None:
        self.events = {event["event_id"]: event for event in events}
        self.ids = Counter(event["event_id"] for event in events)
        self.superseded: dict[str, date] = {}
        for event in events:
            for id_ in event.get("supersedes", ()):
                self.superseded[id_] = min(_day(event), self.superseded.get(id_, date.max))

    def values(self, field: str) -> set[Any]:
        return {event.get(field) for event in self.events.values()}

    def status(self, id_: str, today: date) -> str:
        """Return what an event is on a day, as the design has it; no day of grace for the fuzzy ones."""
        event = self.events[id_]
        if _day(event) > today:
            return "scheduled"
        if self.superseded.get(id_, date.max) <= today:
            return "superseded"
        if event.get("valid_until", "9999") < today.isoformat():
            return "expired"
        return "stale" if event["scope"] == "fuzzy" and _day(event) < today - _FUZZY_LIFE else "active"


def _instant(event: Event) -> datetime:
    return datetime.fromisoformat(event["ts"]).astimezone(UTC)


def _day(event: Event) -> date:
    return _instant(event).date()


def _event_faults(event: Event, hub: _Hub) -> Iterator[str]:
    if hub.ids[event["event_id"]] > 1:
        yield "more than one event of this id"
    if not re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", event["source"]):
        yield f"source {event['source']!r}"
    if not 2 <= len(event["summary"]) <= 500 or "\n" in event["summary"]:
        yield f"summary {event['summary']!r}"
    if len(event.get("detail", "").encode()) > 16_384:
        yield "the detail is too long"
    if event["scope"] in {"project", "agent"} and event["scope"] not in event:
        yield f"no {event['scope']}"
    for id_ in event.get("supersedes", ()):
        if id_ not in hub.events or _instant(hub.events[id_]) > _instant(event):
            yield f"supersedes {id_}, which is unknown or newer"


def _task_faults(task: Task, hub: _Hub) -> Iterator[str]:
    yield from _asking_faults(task, hub)
    yield from _label_faults(task, hub)
    if "metrics" in task["tags"]:
        yield from _metric_faults(task, hub)


def _asking_faults(task: Task, hub: _Hub) -> Iterator[str]:
    is_chinese = bool(re.search("[\u4e00-\u9fff]", task["task"]))
    words = len(task["task"].split())
    if not is_chinese and not 6 <= words <= 25:
        yield f"{words} words, 6 to 25 wanted"
    if task["project"] and task["project"] not in hub.values("project"):
        yield f"project {task['project']!r}"
    if task["agent"] and task["agent"] not in hub.values("source"):
        yield f"agent {task['agent']!r}"
    if is_chinese != ("zh" in task["tags"]):
        yield "the tag zh"
    if (task["project"] is None) != ("no-project" in task["tags"]):
        yield "the tag no-project"


def _label_faults(task: Task, hub: _Hub) -> Iterator[str]:
    needed, alternatives = task["needed"], task.get("alternatives", {})
    if not 2 <= len(needed) <= 12:
        yield f"{len(needed)} needed, 2 to 12 wanted"
    if len(set(needed)) < len(needed):
        yield "an event is needed twice"
    for id_, others in alternatives.items():
        if id_ not in needed or set(others) & set(needed):
            yield f"alternatives of {id_}"
    for id_ in [*needed, *(other for others in alternatives.values() for other in others)]:
        if id_ in hub.events:
            yield from _status_faults(id_, date.fromisoformat(task["today"]), hub)
        else:
            yield f"no event {id_}"


def _status_faults(id_: str, today: date, hub: _Hub) -> Iterator[str]:
    """Yield where the event is not active on the day and at the end, when it may have gone stale."""
    for day, allowed in ((today, {"active"}), (_END, {"active", "stale"})):
        if (status := hub.status(id_, day)) not in allowed:
            yield f"{id_} is {status} on {day}"


def _metric_faults(task: Task, hub: _Hub) -> Iterator[str]:
    """Yield the metrics whose newest value on the day is not among the needed."""
    today = date.fromisoformat(task["today"])
    known = [event for event in hub.events.values() if "metric" in event and _day(event) <= today]
    newest = {event["metric"]["name"]: event["event_id"] for event in sorted(known, key=_instant)}
    for name in {event["metric"]["name"] for event in known if event["event_id"] in task["needed"]}:
        if newest[name] not in task["needed"]:
            yield f"{name} has a newer value, {newest[name]}"


def _set_faults(tasks: Sequence[Task]) -> Iterator[str]:
    different = len({task["task"] for task in tasks})
    if len(tasks) != _HOW_MANY or different != _HOW_MANY:
        yield f"{len(tasks)} tasks, {different} of them different; {_HOW_MANY} wanted"
    tags = Counter(tag for task in tasks for tag in task["tags"])
    for tag, least in _LEAST_OF_TAG.items():
        if tags[tag] < least:
            yield f"{tags[tag]} tasks with the tag {tag}, at least {least} wanted"


if __name__ == "__main__":
    main()
