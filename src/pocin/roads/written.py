# SPDX-License-Identifier: MIT
"""The released roads, built from a whitelist: the public part, and the traffic at each site."""

from __future__ import annotations

from dataclasses import fields
from typing import TYPE_CHECKING

import numpy as np

from pocin.roads.network import Links, Roads

if TYPE_CHECKING:
    from pocin.arrays import Floats
    from pocin.roads.public import PublicRoads

DECIMALS = 3
STEP = 10.0**-DECIMALS
"""Released traffic is written on a public grid of 0.001 vehicles."""


def on_grid(volume: Floats) -> Floats:
    """Round traffic to the public grid of the written files, at least 0."""
    return np.asarray(np.round(np.maximum(volume, 0.0), DECIMALS) + 0.0, dtype=np.float64)


def released_roads(public: PublicRoads, volume: Floats) -> Roads:
    """Return the roads with traffic ``volume[s]`` (vehicles) on every site s."""
    links = public.links
    kept = {column.name: getattr(links, column.name) for column in fields(links)}
    unknown = np.full(len(links), np.nan)
    return Roads(
        nodes=public.nodes,
        links=Links(**kept, volume=volume, cost=unknown),
        trips=public.trips,
        units=public.units,
        gamma=public.gamma,
        form=public.form,
        reading=public.reading,
    )
