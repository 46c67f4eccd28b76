"""Make the hub of the context-quality benchmark from the third-party records in a folder.

Writes events of the design's shape below OUT_DIR/sources. Deterministic: no clock, no random numbers, sorted input.
None of the third-party text is kept here: what to take is named by file, by pattern of a heading or by id.
Run: `python build_hub.py SHARED_DIR OUT_DIR`. Prints counts and, last, a hash of all events.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import sys
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from itertools import chain
from pathlib import Path

from records.exports import beads, commits, mcp, public_hubs
from records.figures import issue_figures, workspace_figures
from records.folders import autometta, brainforge, madr
from records.openclaw import openclaw
from records.shaping import Event, superseding

CORRECTIONS = Path(__file__).parent / "corrections.json"


def main() -> None:
    """Write the hub and print what is in it."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("shared", type=Path, metavar="SHARED_DIR", help="the folder that holds the records in `data`")
    parser.add_argument("out", type=Path, metavar="OUT_DIR", help="the folder of the hub")
    options = parser.parse_args()
    events = build_events(options.shared / "data")
    files = source_files(events)
    for name, text in files.items():
        file = options.out / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8", newline="\n")
    sys.stdout.write(summary_of(events, files))


def build_events(data: Path) -> list[Event]:
    """Return the events of all records, with the supersessions that were made by hand."""
    corrections = json.loads(CORRECTIONS.read_text(encoding="utf-8"))
    events = [
        *openclaw(data),
        *workspace_figures(data),
        *autometta(data),
        *brainforge(data),
        *beads(data, corrections["forced_issues"]),
        *issue_figures(data),
        *mcp(data, "think-tank", "laptop-cursor"),
        *mcp(data, "dmetrics-go", "laptop-windsurf"),
        *madr(data),
        *public_hubs(data),
        *commits(data),
    ]
    return corrected(events, corrections["supersedes"])


def corrected(events: Iterable[Event], supersedes: Mapping[str, list[str]]) -> list[Event]:
    """Return the events with what supersedes what; raise KeyError for an id that no event has."""
    by_id = {event["event_id"]: event for event in events}
    if unknown := {*supersedes, *chain(*supersedes.values())} - by_id.keys():
        raise KeyError(f"{CORRECTIONS.name} names events that the records do not give: {', '.join(sorted(unknown))}")
    for newer, older in supersedes.items():
        by_id[newer] = superseding(by_id[newer], older)
    return list(by_id.values())


def source_files(events: Iterable[Event]) -> dict[str, str]:
    """Return the text of each file of the hub by its name: one for each source and UTC day, in the order of time."""
    files: dict[str, list[tuple[datetime, str, str]]] = defaultdict(list)
    for event in events:
        moment = datetime.fromisoformat(event["ts"]).astimezone(UTC)
        clone = hashlib.sha256(event["source"].encode()).hexdigest()[:8]
        name = f"sources/{event['source']}/{moment.date()}.{clone}.ndjson"
        files[name].append((moment, event["event_id"], json.dumps(event, ensure_ascii=False)))
    return {name: "".join(f"{line}\n" for *_, line in sorted(rows)) for name, rows in sorted(files.items())}


def summary_of(events: list[Event], files: Mapping[str, str]) -> str:
    """Return the counts by field, the characters, and the hash of all names and texts."""
    counts = {field: Counter(event.get(field) for event in events) for field in ("project", "source", "kind", "scope")}
    older = [event["supersedes"] for event in events if "supersedes" in event]
    summaries = sum(len(event["summary"]) for event in events)
    details = sum(len(event.get("detail", "")) for event in events)
    whole = "".join(f"{name}\0{text}" for name, text in files.items())
    return "\n".join(
        [
            f"{len(events)} events {len(files)} files",
            *(f"{field} {dict(counter.most_common())}" for field, counter in counts.items()),
            f"superseding {len(older)} superseded {len({id_ for ids in older for id_ in ids})}",
            f"characters of summaries {summaries} with details {summaries + details}",
            f"sha256 {hashlib.sha256(whole.encode()).hexdigest()}\n",
        ]
    )


if __name__ == "__main__":
    main()
