# SPDX-License-Identifier: MIT
r"""The nearest point of a polyhedron whose rows are paths, by Hildreth's dual coordinate ascent.

    minimise ||w - w~||^2 / 2   subject to   w >= d,   s_i (a_i . w - b_i) >= 0  for every row i

a_i counts the links of a path (or holds the loads of all trips); s_i is +1 for "at least" and -1
for "at most". With a multiplier m_i >= 0 a row, the minimiser of the Lagrangian is

    w(m) = max(d, y),   y = w~ + sum_i s_i m_i a_i                                              (1)

and the dual function is concave with partial derivatives g_i = s_i (b_i - a_i . w(m)). A step of
the ascent moves one m_i to where g_i = 0 (or m_i = 0): a_i . w is piecewise linear in m_i, so that
Newton's method ends after a few steps; one suffices where no link meets its d. Steps are
over-relaxed, which keeps the ascent convergent for factors below 2. Rows are visited in their
order, in one thread, so that a result depends on the numbers alone.

For any m >= 0 the dual value is a lower bound on the optimum:

    q(m) = ||w(m) - w~||^2 / 2 + sum_i m_i g_i                                                  (2)
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from pocin.roads.hildreth import TINY, Sparse, State, Stop, dots, sums, sweeps_over
from pocin.roads.sums import dot

if TYPE_CHECKING:
    from pocin.arrays import Floats, Ints, Mask

AT_LEAST, AT_MOST = 1.0, -1.0


@dataclass(frozen=True, eq=False)
class Rows:
    """Rows in sparse form: row i has ``links[start[i]:start[i + 1]]`` with these coefficients."""

    start: Ints
    links: Any  # 32-bit positions of links
    values: Floats | None  # None: all are 1
    sign: Floats
    bound: Floats
    trip: Ints

    @classmethod
    def none(cls) -> Rows:
        """No row yet."""
        nothing = np.zeros(1, dtype=np.int64)
        return cls.of(nothing[:1], nothing[:0], AT_LEAST, np.zeros(0), nothing[:0])

    @classmethod
    def of(
        cls,
        start: Ints,
        links: Any,
        sign: float,
        bound: Floats,
        trip: Ints,
        *,
        values: Floats | None = None,
    ) -> Rows:
        """Rows of one sign."""
        return cls(
            start,
            links.astype(np.int32),
            values,
            np.full(len(bound), sign),
            bound,
            trip,
        )

    def __len__(self) -> int:
        return len(self.bound)

    def and_(self, more: Rows) -> Rows:
        """Return these rows and more."""
        values = None
        if self.values is not None or more.values is not None:
            parts = [
                np.ones(len(rows.links)) if rows.values is None else rows.values
                for rows in (self, more)
            ]
            values = np.concatenate(parts)
        return Rows(
            np.concatenate([self.start, self.start[-1] + more.start[1:]]),
            np.concatenate([self.links, more.links]),
            values,
            np.concatenate([self.sign, more.sign]),
            np.concatenate([self.bound, more.bound]),
            np.concatenate([self.trip, more.trip]),
        )

    def only(self, mask: Mask) -> Rows:
        """Return the rows of a mask."""
        count = np.diff(self.start)
        entries = np.repeat(mask, count)
        return Rows(
            np.concatenate([[0], np.cumsum(count[mask])]),
            self.links[entries],
            None if self.values is None else self.values[entries],
            self.sign[mask],
            self.bound[mask],
            self.trip[mask],
        )

    def bounded(self, bound: Floats) -> Rows:
        """Return the same rows with other bounds."""
        return replace(self, bound=bound)

    def combine(self, multipliers: Floats, size: int) -> Floats:
        """Return sum_i multipliers_i a_i."""
        total = np.zeros(size)
        sums(self.start, self.links, self.values, multipliers, total)
        return total

    def dot(self, w: Floats) -> Floats:
        """Return a_i . w of every row."""
        total = np.empty(len(self))
        dots(self.start, self.links, self.values, w, total)
        return total

    def slack(self, w: Floats) -> Floats:
        """Return s_i (a_i . w - b_i) of every row: what it has to spare."""
        spare: Floats = self.sign * (self.dot(w) - self.bound)
        return spare

    def spread(self, values: Floats, size: int, over: np.ufunc, empty: float) -> Floats:
        """Return for every link the largest (or least) value of the rows that have it."""
        out = np.full(size, empty)
        over.at(out, self.links, np.repeat(values, np.diff(self.start)))
        return out

    def gather(self, values: Any, over: np.ufunc) -> Any:
        """Return for every row the largest (least, any) value of its links (rows not empty)."""
        return over.reduceat(values[self.links], self.start[:-1])


@dataclass(frozen=True)
class Ascent:
    """How a run of sweeps ended: worst relative violation, |m . g|, links visited."""

    worst: float
    slack: float
    visited: int


class Projection:
    """A projection in progress: rows, multipliers and y of (1)."""

    def __init__(self, noisy: Floats, d: Floats) -> None:
        self.noisy, self.d = noisy, d
        self.rows, self.m, self.y = Rows.none(), np.zeros(0), noisy.copy()

    @property
    def w(self) -> Floats:
        """Return the point of the present multipliers."""
        point: Floats = np.maximum(self.d, self.y)
        return point

    def value(self) -> float:
        """Return the dual value (2): no point that keeps the rows is nearer than its root says."""
        w = self.w
        return float(np.sum((w - self.noisy) ** 2) / 2 - dot(self.m, self.rows.slack(w)))

    def violation(self) -> Floats:
        """Return by what share of its bound every row is missed."""
        share: Floats = -self.rows.slack(self.w) / np.maximum(self.rows.bound, TINY)
        return share

    def add(self, rows: Rows, m: Floats | None = None) -> None:
        """Let more rows hold, with multipliers to start from."""
        self.rows = self.rows.and_(rows)
        start = np.zeros(len(rows)) if m is None else m
        self.m = np.concatenate([self.m, start])
        if m is not None:
            self.y = self.y + rows.combine(rows.sign * m, len(self.y))

    def drop(self, mask: Mask) -> None:
        """Forget rows, and what their multipliers did."""
        self.rows, self.m = self.rows.only(~mask), self.m[~mask]
        self.settle()

    def settle(self) -> None:
        """Compute y from the multipliers anew: long sums gather rounding errors."""
        self.y = self.noisy + self.rows.combine(self.rows.sign * self.m, len(self.y))

    def ascend(self, sweeps: int, miss: float, slack: float) -> Ascent:
        """Sweep until no row is missed by ``miss`` and |m . g| <= slack ||w - w~||^2, or enough."""
        if not len(self.rows):
            return Ascent(0.0, 0.0, 0)
        rows = self.rows
        sparse = Sparse(rows.start, rows.links, rows.sign, rows.bound)
        state = State(self.m, self.y, self.d, self.noisy)
        return Ascent(*sweeps_over(sparse, rows.values, state, Stop(sweeps, miss, slack)))
