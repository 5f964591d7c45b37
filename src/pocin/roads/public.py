# SPDX-License-Identifier: MIT
"""The public part of a road network: all that restore, certify and write may see of the source.

It cannot hold the secret: there is no place in it for a link's traffic. Rows are sorted by public
ids, so that no source order passes through it.
"""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from pocin.arrays import Columns
from pocin.privacy.metric import LinkHops
from pocin.privacy.value import ValueGrid
from pocin.roads.network import PER_TRIP, TOTAL, positions

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pocin.arrays import Floats, Ints
    from pocin.policy import Policy
    from pocin.roads.network import Nodes, Trips, Units


VEHICLE = ValueGrid(Decimal(1), "veh")
"""Traffic lives on a public grid of one vehicle."""


@dataclass(frozen=True, eq=False)
class PublicLinks(Columns):
    """Links by their public id: there is no place for traffic. NaN where a column is dropped."""

    id: Ints
    tail: Ints
    head: Ints
    d: Floats
    length: Floats
    capacity: Floats
    b: Floats
    power: Floats


@dataclass(frozen=True, eq=False)
class PublicRoads:
    """Topology, zones, the public part of travel times, the O-D pairs, gamma and the policy.

    ``times`` are the figures of single trips where the reading is per trip.
    """

    nodes: Nodes
    links: PublicLinks
    trips: Trips
    units: Units
    gamma: float
    form: str
    times: Floats | None
    policy: Policy

    @cached_property
    def tail(self) -> Ints:
        """Positions of the nodes that links leave."""
        return positions(self.nodes.id, self.links.tail)

    @cached_property
    def head(self) -> Ints:
        """Positions of the nodes that links enter."""
        return positions(self.nodes.id, self.links.head)

    @property
    def origins(self) -> Ints:
        """Positions of the nodes where trips begin."""
        return positions(self.nodes.id, self.trips.origin)

    @property
    def destinations(self) -> Ints:
        """Positions of the nodes where trips end."""
        return positions(self.nodes.id, self.trips.destination)

    @cached_property
    def metric(self) -> LinkHops:
        """Hops between the links."""
        ends = np.column_stack([self.tail, self.head])
        return LinkHops(ends, len(self.nodes), ends)

    @property
    def site_ids(self) -> Ints:
        """The id of every link."""
        return self.links.id

    @property
    def node_count(self) -> int:
        """Number of nodes that are connected."""
        return len(np.unique(np.concatenate([self.tail, self.head])))

    @property
    def reading(self) -> str:
        """What beta is of."""
        return TOTAL if self.times is None else PER_TRIP

    @property
    def parameters(self) -> Mapping[str, Any]:
        """What a release says of how its numbers are to be read."""
        units = {"time": self.units.time, "length": self.units.length, "volume": self.units.volume}
        told = {"gamma": self.gamma, "units": units, "reading": self.reading}
        return {**told, "time": "d + gamma volume"}
