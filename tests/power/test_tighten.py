# SPDX-License-Identifier: MIT
"""Tightening: its gradient by finite differences, its projections by another solver, its cut loop
and its second pass on a grid whose optimum is known by hand."""

from dataclasses import replace

import numpy as np
import pytest
from scipy.optimize import minimize

from pocin import api
from pocin.kinds import Certificate, Goal
from pocin.plan import Request, plan
from pocin.power.clock import Clock
from pocin.power.cuts import FLAT, HEADROOM, cut_at, gradient_of, project, serves, tells
from pocin.power.files import read_grid
from pocin.power.grid import REFERENCE, Costs
from pocin.power.opf import optimum
from pocin.power.placed import Attempt, place
from pocin.power.projection import Cut
from pocin.power.split import split
from pocin.power.tighten import NEARER, Tightening, below, distance

EXACT = {"ipopt.tol": 1e-10, "ipopt.bound_relax_factor": 0.0}
NEVER = Clock()


def scarce(name, seed, ratio=0.0, share=0.9):
    """Take capacity from a case's units where they are, so that limits of all kinds bind."""
    network = api.read(name)
    planned = plan(network, Request(seed=0, constants=(("pmin_ratio", ratio),)))
    mix = np.random.default_rng(seed)
    true = planned.kind.values.real(planned.secret.values)
    noisy = np.round(true * mix.uniform(share, 1.0, len(true)), 2)
    return place(planned.public, noisy, planned.secret.moved, np.arange(len(true)))


# -- the gradient -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "seed", "ratio"),
    [("ieee14", 1, 0.0), ("ieee57", 2, 0.0), ("ieee57", 3, 0.3), ("ieee118", 4, 0.3)],
)
def test_the_gradient_is_that_of_the_optimum_with_all_limits_linked(name, seed, ratio):
    placed = scarce(name, seed, ratio)
    v = placed.noisy
    found = optimum(placed.grid(v), EXACT)
    assert found.solved
    gradient = gradient_of(placed, found)
    steep = np.argsort(np.abs(gradient))[-4:]
    for site in steep:
        step = np.zeros(len(v))
        step[site] = 0.05
        up, down = (optimum(placed.grid(v + s * step), EXACT) for s in (1, -1))
        assert up.solved
        assert down.solved
        slope = (up.cost - down.cost) / 0.1
        assert gradient[site] == pytest.approx(slope, rel=2e-3, abs=1e-4 * abs(gradient).max())


def test_reactive_limits_and_pmin_take_part_in_some_gradient():
    # Else the test above would pass without their terms.
    def terms(placed):
        p, q = optimum(placed.grid(placed.noisy), EXACT).unit_multipliers
        sites = placed.public.site_rows
        return np.abs(p[sites] * (p[sites] < -1e-3)).max(), np.abs(q[sites]).max()

    assert terms(scarce("ieee57", 2))[1] > 1.0
    assert terms(scarce("ieee118", 4, 0.3))[0] > 1.0


# -- projections and cuts -----------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(5))
def test_a_projection_is_the_nearest_point_of_the_half_space(seed):
    placed = scarce("ieee57", seed, 0.1 * (seed % 2))
    mix = np.random.default_rng(seed)
    gradient = -mix.uniform(0, 10, len(placed.noisy)) * mix.integers(0, 2, len(placed.noisy))
    reach = float(gradient @ placed.noisy)
    cut = Cut(gradient, 0.6 * reach)
    v = project(placed, cut)
    floor = placed.rules.at(placed.noisy)[0]
    half = {"type": "ineq", "fun": lambda w: gradient @ w - cut.least, "jac": lambda _: gradient}
    other = minimize(
        lambda w: np.sum((w - placed.noisy) ** 2) / 2,
        placed.noisy,
        jac=lambda w: w - placed.noisy,
        bounds=[(low, None) for low in floor],
        constraints=[half],
        method="SLSQP",
    )
    assert other.success
    assert gradient @ v >= cut.least - 1e-9
    assert np.all(v >= floor - 0.01)
    np.testing.assert_allclose(v, other.x, atol=0.02)


def test_a_point_inside_the_half_space_stays():
    placed = scarce("ieee14", 0)
    inside = Cut(-np.ones(len(placed.noisy)), -2 * float(placed.noisy.sum()))
    assert project(placed, inside) is placed.noisy


def test_the_cut_holds_with_equality_where_it_was_made_and_aims_into_the_band():
    placed = scarce("ieee57", 2)
    found = optimum(placed.grid(placed.noisy), EXACT)
    goal = Goal(1.3 * found.cost, 0.1)
    cut = cut_at(placed, placed.noisy, found, goal)
    missing = (1 - 0.098) * goal.figure - found.cost
    assert cut.least - cut.gradient @ placed.noisy == pytest.approx(missing)


def test_a_flat_cut_tells_nothing():
    placed = scarce("ieee14", 0)
    goal = Goal(1000.0, 0.1)
    slope = FLAT * goal.figure / 100
    size = len(placed.noisy)
    assert not tells(Cut(np.full(size, 0.9 * slope / np.sqrt(size)), 0.0), goal)
    assert tells(Cut(np.full(size, 1.1 * slope / np.sqrt(size)), 0.0), goal)


def test_capacities_that_cannot_carry_the_load_do_not_serve():
    placed = scarce("ieee14", 0)
    load = float(placed.public.buses.pd.sum())
    assert load == pytest.approx(259.0)
    assert serves(placed, np.array([HEADROOM * load, 0.0]))
    assert not serves(placed, np.array([HEADROOM * load - 0.1, 0.0]))


