"""Measurements as series: history, trend, a plot in text, and limits that are crossed. Pure."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from itertools import takewhile
from typing import NamedTuple

from agent_soul.config import Threshold
from agent_soul.event import Event
from agent_soul.projects import aliases_of
from agent_soul.resolve import Resolution
from agent_soul.text import compare_key

HISTORY = 30
"""Values of a metric that are plotted, and kept for programs."""
_BARS = "▁▂▃▄▅▆▇█"


class Series(tuple[Event, ...]):
    """The active measurements of one metric, oldest first, at least one. Each project and agent has its own."""

    __slots__ = ()

    @property
    def newest(self) -> Event:
        return self[-1]

    @property
    def name(self) -> str:
        """The metric's name as it was last spelt."""
        return str(self.newest.data["metric"]["name"])

    @property
    def whose(self) -> str:
        """The project or agent that was measured, or an empty string."""
        return self.newest.reach[1]

    @property
    def values(self) -> list[float]:
        return [event.data["metric"]["value"] for event in self]

    @property
    def target(self) -> float | None:
        """What the metric should reach, as it was last said: not every measurement repeats it."""
        return next(
            (event.data["metric"]["target"] for event in reversed(self) if "target" in event.data["metric"]), None
        )

    @property
    def unit(self) -> str:
        """The unit as it was last said, or an empty string."""
        return str(next(filter(None, (event.data["metric"].get("unit") for event in reversed(self))), ""))

    @property
    def trend(self) -> str:
        return trend(self.values, self.target)


class Crossing(NamedTuple):
    """A limit of the settings that the newest measurement lies beyond.

    `since` is the UTC date of the first of the newest measurements in a row that do.
    """

    series: Series
    limit: Threshold
    since: str

    @property
    def mark(self) -> str:
        """What is wrong in a few words: `below 0.9 since 2026-10-27`."""
        is_low = self.limit.minimum is not None and self.series.values[-1] < self.limit.minimum
        said = f"below {number_text(self.limit.minimum)}" if is_low else f"above {number_text(self.limit.maximum)}"
        return f"{said} since {self.since}"

    def __str__(self) -> str:
        series = self.series
        whose = f" of {series.whose}" if series.whose else ""
        why = f": {self.limit.reason}" if self.limit.reason else ""
        return f"{series.name}{whose} is {number_text(series.values[-1])}, {self.mark}{why}"


def metric_series(resolution: Resolution) -> list[Series]:
    """Return the series of each metric, the one measured last first.

    Names that differ only in case or width are one.
    """
    groups: dict[tuple[str, ...], list[Event]] = defaultdict(list)
    for verdict in resolution.active:
        event = verdict.event
        if event.kind == "metric":
            whose = event.reach if event.reach[1] else ("", "")
            groups[(*whose, compare_key(event.data["metric"]["name"]))].append(event)
    return sorted(map(Series, groups.values()), key=lambda series: series.newest.sort_key, reverse=True)


def find_series(series: Iterable[Series], name: str, whose: str = "") -> list[Series]:
    """Return the series of that name; with `whose`, of that project or agent only."""
    wanted, owner = compare_key(name), compare_key(whose)
    return [
        each for each in series if compare_key(each.name) == wanted and (not whose or compare_key(each.whose) == owner)
    ]


def crossings(resolution: Resolution, thresholds: Sequence[Threshold]) -> tuple[Crossing, ...]:
    """Return every limit that is crossed now, in the order of the settings."""
    if not thresholds:
        return ()
    series, aliases = metric_series(resolution), aliases_of(resolution)
    return tuple(
        Crossing(each, limit, _since(each, limit))
        for limit in thresholds
        for each in find_series(series, limit.metric, aliases.name_for(limit.project) or limit.agent)
        if limit.is_crossed_by(each.values[-1]) and each.newest.scope in _scopes(limit, each)
    )


def _scopes(limit: Threshold, series: Series) -> tuple[str, ...]:
    """Return the scopes that the limit is about: a project and an agent may be namesakes."""
    return ("project",) if limit.project else ("agent",) if limit.agent else (series.newest.scope,)


def _since(series: Series, limit: Threshold) -> str:
    beyond = takewhile(lambda event: limit.is_crossed_by(event.data["metric"]["value"]), reversed(series))
    return min(str(event.date) for event in beyond)


def trend(values: Sequence[float], target: float | None) -> str:
    """Return `stable`, or whether the last step goes towards the target; without a target, up or down."""
    if len(values) < 2 or values[-1] == values[-2]:
        return "stable"
    if target is None:
        return "rising" if values[-1] > values[-2] else "falling"
    return "improving" if abs(values[-1] - target) < abs(values[-2] - target) else "declining"


def plot(values: Sequence[float]) -> str:
    """Return one bar for each value, the lowest for the smallest; equal values are bars of middle height."""
    low, high = min(values) / 2, max(values) / 2  # halves: the span of two large numbers may be none
    span = high - low
    if not span:
        return _BARS[3] * len(values)
    return "".join(_BARS[round((value / 2 - low) / span * (len(_BARS) - 1))] for value in values)


def number_text(value: float | None) -> str:
    """Return a number as people write it: whole ones in full, others without the noise of binary fractions."""
    return str(value) if isinstance(value, int) else f"{value:.12g}"
