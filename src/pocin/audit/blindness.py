# SPDX-License-Identifier: MIT
"""Gate: after the draws nothing can see the truth, on the user's own network.

The same draws and the same cost figure go through phase 3, the certificate and the writer, with
another truth behind them each time. Every byte must be equal, and so must a failure. So must the
list of what moves with the elements, which the guarantee holds fixed.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from pocin import flow
from pocin.audit.finding import Finding
from pocin.kinds import Goal, Network
from pocin.plan import plan
from pocin.privacy.noise import SeededNoise

if TYPE_CHECKING:
    from collections.abc import Callable

    from pocin.arrays import Floats
    from pocin.audit.finding import Figure
    from pocin.kinds import Finished
    from pocin.plan import Plan
    from pocin.privacy.draws import Draws

    Finish = Callable[[Plan, Draws, Goal], Finished]

PUBLIC_SEED = 0


def product(planned: Plan, draws: Draws, goal: Goal) -> Finished:
    """Finish as a release does: the plan's secret is left behind here."""
    side = flow.OpenSide(planned.kind, planned.public, planned.guarantee)
    return flow.finish(side, draws, goal)


def blindness(planned: Plan, figure: float, finish: Finish = product) -> tuple[Finding, Finished]:
    """Compare the release of the network with those of its twins; also return the release."""
    draws, _, _ = flow.draw(planned, SeededNoise(PUBLIC_SEED), lambda _: None)
    goal = Goal(figure, planned.request.beta)
    made = finish(planned, draws, goal)
    request, content = planned.request, planned.network.content
    seen: list[str] = []
    tried = 0
    for changed, twin in planned.kind.twins(content, planned.public.policy, request.only):
        network = Network(planned.kind, twin, planned.network.name, planned.network.published)
        tried += 1
        other = plan(network, request)
        if _told(finish(other, draws, goal)) != _told(made):
            seen.append(changed)
        elif not _same_list(planned.secret.moved, other.secret.moved):
            seen.append(f"{changed}, in the list of what moves")
    size = sum(len(data) for data in made.document.values())
    sentence = f"{tried} other truths behind the same draws: " + (
        f"the release changed with {', '.join(seen)}"
        if seen
        else f"all {size} bytes of the release are equal"
    )
    figures: dict[str, Figure] = {"truths": tried, "bytes": size, "seen": seen}
    return Finding("truth-blindness", not seen, sentence, figures), made


def _same_list(one: Floats, other: Floats) -> bool:
    """Whether the rows are the same in some order, up to what rounding to five digits makes."""
    if one.shape != other.shape or not one.size:
        return one.shape == other.shape
    a, b = (rows[np.lexsort(rows.T)] for rows in (one, other))
    return np.allclose(a, b, rtol=2e-4)


def _told(made: Finished) -> tuple[object, ...]:
    """Return all that leaves the building: the bytes, and whether and why it failed."""
    certificate = made.certificate
    within = certificate.within
    return made.document if within else {}, within, made.bilevel, made.reason
