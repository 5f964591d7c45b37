# SPDX-License-Identifier: MIT
r"""Mixed-integer solvers for P_BL: HiGHS, and SCIP as a second opinion (the extra ``proof``).

HiGHS takes linear rows alone. For the Euclidean norm, squares_s >= d_s^2 is approached from below
by tangents, first on a geometric grid, then at each optimum: what HiGHS proves is a lower bound at
every step. SCIP takes the squares as they are.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from importlib.util import find_spec
from time import perf_counter
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
from scipy.sparse import csr_array, vstack

from pocin.errors import UsageError
from pocin.power.dc.linear import INFINITE, answer_of, engine

if TYPE_CHECKING:
    from pocin.arrays import Floats
    from pocin.power.dc.kkt import Kkt
    from pocin.power.dc.linear import Answer, Linear

GAP = 1e-4
"""What is proved to this, relative, is called proved."""

RATIO = 1.2
DECADES = 3
REFINEMENTS = 8
LEAKS = 1e-8
"""How far from 0 or 1 a choice may be: times a multiplier's bound, what leaks through it."""


@dataclass(frozen=True, eq=False)
class Branched:
    """What branching found: the capacities (None if nothing), and the distance that it proved."""

    v: Floats | None
    bound: float
    status: str
    nodes: int
    seconds: float = field(default=0.0)


class Engine(Protocol):
    """A solver of the mixed-integer program."""

    name: str

    def branch(self, built: Kkt, known: float, left: float = np.inf) -> Branched:
        """Solve it in the seconds ``left``, a point at distance ``known`` being known."""


@dataclass(frozen=True)
class Highs:
    """HiGHS: one thread, so that results repeat; nodes and not seconds limit it by default."""

    nodes: int = 100_000
    seconds: float = np.inf
    name = "HiGHS"

    def branch(self, built: Kkt, known: float, left: float = np.inf) -> Branched:
        """Solve; for the Euclidean norm, until the tangents are as good as the squares."""
        ends = perf_counter() + min(self.seconds, left)
        began = perf_counter()
        if built.program.curved:
            raise UsageError(
                "quadratic costs make the band non-convex, which takes SCIP: install pocin[proof]"
            )
        if not built.squares.size:
            found, nodes = self._run(built.program, ends)
            v = built.v.of(found.x) if found.found else None
            bound = min(found.bound, known) if found.status != "infeasible" else known
            return Branched(v, bound, found.status, nodes, perf_counter() - began)
        squared = self._squared(built, known, ends)
        return replace(squared, seconds=perf_counter() - began)

    def _squared(self, built: Kkt, known: float, ends: float) -> Branched:
        """Add tangents until the sum of squares is met."""
        steps = np.arange(0, DECADES * np.log(10) / np.log(RATIO))
        points = known * RATIO**-steps
        program = with_tangents(built, np.tile(points, (built.squares.size, 1)))
        bound, total, best = 0.0, 0, None
        for _ in range(REFINEMENTS):
            found, nodes = self._run(program, ends)
            total += nodes
            if found.status == "infeasible":
                return Branched(best, known, found.status, total)
            bound = max(bound, float(np.sqrt(max(found.bound, 0.0))))
            if not found.found:
                break
            best = built.v.of(found.x)
            size = built.up.of(found.x) + built.down.of(found.x)
            if found.status != "optimal" or bound >= np.linalg.norm(size) * (1 - GAP):
                break
            program = with_tangents(replace(built, program=program), size[:, None])
        return Branched(best, min(bound, known), found.status, total)

    def _run(self, program: Linear, ends: float) -> tuple[Answer, int]:
        """Run HiGHS on what is left of the time."""
        highs = engine(program)
        for name, value in {
            "mip_rel_gap": GAP / 2,
            "mip_max_nodes": self.nodes,
            "time_limit": max(ends - perf_counter(), 0.0),
            "mip_feasibility_tolerance": LEAKS,
            "primal_feasibility_tolerance": 1e-8,
            "dual_feasibility_tolerance": 1e-8,
        }.items():
            highs.setOptionValue(name, value)
        return answer_of(highs, whole=True), int(highs.getInfo().mip_node_count)


