# SPDX-License-Identifier: MIT
r"""Where cheap and dear units fell on the wrong sites: put the same draws elsewhere.

The noise is attached to its element before any assignment, so another assignment of the same
records is post-processing as long as its cost is a function of the draws, the public columns and
the cost figure only. The cost of record i at site s is

    d(r_i, s) + eta n C_i(p_s) / O*

with p_s the dispatch that P_CL found at the sites (nearly the cheapest there is, for its slack is
dear), C_i the record's curve and n the number of records; eta is doubled until the release is
faithful.

P_CL has said how much too dear the sites are, relative to the figure. With the dispatch left as it
is, an assignment saves sum_s (C_before(p_s) - C_after(p_s)) / O*. What saves less than half of the
excess is passed over: another dispatch may save more, but hardly twice as much.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from pocin.power.curves import cost_at
from pocin.power.grid import Costs
from pocin.privacy.location import assign

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pocin.arrays import Floats, Ints
    from pocin.kinds import Goal
    from pocin.power.public import PublicGrid
    from pocin.privacy.draws import Draws

ETA = 0.125
DOUBLINGS = 9
ENOUGH = 0.5
"""An assignment must save this share of the excess, with the dispatch left as it is."""


def assignments(
    draws: Draws, public: PublicGrid, goal: Goal, dispatch: Floats, excess: float = 0.0
) -> Iterator[Ints]:
    """Yield assignments that weigh cost more and more; one that repeats is left out.

    ``dispatch`` is what P_CL found for the assignment of phase 1, in MW, and ``excess`` how
    much too dear it is, relative to the figure.
    """
    at_sites = np.maximum(0.0, dispatch[public.site_rows])
    curves = Costs.from_matrix(public.moved_columns(draws.moved).costs)
    cost = cost_at(curves, at_sites) / goal.figure
    sites = np.arange(len(draws))
    first = assign(draws, public.metric)
    most = float(cost[first, sites].sum()) - ENOUGH * excess
    seen = {first.tobytes()}
    for k in range(DOUBLINGS):
        record = assign(draws, public.metric, ETA * 2**k * len(draws) * cost)
        saves = float(cost[record, sites].sum()) <= most or k == DOUBLINGS - 1
        if saves and record.tobytes() not in seen:
            seen.add(record.tobytes())
            yield record
