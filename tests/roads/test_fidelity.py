# SPDX-License-Identifier: MIT
from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

import numpy as np
import pytest
from tests.roads.restoring import STEP, gaps, in_order, lattice, optimum, times_of, total_of

import pocin
from pocin import flow
from pocin.plan import Request
from pocin.roads.choice import Effort
from pocin.roads.fidelity import restore as restore_and_prove

if TYPE_CHECKING:
    from pocin.arrays import Floats
    from pocin.roads.problem import RestoreProblem, RoadSolution

restore = partial(restore_and_prove, effort=Effort(nodes=1))
"""The root's bound alone; test_branch.py proves."""


def assert_faithful(problem: RestoreProblem, solution: RoadSolution) -> None:
    """Everything the caller relies on, by programs that share nothing with phase 3."""
    assert solution.converged
    assert (gaps(problem, solution.w) <= problem.beta).all()
    steps = (solution.w - problem.d) / problem.grid
    assert (steps > -1e-6).all()
    np.testing.assert_allclose(steps, np.rint(steps), atol=1e-6)
    moved = np.linalg.norm(solution.w - problem.noisy)
    assert solution.distance == pytest.approx(moved, rel=1e-6, abs=1e-9)


@pytest.mark.parametrize("beta", [0.1, 0.03])
@pytest.mark.parametrize("seed", range(6))
def test_every_trip_is_within_beta(seed: int, beta: float) -> None:
    problem, _ = lattice(seed, beta=beta)
    assert gaps(problem, problem.noisy).max() > beta
    assert_faithful(problem, restore(problem))


def test_narrow_bands_are_reached_by_way_of_wide_ones() -> None:
    """All trips of Sioux Falls within a percent: paths chosen one by one contradict each other."""
    choices = (("reading", "per-trip"), ("trip_times", "computed"))
    made = flow.release(pocin.read("siouxfalls"), Request(choices=choices, seed=0, beta=0.01))
    assert made.diagnostics.finished.certificate.within
    assert made.diagnostics.finished.distance <= made.diagnostics.finished.bound * 1.01


@pytest.mark.parametrize("factor", [0.85, 1.0, 1.2])
@pytest.mark.parametrize("beta", [0.1, 0.01, 0.001])
@pytest.mark.parametrize("seed", range(3))
def test_the_total_is_within_beta(seed: int, beta: float, factor: float) -> None:
    problem, true = lattice(seed, beta=beta)
    problem = total_of(problem, true, factor)
    assert_faithful(problem, restore(problem))


def test_what_is_faithful_already_stays_as_it_is() -> None:
    problem, true = lattice(0)
    for same in (replace(problem, noisy=true), total_of(replace(problem, noisy=true), true)):
        solution = restore(same)
        assert solution.distance == 0
        np.testing.assert_allclose(solution.w, true, atol=1e-12)


def test_the_exact_optimum_is_found_as_a_rule() -> None:
    """All choices of paths on networks of six nodes; no choice is nearer than the best one."""
    found = 0
    for seed in range(10):
        problem, _ = lattice(seed, rows=2, columns=3, trips=4, beta=0.05, zones=False)
        exact, solution = optimum(problem), restore(problem)
        assert_faithful(problem, solution)
        assert exact * (1 - 1e-4) - STEP <= solution.distance <= exact * 1.25 + STEP
        found += solution.distance <= exact * 1.001 + STEP
    assert found >= 8


@pytest.mark.parametrize("step", [1e-3, 0.05, 0.25])
def test_coarse_grids_keep_the_band(step: float) -> None:
    """Whole vehicles: each path is drawn in by what rounding can move it."""
    problem, _ = lattice(1, beta=0.2)
    problem = replace(problem, grid=step)
    assert_faithful(problem, restore(problem))


def test_threads_and_runs_agree_to_the_last_bit() -> None:
    problem, true = lattice(2, rows=8, columns=9, trips=120)
    for which in (problem, total_of(problem, true, 0.9)):
        results = [restore(which, threads=threads).w for threads in (1, 2, 1)]
        for other in results[1:]:
            np.testing.assert_array_equal(results[0], other)


def test_improving_gains_and_never_loses() -> None:
    gains = []
    for seed in range(4):
        problem, _ = lattice(seed, rows=6, columns=6, trips=80)
        passed = restore(problem).diagnostics["improved"]
        assert passed == sorted(passed, reverse=True)
        gains.append(passed[-1] / passed[0])
    assert min(gains) < 0.98


def test_figures_that_cannot_be_met_are_said_to_be_so() -> None:
    """Half the time that the empty road takes."""
    problem, _ = lattice(0)
    empty = times_of(problem, problem.d)
    solution = restore(replace(problem, times=empty / 2), effort=Effort(rounds=12))
    assert not solution.converged
    assert solution.bound is None or solution.bound >= 0


def test_trips_that_go_nowhere_ask_for_nothing() -> None:
    problem, _ = lattice(3)
    origins = problem.origins.copy()
    origins[:2] = problem.destinations[:2]
    figures = problem.times.copy()
    figures[:2] = 0
    problem = replace(problem, origins=origins, times=figures)
    solution = restore(problem)
    assert solution.converged
    np.testing.assert_array_equal(times_of(problem, solution.w)[:2], 0)


def test_the_order_of_trips_hardly_matters() -> None:
    """Rows are visited in the trips' order; the optimum of the chosen paths is one and the same."""
    problem, _ = lattice(4)
    order: Floats = np.random.default_rng(0).permutation(len(problem.origins))
    first, second = restore(problem), restore(in_order(problem, order))
    assert second.distance == pytest.approx(first.distance, rel=0.05)
