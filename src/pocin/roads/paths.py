# SPDX-License-Identifier: MIT
"""Shortest times and paths of fixed trips on fixed links, for weights that change every round.

A link is directed, parallel links are allowed, weights are >= 0. A zone that no trip may cross is
split in two: its node keeps the links that leave it, a new node takes those that enter it, so that
a trip can only begin at the one and end at the other.

A time is the sum of the k weights of its path in float64, two and two in some order: it is within
(k - 1) 2^-53 of the exact sum, relatively, as Dijkstra's is, whose order is another. Where sums are
exact (of whole numbers, say) both are equal to the last bit.
"""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from pocin.arrays import Floats, Ints, Mask
    from pocin.roads.contraction import Contraction
    from pocin.roads.kernels import Weights


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


@dataclass(eq=False)
class TripPaths:
    """Shortest times and paths of fixed trips on a fixed topology, for weights that change.

    Results are the same for any number of threads, and on every call.
    """

    contraction: Contraction
    moving: Ints  # the trips whose origin is not their destination
    place: Ints  # of each trip among those that move; -1 for the others
    _last: tuple[Floats, Weights] | None = field(default=None, init=False)

    @classmethod
    def of(  # noqa: PLR0917  (a topology and trips are that many columns)
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
        from pocin.roads.contraction import Contraction

        # copies are writable and contiguous: numba compiles anew for arrays that are not
        links, ends = _split(Links(np.array(tail), np.array(head), node_count), no_through)
        moving = np.flatnonzero(origins != destinations)
        place = np.full(len(origins), -1)
        place[moving] = np.arange(len(moving))
        trips = Trips(origins[moving], ends[destinations[moving]])
        return cls(Contraction.of(links, trips, threads or _cores()), moving, place)

    def times(self, w: Floats) -> Floats:
        """Return the shortest time of every trip; inf where there is no path."""
        moving = self.contraction.times(self._weighed(w))
        if len(moving) == len(self.place):
            return moving
        found = np.zeros(len(self.place))
        found[self.moving] = moving
        return found

    def paths(self, w: Floats, trips: Ints) -> tuple[Ints, Ints]:
        """Return ``start, links``: trip i takes ``links[start[i]:start[i + 1]]``, in order.

        No node comes twice. Of equally short paths a trip always gets the same one, whatever else
        is asked for. It is empty where there is no path, or nowhere to go.
        """
        place = self.place[trips]
        asked = np.flatnonzero(place >= 0)
        start, links = self.contraction.paths(self._weighed(w), place[asked])
        count = np.zeros(len(place) + 1, dtype=np.int64)
        count[asked + 1] = np.diff(start)
        return np.cumsum(count), links

    def loads(self, w: Floats, volume: Floats) -> Floats:
        """Return every link's traffic when the volume of each trip takes its shortest path.

        Trips without a path load nothing. Where links of zero weight form a loop, traffic may go
        round it once.
        """
        return self.contraction.loads(self._weighed(w), volume[self.moving])

    def _weighed(self, w: Floats) -> Weights:
        """Return the customised weights, anew if they are not the last ones."""
        if self._last is None or not np.array_equal(self._last[0], w):
            if len(w) != len(self.contraction.edge) or not (w >= 0).all():
                raise ValueError("one weight >= 0 is needed for every link")
            kept = np.array(w, dtype=np.float64)
            self._last = kept, self.contraction.weigh(kept)
        return self._last[1]


def _cores() -> int:
    """Return how many threads to take: numba's variable says, as in a study's workers."""
    asked = os.environ.get("NUMBA_NUM_THREADS", "")
    return int(asked) if asked.isdecimal() and int(asked) else os.cpu_count() or 1


def _split(links: Links, no_through: Mask) -> tuple[Links, Ints]:
    """Give every zone a second node for the links that enter it; return where trips end."""
    zones = np.flatnonzero(no_through)
    ends = np.arange(links.node_count)
    ends[zones] = links.node_count + np.arange(len(zones))
    return Links(links.tail, ends[links.head], links.node_count + len(zones)), ends
