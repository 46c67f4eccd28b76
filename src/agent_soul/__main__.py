"""`python -m agent_soul`."""

from agent_soul.cli import main

raise SystemExit(main())
