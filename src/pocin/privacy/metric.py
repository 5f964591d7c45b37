# SPDX-License-Identifier: MIT
"""The metric d of the guarantee: hops between sites on the public topology.

Sites at nodes (units of a grid): d(s, t) is the least number of edges between the nodes of s and
t. Sites that are links (streets): d(s, t) = 0 if s = t, else 1 + the least number of edges between
an end of s and an end of t. Both are metrics, which the proof needs: d(s, s) = 0, symmetric, and
the triangle inequality holds, for links because a path through one may cross it by one edge.
(Counting the nodes between, hops - 1, breaks it.) Sites out of reach of each other are farther
apart than any that are not, by the number of nodes.

Up to ``TABLE`` sites the distances are kept in a table; beyond it they are searched for, and
nothing of size n x n is made unless ``matrix`` is asked for.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, ClassVar, Protocol

import numpy as np
from scipy.sparse import csr_array
from scipy.sparse.csgraph import connected_components, dijkstra

if TYPE_CHECKING:
    from pocin.arrays import Ints, Whole
    from pocin.privacy.search import Topology

TABLE = 2_000
"""Sites up to which all distances are tabled. Public, as is the number of sites."""

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

    ``ends`` is an (m, 2) array of node positions, ``nodes`` the position of each site's node;
    ``table`` the number of sites up to which distances are tabled, ``TABLE`` unless given.
    """

    ends: Ints
    node_count: int
    nodes: Ints
    table: int | None = None
    step: ClassVar[int] = 0

    def __len__(self) -> int:
        """Return the number of sites."""
        return len(self.nodes)

    @property
    def stands(self) -> Ints:
        """The two nodes of every site, which are the same here."""
        return np.column_stack([self.nodes, self.nodes])

    @property
    def beyond(self) -> int:
        """Hops between sites that are out of reach of each other."""
        return self.node_count + self.step

    @property
    def tabled(self) -> bool:
        """Whether the sites are few enough for a table of their distances."""
        return len(self) <= (TABLE if self.table is None else self.table)

    @cached_property
    def graph(self) -> csr_array:
        """The topology as an unweighted sparse matrix."""
        ones = np.ones(len(self.ends))
        shape = (self.node_count, self.node_count)
        return csr_array((ones, (self.ends[:, 0], self.ends[:, 1])), shape=shape)

    @cached_property
    def net(self) -> Topology:
        """The topology as compiled searches want it."""
        from pocin.privacy.search import topology

        return topology(self.graph, self.stands, self.step)

    @cached_property
    def _places(self) -> tuple[Ints, Ints]:
        """The distinct pairs of nodes that have sites, and which of them each site stands at."""
        ordered = np.sort(self.stands)
        places, position = np.unique(ordered, axis=0, return_inverse=True)
        return places, position.ravel()

    @cached_property
    def _between(self) -> Whole:
        """Hops between sites at each two places, 16 bits each; of two at one place: ``step``."""
        places, _ = self._places
        short = np.int16 if self.beyond <= np.iinfo(np.int16).max else np.int32
        table = np.empty((len(places), len(places)), dtype=short)
        for begin in range(0, len(places), _CHUNK):
            some = slice(begin, begin + _CHUNK)
            table[some] = self._from_places(places[some])
        return table

    def _from_places(self, begin: Ints) -> Ints:
        """Hops between sites at some places and sites at every place."""
        places, _ = self._places
        found = self.from_nodes(begin[:, 0])
        if self.step:
            found = np.minimum(found, self.from_nodes(begin[:, 1]))
        return self.step + np.minimum(found[:, places[:, 0]], found[:, places[:, 1]])

    def from_nodes(self, nodes: Ints) -> Ints:
        """Hops from some nodes to all nodes, breadth first; node_count is out of reach."""
        if self.tabled:
            found = dijkstra(self.graph, directed=False, indices=nodes, unweighted=True)
            return np.minimum(found, self.node_count).astype(np.int64)
        from pocin.privacy.search import levels

        rows = np.array([levels(self.net, int(node)) for node in nodes], dtype=np.int64)
        return np.where(rows < 0, self.node_count, rows)

    def row(self, site: int) -> Ints:
        """Return the hops from one site to every site."""
        places, position = self._places
        at = position[site]
        between = self._between[at] if self.tabled else self._from_places(places[[at]])[0]
        hops = np.asarray(between[position], dtype=np.int64)
        hops[site] = 0
        return hops

    def matrix(self) -> Ints:
        """Return the hops between all sites."""
        _, position = self._places
        hops = np.asarray(self._between[np.ix_(position, position)], dtype=np.int64)
        np.fill_diagonal(hops, 0)
        return hops

    def partners(self, hops: int) -> Ints:
        """Count, for each site, the sites at 1 to ``hops`` hops."""
        if self.tabled:
            _, position = self._places
            sites_at = np.bincount(position)
            near = (self._between >= 1) & (self._between <= hops)
            itself = int(1 <= self.step <= hops)
            partners: Ints = (near @ sites_at)[position] - itself
            return partners
        from pocin.privacy import search

        count = np.zeros(len(self), dtype=np.int64)
        search.partners(self.net, min(hops, self.beyond), count)
        return count if hops < self.beyond else count + self._out_of_reach()

    @cached_property
    def components(self) -> Ints:
        """The connected component of every node."""
        _, component = connected_components(self.graph)
        return np.asarray(component, dtype=np.int64)

    @cached_property
    def connected(self) -> bool:
        """Whether all sites are in reach of each other."""
        return len(np.unique(self.components[self.stands])) <= 1

    def _out_of_reach(self) -> Ints:
        """Count, for each site, the sites in other components."""
        own = self.components[self.stands[:, 0]]
        others: Ints = len(self) - np.bincount(own)[own]
        return others

    @cached_property
    def nearest(self) -> Ints:
        """For each site the least hops to another at 1 or more; 0 where there is none."""
        if self.tabled:
            _, position = self._places
            alone = np.bincount(position) == 1
            never = np.int64(np.iinfo(np.int64).max)
            apart = np.where(self._between >= 1, self._between, never)
            apart[alone, alone] = never  # a lone link is no partner of itself
            least = apart.min(axis=1)[position]
            return np.asarray(np.where(least == never, 0, least), dtype=np.int64)
        from pocin.privacy import search

        hops = np.empty(len(self), dtype=np.int64)
        search.nearest(self.net, hops)
        hops[hops == search.NOWHERE] = 0
        hops[hops == search.OUT_OF_REACH] = self.beyond
        return hops

    def covering(self) -> int:
        """Return the fewest hops at which every site has a partner, and at least 2."""
        return max(2, int(self.nearest.max(initial=0)))

    def covered(self, hops: int) -> int:
        """Count the sites that have a partner at 1 to ``hops`` hops."""
        return int(np.sum((self.nearest >= 1) & (self.nearest <= hops)))

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


@dataclass(frozen=True, eq=False)
class LinkHops(Hops):
    """Hops between links of an undirected graph: 0 to itself, 1 to one that shares an end.

    ``nodes`` is an (n, 2) array, the ends of the links that are sites; each is also in ``ends``.
    """

    step: ClassVar[int] = 1

    @property
    def stands(self) -> Ints:
        """The two ends of every link."""
        return self.nodes
