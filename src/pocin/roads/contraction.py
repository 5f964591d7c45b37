# SPDX-License-Identifier: MIT
"""Shortest paths of trips by customisable contraction: prepare once, then any weights.

Trips are grouped by source: their origin, or their destination (and the links are turned round)
where there are fewer of those. Every round customises the chordal graph and sweeps over eight
sources at a time, looking only at the ancestors of the sources and of where their trips end.
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, TypeVar

import numpy as np

from pocin.roads import kernels, walks
from pocin.roads.elimination import Chordal
from pocin.roads.kernels import LANES, Blocks, Weights

if TYPE_CHECKING:
    from collections.abc import Callable

    from pocin.arrays import Floats, Ints, Mask
    from pocin.roads.paths import Links, Trips

_CHUNKS = 16
_WORTH = 256  # blocks or trips from which threads gain more than they cost
T = TypeVar("T")


@dataclass(frozen=True, eq=False)
class Contraction:
    """Customise, then climb and fall."""

    links: Links
    chordal: Chordal
    edge: Ints  # of every link; -1 where it leads back to its own node
    upward: Mask
    source: Ints  # per trip, by place in the order
    sink: Ints
    forward: bool  # whether sources are origins
    blocks: Blocks
    threads: int

    @classmethod
    def of(cls, links: Links, trips: Trips, threads: int) -> Contraction:
        """Order and fill the topology, and group the trips."""
        chordal = Chordal.of(links.tail, links.head, links.node_count)
        tail, head = chordal.rank[links.tail], chordal.rank[links.head]
        edge = np.where(tail == head, -1, chordal.edge(tail, head))
        source, sink = chordal.rank[trips.origin], chordal.rank[trips.destination]
        forward = len(np.unique(source)) <= len(np.unique(sink))
        if not forward:
            source, sink = sink, source
        blocks = _blocks(chordal.tree.parent, source, sink)
        return cls(links, chordal, edge, tail < head, source, sink, forward, blocks, threads)

    def weigh(self, w: Floats) -> Weights:
        """Customise the chordal graph for the weights."""
        count = len(self.chordal.tree.head)
        via = np.full((count, 2), -1)
        weights = Weights(np.full(count, np.inf), np.full(count, np.inf), via)
        kernels.place(w, self.edge, self.upward, weights)
        kernels.customise(self.chordal.tree.start, self.chordal.top, weights)
        return weights

    def times(self, weights: Weights) -> Floats:
        """Return the shortest time of every trip; inf where there is no path."""
        away, found = self._away(weights), np.empty(len(self.source))

        def run(begin: int, end: int) -> None:
            kernels.sweep(self.chordal.tree, away, self.blocks, (begin, end), found)

        self._spread(run, len(self.blocks.source))
        return found

    def paths(self, weights: Weights, asked: Ints) -> tuple[Ints, Ints]:
        """Return the links of a shortest path of each asked trip."""
        order = np.lexsort((self.sink[asked], self.source[asked]))
        some, away = asked[order], self._away(weights)
        ends = walks.Ends(self.links.tail, self.links.head)

        def run(begin: int, end: int) -> tuple[Ints, Ints]:
            return walks.paths(self._some(some[begin:end]), self.chordal.tree, away, ends)

        pieces = self._spread(run, len(some))
        none = np.empty(0, dtype=np.int64)
        count = np.concatenate([none, *(count for count, _ in pieces)])
        links = np.concatenate([none, *(links for _, links in pieces)])
        return _put_back(count, links, order)

    def loads(self, weights: Weights, volume: Floats) -> Floats:
        """Return the traffic of every link when each trip takes a shortest path."""
        away, tree = self._away(weights), self.chordal.tree

        def run(begin: int, end: int) -> Floats:
            some = self._some(self.blocks.trip[begin:end], volume)
            return walks.arc_loads(some, tree, away)

        load = np.zeros(2 * len(tree.head))
        for part in self._spread(run, len(self.source)):
            load += part
        return walks.link_loads(load, weights.via, tree, len(self.links.tail))

    def _away(self, weights: Weights) -> Weights:
        """Return the weights as seen from the sources."""
        return weights if self.forward else weights.turned()

    def _some(self, trips: Ints, volume: Floats | None = None) -> walks.Some:
        """Return some of the trips."""
        amount = np.empty(0) if volume is None else volume[trips]
        return walks.Some(self.source[trips], self.sink[trips], amount, self.forward)

    def _spread(self, run: Callable[[int, int], T], count: int) -> list[T]:
        """Run over ``count`` items in chunks, on the threads, and return the results in order.

        The chunks depend on the count only: sums over them are the same for any number of threads.
        """
        if count < _WORTH or self.threads == 1:
            return [run(begin, end) for begin, end in pairwise(_cuts(count))]
        with ThreadPoolExecutor(self.threads) as pool:
            return list(pool.map(run, *zip(*pairwise(_cuts(count)), strict=True)))


def _cuts(count: int) -> list[int]:
    """Return where chunks of the items begin, and the end of the last one."""
    if count < _WORTH:
        return [0, count]
    return [count * chunk // _CHUNKS for chunk in range(_CHUNKS + 1)]


def _blocks(parent: Ints, source: Ints, sink: Ints) -> Blocks:
    """Put eight neighbouring sources in a block: they share most of their ancestors."""
    order = np.lexsort((sink, source))
    distinct, place = np.unique(source[order], return_inverse=True)
    block, lane = np.divmod(place, LANES)
    count = -(-len(distinct) // LANES)
    groups = np.arange(len(distinct)) // LANES
    return Blocks(
        np.pad(distinct, (0, -len(distinct) % LANES), mode="edge").reshape(count, LANES)
        if count
        else np.empty((0, LANES), dtype=np.int64),
        *_ancestors(parent, groups, distinct, count),
        *_ancestors(parent, block, sink[order], count),
        np.searchsorted(block, np.arange(count + 1)),
        order,
        lane,
        sink[order],
    )


def _ancestors(parent: Ints, group: Ints, node: Ints, count: int) -> tuple[Ints, Ints]:
    """Return ``start, nodes``: the ancestors of each group's nodes, in elimination order."""
    start, found = kernels.ancestors(parent, group, node, count)
    return start, found[np.lexsort((found, np.repeat(np.arange(count), np.diff(start))))]


def _put_back(count: Ints, links: Ints, order: Ints) -> tuple[Ints, Ints]:
    """Put pieces that stand in ``order`` where they were asked for."""
    place = np.empty_like(order)
    place[order] = np.arange(len(order))
    begin = (np.cumsum(count) - count)[place]
    size = count[place]
    start = np.concatenate(([0], np.cumsum(size)))
    return start, links[np.arange(start[-1]) + np.repeat(begin - start[:-1], size)]
