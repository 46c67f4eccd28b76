"""The order of results: golden cases on disk in both languages, and the laws that hold for every question."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agent_soul.searching.question import Question, Unit
from agent_soul.searching.ranking import Evidence, Facts, Ranked, rank

TODAY = "2026-03-10"
WORDS = tuple("abcde")
HELD = st.dictionaries(st.sampled_from(WORDS), st.sampled_from([0.4, 0.8, 1.0, 1.2]), max_size=5)
FACTS = st.tuples(
    st.sampled_from(["2026-03-10", "2026-01-01", "2024-01-01"]), st.sampled_from([0.0, 0.5, 1.0]), st.integers(1, 5)
)
EVENTS = st.lists(st.tuples(HELD, FACTS), min_size=1, max_size=8)
QUESTION = Question("", (), tuple(Unit(word, (word,), 0.5 if word == "e" else 1.0) for word in WORDS))


def ranked(events: list[Any], *, ties: bool = True, context: bool = True, **more: Any) -> list[Ranked]:
    """Rank events that are given by the words that they hold and what breaks ties; each follows the one before it."""
    postings = {word: {n: held[word] for n, (held, _) in enumerate(events) if word in held} for word in WORDS}
    facts = {
        n: Facts((f"{n:03}", "mac", f"event-{n}"), *(known if ties else ("2024-01-01", 0.5, 1)))
        for n, (_, known) in enumerate(events)
    }

    def neighbours(n: int) -> tuple[list[int], list[int]]:
        return [m for m in (n - 1, n - 2) if m >= 0], [m for m in (n + 1, n + 2) if m < len(events)]

    beside = neighbours if context else lambda _: ([], [])
    evidence = Evidence(facts, lambda _: facts, postings, beside, len(events), **more)
    return rank(QUESTION, evidence, TODAY).best


def order(results: list[Ranked]) -> list[int]:
    return [each.number for each in results]


@settings(max_examples=400)
@given(EVENTS, st.booleans())
def test_what_breaks_ties_lifts_nothing_over_what_holds_more(events: list[Any], context: bool) -> None:
    plain = order(ranked(events, ties=False, context=context))
    results = ranked(events, context=context)
    held = {each.number: each.score.held for each in results}
    for place, number in enumerate(order(results)):
        for lower in order(results)[place + 1 :]:
            if held[lower] > held[number]:
                assert plain.index(number) < plain.index(lower)


@settings(max_examples=400)
@given(EVENTS)
def test_context_takes_the_first_place_from_no_event_that_holds_every_word(events: list[Any]) -> None:
    without = ranked(events, context=False)
    if without and without[0].score.held == without[0].score.asked:
        assert order(ranked(events))[0] == without[0].number


@settings(max_examples=200)
@given(EVENTS)
def test_an_event_without_a_word_is_never_a_result(events: list[Any]) -> None:
    assert sorted(order(ranked(events))) == [n for n, (held, _) in enumerate(events) if held]


@given(EVENTS)
def test_a_cut_changes_no_order_but_by_context(events: list[Any]) -> None:
    whole = ranked(events, context=False)
    postings = {word: {n: held[word] for n, (held, _) in enumerate(events) if word in held} for word in WORDS}
    facts = {n: Facts((f"{n:03}", "mac", f"event-{n}"), *known) for n, (_, known) in enumerate(events)}
    evidence = Evidence(facts, lambda wanted: {n: facts[n] for n in wanted}, postings, lambda _: ([], []), len(events))
    some = rank(QUESTION, evidence, TODAY, most=3)

    assert some.total == len(whole)
    assert len(some.best) >= min(3, len(whole))
    assert order(some.best) == [n for n in order(whole) if n in order(some.best)]


@given(EVENTS, st.dictionaries(st.integers(0, 7), st.sampled_from([0.2, 1.0])))
def test_what_only_adds_makes_no_result(events: list[Any], meaning: dict[int, float]) -> None:
    units = tuple(unit._replace(finds=unit.text in "ab") for unit in QUESTION.units)
    postings = {word: {n: held[word] for n, (held, _) in enumerate(events) if word in held} for word in WORDS}
    facts = {n: Facts((f"{n:03}", "mac", f"event-{n}"), *known) for n, (_, known) in enumerate(events)}
    alike = {n: worth for n, worth in meaning.items() if n in facts}
    evidence = Evidence(facts, lambda _: facts, postings, lambda _: ([], []), len(events), meaning=alike)
    results = rank(QUESTION._replace(units=units), evidence, TODAY).best

    wanted = {n for n, (held, _) in enumerate(events) if {"a", "b"} & held.keys() or alike.get(n, 0) >= 1}
    assert set(order(results)) == wanted


def test_more_words_beat_newer_and_more_important() -> None:
    old_and_right = ({"a": 1.0, "b": 1.0}, ("2024-01-01", 0.0, 1))
    new_and_loud = ({"a": 1.2}, ("2026-03-10", 1.0, 5))

    assert order(ranked([new_and_loud, old_and_right], context=False)) == [1, 0]


@pytest.mark.parametrize("better", [("2026-03-10", 0.5, 1), ("2024-01-01", 1.0, 1), ("2024-01-01", 0.5, 3)])
def test_between_equals_the_newer_the_more_important_and_the_confirmed_come_first(
    better: tuple[str, float, int],
) -> None:
    plain = ({"a": 1.0}, ("2024-01-01", 0.5, 1))

    assert order(ranked([({"a": 1.0}, better), plain], context=False)) == [0, 1]


def test_neighbours_lend_and_the_source_that_is_named_counts_more() -> None:
    alone = [({"a": 1.0}, ("2024-01-01", 0.5, 1)), ({}, ("2024-01-01", 0.5, 1)), ({}, ("2024-01-01", 0.5, 1))]
    beside = [({"a": 1.0, "b": 1.0}, ("2024-01-01", 0.5, 1)), ({"a": 0.4}, ("2024-01-01", 0.5, 1))]
    results = {each.number: each.score for each in ranked([*alone, *beside], named={0})}

    assert results[4].context > 0 == results[0].context
    assert results[0].answer == pytest.approx(1.5 * results[0].words)


CASES = sorted((Path(__file__).parent / "rankings").glob("*.json"))


@pytest.mark.parametrize("case", CASES, ids=[case.stem for case in CASES])
def test_golden_rankings(case: Path, request: pytest.FixtureRequest, tmp_path: Path) -> None:
    from agent_soul.hub import open_hub
    from agent_soul.searching.filters import Filters
    from agent_soul.searching.finding import find, open_index

    golden = json.loads(case.read_text(encoding="utf-8"))
    for record in golden["events"]:
        file = tmp_path / f"sources/{record['source']}/2026-03-01.0a1b2c3d.ndjson"
        file.parent.mkdir(parents=True, exist_ok=True)
        with file.open("a", encoding="utf-8") as opened:
            opened.write(json.dumps(record, ensure_ascii=False) + "\n")
    index = open_index(open_hub(tmp_path), TODAY)
    found = {
        question: [
            [r.found.id, round(r.ranked.total, 3), *r.matched]
            for r in find(index, question, (), Filters(), TODAY).results()
        ]
        for question in golden["rankings"]
    }
    if request.config.getoption("--rewrite-cases"):
        lines = ",\n".join(f"  {json.dumps(record, ensure_ascii=False)}" for record in golden["events"])
        rows = ",\n".join(
            f"  {json.dumps(question, ensure_ascii=False)}: [\n"
            + ",\n".join(f"   {json.dumps(row, ensure_ascii=False)}" for row in results)
            + "\n  ]"
            for question, results in found.items()
        )
        case.write_text(f'{{"events": [\n{lines}\n ],\n "rankings": {{\n{rows}\n }}}}\n', encoding="utf-8")

    assert found == golden["rankings"]
