# SPDX-License-Identifier: MIT
r"""How large slacks and multipliers can be at an optimum of P_BL that is within a known radius.

Given a feasible point at distance R, only v with |v - v~| <= R matter. Let s = h + H v - G x.

Slacks: linear programs over (v, x) with |v - v~| <= R, x feasible and low <= cost <= high give the
largest and the smallest slack of each row. A row whose slack is never zero has no multiplier, and
leaves the problem: of 782 rows of the 118-bus case about 45 stay.

Multipliers: linear programs over (y, lambda) of the dual,

    c + Q x = E' lambda - G' y,   y >= 0,

with what an *optimal* dual point at such a v satisfies. Let pi = H' y, the rent of each capacity.

  1. Strong duality: low <= phi(v) <= e' lambda - h' y - pi' v (for convex quadratic costs too,
     where x' Q x / 2 is subtracted on the right). With v = v~ + d it is

         low <= e' lambda - h' y - pi' v~ + sum_s t_s,      t_s >= -pi_s d_s.

     From lo <= v <= hi:  t_s <= (v~ - lo)_s mu_s + (hi - v~)_s rho nu_s, and from the ball:
     sum_s t_s <= R1 max_s |pi_s|, with R1 the radius in the sum norm.
  2. The maximum stands at some site: one linear program for each, with |pi_k| <= pi_h. The
     largest of their optima bounds every rent, for all the other multipliers.
  3. Room: a dispatch x^ with slack s^ >= r_j > 0 costs at most ``high``. As y >= 0 and
     cost(x^) >= phi(v) + y' s^ (Lagrange):  sum_j r_j y_j <= high - low. At the capacities r is
     (1 - room) v_s, of which either the least v_s in the box is taken, or, by strong duality,
     sum_s v_s mu_s >= pi' v = e' lambda - h' y - phi(v) (- x' Q x / 2) as a whole.
  4. Opposite rows (p <= v and p >= rho v, both directions of a line): y_j and y_j' can be lowered
     together, which keeps c + Q x = E' lambda - G' y and does not lower the dual value. So one of
     them is zero, and j is bounded with j' at zero.

Without 2 most of these programs are unbounded; with it the bounds are of the size of the costs.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import highspy
import numpy as np
from scipy.sparse import csr_array, vstack

from pocin.power.dc.linear import INFINITE, Block, Builder, Linear, diagonal, engine
from pocin.power.dc.problem import add_dispatch, unlimited

if TYPE_CHECKING:
    from pocin.arrays import Floats, Ints
    from pocin.power.dc.problem import Bilevel, Left, Norm

NEVER = 1e-6
"""A slack that stays above this, in MW or $/h, is never zero."""


@dataclass(frozen=True, eq=False)
class Bounds:
    """The box of v, the rows that may bind, and the largest slack and multiplier of each.

    ``opposite`` names the row (among those) with the negative of a row's coefficients, or -1.
    ``rents`` bound pi = H' y from below and above.
    """

    lower: Floats
    upper: Floats
    rows: Ints
    opposite: Ints = field(repr=False)
    slack: Floats = field(repr=False)
    multiplier: Floats = field(repr=False)
    rents: tuple[Floats, Floats] = field(repr=False)

    @property
    def finite(self) -> bool:
        """Whether every multiplier is bounded."""
        return bool(np.isfinite(self.multiplier).all())


def bounds_within(
    problem: Bilevel, norm: Norm, radius: float, left: Left = unlimited
) -> Bounds | None:
    """Derive the bounds for |v - v~| <= radius; None where nothing is feasible there.

    Raises TimeoutError when no time is left: bounds that are not all there are of no use.
    """
    lower = np.maximum(problem.least, problem.noisy - radius)
    upper = problem.noisy + radius
    ball = norm.in_sum(radius, len(lower))
    found = _slacks(problem, (lower, upper), ball, left)
    if found is None:
        return None
    least, most = found
    rows = np.flatnonzero(least <= NEVER)
    opposite = _opposite(problem.program.rows[rows])
    multiplier = _multipliers(problem, (lower, upper), ball, (rows, opposite), left)
    share = problem.program.share[rows]
    rents = tuple(
        np.asarray(part.T @ np.where(np.isfinite(multiplier), multiplier, INFINITE))
        for part in (share.minimum(0), share.maximum(0))
    )
    slack = np.maximum(most[rows], 0.0)
    return Bounds(lower, upper, rows, opposite, slack, multiplier, (rents[0], rents[1]))


class Extremes:
    """Largest values of linear functions over one polyhedron, each from the last one's basis."""

    def __init__(self, program: Linear, left: Left) -> None:
        self.highs, self.left = engine(program), left
        self.highs.setOptionValue("presolve", "off")
        self.highs.changeObjectiveSense(highspy.ObjSense.kMaximize)

    def largest(self, columns: Ints, weights: Floats) -> float | None:
        """Return the maximum, infinite if there is none; None where nothing is feasible."""
        if self.left() <= 0:
            raise TimeoutError
        columns = np.asarray(columns, dtype=np.int32)
        self.highs.changeColsCost(len(columns), columns, np.asarray(weights, dtype=np.float64))
        self.highs.run()
        status = self.highs.getModelStatus()
        value = float(self.highs.getInfo().objective_function_value)
        self.highs.changeColsCost(len(columns), columns, np.zeros(len(columns)))
        if status == highspy.HighsModelStatus.kInfeasible:
            return None
        return value if status == highspy.HighsModelStatus.kOptimal else np.inf

    def most(self, column: int, value: float) -> None:
        """Bound a column from above."""
        self.highs.changeColBounds(column, 0.0, value)

    def hold(self, row: int, *, on: bool) -> None:
        """Let a row <= 0 hold or not."""
        self.highs.changeRowBounds(row, -INFINITE, 0.0 if on else INFINITE)


