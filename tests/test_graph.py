"""Cutting cycles, and the order of acts that follows."""

from __future__ import annotations

import time

from hypothesis import given
from hypothesis import strategies as st

from agent_soul.graph import MAX_CIRCLE, cut_cycles, latest_first

NAMES = "abcdefgh"
graphs = st.dictionaries(st.sampled_from(NAMES), st.frozensets(st.sampled_from(NAMES)), max_size=8).map(
    lambda edges: {node: edges.get(node, frozenset()) - {node} for node in NAMES}
)


def edges_of(text: str) -> dict[str, frozenset[str]]:
    """Read `a>b b>ca` as edges; every node that is named has an entry."""
    pairs = [pair.split(">") for pair in text.split()]
    found: dict[str, set[str]] = {node: set() for pair in pairs for part in pair for node in part}
    for node, targets in pairs:
        found[node] |= set(targets)
    return {node: frozenset(targets) for node, targets in found.items()}


def reaches(edges: dict[str, frozenset[str]], start: str, goal: str) -> bool:
    seen: set[str] = set()
    waiting = [start]
    while waiting:
        for target in edges.get(waiting.pop(), ()):
            if target == goal:
                return True
            if target not in seen:
                seen.add(target)
                waiting.append(target)
    return False


def rank(node: str) -> str:
    return node


def test_a_graph_without_cycles_stays() -> None:
    assert cut_cycles(edges_of("c>b b>a"), rank=rank) == ({"b": frozenset("a"), "c": frozenset("b")}, [])


def test_the_newest_of_two_stays() -> None:
    assert cut_cycles(edges_of("a>b b>a"), rank=rank) == ({"b": frozenset("a")}, ["b"])


def test_the_newest_of_three_stays_and_replaces_the_others() -> None:
    left, cut = cut_cycles(edges_of("a>b b>c c>a"), rank=rank)

    assert (left, cut) == ({"a": frozenset("b"), "c": frozenset("a")}, ["c"])


def test_an_edge_from_outside_the_circle_stays() -> None:
    left, cut = cut_cycles(edges_of("a>b b>a d>b"), rank=rank)

    assert left["d"] == frozenset("b")
    assert cut == ["b"]


def test_two_circles_in_one_are_both_cut() -> None:
    left, cut = cut_cycles(edges_of("a>b b>ac c>b"), rank=rank)

    assert not any(reaches(left, node, node) for node in left)
    assert cut == ["b", "c"]


@given(graphs)
def test_nothing_reaches_itself_afterwards(edges: dict[str, frozenset[str]]) -> None:
    left, cut = cut_cycles(edges, rank=rank)

    assert not any(reaches(left, node, node) for node in NAMES)
    assert all(left.get(node, frozenset()) <= edges[node] for node in NAMES)
    assert bool(cut) == any(reaches(edges, node, node) for node in NAMES)


@given(graphs)
def test_only_edges_within_a_circle_are_dropped(edges: dict[str, frozenset[str]]) -> None:
    left, _ = cut_cycles(edges, rank=rank)

    dropped = [(node, target) for node in NAMES for target in edges[node] - left.get(node, frozenset())]

    assert all(reaches(edges, target, node) for node, target in dropped)


@given(graphs)
def test_the_newest_of_a_circle_loses_no_edge_of_its_own(edges: dict[str, frozenset[str]]) -> None:
    left, _ = cut_cycles(edges, rank=rank)

    for node in NAMES:
        circle = {other for other in NAMES if reaches(edges, node, other) and reaches(edges, other, node)}
        if circle and node == max(circle):
            assert left.get(node, frozenset()) == edges[node]


@given(graphs, st.randoms(use_true_random=False))
def test_the_order_of_the_nodes_does_not_matter(edges: dict[str, frozenset[str]], random: object) -> None:
    nodes = list(edges)
    random.shuffle(nodes)  # type: ignore[attr-defined]

    assert cut_cycles({node: edges[node] for node in nodes}, rank=rank) == cut_cycles(edges, rank=rank)


@given(graphs)
def test_each_act_comes_before_what_it_acts_upon(edges: dict[str, frozenset[str]]) -> None:
    acyclic, _ = cut_cycles(edges, rank=rank)

    order = latest_first(acyclic, rank=rank)

    assert sorted(order) == sorted(acyclic)
    assert all(
        order.index(node) < order.index(target) for node in acyclic for target in acyclic[node] if target in acyclic
    )


def test_what_names_a_newer_node_is_later_than_that() -> None:
    assert latest_first(edges_of("a>z z>b y>c"), rank=rank)[:3] == ["a", "z", "y"]


def named(number: int) -> str:
    return f"{number:06}"


def seconds(edges: dict[str, frozenset[str]]) -> float:
    start = time.process_time()
    acyclic, _ = cut_cycles(edges, rank=rank)
    latest_first(acyclic, rank=rank)
    return time.process_time() - start


def test_ten_thousand_circles_of_two_take_no_time() -> None:
    edges = {named(n): frozenset({named(n ^ 1)}) for n in range(20_000)}

    assert seconds(edges) < 2


def test_a_chain_of_ten_thousand_needs_no_recursion() -> None:
    assert seconds({named(n): frozenset({named(n - 1)}) for n in range(1, 10_000)}) < 2


def test_a_chain_of_ten_thousand_that_points_both_ways_is_not_quadratic() -> None:
    edges = {named(n): frozenset({named(n - 1), named(n + 1)}) for n in range(1, 10_000)}
    edges |= {named(0): frozenset(), named(10_000): frozenset()}

    assert seconds(edges) < 2


def test_a_circle_above_the_limit_keeps_its_newest_too() -> None:
    size = MAX_CIRCLE + 1
    edges = {named(n): frozenset({named((n - 1) % size)}) for n in range(size)}

    left, cut = cut_cycles(edges, rank=rank)

    assert cut == [named(size - 1)]
    assert left == {named(n): edges[named(n)] for n in range(1, size)}
