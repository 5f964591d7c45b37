# SPDX-License-Identifier: MIT
"""Shortest paths of trips by one Dijkstra search an origin: for networks of a few hundred links."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np
from scipy.sparse import csr_array
from scipy.sparse.csgraph import dijkstra

if TYPE_CHECKING:
    from pocin.arrays import Floats, Ints
    from pocin.roads.paths import Links, Trips

_CHUNK = 256  # origins a search: it bounds the memory of the distances


@dataclass(frozen=True, eq=False)
class Searches:
    """A search from every origin; weights of parallel links are their least."""

    links: Links
    trips: Trips

    def weigh(self, w: Floats) -> Weighed:
        """Keep the shortest of parallel links, the first of equals, as a sparse matrix."""
        tail, head, count = self.links.tail, self.links.head, self.links.node_count
        order = np.lexsort((np.arange(len(w)), w, head, tail))
        ends = tail[order] * count + head[order]
        first = order[np.concatenate(([True], ends[1:] != ends[:-1]))[: len(order)]]
        start = np.searchsorted(tail[first], np.arange(count + 1))
        graph = csr_array((w[first], head[first], start), shape=(count, count))
        return Weighed(graph, first)

    def times(self, weighed: Weighed) -> Floats:
        """Return the shortest time of every trip."""
        found = np.empty(len(self.trips.origin))
        sources, row = np.unique(self.trips.origin, return_inverse=True)
        for begin in range(0, len(sources), _CHUNK):
            some = np.flatnonzero((row >= begin) & (row < begin + _CHUNK))
            labels = dijkstra(weighed.graph, indices=sources[begin : begin + _CHUNK])
            found[some] = labels[row[some] - begin, self.trips.destination[some]]
        return found

    def paths(self, weighed: Weighed, asked: Ints) -> tuple[Ints, Ints]:
        """Return the links of a shortest path of each asked trip, by its tree of predecessors."""
        origin, destination = self.trips.origin[asked], self.trips.destination[asked]
        sources, row = np.unique(origin, return_inverse=True)
        found: list[Ints] = []
        if len(asked):
            _, before = dijkstra(weighed.graph, indices=sources, return_predecessors=True)
            found = [
                weighed.links(_walk(before[at], source, node))
                for at, source, node in zip(row, origin, destination, strict=True)
            ]
        start = np.cumsum([0, *map(len, found)], dtype=np.int64)
        return start, np.concatenate([np.empty(0, dtype=np.int64), *found])

    def loads(self, weighed: Weighed, volume: Floats) -> Floats:
        """Return the traffic of every link when each trip takes a shortest path."""
        start, links = self.paths(weighed, np.arange(len(volume)))
        amount = np.repeat(volume, np.diff(start))
        return np.bincount(links, amount, len(self.links.tail)).astype(np.float64)


@dataclass(frozen=True, eq=False)
class Weighed:
    """The weighted graph, and the link that stands at each of its entries."""

    graph: csr_array
    link: Ints

    def links(self, nodes: list[int]) -> Ints:
        """Return the links along a walk of nodes."""
        start, heads = self.graph.indptr, self.graph.indices
        entries = [
            start[a] + np.searchsorted(heads[start[a] : start[a + 1]], b)
            for a, b in pairwise(nodes)
        ]
        return self.link[np.array(entries, dtype=np.int64)]


def _walk(before: Ints, source: int, node: int) -> list[int]:
    """Return the nodes from the source to a node; none where it is out of reach."""
    walk = [int(node)]
    while walk[-1] != source:
        if before[walk[-1]] < 0:
            return []
        walk.append(int(before[walk[-1]]))
    return walk[::-1]
