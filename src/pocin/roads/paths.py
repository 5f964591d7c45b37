# SPDX-License-Identifier: MIT
"""Shortest times and paths of fixed trips on fixed links, for weights that change every round.

A link is directed, parallel links are allowed, weights are >= 0. A zone that no trip may cross is
split in two: its node keeps the links that leave it, a new node takes those that enter it, so that
a trip can only begin at the one and end at the other.

A time is the sum of k weights in float64, added along the path in some order: it differs from the
exact sum by at most (k - 1) * 2^-53 of it to first order, as Dijkstra's does. Weights whose sums
are exact (integers, say) give times that are equal to Dijkstra's to the last bit.
"""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from pocin.roads.dijkstra import Searches

if TYPE_CHECKING:
    from pocin.arrays import Floats, Ints, Mask

SMALL = 200  # links up to which plain Dijkstra searches serve


@dataclass(frozen=True, eq=False)
class Links:
    """Directed links between node positions."""

    tail: Ints
    head: Ints
    node_count: int


@dataclass(frozen=True, eq=False)
class Trips:
    """Where trips begin and end, as node positions."""

    origin: Ints
    destination: Ints


class Engine(Protocol):
    """A way to find shortest paths."""

    def weigh(self, w: Floats) -> Any:
        """Prepare for the weights."""

    def times(self, weighed: Any) -> Floats:
        """Return the shortest time of every trip; inf where there is no path."""

    def paths(self, weighed: Any, asked: Ints) -> tuple[Ints, Ints]:
        """Return the links of a shortest path of every asked trip, one after the other."""

    def loads(self, weighed: Any, volume: Floats) -> Floats:
        """Return the traffic of every link when each trip takes a shortest path."""


@dataclass(eq=False)
class TripPaths:
    """Shortest times and paths of fixed trips on a fixed topology, for weights that change."""

    engine: Engine
    links: Links
    moving: Ints  # the trips whose origin is not their destination
    trip_count: int
    _place: Ints  # of each trip among those that move; -1 for the others
    _last: tuple[Floats, Any] | None = field(default=None, init=False)

    @classmethod
    def of(  # noqa: PLR0917  (the seam that phase 3 builds to)
        cls,
        tail: Ints,
        head: Ints,
        node_count: int,
        no_through: Mask,
        origins: Ints,
        destinations: Ints,
        *,
        threads: int | None = None,
    ) -> TripPaths:
        """Prepare the topology and the trips; ``threads`` is the number of cores by default."""
        links, ends = _split(Links(tail, head, node_count), no_through)
        moving = np.flatnonzero(origins != destinations)
        trips = Trips(origins[moving], ends[destinations[moving]])
        place = np.full(len(origins), -1)
        place[moving] = np.arange(len(moving))
        engine = _engine(links, trips, threads or os.cpu_count() or 1)
        return cls(engine, links, moving, len(origins), place)

    def times(self, w: Floats) -> Floats:
        """Return the shortest time of every trip; inf where there is no path."""
        found = np.zeros(self.trip_count)
        found[self.moving] = self.engine.times(self._weighed(w))
        return found

    def paths(self, w: Floats, trips: Ints) -> tuple[Ints, Ints]:
        """Return ``start, links``: trip i takes ``links[start[i]:start[i + 1]]``, in order.

        No node comes twice. Of equally short paths it is always the same one, for the same
        topology and weights. It is empty where there is no path, or nowhere to go.
        """
        place = self._place[trips]
        asked = np.flatnonzero(place >= 0)
        start, links = self.engine.paths(self._weighed(w), place[asked])
        count = np.zeros(len(place) + 1, dtype=np.int64)
        count[asked + 1] = np.diff(start)
        return np.cumsum(count), links

    def loads(self, w: Floats, volume: Floats) -> Floats:
        """Return every link's traffic when the volume of each trip takes its shortest path.

        Trips without a path load nothing. (A loop of zero weights may carry traffic round.)
        """
        return self.engine.loads(self._weighed(w), volume[self.moving])

    def _weighed(self, w: Floats) -> Any:
        """Return what the engine prepared, anew if the weights are not the last ones."""
        if self._last is None or not np.array_equal(self._last[0], w):
            if len(w) != len(self.links.tail) or not (w >= 0).all():
                raise ValueError("one weight >= 0 is needed for every link")
            self._last = w.copy(), self.engine.weigh(w)
        return self._last[1]


def _split(links: Links, no_through: Mask) -> tuple[Links, Ints]:
    """Give every zone a second node for the links that enter it; return where trips end."""
    zones = np.flatnonzero(no_through)
    ends = np.arange(links.node_count)
    ends[zones] = links.node_count + np.arange(len(zones))
    return Links(links.tail, ends[links.head], links.node_count + len(zones)), ends


def _engine(links: Links, trips: Trips, threads: int) -> Engine:
    """Choose the engine by the size of the network: a small one need not wait for compilation."""
    if len(links.tail) <= SMALL:
        return Searches(links, trips)
    from pocin.roads.contraction import Contraction

    return Contraction.of(links, trips, threads)
