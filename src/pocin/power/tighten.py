# SPDX-License-Identifier: MIT
r"""Where the released optimum falls below the band: take capacity away, as little as may be.

The paper's P_BL asks for the nearest capacities whose *own* optimum is faithful, and that optimum
falls as capacities grow. v~ is projected onto a cut into the band (``cuts.py``) at the best point
below it, again and again; where the projection overshoots, the way back is searched; where it
cannot serve the load, P_CL is solved with the cut as a row, whose point always can.

A second pass then comes nearer: the cut at a point in the band holds at that point, so v~'s
projection onto it is never farther from v~, and where phi is convex it is in the band as well.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from pocin.power.curves import marginal_cost
from pocin.power.cuts import cut_at, project, serves, tells, whole
from pocin.power.fidelity import restore
from pocin.power.grid import Costs
from pocin.power.projection import ROOM, Cut

if TYPE_CHECKING:
    from collections.abc import Callable

    from pocin.arrays import Floats, Mask
    from pocin.kinds import Goal
    from pocin.power.clock import Clock
    from pocin.power.placed import Attempt, Placed

CUTS = 6
STEPS = 6
SQUEEZES = (0.05, 0.2, 0.5)

NEARER = 2
"""Attempts of the second pass."""

GAIN = 0.99
"""A distance that does not come under this share of the last one is not worth a solve."""

MIDDLE = 0.5
"""A search between a point below the band and one above aims at this share of beta below."""


def below(attempt: Attempt, goal: Goal) -> bool:
    """Return whether an attempt's own optimum is below the band."""
    return attempt.own is not None and not attempt.within and attempt.own < goal.figure


def distance(placed: Placed, made: Attempt) -> float:
    """||v - v~|| in MW."""
    return float(np.linalg.norm(made.v - placed.noisy))


