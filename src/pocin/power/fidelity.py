# SPDX-License-Identifier: MIT
r"""Phase 3: restore fidelity. Sees the public part, the draws and the cost figure O*, nothing else.

P_CL, the relaxation of the paper's bi-level problem, over the capacities v and a dispatch x:

    minimise    ||v - v~||^2 / 2
    subject to  cost(x) <= (1 + 0.995 beta) O*                                      cost
                the AC constraints                                                  model rows
                gradient . v >= least                                               cut
                pmin(v) <= p <= 0.995 v,   qmin(v) <= q <= qmax(v)                  limits

Every limit that the policy derives from v moves with v here. The half percent of room keeps the
reader's own solve quick.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import casadi as ca
import numpy as np

from pocin.power.opf import (
    QUIET,
    UNBOUNDED,
    AcModel,
    Limits,
    limit,
    limits_of,
    model_of,
    terms_of,
)
from pocin.power.public import MEGAWATT, LimitRules, limit_rules
from pocin.power.written import released_grid

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pocin.arrays import Floats, Ints
    from pocin.kinds import Goal
    from pocin.power.grid import Grid
    from pocin.power.opf import Optimum
    from pocin.power.public import PublicGrid

ROOM = 0.995
"""Dispatch uses at most this share of a capacity, the cost at most this share of beta."""

SNAP = 0.02
"""Where the restored capacities are within this (and a step) of the noisy ones, try those first."""

STEP = float(MEGAWATT.step)

RESTORE_OPTIONS: dict[str, Any] = {"ipopt.mu_strategy": "adaptive", "ipopt.max_iter": 120}


@dataclass(frozen=True, eq=False)
class Placed:
    """The draws at their sites: noisy capacities (MW), cost curves, and the rules of the limits."""

    public: PublicGrid = field(repr=False)
    noisy: Floats
    costs: Floats = field(repr=False)
    rules: LimitRules = field(repr=False)

    def grid(self, v: Floats) -> Grid:
        """Return the grid with these capacities."""
        return released_grid(self.public, v, self.costs, self.rules)


def place(public: PublicGrid, noisy: Floats, moved: Floats, record: Ints) -> Placed:
    """Put record ``record[s]`` on site s."""
    columns = public.moved_columns(moved[record])
    rules = limit_rules(public, columns, noisy[record])
    return Placed(public, noisy[record], columns.costs, rules)


@dataclass(frozen=True, eq=False)
class Restored:
    """What P_CL found: the capacities in whole hundredths of a MW, and the solve behind them."""

    v: Floats
    solve: Optimum = field(repr=False)


@dataclass(frozen=True, eq=False)
class Cut:
    """A half-space gradient . v >= least of capacities in MW."""

    gradient: Floats
    least: float

    @classmethod
    def none(cls, size: int) -> Cut:
        """A cut that holds everywhere."""
        return cls(np.zeros(size), -1.0)


def restore(placed: Placed, goal: Goal, cut: Cut | None = None) -> Restored:
    """Solve P_CL from a flat start."""
    noisy_grid = placed.grid(placed.noisy)
    problem = _Projection.of(model_of(noisy_grid), placed.public.site_rows, goal.time_limit)
    most = (1 + ROOM * goal.beta) * goal.figure
    solve = problem.solve(placed, noisy_grid, most, cut or Cut.none(len(placed.noisy)))
    capacities = solve.x[-len(placed.noisy) :] * placed.public.base_mva
    whole = np.rint(np.maximum(capacities, 0.0) / STEP).astype(np.int64)
    return Restored(MEGAWATT.real(whole), solve)


def candidates(placed: Placed, restored: Restored) -> Iterator[Floats]:
    """Yield the capacities to certify, nearest to the noisy ones first."""
    near = np.abs(restored.v - placed.noisy) <= SNAP * placed.noisy + STEP
    least = placed.rules.at(placed.noisy)[0]
    if (
        np.all(near)
        and np.all(least <= placed.noisy)
        and not np.array_equal(restored.v, placed.noisy)
    ):
        yield placed.noisy
    yield restored.v


class _Projection:
    """P_CL on a model: built once per topology and set of sites, then called with numbers."""

    def __init__(self, model: AcModel, sites: Ints, time_limit: float | None) -> None:
        self.model, self.sites = model, sites
        n = len(sites)
        self.capacity = ca.MX.sym("capacity", n)
        self.noisy = ca.MX.sym("noisy", n)
        self.slopes = ca.MX.sym("slopes", n, 3)
        self.most = ca.MX.sym("most")
        self.gradient = ca.MX.sym("gradient", n)
        p, q = model.p[sites.tolist()], model.q[sites.tolist()]
        linked = [
            p - ROOM * self.capacity,
            p - self.slopes[:, 0] * self.capacity,
            q - self.slopes[:, 1] * self.capacity,
            q - self.slopes[:, 2] * self.capacity,
        ]
        distance = ca.sumsqr(self.capacity - self.noisy) / 2
        self.solver = ca.nlpsol(
            "restore",
            "ipopt",
            {
                "x": ca.vertcat(model.x, self.capacity),
                "p": ca.vertcat(
                    model.parameters, self.noisy, ca.vec(self.slopes), self.most, self.gradient
                ),
                "f": distance,
                "g": ca.vertcat(
                    model.rows,
                    model.cost / self.most,
                    *linked,
                    ca.dot(self.gradient, self.capacity),
                ),
            },
            QUIET | RESTORE_OPTIONS | limit(time_limit),
        )

    @classmethod
    def of(cls, model: AcModel, sites: Ints, time_limit: float | None) -> _Projection:
        """Return the problem of a model and its sites, built at the first call."""
        key = ("restore", sites.tobytes(), time_limit)
        if key not in model.built:
            model.built[key] = cls(model, sites, time_limit)
        problem: _Projection = model.built[key]
        return problem

    def solve(self, placed: Placed, grid: Grid, most: float, cut: Cut) -> Optimum:
        """Project the noisy capacities onto what serves the load for at most this cost."""
        # the cut is scaled to a gradient of length 1 per unit, so that the solver sees like rows
        length = np.linalg.norm(cut.gradient) or 1.0
        gradient, least = cut.gradient / length, cut.least / (length * placed.public.base_mva)
        model, base = self.model, placed.public.base_mva
        rules, noisy, n = placed.rules, placed.noisy / base, len(self.sites)
        limits = self._unit_box(limits_of(grid))
        lower, upper = model.box(limits)
        start = model.flat_start(limits_of(grid))
        free = np.full(n, UNBOUNDED)
        pmin, qmin, qmax = (rule[0] / base for rule in (rules.pmin, rules.qmin, rules.qmax))
        slopes = np.concatenate([rules.pmin[1], rules.qmin[1], rules.qmax[1]])
        return model.run(
            self.solver,
            x0=np.concatenate([start, noisy]),
            lbx=np.concatenate([lower, np.zeros(n)]),
            ubx=np.concatenate([upper, free]),
            lbg=np.concatenate([model.lower, [-UNBOUNDED], -free, pmin, qmin, -free, [least]]),
            ubg=np.concatenate([model.upper, [1.0], 0 * free, free, free, qmax, [UNBOUNDED]]),
            p=np.concatenate(
                [model.cost_parameters(terms_of(grid)), noisy, slopes, [most], gradient]
            ),
        )

    def _unit_box(self, limits: Limits) -> Limits:
        """Free the limits of the units at the sites: rows with v take their place."""

        def freed(values: Floats, bound: float) -> Floats:
            wide = values.copy()
            wide[self.sites] = bound
            return wide

        return Limits(
            pmin=freed(limits.pmin, -UNBOUNDED),
            pmax=freed(limits.pmax, UNBOUNDED),
            qmin=freed(limits.qmin, -UNBOUNDED),
            qmax=freed(limits.qmax, UNBOUNDED),
        )
