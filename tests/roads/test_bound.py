# SPDX-License-Identifier: MIT
from __future__ import annotations

from dataclasses import replace
from functools import partial
from itertools import product
from typing import TYPE_CHECKING

import numpy as np
import pytest
from tests.roads.restoring import every_path, lattice, optimum, projected, total_of

from pocin.roads.ascent import mean_root, raised, reached
from pocin.roads.bound import Chord
from pocin.roads.branch import root
from pocin.roads.choice import Effort, Start, choose
from pocin.roads.fidelity import first_anchor
from pocin.roads.fidelity import restore as restore_and_prove
from pocin.roads.improve import improve
from pocin.roads.mean import nearest
from pocin.roads.projection import AT_LEAST, Rows
from pocin.roads.reach import Streets, reaches
from pocin.roads.reading import PerTrip, Total

if TYPE_CHECKING:
    from pocin.arrays import Floats
    from pocin.roads.choice import Found
    from pocin.roads.problem import RestoreProblem

restore = partial(restore_and_prove, effort=Effort(nodes=1))
"""The root's bound alone; test_branch.py proves."""


def tiny(seed: int, *, zones: bool = False) -> RestoreProblem:
    return lattice(seed, rows=2, columns=3, trips=4, beta=0.05, zones=zones)[0]


def found(reading: PerTrip) -> Found:
    effort = Effort()
    anchor = first_anchor(reading, effort)
    first = choose(reading, reading.problem.noisy, Start(Rows.none()), anchor, effort)
    return improve(reading, first, effort)[0]


def every_cut(reading: PerTrip) -> Rows:
    """All paths of all trips."""
    problem, rows = reading.problem, Rows.none()
    for k, (o, q) in enumerate(zip(problem.origins, problem.destinations, strict=True)):
        for path in every_path(problem, int(o), int(q)):
            links = np.flatnonzero(path)
            ends, bound = np.array([0, len(links)]), reading.limit(-1, 0.0)[[k]]
            rows = rows.and_(Rows.of(ends, links, AT_LEAST, bound, np.array([k])))
    return rows


def whole(problem: RestoreProblem) -> Chord:
    """The chord bound with a multiplier for every trip and every path."""
    reading = PerTrip(problem)
    can, must, known = reached(problem, reading.limit(+1, 0.0))
    assert known.all()
    return Chord(reading, can, must, np.zeros(len(known)), every_cut(reading))


@pytest.mark.parametrize("seed", range(6))
def test_it_is_below_the_optimum_whatever_the_multipliers(seed: int) -> None:
    problem = tiny(seed)
    chord, exact = whole(problem), optimum(problem)
    draw = np.random.default_rng(seed)
    best = -np.inf
    for scale in (0.01, 0.1, 0.5, 2.0):
        for _ in range(60):
            sparse = draw.random(len(chord.cuts)) < 0.2
            lam = scale * draw.exponential(size=len(chord.most)) * (draw.random(4) < 0.7)
            mu = scale * draw.exponential(size=len(sparse)) * sparse
            best = max(best, chord.at(lam, mu).value)
    assert best <= exact**2 / 2 * (1 + 1e-7)


@pytest.mark.parametrize("seed", range(6))
def test_it_lies_between_nothing_and_the_optimum(seed: int) -> None:
    """A bound above the optimum would be wrong; one far below it, of little use."""
    problem = tiny(seed)
    exact, solution = optimum(problem), restore(problem)
    assert solution.bound <= exact * (1 + 1e-7)
    assert solution.bound >= exact * 0.7


def total_optimum(problem: RestoreProblem) -> float:
    """The exact distance in the total reading: every choice of paths."""
    pairs = zip(problem.origins, problem.destinations, strict=True)
    walks = [every_path(problem, int(o), int(q)) for o, q in pairs]
    share = problem.weights / problem.weights.sum()
    loads = [share @ np.array(choice) for choice in product(*walks)]
    low = [(load, (1 - problem.beta) * problem.total) for load in loads]
    high = (1 + problem.beta) * problem.total
    usable = [load for load in loads if load @ problem.d <= high]
    return min(projected(problem, low, [(load, high)]) for load in usable)


@pytest.mark.parametrize("factor", [0.8, 0.9, 1.3])
@pytest.mark.parametrize("seed", range(2))
def test_the_total_reading_has_a_bound_too(seed: int, factor: float) -> None:
    problem, true = lattice(seed, rows=2, columns=3, trips=2, beta=0.02, zones=False)
    problem = total_of(problem, true, factor)
    exact, solution = total_optimum(problem), restore(problem)
    assert solution.bound <= exact * (1 + 1e-7)
    assert solution.distance >= exact * (1 - 1e-4) - 1e-3
    # cuts alone are a convex problem, with no gap; a choice of paths leaves one
    assert solution.bound >= exact * (0.999 if factor > 1 else 0.7)


