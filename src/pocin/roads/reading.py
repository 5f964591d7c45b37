# SPDX-License-Identifier: MIT
r"""The two readings of beta: which figures, which band, and by which paths they are kept.

A trip's shortest time SP_k(w) = min over paths p of p . w is concave in w, and so is a weighted
mean of them. For the paths that are shortest at some w0, p . w >= SP_k(w) for every w, with
equality at w0. Hence

    SP_k(w) >= L  implies  p . w >= L  for every path: a convex set, described by *cuts*;
    SP_k(w) <= U  holds if p . w <= U  for one path: a choice, made by *caps*.

For the mean, p is replaced by the load: how often (by weight) each link is used (see ``mean``).

Rows aim at a band that is narrower by MARGIN. Released times stand on a grid: rounding moves each
link by at most half a step and a path of n links by n/2 steps, so that its row is drawn in by as
much. What counts in the end is the time of the rounded weights.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from pocin.roads.paths import TripPaths
from pocin.roads.projection import AT_LEAST, AT_MOST, Rows
from pocin.roads.sums import dot, norm

if TYPE_CHECKING:
    from pocin.arrays import Floats, Ints
    from pocin.roads.problem import RestoreProblem

MARGIN = 2e-6
"""Rows are drawn in by this share of the figure; the ascent may miss them by half of it."""

SAFE = 1e-9
"""Another program adds the same numbers in another order: a time must be this far inside."""

HAIR = 1e-6


@dataclass(frozen=True, eq=False)
class Reading:
    """What both readings share: the band, the grid, and which figures are missed."""

    problem: RestoreProblem
    threads: int | None = None

    @cached_property
    def paths(self) -> TripPaths:
        """The shortest paths of the trips."""
        p = self.problem
        ends = p.origins, p.destinations
        return TripPaths.of(p.tail, p.head, p.node_count, p.no_through, *ends, threads=self.threads)

    @cached_property
    def figures(self) -> Floats:
        """O*, one for every trip, or one for all."""
        raise NotImplementedError

    def times(self, w: Floats) -> Floats:
        """Return the time that belongs to every figure."""
        raise NotImplementedError

    def limit(self, side: float, margin: float) -> Floats:
        """Return one end of the band, drawn in by a margin."""
        end: Floats = (1 + side * (self.problem.beta - margin)) * self.figures
        return end

    @cached_property
    def least(self) -> Floats:
        """L: what the times must be at least."""
        return self.limit(-1, SAFE)

    @cached_property
    def most(self) -> Floats:
        """U: what the times may be at most."""
        return self.limit(+1, SAFE)

    def out_of_band(self, w: Floats) -> tuple[Ints, Ints]:
        """Return which figures are missed: times too short, times too long."""
        times = self.times(w)
        return np.flatnonzero(times < self.least), np.flatnonzero(times > self.most)

    def drawn_in(self, side: float, which: Ints | slice, lengths: Floats) -> Floats:
        """Return what paths of so many links aim at: room for rounding, at most half the band."""
        spare = (self.problem.beta - MARGIN) * self.figures[which]
        room = np.minimum(self.problem.grid / 2 * lengths, spare)
        aim: Floats = self.limit(side, MARGIN)[which] - side * room
        return aim

    def rounded(self, w: Floats) -> Floats:
        """Return the nearest weights that can be written: d and a whole number of steps."""
        d, step = self.problem.d, self.problem.grid
        if step <= 0:
            return np.maximum(w, d)
        rounded: Floats = d + step * np.maximum(np.rint((w - d) / step), 0.0)
        return rounded

    def distance(self, w: Floats, noisy: Floats) -> float:
        """Return ||w - noisy||; what is far below a step is rounding of the last digits."""
        moved = np.abs(w - noisy)
        return norm(np.where(moved > HAIR * self.problem.grid, moved, 0.0))


class PerTrip(Reading):
    """|SP_k(w) - O*_k| <= beta O*_k for every trip k."""

    @cached_property
    def figures(self) -> Floats:
        """O*_k of every trip."""
        if self.problem.times is None:
            raise ValueError("the per-trip reading needs the figure of every trip")
        return self.problem.times

    def times(self, w: Floats) -> Floats:
        """Return SP_k(w) of every trip."""
        return self.paths.times(w)

    def load(self, w: Floats, weights: Floats) -> Floats:
        """Return how often, by weight, each link is on a trip's shortest path."""
        return self.paths.loads(w, weights)

    def cuts(self, w: Floats, which: Ints) -> Rows:
        """Let the paths that are shortest at w take long enough."""
        return self._rows(w, which, AT_LEAST)

    def caps(self, w: Floats, which: Ints) -> Rows:
        """Let the paths that are shortest at w be short enough."""
        return self._rows(w, which, AT_MOST)

    def _rows(self, w: Floats, which: Ints, sign: float) -> Rows:
        """Return a row for the shortest path of each of these trips."""
        start, links = self.paths.paths(w, which)
        bound = self.drawn_in(-sign, which, np.diff(start))
        return Rows.of(start, links, sign, bound, which)

    def part(self, trips: Ints) -> PerTrip:
        """Return the reading of some of the trips."""
        part = replace(
            self.problem,
            origins=self.problem.origins[trips],
            destinations=self.problem.destinations[trips],
            weights=self.problem.weights[trips],
            times=self.figures[trips],
        )
        return PerTrip(part, self.threads)


class Total(Reading):
    """|mean_k SP_k(w) - O*| <= beta O*: one figure, and one row for the load of all trips."""

    @cached_property
    def figures(self) -> Floats:
        """O*, the mean trip time."""
        if self.problem.total is None:
            raise ValueError("the total reading needs the mean trip time")
        return np.array([self.problem.total])

    @cached_property
    def weights(self) -> Floats:
        """The weights of the trips, with sum 1."""
        share: Floats = self.problem.weights / self.problem.weights.sum()
        return share

    def times(self, w: Floats) -> Floats:
        """Return the mean trip time."""
        return np.array([dot(self.weights, self.paths.times(w))])

    def load(self, w: Floats, weights: Floats | None = None) -> Floats:
        """Return how often each link is on a trip's shortest path, times the one weight."""
        load = self.paths.loads(w, self.weights)
        return load if weights is None else weights[0] * load

    def aim(self, side: float, load: Floats) -> float:
        """Return what the time of a load aims at."""
        return float(self.drawn_in(side, slice(None), load.sum())[0])
