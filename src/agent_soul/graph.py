"""Cutting cycles out of a directed graph, so that "who replaces whom" always has an answer, and the order that follows.

`graphlib` finds one cycle at a time, which is quadratic where a hostile log holds thousands of them; components are
found all at once by Tarjan's algorithm (SIAM J. Comput. 1, 1972), without recursion because chains may be long.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from graphlib import TopologicalSorter
from typing import Any

Edges = Mapping[str, frozenset[str]]
Rank = Callable[[str], Any]

MAX_CIRCLE = 64
"""Circles up to this size are cut edge by edge; that is quadratic, so larger ones lose all edges at a newer node."""


def cut_cycles(edges: Edges, *, rank: Rank) -> tuple[dict[str, frozenset[str]], list[str]]:
    """Return `edges` (node to the nodes it points at) without cycles, and the nodes at which one was cut.

    Of the nodes that reach each other the one of the highest `rank` stays untouched: the edges of its circle that
    point at it are dropped. The order in which `edges` lists nodes does not matter.
    """
    left = {node: set(edges[node]) for node in sorted(edges)}
    cut: list[str] = []
    circles = list(_circles(left, left))
    while circles:
        circle = circles.pop()
        newest = max(circle, key=rank)
        cut.append(newest)
        if len(circle) > MAX_CIRCLE:
            _drop_rising(left, circle, rank)
            continue
        for node in circle:
            left[node].discard(newest)
        circles += _circles(left, circle - {newest})
    return {node: frozenset(targets) for node, targets in left.items() if targets}, sorted(cut)


def latest_first(edges: Edges, *, rank: Rank) -> list[str]:
    """Return the nodes that point at others, each before those it points at, by falling rank.

    `edges` has no cycle. Whatever its own rank, a node counts as higher than what it points at.
    """
    height: dict[str, tuple[Any, int]] = {}
    for node in TopologicalSorter(edges).static_order():
        lifted = [(height[target][0], height[target][1] + 1) for target in edges.get(node, ())]
        height[node] = max([(rank(node), 0), *lifted])
    return sorted(edges, key=lambda node: (height[node], rank(node)), reverse=True)


def _drop_rising(edges: Mapping[str, set[str]], circle: set[str], rank: Rank) -> None:
    for node in circle:
        edges[node].difference_update([to for to in edges[node] & circle if rank(to) > rank(node)])


def _circles(edges: Mapping[str, set[str]], nodes: Iterable[str]) -> Iterator[set[str]]:
    """Yield each set of two or more of `nodes` that reach each other without leaving `nodes`."""
    inside = set(nodes)
    order: dict[str, int] = {}
    low: dict[str, int] = {}
    open_nodes: dict[str, None] = {}

    def enter(node: str) -> tuple[str, Iterator[str]]:
        order[node] = low[node] = len(order)
        open_nodes[node] = None
        return node, iter(sorted(edges[node] & inside))

    for root in sorted(inside):
        walk = [enter(root)] if root not in order else []
        while walk:
            node, targets = walk[-1]
            fresh = _next_fresh(node, targets, order, low, open_nodes)
            if fresh is not None:
                walk.append(enter(fresh))
                continue
            walk.pop()
            if walk:
                low[walk[-1][0]] = min(low[walk[-1][0]], low[node])
            if low[node] == order[node]:
                circle = _close(open_nodes, node)
                if len(circle) > 1:
                    yield circle


def _next_fresh(
    node: str, targets: Iterator[str], order: Mapping[str, int], low: dict[str, int], open_nodes: Mapping[str, None]
) -> str | None:
    """Return the next target that was never entered; on the way note how far back the others reach."""
    for target in targets:
        if target not in order:
            return target
        if target in open_nodes:
            low[node] = min(low[node], order[target])
    return None


def _close(open_nodes: dict[str, None], last: str) -> set[str]:
    circle = set()
    while last not in circle:
        circle.add(open_nodes.popitem()[0])
    return circle
