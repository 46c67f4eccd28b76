"""Judgements that a clone has made already, kept in its state folder.

Judging texts is the dearest part of a compile, and of the start of a session. What two statements are to each other
stays the same as long as the judge's rules do. So only the reaches (a project, the person) that changed are looked at,
and in them only the pairs that are new are judged. Without the files, or with other rules, all is judged again: the
result is the same.
"""

from __future__ import annotations

import contextlib
import json
import math
import time
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any

from agent_soul import conflicts, judging
from agent_soul.conflicts import Contradiction, contradictions, stated_for
from agent_soul.digests import blake2b
from agent_soul.errors import StoppedError
from agent_soul.event import Event
from agent_soul.files import put_file, read_regular
from agent_soul.hub import Hub
from agent_soul.judging import Judgement, Label, Statement

_PAIRS = "judgements.json"
_INCOMPLETE = ""
"""In place of the digest of a reach: what was found in those that there was no time to look through."""
_MOST_KEPT = 100_000
_LABELS = frozenset(Label)


@contextlib.contextmanager
def remembered_contradictions(
    hub: Hub, *, keep: bool = True, seconds: float = math.inf
) -> Iterator[RememberedContradictions]:
    """Yield what does as `conflicts.contradictions` does, and looks first into what this clone has found before.

    With `keep` what is new is kept afterwards. Once judging has taken `seconds`, what is new is only counted.
    """
    found = RememberedContradictions(hub, seconds)
    yield found
    if keep and hub.state.is_dir():
        found.save()


def noted_contradictions(hub: Hub) -> NotedContradictions:
    """Return what does as `conflicts.contradictions` does, and knows only what was found before: it judges nothing."""
    reaches = _noted(hub.contradictions, _state_of_the_rules(), "reaches")
    return NotedContradictions(row for rows in reaches.values() if isinstance(rows, list) for row in rows)


class NotedContradictions:
    """Contradictions by the ids of their two events, the older one's first; `ids` are all that stand in one."""

    def __init__(self, rows: Iterable[Any]) -> None:
        self._by_older: dict[str, dict[str, Judgement]] = defaultdict(dict)
        for row in rows:
            with contextlib.suppress(TypeError, ValueError):
                one, other, judgement = _contradiction(*row)
                self._by_older[one][other] = judgement
        self.ids = frozenset(self._by_older).union(*self._by_older.values())

    def __call__(self, events: Sequence[Event]) -> Iterable[Contradiction]:
        by_id = {event.id: event for event in events}
        for one in events:
            for other, judgement in self._by_older.get(one.id, {}).items():
                if other in by_id:
                    yield one, by_id[other], judgement


class RememberedContradictions:
    """What contradicts what in a reach, by the digest of all its statements; of one that changed nothing is known."""

    def __init__(self, hub: Hub, seconds: float) -> None:
        self._file, self._rules = hub.contradictions, _state_of_the_rules()
        self.judge = RememberedJudge(hub.state / _PAIRS, self._rules, seconds)
        self._known = _noted(self._file, self._rules, "reaches")
        self._asked: dict[str, Any] = {}

    @property
    def unjudged(self) -> int:
        """Number of pairs of which nothing is known, as there was no time left."""
        return self.judge.unjudged

    def __call__(self, events: Sequence[Event]) -> Iterable[Contradiction]:
        if len(events) < 2:
            return []
        key, unjudged = _digest(events), self.unjudged
        found = _found_in(events, self._known.get(key))
        if found is not None:
            self._asked[key] = self._known[key]
            return found
        found = list(contradictions(events, self.judge))
        rows = [[one.id, other.id, judgement.rule, *judgement.evidence] for one, other, judgement in found]
        if self.unjudged == unjudged:
            self._asked[key] = rows
        else:
            self._asked[_INCOMPLETE] = [*self._asked.get(_INCOMPLETE, ()), *rows]
        return found

    def save(self) -> None:
        """Write what was asked for now, and nothing else: a reach that changed never is again what it was."""
        if self._asked and self._asked != self._known:
            _note(self._file, self._rules, "reaches", self._asked)
        self.judge.save()


