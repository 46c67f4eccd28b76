"""`python -m agent_soul`."""

from agent_soul.start import main

raise SystemExit(main())