def _slacks(
    problem: Bilevel, box: tuple[Floats, Floats], ball: float, left: Left
) -> tuple[Floats, Floats] | None:
    """Return the smallest and the largest slack of every row."""
    (lower, upper), program, n = box, problem.program, problem.program.sites
    build, one = Builder(), diagonal(np.ones(n))
    up, down = build.columns(n, 0.0), build.columns(n, 0.0)
    v = build.columns(n, lower, upper)
    build.rows(problem.noisy, problem.noisy, [(v, one), (up, -one), (down, one)])
    build.rows(-INFINITE, ball, [(up, np.ones(n)), (down, np.ones(n))])
    x = add_dispatch(build, program, v, 1.0, (problem.low, problem.high))
    extremes = Extremes(build.build(), left)
    least, most = np.empty((2, len(program.limit)))
    for row in range(len(program.limit)):
        columns, weights = _slack(program.share[[row]], program.rows[[row]], v, x)
        high = extremes.largest(columns, weights)
        low = extremes.largest(columns, -weights)
        if high is None or low is None:
            return None
        most[row], least[row] = program.limit[row] + high, program.limit[row] - low
    return least, most


def _slack(share: csr_array, rows: csr_array, v: Block, x: Block) -> tuple[Ints, Floats]:
    """Return a slack as columns and weights, without its constant."""
    columns = np.concatenate([share.indices + v.start, rows.indices + x.start])
    return columns, np.concatenate([share.data, -rows.data])


def _opposite(rows: csr_array) -> Ints:
    """Find the row with the negative coefficients of each row."""
    dense = rows.toarray() + 0.0  # no negative zeros
    named = {row.tobytes(): k for k, row in enumerate(dense)}
    negative = ((-row + 0.0).tobytes() for row in dense)
    return np.array([named.get(name, -1) for name in negative], dtype=np.int64)


