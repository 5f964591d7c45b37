# SPDX-License-Identifier: MIT
"""Roads with the same public part and made-up traffic, to try parameters on.

    t_e = s y_e (load_e + mean load / 10),   log y_e normal with deviation 0.5

load_e is what link e carries when all pairs take the shortest path by d; the scale s lets traffic
add half as much again to the time on d of all links together. All of it is a function of the public
part and of a seed: two networks that differ in the secret alone have the same surrogate.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from pocin.privacy.noise import SeededNoise
from pocin.roads.paths import TripPaths
from pocin.roads.public import VEHICLE
from pocin.roads.written import released_roads

if TYPE_CHECKING:
    from pocin.arrays import Floats
    from pocin.roads.network import Roads
    from pocin.roads.public import PublicRoads

SLOWER, SPREAD, LOCAL = 0.5, 0.5, 0.1


def surrogate(public: PublicRoads, seed: int) -> Roads:
    """Make the roads of a seed."""
    load = _loads(public)
    busy = load + LOCAL * max(float(np.mean(load)), 1.0)
    wished = busy * SeededNoise(seed).generator.lognormal(0.0, SPREAD, len(busy))
    scale = SLOWER * float(np.sum(public.links.d)) / (public.gamma * float(np.sum(wished)))
    return released_roads(public, VEHICLE.real(VEHICLE.whole(scale * wished)))


def _loads(public: PublicRoads) -> Floats:
    """Return how many pairs take each link by the shortest path on d."""
    nodes = len(public.nodes), public.nodes.no_through
    ends = public.origins, public.destinations
    paths = TripPaths.of(public.tail, public.head, *nodes, *ends)
    return paths.loads(public.links.d, np.ones(len(public.trips)))
