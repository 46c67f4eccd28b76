"""Which hub a server serves and for whom: what its command line said, looked up again at every call."""

from __future__ import annotations

from typing import NamedTuple

from agent_soul.errors import RefusedError
from agent_soul.hub import Hub, find_hub

_EXAMPLE = "a-z, 0-9 and single hyphens, such as home-mac-claude"


class Place(NamedTuple):
    """What the server was started with: without a `source` each call says one, without a `hub_name` one is found."""

    hub_name: str = ""
    source: str = ""

    @property
    def hub(self) -> Hub:
        """The hub as it is now: one that is moved or mended does not need another server. Raises `RefusedError`."""
        return find_hub(self.hub_name or None)

    def writer(self, given: str) -> str:
        """Return the source that a call names, else the server's. Raises `RefusedError` where neither says one."""
        if given or self.source:
            return given or self.source
        raise RefusedError(
            "nobody said who writes: source is missing",
            hint=f"give source, your own id, chosen once ({_EXAMPLE}); or start the server with `soul mcp --source ID`",
        )
