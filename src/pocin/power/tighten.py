# SPDX-License-Identifier: MIT
r"""Where the released optimum falls below the band: take capacity away, as little as may be.

Let phi(v) be the optimum as a function of the capacities. It falls as they grow, with gradient

    g = -(mu_p - rho mu_p- + s+ mu_q+ - s- mu_q-)

where mu are the multipliers of p <= v, p >= rho v, q <= qmax(v), q >= qmin(v) and s+, s- the slopes
of the reactive limits in v (leaving them out is wrong once those limits are linked to v). Where
phi is convex, phi(v) >= phi_k + g_k (v - v_k), so a point of that half-space at level L is in
the band. v~ is projected onto it; an overshoot is bisected. The paper's P_BL asks for just this:
the nearest capacities whose *own* optimum is faithful.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

import numpy as np

from pocin.power.curves import marginal_cost
from pocin.power.fidelity import restore
from pocin.power.grid import Costs
from pocin.power.projection import ROOM, Cut
from pocin.power.public import MEGAWATT

if TYPE_CHECKING:
    from collections.abc import Callable

    from pocin.arrays import Floats, Mask
    from pocin.kinds import Certificate, Document, Goal
    from pocin.power.grid import Grid
    from pocin.power.opf import Optimum
    from pocin.power.placed import Placed

CUTS = 6
BISECTIONS = 6
FLAT = 1e-3
"""A gradient shorter than this, in cost figures per unit, says nothing."""

INSIDE = 0.98
"""Cuts aim at this share of beta below the figure."""


@dataclass(frozen=True, eq=False)
class Attempt:
    """Capacities that were written and certified."""

    v: Floats
    grid: Grid = field(repr=False)
    document: Document = field(repr=False)
    certificate: Certificate

    @property
    def solved(self) -> bool:
        """Whether the reader's solve converged."""
        return self.certificate.own_optimum is not None


def below(attempt: Attempt, goal: Goal) -> bool:
    """Return whether an attempt's own optimum is below the band."""
    own = attempt.certificate.own_optimum
    return own is not None and not attempt.certificate.within and own < goal.figure


def tighten(
    placed: Placed, low: Attempt, goal: Goal, attempt: Callable[[Placed, Floats], Attempt]
) -> Attempt:
    """Return an attempt in the band, or the last one made."""
    search = _Search(placed, goal, attempt)
    for step in (search.project, search.restore, search.squeeze, search.restore):
        low, made = step(low)
        if made.certificate.within:
            return made
    return made


@dataclass(frozen=True, eq=False)
class _Search:
    """Three ways into the band, each from the highest optimum below it that is known.

    Each returns that attempt and the last one made.
    """

    placed: Placed
    goal: Goal
    attempt: Callable[[Placed, Floats], Attempt]

    def project(self, low: Attempt) -> tuple[Attempt, Attempt]:
        """Project v~ onto the cut, again and again."""
        made = low
        for _ in range(CUTS):
            cut = cut_at(self.placed, low, self.goal)
            if not self._tells(cut):
                break
            made = self.attempt(self.placed, project(self.placed, cut))
            if made.certificate.within or not made.solved:
                break
            if not below(made, self.goal):
                return self._bisect(low, made.v)
            low = made
        return low, made

    def squeeze(self, low: Attempt) -> tuple[Attempt, Attempt]:
        """Hold the cheap units to a share of their dispatch, then come back as near as may be.

        Where no capacity binds, the optimum does not feel small changes: this finds a point
        where it does.
        """
        dispatch, cheap = _cheap(self.placed, low)
        floor = np.maximum(0.0, self.placed.rules.at(self.placed.noisy)[0])
        held = replace(low, v=np.where(cheap, np.minimum(low.v, dispatch), low.v))
        low, made = self._bisect(held, np.where(cheap, floor, low.v))
        if made.certificate.within:
            _, nearer = self._restored(made)
            if nearer.certificate.within and self._distance(nearer) < self._distance(made):
                made = nearer
        return low, made

    def restore(self, low: Attempt) -> tuple[Attempt, Attempt]:
        """Solve P_CL with the cut as a row: its point is feasible, which others need not be."""
        made = low
        for _ in range(CUTS):
            if not self._tells(cut_at(self.placed, low, self.goal)):
                break
            low, made = self._restored(low)
            if made.certificate.within or not made.solved:
                break
            if made is not low:
                return self._bisect(low, made.v)
        return low, made

    def _restored(self, low: Attempt) -> tuple[Attempt, Attempt]:
        """One P_CL with the cut of an attempt."""
        cut = cut_at(self.placed, low, self.goal)
        made = self.attempt(self.placed, restore(self.placed, self.goal, cut).v)
        return (made if below(made, self.goal) else low), made

    def _bisect(self, low: Attempt, upper: Floats) -> tuple[Attempt, Attempt]:
        """Halve the way between an optimum below the band and one above it, or none at all."""
        made = low
        for _ in range(BISECTIONS):
            made = self.attempt(self.placed, _whole((low.v + upper) / 2))
            if made.certificate.within:
                break
            if below(made, self.goal):
                low = made
            else:
                upper = made.v
        return low, made

    def _tells(self, cut: Cut) -> bool:
        """Return whether a cut has a slope worth following."""
        slope = float(np.linalg.norm(cut.gradient)) * self.placed.public.base_mva
        return slope >= FLAT * self.goal.figure

    def _distance(self, made: Attempt) -> float:
        """||v - v~|| in MW."""
        return float(np.linalg.norm(made.v - self.placed.noisy))


