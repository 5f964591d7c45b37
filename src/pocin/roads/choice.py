# SPDX-License-Identifier: MIT
r"""The choice of paths: which path of a trip that takes too long shall become short enough.

One round projects on the rows there are, finds the trips out of band, and gives each a row: a trip
that is too short a cut for its shortest path (any path must be long enough: such rows always
hold), a trip that is too long a cap on its shortest path (a choice: another path might be cheaper).

Caps may contradict the cuts. Those to blame are put on the paths of an *anchor*, weights within
the band, whose shortest paths can all be short at once.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from time import perf_counter
from typing import TYPE_CHECKING

import numpy as np

from pocin.roads.conflict import Conflicts
from pocin.roads.projection import Projection, Rows

if TYPE_CHECKING:
    from collections.abc import Callable

    from pocin.arrays import Floats, Ints
    from pocin.roads.reading import PerTrip

MISS = 1e-6
"""A row may be missed by this share of its bound: half of the margin inside beta."""

FEW = 0.002
"""Where no more than this share of the rows is new, only sweeps help."""

MOST_SWEEPS = 960


@dataclass(frozen=True)
class Effort:
    """How much work may be done, in operations: results must not depend on the clock.

    ``rounds`` of shortest paths and ``sweeps`` of the projection in each; ``slack`` is the share
    of ||w - w~||^2 by which a projection may miss its optimum. ``ascent`` counts the steps by
    which the bound is raised, without any there is none; ``nodes`` those of its proof, where the
    network is small enough for them to be no more than ``work``: nodes times links times trips.

    ``ends`` is what a user may set: from this instant on the best that was found is good enough.
    Only then does a result depend on the clock.
    """

    rounds: int = 120
    sweeps: int = 15
    slack: float = 1e-5
    ascent: int = 200
    nodes: int = 60
    work: float = 8e6
    ends: float = np.inf

    def over(self) -> bool:
        """Whether the time that a user set is up."""
        return perf_counter() >= self.ends


@dataclass(frozen=True, eq=False)
class Found:
    """Weights on the grid, and the projection that they come from."""

    w: Floats
    distance: float
    rounds: int
    projection: Projection = field(repr=False)
    converged: bool

    @property
    def cuts(self) -> Rows:
        """The rows that hold for every choice."""
        return self.projection.rows.only(self.projection.rows.sign > 0)

    def warm(self) -> Start:
        """Begin where this ended, with the caps that bear a multiplier locked."""
        rows, m = self.projection.rows, self.projection.m
        caps = (rows.sign < 0) & (m > 0)
        return Start(self.cuts, m[rows.sign > 0], rows.trip[caps], m[caps])


class Choice:
    """A search in progress: the rows, and which figures have a cap, on whose paths."""

    def __init__(self, reading: PerTrip, noisy: Floats, cuts: Rows, m: Floats | None) -> None:
        self.reading, self.noisy = reading, noisy
        self.projection = Projection(noisy, reading.problem.d)
        self.capped = np.zeros(len(reading.figures), dtype=bool)
        self.locked = self.capped.copy()
        self.projection.add(cuts, m)

    def cut(self, w: Floats, which: Ints) -> None:
        """Let every path of these take long enough; the ones shortest at w are missing."""
        if len(which):
            self.projection.add(self.reading.cuts(w, which))

    def cap(self, w: Floats, which: Ints) -> Ints:
        """Let the paths shortest at w be short enough; return those that w >= d forbids."""
        if not len(which):
            return which
        rows = self.reading.caps(w, which)
        usable = rows.slack(self.reading.problem.d) >= 0
        self.projection.add(rows.only(usable))
        self.capped[which[usable]] = True
        return which[~usable]

    def lock(self, anchor: Floats, which: Ints, m: Floats | None = None) -> None:
        """Put these on the paths of the anchor."""
        if len(which):
            self.projection.add(self.reading.caps(anchor, which), m)
            self.capped[which] = self.locked[which] = True


@dataclass(frozen=True, eq=False)
class Start:
    """Where a search begins: cuts, the trips that stand on the anchor's paths, and multipliers."""

    cuts: Rows
    m: Floats | None = None
    locked: Ints | None = None
    locked_m: Floats | None = None


def choose(
    reading: PerTrip,
    noisy: Floats,
    start: Start,
    anchor: Callable[[], Floats] | None,
    effort: Effort,
    *,
    beat: float = np.inf,
) -> Found:
    """Search for the nearest weights in the band; give up where they cannot ``beat`` a distance.

    ``anchor`` is asked for when it is needed.
    """
    search = Choice(reading, noisy, start.cuts, start.m)
    if anchor is not None and start.locked is not None:
        search.lock(anchor(), start.locked, start.locked_m)
    projection, sweeps, conflicts = search.projection, effort.sweeps, Conflicts()
    for round_ in range(effort.rounds):
        had = len(projection.m)
        ascent = projection.ascend(sweeps, MISS / 2, effort.slack)
        w = reading.rounded(projection.w)
        distance = reading.distance(w, noisy)
        short, long = reading.out_of_band(w)
        settled = ascent.slack <= 10 * effort.slack * distance**2
        if not len(short) and not len(long) and settled:
            return Found(w, distance, round_ + 1, projection, converged=True)
        if 2 * projection.value() > beat**2 or effort.over():
            break
        blamed = long[:0]
        if anchor is not None:
            blamed = conflicts.release(projection, ~search.locked, sweeps)
        search.cut(w, short)
        never = search.cap(w, long[~search.capped[long]])
        if anchor is not None:
            search.lock(anchor(), np.union1d(blamed, never))
        # while many paths turn up, few sweeps will do; where there are none, only sweeps help
        news = len(projection.m) - had
        sweeps = effort.sweeps if news > FEW * had else min(2 * sweeps, MOST_SWEEPS)
    return Found(w, distance, round_ + 1, projection, converged=False)