def _digest(events: Sequence[Event]) -> str:
    """Return what changes with every statement; where they hold is the same for all of them."""
    one = stated_for(events[0])
    said = repr((one, [(each.id, each.summary, each.kind, bool(each.valid_until)) for each in events]))
    return blake2b(said.encode("utf-8", "surrogatepass"), digest_size=12).hexdigest()


def _found_in(events: Sequence[Event], rows: Any) -> list[Contradiction] | None:
    """Return what was noted of a reach, or None where nothing is, or nothing that makes sense."""
    place = {event.id: number for number, event in enumerate(events)}
    with contextlib.suppress(TypeError, ValueError, LookupError):
        if rows is None:
            return None
        read = [_contradiction(*row) for row in rows]
        if all(place[one] < place[other] for one, other, _ in read):
            return [(events[place[one]], events[place[other]], judgement) for one, other, judgement in read]
    return None


def _contradiction(one: str, other: str, rule: str, *evidence: str) -> tuple[str, str, Judgement]:
    """Return the two ids and the judgement of a row; raises `TypeError` or `ValueError` for what is none."""
    if not (isinstance(one, str) and isinstance(other, str) and rule):
        raise ValueError(rule)
    return one, other, Judgement(Label.CONFLICT, str(rule), tuple(map(str, evidence)))


class RememberedJudge:
    """Judgements by the digest of their two statements; called as `judging.contradiction` is.

    `unjudged` counts the pairs that nothing is known of, as the `seconds` for judging are over.
    """

    def __init__(self, file: Path, rules: str, seconds: float) -> None:
        self._file, self._rules, self._seconds = file, rules, seconds
        self.unjudged = 0
        self._asked: dict[str, list[str]] = {}

    @cached_property
    def _known(self) -> dict[str, list[str]]:
        """What was judged before; most starts of a session do not need it, and it may be megabytes."""
        with contextlib.suppress(TypeError, LookupError):
            pairs = _noted(self._file, self._rules, "pairs").items()
            return {key: [*map(str, found)] for key, found in pairs if found[0] in _LABELS and found[1]}
        return {}

    def __call__(self, one: Statement, other: Statement) -> Judgement:
        key = blake2b(repr((*one, *other)).encode("utf-8", "surrogatepass"), digest_size=12).hexdigest()
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
        if not self._asked or self._asked.keys() <= self._known.keys():
            return
        known = self._known | self._asked
        kept = known if len(known) <= _MOST_KEPT else dict(list(self._asked.items())[:_MOST_KEPT])
        _note(self._file, self._rules, "pairs", kept)


def _noted(file: Path, rules: str, what: str) -> dict[str, Any]:
    """Return what a file says under these rules; nothing where it is not there or cannot be used."""
    with contextlib.suppress(StoppedError, ValueError, TypeError, LookupError, RecursionError):
        noted = json.loads(read_regular(file))
        if noted["rules"] == rules and isinstance(noted[what], dict):
            return dict(noted[what])
    return {}


def _note(file: Path, rules: str, what: str, known: Mapping[str, Any]) -> None:
    content = json.dumps({"rules": rules, what: known}, ensure_ascii=False, separators=(",", ":"))
    with contextlib.suppress(StoppedError, OSError, ValueError):  # it only saves time
        put_file(file, content.encode())


def _state_of_the_rules() -> str:
    """Return what changes with every file of the judge, as Python tells compiled modules that are out of date."""
    files = [*sorted(Path(judging.__file__).parent.glob("*.*")), Path(conflicts.__file__)]
    seen = [(file.name, file.stat().st_size, file.stat().st_mtime_ns) for file in files]
    return blake2b(repr(seen).encode(), digest_size=12).hexdigest()