def with_tangents(built: Kkt, points: Floats) -> Linear:
    """Add squares_s >= 2 a d_s - a^2 for every a in row s of ``points``."""
    program, n, k = built.program, *points.shape
    at, site = points.ravel(), np.repeat(np.arange(n), k)
    row, width = np.arange(n * k), program.matrix.shape[1]

    def entries(start: int, values: Floats) -> csr_array:
        return csr_array((values, (row, start + site)), shape=(n * k, width))

    rows = entries(built.squares.start, np.ones(n * k))
    rows = rows - entries(built.up.start, 2 * at) - entries(built.down.start, 2 * at)
    lower, upper = program.limits
    limits = np.concatenate([lower, -(at**2)]), np.concatenate([upper, np.full(n * k, INFINITE)])
    return replace(program, matrix=csr_array(vstack([program.matrix, rows])), limits=limits)


@dataclass(frozen=True)
class Scip:
    """SCIP, from the extra ``proof``."""

    nodes: int = 1_000_000
    seconds: float = np.inf
    name = "SCIP"

    def branch(self, built: Kkt, known: float, left: float = np.inf) -> Branched:
        """Solve, the squares and quadratic costs as they are."""
        if find_spec("pyscipopt") is None:
            raise UsageError("SCIP is not installed; install pocin[proof]")
        began = perf_counter()
        model, x = scip_model(built)
        model.setParam("limits/gap", GAP / 2)
        model.setParam("limits/totalnodes", self.nodes)
        if np.isfinite(seconds := min(self.seconds, left)):
            model.setParam("limits/time", max(seconds, 0.0))
        model.optimize()
        status, nodes = model.getStatus(), int(model.getNTotalNodes())
        if status == "infeasible":
            return Branched(None, known, status, nodes, perf_counter() - began)
        proved = max(float(model.getDualbound()), 0.0)
        bound = float(np.sqrt(proved)) if built.squares.size else proved
        v = None
        if model.getNSols():
            best, place = model.getBestSol(), range(built.v.start, built.v.start + built.v.size)
            v = np.array([model.getSolVal(best, x[k]) for k in place])
        status = "optimal" if status in ("optimal", "gaplimit") else status
        return Branched(v, min(bound, known), status, nodes, perf_counter() - began)


def scip_model(built: Kkt) -> tuple[Any, list[Any]]:
    """Hand the program to SCIP."""
    from pyscipopt import Model, quicksum

    program, model = built.program, Model()
    model.hideOutput()
    model.setParam("randomization/randomseedshift", 0)
    columns = zip(program.cost, *program.bounds, program.integer, strict=True)
    x = [
        model.addVar(lb=_or_none(low), ub=_or_none(high), obj=cost, vtype="B" if whole else "C")
        for cost, low, high, whole in columns
    ]
    matrix = program.matrix
    for row, (low, high) in enumerate(zip(*program.limits, strict=True)):
        part = slice(matrix.indptr[row], matrix.indptr[row + 1])
        terms = zip(matrix.data[part], matrix.indices[part], strict=True)
        _between(model, quicksum(value * x[k] for value, k in terms if value), low, high)
    for k in range(built.squares.size):
        change = x[built.up.start + k] - x[built.down.start + k]
        model.addCons(x[built.squares.start + k] >= change * change)
    for curved in program.curved:
        linear = quicksum(curved.gradient[k] * x[k] for k in np.flatnonzero(curved.gradient))
        bent = np.flatnonzero(curved.curvature)
        squares = quicksum(curved.curvature[k] / 2 * x[k] * x[k] for k in bent)
        _between(model, linear + squares, curved.lower, curved.upper)
    return model, x


def _between(model: Any, value: Any, low: float, high: float) -> None:
    """Add low <= value <= high."""
    if low == high:
        model.addCons(value == low)
        return
    if np.isfinite(high):
        model.addCons(value <= high)
    if np.isfinite(low):
        model.addCons(value >= low)


def _or_none(value: float) -> float | None:
    """Return a bound, or None for infinity."""
    return float(value) if np.isfinite(value) else None
