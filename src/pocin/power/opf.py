# SPDX-License-Identifier: MIT
r"""The AC optimal power flow in polar form, built once per topology.

Symbols: bus voltage :math:`v_i \angle\theta_i`, unit injection :math:`p_g + j q_g`, series
admittance :math:`y = g + jb` of branch :math:`(i, j)`, its charging :math:`b^c`, its ratio
:math:`T = \tau e^{j\varphi}`. Everything is per unit on ``base_mva``.

    minimise    sum_g c_g(p_g)
    subject to  sum_{g at i} p_g - Pd_i - Gs_i v_i^2 = sum of P over branches at i     balance_p
                sum_{g at i} q_g - Qd_i + Bs_i v_i^2 = sum of Q over branches at i     balance_q
                P_ij^2 + Q_ij^2 <= rate^2, at both ends                                thermal
                angmin <= theta_i - theta_j <= angmax                                  angle
                voltage and unit limits                                                bounds

Branch flows are substituted out. Limits and costs of units are arguments of a solve, never part
of the model, so that one model serves every release, certificate and attack on a topology.
A piecewise linear cost is the epigraph y_g >= slope_k p_g + intercept_k.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import lru_cache
from time import perf_counter
from typing import TYPE_CHECKING, Any

import casadi as ca
import numpy as np

from pocin.power.clock import Clock, Watch
from pocin.power.curves import CostTerms, cost_terms, shape_of
from pocin.power.wires import UNBOUNDED, Wires
from pocin.signals import put_off

if TYPE_CHECKING:
    from collections.abc import Callable

    from pocin.arrays import Floats, Ints
    from pocin.power.grid import Grid

STOPPED = "User_Requested_Stop"
"""IPOPT's word for a solve that our watch ended."""

LATE = "Maximum_WallTime_Exceeded"
"""IPOPT's word for a solve that its own time limit ended, given to those that ours ends."""

QUIET: dict[str, Any] = {"ipopt.print_level": 0, "ipopt.sb": "yes", "print_time": False}
SQUARE = "Feasible_Point_Found"  # as many equations as free variables: the cost was not minimised


@dataclass(frozen=True, eq=False)
class Limits:
    """Limits of the units, per unit."""

    pmin: Floats
    pmax: Floats
    qmin: Floats
    qmax: Floats


@dataclass(frozen=True, eq=False)
class Optimum:
    """What a solve found, per unit. ``status`` is the solver's own word for it.

    ``unit_multipliers`` are of the bounds on p and q: positive at an upper bound, negative at a
    lower one. ``row_multipliers`` are of the constraints, in the model's order.
    """

    cost: float
    status: str
    solved: bool
    iterations: int
    seconds: float
    x: Floats = field(repr=False)
    p: Floats = field(repr=False)
    q: Floats = field(repr=False)
    unit_multipliers: tuple[Floats, Floats] = field(repr=False)
    row_multipliers: Floats = field(repr=False)


