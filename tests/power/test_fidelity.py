# SPDX-License-Identifier: MIT
"""Phase 3: P_CL against its own constraints, by numpy, and against points found by brute force."""

from dataclasses import replace

import numpy as np
import pytest

from pocin import api
from pocin.cli import run
from pocin.errors import NotFaithfulError
from pocin.kinds import Goal
from pocin.plan import Request, plan
from pocin.power.fidelity import candidates, restore
from pocin.power.files import read_grid
from pocin.power.grid import REFERENCE, Costs
from pocin.power.opf import optimum
from pocin.power.placed import place
from pocin.power.projection import ROOM, roomy
from pocin.power.split import split

TOLERANCE = 1e-6  # of the solver, per unit


def placed_at_random(name, policy, seed, *, spread=0.6):
    """Shuffle the units of a case and make their capacities scarce: a hard set of draws."""
    network = api.read(name)
    planned = plan(network, Request(policy=policy, seed=0))
    secret, public = planned.secret, planned.public
    random = np.random.default_rng(seed)
    true = planned.kind.values.real(secret.values)
    noisy = np.round(true * random.uniform(1 - spread, 1.0, len(true)), 2)
    record = random.permutation(len(true))
    return place(public, noisy, secret.moved, record), network.published


def place_truth(network, zero=None):
    """Leave every unit where it is, as it is, but for one whose capacity is lost."""
    planned = plan(network, Request(seed=0))
    noisy = planned.kind.values.real(planned.secret.values)
    if zero is not None:
        noisy[zero] = 0.0
    return place(planned.public, noisy, planned.secret.moved, np.arange(len(noisy)))


def power_flow(grid, theta, v, p, q):
    """Return the residual at every bus and the apparent power at both ends of every branch."""
    b, br, u = grid.buses, grid.branches.take(grid.live_branches), grid.units
    start, end = np.searchsorted(b.id, br.from_bus), np.searchsorted(b.id, br.to_bus)
    voltage = v * np.exp(1j * theta)
    y = 1 / (br.r + 1j * br.x)
    near = voltage[start] / (np.where(br.tap == 0, 1, br.tap) * np.exp(1j * np.deg2rad(br.shift)))
    far = voltage[end]
    into = near * np.conj((y + 0.5j * br.b) * near - y * far)
    back = far * np.conj((y + 0.5j * br.b) * far - y * near)
    left = -(b.pd + 1j * b.qd + v**2 * (b.gs - 1j * b.bs)) / grid.base_mva
    np.add.at(left, np.searchsorted(b.id, u.bus), p + 1j * q)
    np.subtract.at(left, start, into)
    np.subtract.at(left, end, back)
    return left, np.maximum(np.abs(into), np.abs(back)), theta[start] - theta[end]


def limits_by_hand(placed, policy, v):
    """The policy's table, written out once more: pmin, qmin and qmax in MW at capacity v."""
    site, noisy = placed.public.site_limits, placed.noisy
    if policy == "derived":
        return 0 * v, -(0.4 * v + 10), 0.5 * v + 10
    if policy == "site":
        return np.minimum(site.pmin, v), site.qmin, site.qmax
    pmin, qmin, qmax = (
        rule[0] for rule in (placed.rules.pmin, placed.rules.qmin, placed.rules.qmax)
    )
    return np.minimum(np.minimum(pmin, noisy), v), qmin, qmax


