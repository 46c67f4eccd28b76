"""Any other program: the text to paste where it takes instructions."""

from __future__ import annotations

from agent_soul.runtimes.model import Paste, Runtime

RUNTIME = Runtime(
    name="generic",
    title="Any other program",
    short="agent",
    paste=Paste("where the program takes instructions for every session"),
    afterwards=("paste the text where the program takes instructions for every session",),
    check="ask in a new session what it knows about you",
)
