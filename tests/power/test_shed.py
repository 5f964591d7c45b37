# SPDX-License-Identifier: MIT
"""Least load shed: by hand on small grids, above an LP's bound and always solved on the cases."""

from dataclasses import replace
from functools import cache

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from scipy.optimize import linprog
from scipy.sparse import coo_array, csr_array, hstack

import pocin
from pocin.power.damage import shed
from pocin.power.damage.shed import least_shed, limits_without
from pocin.power.damage.target import by_public_id
from pocin.power.matpower import parse_matpower
from pocin.power.opf import Wires, optimum

NONE = np.zeros(0, dtype=np.int64)


def small(buses, lines, units):
    """A grid of rows (bus, Pd, Qd, Vmin, Vmax), (from, to, r, x, rate), (bus, Pmax, Pmin, Qmax)."""
    bus = "\n".join(
        f"{i} {3 if k == 0 else 1} {pd} {qd} 0 0 1 1 0 100 1 {high} {low};"
        for k, (i, pd, qd, low, high) in enumerate(buses)
    )
    line = "\n".join(f"{i} {j} {r} {x} 0 {s} 0 0 0 0 1 -360 360;" for i, j, r, x, s in lines)
    unit = "\n".join(f"{i} 0 0 {q} {-q} 1 100 1 {p} {least};" for i, p, least, q in units)
    cost = "\n".join(f"2 0 0 2 {10 + k} 0;" for k in range(len(units)))
    return parse_matpower(
        "function mpc = small\nmpc.version = '2';\nmpc.baseMVA = 100;\n"
        f"mpc.bus = [\n{bus}\n];\nmpc.gen = [\n{unit}\n];\n"
        f"mpc.branch = [\n{line}\n];\nmpc.gencost = [\n{cost}\n];\n",
        "small",
    )


def flat(*loads):
    """Buses 1, 2, ... with these loads, and voltages held at 1."""
    return [(k + 1, load, 0, 1, 1) for k, load in enumerate(loads)]


CONDENSERS = [(bus, 0, 0, 300) for bus in (1, 2, 3)]
"""With voltages held, every bus must balance its own reactive power."""


# -- by hand ------------------------------------------------------------------------------------


def three(rate=0):
    """150 MW at bus 3, units of 100 and 80 MW at buses 1 and 2, condensers at all; no losses."""
    return small(
        flat(0, 0, 150),
        [(1, 2, 0, 0.1, 0), (1, 3, 0, 0.1, rate), (2, 3, 0, 0.1, rate)],
        [(1, 100, 0, 300), (2, 80, 0, 300), *CONDENSERS],
    )


@pytest.mark.parametrize(("hit", "left"), [([], 180), ([0], 80), ([1], 100), ([0, 1], 0)])
def test_what_the_rest_cannot_produce_is_shed(hit, left):
    found = least_shed(three(), np.array(hit, dtype=np.int64))
    assert found.solve.solved
    assert found.shed == pytest.approx(max(0, 150 - left), abs=2e-2)
    assert found.imbalance == pytest.approx(0, abs=1e-2)


def test_serving_the_rest_costs_what_its_units_cost():
    # 10 $/MWh at bus 1 and 11 $/MWh at bus 2: all of the cheap one, the rest from the other.
    assert least_shed(three(), NONE).cost == pytest.approx(100 * 10 + 50 * 11, rel=1e-3)
    assert least_shed(three(), np.array([0])).cost == pytest.approx(80 * 11, rel=1e-3)


def test_a_line_holds_back_what_a_unit_could_send():
    # Both voltages 1, lossless: the line carries P = 10 sin(d) with S = 20 sin(d / 2) <= 0.3.
    grid = small(
        flat(0, 50), [(1, 2, 0, 0.1, 30)], [(1, 100, 0, 300), (2, 60, 0, 0), (2, 0, 0, 300)]
    )
    arrives = 100 * 10 * np.sin(2 * np.arcsin(0.015))
    assert least_shed(grid, NONE).shed == pytest.approx(0, abs=1e-2)
    assert least_shed(grid, np.array([1])).shed == pytest.approx(50 - arrives, abs=2e-2)


def test_load_is_shed_at_its_power_factor():
    # 100 MW and 60 MVAr at a bus whose unit gives 30 MVAr at the most: half of both can be served.
    grid = small(
        [(1, 100, 60, 1, 1), (2, 0, 0, 1, 1)],
        [(1, 2, 0, 0.1, 0)],
        [(1, 200, 0, 30), (2, 50, 0, 300)],
    )
    # the unit hit stands behind the line; with equal voltages no reactive power passes a line
    assert least_shed(grid, np.array([1])).shed == pytest.approx(50, abs=2e-2)


def test_a_unit_may_be_switched_off():
    # Without the unit at bus 2 nobody takes the 60 MW that the other may not go below.
    units = [(1, 100, 60, 300), (2, 100, 0, 300), *CONDENSERS[:2]]
    grid = small(flat(20, 40), [(1, 2, 0, 0.1, 10)], units)
    found = least_shed(grid, np.array([1]))
    assert found.shed == pytest.approx(40 - 100 * 10 * np.sin(2 * np.arcsin(0.005)), abs=2e-2)


