# SPDX-License-Identifier: MIT
"""Neighbourhoods of trips that are set free to choose again."""

from __future__ import annotations

import numpy as np
import pytest
from tests.roads.restoring import gaps, lattice

from pocin.roads.choice import Effort, Found, Start, choose
from pocin.roads.fidelity import first_anchor
from pocin.roads.improve import _freed, _locked, _neighbours
from pocin.roads.projection import Rows
from pocin.roads.reading import PerTrip


def locked(seed: int) -> tuple[PerTrip, Found]:
    """The first choice, with nothing left to gain from its own paths."""
    problem, _ = lattice(seed, rows=6, columns=6, trips=25, beta=0.03)
    reading, effort = PerTrip(problem, 1), Effort()
    start, anchor = Start(Rows.none()), first_anchor(reading, effort)
    first = choose(reading, problem.noisy, start, anchor, effort)
    assert first.converged
    return reading, _locked(reading, first, effort)


def test_setting_free_never_loses_and_mostly_gains() -> None:
    gained = []
    for seed in range(6):
        reading, before = locked(seed)
        after = _freed(reading, before, Effort())
        assert after.converged
        assert gaps(reading.problem, after.w).max() <= reading.problem.beta
        assert after.distance <= before.distance
        gained.append(after.distance < before.distance * 0.999)
    assert sum(gained) >= 3


@pytest.mark.parametrize("size", [1, 2, 4, 8])
def test_neighbours_are_active_and_share_links_with_the_first(size: int) -> None:
    _, found = locked(0)
    rows, m = found.projection.rows, found.projection.m
    active = (rows.sign < 0) & (m > 0)
    caps = rows.only(active)
    for rank in range(min(5, len(caps))):
        trips = _neighbours(found, rank, size)
        assert 1 <= len(trips) <= size
        assert set(trips) <= set(caps.trip)
        first = caps.trip[np.argsort(-m[active], kind="stable")[rank]]
        paths = {
            int(k): set(caps.links[caps.start[i] : caps.start[i + 1]].tolist())
            for i, k in enumerate(caps.trip)
        }
        assert first in trips
        assert all(paths[int(k)] & paths[int(first)] for k in trips)
