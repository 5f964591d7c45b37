# SPDX-License-Identifier: MIT
"""Shortest times as a reader would compute them: scipy's Dijkstra, one search an origin.

Independent of what phase 3 uses. A zone that no trip may cross is cut in two: its node keeps the
links that leave it, a further one takes those that enter, so that a trip can only begin or end.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from scipy.sparse import csr_array
from scipy.sparse.csgraph import connected_components, dijkstra

if TYPE_CHECKING:
    from pocin.arrays import Floats, Ints, Mask
    from pocin.roads.network import Roads

_CELLS = 2**24  # numbers in one batch of searches: 128 MB


@dataclass(frozen=True, eq=False)
class Directed:
    """Links between node positions, with the zones cut in two."""

    tail: Ints
    head: Ints
    entry: Ints  # of every node, where links that enter it end
    count: int

    @classmethod
    def cut(cls, tail: Ints, head: Ints, no_through: Mask) -> Directed:
        """Cut the zones that no trip may cross."""
        entry, further = np.arange(len(no_through)), int(no_through.sum())
        entry[no_through] = len(no_through) + np.arange(further)
        return cls(tail, entry[head], entry, len(no_through) + further)

    @cached_property
    def _shape(self) -> tuple[Ints, Ints, Ints]:
        """Links in rows by tail, parallel ones side by side: their order, starts and ends."""
        order = np.lexsort((self.head, self.tail))
        key = self.tail[order] * self.count + self.head[order]
        first = np.flatnonzero(np.diff(key, prepend=-1))
        indptr = np.searchsorted(self.tail[order][first], np.arange(self.count + 1))
        return order, first, indptr

    def matrix(self, w: Floats) -> csr_array:
        """Weigh the links; of parallel ones the quickest counts. Zeros stay links."""
        order, first, indptr = self._shape
        least = np.minimum.reduceat(w[order], first)
        return csr_array((least, self.head[order][first], indptr), shape=(self.count, self.count))

    def times(self, w: Floats, origin: Ints, destination: Ints) -> Floats:
        """Return the shortest time of every trip, inf where there is no path."""
        graph, found = self.matrix(w), np.empty(len(origin))
        order = np.argsort(origin, kind="stable")
        begins, start = np.unique(origin[order], return_index=True)
        ends = np.append(start[1:], len(origin))
        step = max(1, _CELLS // self.count)
        for at in range(0, len(begins), step):
            some = order[start[at] : ends[min(at + step, len(begins)) - 1]]
            table = dijkstra(graph, indices=begins[at : at + step])
            rows = np.searchsorted(begins[at : at + step], origin[some])
            found[some] = table[rows, self.entry[destination[some]]]
        found[origin == destination] = 0.0
        return found


def trip_times(roads: Roads, w: Floats) -> Floats:
    """Return the shortest time of every trip of a network under link times w."""
    cut = Directed.cut(roads.tail, roads.head, roads.nodes.no_through)
    return cut.times(w, roads.origins, roads.destinations)


def reachable(roads: Roads) -> Mask:
    """Return which trips have a path.

    Those that begin and end at the largest strongly connected part have one; the others are
    searched for.
    """
    cut = Directed.cut(roads.tail, roads.head, roads.nodes.no_through)
    graph = cut.matrix(np.ones(len(roads.links)))
    _, part = connected_components(graph, connection="strong")
    core = part == np.bincount(part).argmax()
    leads, led = np.zeros(cut.count, dtype=bool), np.zeros(cut.count, dtype=bool)
    leads[cut.tail[core[cut.head]]] = True
    led[cut.head[core[cut.tail]]] = True
    origin, destination = roads.origins, roads.destinations
    found = (leads | core)[origin] & (led | core)[cut.entry[destination]]
    rest = ~found
    if rest.any():
        ones = np.ones(len(roads.links))
        found[rest] = np.isfinite(cut.times(ones, origin[rest], destination[rest]))
    return np.asarray(found)
