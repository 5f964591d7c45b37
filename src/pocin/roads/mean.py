# SPDX-License-Identifier: MIT
r"""The nearest link times under which the mean trip time is within beta: the total reading.

T(w), the mean of the shortest times, is concave, and x, the load of the paths that are shortest at
some w0 (how often each link is used), is a slope of it: T(w) <= x . w for every w, with equality at
w0. Only one end of the band is in the way of the noisy times w~.

*Too short.* T(w) >= L is convex: x . w >= L for every load x. With a mean x of loads,

    every point of the band is at least (L - x . w~) / ||x|| from w~,                           (1)

and the optimum lies on the ray w~ + s x where (1) is largest: the equilibrium of traffic x whose
link times rise with it, w~_e + s x_e. Each round adds the load at the nearest point that the loads
so far allow, and finds the mean that makes (1) largest; of far points of the ray the first in the
band is taken. Both ends close in on the optimum.

*Too long.* T(w) <= U holds if x . w <= U for some load x: a choice, and the only non-convex part.
The nearest point of such a half-space has other shortest paths; their load allows a nearer point,
and so on until there is no gain: from the load at w~ and from that of the empty roads.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from scipy.optimize import nnls

from pocin.roads.sums import dot, norm, triangle

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pocin.arrays import Floats
    from pocin.roads.choice import Effort
    from pocin.roads.reading import Total

CLOSE = 1e-3
"""The optimum is found when it is known to within this share of the distance."""

MEMORY = 24
"""So many loads are kept; older ones live on in their mean."""

LOOK = 4
"""Rounds between two searches along the ray."""

STEPS = 60
"""Newton's method ends long before: what it looks for is piecewise linear."""


@dataclass(frozen=True, eq=False)
class Near:
    """Link times on the grid, their distance, a bound where it comes with them, and the work.

    ``price`` is the multiplier of T(w) <= U, where that was in the way.
    """

    w: Floats
    distance: float
    converged: bool
    rounds: int
    bound: float | None = None
    price: float = 0.0


def nearest(reading: Total, effort: Effort) -> Near:
    """Return times near the noisy ones whose mean is within beta."""
    noisy = reading.problem.noisy
    w = reading.rounded(noisy)
    short, long = reading.out_of_band(w)
    if len(short):
        return _lengthened(reading, effort)
    if len(long):
        starts = (_shortened(reading, start, effort) for start in (noisy, reading.problem.d))
        return min(starts, key=lambda near: (not near.converged, near.distance))
    return Near(w, reading.distance(w, noisy), converged=True, rounds=0, bound=0.0)


# -- too short -------------------------------------------------------------------------------------


def _lengthened(reading: Total, effort: Effort) -> Near:
    """Close in on the optimum from below, by (1), and from above, along rays."""
    noisy, least = reading.problem.noisy, float(reading.limit(-1, 0.0)[0])
    loads, low, drawn = [reading.load(noisy)], 0.0, 0.0
    best = Near(noisy, np.inf, converged=False, rounds=0)
    for done in range(1, effort.rounds + 1):
        aim, matrix = reading.aim(-1, loads[-1]), np.array(loads)
        share = _least(matrix, aim - np.sum(matrix * noisy, axis=1))
        mean = np.sum(share[:, None] * matrix, axis=0)
        size = norm(mean)
        short = aim - dot(mean, noisy)
        low, drawn = max(low, (short - aim + least) / size), max(drawn, short / size)
        s = short / size**2
        last = done == effort.rounds or effort.over()
        if done % LOOK == 0 or last:
            found = _along(reading, mean, s, done)
            best = min(best, found, key=lambda near: (not near.converged, near.distance))
            if last or best.distance <= (1 + CLOSE) * drawn:
                break
        loads = [*_kept(loads, share, mean), reading.load(noisy + s * mean)]
    return Near(best.w, best.distance, best.converged, done, low)


def _least(loads: Floats, needed: Floats) -> Floats:
    """Return the weights, with sum 1, of the mean load that makes (1) largest.

    The nearest point to w~ with x_i . v >= g_i for all i is v = -r / rho, (r, rho) the remainder of
    the least-squares problem [X^T; g^T] u = (0, 1), u >= 0 (Lawson and Hanson 1974, 23.4); in the
    basis of the loads it has as many unknowns as there are loads.
    """
    basis = triangle(loads)
    scaled = np.vstack([basis / np.abs(basis).max(), needed / np.abs(needed).max()])
    weights, _ = nnls(scaled, np.eye(len(scaled))[-1])
    share: Floats = weights / weights.sum()
    return share


def _kept(loads: list[Floats], share: Floats, mean: Floats) -> list[Floats]:
    """Forget loads that play no part, and older ones but for their mean."""
    if len(loads) < MEMORY:
        return loads
    bearing = [load for load, weight in zip(loads, share, strict=True) if weight > 0]
    return bearing if len(bearing) <= MEMORY // 2 else [mean, *bearing[-MEMORY // 2 :]]


def _along(reading: Total, x: Floats, s: float, rounds: int) -> Near:
    """Return the first point of w~ + s x in the band, as it would be written.

    T is concave along the ray: Newton's method comes from below. Rounding may take a little away.
    """
    noisy = reading.problem.noisy
    for _ in range(STEPS):
        w = reading.rounded(noisy + s * x)
        if not len(reading.out_of_band(w)[0]):
            break
        load = reading.load(noisy + s * x)
        s += max((reading.aim(-1, load) - dot(load, w)) / dot(load, x), 1e-7 * s)
    within = not any(len(side) for side in reading.out_of_band(w))
    return Near(w, reading.distance(w, noisy), within, rounds)


# -- too long --------------------------------------------------------------------------------------


def _shortened(reading: Total, start: Floats, effort: Effort) -> Near:
    """Let the load of ever nearer points be short enough, as long as it gains."""
    noisy = reading.problem.noisy
    best = Near(reading.rounded(start), np.inf, converged=False, rounds=0)
    done = 0
    for near in _descent(reading, start):
        done += 1
        gained = near.distance < (1 - CLOSE / 10) * best.distance
        if near.converged and near.distance < best.distance:
            best = near
        if not gained or done == effort.rounds or effort.over():
            break
    return Near(best.w, reading.distance(best.w, noisy), best.converged, done, None, best.price)


def _descent(reading: Total, w: Floats) -> Iterator[Near]:
    """Yield the nearest point that the load at w allows, that of the load there, and so on."""
    while True:
        x = reading.load(w)
        most = reading.aim(+1, x)
        if dot(x, reading.problem.d) > most:
            return
        w, price = _half(reading, x, most)
        written = reading.rounded(w)
        within = not any(len(side) for side in reading.out_of_band(written))
        distance = reading.distance(written, reading.problem.noisy)
        yield Near(written, distance, within, 1, None, price)


def _half(reading: Total, x: Floats, most: float) -> tuple[Floats, float]:
    """Return the nearest point with w >= d and x . w <= U, and its multiplier.

    It is max(d, w~ - m x); x . w falls and bends upwards with m, so that Newton's method from 0
    does not pass the root.
    """
    d, noisy = reading.problem.d, reading.problem.noisy
    m, w = 0.0, np.maximum(d, noisy)
    for _ in range(STEPS):
        over, free = dot(x, w) - most, noisy - m * x > d
        slope = dot(x[free], x[free])
        if over <= 0 or slope == 0:
            break
        m += over / slope
        w = np.maximum(d, noisy - m * x)
    return w, m
