# SPDX-License-Identifier: MIT
"""Phase 3: the nearest link times whose trips are within beta. Numbers only, and no secret."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from typing import TYPE_CHECKING, Any

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


def restore(
    problem: RestoreProblem, *, effort: Effort = FIRST, threads: int | None = None
) -> RoadSolution:
    """Solve P_BL in either reading."""
    if problem.times is None:
        return restore_mean(Total(problem, threads), effort)
    return restore_each(PerTrip(problem, threads), effort)


def restore_each(reading: PerTrip, effort: Effort) -> RoadSolution:
    """Project the noisy times onto the band, choose paths, improve the choice."""
    start = Start(Rows.none())
    found = choose(reading, reading.problem.noisy, start, first_anchor(reading, effort), effort)
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
        return choose(reading, reading.problem.d, Start(Rows.none()), None, near_enough).w

    return anchor
