"""Measurements as series: plots, limits of the settings, and where they are reported."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent_soul.config import Threshold, parse_config
from agent_soul.metrics import find_series, metric_series, plot
from agent_soul.tokens import estimate_tokens
from hubs import compiled, event

LIMITS = parse_config(
    """
thresholds:
  - {metric: ocr_accuracy, min: 0.9, reason: below it a person reads along}
  - {metric: cost, max: 20, project: shop}
"""
)[0]


def measured(number: int, value: float, name: str = "ocr_accuracy", **fields: Any) -> dict[str, Any]:
    return event(number, f"{name} is {value}", kind="metric", metric={"name": name, "value": value}, **fields)


def crossed(*records: dict[str, Any]) -> list[str]:
    return [str(each) for each in compiled(records, LIMITS).crossings]


def test_a_limit_is_crossed_since_the_first_of_the_newest_values_beyond_it() -> None:
    values = {1: 0.8, 1500: 0.95, 3000: 0.89, 4500: 0.87}

    assert crossed(*(measured(n, value) for n, value in values.items())) == [
        "ocr_accuracy is 0.87, below 0.9 since 2026-03-03: below it a person reads along"
    ]


@pytest.mark.parametrize(("value", "number"), [(0.9, 0), (0.91, 0), (0.899, 1)])
def test_a_value_at_the_limit_keeps_it(value: float, number: int) -> None:
    assert len(crossed(measured(1, value))) == number


def test_a_limit_of_one_project_is_about_that_project() -> None:
    def cost(number: int, **where: str) -> dict[str, Any]:
        return measured(number, 30, "Cost", **where)

    shop = cost(2, scope="project", project="shop")

    assert crossed(cost(1), cost(3, scope="project", project="blog"), cost(4, scope="agent", agent="shop")) == []
    assert crossed(cost(1), shop) == ["Cost of shop is 30, above 20 since 2026-03-01"]


def test_a_limit_follows_its_project_to_another_name() -> None:
    mark = {"action": "alias", "targets": ["shop"], "to": "store"}
    renamed = event(9, kind="mark", scope="project", project="store", mark=mark)
    shop = measured(2, 30, "cost", scope="project", project="shop")

    assert crossed(shop, renamed) == ["cost of store is 30, above 20 since 2026-03-01"]


def test_the_page_marks_what_is_beyond_a_limit() -> None:
    page = compiled([measured(1, 0.95), measured(2, 0.87)], LIMITS).texts["metrics.md"]

    assert "- ocr_accuracy: 0.87, falling: 0.95 → 0.87 ⚠ below 0.9 since 2026-03-01 (event-2 2026-03-01 mac)" in page


def test_a_plot_stands_below_three_values_and_more() -> None:
    records = [measured(n, value) for n, value in enumerate([3, 1, 2, 5])]

    assert "▁" not in compiled(records[:2]).texts["metrics.md"]
    assert "\n  ▅▁▃█ 4 values, 2026-03-01 to 2026-03-01, 1 to 5\n" in compiled(records).texts["metrics.md"]


def test_a_plot_has_the_last_thirty_values() -> None:
    page = compiled([measured(n, n) for n in range(40)]).texts["metrics.md"]

    assert "█ 30 values, 2026-03-01 to 2026-03-01, 10 to 39" in page


def test_many_plots_keep_the_ceiling_of_the_page_and_the_rest_is_counted() -> None:
    records = [measured(8 * n + each, each * n, f"指标{n}") for n in range(90) for each in range(8)]
    page = compiled(records, LIMITS).texts["metrics.md"]
    shown = page.count("\n- 指标")

    assert estimate_tokens(page) <= 4_000
    assert len(page.encode("utf-8")) <= 12 << 10
    assert shown == page.count(" 8 values, ") > 20
    assert f"Left out for room: {90 - shown} metrics" in page


def test_a_series_is_found_by_any_spelling_and_by_whose_it_is() -> None:
    records = [measured(1, 1, "Speed"), measured(2, 2, "ｓｐｅｅｄ", scope="project", project="shop")]
    series = metric_series(compiled(records).resolution)

    assert [each.whose for each in find_series(series, "SPEED")] == ["shop", ""]
    assert [each.whose for each in find_series(series, "speed", "Shop")] == ["shop"]
    assert find_series(series, "spee") == []


@given(st.lists(st.floats(allow_nan=False, allow_infinity=False) | st.integers(-(10**18), 10**18), min_size=1))
def test_a_plot_has_a_bar_for_each_value_and_keeps_their_order(values: list[float]) -> None:
    bars = plot(values)
    ordered = [bar for _, bar in sorted(zip(values, bars, strict=True))]

    assert ordered == sorted(bars)


@given(st.floats(-1e9, 1e9), st.floats(-1e9, 1e9) | st.none(), st.floats(-1e9, 1e9) | st.none())
def test_a_limit_is_crossed_below_its_minimum_or_above_its_maximum(
    value: float, low: float | None, high: float | None
) -> None:
    inside = (low is None or value >= low) and (high is None or value <= high)

    assert Threshold("any", low, high).is_crossed_by(value) is not inside
