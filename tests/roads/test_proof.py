# SPDX-License-Identifier: MIT
"""Ours against SCIP, put in two ways, and both against enumeration."""

from __future__ import annotations

import numpy as np
import pytest
from tests.roads.restoring import STEP, lattice, optimum, sioux_falls, times_of

from pocin.roads.choice import Effort
from pocin.roads.fidelity import restore
from pocin.roads.reading import PerTrip

pytest.importorskip("pyscipopt", reason="the extra proof is not installed")

from pocin.roads.proof import lazily, literally


@pytest.mark.parametrize("seed", range(3))
def test_three_ways_to_one_optimum(seed: int) -> None:
    problem, _ = lattice(seed, rows=2, columns=3, trips=4, beta=0.05, zones=False)
    exact, ours = optimum(problem), restore(problem, effort=Effort(nodes=1))
    reading = PerTrip(problem, 1)
    for found in (lazily(reading, ours.distance), literally(reading, ours.distance)):
        assert found.distance == pytest.approx(exact, rel=1e-3, abs=2 * STEP)
        assert found.bound <= exact * (1 + 1e-4)
        gaps = np.abs(times_of(problem, found.w) - problem.times) / problem.times
        assert gaps.max() <= problem.beta + 1e-4


@pytest.mark.parametrize("seed", range(3))
def test_larger_ones_agree(seed: int) -> None:
    problem, _ = lattice(seed, rows=3, columns=4, trips=25, beta=0.1)
    ours = restore(problem, effort=Effort(nodes=200))
    theirs = lazily(PerTrip(problem, 1), ours.distance + 10 * STEP)
    assert ours.bound <= theirs.distance * (1 + 1e-4)
    assert ours.distance >= theirs.bound * (1 - 1e-4)
    assert ours.distance == pytest.approx(theirs.distance, rel=2e-3, abs=5 * STEP)


def test_past_zones_too() -> None:
    problem, _ = lattice(1, rows=3, columns=3, trips=5, beta=0.05)
    assert problem.no_through.sum() == 2
    ours = restore(problem, effort=Effort(nodes=1))
    reading = PerTrip(problem, 1)
    two = lazily(reading, ours.distance), literally(reading, ours.distance)
    assert two[0].distance == pytest.approx(two[1].distance, rel=1e-3)
    assert ours.distance >= two[0].bound * (1 - 1e-4)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(2))
def test_sioux_falls_is_proved_and_scip_agrees(seed: int) -> None:
    """All 528 trips, beta 0.1."""
    problem = sioux_falls(seed)
    ours = restore(problem, effort=Effort(nodes=2000, work=np.inf))
    assert ours.bound >= ours.distance * (1 - 1.001e-3)
    theirs = lazily(PerTrip(problem, 1), ours.distance * 1.01)
    assert ours.distance == pytest.approx(theirs.distance, rel=1e-3)
    assert ours.bound <= theirs.distance * (1 + 1e-5)
