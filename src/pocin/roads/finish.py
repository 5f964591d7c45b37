# SPDX-License-Identifier: MIT
"""From draws to certified roads. Blind to the truth, like all that it calls.

    place      the records on links, by the assignment of phase 1
    restore    P_BL: the nearest link times w >= d under which trips take as long as the figures say
    certify    the reader's own shortest paths on the bytes that will be written

w = d + gamma t, so that a distance in time is gamma times that in vehicles.

Work is counted in operations, so that a release repeats. Only a time limit looks at the clock: when
it is over, the best answer so far is certified and released where it is faithful (the search for a
nearer one and its bound end early), and where there is none the release fails and says so.
"""

from __future__ import annotations

from time import perf_counter
from typing import TYPE_CHECKING, Any

import numpy as np

from pocin.kinds import Finished
from pocin.privacy.location import assign
from pocin.roads.certificate import certify
from pocin.roads.choice import Effort
from pocin.roads.fidelity import restore
from pocin.roads.problem import RestoreProblem
from pocin.roads.public import VEHICLE
from pocin.roads.written import STEP, on_grid, released_roads

if TYPE_CHECKING:
    from collections.abc import Callable

    from pocin.arrays import Floats
    from pocin.kinds import Certificate, Document, Goal
    from pocin.privacy.draws import Draws
    from pocin.roads.network import Roads
    from pocin.roads.problem import RoadSolution
    from pocin.roads.public import PublicRoads


def finish(
    public: PublicRoads,
    draws: Draws,
    goal: Goal,
    document: Callable[[Roads], Document],
    say: Callable[[str], None],
) -> Finished:
    """Restore the draws to fidelity and certify what would be written."""
    began = perf_counter()
    record = assign(draws, public.metric)
    noisy = VEHICLE.real(draws.values)[record]
    say("restoring fidelity")
    limit = np.inf if goal.time_limit is None else began + goal.time_limit
    solution = restore(problem(public, noisy, goal), effort=Effort(ends=limit))
    volume = on_grid((solution.w - public.links.d) / public.gamma)
    roads = released_roads(public, volume)
    files = document(roads)
    say("certifying")
    certificate = certify(files, goal, public.times)
    return Finished(
        content=roads,
        document=files,
        certificate=certificate,
        bilevel="certified" if certificate.within else "failed",
        record=record,
        noisy=noisy,
        released=volume,
        distance=float(np.linalg.norm(volume - noisy)),
        bound=None if solution.bound is None else solution.bound / public.gamma,
        reason=_reason(certificate, solution, goal),
        seconds={
            "phase3": perf_counter() - began - certificate.seconds,
            "certify": certificate.seconds,
        },
        diagnostics=_diagnostics(solution, public.gamma),
    )


def problem(public: PublicRoads, noisy: Floats, goal: Goal) -> RestoreProblem:
    """Return phase 3 in numbers."""
    return RestoreProblem.on(
        public,
        public.links.d + public.gamma * noisy,
        goal.beta,
        total=goal.figure if public.times is None else None,
        times=public.times,
        grid=public.gamma * STEP,
    )


def _diagnostics(solution: RoadSolution, gamma: float) -> dict[str, Any]:
    """Return how phase 3 went; distances in vehicles.

    ``improved`` are the distances from the first solution on, ``optimality_gap`` is the share by
    which the last one may be farther than the nearest there is.
    """
    low, told = solution.bound, dict(solution.diagnostics)
    if "improved" in told:
        told["improved"] = [distance / gamma for distance in told["improved"]]
    gap = solution.distance / low - 1 if low else None
    if low is not None and solution.distance == 0:
        gap = 0.0
    return {"converged": solution.converged, "optimality_gap": gap, **told}


def _reason(certificate: Certificate, solution: RoadSolution, goal: Goal) -> str:
    """Say what the certificate found, and why phase 3 could not do better."""
    parts = [certificate.reason]
    if not certificate.within:
        parts.append(solution.reason)
        if solution.diagnostics["cut"]:
            parts.append(f"the time limit of {goal.time_limit:g} s is over")
    return ", ".join(part for part in parts if part)
