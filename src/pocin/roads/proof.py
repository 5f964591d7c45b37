# SPDX-License-Identifier: MIT
r"""Phase 3 as integer programs for SCIP (the extra ``proof``): for small networks, to check ours.

    minimise ||w - w~||^2   subject to   max(d, w~ - R) <= w <= w~ + R,  every trip within beta

with R the distance of some solution. Binaries x_e pick a path of a trip; z_e >= w_e x_e.

*lazily*: a program of the rows that were missed so far, solved again until none is missed. Cuts
are a path's; a trip that was too long gets a path. Every program is a relaxation.

*literally*, as the paper puts it: for every origin potentials y with y_head - y_tail <= w_e, the
dual of the shortest paths; for every trip a flow, and complementarity: w_e = y_head - y_tail where
it flows. Then y is the shortest time of each destination.
"""

from __future__ import annotations

from dataclasses import dataclass
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

import numpy as np

from pocin.errors import UsageError

if TYPE_CHECKING:
    from pocin.arrays import Floats, Ints
    from pocin.roads.problem import RestoreProblem
    from pocin.roads.reading import PerTrip

GAP = 1e-5
MISS = 1e-6
ROUNDS = 60


@dataclass(frozen=True, eq=False)
class Optimum:
    """The nearest times that SCIP found, and its bound on their distance."""

    w: Floats
    distance: float
    bound: float
    programs: int


class Program:
    """A program under construction: w in its box, and the squares."""

    def __init__(self, problem: RestoreProblem, radius: float) -> None:
        if find_spec("pyscipopt") is None:
            raise UsageError("SCIP is not installed; install pocin[proof]")
        from pyscipopt import Model, quicksum

        self.problem, self.sum, self.model = problem, quicksum, Model()
        self.model.hideOutput()
        self.model.setParam("limits/gap", GAP)
        self.low = np.maximum(problem.d, problem.noisy - radius)
        self.high = problem.noisy + radius
        bounds = zip(self.low, self.high, strict=True)
        self.w = [self.model.addVar(lb=low, ub=high) for low, high in bounds]
        squares = self.model.addVar(lb=0.0, ub=radius**2 * (1 + GAP))
        pairs = zip(self.w, problem.noisy, strict=True)
        self.model.addCons(quicksum((w - noisy) ** 2 for w, noisy in pairs) <= squares)
        self.model.setObjective(squares)

    def solve(self, programs: int) -> Optimum:
        """Solve what stands."""
        self.model.optimize()
        w = np.array([self.model.getVal(each) for each in self.w])
        bound = float(np.sqrt(max(self.model.getDualbound(), 0.0)))
        return Optimum(w, float(np.linalg.norm(w - self.problem.noisy)), bound, programs)

    def usable(self, origin: int, destination: int | None = None) -> Ints:
        """Return what a trip may take: out of no zone but its origin, into none but its end."""
        zone, tail, head = self.problem.no_through, self.problem.tail, self.problem.head
        closed = zone[tail] & (tail != origin)
        if destination is not None:
            closed |= (zone[head] & (head != destination)) | (tail == destination)
        return np.flatnonzero(~closed & (head != origin))

    def path(self, trip: int) -> dict[int, Any]:
        """Add binaries of a path from a trip's origin to its destination, by link."""
        p = self.problem
        origin, destination = int(p.origins[trip]), int(p.destinations[trip])
        links = self.usable(origin, destination)
        x = {int(e): self.model.addVar(vtype="B") for e in links}
        for node in np.union1d(p.tail[links], p.head[links]):
            out = self.sum(x[int(e)] for e in links[p.tail[links] == node])
            into = self.sum(x[int(e)] for e in links[p.head[links] == node])
            self.model.addCons(out - into == int(node == origin) - int(node == destination))
        return x

    def at_least(self, links: Ints, bound: float) -> None:
        """Let a path take long enough."""
        self.model.addCons(self.sum(self.w[e] for e in links) >= bound)

    def at_most(self, x: dict[int, Any], bound: float) -> None:
        """Let the path that is picked be short enough."""
        z = {e: self.model.addVar(lb=0.0) for e in x}
        for e, taken in x.items():
            self.model.addCons(z[e] >= self.w[e] - self.high[e] * (1 - taken))
            self.model.addCons(z[e] >= self.low[e] * taken)
        self.model.addCons(self.sum(z.values()) <= bound)


def lazily(reading: PerTrip, radius: float) -> Optimum:
    """Solve with the rows that turn out to be missed."""
    program = Program(reading.problem, radius)
    least, most = reading.limit(-1, 0.0), reading.limit(+1, 0.0)
    picked: set[int] = set()
    for done in range(1, ROUNDS + 1):
        found = program.solve(done)
        times = reading.times(found.w)
        short = np.flatnonzero(times < (1 - MISS) * least)
        long = set(np.flatnonzero(times > (1 + MISS) * most).tolist()) - picked
        if not len(short) and not long:
            return found
        program.model.freeTransform()
        start, links = reading.paths.paths(found.w, short)
        for i, trip in enumerate(short):
            program.at_least(links[start[i] : start[i + 1]], float(least[trip]))
        for k in sorted(long):
            program.at_most(program.path(k), most[k])
        picked |= long
    raise RuntimeError("more rows are missed than rounds allow")


def literally(reading: PerTrip, radius: float) -> Optimum:
    """Solve all at once, with optimal paths by duality and complementarity."""
    problem = reading.problem
    program = Program(problem, radius)
    model, w, far = program.model, program.w, float(program.high.sum())
    least, most = reading.limit(-1, 0.0), reading.limit(+1, 0.0)
    for origin in np.unique(problem.origins).tolist():
        y = [model.addVar(lb=0.0, ub=far) for _ in range(problem.node_count)]
        model.addCons(y[origin] == 0)
        for e in program.usable(origin):
            tail, head = int(problem.tail[e]), int(problem.head[e])
            model.addCons(y[head] - y[tail] <= w[e])
        for k in np.flatnonzero(problem.origins == origin).tolist():
            end = y[int(problem.destinations[k])]
            model.addCons(end >= least[k])
            model.addCons(end <= most[k])
            for e, taken in program.path(k).items():
                tail, head = int(problem.tail[e]), int(problem.head[e])
                slack = w[e] + y[tail] - y[head]
                model.addCons(slack <= (program.high[e] + far) * (1 - taken))
    return program.solve(1)