def test_bounds_of_the_mean_hold_for_any_multiplier() -> None:
    problem, true = lattice(1, rows=2, columns=3, trips=2, beta=0.02, zones=False)
    reading = Total(total_of(problem, true, 0.8))
    exact = total_optimum(reading.problem)
    near = nearest(reading, Effort(rounds=20))
    chord, lam = mean_root(reading, near), np.array([near.price])
    values = [chord.at(lam * scale, np.zeros(0)).value for scale in np.geomspace(0.01, 100, 60)]
    assert 0 < max(values) <= exact**2 / 2 * (1 + 1e-7)


def test_slopes_are_those_of_the_value() -> None:
    draw = np.random.default_rng(5)
    checked = 0
    for seed in range(5):
        chord = whole(tiny(seed))
        lam, mu = draw.random(len(chord.most)), 0.2 * draw.random(len(chord.cuts))
        step = chord.at(lam, mu)
        for i in range(len(lam) + len(mu)):
            h = np.zeros(len(lam) + len(mu))
            h[i] = 1e-6
            up = chord.at(lam + h[: len(lam)], mu + h[len(lam) :]).value
            down = chord.at(lam - h[: len(lam)], mu - h[len(lam) :]).value
            slope = np.concatenate([step.by_lam, step.by_mu])[i]
            assert (up - down) / 2e-6 == pytest.approx(slope, rel=1e-4, abs=1e-4)
            checked += 1
    assert checked > 50


def test_raising_never_loses() -> None:
    reading = PerTrip(lattice(3, rows=5, columns=6, trips=60)[0])
    node = root(reading, found(reading))
    chord, lam, mu = node.chord, node.lam, node.mu
    assert len(lam) > 3
    first, best = chord.at(lam, mu).value, raised(chord, lam, mu, 200)
    assert best.best.value > first
    assert chord.at(best.lam, best.mu).value == best.best.value
    assert (best.lam >= 0).all()
    assert (best.mu >= 0).all()


def test_unknown_trips_may_use_every_link() -> None:
    problem = tiny(4)
    chord, exact = whole(problem), optimum(problem)
    nothing = Rows.of(np.zeros(5, dtype=np.int64), np.zeros(0), 1.0, np.zeros(4), np.arange(4))
    blind = replace(chord, can=nothing, must=nothing, everywhere=np.ones(4))
    lam = np.full(4, 0.3)
    mu = np.zeros(len(chord.cuts))
    assert blind.at(lam, mu).value <= chord.at(lam, mu).value + 1e-12
    assert chord.at(lam, mu).value <= exact**2 / 2


@pytest.mark.parametrize("zones", [False, True])
@pytest.mark.parametrize("seed", range(6))
def test_what_trips_can_and_must_use(seed: int, *, zones: bool) -> None:
    """Against all paths: of those that are short enough in d, the union and what all share."""
    problem, _ = lattice(seed, rows=3, columns=3, trips=6, zones=zones)
    limits = problem.times * 1.02
    streets = Streets.of(problem.tail, problem.head, problem.no_through)
    ends = problem.origins, problem.destinations
    can_start, can, must_start, must, known = reaches(streets, problem.d, *ends, limits, 10**9)
    assert known == len(limits)
    for k, (o, q) in enumerate(zip(*ends, strict=True)):
        short = [p for p in every_path(problem, int(o), int(q)) if p @ problem.d <= limits[k]]
        used, shared = np.max(short, axis=0) > 0, np.min(short, axis=0) > 0
        listed: Floats = can[can_start[k] : can_start[k + 1]]
        assert set(np.flatnonzero(used)) <= set(listed.tolist())
        assert set(np.flatnonzero(shared)) == set(must[must_start[k] : must_start[k + 1]].tolist())


def test_of_many_trips_what_is_told_of_must_is_true() -> None:
    """The quick look at levels may miss a link, but never names one too many."""
    from pocin.roads import reach

    missed, told = 0, 0
    for seed in range(6):
        problem, _ = lattice(seed, rows=3, columns=3, trips=8)
        streets = Streets.of(problem.tail, problem.head, problem.no_through)
        closed = np.zeros(len(problem.d), dtype=bool)
        for k, ends in enumerate(zip(problem.origins, problem.destinations, strict=True)):
            limit = 1.1 * problem.times[k]
            _, quick = reach.reach(streets, problem.d, ends, limit, closed, 0)
            _, exact = reach.reach(streets, problem.d, ends, limit, closed, 1)
            assert not (quick & ~exact).any()
            missed, told = missed + int((exact & ~quick).sum()), told + int(quick.sum())
    assert told > 10
    assert missed < told
