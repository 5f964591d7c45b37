# SPDX-License-Identifier: MIT
"""P_BL: brute force on three buses, two solvers, and what must hold of the bounds.

Random here chooses points to try against a proof, never what is released.
"""

import numpy as np
import pytest
from tests.power.dc_grids import bilevel, corners, three_buses

from pocin.errors import UsageError
from pocin.power.dc.bounds import bounds_within
from pocin.power.dc.engines import GAP, Highs, Scip
from pocin.power.dc.exact import nearest
from pocin.power.dc.problem import Norm, own_optimum
from pocin.power.dc.relaxed import project

NORMS = list(Norm)
BAND = 0.03

# noisy capacities, least-output ratio, cost figure; below the band unless said
BELOW = [
    ((102.81, 55.07, 25.33), 0.0, 1900.0),
    ((132.21, 90.39, 58.96), 0.0, 2376.0),
    ((70.91, 135.74, 49.53), 0.0, 2697.0),
    ((43.68, 56.16, 107.18), 0.0, 2736.0),
    ((133.94, 27.61, 63.7), 0.3, 1940.0),
    ((67.46, 33.71, 101.78), 0.3, 3183.0),
]
ABOVE = [
    ((37.56, 113.79, 88.3), 0.0, 2100.0),
    ((10.0, 30.0, 40.0), 0.0, 2900.0),
    ((78.54, 123.52, 49.98), 0.3, 1783.0),
]


def problem(case, room):
    noisy, rho, figure = case
    program = three_buses(rho=rho)
    return bilevel(program, noisy, (1 - BAND) * figure, (1 + BAND) * figure, room)


def feasible(p, v, rho):
    """Whether each row of v is feasible, by the corners alone; ``slip`` is what rounding may do."""
    slip = 1e-7 * p.high
    own, roomy = corners(v, rho=rho), corners(v, rho=rho, room=p.room)
    return (own >= p.low - slip) & (roomy <= p.high + slip)


