"""`conflicts.md` and `metrics.md`."""

from __future__ import annotations

from typing import Any

import pytest

from agent_soul.metrics import trend
from hubs import event, headings, items, pages


def claim(number: int, value: Any, **fields: Any) -> dict[str, Any]:
    return event(number, f"It is {value}.", claim={"entity": "shop", "attribute": "port", "value": value}, **fields)


def measured(number: int, value: float, name: str = "speed", **fields: Any) -> dict[str, Any]:
    metric = {"name": name, "value": value, **fields.pop("metric", {})}
    return event(number, f"{name} is {value}", kind="metric", metric=metric, **fields)


def test_without_conflicts_and_measurements_there_are_no_such_pages() -> None:
    assert {"conflicts.md", "metrics.md"}.isdisjoint(pages([event(1)]))


def test_a_conflict_shows_both_sides_and_the_commands_that_end_it() -> None:
    page = pages([claim(1, 80), claim(2, "90", source="desk")])["conflicts.md"]

    assert headings(page) == ["shop · port (certain, by claim)"]
    assert items(page) == [
        "90: It is 90. (event-2 2026-03-01 desk) [[stable-memory]]",
        "80: It is 80. (event-1 2026-03-01 mac) [[stable-memory]]",
        "the newest holds: `soul resolve c-849f04be --source YOUR-ID --keep event-2`",
        'all hold: `soul resolve c-849f04be --source YOUR-ID --both "why"`',
        'none holds as it stands: `soul resolve c-849f04be --source YOUR-ID --write "what holds"`',
    ]


def test_what_contradicts_the_newest_is_shown_before_what_agrees_with_it() -> None:
    page = pages([claim(1, 80), *(claim(n, 90, detail=str(n)) for n in range(2, 12))])["conflicts.md"]

    assert items(page)[1] == "80: It is 80. (event-1 2026-03-01 mac) [[stable-memory]]"
    assert "and 5 more" in items(page)
    keep = "one EVENT of these holds, and what contradicts it is taken back: `soul resolve c-849f04be --source YOUR-ID"
    assert f"{keep} --keep EVENT`" in page
    assert "--keep event-11" not in page


def test_a_suspected_conflict_shows_what_differs() -> None:
    records = [event(1, "Uploads are limited to 20 MB."), event(2, "Uploads are limited to 5 MB.")]

    assert headings(pages(records)["conflicts.md"]) == ["two numbers for one thing: 5 MB / 20 MB (suspected, by text)"]


def test_what_a_text_says_cannot_become_markup_in_a_heading() -> None:
    records = [event(n, f"Releases are signed by __{name}__.py.") for n, name in enumerate(("main", "init"))]

    assert headings(pages(records)["conflicts.md"]) == [
        r"two values for one thing: \_\_init\_\_.py / \_\_main\_\_.py (suspected, by text)"
    ]


def test_a_thousand_suspected_conflicts_fit_the_page_and_are_counted() -> None:
    records = [
        event(2 * n + side, f"The timeout of service-{n} is {5 + side} seconds.")
        for n in range(1000)
        for side in (0, 1)
    ]
    page = pages(records)["conflicts.md"]

    assert page.count("\n") <= 200
    assert f"Left out for room: {1000 - len(headings(page))};" in page


def test_long_conflicts_leave_room_for_others_and_the_rest_is_counted() -> None:
    records = [
        event(10 * n + side, "字" * 499, event_id=f"{'i' * 120}-{n}-{side}")
        | {"claim": {"entity": f"e{n}", "attribute": "a" * 200, "value": "v" * 5_000 + str(side)}}
        for n in range(30)
        for side in range(8)
    ]
    page = pages(records)["conflicts.md"]

    shown = len(headings(page))

    assert shown >= 2
    assert f"Left out for room: {30 - shown}; they come up as these are settled." in page


@pytest.mark.parametrize(
    ("values", "target", "direction"),
    [
        ([1], None, "stable"),
        ([1, 1], 5, "stable"),
        ([1, 2], None, "rising"),
        ([2, 1], None, "falling"),
        ([1, 2], 5, "improving"),
        ([2, 1], 5, "declining"),
        ([9, 6], 5, "improving"),
        ([6, 3], 5, "declining"),
        ([1, -5], 0, "declining"),
    ],
)
def test_a_trend_is_the_last_step_seen_from_the_target(
    values: list[float], target: float | None, direction: str
) -> None:
    assert trend(values, target) == direction


def test_a_metric_shows_its_course() -> None:
    records = [measured(n, value, metric={"target": 10, "unit": "km/h"}) for n, value in enumerate([1, 2.5, 0.1 + 0.2])]

    assert items(pages(records)["metrics.md"]) == [
        "speed: 0.3 km/h (target 10), declining: 1 → 2.5 → 0.3 (event-2 2026-03-01 mac)"
    ]


def test_numbers_are_not_rounded_away() -> None:
    page = pages([measured(1, 123_456_789), measured(2, 1_234_567.25), measured(3, 1e300)])["metrics.md"]

    assert "1e+300, rising: 123456789 → 1234567.25 → 1e+300" in page


def test_a_long_course_counts_its_earlier_values() -> None:
    page = pages([measured(n, n) for n in range(20)])["metrics.md"]

    assert "speed: 19, rising: 12 earlier, 12 → 13 → 14 → 15 → 16 → 17 → 18 → 19 (" in page


def test_each_project_has_its_own_metric_and_spelling_does_not_split_one() -> None:
    page = pages(
        [
            measured(1, 1, "Speed"),
            measured(2, 2, "ｓｐｅｅｄ"),
            measured(3, 3, scope="project", project="shop"),
            measured(4, 4, scope="project", project="blog"),
            measured(5, 5, scope="agent", agent="ocr-agent"),
        ]
    )["metrics.md"]

    assert [line.partition(" (")[0] for line in items(page)] == [
        "speed of ocr-agent: 5",
        "speed of blog: 4",
        "speed of shop: 3",
        "ｓｐｅｅｄ: 2, rising: 1 → 2",
    ]


def test_metrics_without_room_are_counted() -> None:
    page = pages([measured(n, n, f"{'名' * 190}{n}") for n in range(100)])["metrics.md"]

    assert (
        f"Left out for room: {100 - len(items(page))} metrics measured longer ago; `soul search --kind metric" in page
    )