def test_what_no_shedding_helps_counts_as_not_served():
    # A shunt of 5 MW at a bus without load or unit: it must draw, and nobody sends.
    grid = small(flat(0, 10), [(1, 2, 0, 0.1, 0)], [(1, 100, 0, 300), *CONDENSERS[:2]])
    buses = replace(grid.buses, gs=np.array([5.0, 0.0]))
    found = least_shed(replace(grid, buses=buses), np.array([0]))
    assert found.solve.solved
    assert found.shed == pytest.approx(10 + 5, abs=2e-2)
    assert found.imbalance > 4.9


# -- against independent bounds -----------------------------------------------------------------


@cache
def case(name):
    return by_public_id(pocin.read(name).content)


def transported(grid, hit):
    """A bound from below: power as goods on lines, nothing created on the way, nothing lost.

    The AC model obeys all of it where r >= 0: what enters a line is at least what leaves it, and
    neither end carries more than the rating.
    """
    w, limits = Wires.of(grid), limits_without(grid, hit)
    n, m = len(w.pd), len(w.r)
    assert np.all(w.r >= 0)

    def at(rows, count):
        return csr_array(coo_array((np.ones(count), (rows, np.arange(count))), shape=(n, count)))

    spill = -csr_array(np.eye(n))
    shed = csr_array(np.diag(np.maximum(w.pd, 0)))
    lines = [-at(w.start, m), -at(w.end, m)]
    balance = hstack([at(w.unit_bus, len(limits.pmax)), shed, spill, *lines])
    draw = np.where(w.gs > 0, w.gs * w.vmin**2, w.gs * w.vmax**2)
    zero = csr_array((m, balance.shape[1] - 2 * m))
    eye = csr_array(np.eye(m))
    bounds = [
        *zip(limits.pmin, limits.pmax, strict=True),
        *[(0, 1)] * n,
        *[(0, None)] * n,
        *[(-s, s) if s > 0 else (None, None) for s in np.tile(w.rate, 2)],
    ]
    cost = np.concatenate([np.zeros(len(limits.pmax)), np.maximum(w.pd, 0), np.zeros(n + 2 * m)])
    found = linprog(
        cost,
        A_ub=hstack([zero, -eye, -eye]),
        b_ub=np.zeros(m),
        A_eq=balance,
        b_eq=w.pd + draw,
        bounds=bounds,
    )
    return None if found.status == 2 else found.fun * w.base_mva


@pytest.mark.parametrize("name", ["ieee14", "ieee30", "ieee57", "ieee118"])
@given(data=st.data())
@settings(max_examples=12, deadline=None, suppress_health_check=list(HealthCheck))
def test_any_units_may_go_and_the_lp_is_below(name, data):
    grid = case(name)
    gone = data.draw(st.lists(st.booleans(), min_size=len(grid.units), max_size=len(grid.units)))
    hit = np.flatnonzero(gone)
    found = least_shed(grid, hit)
    load = float(np.maximum(grid.buses.pd, 0).sum())
    assert found.solve.solved, found.solve.status
    bound = transported(grid, hit)
    assert found.shed <= load + found.imbalance + 1e-2
    if bound is not None:
        assert found.shed >= bound - 1e-2


@pytest.mark.slow
@given(data=st.data())
@settings(max_examples=40, deadline=None, suppress_health_check=list(HealthCheck))
def test_any_units_of_the_largest_case_may_go(data):
    grid = case("ieee300")
    gone = data.draw(st.lists(st.booleans(), min_size=len(grid.units), max_size=len(grid.units)))
    assert least_shed(grid, np.flatnonzero(gone)).solve.solved


@pytest.mark.parametrize("share", [0.3, 1.0])
def test_many_units_of_the_largest_case_may_go(share):
    grid = case("ieee300")
    hit = np.random.default_rng(0).permutation(len(grid.units))[: int(share * len(grid.units))]
    found = least_shed(grid, hit)
    assert found.solve.solved
    assert 0 < found.shed <= float(np.maximum(grid.buses.pd, 0).sum()) + found.imbalance


@pytest.mark.parametrize("k", [2, 6])
def test_the_second_aim_leaves_the_first_at_its_least(k, monkeypatch):
    # The same without any cost of generation, where only load counts.
    grid = case("ieee118")
    hit = np.flatnonzero(grid.units.pmax > 0)[-k:]
    both = least_shed(grid, hit)
    monkeypatch.setattr(shed, "VALUE", 1e8)
    alone = least_shed(grid, hit)
    assert both.shed == pytest.approx(alone.shed, rel=1e-4, abs=1e-2)


def test_the_whole_grid_costs_its_ac_optimum():
    # No IEEE unit has a least output, so that both models have the same optimum.
    for name in ("ieee14", "ieee118"):
        found = least_shed(case(name), NONE)
        assert found.shed == pytest.approx(0, abs=1e-2)
        assert found.cost == pytest.approx(optimum(case(name)).cost, rel=1e-3)


def test_without_a_unit_that_can_be_spared_it_is_the_optimum_of_the_rest():
    grid = case("ieee118")
    sites = np.flatnonzero(grid.units.pmax > 0)
    hit = int(next(site for site in sites if least_shed(grid, np.array([site])).shed == 0))
    nothing = np.where(np.arange(len(grid.units)) == hit, 0.0, 1.0)
    u = grid.units
    rest = replace(
        u,
        pmax=u.pmax * nothing,
        pmin=u.pmin * nothing,
        qmax=u.qmax * nothing,
        qmin=u.qmin * nothing,
    )
    found = least_shed(grid, np.array([hit]))
    assert found.cost == pytest.approx(optimum(replace(grid, units=rest)).cost, rel=1e-3)
