# SPDX-License-Identifier: MIT
r"""P_BL as one mixed-integer program: the lower level by its optimality conditions.

Over v, a roomy dispatch x^, the reader's own optimum x with its prices lambda and multipliers y,
and z in {0, 1} for every row that may bind (Y and S are the bounds of ``bounds``):

    minimise    |v - v~|
    subject to  x^ serves the load with room for at most high                        room
                E x = e,  G x <= h + H v,  low <= cost(x) <= high                    primal, band
                c + Q x = E' lambda - G' y,  y >= 0                                  dual
                y <= Y z,   h + H v - G x <= S (1 - z)                               complementarity
                cost(x) = e' lambda - h' y - sum_s w_s,   w_s in hull(pi_s v_s)      strong duality
                z_j + z_j' <= 1  for opposite rows

The lower level is convex, so these conditions hold just where x is its optimum: the program is
exact. All is linear where costs are; a convex quadratic cost keeps the dual rows linear, and the
band takes a solver of non-convex quadratic rows. Strong duality is implied; over the box of v its
McCormick hull is what gives the program a bound before any z is fixed (linear costs only).
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
from scipy.sparse import coo_array, csr_array

from pocin.power.dc.linear import INFINITE, Block, Builder, Curved, Linear, diagonal
from pocin.power.dc.problem import Norm, add_dispatch

if TYPE_CHECKING:
    from pocin.arrays import Floats
    from pocin.power.dc.bounds import Bounds
    from pocin.power.dc.problem import Bilevel

BEYOND = 1e-6
"""The ball is this much larger, relative, than the point that is known: it must stay feasible."""


@dataclass(frozen=True, eq=False)
class Kkt:
    """The program, and where the capacities and the sizes of their changes stand in it.

    For the Euclidean norm the cost is the sum of ``squares``, of which the solver is to be told.
    """

    program: Linear
    v: Block
    up: Block
    down: Block
    squares: Block


def kkt(problem: Bilevel, norm: Norm, bounds: Bounds, radius: float) -> Kkt:
    """Write P_BL within a radius as a mixed-integer program."""
    program, n, rows = problem.program, problem.program.sites, bounds.rows
    build, one = Builder(), diagonal(np.ones(problem.program.sites))
    weight = 1.0 if norm is Norm.SUM else 0.0
    up = build.columns(n, 0.0, bounds.upper - problem.noisy, cost=weight)
    down = build.columns(n, 0.0, problem.noisy - bounds.lower, cost=weight)
    squares = build.columns(0 if norm is Norm.SUM else n, 0.0, cost=1.0)
    v = build.columns(n, bounds.lower, bounds.upper)
    build.rows(problem.noisy, problem.noisy, [(v, one), (up, -one), (down, one)])
    ball = norm.in_sum(radius, n) * (1 + BEYOND)
    build.rows(-INFINITE, ball, [(up, np.ones(n)), (down, np.ones(n))])
    if norm is Norm.EUCLIDEAN:
        build.rows(-INFINITE, (radius * (1 + BEYOND)) ** 2, [(squares, np.ones(n))])
    add_dispatch(build, program, v, problem.room, (-INFINITE, problem.high))
    x = add_dispatch(build, program, v, 1.0, (problem.low, problem.high))
    y = build.columns(len(rows), 0.0, bounds.multiplier)
    z = build.columns(len(rows), 0.0, 1.0, integer=True)
    prices = build.columns(program.balance.shape[0])
    stationary = [(prices, csr_array(program.balance.T)), (y, -csr_array(program.rows[rows].T))]
    if not program.linear:
        stationary.append((x, -diagonal(program.curvature)))
    build.rows(program.cost, program.cost, stationary)
    _complementary(build, problem, bounds, (v, x, y, z))
    if program.linear:
        _strong_duality(build, problem, bounds, (v, x, y, prices))
    built = build.build()
    if not program.linear:
        built = replace(built, curved=(_band(problem, x, build.width),))
    return Kkt(built, v, up, down, squares)


def _complementary(
    build: Builder, problem: Bilevel, bounds: Bounds, columns: tuple[Block, Block, Block, Block]
) -> None:
    """Add y <= Y z, slack <= S (1 - z), and one of two opposite rows."""
    program, rows = problem.program, bounds.rows
    v, x, y, z = columns
    one = diagonal(np.ones(len(rows)))
    build.rows(-INFINITE, 0.0, [(y, one), (z, -diagonal(bounds.multiplier))])
    most = bounds.slack - program.limit[rows]
    slack = [(v, program.share[rows]), (x, -program.rows[rows]), (z, diagonal(bounds.slack))]
    build.rows(-INFINITE, most, slack)
    first = np.flatnonzero(bounds.opposite > np.arange(len(rows)))
    if len(first):
        pair = np.concatenate([first, bounds.opposite[first]])
        places = (np.tile(np.arange(len(first)), 2), pair)
        both = coo_array((np.ones(len(pair)), places), shape=(len(first), len(rows)))
        build.rows(-INFINITE, 1.0, [(z, both)])


def _strong_duality(
    build: Builder, problem: Bilevel, bounds: Bounds, columns: tuple[Block, Block, Block, Block]
) -> None:
    """cost(x) = e' lambda - h' y - sum w, with w between the four planes around pi v."""
    program, rows = problem.program, bounds.rows
    v, x, y, prices = columns
    w = build.columns(program.sites)
    one = np.ones(program.sites)
    value = [(prices, program.load), (y, -program.limit[rows]), (w, -one), (x, -program.cost)]
    build.rows(0.0, 0.0, value)
    rents = csr_array(program.share[rows].T)
    (low, high), (least, most) = (bounds.lower, bounds.upper), bounds.rents
    for at, slope, above in (
        (low, least, True),
        (high, most, True),
        (high, least, False),
        (low, most, False),
    ):
        # w - at pi - slope v + slope at  is  (pi - slope) (v - at), of a known sign
        terms = [(w, diagonal(one)), (y, -diagonal(at) @ rents), (v, -diagonal(slope))]
        edge = -slope * at
        build.rows(edge if above else -INFINITE, INFINITE if above else edge, terms)


def _band(problem: Bilevel, x: Block, width: int) -> Curved:
    """Return low <= cost(x) <= high for a quadratic cost."""
    program = problem.program

    def wide(values: Floats) -> Floats:
        spread = np.zeros(width)
        spread[x.start : x.start + x.size] = values
        return spread

    low, high = problem.low - program.constant, problem.high - program.constant
    return Curved(wide(program.cost), wide(program.curvature), low, high)
