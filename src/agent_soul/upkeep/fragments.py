"""Passing remarks that are worth keeping: which, why, and the statement that keeps each. Pure.

A line of the daily log or of fuzzy memory is worth keeping if the user said it, if it tells of a decision, if it is a
correction, or if another source says the same; and if neither the lines that are always loaded nor a project's page say
it yet. The words are those of English and Chinese.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from agent_soul.acts import MARK_KINDS
from agent_soul.event import Event, is_report_of_upkeep
from agent_soul.repeating import PASSING, repeated_pairs
from agent_soul.resolve import Resolution, Status, Verdict
from agent_soul.settling import place_of
from agent_soul.upkeep.records import writable

SAID, DECISION, CORRECTION, CORROBORATED = "said by the user", "a decision", "a correction", "another source says it"

_USER_SAID = re.compile(
    r"\b(?:the )?user (?:said|says|asked|asks|wants?|wanted|told|prefers?|preferred|insist(?:s|ed)?|request(?:s|ed)?"
    r"|confirm(?:s|ed)|decided|likes?|dislikes?|hates?)\b|\b(?:according to|as told by) the user\b|^user: "
    r"|用户(?:说|要求|希望|想要|表示|确认|决定|指出|强调|喜欢|不喜欢|偏好|提出|告诉|明确|：)",
    re.IGNORECASE,
)
_DECIDED = re.compile(
    r"\b(?:decided|decision|agreed (?:to|on|that)|chose|settled on|going with|went with|opted (?:for|to)|approved"
    r"|switched to|adopted)\b"
    r"|决定|敲定|定为|定下|选定|选用|采用|改用|改为|同意|批准|拍板|商定|约定|弃用|不再使用",
    re.IGNORECASE,
)
_UNDECIDED = re.compile(
    r"\b(?:not|never|nothing|hasn't|haven't|isn't)(?: \w+){0,2} (?:decided|agreed|approved|adopted)\b"
    r"|\b(?:no|a pending|before a) decision\b|(?:尚未|还没有?|没有?|未|不)(?:决定|敲定|同意|批准|采用|选定|拍板)",
    re.IGNORECASE,
)
_CORRECTING = re.compile(r"^(?:correction|更正|纠正)[:：]", re.IGNORECASE)
_ASKED = re.compile(r"[?？]\s*$")

_LASTING = frozenset({"profile", "stable", "project"})
_NEVER = MARK_KINDS | {"metric", "topic", "task", "temporary"}
_REPORTS = frozenset({"observation", "note"})
_CARRIED = ("title", "detail", "decision", "lesson", "claim", "valid_from", "valid_until")


class Fragment(NamedTuple):
    """A remark that is worth keeping: its newest wording, all that say it (oldest first), and the reasons."""

    newest: Event
    said: tuple[Event, ...]
    reasons: tuple[str, ...]

    def statement(self) -> dict[str, Any]:
        """Return the record of the event that keeps it; the remark itself stays where it is."""
        event, kind = self.newest, self.newest.kind
        if kind in _REPORTS:
            kind = "correction" if CORRECTION in self.reasons else "decision" if DECISION in self.reasons else "fact"
        record = {"kind": kind, **_place(event, kind), "summary": writable(event.summary)}
        record |= {name: event.data[name] for name in _CARRIED if name in event.data}
        importance = max(each.importance for each in self.said)
        return record | {"importance": importance, "derived_from": [each.id for each in self.said]}


def find_fragments(resolution: Resolution) -> list[Fragment]:
    """Return the remarks that are worth keeping and are not kept yet, newest first.

    What an event was made from before, also one that was taken back since, is not proposed again.
    """
    made_from = {id_ for v in resolution.verdicts for id_ in v.event.data.get("derived_from", ())}
    remarks = [v for v in resolution.verdicts if _is_remark(v) and v.event.id not in made_from]
    lasting = [v.event for v in resolution.active if v.event.scope in _LASTING]
    alike = _alike(remarks, lasting)
    kept = {event.id for event in lasting}
    found: list[Fragment] = []
    taken: set[str] = set()
    for verdict in reversed(remarks):
        others = alike[verdict.event.id]
        if verdict.event.id in taken or others.keys() & kept:
            continue
        group = [v for v in remarks if v.event.id == verdict.event.id or v.event.id in others]
        taken |= {v.event.id for v in group}
        if reasons := _reasons(group, resolution):
            found.append(Fragment(verdict.event, tuple(v.event for v in group), reasons))
    return found


def _is_remark(verdict: Verdict) -> bool:
    event = verdict.event
    standing = verdict.status in (Status.ACTIVE, Status.STALE)
    return standing and event.scope in PASSING and event.kind not in _NEVER and not is_report_of_upkeep(event)


def _alike(remarks: Iterable[Verdict], lasting: Sequence[Event]) -> Mapping[str, dict[str, Event]]:
    """Return what says the same as each remark, by id; what it is about does not matter, for a remark seldom says."""
    ids = frozenset(verdict.event.id for verdict in remarks)
    events = sorted([*(verdict.event for verdict in remarks), *lasting], key=lambda event: event.sort_key)
    alike: dict[str, dict[str, Event]] = defaultdict(dict)
    for one, other in repeated_pairs(events, ids, lambda _: None):
        alike[one.id][other.id] = other
        alike[other.id][one.id] = one
    return alike


def _reasons(group: Sequence[Verdict], resolution: Resolution) -> tuple[str, ...]:
    sources = set().union(*(_sources(verdict, resolution) for verdict in group))
    told = {reason for verdict in group for reason in _told(verdict.event)}
    told |= {CORROBORATED} if len(sources) > 1 else set()
    return tuple(reason for reason in (SAID, DECISION, CORRECTION, CORROBORATED) if reason in told)


def _sources(verdict: Verdict, resolution: Resolution) -> set[str]:
    """Return who said it: of a merge, those whose words it was made from."""
    made_from = [resolution.by_id[id_] for id_ in verdict.event.data.get("derived_from", ()) if id_ in resolution.by_id]
    return {each.event.source for each in made_from} or {verdict.event.source, *verdict.sources}


def _told(event: Event) -> Iterable[str]:
    text = event.summary
    if _USER_SAID.search(text):
        yield SAID
    if event.kind == "decision" or (not _ASKED.search(text) and _DECIDED.search(_UNDECIDED.sub(" ", text))):
        yield DECISION
    if event.kind == "correction" or _CORRECTING.search(text):
        yield CORRECTION


def _place(event: Event, kind: str) -> dict[str, str]:
    """Return where it is kept as `kind`: with its project if it names one, else with the person or in stable memory."""
    place = place_of(event)
    if "project" in place:
        return {"scope": "project", "project": place["project"]}
    return {"scope": "profile" if kind in ("preference", "correction") else "stable"}
