"""Cutting cycles out of a directed graph, so that "who replaces whom" always has an answer.

`graphlib` finds one cycle at a time, which is quadratic where a hostile log holds thousands of them; components are
found all at once by Tarjan's algorithm (SIAM J. Comput. 1, 1972), without recursion because chains may be long.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

Edges = Mapping[str, frozenset[str]]


def cut_cycles(edges: Edges, *, rank: Callable[[str], Any]) -> tuple[dict[str, frozenset[str]], list[str]]:
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
        for node in circle:
            left[node].discard(newest)
        cut.append(newest)
        circles += _circles(left, circle - {newest})
    return {node: frozenset(targets) for node, targets in left.items() if targets}, sorted(cut)


def _circles(edges: Mapping[str, set[str]], nodes: Iterable[str]) -> Iterator[set[str]]:
    """Yield each set of two or more of `nodes` that reach each other without leaving `nodes`."""
    inside = set(nodes)
    order: dict[str, int] = {}
    low: dict[str, int] = {}
    open_nodes: dict[str, None] = {}
    for root in sorted(inside):
        if root in order:
            continue
        order[root] = low[root] = len(order)
        open_nodes[root] = None
        walk = [(root, iter(sorted(edges.get(root, ()))))]
        while walk:
            node, targets = walk[-1]
            fresh = None
            for target in targets:
                if target in inside and target not in order:
                    fresh = target
                    break
                if target in open_nodes:
                    low[node] = min(low[node], order[target])
            if fresh is not None:
                order[fresh] = low[fresh] = len(order)
                open_nodes[fresh] = None
                walk.append((fresh, iter(sorted(edges.get(fresh, ())))))
                continue
            walk.pop()
            if walk:
                low[walk[-1][0]] = min(low[walk[-1][0]], low[node])
            if low[node] == order[node]:
                circle = _close(open_nodes, node)
                if len(circle) > 1:
                    yield circle


def _close(open_nodes: dict[str, None], last: str) -> set[str]:
    circle = set()
    while last not in circle:
        circle.add(open_nodes.popitem()[0])
    return circle
