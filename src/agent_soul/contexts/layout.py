"""Lines under headings, as many as a budget has room for, the first of them in full. Pure."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from enum import IntEnum
from typing import NamedTuple

from agent_soul.pages import Room

_LEAST_LINE = 80
"""Tenths of a token; no line of ours costs less, so that less room is none."""
_MISSES = 40
"""So many lines that did not fit one after the other, and no shorter one is looked for."""


class Form(IntEnum):
    """How much of a statement is shown: what tells whether to look, all of it, or with its detail and reasons too."""

    HEADLINE = 0
    FULL = 1
    DETAILED = 2


class Shown(NamedTuple):
    """A line of a context: the id of its event (empty for one of L0), that id as it is shown, and its text."""

    id: str
    name: str
    text: str


class Piece(NamedTuple):
    """What is shown or left out as one. `headings` stand above it, outermost first; `order` is its place below them.

    `lines` gives it in a form; it is asked when that is needed: most pieces of a large hub are never shown.
    `relevance` says how well it answers the task, from 0 to 1.
    """

    section: str
    headings: tuple[str, ...]
    order: tuple[int, ...]
    lines: Callable[[Form], tuple[Shown, ...]]
    relevance: float = 0.0


class Layout:
    """Pieces taken one after the other, and the room that is `left`, in tenths of a token."""

    def __init__(self, budget: int, frame: Iterable[str]) -> None:
        self.left = budget * 10 - sum(map(cost, frame))
        self._taken: dict[tuple[int, ...], tuple[Piece, Form]] = {}
        self._headings: set[str] = set()

    @property
    def taken(self) -> list[Piece]:
        """The pieces in their places."""
        return [self._taken[order][0] for order in sorted(self._taken)]

    def shown(self, piece: Piece) -> tuple[Shown, ...]:
        """Return the lines of a piece as they were taken."""
        return piece.lines(self._taken[piece.order][1])

    def fill(self, pieces: Iterable[Piece], most: int, form: Form = Form.HEADLINE) -> None:
        """Take those of the pieces, first to last, that there is room for; they may cost `most` tokens together."""
        floor = max(self.left - most * 10, 0)
        misses = 0
        for piece in pieces:
            if self.left - floor < _LEAST_LINE or misses > _MISSES:
                break
            if piece.order in self._taken:
                continue
            needed = self._cost(piece, form)
            misses = 0 if self.left - needed >= floor else misses + 1
            if not misses:
                self.left -= needed
                self._taken[piece.order] = (piece, form)
                self._headings.update(piece.headings)

    def write_out(self, pieces: Iterable[Piece], form: Form) -> None:
        """Give those of the taken pieces one form longer, in `form`, first to last, that there is room for."""
        misses = 0
        for piece in pieces:
            if misses > _MISSES:
                break
            if self._taken.get(piece.order) != (piece, form - 1):
                continue
            needed = _cost_of(piece, form) - _cost_of(piece, Form(form - 1))
            misses = 0 if needed <= self.left else misses + 1
            if not misses:
                self.left -= needed
                self._taken[piece.order] = (piece, form)

    def text(self) -> str:
        """Return the pieces under their headings, an empty line before each outermost one."""
        rows: list[str] = []
        written: set[str] = set()
        for piece in self.taken:
            for heading in piece.headings:
                if heading not in written:
                    rows.append(_row_of(piece, heading))
                    written.add(heading)
            rows += [line.text for line in self.shown(piece)]
        return "\n".join(rows)

    def _cost(self, piece: Piece, form: Form) -> int:
        new = (heading for heading in piece.headings if heading not in self._headings)
        return sum(cost(_row_of(piece, heading)) for heading in new) + _cost_of(piece, form)


def cost(text: str) -> int:
    """Return the tenths of a token that a text with its line end takes, so that texts may be added up."""
    return -Room(0, 0).after(text).tenths


def price(pieces: Sequence[Piece], frame: Iterable[str]) -> int:
    """Return the budget that all pieces in full within the frame need, rounded up to hundreds of tokens."""
    headings = {heading: _row_of(piece, heading) for piece in pieces for heading in piece.headings}
    tenths = sum(map(cost, (*frame, *headings.values()))) + sum(_cost_of(piece, Form.FULL) for piece in pieces)
    return -(-tenths // 1000) * 100


def _cost_of(piece: Piece, form: Form) -> int:
    return sum(cost(line.text) for line in piece.lines(form))


def _row_of(piece: Piece, heading: str) -> str:
    return f"\n{heading}" if heading == piece.headings[0] else heading
