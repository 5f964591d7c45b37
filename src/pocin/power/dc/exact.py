# SPDX-License-Identifier: MIT
r"""P_BL on the DC model, solved and proved.

relax     P_CL: its optimum is P_BL's where its own optimum is in the band
tighten   else a nearby point of the band, from half-spaces of dual points
bound     slacks and multipliers within its distance
branch    the mixed-integer program of the optimality conditions; what it finds is polished
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

import numpy as np

from pocin.power.dc.bounds import bounds_within
from pocin.power.dc.engines import GAP, Highs
from pocin.power.dc.kkt import kkt
from pocin.power.dc.problem import own_optimum, unlimited
from pocin.power.dc.relaxed import descend, project, tightened

if TYPE_CHECKING:
    from collections.abc import Callable

    from pocin.arrays import Floats
    from pocin.power.dc.engines import Engine
    from pocin.power.dc.problem import Bilevel, Left, Norm

LATE = "time limit"

IN_BAND = 1e-9
"""What the own optimum may be below the band, relative: a solver's digits."""


@dataclass(frozen=True, eq=False)
class Nearest:
    """The nearest capacities in the band (None: none were found), and how near any can be.

    ``how`` is ``relaxed`` (P_CL was enough), ``tightened`` (it was not), ``too dear`` (P_CL is
    infeasible: these units cannot serve the load for ``high``), or ``too cheap`` (nothing in the
    band was found).
    """

    v: Floats | None
    distance: float
    bound: float
    how: str
    status: str = "optimal"
    nodes: int = 0
    rows: int = 0
    seconds: float = field(default=0.0)

    @property
    def proved(self) -> bool:
        """Whether it is proved that nothing is nearer (or that nothing is feasible)."""
        if self.v is None:
            return self.status == "infeasible"
        return self.bound >= self.distance * (1 - GAP)

    @property
    def gap(self) -> float:
        """Return by how much, relative, something nearer is not excluded."""
        return 0.0 if self.distance == 0 else max(0.0, 1 - self.bound / self.distance)


def nearest(
    problem: Bilevel,
    norm: Norm,
    engine: Engine | None = None,
    say: Callable[[str], None] = lambda _: None,
    left: Left = unlimited,
) -> Nearest:
    """Solve P_BL; what is known when no time is ``left`` is the answer."""
    relaxed = project(problem, norm)
    if relaxed is None:
        return Nearest(None, np.inf, np.inf, "too dear", "infeasible")
    distance = problem.distance(relaxed, norm)
    if in_band(problem, relaxed):
        return Nearest(relaxed, distance, distance, "relaxed")
    say("tightening")
    best = tightened(problem, norm, relaxed, left)
    away = problem.reach(norm) if best is None else problem.distance(best, norm)
    if best is not None and away <= distance * (1 + GAP / 2):
        return Nearest(best, away, distance, "relaxed")  # P_CL has several optima, this among them
    known = Nearest(best, np.inf if best is None else away, distance, "tightened", "not branched")
    try:
        return _branch(problem, norm, known, away, engine or Highs(), left)
    except TimeoutError:
        return replace(known, status=LATE)


def in_band(problem: Bilevel, v: Floats) -> bool:
    """Return whether the own optimum at v is not below the band."""
    return own_optimum(problem.program, v).cost >= problem.low * (1 - IN_BAND)


def _branch(  # noqa: PLR0917
    problem: Bilevel, norm: Norm, known: Nearest, radius: float, engine: Engine, left: Left
) -> Nearest:
    """Prove that a point is the nearest, or find a nearer one."""
    bounds = bounds_within(problem, norm, radius, left)
    if bounds is None:
        return _nothing_nearer(known, "infeasible")
    if not bounds.finite:
        return replace(known, status="unbounded multipliers")
    found = engine.branch(kkt(problem, norm, bounds, radius), radius, left())
    result = replace(
        known,
        status=found.status,
        nodes=found.nodes,
        rows=len(bounds.rows),
        seconds=found.seconds,
    )
    if found.status == "infeasible":
        return _nothing_nearer(result, found.status)
    polished = None if found.v is None else descend(problem, norm, found.v)
    if polished is not None and problem.distance(polished, norm) < known.distance:
        result = replace(result, v=polished, distance=problem.distance(polished, norm))
    return replace(result, bound=min(max(known.bound, found.bound), result.distance))


def _nothing_nearer(known: Nearest, status: str) -> Nearest:
    """Say that nothing is nearer than what is known, if anything is."""
    if known.v is None:
        return replace(known, bound=np.inf, how="too cheap", status=status)
    return replace(known, bound=known.distance, status="optimal")
