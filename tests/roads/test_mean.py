# SPDX-License-Identifier: MIT
"""The total reading: both ends of the band, against other ways to the same numbers."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
from scipy.optimize import minimize
from tests.roads.restoring import gaps, lattice, total_of

from pocin.roads import mean
from pocin.roads.choice import Effort
from pocin.roads.fidelity import restore
from pocin.roads.reading import Total


def reading(seed: int, factor: float, *, beta: float = 0.01, threads: int = 1) -> Total:
    problem, true = lattice(seed, rows=6, columns=7, trips=60, beta=beta)
    return Total(total_of(problem, true, factor), threads)


@pytest.mark.parametrize("seed", range(4))
def test_no_point_of_the_band_is_nearer_than_any_mean_of_loads_says(seed: int) -> None:
    """(1) at random means of random loads is below the distance of every point in the band."""
    total, draw = reading(seed, 1.4), np.random.default_rng(seed)
    noisy, least = total.problem.noisy, float(total.limit(-1, 0.0)[0])
    nearest = mean.nearest(total, Effort(rounds=100))
    assert nearest.converged
    for _ in range(30):
        loads = [total.load(noisy * draw.uniform(0.5, 2, len(noisy))) for _ in range(3)]
        x = draw.dirichlet(np.ones(3)) @ np.array(loads)
        low = (least - x @ noisy) / np.linalg.norm(x)
        assert low <= nearest.bound * (1 + 2e-3) <= nearest.distance * (1 + 2e-3)


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("factor", [1.2, 1.4, 3.0])
def test_both_ends_meet_where_the_mean_is_too_short(seed: int, factor: float) -> None:
    total = reading(seed, factor)
    assert len(total.out_of_band(total.problem.noisy)[0])
    solution = restore(total.problem)
    assert solution.converged
    assert gaps(total.problem, solution.w).max() <= total.problem.beta
    assert solution.bound <= solution.distance <= solution.bound * 1.003 + 10 * total.problem.grid


def test_of_means_the_one_that_bounds_best_is_taken() -> None:
    draw = np.random.default_rng(1)
    loads, needed = draw.random((6, 40)), 1 + draw.random(6)
    share = mean._least(loads, needed)
    assert share.sum() == pytest.approx(1)
    assert (share >= 0).all()

    def low(u: np.ndarray) -> float:
        return float(u @ needed / np.linalg.norm(u @ loads))

    found = minimize(lambda u: -low(u), np.ones(6), bounds=[(0, None)] * 6, method="L-BFGS-B")
    assert low(share) == pytest.approx(-found.fun, rel=1e-6)


def test_the_nearest_point_of_a_half_space_keeps_d() -> None:
    total, draw = reading(0, 1.0), np.random.default_rng(2)
    d, noisy = total.problem.d, total.problem.noisy
    for share in (0.9, 0.5, 0.05):
        x = draw.random(len(d)) * (draw.random(len(d)) < 0.5)
        most = float(x @ d + share * x @ (noisy - d))
        w, price = mean._half(total, x, most)
        assert x @ w == pytest.approx(most)
        assert (w >= d).all()
        # the conditions of Karush, Kuhn and Tucker: w - w~ = -m x but for links at d
        np.testing.assert_allclose(w, np.maximum(d, noisy - price * x))


@pytest.mark.parametrize("factor", [0.7, 0.85])
def test_where_the_mean_is_too_long_every_round_gains(factor: float) -> None:
    total = reading(3, factor)
    noisy = total.problem.noisy
    steps = [near for near, _ in zip(mean._descent(total, noisy), range(8), strict=False)]
    passed = [near.distance for near in steps]
    assert passed[1] < passed[0]
    assert all(b <= a * (1 + 1e-6) + 1e-2 for a, b in pairwise(passed))
    best = mean.nearest(total, Effort(rounds=100))
    assert best.converged
    assert best.distance <= min(passed)


def test_a_mean_below_that_of_the_empty_roads_is_out_of_reach() -> None:
    total = reading(1, 1.0)
    empty = Total(replace(total.problem, total=float(total.times(total.problem.d)[0]) * 0.9), 1)
    solution = restore(empty.problem)
    assert not solution.converged
    assert solution.bound is None


def test_threads_do_not_matter() -> None:
    one, two = (mean.nearest(reading(5, 1.5, threads=n), Effort(rounds=30)) for n in (1, 2))
    np.testing.assert_array_equal(one.w, two.w)
    assert one.bound == two.bound