def inside(centre, radius, norm, random, count):
    """Points of a ball, half of them near its surface."""
    way = random.normal(size=(count, 3))
    if norm is Norm.SUM:
        way = np.sign(way) * random.dirichlet(np.ones(3), count)
    length = np.linalg.norm(way, 1 if norm is Norm.SUM else 2, axis=1)
    share = np.concatenate([
        random.uniform(0.9, 0.998, count // 2), random.uniform(0, 0.998, count - count // 2),
    ])  # fmt: skip
    v = centre + radius * (share / length)[:, None] * way
    return v[np.all(v >= 0, axis=1)]


@pytest.mark.parametrize("norm", NORMS)
@pytest.mark.parametrize("case", BELOW + ABOVE)
def test_nothing_nearer_is_feasible(case, norm):
    p = problem(case, 0.97)
    found = nearest(p, norm)
    assert found.proved
    assert found.how == ("relaxed" if case in ABOVE else "tightened")
    assert feasible(p, found.v[None], case[1]).all()
    assert found.distance == pytest.approx(norm.of(found.v - p.noisy), rel=1e-9)
    assert found.distance > 1
    nearer = inside(p.noisy, found.distance, norm, np.random.default_rng(0), 3000)
    assert len(nearer) > 300
    assert not feasible(p, nearer, case[1]).any()


@pytest.mark.parametrize("norm", NORMS)
def test_points_beyond_are_feasible(norm):
    # The check above is blind if it calls everything infeasible: just outside, it must not.
    p = problem(BELOW[2], 0.97)
    found = nearest(p, norm)
    beyond = inside(found.v, 0.1 * found.distance, norm, np.random.default_rng(1), 500)
    assert feasible(p, beyond, 0.0).sum() > 50


@pytest.mark.parametrize("case", BELOW)
def test_the_papers_own_problem_has_no_room(case):
    p = problem(case, 1.0)
    found = nearest(p, Norm.SUM)
    assert found.proved
    assert feasible(p, found.v[None], case[1]).all()
    nearer = inside(p.noisy, found.distance, Norm.SUM, np.random.default_rng(2), 2000)
    assert not feasible(p, nearer, case[1]).any()
    assert found.distance <= nearest(problem(case, 0.97), Norm.SUM).distance * (1 + GAP)


@pytest.mark.parametrize("norm", NORMS)
@pytest.mark.parametrize("case", BELOW)
def test_highs_and_scip_agree(case, norm):
    pytest.importorskip("pyscipopt", reason="the extra proof is not installed")
    p = problem(case, 0.97)
    ours, other = nearest(p, norm, Highs()), nearest(p, norm, Scip())
    assert ours.proved
    assert other.proved
    assert ours.distance == pytest.approx(other.distance, rel=2 * GAP)


@pytest.mark.parametrize("engine", [Highs(), Scip()])
@pytest.mark.parametrize("norm", NORMS)
def test_the_program_alone_finds_the_optimum(norm, engine, monkeypatch):
    # Without what the half-spaces found: the branching must come to the same point by itself.
    if engine.name == "SCIP":
        pytest.importorskip("pyscipopt", reason="the extra proof is not installed")
    p = problem(BELOW[2], 0.97)
    known = nearest(p, norm)
    monkeypatch.setattr("pocin.power.dc.exact.tightened", lambda *_: None)
    monkeypatch.setattr("pocin.power.dc.exact.descend", lambda _, __, v: v)
    alone = nearest(p, norm, engine)
    assert alone.distance == pytest.approx(known.distance, rel=1e-3)
    assert own_optimum(p.program, alone.v).cost == pytest.approx(p.low, rel=1e-4)


def test_what_cannot_be_is_proved():
    program = three_buses()
    noisy = (100.0, 100.0, 100.0)
    dear = nearest(bilevel(program, noisy, 900.0, 1100.0), Norm.SUM)  # at least 1200 $/h
    assert (dear.v, dear.how, dear.proved) == (None, "too dear", True)
    assert corners(np.full((1, 3), 500.0))[0] > 1100
    cheap = nearest(bilevel(program, noisy, 4900.0, 5500.0, 0.97), Norm.SUM)  # at most 4800
    assert (cheap.v, cheap.how, cheap.proved) == (None, "too cheap", True)


def test_capacities_in_the_band_stay():
    program = three_buses()
    noisy = np.array([80.0, 60.0, 50.0])
    figure = corners(noisy[None])[0]
    for norm in NORMS:
        found = nearest(bilevel(program, noisy, 0.9 * figure, 1.1 * figure, 0.97), norm)
        assert (found.how, found.bound, found.distance) == ("relaxed", 0.0, 0.0)
        assert found.v.tolist() == noisy.tolist()


@pytest.mark.parametrize("case", BELOW)
@pytest.mark.parametrize("norm", NORMS)
def test_bounds_hold_wherever_the_band_is_met(case, norm):
    p = problem(case, 0.97)
    radius = nearest(p, norm).distance * 1.5
    bounds = bounds_within(p, norm, radius)
    assert bounds.finite
    never = np.setdiff1d(np.arange(len(p.program.limit)), bounds.rows)
    random, met = np.random.default_rng(3), 0
    candidates = inside(p.noisy, radius, norm, random, 4000)
    for v in candidates[feasible(p, candidates, case[1])][:150]:
        met += 1
        own = own_optimum(p.program, v)
        slack = p.program.limit + p.program.share @ v - p.program.rows @ own.x
        y = own.multipliers[bounds.rows]
        y = y - np.where(bounds.opposite >= 0, np.minimum(y, y[bounds.opposite]), 0.0)
        assert np.all(y <= bounds.multiplier + 1e-6)
        assert np.all(slack[bounds.rows] <= bounds.slack + 1e-6)
        assert np.all(own.multipliers[never] <= 1e-7)
        rents = p.program.share[bounds.rows].T @ y
        assert np.all(rents >= bounds.rents[0] - 1e-6)
        assert np.all(rents <= bounds.rents[1] + 1e-6)
        assert np.all((v >= bounds.lower) & (v <= bounds.upper))
    assert met > 5


@pytest.mark.parametrize("case", BELOW[:4])
def test_multiplier_bounds_are_of_the_size_of_the_costs(case):
    # The dearest unit costs 40 $/MWh; bounds of 1e4 would be of no use.
    p = problem(case, 0.97)
    found = nearest(p, Norm.SUM)
    bounds = bounds_within(p, Norm.SUM, found.distance)
    assert bounds.multiplier.max() < 400
    assert len(bounds.rows) < len(p.program.limit)


def test_quadratic_costs_relax_without_branching():
    program = three_buses(second=(0.05, 0.02, 0.1))
    noisy = (20.0, 150.0, 90.0)
    figure = 0.9 * own_optimum(program, np.array(noisy)).cost
    p = bilevel(program, noisy, 0.97 * figure, 1.03 * figure, 0.97)
    for norm in NORMS:
        found = nearest(p, norm)
        assert found.how == "relaxed"
        own = own_optimum(program, found.v).cost
        assert 0.97 * figure <= own <= 1.03 * figure * (1 + 1e-6)
        assert 1 < found.distance < np.inf
        for v in inside(p.noisy, found.distance, norm, np.random.default_rng(5), 10):
            away = project(bilevel(program, v, p.low, p.high, 0.97), norm)
            assert norm.of(away - v) > 0


@pytest.mark.slow
@pytest.mark.parametrize("norm", NORMS)
def test_quadratic_costs_below_the_band_take_scip(norm):
    pytest.importorskip("pyscipopt", reason="the extra proof is not installed")
    program = three_buses(second=(0.05, 0.02, 0.1))
    noisy = (60.0, 90.0, 60.0)
    figure = 1.15 * own_optimum(program, np.array(noisy)).cost
    p = bilevel(program, noisy, 0.97 * figure, 1.03 * figure, 0.97)
    with pytest.raises(UsageError, match=r"pocin\[proof\]"):
        nearest(p, norm, Highs())
    found = nearest(p, norm, Scip(seconds=60))
    assert found.proved
    assert own_optimum(program, found.v).cost == pytest.approx(p.low, rel=1e-6)
    for v in inside(p.noisy, found.distance, norm, np.random.default_rng(6), 400):
        assert own_optimum(program, v).cost < p.low * (1 + 1e-7)