def _cheap(placed: Placed, low: Attempt) -> tuple[Floats, Mask]:
    """The dispatch in MW, and which sites run below the dearest marginal cost with room left."""
    dispatch = low.certificate.solve.p[placed.public.site_rows] * placed.public.base_mva
    marginal = marginal_cost(Costs.from_matrix(placed.costs), dispatch)
    room = dispatch < ROOM * low.v
    dearest = float(np.max(marginal[room], initial=-np.inf))
    return dispatch, (marginal < dearest) & (dispatch > 0)


def distance(placed: Placed, made: Attempt) -> float:
    """||v - v~|| in MW."""
    return float(np.linalg.norm(made.v - placed.noisy))


def cut_at(placed: Placed, made: Attempt, goal: Goal) -> Cut:
    """The half-space phi_k + g_k (v - v_k) >= L, L just inside the band."""
    gradient = gradient_of(placed, made.certificate.solve)
    least = (1 - INSIDE * goal.beta) * goal.figure - float(made.certificate.own_optimum or 0.0)
    return Cut(gradient, least + float(gradient @ made.v))


def gradient_of(placed: Placed, found: Optimum) -> Floats:
    """How the optimum changes with each capacity, $/h per MW."""
    sites, base = placed.public.site_rows, placed.public.base_mva
    p, q = found.unit_multipliers
    up_p, down_p = np.maximum(p[sites], 0.0), np.maximum(-p[sites], 0.0)
    up_q, down_q = np.maximum(q[sites], 0.0), np.maximum(-q[sites], 0.0)
    rules = placed.rules
    value = up_p - rules.pmin[1] * down_p + rules.qmax[1] * up_q - rules.qmin[1] * down_q
    return -value / base


def project(placed: Placed, cut: Cut) -> Floats:
    """Project v~ onto a half-space within v >= pmin: v(t) = max(pmin, v~ + t g), t by bisection."""
    floor = np.maximum(0.0, placed.rules.at(placed.noisy)[0])
    if cut.gradient @ placed.noisy >= cut.least:
        return placed.noisy

    def moved(t: float) -> Floats:
        return np.maximum(floor, placed.noisy + t * cut.gradient)

    low, high = 0.0, 1.0
    while cut.gradient @ moved(high) < cut.least and high < 1e12:  # noqa: PLR2004
        low, high = high, 2 * high
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if cut.gradient @ moved(middle) < cut.least else (low, middle)
    return _whole(moved(high))


def _whole(v: Floats) -> Floats:
    """Round down to the public grid: less capacity keeps the cut."""
    return MEGAWATT.real(np.floor(v / float(MEGAWATT.step) + 1e-6).astype(np.int64))
