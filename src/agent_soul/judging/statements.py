"""What is judged, and what is said of it. Whoever remembers judgements needs no more, and no rule is loaded for it."""

from __future__ import annotations

from enum import StrEnum
from typing import NamedTuple


class Label(StrEnum):
    """What two statements are to each other."""

    DUPLICATE = "duplicate"
    CONFLICT = "conflict"
    DISTINCT = "distinct"


class Statement(NamedTuple):
    """What is judged: a text, the kind of its event, where it holds, and whether it holds for a time only."""

    text: str
    kind: str = "fact"
    reach: tuple[str, ...] = ("stable", "")
    is_temporary: bool = False


class Judgement(NamedTuple):
    """A label, the rule that gave it, and what a person should see of the reason, of the first statement first."""

    label: Label
    rule: str
    evidence: tuple[str, ...] = ()
