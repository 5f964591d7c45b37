# SPDX-License-Identifier: MIT
"""Re-assignment: every assignment tried is the best of all, by enumeration, of a cost made of the
draws, the public part and the figure."""

from itertools import permutations

import numpy as np
import pytest

from pocin import api, flow
from pocin.kinds import Goal
from pocin.plan import Request, plan
from pocin.power.curves import cost_at
from pocin.power.grid import Costs
from pocin.power.reassign import DOUBLINGS, ENOUGH, ETA, assignments
from pocin.privacy.draws import Draws
from pocin.privacy.location import assign
from pocin.privacy.noise import SeededNoise


def drawn(name, seed):
    network = api.read(name)
    planned = plan(network, Request(api.privacy(epsilon_location=0.2), seed=seed))
    draws, _, _ = flow.draw(planned, SeededNoise(seed), lambda _: None)
    return planned.public, draws, Goal(network.published, 0.01)


def dispatch_of(public, seed):
    """Any dispatch in MW will do; some units stand still."""
    mix = np.random.default_rng(seed)
    p = np.zeros(len(public.unit_order))
    p[public.site_rows] = np.maximum(0, mix.normal(100.0, 100.0, len(public.site_rows)))
    return p


def costs_by_hand(public, draws, goal, dispatch):
    """C_i(p_s) / O*, record by site, from polynomial rows."""
    at_sites = dispatch[public.site_rows]
    curves = public.moved_columns(draws.moved).costs
    assert np.all(curves[:, 0] == 2)
    return (
        np.array([[np.polyval(row[4 : 4 + int(row[3])], p) for p in at_sites] for row in curves])
        / goal.figure
    )


@pytest.mark.parametrize("seed", range(4))
def test_every_assignment_is_the_best_of_all(seed):
    public, draws, goal = drawn("ieee57", seed)
    dispatch = dispatch_of(public, seed)
    cost, n = costs_by_hand(public, draws, goal, dispatch), len(draws)
    assert n <= 7
    hops = np.array([[public.metric.row(int(r))[s] for s in range(n)] for r in draws.sites])
    everything = [np.array(order) for order in permutations(range(n))]

    def worth(eta, record):
        return (hops + eta * n * cost)[record, np.arange(n)].sum()

    best = [min(worth(ETA * 2**k, r) for r in everything) for k in range(DOUBLINGS)]
    tried = list(assignments(draws, public, goal, dispatch))
    for record in tried:
        assert any(
            worth(ETA * 2**k, record) == pytest.approx(best[k], rel=1e-12) for k in range(DOUBLINGS)
        )
    assert len({record.tobytes() for record in tried}) == len(tried)
    assert assign(draws, public.metric).tobytes() not in {record.tobytes() for record in tried}


@pytest.mark.parametrize("excess", [0.02, 0.2])
def test_what_saves_too_little_is_passed_over(excess):
    public, draws, goal = drawn("ieee57", 1)
    dispatch = dispatch_of(public, 1)
    cost, sites = costs_by_hand(public, draws, goal, dispatch), np.arange(len(draws))
    first = cost[assign(draws, public.metric), sites].sum()

    def saved(record):
        return first - cost[record, sites].sum()

    every = list(assignments(draws, public, goal, dispatch))
    some = list(assignments(draws, public, goal, dispatch, excess))
    kept = {record.tobytes() for record in some}
    last = every[-1].tobytes()
    assert kept <= {record.tobytes() for record in every}
    for record in every:
        if record.tobytes() != last:
            assert (record.tobytes() in kept) == (saved(record) >= ENOUGH * excess)
    assert last in kept


def test_the_curves_are_those_of_the_records():
    public, draws, goal = drawn("ieee57", 2)
    dispatch = dispatch_of(public, 2)
    at_sites = dispatch[public.site_rows]
    curves = Costs.from_matrix(public.moved_columns(draws.moved).costs)
    by_hand = costs_by_hand(public, draws, goal, dispatch) * goal.figure
    np.testing.assert_allclose(cost_at(curves, at_sites), by_hand)


def test_a_dearer_figure_weighs_costs_less():
    # eta n C / O*: with a figure so large that cost says nothing, nothing but the first is left.
    public, draws, goal = drawn("ieee57", 1)
    dispatch = dispatch_of(public, 1)
    assert list(assignments(draws, public, goal, dispatch))
    assert not list(assignments(draws, public, Goal(1e12 * goal.figure, 0.01), dispatch))


def test_records_in_another_order_stand_on_the_same_sites():
    # The draws are sealed in sorted order; the assignment must not lean on ties by position.
    public, draws, goal = drawn("ieee57", 1)
    dispatch = dispatch_of(public, 1)
    mix = np.random.default_rng(0).permutation(len(draws))
    other = Draws(draws.sites[mix], draws.values[mix], draws.moved[mix])
    ours = [draws.values[r].tolist() for r in assignments(draws, public, goal, dispatch)]
    theirs = [other.values[r].tolist() for r in assignments(other, public, goal, dispatch)]
    assert ours
    assert ours == theirs
