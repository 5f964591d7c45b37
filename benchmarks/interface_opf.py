# SPDX-License-Identifier: MIT
"""The AC-OPF of a grid in PyOptInterface: flows as variables, a graph of expressions a branch.

That is the form in which its users write it. The IPOPT is the one in CasADi's wheel, so that both
models run the same solver with the same linear algebra, options and start.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import casadi
import numpy as np
import pyoptinterface as poi
from pyoptinterface import ipopt, nl

from pocin.power.opf import limits_of, terms_of
from pocin.power.wires import UNBOUNDED, Wires

EQUAL = poi.Eq


class InterfaceOpf:
    """One grid's model; ``solve`` starts flat each time."""

    def __init__(self, grid: Any) -> None:
        if not ipopt.is_library_loaded():
            ipopt.load_library(str(Path(casadi.__file__).parent / "libipopt.so.3"))
        self.grid, self.wires = grid, Wires.of(grid)
        self.model = ipopt.Model()
        for name, value in {"print_level": 0, "sb": "yes"}.items():
            self.model.set_raw_parameter(name, value)
        self.start: list[tuple[Any, float]] = []
        self._buses()
        self._units()
        flows = [self._branch(k) for k in range(len(self.wires.start))]
        self._limits(flows)
        self._balance(flows)
        self._cost()

    def _variable(self, low: float, high: float, start: float) -> Any:
        made = self.model.add_variable(lb=float(low), ub=float(high))
        self.start.append((made, float(start)))
        return made

    def _buses(self) -> None:
        w = self.wires
        voltage = np.clip(1.0, w.vmin, w.vmax)
        self.theta = [self._variable(-UNBOUNDED, UNBOUNDED, 0.0) for _ in w.pd]
        self.model.set_variable_bounds(self.theta[w.reference], 0.0, 0.0)
        bounds = zip(w.vmin, w.vmax, voltage, strict=True)
        self.v = [self._variable(*bound) for bound in bounds]

    def _units(self) -> None:
        limits = limits_of(self.grid)
        self.p, self.q = (
            [self._variable(a, b, np.clip(0.0, a, b)) for a, b in zip(low, high, strict=True)]
            for low, high in ((limits.pmin, limits.pmax), (limits.qmin, limits.qmax))
        )

    def _branch(self, k: int) -> list[Any]:
        """Flows at both ends, as in ``pocin.power.opf``, defined by equations."""
        w, model = self.wires, self.model
        i, j = int(w.start[k]), int(w.end[k])
        square = float(w.r[k] ** 2 + w.x[k] ** 2)
        g, b, half = float(w.r[k]) / square, -float(w.x[k]) / square, float(w.b[k]) / 2
        tap, shift, rate = float(w.tap[k]), float(w.shift[k]), float(w.rate[k])
        most = rate if rate > 0 else UNBOUNDED
        flows = [self._variable(-most, most, 0.0) for _ in range(4)]
        with nl.graph():
            ends = (self.theta[i], self.theta[j], self.v[i], self.v[j])
            angle_i, angle_j, v_i, v_j = (nl.to_nlexpr(variable) for variable in ends)

            def cosine(factor: float) -> Any:  # made anew each time: products grow in place
                return factor / tap * v_i * v_j * nl.cos(angle_i - angle_j - shift)

            def sine(factor: float) -> Any:
                return factor / tap * v_i * v_j * nl.sin(angle_i - angle_j - shift)

            values = (
                g / tap**2 * v_i * v_i + cosine(-g) + sine(-b),
                -(b + half) / tap**2 * v_i * v_i + cosine(b) + sine(-g),
                g * v_j * v_j + cosine(-g) + sine(b),
                -(b + half) * v_j * v_j + cosine(b) + sine(g),
            )
            for flow, value in zip(flows, values, strict=True):
                model.add_nl_constraint(value - flow, EQUAL, 0.0)
        return flows

    def _limits(self, flows: list[list[Any]]) -> None:
        """Apparent power at both ends, and the angle across a branch."""
        w, model = self.wires, self.model
        for k, (p_from, q_from, p_to, q_to) in enumerate(flows):
            rate, i, j = float(w.rate[k]), int(w.start[k]), int(w.end[k])
            if rate > 0:
                for p, q in ((p_from, q_from), (p_to, q_to)):
                    model.add_quadratic_constraint(p * p + q * q, poi.Leq, rate**2)
            if w.angmin[k] > -UNBOUNDED or w.angmax[k] < UNBOUNDED:
                within = float(w.angmin[k]), float(w.angmax[k])
                model.add_linear_constraint(self.theta[i] - self.theta[j], within)

    def _balance(self, flows: list[list[Any]]) -> None:
        """What units inject at a bus, less its load and shunt, leaves by its branches."""
        w = self.wires
        p = [poi.ExprBuilder() for _ in w.pd]
        q = [poi.ExprBuilder() for _ in w.pd]
        for k, bus in enumerate(w.unit_bus):
            p[bus] += self.p[k]
            q[bus] += self.q[k]
        for k, (p_from, q_from, p_to, q_to) in enumerate(flows):
            i, j = int(w.start[k]), int(w.end[k])
            p[i] -= p_from
            q[i] -= q_from
            p[j] -= p_to
            q[j] -= q_to
        for k, v in enumerate(self.v):
            p[k] -= float(w.gs[k]) * v * v
            q[k] += float(w.bs[k]) * v * v
            self.model.add_quadratic_constraint(p[k], EQUAL, float(w.pd[k]))
            self.model.add_quadratic_constraint(q[k], EQUAL, float(w.qd[k]))

    def _cost(self) -> None:
        """Polynomials of at most degree two, as PGLib's are."""
        terms = terms_of(self.grid)
        if terms.slopes.size or terms.polynomial.shape[1] > 3:
            raise ValueError("only costs of degree two at the most")
        cost = poi.ExprBuilder()
        for p, row in zip(self.p, terms.polynomial, strict=True):
            for degree, factor in enumerate(row):
                cost += float(factor) * (1, p, p * p)[degree] if degree else float(factor)
        self.model.set_objective(cost)

    def solve(self) -> tuple[float, bool]:
        """Solve from a flat start; the first call compiles as well."""
        for variable, value in self.start:
            self.model.set_variable_start(variable, value)
        self.model.optimize()
        status = self.model.get_model_attribute(poi.ModelAttribute.TerminationStatus)
        solved = status == poi.TerminationStatusCode.LOCALLY_SOLVED
        return float(self.model.get_model_attribute(poi.ModelAttribute.ObjectiveValue)), solved