@pytest.mark.parametrize("policy", ["derived", "unit", "site"])
@pytest.mark.parametrize("name", ["ieee14", "ieee30", "ieee118"])
def test_the_solution_satisfies_its_constraints(name, policy):
    placed, figure = placed_at_random(name, policy, 5, spread=0.3)
    goal = Goal(figure, 0.1)
    restored = restore(placed, goal)
    assert restored.affordable
    found = restored.solve
    grid = placed.grid(placed.noisy)
    base, n, sites = grid.base_mva, len(grid.buses), placed.public.site_rows
    theta, v, capacity = found.x[:n], found.x[n : 2 * n], found.x[-len(sites) - 1 : -1] * base
    left, apparent, angle = power_flow(grid, theta, v, found.p, found.q)
    lines = grid.branches.take(grid.live_branches)
    assert np.abs(left).max() < TOLERANCE
    assert np.all(apparent <= lines.rate_a / base + TOLERANCE)
    assert np.all(angle <= np.deg2rad(lines.angmax) + TOLERANCE)
    assert np.all(angle >= np.deg2rad(lines.angmin) - TOLERANCE)
    assert np.all((v >= grid.buses.vmin - TOLERANCE) & (v <= grid.buses.vmax + TOLERANCE))
    assert theta[grid.buses.type == REFERENCE] == 0.0
    p, q = found.p[sites] * base, found.q[sites] * base
    pmin, qmin, qmax = limits_by_hand(placed, policy, capacity)
    room = TOLERANCE * base
    assert np.all(p <= ROOM * capacity + room)
    assert np.all((p >= pmin - room) & (q >= qmin - room) & (q <= qmax + room))
    curves = grid.costs.coefficients
    cost = sum(np.polyval(c, at) for c, at in zip(curves, found.p * base, strict=True))
    assert cost <= (1 + ROOM * goal.beta) * figure * (1 + TOLERANCE)
    np.testing.assert_allclose(restored.v, capacity, atol=0.00501)


@pytest.mark.parametrize("policy", ["derived", "unit", "site"])
def test_limits_move_with_the_capacity_as_the_policy_says(policy):
    placed, _ = placed_at_random("ieee118", policy, 1)
    for scale in (0.5, 1.0, 1.5):
        v = np.round(scale * placed.noisy, 2)
        released = placed.grid(v).units.take(placed.public.site_rows)
        pmin, qmin, qmax = limits_by_hand(placed, policy, v)
        np.testing.assert_array_equal(released.pmax, v)
        np.testing.assert_allclose(released.pmin, pmin, atol=1e-9)
        np.testing.assert_allclose(released.qmin, qmin, atol=1e-9)
        np.testing.assert_allclose(released.qmax, qmax, atol=1e-9)
        assert np.all(released.pmin <= released.pmax)


@pytest.mark.parametrize(("policy", "moves"), [("unit", True), ("site", False)])
def test_reactive_limits_travel_or_stay(policy, moves):
    network, _ = read_grid("ieee118")
    planned = plan(api.read("ieee118"), Request(policy=policy, seed=0))
    secret = planned.secret
    record = np.roll(np.arange(len(secret)), 1)
    noisy = planned.kind.values.real(secret.values)
    placed = place(planned.public, noisy, secret.moved, record)
    released = placed.grid(placed.noisy).units.take(placed.public.site_rows)
    units = network.units.take(network.units.pmax > 0)
    there = units.take(np.argsort(units.bus))
    expected = there.take(record) if moves else there
    np.testing.assert_array_equal(released.qmax, expected.qmax)
    np.testing.assert_array_equal(released.qmin, expected.qmin)
    np.testing.assert_array_equal(released.bus, there.bus)
    np.testing.assert_array_equal(released.pmax, there.take(record).pmax)


# -- no point is nearer -------------------------------------------------------------------------


def two_units():
    """Two units on a line without losses or a limit that binds; 100 MW of load; linear costs."""
    network, _ = read_grid("ieee14")
    ends = np.array([0, 1])
    live = np.flatnonzero(network.units.pmax > 0)
    load = np.array([0.0, 100.0])
    buses = replace(
        network.buses.take(ends), pd=load, qd=0 * load, gs=0 * load, bs=0 * load,
        vmin=load * 0 + 1, vmax=load * 0 + 1, type=np.array([REFERENCE, 2]),
    )  # fmt: skip
    line = network.branches.take(np.array([0]))
    free = np.zeros(1)
    branches = replace(line, r=free, b=free, rate_a=free, angmin=free, angmax=free)
    units = replace(network.units.take(live[:2]), bus=buses.id, pmax=load * 0 + 90, pmin=load * 0)
    costs = Costs.from_matrix(np.array([[2, 0, 0, 2, 10, 0], [2, 0, 0, 2, 40, 0]], dtype=float))
    return replace(network, buses=buses, branches=branches, units=units, costs=costs)


