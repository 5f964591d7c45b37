# SPDX-License-Identifier: MIT
r"""The DC optimal power flow as matrices, with the capacities v as a parameter.

    phi(v) = min   cost . x + x' diag(curvature) x / 2 + constant
             s.t.  E x = e                    balance:  lambda
                   G x <= h + H v             limits:   y >= 0

with x = (p, theta, z): outputs in MW, angles times base MVA (a flow is then b (theta_i - theta_j),
in MW), and the epigraph of the piecewise-linear curves. The convention is MATPOWER's: a branch with
ratio tau and shift s carries (theta_i - theta_j - s) / (x tau), nothing is lost, a shunt Gs draws
its power at 1 per unit, a rating of 0 is no limit.

phi is convex in v, for v stands on the right-hand side alone. Quadratic curves must be convex.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np
from scipy.sparse import coo_array, csr_array, diags_array, hstack, vstack

from pocin.errors import InputError
from pocin.power.curves import cost_at, cost_terms
from pocin.power.grid import PIECEWISE_LINEAR
from pocin.power.wires import UNBOUNDED, Wires

if TYPE_CHECKING:
    from pocin.arrays import Floats, Ints, Mask
    from pocin.power.grid import Costs, Grid, Units
    from pocin.power.public import LimitRules

_QUADRATIC = 2


@dataclass(frozen=True, eq=False)
class Program:
    """The matrices of phi.

    ``capacity`` are the rows p <= v of the sites, one a site; ``physical`` marks the rows that are
    limits of units, lines and angles; ``units`` are the units (rows of the live ones) whose outputs
    stand at the head of x. No site's output can be above ``most``, and where its least output grows
    with v, no v either.
    """

    cost: Floats
    curvature: Floats
    constant: float
    balance: csr_array = field(repr=False)
    load: Floats = field(repr=False)
    rows: csr_array = field(repr=False)
    limit: Floats = field(repr=False)
    share: csr_array = field(repr=False)
    capacity: Ints = field(repr=False)
    physical: Mask = field(repr=False)
    units: Ints = field(repr=False)
    most: Floats = field(repr=False)

    @property
    def sites(self) -> int:
        """Number of capacities."""
        return int(self.share.shape[1])

    @property
    def linear(self) -> bool:
        """Whether the curves are all linear or piecewise linear."""
        return not self.curvature.any()

    def value(self, x: Floats) -> float:
        """Return the cost of a point."""
        return float(self.cost @ x + self.curvature @ x**2 / 2 + self.constant)


def program_of(grid: Grid, sites: Ints | None = None, rules: LimitRules | None = None) -> Program:
    """Return a grid's DC-OPF, the units at ``sites`` (rows of its live units) with capacities v.

    ``rules`` say how their least output follows from v. Without sites, v is empty. A unit whose
    output is fixed, such as a condenser, is part of the load.
    """
    wires = Wires.of(grid)
    _check(wires, grid)
    units = grid.units.take(grid.live_units)
    costs = grid.costs.take(grid.live_units)
    sites = np.zeros(0, dtype=np.int64) if sites is None else sites
    still = units.pmin == units.pmax
    still[sites] = False
    held = np.flatnonzero(still)
    constant = float(np.trace(cost_at(costs.take(held), units.pmax[held]))) if len(held) else 0.0
    drawn = _at_bus(wires, held, len(units)) @ units.pmax[held]
    moving = np.flatnonzero(~still)
    curves = _Curves.of(costs.take(moving))
    flows, place = _Flows(wires), np.searchsorted(moving, sites)
    limits = _Limits(len(moving), len(wires.pd), len(curves.bent))
    capacity = _units(limits, units.take(moving), place, rules)
    flows.limit(limits)
    physical = limits.count
    curves.limit(limits)
    rows, limit, share = limits.stacked(len(sites))
    z = csr_array((len(wires.pd), len(curves.bent)))
    balance = csr_array(hstack([_at_bus(wires, moving, len(units)), -flows.leaving, z]))
    free = np.delete(np.arange(balance.shape[1]), len(moving) + wires.reference)
    none = np.zeros(len(wires.pd))
    load = (wires.pd + wires.gs) * wires.base_mva + flows.shifted - drawn
    return Program(
        cost=np.concatenate([curves.first, none, np.ones(len(curves.bent))])[free],
        curvature=np.concatenate([2 * curves.second, none, np.zeros(len(curves.bent))])[free],
        constant=float(curves.zeroth.sum()) + constant,
        balance=balance[:, free],
        load=load,
        rows=rows[:, free],
        limit=limit,
        share=share,
        capacity=capacity,
        physical=np.arange(len(limit)) < physical,
        units=moving,
        most=_most(load, units.take(moving), place, rules),
    )


def _most(load: Floats, units: Units, sites: Ints, rules: LimitRules | None) -> Floats:
    """What a site's output, or its v, cannot be above: the load, and what others may draw."""
    if rules is None:
        return np.zeros(0)
    intercept, slope = rules.pmin
    drawn = np.minimum(0.0, units.pmin)
    drawn[sites] = np.minimum(0.0, intercept)
    largest = load.sum() - drawn.sum()
    return np.asarray(largest / np.where(slope > 0, slope, 1.0))


def _at_bus(wires: Wires, units: Ints, count: int) -> csr_array:
    """The matrix that sums some units into their bus."""
    shape = (len(wires.pd), count)
    whole = coo_array((np.ones(count), (wires.unit_bus, np.arange(count))), shape=shape)
    return csr_array(whole)[:, units]


