# SPDX-License-Identifier: MIT
r"""The chord bound: how far the nearest faithful weights are at least.

The problem, with the trips k whose time must be short enough and some paths j that must be long
enough (any subset of the true rows gives a bound):

    minimise ||w - w~||^2 / 2   subject to   w >= d,  SP_k(w) <= U_k,  a_j . w >= L_j.

For multipliers lam, mu >= 0, weak duality; SP_k(w) is the least p . w over paths, so that the
minimum over w is one over paths p_k as well. With x_e = sum_k lam_k [e in p_k] and
phi_e(t) = min_{w >= d_e} (w - w~_e)^2 / 2 - t w,

    optimum >= min over paths of  sum_e phi_e(mu_e - x_e)  - sum_k lam_k U_k + sum_j mu_j L_j,

where mu_e sums mu_j over the cuts through e. phi_e is concave: on an interval it lies above its
chord. x_e lies between M_e, the sum of lam_k over trips that must use e, and F_e, over those that
can. Let the chord's slope be -w^_e, with

    w^_e = (phi_e(mu_e - F_e) - phi_e(mu_e - M_e)) / (F_e - M_e)        (w(mu_e - M_e) if F = M).

Then sum_e phi_e(mu_e - x_e) >= sum_e [phi_e(mu_e - M_e) - M_e w^_e] + sum_e x_e w^_e, and the last
sum is sum_k lam_k p_k . w^ >= sum_k lam_k SP_k(w^). Hence, for all lam, mu >= 0,

    LB = sum_e [phi_e(mu_e - M_e) - M_e w^_e] + sum_k lam_k (SP_k(w^) - U_k) + sum_j mu_j L_j.

Nothing is assumed of the multipliers, so that any ascent from the ones of a good solution will do.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from pocin.roads.sums import dot

if TYPE_CHECKING:
    from pocin.arrays import Floats
    from pocin.roads.projection import Rows
    from pocin.roads.reading import PerTrip, Total


@dataclass(frozen=True, eq=False)
class Step:
    """The bound at some multipliers, and how it changes with them."""

    value: float
    by_lam: Floats
    by_mu: Floats
    w: Floats  # w^
    load: Floats
    push: Floats  # mu_e
    line: tuple[Floats, Floats]  # of every chord: its height at M_e, and M_e


@dataclass(frozen=True, eq=False)
class Chord:
    """The chord bound of a problem, as a function of the multipliers."""

    reading: PerTrip | Total  # of the figures k that must be short enough
    can: Rows  # a row for each of them: the links that can be used (for a mean: by what weight)
    must: Rows
    everywhere: Floats  # for each: the weight of trips of which nothing is known
    cuts: Rows  # with the true bounds L_j

    @cached_property
    def most(self) -> Floats:
        """U_k."""
        return self.reading.limit(+1, 0.0)

    def at(self, lam: Floats, mu: Floats) -> Step:
        """Return LB and its gradient at multipliers."""
        d, noisy = self.reading.problem.d, self.reading.problem.noisy
        size = len(d)
        least = self.must.combine(lam, size)
        spread = self.can.combine(lam, size) + dot(lam, self.everywhere) - least
        spread = np.maximum(spread, 0.0)
        push = self.cuts.combine(mu, size)
        high, low, mean, bend = self._weights(push - least, spread)
        times = self.reading.times(mean)
        load = self.reading.load(mean, lam)
        phi = (high - noisy) ** 2 / 2 - (push - least) * high
        value = (phi - least * mean).sum() + dot(lam, times - self.most)
        value += dot(mu, self.cuts.bound)
        rest = (load - least) * bend
        by_most = rest * (low - mean)
        by_least = high - mean + rest * (mean - high)
        by_push = rest * (high - low) - high
        by_lam = times - self.most + self.can.dot(by_most) + self.must.dot(by_least)
        by_lam += self.everywhere * by_most.sum()
        by_mu = self.cuts.bound + self.cuts.dot(by_push)
        return Step(float(value), by_lam, by_mu, mean, load, push, (phi, least))

    def gaps(self, step: Step, load: Floats) -> Floats:
        """Return what each chord gives away where the load is this, or a mean of loads."""
        w, x = self.least(step, load), step.push - load
        phi, least = step.line
        own = (w - self.reading.problem.noisy) ** 2 / 2 - x * w
        return np.asarray(own - phi - (load - least) * step.w)

    def least(self, step: Step, load: Floats) -> Floats:
        """Return the weights that minimise the Lagrangian where trips load the links so."""
        problem = self.reading.problem
        return np.maximum(problem.d, problem.noisy + step.push - load)

    def _weights(self, top: Floats, spread: Floats) -> tuple[Floats, Floats, Floats, Floats]:
        """Return w at both ends, its mean w^ between them, and 1 / spread (0 where that is 0).

        w(t) = max(d, w~ + t) falls along a line until it meets d: the mean is exact.
        """
        d = self.reading.problem.d
        free = self.reading.problem.noisy + top - d  # how far t may fall before w meets d
        high, low = d + np.maximum(free, 0.0), d + np.maximum(free - spread, 0.0)
        bend = np.divide(1.0, spread, out=np.zeros_like(spread), where=spread > 0)
        share = np.where(spread > 0, np.clip(free, 0.0, spread) * bend, 1.0)
        return high, low, d + (high + low - 2 * d) / 2 * share, bend