def _multipliers(
    problem: Bilevel,
    box: tuple[Floats, Floats],
    ball: float,
    binding: tuple[Ints, Ints],
    left: Left,
) -> Floats:
    """Return the largest multiplier of each row that may bind, given with its opposite."""
    (rows, opposite), program, n = binding, problem.program, problem.program.sites
    share = program.share[rows]
    build = Builder()
    y = build.columns(len(rows), 0.0)
    top = build.columns(1, 0.0)  # the largest rent
    _add_dual(build, problem, (*box, ball), rows, (y, top))
    rents = csr_array(vstack([share.T, -share.T]))
    one = np.ones((2 * n, 1))
    build.rows(-INFINITE, 0.0, [(y, rents), (top, -one)])
    at_site = build.rows(-INFINITE, INFINITE, [(top, one), (y, -rents)])
    extremes = Extremes(build.build(), left)

    def alone(row: int, columns: Ints, weights: Floats) -> float:
        """Maximise with the opposite of a row at zero."""
        if opposite[row] >= 0:
            extremes.most(y.start + int(opposite[row]), 0.0)
        value = extremes.largest(columns, weights)
        if opposite[row] >= 0:
            extremes.most(y.start + int(opposite[row]), INFINITE)
        return 0.0 if value is None else value

    highest = 0.0
    for k in range(2 * n):
        entries = rents[[k]]
        if (entries.data > 0).any():
            extremes.hold(at_site.start + k, on=True)
            row = int(entries.indices[np.argmax(entries.data)])
            highest = max(highest, alone(row, np.array([top.start]), np.ones(1)))
            extremes.hold(at_site.start + k, on=False)
    extremes.most(top.start, highest)
    each = [alone(k, np.array([y.start + k]), np.ones(1)) for k in range(len(rows))]
    return np.maximum(np.array(each, dtype=np.float64), 0.0)


def _add_dual(
    build: Builder,
    problem: Bilevel,
    near: tuple[Floats, Floats, float],
    rows: Ints,
    columns: tuple[Block, Block],
) -> None:
    """Add what the optimal dual points satisfy: 1 and 3 of the module's list.

    ``near`` is the box of v and its ball in the sum norm.
    """
    program, n = problem.program, problem.program.sites
    (lower, upper, ball), (y, top) = near, columns
    limit, share = program.limit[rows], program.share[rows]
    prices = build.columns(program.balance.shape[0])
    gain = build.columns(n)
    stationary = [(prices, csr_array(program.balance.T)), (y, -csr_array(program.rows[rows].T))]
    x = None
    if not program.linear:
        v = build.columns(n, lower, upper)
        x = add_dispatch(build, program, v, 1.0)
        stationary.append((x, -diagonal(program.curvature)))
    build.rows(program.cost, program.cost, stationary)
    at_noisy = limit + share @ problem.noisy
    value = [(prices, program.load), (y, -at_noisy), (gain, np.ones(n))]
    build.rows(problem.low - program.constant, INFINITE, value)
    down, up = problem.noisy - lower, upper - problem.noisy
    most = diagonal(down) @ share.maximum(0).T + diagonal(up) @ (-share.minimum(0)).T
    build.rows(-INFINITE, 0.0, [(gain, diagonal(np.ones(n))), (y, -csr_array(most))])
    build.rows(-INFINITE, 0.0, [(gain, np.ones(n)), (top, np.array([[-ball]]))])
    _add_room(build, problem, lower, rows, (prices, y, x))


def _add_room(
    build: Builder,
    problem: Bilevel,
    lower: Floats,
    rows: Ints,
    columns: tuple[Block, Block, Block | None],
) -> None:
    """Add both forms of 3; where costs are quadratic, x' Q x / 2 = phi(v) - c x - constant."""
    program, (prices, y, x) = problem.program, columns
    spare = 1 - problem.room
    limit, share = program.limit[rows], program.share[rows].maximum(0)
    lines = np.where(program.physical[rows], spare * np.maximum(limit, 0.0), 0.0)
    build.rows(-INFINITE, problem.high - problem.low, [(y, lines + spare * (share @ lower))])
    value = [(prices, spare * program.load), (y, lines - spare * limit)]
    worth = problem.high - program.constant
    if x is not None:
        value.append((x, spare * program.cost))
        worth *= 2
    build.rows(-INFINITE, problem.high - problem.low + spare * worth, value)
