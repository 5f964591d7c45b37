# SPDX-License-Identifier: MIT
"""Phase 3: the nearest link times whose trips are within beta. Numbers only, and no secret."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from typing import TYPE_CHECKING

from pocin.roads.ascent import bound
from pocin.roads.choice import Effort, Start, choose
from pocin.roads.improve import improve
from pocin.roads.problem import RoadSolution
from pocin.roads.projection import Rows
from pocin.roads.reading import PerTrip, Total

if TYPE_CHECKING:
    from collections.abc import Callable

    from pocin.arrays import Floats
    from pocin.roads.problem import RestoreProblem
    from pocin.roads.reading import Reading

FIRST = Effort()


def restore(
    problem: RestoreProblem, *, effort: Effort = FIRST, threads: int | None = None
) -> RoadSolution:
    """Solve P_BL: project the noisy times onto the band, choose paths, improve the choice."""
    reading = (Total if problem.times is None else PerTrip)(problem, threads)
    start = Start(Rows.none())
    found = choose(reading, problem.noisy, start, first_anchor(reading, effort), effort)
    found, gains = improve(reading, found, effort)
    return RoadSolution(
        found.w,
        found.distance,
        bound(reading, found, effort.ascent) if found.converged and effort.ascent else None,
        found.converged,
        "every trip is within beta" if found.converged else "no such times were found",
        {"rounds": found.rounds, "rows": len(found.projection.rows), "improved": gains},
    )


def first_anchor(reading: Reading, effort: Effort) -> Callable[[], Floats]:
    """Return what finds the projection of d itself: times that are no longer than they must be."""

    @cache
    def anchor() -> Floats:
        near_enough = replace(effort, slack=1e-2)  # any point of the band will do
        return choose(reading, reading.problem.d, Start(Rows.none()), None, near_enough).w

    return anchor
