# SPDX-License-Identifier: MIT
"""A grid with the same public part and made-up values, to try parameters on.

    capacity at site s    v_s = R max(L x_s / sum(x), 4/3 p_s),   log x_s standard normal
    cost of its unit      b p + a p^2,   b from 10 to 50 $/MWh,   a up to 0.02 $/MW^2h

L is the load, and p the optimal dispatch at these costs when every unit could serve it alone: it
says where capacity is needed. R is 1.5, and half as much again until the grid can be solved. All
of it is a function of the public part and of a seed: two grids that differ in the secret alone have
the same surrogate.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from pocin.policy import Treatment
from pocin.power.certificate import solved
from pocin.power.columns import PMIN, Q_LIMITS
from pocin.power.grid import POLYNOMIAL
from pocin.power.public import MEGAWATT, limit_rules
from pocin.power.written import released_grid
from pocin.privacy.noise import SeededNoise

if TYPE_CHECKING:
    from collections.abc import Callable

    from pocin.arrays import Floats
    from pocin.kinds import Solved
    from pocin.power.grid import Grid
    from pocin.power.public import PublicGrid

RESERVE, NEED, MORE, TRIES = 1.5, 4 / 3, 1.5, 6
LEAST = 1.0  # MW: a unit without capacity would be another site
MARGINAL, CURVATURE = (10.0, 50.0), 0.02
TERMS = 3  # of a quadratic


def surrogate(public: PublicGrid, seed: int, solve: Callable[[Grid], Solved]) -> Grid:
    """Make the grid of a seed; where none of the tries can be solved it is the largest one."""
    noise = SeededNoise(seed)
    shares = noise.generator.lognormal(0.0, 1.0, len(public.site_bus))
    costs = _costs(public, noise)
    load = float(np.sum(np.maximum(public.buses.pd[public.live], 0.0)))
    wished = np.maximum(load * shares / np.sum(shares), NEED * _needed(public, load, costs))
    for tried in range(TRIES):
        grid = _with(public, RESERVE * MORE**tried * wished, costs)
        if solve(grid).cost is not None:
            break
    return grid


def _needed(public: PublicGrid, load: float, costs: Floats) -> Floats:
    """Return what every site sends out where capacities do not bind; nothing if that fails."""
    found, _ = solved(_with(public, np.full(len(public.site_bus), load), costs), None)
    if not found.solved:
        return np.zeros(len(public.site_bus))
    return np.asarray(np.maximum(found.p[public.site_rows] * public.base_mva, 0.0))


def _with(public: PublicGrid, wished: Floats, costs: Floats) -> Grid:
    """Return the grid with capacities on the public grid; a pmin that stays fits below them."""
    least = np.nan_to_num(public.site_limits.pmin, nan=0.0)
    v = MEGAWATT.real(MEGAWATT.whole(np.maximum(wished, np.maximum(LEAST, 1.25 * least))))
    moved = costs
    number = public.policy.constants
    if public.policy[Q_LIMITS] is Treatment.MOVES:
        low = -(number["qmin_offset"] + number["qmin_slope"] * v)
        moved = np.column_stack([moved, low, number["qmax_offset"] + number["qmax_slope"] * v])
    if public.policy[PMIN] is Treatment.MOVES:
        moved = np.column_stack([moved, np.zeros(len(v))])
    columns = public.moved_columns(moved)
    return released_grid(public, v, columns.costs, limit_rules(public, columns, v))


def _costs(public: PublicGrid, noise: SeededNoise) -> Floats:
    """Return made-up cost curves, as wide as the policy's."""
    n, count = min(TERMS, public.cost_width), len(public.site_bus)
    curve = np.zeros((count, TERMS))
    curve[:, 0] = np.round(noise.generator.uniform(0.0, CURVATURE, count), 4)
    curve[:, 1] = np.round(noise.generator.uniform(*MARGINAL, count), 2)
    rows = np.zeros((count, 4 + public.cost_width))
    rows[:, 0], rows[:, 3] = POLYNOMIAL, n
    rows[:, 4 : 4 + n] = curve[:, TERMS - n :]
    return rows
