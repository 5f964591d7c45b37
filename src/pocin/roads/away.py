# SPDX-License-Identifier: MIT
r"""What a policy gives away of the traffic before any noise: for the curator, from the real roads.

Exact trip times are A w for the matrix A of the trips' shortest paths. Link e is pinned by them
where e's unit vector lies in the row space of A, that is where P e = e for the projection P on it:
then w_e is a combination of trip times. A random x tells which: (P x)_e = x_e only there, and P x
is the least-norm solution of A y = A x.

Written volumes on a public network are traffic: an assignment computes it again.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from scipy.sparse import csr_matrix
from scipy.sparse.linalg import lsmr

from pocin.privacy.noise import SeededNoise
from pocin.roads.assignment import Delay, assign, share_found
from pocin.roads.paths import TripPaths

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pocin.arrays import Floats, Ints, Mask
    from pocin.roads.network import Roads

BUSIEST = 50
_MOST_STEPS = 1_000_000  # links on all paths together that are looked at
_ITERATIONS = 3_000
_SURE = 1e-6
_GAP, _ROUNDS = 1e-3, 30
PUBLIC_SEED = 0


def given_away(roads: Roads, gamma: float, *, volumes: bool) -> Iterator[str]:
    """Yield sentences; ``volumes`` says whether the policy writes the demand."""
    links, trips = roads.links, roads.trips
    paths = TripPaths.of(
        roads.tail,
        roads.head,
        len(roads.nodes),
        roads.nodes.no_through,
        roads.origins,
        roads.destinations,
    )
    some, w = "", links.d + gamma * links.volume
    start, steps = paths.paths(w, np.arange(len(trips)))
    if len(steps) > _MOST_STEPS:
        some = "at least "
        kept = np.searchsorted(start, _MOST_STEPS, side="right") - 1
        start, steps = start[: kept + 1], steps[: start[kept]]
    count = int(pinned(start, steps, len(links)).sum())
    yield f"exact times of all trips would pin the traffic of {some}{count} of {len(links)} links"
    busiest = min(BUSIEST, len(links))
    ones = np.ones(len(trips))
    yield (
        "the pairs alone, on shortest paths without traffic, find "
        f"{_found(paths.loads(links.d, ones), links.volume)} of the {busiest} busiest links; "
        f"chance finds {busiest * busiest / len(links):.0f}"
    )
    if np.isfinite(trips.volume).all():
        how, traffic = _recomputed(roads, paths)
        said = "which this policy writes" if volumes else "which this policy drops"
        yield (
            f"with the demand's volumes, {said}, {how} finds "
            f"{_found(traffic, links.volume)} of them"
        )


def pinned(start: Ints, steps: Ints, links: int) -> Mask:
    """Return which links are combinations of paths; path k has the links steps[start[k]:...]."""
    shape = (len(start) - 1, links)
    matrix = csr_matrix((np.ones(len(steps)), steps, start), shape=shape)
    x = SeededNoise(PUBLIC_SEED).generator.standard_normal(links)
    times = np.asarray(matrix @ x)
    near = lsmr(matrix, times, atol=1e-12, btol=1e-12, conlim=0, maxiter=_ITERATIONS)[0]
    used = np.bincount(steps, minlength=links) > 0
    return np.asarray(used & (np.abs(near - x) <= _SURE))


def _found(traffic: Floats, real: Floats) -> int:
    """Count the busiest links among as many with most of this traffic."""
    count = min(BUSIEST, len(real))
    return round(count * share_found(traffic, real, count))


def _recomputed(roads: Roads, paths: TripPaths) -> tuple[str, Floats]:
    """Assign the demand: at equilibrium where the source tells how delay grows."""
    links, volume = roads.links, roads.trips.volume
    delay = Delay(links.d, links.capacity, links.b, links.power)
    told = all(np.isfinite(column).all() for column in vars(delay).values())
    if told and np.all(links.capacity > 0):
        found = assign(paths, volume, delay, gap=_GAP, rounds=_ROUNDS)
        return "an equilibrium assignment", found.traffic
    return "an assignment to shortest paths", paths.loads(links.d, volume)
