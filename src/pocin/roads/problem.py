# SPDX-License-Identifier: MIT
"""Phase 3 on roads as numbers: what is asked, and what is found. Numbers only, and no secret."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Self

import numpy as np

if TYPE_CHECKING:
    from pocin.arrays import Floats, Ints, Mask
    from pocin.roads.network import Roads
    from pocin.roads.public import PublicRoads


@dataclass(frozen=True, eq=False)
class RestoreProblem:
    """Find link times w >= d nearest to the noisy ones under the reading of beta.

    Links are sorted by public id; ``tail`` and ``head`` are node positions; trips are as written.
    Of the two readings one is given: ``total``, the weighted mean trip time, or ``times``, the
    figure O*_k of every trip.
    """

    tail: Ints
    head: Ints
    node_count: int
    no_through: Mask  # per node: zones that no trip may cross
    d: Floats  # the public part of the travel time
    noisy: Floats  # w~ = d + gamma * released noisy traffic
    origins: Ints  # node position per trip
    destinations: Ints
    weights: Floats  # per trip, for the total reading (equal where volumes are dropped)
    beta: float
    total: float | None  # cost figure of `total`
    times: Floats | None  # cost figures of `per-trip`
    grid: float = 0.0  # w - d is written in whole multiples of this (gamma * the step of volumes)

    @classmethod
    def on(cls, roads: Roads | PublicRoads, noisy: Floats, beta: float, **figures: Any) -> Self:
        """Put the problem on a network; ``figures`` are ``total``, ``times`` and ``grid``."""
        return cls(
            tail=roads.tail,
            head=roads.head,
            node_count=len(roads.nodes),
            no_through=roads.nodes.no_through,
            d=roads.links.d,
            noisy=noisy,
            origins=roads.origins,
            destinations=roads.destinations,
            weights=np.ones(len(roads.trips)),
            beta=beta,
            **figures,
        )


@dataclass(frozen=True, eq=False)
class RoadSolution:
    """Restored link times, how far they are from the noisy ones, and a bound on that distance.

    ``w`` stands on the grid: (w - d) / grid is whole to the last digits.
    """

    w: Floats
    distance: float  # ||w - noisy||_2 in time units (the caller converts to vehicles by gamma)
    bound: float | None  # lower bound on the distance
    converged: bool  # every trip (or the total) is within beta
    reason: str
    diagnostics: dict[str, Any]
