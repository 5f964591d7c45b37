# SPDX-License-Identifier: MIT
"""What a curator can change after a failure, and what it would cost.

A failure is an output like a release: all that is said here is a function of the draws, the public
part and the cost figure. Where the own optimum is too low, ratios of Pmin are tried on the same
draws, a few solves at most; that tells which ratio serves, never what the real units' Pmin are.
"""

from __future__ import annotations

from dataclasses import replace
from math import ceil
from typing import TYPE_CHECKING

import numpy as np

from pocin.policy import Treatment
from pocin.power.certificate import solved
from pocin.power.columns import PMIN

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pocin.kinds import Goal
    from pocin.power.clock import Clock
    from pocin.power.placed import Attempt, Placed
    from pocin.power.public import PublicGrid

RATIOS = (0.1, 0.2, 0.3, 0.4, 0.5)
FIGURE = "a --cost-figure of another size (is it this network's, and in the unit of its costs?)"
AGAIN = "each of these is another release, which spends privacy again"


def advice(placed: Placed, made: Attempt, goal: Goal, clock: Clock) -> list[str]:
    """Return what to change, in sentences without a full stop."""
    if made.within:
        return []
    gap = None if made.own is None else goal.gap(made.own)
    parts = [_slower(goal)] if clock.over() else []
    if gap is not None:
        parts += _wider(gap) or [FIGURE]
    if gap is not None and gap < 0:
        parts += list(_higher_pmin(placed, made, goal, clock))
    else:
        parts += _nearer(placed.public)
        if placed.public.policy.constants["pmin_ratio"] > 0 and _derived(placed.public):
            parts.append("a smaller --pmin-ratio leaves dear units off")
    return ["to change: " + ", or ".join(parts), AGAIN] if parts else []


def _slower(goal: Goal) -> str:
    """Advise a longer time limit."""
    return f"--time-limit above {goal.time_limit:g}"


def _wider(gap: float) -> list[str]:
    """Advise the beta that would have held."""
    beta = ceil(102 * abs(gap)) / 100
    if beta >= 1:
        return []
    return [f"--beta {beta:g} would have held (readers' optima are then up to {beta:.0%} off)"]


def _nearer(public: PublicGrid) -> list[str]:
    """Advise a smaller alpha-location, with the coverage that it leaves."""
    metric = public.metric
    if not metric.nearest.any():  # no site is anywhere else
        return []
    covering = metric.covering()
    tried = sorted({hops for hops in (2, covering // 2) if hops < covering})
    sites = len(public.site_bus)

    def covered(hops: int) -> str:
        count = int(np.sum(metric.partners(hops) > 0))
        return f"{count} of {sites} elements have a partner at {hops}hops"

    some = "; ".join(covered(hops) for hops in tried)
    return [
        "a smaller --alpha-location keeps units nearer to sites that they fit"
        + (f" ({some})" if some else "")
    ]


def _higher_pmin(placed: Placed, made: Attempt, goal: Goal, clock: Clock) -> Iterator[str]:
    """Try higher ratios of Pmin on the same draws until the own optimum is in the band, or over."""
    if not _derived(placed.public):
        return
    now = placed.public.policy.constants["pmin_ratio"]
    for ratio in (ratio for ratio in RATIOS if ratio > now):
        if clock.over():
            return
        slopes = np.full(len(placed.noisy), ratio)
        rules = replace(placed.rules, pmin=(0 * slopes, slopes))
        found, _ = solved(replace(placed, rules=rules).grid(made.v), clock)
        if not found.solved:
            return
        gap = goal.gap(found.cost)
        if gap >= -goal.beta:
            side = "above" if gap > 0 else "below"
            yield (
                f"--pmin-ratio {ratio:g} brings these draws to {abs(100 * gap):.3g} % {side} "
                f"(every unit then runs at {100 * ratio:g} % of its capacity at least)"
            )
            return


def _derived(public: PublicGrid) -> bool:
    """Whether Pmin follows from the released capacity."""
    return public.policy[PMIN] is Treatment.DERIVED
