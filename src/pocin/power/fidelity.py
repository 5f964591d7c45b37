# SPDX-License-Identifier: MIT
"""Phase 3: restore fidelity. Sees the public part, the draws and the cost figure, nothing else."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from pocin.power.opf import model_of
from pocin.power.projection import BASE, OPTIONS, ROOM, SCALED, Cut, Projection
from pocin.power.public import MEGAWATT

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pocin.arrays import Floats
    from pocin.kinds import Goal
    from pocin.power.clock import Clock
    from pocin.power.opf import Optimum
    from pocin.power.placed import Placed

SNAP = 0.02
"""Where the restored capacities are within this of the noisy ones, those are tried first."""

TOO_DEAR = 1e-5
"""A slack of the cost row above this, relative to the cost figure, is not solver noise."""

STALLED = "Maximum_Iterations_Exceeded"

LARGE = 5000
"""Buses from which the other scaling is tried first: it solved every grid of 9,000 to 30,000 buses
that was tried, in 1.5 AC-OPFs where the first stalled or took twice as long."""

STEP = float(MEGAWATT.step)


@dataclass(frozen=True, eq=False)
class Restored:
    """What P_CL found: capacities in whole hundredths of a MW, and how much too dear they are."""

    v: Floats
    excess: float
    solve: Optimum = field(repr=False)

    @property
    def affordable(self) -> bool:
        """Whether these sites can serve the load for the cost figure."""
        return self.solve.solved and self.excess <= TOO_DEAR

    @property
    def dispatch(self) -> Floats:
        """What every unit of the grid sends out, MW."""
        return self.solve.p * BASE

    @property
    def too_dear(self) -> float:
        """How much too dear the sites are, as far as the solve can tell."""
        return max(0.0, self.excess) if self.solve.solved else 0.0


def restore(
    placed: Placed, goal: Goal, cut: Cut | None = None, clock: Clock | None = None
) -> Restored:
    """Solve P_CL from a flat start; where the solver stalls, once more in another scaling."""
    grid, sites = placed.grid(placed.noisy).on_base(BASE), placed.public.site_rows
    most = (1 + ROOM * goal.beta) * goal.figure
    n = len(placed.noisy)
    buses = len(placed.public.buses)
    for options in (SCALED, OPTIONS) if buses >= LARGE else (OPTIONS, SCALED):
        problem = Projection.of(model_of(grid), sites, options)
        solve = problem.solve(placed, grid, most, cut or Cut.none(n), clock)
        if solve.status != STALLED:
            break
    capacities = np.maximum(0.0, solve.x[-n - 1 : -1]) * BASE
    whole = np.rint(capacities / STEP).astype(np.int64)
    return Restored(MEGAWATT.real(whole), float(solve.x[-1]), solve)


def candidates(placed: Placed, restored: Restored) -> Iterator[Floats]:
    """Yield the capacities to certify, nearest to the noisy ones first."""
    near = np.all(np.abs(restored.v - placed.noisy) <= SNAP * placed.noisy + STEP)
    allowed = np.all(placed.rules.at(placed.noisy)[0] <= placed.noisy)
    if near and allowed and not np.array_equal(restored.v, placed.noisy):
        yield placed.noisy
    yield restored.v
