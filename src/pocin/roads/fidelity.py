# SPDX-License-Identifier: MIT
"""Phase 3: the nearest link times whose trips are within beta. Numbers only, and no secret."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from typing import TYPE_CHECKING, Any

import numpy as np

from pocin.roads.ascent import mean_bound
from pocin.roads.branch import prove
from pocin.roads.choice import Effort, Start, choose
from pocin.roads.improve import improve
from pocin.roads.mean import nearest
from pocin.roads.problem import RoadSolution
from pocin.roads.projection import Rows
from pocin.roads.reading import PerTrip, Total

if TYPE_CHECKING:
    from collections.abc import Callable

    from pocin.arrays import Floats
    from pocin.roads.problem import RestoreProblem

FIRST = Effort()
NOTHING = "no such times were found"

WIDE = 0.1
"""In bands as wide as this the first anchor needs no way there."""

WIDEST, NARROWER = 0.3, 0.7
"""Where that way begins, and how much narrower each next band is."""


def restore(
    problem: RestoreProblem, *, effort: Effort = FIRST, threads: int | None = None
) -> RoadSolution:
    """Solve P_BL in either reading."""
    if problem.times is None:
        return restore_mean(Total(problem, threads), effort)
    return restore_each(PerTrip(problem, threads), effort)


def restore_each(reading: PerTrip, effort: Effort) -> RoadSolution:
    """Project the noisy times onto the band, choose paths, improve the choice."""
    noisy, anchor = reading.problem.noisy, first_anchor(reading, effort)
    found = choose(reading, noisy, Start(Rows.none()), anchor, effort)
    if not found.converged and not effort.over():
        # every trip on the anchor's paths, which can all be short at once: a convex problem
        every = np.arange(len(reading.figures))
        found = choose(reading, noisy, Start(Rows.none(), locked=every), anchor, effort)
    found, gains = improve(reading, found, effort)
    solved: dict[str, Any] = {"rounds": found.rounds, "improved": gains}
    low = None
    if found.converged and effort.ascent and not effort.over():
        found, proof = prove(reading, found, effort)
        low, solved["nodes"] = proof.bound, proof.nodes
    return RoadSolution(
        found.w,
        found.distance,
        low,
        found.converged,
        "every trip is within beta" if found.converged else NOTHING,
        {**solved, "rows": len(found.projection.rows), "cut": effort.over()},
    )


def restore_mean(reading: Total, effort: Effort) -> RoadSolution:
    """Come near by loads of all trips at once."""
    near = nearest(reading, effort)
    return RoadSolution(
        near.w,
        near.distance,
        mean_bound(reading, near, 1 if effort.over() else effort.ascent)
        if near.converged and effort.ascent
        else None,
        near.converged,
        "the mean trip time is within beta" if near.converged else NOTHING,
        {"rounds": near.rounds, "cut": effort.over()},
    )


def first_anchor(reading: PerTrip, effort: Effort) -> Callable[[], Floats]:
    """Return what finds the projection of d itself: times that are no longer than they must be."""

    @cache
    def anchor() -> Floats:
        near_enough = replace(effort, slack=1e-2)  # any point of the band will do
        if reading.problem.beta >= WIDE:
            start = Start(Rows.none())
            found = choose(reading, reading.problem.d, start, None, near_enough)
            if found.converged:
                return found.w
        return narrowed(reading, near_enough)

    return anchor


def narrowed(reading: PerTrip, effort: Effort) -> Floats:
    """Return times in a narrow band, by way of wider ones.

    In a wide band there is room for a choice of paths that contradict each other in a narrow one.
    The times found in each band are what the next one projects, and its anchor: their paths are
    nearly short enough already. It is a way that leads there as a rule, not always.
    """
    w, anchor, beta = reading.problem.d, None, WIDEST
    while True:
        beta = max(beta, reading.problem.beta)
        wider = PerTrip(replace(reading.problem, beta=beta), reading.threads)
        found = choose(wider, w, Start(Rows.none()), anchor, effort)
        w = found.w
        if beta == reading.problem.beta or not found.converged:
            return w
        anchor, beta = _constant(w), beta * NARROWER


def _constant(w: Floats) -> Callable[[], Floats]:
    """Return what answers with these times."""
    return lambda: w
