# SPDX-License-Identifier: MIT
"""A city's roads as immutable columns.

Rows keep the order of their source; nodes and links are named by their ids, and trips begin and
end at nodes. Travel time of link e is w_e = d_e + gamma t_e. Nothing here knows what is secret.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from pocin.arrays import Columns

if TYPE_CHECKING:
    from pocin.arrays import Floats, Ints, Mask

NO_ZONE = -1
TOTAL, PER_TRIP = "total", "per-trip"


@dataclass(frozen=True, eq=False)
class Nodes(Columns):
    """Junctions and zones. ``x`` and ``y`` are NaN where unknown, ``zone`` is -1 where none.

    No trip may cross a node with ``no_through``: it may only begin or end there.
    """

    id: Ints
    x: Floats
    y: Floats
    zone: Ints
    no_through: Mask


@dataclass(frozen=True, eq=False)
class Links(Columns):
    """Directed links, parallel ones allowed; NaN where a column is not given.

    ``d`` is the public part of the travel time, ``volume`` the traffic; ``cost`` the time at that
    traffic as some assignment found it, by d (1 + b (volume / capacity)^power) as a rule.
    """

    id: Ints
    tail: Ints
    head: Ints
    d: Floats
    length: Floats
    volume: Floats
    capacity: Floats
    b: Floats
    power: Floats
    cost: Floats


@dataclass(frozen=True, eq=False)
class Trips(Columns):
    """Origin-destination pairs by node id, each once; ``volume`` is NaN where it is not given.

    The problem counts each pair once, whatever its volume, which a release does not have.
    """

    origin: Ints
    destination: Ints
    volume: Floats


@dataclass(frozen=True)
class Units:
    """What the numbers are in, in words."""

    time: str
    length: str
    volume: str


@dataclass(frozen=True, eq=False)
class Roads:
    """A road network with its traffic and its trips.

    ``gamma`` is the time that a vehicle adds to a link, where the source carries one; ``form`` is
    the form that a release of it is written in, ``reading`` what beta is of in a release.
    """

    nodes: Nodes
    links: Links
    trips: Trips
    units: Units
    gamma: float | None = None
    form: str = "gmns"
    notes: tuple[str, ...] = field(default=())
    reading: str | None = None

    @cached_property
    def tail(self) -> Ints:
        """Positions of the nodes that links leave."""
        return self.positions(self.links.tail)

    @cached_property
    def head(self) -> Ints:
        """Positions of the nodes that links enter."""
        return self.positions(self.links.head)

    @cached_property
    def origins(self) -> Ints:
        """Positions of the nodes where trips begin."""
        return self.positions(self.trips.origin)

    @cached_property
    def destinations(self) -> Ints:
        """Positions of the nodes where trips end."""
        return self.positions(self.trips.destination)

    def positions(self, ids: Ints) -> Ints:
        """Return the positions of nodes; -1 where there is no such node."""
        return positions(self.nodes.id, ids)


def positions(among: Ints, ids: Ints) -> Ints:
    """Return where ids stand in a list without repetition; -1 where they do not."""
    if not len(among):
        return np.full(len(ids), -1, dtype=np.int64)
    order = np.argsort(among, kind="stable")
    at = order[np.minimum(np.searchsorted(among, ids, sorter=order), len(among) - 1)]
    return np.where(among[at] == ids, at, -1)
