# SPDX-License-Identifier: MIT
"""Breadth-first searches over the topology, compiled, for networks too large for a table.

A site stands at one or two nodes (``stands``). With L the level of a node in a search from the
nodes of site l, the hops from l to another site are ``step`` + the lesser L of that site's nodes.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from scipy.sparse import csr_array

from pocin.compiled import compiled

if TYPE_CHECKING:
    from pocin.arrays import Ints, Whole

UNSEEN = -1
NOWHERE = -1
OUT_OF_REACH = -2


class Search(NamedTuple):
    """Where a search stands: the level of every node, and the nodes in that order."""

    level: Whole
    queue: Whole


class Topology(NamedTuple):
    """The neighbours of every node, the two nodes of every site, and the sites at every node."""

    step: int
    start: Whole
    near: Whole
    stands: Whole
    at: Whole
    site: Whole


def topology(graph: csr_array, stands: Ints, step: int) -> Topology:
    """Lay out a graph, taken both ways, and the sites on it."""
    both = csr_array(graph + graph.T)
    nodes, sites = stands.ravel(), np.repeat(np.arange(len(stands)), 2)
    once = np.ones(stands.shape, dtype=bool)
    once[:, 1] = stands[:, 0] != stands[:, 1]
    nodes, sites = nodes[once.ravel()], sites[once.ravel()]
    order = np.argsort(nodes, kind="stable")
    at = np.searchsorted(nodes[order], np.arange(graph.shape[0] + 1))
    narrow = (a.astype(np.int32) for a in (both.indptr, both.indices, stands, at, sites[order]))
    return Topology(step, *narrow)


@compiled
def room(size: int, number: int = 0) -> Whole:
    """Return so many times a whole number, 32 bits each."""
    return np.full(size, number, np.int32)


@compiled
def blank(nodes: int) -> Search:
    """Return a search that has not begun."""
    return Search(room(nodes, UNSEEN), room(nodes + 1))


@compiled
def enter(net: Topology, site: int, search: Search) -> int:
    """Begin at the nodes of a site; return the end of the queue."""
    a, b = net.stands[site, 0], net.stands[site, 1]
    search.level[a] = search.level[b] = 0
    search.queue[0] = a
    search.queue[1] = b
    return 1 if a == b else 2


@compiled
def grow(net: Topology, search: Search, begin: int, end: int) -> int:
    """Append the unseen neighbours of queue[begin:end], one level on; return the new end."""
    level, queue, start, near = search.level, search.queue, net.start, net.near
    size = end
    for i in range(begin, end):
        v = queue[i]
        for k in range(start[v], start[v + 1]):
            w = near[k]
            if level[w] < 0:
                level[w] = level[v] + 1
                queue[size] = w
                size += 1
    return size


@compiled
def arrives(stands: Whole, site: int, node: int, level: Whole) -> bool:
    """Whether a site is first reached at this node of the newest layer; one node speaks for both.

    The newest layer has the largest level so far.
    """
    if node == stands[site, 0]:
        other = level[stands[site, 1]]
        return bool(other < 0 or other >= level[node])
    return bool(level[stands[site, 0]] < 0)


@compiled
def clear(search: Search, end: int) -> None:
    """Forget a search."""
    for i in range(end):
        search.level[search.queue[i]] = UNSEEN


@compiled
def levels(net: Topology, node: int) -> Whole:
    """Return the hops from a node to every node; UNSEEN out of reach."""
    search = blank(len(net.start) - 1)
    search.level[node], search.queue[0] = 0, node
    first, end = 0, 1
    while first < end:
        first, end = end, grow(net, search, first, end)
    return search.level


@compiled
def partners(net: Topology, radius: int, count: Whole) -> None:
    """Count for each site the others at 1 to ``radius`` hops that are in reach."""
    search = blank(len(net.start) - 1)
    for site in range(len(net.stands)):
        first, end, hops = 0, enter(net, site, search), net.step
        while first < end and hops <= radius:
            for i in range(first, end if hops else first):
                v = search.queue[i]
                for k in range(net.at[v], net.at[v + 1]):
                    s = net.site[k]
                    if s != site and arrives(net.stands, s, v, search.level):
                        count[site] += 1
            first, end = end, grow(net, search, first, end)
            hops += 1
        clear(search, end)


@compiled
def nearest(net: Topology, hops: Whole) -> None:
    """Find each site's hops to the nearest site at 1 or more: NOWHERE if all are at 0."""
    n, search = len(net.stands), blank(len(net.start) - 1)
    for site in range(n):
        first, end, away = 0, enter(net, site, search), net.step
        seen, found = 1, False
        while first < end and not found:
            for i in range(first, end):
                v = search.queue[i]
                for k in range(net.at[v], net.at[v + 1]):
                    s = net.site[k]
                    if s != site and arrives(net.stands, s, v, search.level):
                        seen += 1
                        found = found or away > 0
            hops[site] = away
            first, end = end, grow(net, search, first, end)
            away += 1
        if not found:
            hops[site] = NOWHERE if seen == n else OUT_OF_REACH
        clear(search, end)
