# SPDX-License-Identifier: MIT
r"""Where cheap and dear units fell on the wrong sites: put the same draws elsewhere.

The noise is attached to its element before any assignment, so another assignment of the same
records is post-processing as long as its cost is a function of the draws, the public columns and
the cost figure only. The cost of record i at site s is

    d(r_i, s) + eta n C_i(p_s) / O*

with p_s the dispatch of least cost at the sites when capacities are free, C_i the record's curve
and n the number of records; eta is doubled until the release is faithful.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from pocin.power.curves import cost_at
from pocin.power.grid import Costs
from pocin.power.opf import limits_of, model_of, terms_of
from pocin.privacy.location import assign

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pocin.arrays import Floats, Ints
    from pocin.kinds import Goal
    from pocin.power.fidelity import Placed
    from pocin.power.opf import Optimum
    from pocin.privacy.draws import Draws

ETA = 0.125
DOUBLINGS = 9


def free_dispatch(placed: Placed, time_limit: float | None) -> Optimum:
    """The dispatch of least cost when every site may have any capacity."""
    grid = placed.grid(placed.noisy)
    limits, sites = limits_of(grid), placed.public.site_rows
    much = 2 * float(np.sum(np.abs(placed.public.buses.pd))) / placed.public.base_mva
    least, most = limits.qmin.copy(), limits.qmax.copy()
    pmin, pmax = limits.pmin.copy(), limits.pmax.copy()
    capacity = much * placed.public.base_mva
    _, qmin, qmax = placed.rules.at(np.full(len(sites), capacity))
    pmin[sites], pmax[sites] = 0.0, much
    least[sites], most[sites] = qmin / placed.public.base_mva, qmax / placed.public.base_mva
    free = replace(limits, pmin=pmin, pmax=pmax, qmin=least, qmax=most)
    return model_of(grid).optimum(free, terms_of(grid), time_limit)


def assignments(
    draws: Draws, placed: Placed, moved_costs: Floats, goal: Goal, dispatch: Optimum
) -> Iterator[Ints]:
    """Yield assignments that weigh cost more and more; one that repeats is left out."""
    public = placed.public
    at_sites = np.maximum(0.0, dispatch.p[public.site_rows]) * public.base_mva
    cost = cost_at(Costs.from_matrix(moved_costs), at_sites) / goal.figure
    seen: set[bytes] = set()
    for k in range(DOUBLINGS):
        record = assign(draws, public.metric, ETA * 2**k * len(draws) * cost)
        if record.tobytes() not in seen:
            seen.add(record.tobytes())
            yield record