@pytest.mark.parametrize("noisy", [(30, 40), (5, 150), (80, 10), (0.5, 0.5), (45, 60), (90, 95)])
def test_two_units_against_every_point_of_a_lattice(noisy):
    # Feasible: some p with 0 <= p_i <= 0.995 v_i, p_1 + p_2 = 100, 10 p_1 + 40 p_2 <= 1.0995 * 2200
    grid = two_units()
    public, secret = split(grid, plan(api.read("ieee14"), Request(seed=0)).public.policy)
    goal = Goal(2200.0, 0.1)
    noisy = np.array(noisy, dtype=float)
    placed = place(public, noisy, secret.moved, np.arange(2))
    restored = restore(placed, goal)
    assert restored.affordable
    least = (4000 - (1 + ROOM * goal.beta) * goal.figure) / 30  # of p_1, for the cost
    first, second = np.meshgrid(np.arange(0, 200, 0.1), np.arange(0, 200, 0.1))
    feasible = (ROOM * first >= least) & (ROOM * (first + second) >= 100)
    away = np.hypot(first - noisy[0], second - noisy[1])
    nearest = away[feasible].min()
    found = np.hypot(*(restored.v - noisy))
    assert found <= nearest + 0.02
    assert found >= nearest - 0.16  # a lattice cell's diagonal, and rounding
    assert ROOM * restored.v[0] >= least - 0.02
    assert ROOM * restored.v.sum() >= 100 - 0.02


@pytest.mark.parametrize("name", ["ieee14", "ieee30"])
def test_no_random_feasible_point_is_nearer(name):
    placed, figure = placed_at_random(name, "derived", 2, spread=0.7)
    goal = Goal(figure, 0.05)
    restored = restore(placed, goal)
    assert restored.affordable
    distance = np.linalg.norm(restored.v - placed.noisy)
    assert distance > 1
    random = np.random.default_rng(3)
    nearest, hits = np.inf, 0
    for _ in range(100):
        # between the solution and anywhere: near its distance, on both sides of it
        step = random.normal(size=len(restored.v)) * random.choice([0.02, 0.1, 0.3]) * distance
        v = np.maximum(0, placed.noisy + random.uniform(0.8, 1.3) * (restored.v - placed.noisy))
        v = np.maximum(0, v + step)
        tight = placed.grid(v)
        pmax = tight.units.pmax.copy()
        pmax[placed.public.site_rows] *= ROOM
        found = optimum(replace(tight, units=replace(tight.units, pmax=pmax)))
        if found.solved and found.cost <= (1 + ROOM * goal.beta) * figure:
            hits += 1
            nearest = min(nearest, np.linalg.norm(v - placed.noisy))
    assert hits >= 20
    assert distance <= nearest + 0.02


# -- what comes of it ---------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["ieee30", "ieee118"])
def test_capacities_are_whole_hundredths(name):
    placed, figure = placed_at_random(name, "derived", 4)
    v = restore(placed, Goal(figure, 0.1)).v
    assert not np.array_equal(v, placed.noisy)
    assert v.tolist() == [float(f"{x:.2f}") for x in v]
    assert np.all(v >= 0)


def test_noisy_capacities_that_serve_are_tried_first():
    network = api.read("ieee14")
    placed = place_truth(network)
    noisy = placed.noisy
    restored = restore(placed, Goal(network.published, 0.1))

    def tried(v):
        return [c.tolist() for c in candidates(placed, replace(restored, v=v))]

    near = np.round(1.01 * noisy, 2)
    far = np.round(1.03 * noisy, 2)
    assert tried(near) == [noisy.tolist(), near.tolist()]
    assert tried(far) == [far.tolist()]
    assert tried(noisy) == [noisy.tolist()]


def test_a_unit_whose_noisy_capacity_is_zero_may_be_near():
    # P_CL ends inside its bounds: 0.00 MW comes back as 0.01.
    network = api.read("ieee118")
    placed = place_truth(network, zero=3)
    restored = restore(placed, Goal(network.published, 0.1))
    v = placed.noisy.copy()
    v[3] = 0.01
    assert next(candidates(placed, replace(restored, v=v))).tolist() == placed.noisy.tolist()