class AcModel:
    """Variables, cost and constraints of the AC-OPF as CasADi expressions."""

    def __init__(self, wires: Wires, degree: int, segments: int) -> None:
        self.wires, self.degree, self.segments = wires, degree, segments
        self.n_bus, self.n_unit = len(wires.pd), len(wires.unit_bus)
        self.theta = ca.MX.sym("theta", self.n_bus)
        self.v = ca.MX.sym("v", self.n_bus)
        self.p = ca.MX.sym("p", self.n_unit)
        self.q = ca.MX.sym("q", self.n_unit)
        self.y = ca.MX.sym("y", self.n_unit if segments else 0)
        self.terms = ca.MX.sym("c", self.n_unit, degree + 1)
        self.slopes = ca.MX.sym("a", self.n_unit, segments)
        self.intercepts = ca.MX.sym("b", self.n_unit, segments)
        self.x = ca.vertcat(self.theta, self.v, self.p, self.q, self.y)
        self.parameters = ca.vertcat(
            ca.vec(self.terms), ca.vec(self.slopes), ca.vec(self.intercepts)
        )
        self.cost = self._cost()
        self.rows, self.lower, self.upper = self._constraints()
        self.built: dict[object, Any] = {}  # further problems on this model, by their names
        self.clock = Clock()
        self.interrupted: Callable[[], bool] = bool
        self.watches: list[Watch] = []

    # -- the model ---------------------------------------------------------------------------

    def _cost(self) -> ca.MX:
        """sum_g of sum_k c_gk p_g^k (Horner) + y_g."""
        value = self.terms[:, self.degree]
        for k in reversed(range(self.degree)):
            value = value * self.p + self.terms[:, k]
        return ca.sum1(value) + ca.sum1(self.y)

    def _constraints(self) -> tuple[ca.MX, Floats, Floats]:
        """Stack (row, lower, upper) of each kind of constraint."""
        flow_from, flow_to = self._flows()
        parts = [
            self._balance(flow_from, flow_to),
            self._thermal(flow_from, flow_to),
            self._angle(),
            self._epigraph(),
        ]
        rows = ca.vertcat(*[part[0] for part in parts])
        lower = np.concatenate([part[1] for part in parts])
        upper = np.concatenate([part[2] for part in parts])
        return rows, lower, upper

    def _flows(self) -> tuple[tuple[ca.MX, ca.MX], tuple[ca.MX, ca.MX]]:
        """Power into a branch at its from end and at its to end."""
        w = self.wires
        square = w.r**2 + w.x**2
        g, b, half = ca.DM(w.r / square), ca.DM(-w.x / square), ca.DM(w.b / 2)
        vi, vj = self.v[w.start.tolist()], self.v[w.end.tolist()]
        delta = self.theta[w.start.tolist()] - self.theta[w.end.tolist()] - w.shift
        product = vi * vj / w.tap
        cosine, sine = product * ca.cos(delta), product * ca.sin(delta)
        near, far = vi * vi / w.tap**2, vj * vj
        p_from = g * near - g * cosine - b * sine
        q_from = -(b + half) * near + b * cosine - g * sine
        p_to = g * far - g * cosine + b * sine
        q_to = -(b + half) * far + b * cosine + g * sine
        return (p_from, q_from), (p_to, q_to)

    def _balance(
        self, flow_from: tuple[ca.MX, ca.MX], flow_to: tuple[ca.MX, ca.MX]
    ) -> tuple[ca.MX, Floats, Floats]:
        """What units inject at a bus, less its load and shunt, leaves by its branches."""
        w = self.wires
        at_unit = _incidence(w.unit_bus, self.n_bus)
        at_from, at_to = _incidence(w.start, self.n_bus), _incidence(w.end, self.n_bus)
        square = self.v * self.v

        def leaving(k: int) -> ca.MX:
            return at_from @ flow_from[k] + at_to @ flow_to[k]

        p = at_unit @ self.p - w.pd - w.gs * square - leaving(0)
        q = at_unit @ self.q - w.qd + w.bs * square - leaving(1)
        zero = np.zeros(2 * self.n_bus)
        return ca.vertcat(p, q), zero, zero

    def _thermal(
        self, flow_from: tuple[ca.MX, ca.MX], flow_to: tuple[ca.MX, ca.MX]
    ) -> tuple[ca.MX, Floats, Floats]:
        """P^2 + Q^2 <= rate^2 at both ends of every branch that has a rating."""
        rated = np.flatnonzero(self.wires.rate > 0)
        square = np.tile(self.wires.rate[rated] ** 2, 2)
        ends = [_at(p, rated) ** 2 + _at(q, rated) ** 2 for p, q in (flow_from, flow_to)]
        return ca.vertcat(*ends), np.full(len(square), -UNBOUNDED), square

    def _angle(self) -> tuple[ca.MX, Floats, Floats]:
        """Limits on the angle difference across a branch."""
        w = self.wires
        bound = np.flatnonzero((w.angmin > -UNBOUNDED) | (w.angmax < UNBOUNDED))
        difference = _at(self.theta, w.start[bound]) - _at(self.theta, w.end[bound])
        return difference, w.angmin[bound], w.angmax[bound]

    def _epigraph(self) -> tuple[ca.MX, Floats, Floats]:
        """slope_k p_g + intercept_k <= y_g."""
        if not self.segments:
            return ca.MX(0, 1), np.zeros(0), np.zeros(0)
        lines = [
            self.slopes[:, k] * self.p + self.intercepts[:, k] - self.y
            for k in range(self.segments)
        ]
        size = self.n_unit * self.segments
        return ca.vertcat(*lines), np.full(size, -UNBOUNDED), np.zeros(size)

    # -- solving -----------------------------------------------------------------------------

    def box(self, limits: Limits) -> tuple[Floats, Floats]:
        """Lower and upper bounds on x; the reference angle is zero."""
        w = self.wires
        angle = np.full(self.n_bus, UNBOUNDED)
        angle[w.reference] = 0.0
        free = np.full(self.y.numel(), UNBOUNDED)
        lower = np.concatenate([-angle, w.vmin, limits.pmin, limits.qmin, -free])
        upper = np.concatenate([angle, w.vmax, limits.pmax, limits.qmax, free])
        return lower, upper

    def flat_start(self, limits: Limits) -> Floats:
        """Angles 0, voltages 1, and no output, as far as the limits allow; nothing of any solution.

        A start in the middle of the units' limits took 2 to 4 times the iterations on released
        grids of 1354 buses, and stalled on some.
        """
        w = self.wires
        voltage = np.clip(np.ones(self.n_bus), w.vmin, w.vmax)
        p = np.clip(np.zeros(self.n_unit), limits.pmin, limits.pmax)
        q = np.clip(np.zeros(self.n_unit), limits.qmin, limits.qmax)
        return np.concatenate([np.zeros(self.n_bus), voltage, p, q, np.zeros(self.y.numel())])

    def cost_parameters(self, terms: CostTerms) -> Floats:
        """The numbers for ``parameters``, column by column."""
        parts = (terms.polynomial, terms.slopes, terms.intercepts)
        return np.concatenate([part.ravel(order="F") for part in parts])

    def unpack(self, x: Floats) -> tuple[Floats, Floats]:
        """Return p and q of a solution."""
        at = 2 * self.n_bus
        return x[at : at + self.n_unit], x[at + self.n_unit : at + 2 * self.n_unit]

    def solver(self, options: dict[str, Any]) -> ca.Function:
        """The optimal power flow itself, with these options of the solver."""
        key = ("opf", *options.items())
        if key not in self.built:
            problem = {"x": self.x, "p": self.parameters, "f": self.cost, "g": self.rows}
            self.built[key] = self.program("opf", problem, options)
        found: ca.Function = self.built[key]
        return found

    def program(self, name: str, problem: dict[str, ca.MX], options: dict[str, Any]) -> ca.Function:
        """Build a solver of a problem on this model, which minds the clock of each call."""
        watch = Watch(problem, self._stopped)
        self.watches.append(watch)  # CasADi does not keep it
        watching = {"iteration_callback": watch}
        return ca.nlpsol(name, "ipopt", problem, QUIET | options | watching)

    def _stopped(self) -> bool:
        """Whether the call at hand must end: its clock is over, or somebody pressed Ctrl-C."""
        return self.clock.over() or self.interrupted()

    def optimum(
        self,
        limits: Limits,
        terms: CostTerms,
        options: dict[str, Any] | None = None,
        clock: Clock | None = None,
    ) -> Optimum:
        """Solve the AC-OPF from a flat start, with the solver's default options unless given."""
        lower, upper = self.box(limits)
        return self.run(
            self.solver(options or {}),
            clock,
            x0=self.flat_start(limits),
            lbx=lower,
            ubx=upper,
            lbg=self.lower,
            ubg=self.upper,
            p=self.cost_parameters(terms),
        )

    def run(self, solver: ca.Function, clock: Clock | None = None, **arguments: Any) -> Optimum:
        """Call a solver of this model and read its answer; it stops when the clock is over.

        Ctrl-C stops it after an iteration: CasADi would swallow a KeyboardInterrupt on its way.
        """
        began, self.clock = perf_counter(), clock or Clock()
        with put_off() as self.interrupted:
            answer = solver(**arguments)
        seconds = perf_counter() - began
        stats = solver.stats()
        status = str(stats["return_status"])
        if status == STOPPED:
            status = LATE
        x = np.asarray(answer["x"]).ravel()
        p, q = self.unpack(x)
        return Optimum(
            cost=float(answer["f"]),
            status=status,
            solved=bool(stats["success"]) and status != SQUARE,
            iterations=int(stats["iter_count"]),
            seconds=seconds,
            x=x,
            p=p,
            q=q,
            unit_multipliers=self.unpack(np.asarray(answer["lam_x"]).ravel()),
            row_multipliers=np.asarray(answer["lam_g"]).ravel(),
        )


