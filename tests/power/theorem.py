# SPDX-License-Identifier: MIT
"""Theorem 5 of the paper on the convex DC model, and its ratio on AC releases.

    P_CL:  min ||v. - v~||^2   s.t.  |c(p) - O*| <= beta O*,  the DC power flow,  0 <= p <= v.

With linear costs the feasible set is a polyhedron, so v. is a projection, and a projection onto a
convex set takes v~ no farther from any point *of that set*: ||v. - v|| <= ||v~ - v|| wherever the
true v is feasible at the sites that the draws chose. That is a condition, and it often fails.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import casadi as ca
import numpy as np

from pocin import api, flow
from pocin.kinds import Goal
from pocin.plan import Plan, Request, plan
from pocin.power.placed import place
from pocin.power.public import MEGAWATT
from pocin.privacy.location import assign
from pocin.privacy.noise import SeededNoise
from pocin.privacy.settings import Privacy, Radius

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pocin.arrays import Floats
    from pocin.privacy.draws import Draws, Trace

QUIET = {
    "print_time": False,
    "ipopt.print_level": 0,
    "ipopt.sb": "yes",
    "ipopt.tol": 1e-10,
    "ipopt.max_iter": 500,
}
SLACK = 1e-6


@dataclass(frozen=True)
class Dc:
    """The DC model of a grid whose units with capacity are the elements, in MW."""

    name: str

    @cached_property
    def grid(self) -> Any:
        return api.read(self.name).content

    @cached_property
    def elements(self) -> Any:
        """Rows of the units, in the order of the public sites."""
        rows = np.flatnonzero(self.grid.units.pmax > 0)
        return rows[np.argsort(self.grid.units.bus[rows], kind="stable")]

    @cached_property
    def real(self) -> Floats:
        """True capacities; row i is the unit that really stands at site i."""
        return self.grid.units.pmax[self.elements]

    @cached_property
    def prices(self) -> Floats:
        """Slopes of the linear part of the costs: the model is kept linear."""
        costs = self.grid.costs
        rows = [costs.coefficients[row, : int(costs.n[row])] for row in self.elements]
        return np.array([row[-2] for row in rows])

    def problem(self, prices: Floats, band: tuple[float, float], *, fixed: bool) -> Any:
        """Build the program over (v, p, theta); ``fixed`` leaves out v's freedom and the goal."""
        grid, n = self.grid, len(self.real)
        buses, lines = grid.buses, grid.branches
        at = {int(bus): i for i, bus in enumerate(buses.id)}
        v, p, theta = ca.SX.sym("v", n), ca.SX.sym("p", n), ca.SX.sym("theta", len(buses))
        target = ca.SX.sym("target", n)
        balance = [-(buses.pd[i] + buses.gs[i]) for i in range(len(buses))]
        for i, row in enumerate(self.elements):
            balance[at[int(grid.units.bus[row])]] += p[i]
        flows, limits = [], []
        for k in range(len(lines)):
            f, t = at[int(lines.from_bus[k])], at[int(lines.to_bus[k])]
            through = (theta[f] - theta[t]) / lines.x[k] * grid.base_mva
            balance[f] -= through
            balance[t] += through
            flows.append(through)
            limits.append(lines.rate_a[k] if lines.rate_a[k] > 0 else 1e4)
        cost = ca.dot(ca.DM(prices), p)
        goal = cost if fixed else ca.sumsqr(v - target)
        g = ca.vertcat(*balance, *flows, v - p, cost)
        low = [0.0] * len(balance) + [-x for x in limits] + [0.0] * n + [band[0]]
        high = [0.0] * len(balance) + limits + [np.inf] * n + [band[1]]
        nlp = {"x": ca.vertcat(v, p, theta), "p": target, "f": goal, "g": g}
        return ca.nlpsol("dc", "ipopt", nlp, QUIET), low, high

    def solve(
        self, prices: Floats, target: Floats, band: tuple[float, float], *, fixed: bool
    ) -> Any:
        """Return v, the cost, and whether it was solved."""
        n = len(target)
        solver, low, high = self.problem(prices, band, fixed=fixed)
        least, most = (target, target) if fixed else (np.zeros(n), np.full(n, 1e5))
        angles = [0.0] + [10.0] * (len(self.grid.buses) - 1)
        found = solver(
            x0=np.concatenate(
                [target, np.minimum(target, self.grid.buses.pd.sum() / n), 0 * np.array(angles)]
            ),
            p=target,
            lbx=[*least, *[0.0] * n, *[-a for a in angles]],
            ubx=[*most, *[1e5] * n, *angles],
            lbg=low,
            ubg=high,
        )
        x = np.array(found["x"]).ravel()
        return x[:n], float(found["g"][-1]), bool(solver.stats()["success"])

    @cached_property
    def optimum(self) -> float:
        """O*: the DC optimum of the real network."""
        _, cost, solved = self.solve(self.prices, self.real, (-np.inf, np.inf), fixed=True)
        assert solved
        return cost

    def ratio(self, element_at: Any, noise: Floats, beta: float) -> tuple[float, bool] | None:
        """Return ||v. - v|| / ||v~ - v|| and whether the true v is feasible at these sites."""
        v, prices = self.real[element_at], self.prices[element_at]
        noisy = np.maximum(0.0, v + noise)
        band = ((1 - beta) * self.optimum, (1 + beta) * self.optimum)
        _, _, feasible = self.solve(prices, v, band, fixed=True)
        restored, _, solved = self.solve(prices, noisy, band, fixed=False)
        if not solved:
            return None
        away = float(np.linalg.norm(noisy - v))
        return float(np.linalg.norm(restored - v)) / away, feasible


def dc_ratios(name: str, alpha: str, beta: float, seeds: int) -> list[tuple[float, bool]]:
    """Return the ratio of seeded draws on the DC model, and whether the true v was feasible."""
    model, found = Dc(name), []
    for draws, trace, planned in drawn(name, alpha, beta, seeds):
        element_at = trace.element[assign(draws, planned.public.metric)]
        noise = MEGAWATT.real(draws.values - planned.secret.values[trace.element])
        at_sites = noise[np.argsort(trace.element)][element_at]
        ratio = model.ratio(element_at, at_sites, beta)
        found += [] if ratio is None else [ratio]
    return found


def ac_ratios(name: str, alpha: str, beta: float, seeds: int) -> list[tuple[float, bool]]:
    """Return the same for seeded AC releases that are faithful."""
    found = []
    for draws, trace, planned in drawn(name, alpha, beta, seeds):
        side = flow.OpenSide(planned.kind, planned.public, planned.guarantee)
        goal = Goal(planned.known_figure(), beta)
        made = flow.finish(side, draws, goal)
        if not made.certificate.within:
            continue
        v = MEGAWATT.real(planned.secret.values)[trace.element[made.record]]
        there = place(planned.public, v, draws.moved, made.record)
        own = planned.kind.solve(there.grid(v)).cost
        feasible = own is not None and goal.gap(own) <= beta
        away = float(np.linalg.norm(made.noisy - v))
        found.append((float(np.linalg.norm(made.released - v)) / away, feasible))
    return found


def drawn(name: str, alpha: str, beta: float, seeds: int) -> Iterator[tuple[Draws, Trace, Plan]]:
    """Yield seeded draws, what they came from, and the plan."""
    privacy = Privacy(alpha_location=Radius.parse(alpha))
    for seed in range(seeds):
        planned = plan(api.read(name), Request(privacy=privacy, beta=beta, seed=seed))
        draws, trace, _ = flow.draw(planned, SeededNoise(seed), lambda _: None)
        yield draws, trace, planned
