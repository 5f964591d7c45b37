# SPDX-License-Identifier: MIT
r"""P_CL, the relaxation of the paper's bi-level problem.

Over capacities v, a dispatch x and a slack s:

    minimise    ||v - v~||^2 / 2 + M s
    subject to  cost(x) / C <= 1 + s,  s >= 0          C = (1 + 0.995 beta) O*          cost
                the AC constraints                                                      model rows
                pmin(v) <= p <= 0.995 v,   qmin(v) <= q <= qmax(v)                      linked
                gradient . v >= least                                                   cut

Every limit that the policy derives from v moves with v here, and the dispatch keeps half a percent
of room from it: v often stands where less of it could not serve the load, for the sake of p or of
q, and without room the reader's feasible set has no interior there, so that their solver stalls (it
did on 10,000 buses, where nothing but q lacked the room). With M above the cost row's multiplier
the slack is zero wherever that is possible (an exact penalty), and where it is not, s says how much
too dear these sites are: the solver finds that in the time of any other solve, not by running into
its iteration limit. The barrier falls monotonically: the adaptive one took 48 to 159 iterations on
grids of 1354 buses where this takes 27 to 57.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import casadi as ca
import numpy as np

from pocin.power.opf import AcModel, Limits, limits_of, terms_of
from pocin.power.public import LimitRules
from pocin.power.wires import UNBOUNDED

if TYPE_CHECKING:
    from pocin.arrays import Floats, Ints
    from pocin.power.clock import Clock
    from pocin.power.grid import Grid
    from pocin.power.opf import Optimum
    from pocin.power.placed import Placed

BASE = 100.0
"""MVA: P_CL is per unit of it whatever the file's base, for its tolerance and its prices are."""

ROOM = 0.995
"""Dispatch uses at most this share of a capacity, the cost at most this share of beta."""

OPTIONS: dict[str, Any] = {
    "ipopt.tol": 1e-6,  # capacities are whole hundredths of a MW: 1e-4 per unit
    "ipopt.max_iter": 200,
    "ipopt.nlp_scaling_method": "none",  # it would scale the distance down with the penalty
}

SCALED: dict[str, Any] = OPTIONS | {"ipopt.nlp_scaling_method": "gradient-based"}
"""The order in which the two are tried is `fidelity.restore`'s."""

PENALTY = 1e4
"""A cost 1 % above the band is worth as much as 10 to 14 per unit of distance on a small grid.

Beyond this price, the capacities that would do are so far off that the placement is called too
dear instead: M = PENALTY (1 + load / 1000 per unit). Multipliers of the cost row of 1,400 to
2,600 were met at 1354 buses, where M is 17,000; with M = 540,000 the solver took up to 3 times as
long there, and stalled on a third of the draws of 2869 buses.
"""


@dataclass(frozen=True, eq=False)
class Cut:
    """A half-space gradient . v >= least of capacities in MW."""

    gradient: Floats
    least: float

    @classmethod
    def none(cls, size: int) -> Cut:
        """A cut that holds everywhere."""
        return cls(np.zeros(size), -1.0)


def roomy(rules: LimitRules) -> LimitRules:
    """Draw limits in by 1 - ROOM: of the width between those of q, of a pmin that grows with v.

    At rho = 0 that leaves p >= 0 as it is: nobody has to run.
    """
    spare = 1 - ROOM
    (least, low), (most, high) = rules.qmin, rules.qmax
    return LimitRules(
        pmin=(rules.pmin[0], rules.pmin[1] * (1 + spare)),
        qmin=(least + spare * (most - least), low + spare * (high - low)),
        qmax=(most - spare * (most - least), high - spare * (high - low)),
    )


class Projection:
    """P_CL on a model: built once per topology and set of sites, then called with numbers."""

    def __init__(self, model: AcModel, sites: Ints, options: dict[str, Any]) -> None:
        self.model, self.sites = model, sites
        n = len(sites)
        self.capacity = ca.MX.sym("capacity", n)
        self.noisy = ca.MX.sym("noisy", n)
        self.slopes = ca.MX.sym("slopes", n, 3)
        self.most = ca.MX.sym("most")
        self.gradient = ca.MX.sym("gradient", n)
        self.slack, self.penalty = ca.MX.sym("slack"), ca.MX.sym("penalty")
        p, q = model.p[sites.tolist()], model.q[sites.tolist()]
        linked = [
            p - ROOM * self.capacity,
            p - self.slopes[:, 0] * self.capacity,
            q - self.slopes[:, 1] * self.capacity,
            q - self.slopes[:, 2] * self.capacity,
        ]
        distance = ca.sumsqr(self.capacity - self.noisy) / 2
        numbers = (self.noisy, ca.vec(self.slopes), self.most, self.gradient, self.penalty)
        self.solver = model.program(
            "restore",
            {
                "x": ca.vertcat(model.x, self.capacity, self.slack),
                "p": ca.vertcat(model.parameters, *numbers),
                "f": distance + self.penalty * self.slack,
                "g": ca.vertcat(
                    model.rows,
                    model.cost / self.most - self.slack,
                    *linked,
                    ca.dot(self.gradient, self.capacity),
                ),
            },
            options,
        )

    @classmethod
    def of(cls, model: AcModel, sites: Ints, options: dict[str, Any]) -> Projection:
        """Return the problem of a model and its sites, built at the first call."""
        key = ("restore", sites.tobytes(), *options.items())
        if key not in model.built:
            model.built[key] = cls(model, sites, options)
        problem: Projection = model.built[key]
        return problem

    def solve(
        self, placed: Placed, grid: Grid, most: float, cut: Cut, clock: Clock | None
    ) -> Optimum:
        """Project the noisy capacities onto what serves the load for at most this cost."""
        # the cut is scaled to a gradient of length 1 per unit, so that the solver sees like rows
        length = np.linalg.norm(cut.gradient) or 1.0
        model, base = self.model, grid.base_mva
        gradient, least = cut.gradient / length, cut.least / (length * base)
        rules, noisy, n = roomy(placed.rules), placed.noisy / base, len(self.sites)
        limits = self._unit_box(limits_of(grid))
        lower, upper = model.box(limits)
        start = model.flat_start(limits_of(grid))
        free = np.full(n, UNBOUNDED)
        pmin, qmin, qmax = (rule[0] / base for rule in (rules.pmin, rules.qmin, rules.qmax))
        slopes = np.concatenate([rules.pmin[1], rules.qmin[1], rules.qmax[1]])
        penalty = PENALTY * (1 + float(np.sum(model.wires.pd)) / 1000)
        numbers = (noisy, slopes, [most], gradient, [penalty])
        return model.run(
            self.solver,
            clock,
            x0=np.concatenate([start, noisy, [0.0]]),
            lbx=np.concatenate([lower, np.zeros(n + 1)]),
            ubx=np.concatenate([upper, free, [UNBOUNDED]]),
            lbg=np.concatenate([model.lower, [-UNBOUNDED], -free, pmin, qmin, -free, [least]]),
            ubg=np.concatenate([model.upper, [1.0], 0 * free, free, free, qmax, [UNBOUNDED]]),
            p=np.concatenate([model.cost_parameters(terms_of(grid)), *numbers]),
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
