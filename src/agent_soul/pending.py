"""What waits for somebody: how many, of what, and the command that shows it. Pure."""

from __future__ import annotations

from typing import NamedTuple


class Pending(NamedTuple):
    """How many of each there are; a caller that does not look for one leaves it out."""

    unsent: int = 0
    conflicts: int = 0
    unjudged: int = 0
    crossed: int = 0
    for_review: int = 0
    quarantined: int = 0
    bad_lines: int = 0

    def rows(self, unsent_as: str = "not shared yet") -> list[tuple[int, str, str]]:
        """Return number, words and command of each that there is, what may be lost first."""
        rows = (
            (self.unsent, unsent_as, "soul sync"),
            (self.conflicts, f"open conflict{_s(self.conflicts)}", "soul conflicts"),
            (self.unjudged, f"pair{_s(self.unjudged)} of new statements to be compared", "soul conflicts"),
            (self.crossed, f"crossed limit{_s(self.crossed)} of metrics", "soul metric --check"),
            (self.for_review, "for review", "soul review"),
            (self.quarantined, "with an id that has two contents", "soul validate"),
            (self.bad_lines, f"line{_s(self.bad_lines)} that cannot be read", "soul validate"),
        )
        return [row for row in rows if row[0]]


def _s(number: int) -> str:
    return "" if number == 1 else "s"
