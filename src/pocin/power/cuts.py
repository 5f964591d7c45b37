# SPDX-License-Identifier: MIT
r"""The released optimum as a function of the capacities: its gradient, and cuts into the band.

Let phi(v) be the optimum of the AC-OPF whose limits all follow from v by the policy. Its gradient
is

    g = -(mu_p - rho mu_p- + s+ mu_q+ - s- mu_q-)

where mu are the multipliers of p <= v, p >= rho v, q <= qmax(v), q >= qmin(v) and s+, s- the slopes
of the reactive limits in v (leaving them out is wrong once those limits are linked to v). Where
phi is convex, phi(v) >= phi_k + g_k (v - v_k), so that the half-space

    phi_k + g_k (v - v_k) >= L

lies inside {phi >= L}: a point of it is not below the band.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from pocin.power.projection import BASE, Cut
from pocin.power.public import MEGAWATT

if TYPE_CHECKING:
    from pocin.arrays import Floats
    from pocin.kinds import Goal
    from pocin.power.opf import Optimum
    from pocin.power.placed import Placed

INSIDE = 0.98
"""Cuts aim at this share of beta below the figure."""

FLAT = 1e-3
"""A gradient shorter than this, in cost figures per 100 MW, says nothing."""

HEADROOM = 1.02
"""Less capacity than this share of the load serves no grid with losses."""


def cut_at(placed: Placed, v: Floats, found: Optimum, goal: Goal) -> Cut:
    """The half-space phi_k + g_k (v - v_k) >= L, L just inside the band."""
    gradient = gradient_of(placed, found)
    least = (1 - INSIDE * goal.beta) * goal.figure - found.cost
    return Cut(gradient, least + float(gradient @ v))


def tells(cut: Cut, goal: Goal) -> bool:
    """Return whether a cut has a slope worth following."""
    slope = float(np.linalg.norm(cut.gradient)) * BASE
    return slope >= FLAT * goal.figure


def gradient_of(placed: Placed, found: Optimum) -> Floats:
    """How the optimum changes with each capacity, $/h per MW."""
    sites, base = placed.public.site_rows, placed.public.base_mva
    p, q = found.unit_multipliers
    up_p, down_p = np.maximum(p[sites], 0.0), np.maximum(-p[sites], 0.0)
    up_q, down_q = np.maximum(q[sites], 0.0), np.maximum(-q[sites], 0.0)
    rules = placed.rules
    value = up_p - rules.pmin[1] * down_p + rules.qmax[1] * up_q - rules.qmin[1] * down_q
    return -value / base


def project(placed: Placed, cut: Cut) -> Floats:
    """Project v~ onto a half-space within v >= pmin: v(t) = max(pmin, v~ + t g), t by bisection."""
    floor = np.maximum(0.0, placed.rules.at(placed.noisy)[0])
    if cut.gradient @ placed.noisy >= cut.least:
        return placed.noisy

    def moved(t: float) -> Floats:
        return np.maximum(floor, placed.noisy + t * cut.gradient)

    low, high = 0.0, 1.0
    while cut.gradient @ moved(high) < cut.least and high < 1e12:  # noqa: PLR2004
        low, high = high, 2 * high
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if cut.gradient @ moved(middle) < cut.least else (low, middle)
    return whole(moved(high))


def serves(placed: Placed, v: Floats) -> bool:
    """Return whether the capacities together could carry the load; the network may still not."""
    public = placed.public
    load = float(np.sum(public.buses.pd[public.live]))
    return float(np.sum(v) + np.sum(np.maximum(public.fixed.pmax, 0.0))) >= HEADROOM * load


def whole(v: Floats) -> Floats:
    """Round down to the public grid: less capacity keeps the cut."""
    return MEGAWATT.real(np.floor(v / float(MEGAWATT.step) + 1e-6).astype(np.int64))
