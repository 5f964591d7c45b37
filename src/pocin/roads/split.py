# SPDX-License-Identifier: MIT
"""Cut a road network into its public part and its secret part, as the policy says."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from pocin.policy import Treatment
from pocin.privacy.secret import Secret
from pocin.roads.columns import CAPACITY, COORDINATES, DELAY, DEMAND, LENGTH
from pocin.roads.public import VEHICLE, PublicLinks, PublicRoads

if TYPE_CHECKING:
    from pocin.arrays import Floats
    from pocin.policy import Policy
    from pocin.roads.network import Roads


def split(
    roads: Roads, policy: Policy, gamma: float, times: Floats | None = None
) -> tuple[PublicRoads, Secret]:
    """Return what everybody may see, and what nobody may.

    Every link is a site and every link's traffic an element. ``times`` are those of the trips in
    the order of the source.
    """

    def kept(column: str, values: Floats) -> Floats:
        return values if policy[column] is Treatment.PUBLIC else np.full(len(values), np.nan)

    nodes, links, trips = roads.nodes, roads.links, roads.trips
    order, turn = np.argsort(links.id), np.lexsort((trips.destination, trips.origin))
    public = PublicRoads(
        nodes=replace(nodes, x=kept(COORDINATES, nodes.x), y=kept(COORDINATES, nodes.y)).take(
            np.argsort(nodes.id)
        ),
        links=PublicLinks(
            id=links.id,
            tail=links.tail,
            head=links.head,
            d=links.d,
            length=kept(LENGTH, links.length),
            capacity=kept(CAPACITY, links.capacity),
            b=kept(DELAY, links.b),
            power=kept(DELAY, links.power),
        ).take(order),
        trips=replace(trips, volume=kept(DEMAND, trips.volume)).take(turn),
        units=roads.units,
        gamma=gamma,
        form=roads.form,
        times=None if times is None else times[turn],
        policy=policy.with_constants(gamma=gamma),
    )
    secret = Secret(
        sites=np.arange(len(links)),
        values=VEHICLE.whole(links.volume[order]),
        moved=np.empty((len(links), 0)),
    )
    return public, secret
