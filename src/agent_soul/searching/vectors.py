"""What a model makes of each text, kept beside the index: a vector is expensive to make and never changes.

The store knows texts by their digests and no events, so it outlives an index, and two statements share a vector.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Mapping
from typing import Any

from agent_soul.hub import Hub
from agent_soul.searching.index import connect

_FILE = "vectors.sqlite"
_SCHEMA = "CREATE TABLE IF NOT EXISTS vector (model TEXT, key INTEGER, vector BLOB, PRIMARY KEY (model, key))"


class Vectors:
    """The vectors of one model, as rows of half floats. Where the store cannot be kept it lasts for the process."""

    def __init__(self, hub: Hub, model: str) -> None:
        self._model = model
        try:
            hub.state.mkdir(parents=True, exist_ok=True)
            self._database = connect(hub.state / _FILE)
            self._database.execute(_SCHEMA)
        except (OSError, sqlite3.Error):
            self._database = connect(":memory:")
            self._database.execute(_SCHEMA)

    def load(self) -> dict[int, bytes]:
        """Return every vector of the model by the key of its text."""
        return dict(self._database.execute("SELECT key, vector FROM vector WHERE model = ?", (self._model,)))

    def add(self, vectors: Mapping[int, Any]) -> None:
        """Keep vectors by the keys of their texts."""
        import numpy as np

        rows = [(self._model, key, np.asarray(vector, dtype=np.float16).tobytes()) for key, vector in vectors.items()]
        self._database.execute("BEGIN IMMEDIATE")
        self._database.executemany("INSERT OR REPLACE INTO vector VALUES (?, ?, ?)", rows)
        self._database.execute("COMMIT")

    def drop_others(self, keys: Iterable[int]) -> None:
        """Forget what no event says any more, and what other models made."""
        gone = self.load().keys() - set(keys)
        self._database.execute("DELETE FROM vector WHERE model != ?", (self._model,))
        self._database.executemany("DELETE FROM vector WHERE key = ?", [(key,) for key in gone])