def _at(column: ca.MX, rows: Ints) -> ca.MX:
    """Rows of a column; CasADi makes a row of none of them, which does not stack."""
    return column[rows.tolist()] if len(rows) else ca.MX(0, 1)


def _incidence(index: Ints, size: int) -> ca.DM:
    """The size x len(index) matrix that sums entries into their bus."""
    triplets = (index.tolist(), list(range(len(index))))
    return ca.DM.triplet(*triplets, ca.DM.ones(len(index)), size, len(index))


@lru_cache(maxsize=8)
def _model(key: _Key) -> AcModel:
    return AcModel(key.wires, key.degree, key.segments)


@dataclass(frozen=True, eq=False)
class _Key:
    """Names a model by the numbers that it is built from."""

    wires: Wires
    degree: int
    segments: int

    @property
    def name(self) -> tuple[str, int, int]:
        """What tells one model from another."""
        return self.wires.fingerprint, self.degree, self.segments

    def __hash__(self) -> int:
        return hash(self.name)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Key) and self.name == other.name


def model_of(grid: Grid) -> AcModel:
    """Return the model of a grid's topology and loads, built at the first call."""
    degree, segments = shape_of(grid.costs.take(grid.live_units))
    return _model(_Key(Wires.of(grid), degree, segments))


def limits_of(grid: Grid) -> Limits:
    """Return the limits of the units in service, per unit."""
    units = grid.units.take(grid.live_units)
    base = grid.base_mva
    return Limits(units.pmin / base, units.pmax / base, units.qmin / base, units.qmax / base)


def terms_of(grid: Grid) -> CostTerms:
    """Return the cost terms of the units in service, per unit."""
    return cost_terms(grid.costs.take(grid.live_units), grid.base_mva)


def optimum(
    grid: Grid, options: dict[str, Any] | None = None, clock: Clock | None = None
) -> Optimum:
    """Solve a grid's AC-OPF from a flat start, with the solver's default options unless given."""
    return model_of(grid).optimum(limits_of(grid), terms_of(grid), options, clock)
