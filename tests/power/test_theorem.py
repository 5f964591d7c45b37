# SPDX-License-Identifier: MIT
"""Theorem 5 holds on the convex DC model where its condition does, and not beyond."""

from __future__ import annotations

import numpy as np
import pytest
from tests.power.theorem import SLACK, Dc

SEEDS = 8


def noises(n):
    rng = np.random.default_rng(0)
    return [rng.laplace(0, 10, n) for _ in range(SEEDS)]


@pytest.mark.parametrize("name", ["ieee14", "ieee30"])
@pytest.mark.parametrize("beta", [0.1, 0.01])
def test_where_the_true_values_are_feasible_the_bound_holds(name, beta):
    """Nobody moved, and O* is the network's own: the true values are feasible."""
    model = Dc(name)
    stay = np.arange(len(model.real))
    for noise in noises(len(stay)):
        ratio, feasible = model.ratio(stay, noise, beta)
        assert feasible
        assert ratio <= 1 + SLACK


def test_elements_elsewhere_may_leave_them_feasible_and_then_it_holds():
    model, rng = Dc("ieee57"), np.random.default_rng(0)
    for _ in range(SEEDS):
        ratio, feasible = model.ratio(rng.permutation(4), rng.laplace(0, 10, 4), 0.01)
        assert not feasible or ratio <= 1 + SLACK


def test_where_they_are_not_feasible_not_even_twice_the_noise_bounds_the_error():
    """Random places on 118 buses: cheap units stand where their power cannot leave."""
    model, rng = Dc("ieee118"), np.random.default_rng(0)
    places = ((rng.permutation(19), rng.laplace(0, 10, 19)) for _ in range(7))
    found = [each for place in places if (each := model.ratio(*place, 0.01))]
    assert not any(feasible for _, feasible in found)
    assert max(ratio for ratio, _ in found) > 2
