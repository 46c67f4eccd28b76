"""Parts of the records that upkeep writes: what was read may be longer than what may be written. Pure."""

from __future__ import annotations

from agent_soul.markdown import shorten

MAX_SUMMARY = 500
"""Code points of a summary that may be written; see the event schema."""


def writable(summary: str) -> str:
    """Return a summary as it may be written again: an old line's may be longer, and two code points are the least."""
    return shorten(summary, MAX_SUMMARY) if len(summary) > 1 else f"{summary}."
