# SPDX-License-Identifier: MIT
r"""P_CL on the DC model, and steps from it into the band.

P_CL is P_BL without ``low <= phi(v)``. It is convex: a linear program for the sum, a projection for
the Euclidean norm. So its optimum v. is no farther from v~ than anything feasible, and

    phi(v.) >= low   implies   v. is the optimum of P_BL itself: nothing is left to search.

Where phi(v.) < low, every v_k gives a half-space inside the rest: phi is convex, so

    phi(v) >= phi(v_k) + slope_k . (v - v_k) >= low.

P_CL within the half-space of v_k gives v_{k+1}; that point is in its own half-space too, so the
distance never grows. The end is a feasible point and, as a rule, the nearest one.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from pocin.power.dc.linear import INFINITE, Block, Builder, diagonal, solve
from pocin.power.dc.problem import Norm, add_dispatch, own_optimum, unlimited

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pocin.arrays import Floats
    from pocin.power.dc.problem import Bilevel, Left

ROUNDS = 30
GAIN = 1e-6
"""A round that gains less than this, relative, is the last."""

TANGENTS = 40
CURVED = 1e-8
"""How far the quadratic cost may lie above its tangents, relative to the cost's bound."""

HALVINGS = 12


@dataclass(frozen=True, eq=False)
class HalfSpace:
    """normal . v >= least, which implies phi(v) >= low."""

    normal: Floats
    least: float


def project(
    problem: Bilevel, norm: Norm, within: HalfSpace | None = None, left: Left = unlimited
) -> Floats | None:
    """Solve P_CL, within a half-space if one is given; None where nothing is found."""
    if within is None and _stays(problem):
        return problem.noisy
    program = problem.program
    tangents: list[tuple[Floats, float]] = []
    while True:
        build = Builder()
        v = add_distance(build, problem, norm)
        x = add_dispatch(build, program, v, problem.room, (-INFINITE, problem.high))
        if within is not None:
            build.rows(within.least, INFINITE, [(v, within.normal)])
        for gradient, most in tangents:
            build.rows(-INFINITE, most, [(x, gradient)])
        found = solve(build.build(), max(left(), 0.0))
        if not found.solved:
            return None
        at = x.of(found.x)
        excess = program.value(at) - problem.high
        if program.linear or excess <= CURVED * abs(problem.high) or len(tangents) == TANGENTS:
            return v.of(found.x)
        gradient = program.cost + program.curvature * at
        tangents.append((gradient, float(gradient @ at) - excess))


def _stays(problem: Bilevel) -> bool:
    """Return whether the noisy capacities are feasible: then their distance is 0 to the digit."""
    program, build = problem.program, Builder()
    if np.any(problem.noisy < problem.least):
        return False
    v = build.columns(program.sites, problem.noisy, problem.noisy)
    x = add_dispatch(build, program, v, problem.room, cheapest=True)
    found = solve(build.build())
    return found.solved and program.value(x.of(found.x)) <= problem.high


def add_distance(build: Builder, problem: Bilevel, norm: Norm) -> Block:
    """Add the capacities, with their distance from the noisy ones as the cost."""
    n, noisy = problem.program.sites, problem.noisy
    one = diagonal(np.ones(n))
    v = build.columns(n, problem.least)
    if norm is Norm.SUM:
        up, down = build.columns(n, 0.0, cost=1.0), build.columns(n, 0.0, cost=1.0)
        build.rows(noisy, noisy, [(v, one), (up, -one), (down, one)])
    else:
        change = build.columns(n, curvature=1.0)
        build.rows(noisy, noisy, [(v, one), (change, -one)])
    return v


def half_space(problem: Bilevel, v: Floats) -> HalfSpace | None:
    """Return the half-space of a point where the load can be served."""
    own = own_optimum(problem.program, v)
    if not np.isfinite(own.cost):
        return None
    return HalfSpace(own.slope, problem.low - own.cost + float(own.slope @ v))


def tightened(
    problem: Bilevel, norm: Norm, relaxed: Floats, left: Left = unlimited
) -> Floats | None:
    """Return the nearest point of the band that the steps reach from any start, in time."""
    best, nearest = None, np.inf
    for start in _starts(problem, relaxed, left):
        if left() <= 0:
            break
        found = descend(problem, norm, start, left)
        if found is not None and problem.distance(found, norm) < nearest:
            best, nearest = found, problem.distance(found, norm)
    return best


def descend(problem: Bilevel, norm: Norm, v: Floats, left: Left = unlimited) -> Floats | None:
    """Step from a point's half-space to the next while the distance falls, and time is left."""
    best, nearest = None, np.inf
    for _ in range(ROUNDS):
        if left() <= 0:
            return best
        cut = half_space(problem, v)
        found = None if cut is None else project(problem, norm, cut, left)
        if found is None:
            return best
        distance = problem.distance(found, norm)
        if best is None or distance < nearest:
            best = found
        if distance >= nearest * (1 - GAIN):
            return best
        nearest, v = distance, found
    return best


def _starts(problem: Bilevel, relaxed: Floats, left: Left) -> Iterator[Floats]:
    """Yield P_CL's own optimum, and it with one unit taken away as far as the load allows."""
    yield relaxed
    for site in range(len(relaxed)):
        kept, gone = relaxed[site], problem.least[site]
        v = relaxed.copy()
        v[site] = gone
        if not np.isfinite(own_optimum(problem.program, v).cost):
            for _ in range(HALVINGS):
                if left() <= 0:
                    return
                v[site] = (kept + gone) / 2
                if np.isfinite(own_optimum(problem.program, v).cost):
                    kept = v[site]
                else:
                    gone = v[site]
            v[site] = kept
        yield v