@dataclass(frozen=True, eq=False)
class _Curves:
    """The cost curves in MW: second p^2 + first p + zeroth, and lines at the ``bent`` ones."""

    zeroth: Floats
    first: Floats
    second: Floats
    bent: Ints
    slopes: Floats
    intercepts: Floats

    @classmethod
    def of(cls, costs: Costs) -> _Curves:
        """Read the curves, and refuse what is no convex quadratic."""
        terms = cost_terms(costs, 1.0)
        curves = terms.polynomial
        if curves[:, _QUADRATIC + 1 :].any() or (curves[:, _QUADRATIC] < 0).any():
            raise InputError(
                "the DC model takes convex costs up to the second degree; give --model ac"
            )
        bent = np.flatnonzero(costs.model == PIECEWISE_LINEAR)
        lines = terms.slopes[bent], terms.intercepts[bent]
        return cls(curves[:, 0], curves[:, 1], curves[:, 2], bent, *lines)

    def limit(self, limits: _Limits) -> None:
        """slope_k p_g - z_g <= -intercept_k."""
        k, (units, buses, _) = len(self.bent), limits.widths
        for slope, intercept in zip(self.slopes.T, self.intercepts.T, strict=True):
            p = coo_array((slope, (np.arange(k), self.bent)), shape=(k, units))
            wide = hstack([p, csr_array((k, buses)), -diags_array(np.ones(k))])
            limits.add_wide(csr_array(wide), -intercept)


def _check(wires: Wires, grid: Grid) -> None:
    """Refuse a branch that has no place in the DC model."""
    if (wires.x == 0).any():
        row = int(np.flatnonzero(grid.live_branches)[np.argmax(wires.x == 0)]) + 1
        raise InputError(
            f"branch row {row}: x is 0, which the DC model cannot take; give --model ac"
        )


class _Limits:
    """Rows G x <= h + H v, gathered kind by kind."""

    def __init__(self, units: int, buses: int, bent: int) -> None:
        self.widths = (units, buses, bent)
        self.parts: list[tuple[csr_array, Floats, csr_array | None]] = []
        self.count = 0

    def add(
        self, block: int, matrix: csr_array, limit: Floats, share: csr_array | None = None
    ) -> Ints:
        """Add rows on the outputs (0) or the angles (1), and return their numbers."""
        empty = [csr_array((len(limit), width)) for width in self.widths]
        empty[block] = csr_array(matrix)
        return self.add_wide(csr_array(hstack(empty)), limit, share)

    def add_wide(self, matrix: csr_array, limit: Floats, share: csr_array | None = None) -> Ints:
        """Add rows on all of x."""
        self.parts.append((matrix, limit, share))
        self.count += len(limit)
        return np.arange(self.count - len(limit), self.count)

    def stacked(self, sites: int) -> tuple[csr_array, Floats, csr_array]:
        """Return G, h and H."""
        shares = [csr_array((len(h), sites)) if s is None else s for _, h, s in self.parts]
        rows = vstack([g for g, _, _ in self.parts])
        limit = np.concatenate([h for _, h, _ in self.parts])
        share = csr_array(vstack(shares))
        share.eliminate_zeros()
        return csr_array(rows), limit, share


def _units(limits: _Limits, units: Units, sites: Ints, rules: LimitRules | None) -> Ints:
    """Add p <= v and p >= a + b v at the sites, p <= pmax and p >= pmin elsewhere."""
    n, k = len(units), len(sites)
    one = csr_array(diags_array(np.ones(n)))
    own = np.ones(n, dtype=bool)
    own[sites] = False
    limits.add(0, one[own], units.pmax[own])
    limits.add(0, -one[own], -units.pmin[own])
    if rules is None:
        return np.zeros(0, dtype=np.int64)
    intercept, slope = rules.pmin
    capacity = limits.add(0, one[sites], np.zeros(k), csr_array(diags_array(np.ones(k))))
    limits.add(0, -one[sites], -intercept, csr_array(diags_array(-slope)))
    return capacity


class _Flows:
    """f = b (theta_i - theta_j - s): what leaves each bus, and the limits."""

    def __init__(self, wires: Wires) -> None:
        self.wires = wires
        m, buses = len(wires.x), len(wires.pd)
        line = np.arange(m)
        ends = np.concatenate([wires.start, wires.end])
        signs = np.concatenate([np.ones(m), -np.ones(m)])
        self.across = csr_array((signs, (np.tile(line, 2), ends)), shape=(m, buses))
        self.b = 1 / (wires.x * wires.tap)
        self.flow = csr_array(diags_array(self.b)) @ self.across
        self.offset = self.b * wires.shift * wires.base_mva
        self.leaving = csr_array(self.across.T @ self.flow)

    @property
    def shifted(self) -> Floats:
        """What the shifters add to the load of each bus."""
        return np.asarray(-(self.across.T @ self.offset))

    def limit(self, limits: _Limits) -> None:
        """-rate <= f <= rate, angmin <= theta_i - theta_j <= angmax."""
        wires, base = self.wires, self.wires.base_mva
        rated: Mask = wires.rate > 0
        rate, offset = wires.rate[rated] * base, self.offset[rated]
        limits.add(1, self.flow[rated], rate + offset)
        limits.add(1, -self.flow[rated], rate - offset)
        above, below = wires.angmax < UNBOUNDED, wires.angmin > -UNBOUNDED
        limits.add(1, self.across[above], wires.angmax[above] * base)
        limits.add(1, -self.across[below], -wires.angmin[below] * base)
