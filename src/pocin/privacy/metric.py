# SPDX-License-Identifier: MIT
"""The metric d of the guarantee: hops between sites on the public topology.

d(s, t) is the least number of edges between the nodes of s and t, so d(s, s) = 0 and the
triangle inequality holds, which the proof needs. (Counting the nodes between, hops - 1, breaks it.)
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Protocol

import numpy as np
from scipy.sparse import csr_array
from scipy.sparse.csgraph import dijkstra

if TYPE_CHECKING:
    from pocin.arrays import Ints

_CHUNK = 256


class Metric(Protocol):
    """What the mechanisms ask of the distances between sites."""

    def __len__(self) -> int:
        """Return the number of sites."""

    def row(self, site: int) -> Ints:
        """Return the hops from one site to every site."""

    def matrix(self) -> Ints:
        """Return the hops between all sites."""

    def partners(self, hops: int) -> Ints:
        """Count, for each site, the sites at 1 to ``hops`` hops."""


@dataclass(frozen=True, eq=False)
class Hops:
    """Hops between sites that stand at nodes of an undirected graph.

    ``ends`` is an (m, 2) array of node positions, ``nodes`` the position of each site's node.
    """

    ends: Ints
    node_count: int
    nodes: Ints

    def __len__(self) -> int:
        """Return the number of sites."""
        return len(self.nodes)

    @cached_property
    def graph(self) -> csr_array:
        """The topology as an unweighted sparse matrix."""
        ones = np.ones(len(self.ends))
        shape = (self.node_count, self.node_count)
        return csr_array((ones, (self.ends[:, 0], self.ends[:, 1])), shape=shape)

    @cached_property
    def _places(self) -> tuple[Ints, Ints]:
        """The distinct nodes that have sites, and the position of each site's node among them."""
        places, position = np.unique(self.nodes, return_inverse=True)
        return places, position

    @cached_property
    def _between(self) -> Ints:
        """Hops between the distinct nodes with sites, 16 bits each."""
        places, _ = self._places
        table = np.empty((len(places), len(places)), dtype=np.int16)
        for begin in range(0, len(places), _CHUNK):
            some = places[begin : begin + _CHUNK]
            table[begin : begin + _CHUNK] = self.from_nodes(some)[:, places]
        return table  # type: ignore[return-value]  # int16 saves three quarters of the memory

    def from_nodes(self, nodes: Ints) -> Ints:
        """Hops from some nodes to all nodes, breadth first; node_count is out of reach."""
        found = dijkstra(self.graph, directed=False, indices=nodes, unweighted=True)
        return np.minimum(found, self.node_count).astype(np.int64)

    def row(self, site: int) -> Ints:
        """Return the hops from one site to every site."""
        _, position = self._places
        return np.asarray(self._between[position[site]][position], dtype=np.int64)

    def matrix(self) -> Ints:
        """Return the hops between all sites."""
        _, position = self._places
        return np.asarray(self._between[np.ix_(position, position)], dtype=np.int64)

    def partners(self, hops: int) -> Ints:
        """Count, for each site, the sites at 1 to ``hops`` hops."""
        places, position = self._places
        sites_at = np.bincount(position, minlength=len(places))
        near = (self._between >= 1) & (self._between <= hops)
        return np.asarray((near @ sites_at)[position], dtype=np.int64)

    def covering(self) -> int:
        """Return the fewest hops at which every site has a partner, and at least 2."""
        if len(self._places[0]) < 2:  # noqa: PLR2004  (all sites at one node: no partner anywhere)
            return 2
        apart = np.where(self._between >= 1, self._between, np.iinfo(np.int16).max)
        return max(2, int(apart.min(axis=1).max()))

    @cached_property
    def diameter(self) -> int:
        """The largest distance between any two nodes, by bounding eccentricities.

        A search from w gives max(d, ecc(w) - d) <= ecc(v) <= ecc(w) + d for every v at distance d
        (Takes and Kosters 2011), so a few searches settle all nodes.
        """
        linked = np.unique(self.ends)
        low, high = np.zeros(self.node_count), np.full(self.node_count, np.inf)
        open_nodes = linked
        by_high = True
        while len(open_nodes) and high[open_nodes].max() > low[linked].max():
            pick = high[open_nodes].argmax() if by_high else low[open_nodes].argmin()
            by_high = not by_high
            hops = self.from_nodes(open_nodes[[pick]])[0].astype(float)
            far = hops[linked].max()
            low = np.maximum(low, np.maximum(hops, far - hops))
            high = np.minimum(high, far + hops)
            best = low[linked].max()
            unsettled = (high > best) & (low < high)
            open_nodes = open_nodes[unsettled[open_nodes]]
        return int(low[linked].max()) if len(linked) else 0
