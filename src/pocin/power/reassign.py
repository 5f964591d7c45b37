# SPDX-License-Identifier: MIT
r"""Where cheap and dear units fell on the wrong sites: put the same draws elsewhere.

The noise is attached to its element before any assignment, so another assignment of the same
records is post-processing as long as its cost is a function of the draws, the public columns and
the cost figure only. The cost of record i at site s is

    d(r_i, s) + eta n C_i(p_s) / O*

with p_s the dispatch that P_CL found at the sites (nearly the cheapest there is, for its slack is
dear), C_i the record's curve and n the number of records; eta is doubled until the release is
faithful.
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


def assignments(draws: Draws, public: PublicGrid, goal: Goal, dispatch: Floats) -> Iterator[Ints]:
    """Yield assignments that weigh cost more and more; one that repeats is left out."""
    at_sites = np.maximum(0.0, dispatch[public.site_rows]) * public.base_mva
    curves = Costs.from_matrix(public.moved_columns(draws.moved).costs)
    cost = cost_at(curves, at_sites) / goal.figure
    seen: set[bytes] = set()
    for k in range(DOUBLINGS):
        record = assign(draws, public.metric, ETA * 2**k * len(draws) * cost)
        if record.tobytes() not in seen:
            seen.add(record.tobytes())
            yield record
