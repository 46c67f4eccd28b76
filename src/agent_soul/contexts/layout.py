"""Lines under headings, as many as a budget has room for. Pure."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

from agent_soul.pages import Budget, Room

NO_LIMIT = 1 << 40
_LEAST_LINE = 80
"""Tenths of a token; no line of ours costs less, so that less room is none."""
_MISSES = 40
"""So many lines that did not fit one after the other, and no shorter one is looked for."""


class Shown(NamedTuple):
    """A line of a context: the id of its event (empty for one of L0), that id as it is shown, and its text."""

    id: str
    name: str
    text: str


class Piece(NamedTuple):
    """What is shown or left out as one. `headings` stand above it, outermost first; `order` is its place below them.

    Its lines are made when somebody asks: most pieces of a large hub are never shown.
    """

    section: str
    headings: tuple[str, ...]
    order: tuple[int, ...]
    lines: Callable[[], tuple[Shown, ...]]


class Layout:
    """Pieces taken one after the other, and the room that is left."""

    def __init__(self, room: Room) -> None:
        self.room = room
        self.taken: list[Piece] = []
        self._headings: set[str] = set()
        self._orders: set[tuple[int, ...]] = set()

    def fill(self, pieces: Iterable[Piece], most: int = NO_LIMIT * 10) -> None:
        """Take those of the pieces, first to last, that there is room for; they may cost `most` tenths of a token."""
        floor = max(self.room.tenths - most, 0)
        misses = 0
        for piece in pieces:
            if self.room.tenths - floor < _LEAST_LINE or misses > _MISSES:
                break
            if piece.order in self._orders:
                continue
            left = self._after(piece)
            misses = 0 if left.tenths >= floor else misses + 1
            if not misses:
                self._take(piece, left)

    def text(self) -> str:
        """Return the pieces under their headings, an empty line before each outermost one."""
        rows: list[str] = []
        written: set[str] = set()
        for piece in sorted(self.taken, key=lambda each: each.order):
            for heading in piece.headings:
                if heading not in written:
                    rows.append(_row_of(piece, heading))
                    written.add(heading)
            rows += [line.text for line in piece.lines()]
        return "\n".join(rows)

    def _after(self, piece: Piece) -> Room:
        left = self.room
        for heading in piece.headings:
            if heading not in self._headings:
                left = left.after(_row_of(piece, heading))
        for line in piece.lines():
            left = left.after(line.text)
        return left

    def _take(self, piece: Piece, left: Room) -> None:
        self.room = left
        self.taken.append(piece)
        self._headings.update(piece.headings)
        self._orders.add(piece.order)


def room_of(budget: int, frame: Iterable[str]) -> Room:
    """Return the room of `budget` tokens that the texts of the frame leave."""
    room = Room.of(Budget(budget, NO_LIMIT))
    for text in frame:
        room = room.after(text)
    return room


def price(pieces: Sequence[Piece], frame: Iterable[str]) -> int:
    """Return the budget that all pieces within the frame need, rounded up to hundreds of tokens."""
    layout = Layout(room_of(NO_LIMIT, frame))
    layout.fill(pieces)
    used = NO_LIMIT * 10 - layout.room.tenths
    return -(-used // 1000) * 100


def _row_of(piece: Piece, heading: str) -> str:
    return f"\n{heading}" if heading == piece.headings[0] else heading