def test_a_hopeless_goal_ends_with_4_and_no_file(tmp_path, capfd):
    ledger = ["--ledger", str(tmp_path / "ledger.sqlite")]
    target = ["-o", str(tmp_path / "released.m"), "--cost-figure", "217.81"]
    assert run(["release", "ieee14", *target, *ledger]) == NotFaithfulError.exit_code == 4
    told = capfd.readouterr()
    assert told.out == ""
    last = told.err.splitlines()[-1]
    assert last.startswith("pocin: no faithful release: ")
    assert last.endswith("; the privacy spent stays spent, and no file was written")
    assert list(tmp_path.glob("*released*")) == []
    assert run(["ledger", "show", "ieee14", *ledger]) == 0
    assert capfd.readouterr().out.startswith("Spent on this network so far: 2 ")


def test_sites_that_are_too_dear_are_told_by_how_much():
    # At least 4000 - 30 p_1 for p_1 <= 100 MW: 1000 $/h is a third too much for 682 * 1.0995 = 750.
    grid = two_units()
    public, secret = split(grid, plan(api.read("ieee14"), Request(seed=0)).public.policy)
    placed = place(public, np.array([90.0, 90.0]), secret.moved, np.arange(2))
    goal = Goal(750 / (1 + 0.1 * ROOM), 0.1)
    restored = restore(placed, goal)
    assert restored.solve.solved
    assert not restored.affordable
    assert restored.excess == pytest.approx(1 / 3, rel=1e-4)


def test_a_hopeless_goal_in_the_library():
    network = api.read("ieee14")
    with pytest.raises(NotFaithfulError, match=r"^no faithful release: .*; nothing was spent"):
        api.release(network, cost_figure=network.published / 10, seed=0)


@pytest.mark.parametrize("ratio", [0.0, 0.3])
def test_room_stays_inside_the_limits(ratio):
    network = api.read("ieee118")
    planned = plan(network, Request(seed=0, constants=(("pmin_ratio", ratio),)))
    noisy = planned.kind.values.real(planned.secret.values)
    placed = place(planned.public, noisy, planned.secret.moved, np.arange(len(noisy)))
    inner = roomy(placed.rules)
    for v in (0 * noisy, noisy, 10 * noisy):
        pmin, qmin, qmax = placed.rules.at(v)
        least, low, high = inner.at(v)
        assert np.all(least >= pmin)
        assert np.array_equal(least, pmin) is (ratio == 0.0 or not v.any())
        assert low - qmin == pytest.approx((1 - ROOM) * (qmax - qmin))
        assert qmax - high == pytest.approx((1 - ROOM) * (qmax - qmin))


def test_a_reader_has_room_where_reactive_power_alone_asks_for_capacity():
    # Units of 0 to 20 % capacity: without the 10 MVAr of the policy, much of v is there for q.
    network = api.read("ieee118")
    constants = (("qmax_offset", 0.0), ("qmin_offset", 0.0), ("qmax_slope", 0.2))
    planned = plan(network, Request(seed=0, constants=constants))
    noisy = np.round(0.2 * planned.kind.values.real(planned.secret.values), 2)
    placed = place(planned.public, noisy, planned.secret.moved, np.arange(len(noisy)))
    restored = restore(placed, Goal(network.published, 0.1))
    assert restored.affordable
    sites, base = placed.public.site_rows, placed.public.base_mva
    _, qmin, qmax = placed.rules.at(restored.v)
    q = restored.solve.q[sites] * base
    spare = np.minimum(qmax - q, q - qmin)
    assert np.all(spare >= 0.9 * (1 - ROOM) * (qmax - qmin) - 1e-4 * base)
    tight = spare <= 1.1 * (1 - ROOM) * (qmax - qmin)
    assert np.any(tight & (restored.v > 1))  # the rows are active: the test can fail
    assert optimum(placed.grid(restored.v)).solved
