# SPDX-License-Identifier: MIT
r"""What a policy gives away of the traffic before any noise: for the curator, from the real roads.

Exact trip times are A w for the matrix A of the trips' shortest paths. Link e is pinned by them
where e's unit vector lies in the row space of A, that is where P e = e for the projection P on it:
then w_e is a combination of trip times. A random x tells which: (P x)_e = x_e only there, and P x
is the least-norm solution of A y = A x. None is where an end of e is no end of a trip: time may be
added to all that enters such a node and taken from all that leaves it, and trips take as long.

Few links are pinned in a city, and yet its busiest are found: the least t with A t = A t_real has
most traffic where much is needed to explain the times.

Written volumes on a public network are traffic: an assignment computes it again.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
from scipy.sparse import csr_matrix
from scipy.sparse.linalg import lsmr

from pocin.policy import Treatment
from pocin.privacy.noise import SeededNoise
from pocin.roads.assignment import recomputed, share_found
from pocin.roads.columns import CAPACITY, DELAY, DEMAND
from pocin.roads.exposure import trip_paths
from pocin.roads.shortest import trip_times

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pocin.arrays import Floats, Ints, Mask
    from pocin.policy import Policy
    from pocin.roads.network import Roads

BUSIEST = 50
_MOST_STEPS = 1_000_000  # links on all paths together that are looked at
_EXACT, _NEAR = 2_000, 200  # iterations
_SURE = 1e-6
_CUT_SHORT = 7  # how lsmr says that its iterations were over
_GAP, _ROUNDS = 1e-3, 30
PUBLIC_SEED = 0


def given_away(roads: Roads, gamma: float, policy: Policy) -> Iterator[str]:
    """Yield sentences on what trip times tell, and what the written tables do."""
    yield from _times_tell(roads, gamma)
    links, busiest = roads.links, min(BUSIEST, len(roads.links))
    written, dropped = _as_written(roads, policy)
    found = _found(_recomputed(written), links.volume)
    chance = busiest * busiest / len(links)
    yield (
        f"an assignment of what this policy writes finds {found} of the {busiest} busiest links; "
        f"chance finds {chance:.0f}"
    )
    if dropped:
        found = _found(_recomputed(roads), links.volume)
        yield f"with {' and '.join(dropped)}, which this policy drops, it finds {found} of them"
    yield from _clipped(roads, gamma, policy.constants["cap"])


def _times_tell(roads: Roads, gamma: float) -> Iterator[str]:
    """Yield how many links exact trip times find, and how many they pin, where that is known."""
    links, busiest = roads.links, min(BUSIEST, len(roads.links))
    start, steps = _paths(roads, gamma)
    all_trips = len(start) - 1 == len(roads.trips)
    found = _found(least_traffic(start, steps, links.volume), links.volume)
    yield (
        f"the exact times of {len(start) - 1} trips, with their paths, find {found} of the "
        f"{busiest} busiest links: where the least traffic that explains them is"
    )
    ends = np.unique(np.concatenate([roads.origins, roads.destinations]))
    may = np.isin(roads.tail, ends) & np.isin(roads.head, ends)
    which, converged = pinned(start, steps, may)
    count, sure = int(which.sum()), not may.any() or (converged and all_trips)
    if sure or count:
        yield f"they pin the traffic of {'' if sure else 'at least '}{count} of {len(links)} links"


def _clipped(roads: Roads, gamma: float, cap: float) -> Iterator[str]:
    """Yield what a private cost figure would lose, where links carry more than the cap."""
    d, volume = roads.links.d, roads.links.volume
    whole, clipped = (
        float(np.mean(trip_times(roads, d + gamma * counts)))
        for counts in (volume, np.minimum(volume, cap))
    )
    if clipped < whole:
        yield (
            f"a figure by --cost-epsilon counts {cap:g} vehicles a link at most, the policy's cap: "
            f"it would be {100 * (1 - clipped / whole):.2g} % too low; take a cap from what such "
            "roads can carry, not from these counts"
        )


def _paths(roads: Roads, gamma: float) -> tuple[Ints, Ints]:
    """Return the trips' shortest paths, of the first trips only where they are long."""
    paths = trip_paths(roads)
    w = roads.links.d + gamma * roads.links.volume
    start, steps = paths.paths(w, np.arange(len(roads.trips)))
    if len(steps) <= _MOST_STEPS:
        return start, steps
    kept = np.searchsorted(start, _MOST_STEPS, side="right") - 1
    return start[: kept + 1], steps[: start[kept]]


def _as_written(roads: Roads, policy: Policy) -> tuple[Roads, list[str]]:
    """Return roads without what a policy drops, and which of it would tell traffic."""
    trips, links, dropped = roads.trips, roads.links, []
    if policy[DEMAND] is not Treatment.PUBLIC and np.isfinite(trips.volume).any():
        dropped.append("the demand's volumes")
        trips = replace(trips, volume=np.full(len(trips), np.nan))
    both = policy[CAPACITY], policy[DELAY]
    if any(given is not Treatment.PUBLIC for given in both) and np.isfinite(links.b).any():
        dropped.append("the links' delays")
        links = replace(links, capacity=np.full(len(links), np.nan))
    return replace(roads, trips=trips, links=links), dropped


def pinned(start: Ints, steps: Ints, may: Mask) -> tuple[Mask, bool]:
    """Return which links are combinations of paths, and whether there are no others.

    Path k has the links steps[start[k]:start[k + 1]]; only links that ``may`` be are.
    """
    if not may.any():
        return may, True
    x = SeededNoise(PUBLIC_SEED).generator.standard_normal(len(may))
    near, converged = _least(start, steps, x, 1e-12, _EXACT)
    return may & (np.abs(near - x) <= _SURE), converged


def least_traffic(start: Ints, steps: Ints, traffic: Floats) -> Floats:
    """Return the least traffic that has the same sum on every path."""
    return _least(start, steps, traffic, 1e-6, _NEAR)[0]


def _least(start: Ints, steps: Ints, x: Floats, exact: float, most: int) -> tuple[Floats, bool]:
    """Return the least-norm y with A y = A x, and whether it is."""
    shape = (len(start) - 1, len(x))
    matrix = csr_matrix((np.ones(len(steps)), steps, start), shape=shape)
    sums = np.asarray(matrix @ x)
    found = lsmr(matrix, sums, atol=exact, btol=exact, conlim=0, maxiter=most)
    return np.asarray(found[0]), found[1] != _CUT_SHORT


def _found(traffic: Floats, real: Floats) -> int:
    """Count the busiest links among as many with most of this traffic."""
    count = min(BUSIEST, len(real))
    return round(count * share_found(traffic, real, count))


def _recomputed(roads: Roads) -> Floats:
    """Return the traffic that an assignment of these tables computes."""
    return recomputed(roads, gap=_GAP, rounds=_ROUNDS).traffic
