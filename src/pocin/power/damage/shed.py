# SPDX-License-Identifier: MIT
r"""The least load that must be shed, by an AC-OPF that always has a feasible point.

Per unit, with the share z_i of a bus's load that is shed and the imbalance e >= 0:

    minimise    sum_i pd_i z_i + 10 sum e + gain cost(p)
    subject to  balance_p + pd_i z_i + e+_i - e-_i = 0
                balance_q + qd_i z_i + f+_i - f-_i = 0
                the other constraints of the AC-OPF, 0 <= z <= 1
                min(pmin, 0) <= p <= max(pmax, 0), and the same for q; 0 at the units hit

Load is shed at its power factor. A unit may be switched off, so that no least output stands in the
way. Whatever units are hit, the voltages and angles of any state of the whole grid stay feasible:
the imbalance, power from nowhere and to nowhere, closes the balances. It costs ten times as much as
shedding, so that it is zero unless no shedding helps; what it brings in counts as not served.

gain = 1 / (VALUE x the largest marginal cost) makes the cost of generation the second aim: load is
shed only where serving it would cost more than VALUE times the dearest unit. One solve gives both.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import casadi as ca
import numpy as np

from pocin.power.curves import marginal_cost
from pocin.power.opf import AcModel, Limits, limits_of, model_of, terms_of
from pocin.power.wires import UNBOUNDED

if TYPE_CHECKING:
    from pocin.arrays import Floats, Ints
    from pocin.power.grid import Grid
    from pocin.power.opf import Optimum

VALUE = 1e3
"""A MWh of load is worth this many of the dearest unit: larger blurs the cost of generation."""

PENALTY = 10.0
DECIMALS = 3  # of a MW: what is below is the solver's

OPTIONS: tuple[dict[str, Any], ...] = (
    {"ipopt.max_iter": 300},
    {"ipopt.max_iter": 1000, "ipopt.mu_strategy": "adaptive"},
)
"""The second where the first leads nowhere: it met that only with nearly all units hit."""


@dataclass(frozen=True, eq=False)
class Shedding:
    """What cannot be served, and what serving the rest costs: MW, $/h, MVA of imbalance."""

    shed: float
    cost: float
    imbalance: float
    solve: Optimum


class LeastShed:
    """The problem on a model: built once per topology, then called with numbers."""

    def __init__(self, model: AcModel, options: dict[str, Any]) -> None:
        self.model = model
        w, n = model.wires, model.n_bus
        # a bus that injects, or draws reactive power alone, is cut off as dearly as a load
        self.weight = np.where(w.pd > 0, w.pd, np.maximum(np.abs(w.pd), np.abs(w.qd)))
        share, lack = ca.MX.sym("z", n), ca.MX.sym("e", 4 * n)
        gain = ca.MX.sym("gain")
        served = ca.vertcat(
            w.pd * share + lack[:n] - lack[n : 2 * n],
            w.qd * share + lack[2 * n : 3 * n] - lack[3 * n :],
        )
        others = model.rows.numel() - 2 * n
        rows = model.rows + ca.vertcat(served, ca.MX(others, 1) if others else ca.MX(0, 1))
        self.solver = model.program(
            "shed",
            {
                "x": ca.vertcat(model.x, share, lack),
                "p": ca.vertcat(model.parameters, gain),
                "f": ca.dot(self.weight, share) + PENALTY * ca.sum1(lack) + gain * model.cost,
                "g": rows,
            },
            options,
        )

    @classmethod
    def of(cls, model: AcModel, options: dict[str, Any]) -> LeastShed:
        """Return the problem of a model, built at the first call."""
        key = ("shed", *options.items())
        if key not in model.built:
            model.built[key] = cls(model, options)
        problem: LeastShed = model.built[key]
        return problem

    def solve(self, grid: Grid, limits: Limits, gain: float) -> Optimum:
        """Solve from a flat start."""
        model, n = self.model, self.model.n_bus
        lower, upper = model.box(limits)
        nothing, unbounded = np.zeros(5 * n), np.full(4 * n, UNBOUNDED)
        can_shed = np.where(self.weight > 0, 1.0, 0.0)
        return model.run(
            self.solver,
            x0=np.concatenate([model.flat_start(limits), nothing]),
            lbx=np.concatenate([lower, nothing]),
            ubx=np.concatenate([upper, can_shed, unbounded]),
            lbg=model.lower,
            ubg=model.upper,
            p=np.append(model.cost_parameters(terms_of(grid)), gain),
        )

    def read(self, found: Optimum, gain: float) -> Shedding:
        """Read a solution: what is not served is the load shed and the power from nowhere."""
        w, n, base = self.model.wires, self.model.n_bus, self.model.wires.base_mva
        share, lack = found.x[-5 * n : -4 * n], np.maximum(found.x[-4 * n :], 0.0)
        shed = float(np.maximum(w.pd, 0.0) @ np.clip(share, 0.0, 1.0) + lack[:n].sum()) * base
        aims = float(self.weight @ share + PENALTY * found.x[-4 * n :].sum())
        imbalance = round(float(lack.sum()) * base, DECIMALS)
        return Shedding(round(shed, DECIMALS), (found.cost - aims) / gain, imbalance, found)


def least_shed(grid: Grid, hit: Ints) -> Shedding:
    """Shed the least load of a grid without the live units ``hit``."""
    model, limits = model_of(grid), limits_without(grid, hit)
    gain = _gain(grid)
    for options in OPTIONS:
        problem = LeastShed.of(model, options)
        found = problem.solve(grid, limits, gain)
        if found.solved:
            break
    return problem.read(found, gain)


def limits_without(grid: Grid, hit: Ints) -> Limits:
    """Return the units' limits where some are gone and the others may be switched off."""
    limits = limits_of(grid)
    there = np.ones(len(limits.pmax))
    there[hit] = 0.0

    def low(values: Floats) -> Floats:
        return np.asarray(np.minimum(values, 0.0) * there)

    def high(values: Floats) -> Floats:
        return np.asarray(np.maximum(values, 0.0) * there)

    return Limits(low(limits.pmin), high(limits.pmax), low(limits.qmin), high(limits.qmax))


def _gain(grid: Grid) -> float:
    """What a $/h of generation weighs beside a unit of load, per unit."""
    units, costs = grid.units.take(grid.live_units), grid.costs.take(grid.live_units)
    dearest = max(
        float(np.max(np.abs(marginal_cost(costs, at)))) for at in (units.pmin, units.pmax)
    )
    return 1.0 / (VALUE * max(dearest, 1.0) * grid.base_mva)