@dataclass(frozen=True, eq=False)
class Tightening:
    """The ways into the band, each from the highest optimum below it that is known.

    Each way returns that attempt and the last one made. ``attempt`` writes and certifies; ``clock``
    ends them all.
    """

    placed: Placed
    goal: Goal
    attempt: Callable[[Placed, Floats], Attempt]
    clock: Clock

    def run(self, low: Attempt) -> Attempt:
        """Return an attempt in the band, come as near as the second pass can; or the last made."""
        made = low
        for way in (self.project, self.restore, self.squeeze, self.restore, self.halve):
            low, made = way(low)
            if made.within:
                return self.nearer(made)
            if self.clock.over():
                break
        return made

    def project(self, low: Attempt) -> tuple[Attempt, Attempt]:
        """Project v~ onto the cut, again and again."""

        def step(low: Attempt) -> Attempt | None:
            cut = self._cut(low)
            if not tells(cut, self.goal):
                return None
            v = project(self.placed, cut)
            if not serves(self.placed, v) or self.clock.over():
                return None
            return self.attempt(self.placed, v)

        return self._by_cuts(low, step)

    def restore(self, low: Attempt) -> tuple[Attempt, Attempt]:
        """Solve P_CL with the cut as a row: its point is feasible, which others need not be."""

        def step(low: Attempt) -> Attempt | None:
            cut = self._cut(low)
            if self.clock.over() or not tells(cut, self.goal):
                return None
            v = restore(self.placed, self.goal, cut, self.clock).v
            return self.attempt(self.placed, v)

        return self._by_cuts(low, step)

    def _by_cuts(
        self, low: Attempt, step: Callable[[Attempt], Attempt | None]
    ) -> tuple[Attempt, Attempt]:
        """Step from the best point below the band to the next, till one is above or none left."""
        made = low
        for _ in range(CUTS):
            tried = step(low)
            if tried is None:
                break
            made = tried
            if made.within or made.own is None:
                break
            if not below(made, self.goal):
                return self._between(low, made)
            low = made
        return low, made

    def squeeze(self, low: Attempt) -> tuple[Attempt, Attempt]:
        """Hold the cheap units to less and less of their dispatch, until a capacity binds.

        Where none does, the optimum does not feel small changes: a cut there says nothing. Where
        the others cannot take over what the cheap ones leave, P_CL is solved with the cheap ones'
        total as a cut.
        """
        held, least = self._squeezed(low)
        cheap = (held > least).astype(float)
        made = low
        for share in SQUEEZES:
            if self.clock.over():
                break
            v = whole(held + share * (least - held))
            if not serves(self.placed, v):
                cut = Cut(-cheap, -float(cheap @ v))
                v = restore(self.placed, self.goal, cut, self.clock).v
            made = self.attempt(self.placed, v)
            if made.within or made.own is None:
                break
            if not below(made, self.goal):
                return self._between(low, made)
            low = made
            if tells(self._cut(low), self.goal):
                break
        return low, made

    def halve(self, low: Attempt) -> tuple[Attempt, Attempt]:
        """Search between the best point below the band and no cheap unit at all."""
        _, least = self._squeezed(low)
        return self._search(low, least, None)

    def _squeezed(self, low: Attempt) -> tuple[Floats, Floats]:
        """Return capacities with cheap units held to their dispatch, and to the least allowed."""
        dispatch, cheap = _cheap(self.placed, low)
        floor = np.maximum(0.0, self.placed.rules.at(self.placed.noisy)[0])
        held = np.where(cheap, np.minimum(low.v, dispatch), low.v)
        return held, np.where(cheap, np.minimum(floor, held), low.v)

    def nearer(self, made: Attempt) -> Attempt:
        """Come nearer to v~ from a point in the band, and stay in it."""
        for _ in range(NEARER):
            cut = self._cut(made)
            if self.clock.over() or not tells(cut, self.goal):
                break
            v = project(self.placed, cut)
            if not serves(self.placed, v):
                v = restore(self.placed, self.goal, cut, self.clock).v
            if np.linalg.norm(v - self.placed.noisy) > GAIN * distance(self.placed, made):
                break
            tried = self.attempt(self.placed, v)
            if not tried.within:
                break
            made = tried
        return made

    def _cut(self, made: Attempt) -> Cut:
        """The cut at an attempt that was solved."""
        return cut_at(self.placed, made.v, made.certificate.solve, self.goal)

    def _between(self, low: Attempt, high: Attempt) -> tuple[Attempt, Attempt]:
        """Search between an optimum below the band and one above it."""
        return self._search(low, high.v, high.own)

    def _search(self, low: Attempt, upper: Floats, height: float | None) -> tuple[Attempt, Attempt]:
        """Go a share of the way from an optimum below the band towards one above, or none at all.

        Where phi is convex on the way, it lies below the chord, whose crossing is tried; without
        an optimum at the far end, the middle.
        """
        made = low
        for _ in range(STEPS):
            if self.clock.over():
                break
            share = _share(low.own, height, (1 - MIDDLE * self.goal.beta) * self.goal.figure)
            made = self.attempt(self.placed, whole(low.v + share * (upper - low.v)))
            if made.within:
                break
            if below(made, self.goal):
                low = made
            else:
                upper, height = made.v, made.own
        return low, made


def _share(low: float | None, high: float | None, aim: float) -> float:
    """Where the chord between two optima crosses the aim, kept away from its ends."""
    if low is None or high is None:
        return 0.5
    return min(0.9, max(0.1, (aim - low) / (high - low)))


def _cheap(placed: Placed, low: Attempt) -> tuple[Floats, Mask]:
    """The dispatch in MW, and which sites run below the dearest marginal cost with room left."""
    dispatch = low.certificate.solve.p[placed.public.site_rows] * placed.public.base_mva
    marginal = marginal_cost(Costs.from_matrix(placed.costs), dispatch)
    room = dispatch < ROOM * low.v
    dearest = float(np.max(marginal[room], initial=-np.inf))
    return dispatch, (marginal < dearest) & (dispatch > 0)