# -- a grid whose optimum is known --------------------------------------------------------------


def two_units():
    """100 MW of load between a unit at 10 and one at 40 $/MWh: phi(v) = 4000 - 30 min(v_1, 100)."""
    network, _ = read_grid("ieee14")
    live = np.flatnonzero(network.units.pmax > 0)
    load = np.array([0.0, 100.0])
    buses = replace(
        network.buses.take(np.array([0, 1])), pd=load, qd=0 * load, gs=0 * load, bs=0 * load,
        vmin=load * 0 + 1, vmax=load * 0 + 1, type=np.array([REFERENCE, 2]),
    )  # fmt: skip
    free = np.zeros(1)
    line = network.branches.take(np.array([0]))
    branches = replace(line, r=free, b=free, rate_a=free, angmin=free, angmax=free)
    units = replace(network.units.take(live[:2]), bus=buses.id, pmax=load * 0 + 90, pmin=load * 0)
    costs = Costs.from_matrix(np.array([[2, 0, 0, 2, 10, 0], [2, 0, 0, 2, 40, 0]], dtype=float))
    return replace(network, buses=buses, branches=branches, units=units, costs=costs)


GOAL = Goal(2200.0, 0.1)
"""The band is 1980 to 2420 $/h: min(v_1, 100) from 52.67 to 67.33 MW."""


def case(noisy):
    grid = two_units()
    public, secret = split(grid, plan(api.read("ieee14"), Request(seed=0)).public.policy)
    return place(public, np.array(noisy, dtype=float), secret.moved, np.arange(2))


class Desk:
    """Solves what would be written, and keeps what was tried."""

    def __init__(self, goal=GOAL):
        self.goal, self.tried = goal, []

    def __call__(self, placed, v):
        grid = placed.grid(v)
        found = optimum(grid)
        own = found.cost if found.solved else None
        within = own is not None and self.goal.met_by(own)
        self.tried.append(v)
        return Attempt(v, grid, {}, Certificate(own, within, "", 0.0, found))


@pytest.mark.parametrize(
    ("noisy", "nearest"),
    [
        ((90, 60), (67.33, 60)),  # the cut alone
        ((150, 95), (67.33, 95)),  # no capacity binds at first
        ((90, 20), (67.33, 32.67)),  # the cut leaves too little to serve the load
        ((200, 0.5), (67.33, 32.67)),
    ],
)
def test_tightening_finds_the_nearest_point_in_the_band(noisy, nearest):
    placed, desk = case(noisy), Desk()
    start = placed.noisy if placed.noisy.sum() > 101 else np.array([90.0, 20.0])
    low = desk(placed, start)
    assert below(low, GOAL)
    made = Tightening(placed, GOAL, desk, NEVER).run(low)
    assert made.within
    least = np.hypot(*(np.array(nearest) - placed.noisy))
    assert least - 0.1 <= distance(placed, made) <= least + 1.5  # INSIDE and ROOM
    assert len(desk.tried) <= 8


@pytest.mark.parametrize("start", [(55, 46), (60, 60), (66, 40), (67, 34)])
def test_the_second_pass_comes_nearer_and_never_leaves_the_band(start):
    placed, desk = case((90, 60)), Desk()
    made = desk(placed, np.array(start, dtype=float))
    assert made.within
    near = Tightening(placed, GOAL, desk, NEVER).nearer(made)
    assert near.within
    assert distance(placed, near) <= distance(placed, made)
    assert distance(placed, near) <= 22.67 + 0.2
    assert len(desk.tried) <= 1 + NEARER


def test_the_second_pass_keeps_what_it_had_where_a_nearer_point_fails():
    placed, desk = case((90, 60)), Desk()
    made = desk(placed, np.array([60.0, 60.0]))

    def failing(placed, v):
        return replace(
            desk(placed, v), certificate=Certificate(None, within=False, reason="", seconds=0.0)
        )

    assert Tightening(placed, GOAL, failing, NEVER).nearer(made) is made


@pytest.mark.parametrize(("name", "beta", "raised"), [("ieee57", 0.02, 1.03)])
def test_on_real_grids_the_loop_ends_in_the_band_no_farther_than_a_random_point(name, beta, raised):
    network = api.read(name)
    planned = plan(network, Request(seed=0))
    secret = planned.secret
    placed = place(
        planned.public,
        planned.kind.values.real(secret.values),
        secret.moved,
        np.arange(len(secret)),
    )
    goal = Goal(raised * optimum(placed.grid(placed.noisy)).cost, beta)
    desk = Desk(goal)
    low = desk(placed, placed.noisy)
    assert below(low, goal)
    made = Tightening(placed, goal, desk, NEVER).run(low)
    assert made.within
    mix = np.random.default_rng(0)
    hits = 0
    for _ in range(15):
        shrink = mix.uniform(0.0, 1.0, len(placed.noisy)) ** 3
        v = np.maximum(0, placed.noisy + mix.uniform(0.9, 1.6) * (made.v - placed.noisy))
        v = np.where(mix.random(len(v)) < 0.5, v, np.round(placed.noisy * (1 - 0.3 * shrink), 2))
        other = desk(placed, np.round(v, 2))
        if other.within:
            hits += 1
            assert distance(placed, made) <= distance(placed, other) + 0.05
    assert hits >= 1


def test_nothing_is_tried_once_the_time_is_up():
    placed, desk = case((90, 60)), Desk()
    low = desk(placed, placed.noisy)
    over = Tightening(placed, GOAL, desk, Clock.start(0.0)).run(low)
    assert over is low
    assert len(desk.tried) == 1
