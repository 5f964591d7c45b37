# SPDX-License-Identifier: MIT
"""Raise the chord bound from the multipliers of a solution, by projected Adam."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from pocin.roads.bound import Chord
from pocin.roads.projection import AT_MOST, Rows
from pocin.roads.reach import Streets, reaches

if TYPE_CHECKING:
    from pocin.arrays import Floats, Mask
    from pocin.roads.bound import Step
    from pocin.roads.mean import Near
    from pocin.roads.problem import RestoreProblem
    from pocin.roads.reading import Total

RATE = 0.05
"""The first step of Adam, as a share of the mean multiplier; the steps fall to a tenth of it."""

FIRST, SECOND = 0.9, 0.99

MOST_LINKS = 40_000_000
"""So many links in the sets of all trips; further trips can use any link, as far as we know."""


@dataclass(frozen=True, eq=False)
class Raised:
    """The best bound of an ascent, where it stands, and the mean load of the later steps.

    Where the best bound has several best loads, steps go from one to the other: their mean is that
    of the relaxed problem, in which a trip may divide itself.
    """

    best: Step
    lam: Floats
    mu: Floats
    load: Floats


def raised(chord: Chord, lam: Floats, mu: Floats, steps: int, enough: float = np.inf) -> Raised:
    """Ascend from these multipliers until the bound is enough; every point gives one."""
    count = len(lam)
    point = np.concatenate([lam, mu])
    unit = float(point[point > 0].mean()) if (point > 0).any() else 1.0
    mean, square = np.zeros_like(point), np.zeros_like(point)
    best: tuple[Step, Floats, Floats] | None = None
    load, loads = np.zeros(len(chord.reading.problem.d)), 0
    for i in range(steps):
        step = chord.at(point[:count], point[count:])
        if best is None or step.value > best[0].value:
            best = step, point[:count].copy(), point[count:].copy()
        if step.value >= enough:
            break
        if i >= steps // 2:
            load, loads = load + step.load, loads + 1
        slope = np.concatenate([step.by_lam, step.by_mu])
        mean = FIRST * mean + (1 - FIRST) * slope
        square = SECOND * square + (1 - SECOND) * slope**2
        size = np.sqrt(square / (1 - SECOND ** (i + 1))) + 1e-30
        move = RATE * unit / (1 + 9 * i / steps) * mean / (1 - FIRST ** (i + 1)) / size
        point = np.maximum(point + move, 0.0)
    assert best is not None
    return Raised(*best, load / loads if loads else best[0].load)


def mean_bound(reading: Total, near: Near, steps: int) -> float:
    """Return a distance that no weights with such a mean trip time can be below."""
    if near.bound is not None:
        return near.bound
    chord = mean_root(reading, near)
    return distance(raised(chord, np.array([near.price]), np.zeros(0), steps).best.value)


def distance(value: float) -> float:
    """Return the distance of a value ||w - w~||^2 / 2."""
    return float(np.sqrt(2 * max(value, 0.0)))


def mean_root(reading: Total, near: Near) -> Chord:
    """Return the chord bound of a mean trip time that must be short enough.

    Weights nearer than the solution lie within its distance R of the noisy ones, link by link, and
    none is above w~: lowering it to w~ shortens the mean and comes nearer. A trip takes the
    shortest path there, which is no longer than the shortest at w~.
    """
    problem = reading.problem
    low = np.maximum(problem.d, problem.noisy - near.distance)
    can, must, known = reached(replace(problem, d=low), reading.paths.times(problem.noisy))
    weights = reading.weights
    rest = 1.0 - weights[known].sum()
    return Chord(
        reading,
        _as_one(can.combine(weights, len(low))),
        _as_one(must.combine(weights, len(low))),
        np.array([rest]),
        Rows.none(),
    )


def _as_one(load: Floats) -> Rows:
    """Return a single row with these values."""
    links = np.flatnonzero(load)
    none = np.zeros(1, dtype=np.int64)
    return Rows.of(np.array([0, len(links)]), links, AT_MOST, np.zeros(1), none, values=load[links])


def reached(problem: RestoreProblem, limits: Floats) -> tuple[Rows, Rows, Mask]:
    """Return the links that trips can use and must use, and of which trips they are known."""
    streets = Streets.of(problem.tail, problem.head, problem.no_through)
    ends = problem.origins, problem.destinations
    *sets, known = reaches(streets, problem.d, *ends, limits, MOST_LINKS)
    trips = np.arange(len(limits))
    can, must = (
        Rows.of(start, links, AT_MOST, limits, trips) for start, links in (sets[:2], sets[2:])
    )
    return can, must, trips < known
