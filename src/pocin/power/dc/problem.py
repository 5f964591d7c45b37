# SPDX-License-Identifier: MIT
r"""The paper's bi-level problem P_BL for a convex value function phi.

    minimise    |v - v~|                  (the sum, or the Euclidean norm)
    subject to  low <= phi(v) <= high     (its own optimum is faithful)
                v >= least

Some dispatch x must also serve the load with room to spare, at a cost of at most ``high``:

    E x = e,   G x <= room (h + H v)   on the limits of units, lines and angles

The room keeps the reader's solver from a feasible set without an interior, as in the AC model; room
1 is the paper's own problem. ``phi(v) <= high`` follows from it.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum
from typing import TYPE_CHECKING

import numpy as np

from pocin.power.dc.linear import INFINITE, Block, Builder, diagonal, solve

if TYPE_CHECKING:
    from collections.abc import Callable

    from pocin.arrays import Floats
    from pocin.power.dc.program import Program

    Left = Callable[[], float]
    """Tells the seconds that are left."""


def unlimited() -> float:
    """Tell that time does not matter."""
    return float("inf")


class Norm(Enum):
    """How the distance is measured."""

    SUM = "sum"
    EUCLIDEAN = "euclidean"

    def of(self, change: Floats) -> float:
        """Return the length of a change of capacities."""
        return float(np.linalg.norm(change, 1 if self is Norm.SUM else 2))

    def in_sum(self, radius: float, sites: int) -> float:
        """Return the least sum that a ball of this radius stays within."""
        return radius if self is Norm.SUM else radius * float(np.sqrt(sites))


@dataclass(frozen=True, eq=False)
class Bilevel:
    """P_BL on a program: v~, the least capacities, the band and the room."""

    program: Program = field(repr=False)
    noisy: Floats
    least: Floats = field(repr=False)
    low: float
    high: float
    room: float

    def distance(self, v: Floats, norm: Norm) -> float:
        """Return how far capacities are from the noisy ones."""
        return norm.of(v - self.noisy)

    def reach(self, norm: Norm) -> float:
        """Return how far from the noisy capacities any can be that matter.

        A capacity above ``most`` and above the noisy one is infeasible, or could be lowered to the
        larger of the two without a change of phi.
        """
        top = np.maximum(self.noisy, self.program.most)
        return norm.of(np.maximum(top - self.noisy, self.noisy - self.least))


@dataclass(frozen=True, eq=False)
class Own:
    """phi at some v: infinite where the load cannot be served.

    ``multipliers`` are those of the limits, so that phi(v') >= phi(v) + slope . (v' - v).
    """

    cost: float
    x: Floats = field(repr=False)
    multipliers: Floats = field(repr=False)
    slope: Floats = field(repr=False)


def own_optimum(program: Program, v: Floats) -> Own:
    """Solve phi(v)."""
    problem = Builder()
    x = problem.columns(len(program.cost), cost=program.cost, curvature=program.curvature)
    problem.rows(program.load, program.load, [(x, program.balance)])
    limits = problem.rows(-INFINITE, program.limit + program.share @ v, [(x, program.rows)])
    found = solve(problem.build())
    if not found.solved:
        none = np.zeros(0)
        return Own(np.inf, none, none, none)
    y = np.maximum(0.0, -limits.of(found.duals))
    return Own(found.value + program.constant, found.x, y, -(program.share.T @ y))


def add_dispatch(
    problem: Builder,
    program: Program,
    v: Block,
    room: float,
    between: tuple[float, float] = (-INFINITE, INFINITE),
    *,
    cheapest: bool = False,
) -> Block:
    """Add a dispatch that serves the load within the limits, at a cost between two (if linear).

    The cheapest one has its cost in the objective.
    """
    weight = 1.0 if cheapest else 0.0
    cost, curvature = weight * program.cost, weight * program.curvature
    x = problem.columns(len(program.cost), cost=cost, curvature=curvature)
    share = np.where(program.physical, room, 1.0)
    inside = np.where(program.limit > 0, share, 1.0) * program.limit
    problem.rows(program.load, program.load, [(x, program.balance)])
    grown = np.where(program.share.max(axis=1).toarray().ravel() > 0, share, 1.0)
    problem.rows(-INFINITE, inside, [(x, program.rows), (v, -diagonal(grown) @ program.share)])
    if program.linear:
        low, high = (value - program.constant for value in between)
        problem.rows(low, high, [(x, program.cost)])
    return x
