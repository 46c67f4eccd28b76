"""`python -m agent_soul`."""

from agent_soul.start import run

run()
