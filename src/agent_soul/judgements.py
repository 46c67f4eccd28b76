"""Judgements that a clone has made already, kept in its state folder.

Judging texts is the dearest part of a compile, and what two statements are to each other stays the same as long as the
judge's rules do. So a compile judges only the pairs that are new. Without the file, or with other rules, all are judged
again: the result is the same.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import math
import time
from collections.abc import Iterator
from pathlib import Path

from agent_soul import judging
from agent_soul.errors import StoppedError
from agent_soul.files import read_regular, replace_file
from agent_soul.hub import Hub
from agent_soul.judging import Judgement, Label, Statement

_FILE = "judgements.json"
_MOST_KEPT = 100_000


@contextlib.contextmanager
def remembered_judge(hub: Hub, *, keep: bool = True, seconds: float = math.inf) -> Iterator[RememberedJudge]:
    """Yield who finds contradictions, and looks first into what this clone has judged before.

    With `keep` what is new is kept afterwards. Once judging has taken `seconds`, what is new is only counted.
    """
    judge = RememberedJudge(hub.state / _FILE, seconds)
    yield judge
    if keep and hub.state.is_dir():
        judge.save()


class RememberedJudge:
    """Judgements by the digest of their two statements; called as `judging.contradiction` is.

    `unjudged` counts the pairs that nothing is known of, as there was no time left.
    """

    def __init__(self, file: Path, seconds: float) -> None:
        self._file, self._seconds, self._rules = file, seconds, _state_of_the_rules()
        self.unjudged = 0
        self._known = self._read()
        self._asked: dict[str, list[str]] = {}

    def __call__(self, one: Statement, other: Statement) -> Judgement:
        key = hashlib.blake2b(repr((*one, *other)).encode("utf-8", "surrogatepass"), digest_size=12).hexdigest()
        found = self._known.get(key)
        if found is None and self._seconds <= 0:
            self.unjudged += 1
            return Judgement(Label.DISTINCT, "not compared")
        if found is None:
            started = time.monotonic()
            judgement = judging.contradiction(one, other)
            found = [judgement.label, judgement.rule, *judgement.evidence]
            self._seconds -= time.monotonic() - started
        self._asked[key] = found
        label, rule, *evidence = found
        return Judgement(Label(label), rule, tuple(evidence))

    def save(self) -> None:
        """Write what was judged now beside what is known; of too much only what was asked for now."""
        if self._asked.keys() <= self._known.keys():
            return
        known = self._known | self._asked
        kept = known if len(known) <= _MOST_KEPT else dict(list(self._asked.items())[:_MOST_KEPT])
        content = json.dumps({"rules": self._rules, "pairs": kept}, ensure_ascii=False, separators=(",", ":"))
        with contextlib.suppress(StoppedError, OSError, ValueError):  # it only saves time
            replace_file(self._file, content.encode())

    def _read(self) -> dict[str, list[str]]:
        with contextlib.suppress(StoppedError, ValueError, TypeError, LookupError, AttributeError, RecursionError):
            noted = json.loads(read_regular(self._file))
            if noted["rules"] == self._rules:
                return {
                    key: [*map(str, found)]
                    for key, found in noted["pairs"].items()
                    if found[0] in [*Label] and found[1]
                }
        return {}


def _state_of_the_rules() -> str:
    """Return what changes with every file of the judge, as Python tells compiled modules that are out of date."""
    folder = Path(judging.__file__).parent
    seen = [(file.name, file.stat().st_size, file.stat().st_mtime_ns) for file in sorted(folder.glob("*.*"))]
    return hashlib.blake2b(repr(seen).encode(), digest_size=12).hexdigest()
