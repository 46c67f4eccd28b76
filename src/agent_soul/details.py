"""What an event says besides its summary. Pure."""

from __future__ import annotations

from agent_soul.event import Event
from agent_soul.text import neutralise

_MAY_HAVE_MORE = frozenset({"detail", "decision", "lesson"})


def more_to_say(event: Event) -> list[str]:
    """Return what an event says besides its summary: its detail, then what its kind adds."""
    if _MAY_HAVE_MORE.isdisjoint(event.data):
        return []
    rows = event.detail.split("\n")
    decision, lesson = event.data.get("decision", {}), event.data.get("lesson", {})
    applies = lesson.get("applies_to", "")
    named = {
        "Why": decision.get("rationale"),
        "Decided by": decision.get("by"),
        "Learned in": lesson.get("context"),
        "Applies to": applies if isinstance(applies, str) else ", ".join(applies),
    }
    rows += [f"{name}: {text}" for name, text in named.items() if text]
    return [row for row in map(neutralise, rows) if row]
