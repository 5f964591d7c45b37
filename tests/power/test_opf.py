# SPDX-License-Identifier: MIT
"""The AC optimal power flow: published optima, cases solved by hand, and PYPOWER's answers."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from scipy.optimize import brentq, linprog

from pocin.power.cases import builtin
from pocin.power.curves import cost_terms, shape_of
from pocin.power.files import read_grid
from pocin.power.grid import (
    PIECEWISE_LINEAR,
    POLYNOMIAL,
    PQ,
    PV,
    REFERENCE,
    Branches,
    Buses,
    Costs,
    Grid,
    Units,
)
from pocin.power.matpower import format_matpower, parse_matpower
from pocin.power.opf import AcModel, limits_of, model_of, optimum, terms_of
from pocin.power.wires import Wires

NESTA = Path(__file__).resolve().parents[3] / "shared" / "data" / "power"


# -- small grids -------------------------------------------------------------------------------


def buses(pd, qd=0.0, *, vmin=1.0, vmax=1.0) -> Buses:
    """Buses 1, 2, ...; voltages are held at 1 unless said."""
    n = len(pd)
    ones, zeros, whole = np.ones(n), np.zeros(n), np.ones(n, dtype=int)
    return Buses(
        id=np.arange(1, n + 1),
        type=np.array([REFERENCE] + [PQ] * (n - 1)),
        pd=np.array(pd, dtype=float),
        qd=np.array(qd) + zeros,
        gs=zeros,
        bs=zeros,
        area=whole,
        vm=ones,
        va=zeros,
        base_kv=ones,
        zone=whole,
        vmax=vmax * ones,
        vmin=vmin * ones,
    )


def branches(ends, **columns) -> Branches:
    """Lines of x = 0.1 and nothing else unless said."""
    n = len(ends)
    plain = {"r": 0, "x": 0.1, "b": 0, "rate_a": 0, "rate_b": 0, "rate_c": 0, "tap": 0, "shift": 0}
    plain |= {"angmin": -360, "angmax": 360} | columns
    whole = {name: np.zeros(n) + np.asarray(value) for name, value in plain.items()}
    start, end = np.array(ends).T
    return Branches(from_bus=start, to_bus=end, status=np.ones(n, dtype=int), **whole)


def units(bus, pmax, *, pmin=0.0, q=300.0) -> Units:
    n = len(bus)
    ones = np.ones(n)
    return Units(
        bus=np.array(bus),
        pg=0 * ones,
        qg=0 * ones,
        qmax=q * ones,
        qmin=-q * ones,
        vg=ones,
        mbase=100 * ones,
        status=np.ones(n, dtype=int),
        pmax=pmax * ones,
        pmin=pmin * ones,
    )


def polynomials(*curves) -> Costs:
    """Curves, highest power first."""
    n = max(map(len, curves))
    rows = [[POLYNOMIAL, 0, 0, n, *[0] * (n - len(curve)), *curve] for curve in curves]
    return Costs.from_matrix(np.array(rows, dtype=float))


def piecewise(*curves) -> Costs:
    """Curves as lists of points (MW, $/h)."""
    width = 2 * max(map(len, curves))
    rows = [
        [PIECEWISE_LINEAR, 0, 0, len(points), *np.ravel(points), *[0] * (width - 2 * len(points))]
        for points in curves
    ]
    return Costs.from_matrix(np.array(rows, dtype=float))


def grid(bus_table, branch_table, unit_table, costs) -> Grid:
    return Grid(100.0, bus_table, branch_table, unit_table, costs)


def solved(network):
    found = optimum(network)
    assert found.solved, found.status
    return found


# -- against figures that others published ------------------------------------------------------


@pytest.mark.parametrize("name", builtin())
def test_pglib_optima_to_the_five_digits_it_prints(name):
    network, published = read_grid(name)
    assert f"{solved(network).cost:.4e}" == f"{published:.4e}"


@pytest.mark.parametrize(
    ("n", "published"), [(14, "244.05"), (30, "204.97"), (57, "1143.27"), (118, "3718.64")]
)
def test_nesta_optima_to_the_cent(n, published):
    path = NESTA / f"nesta_case{n}_ieee.m"
    if not path.exists():
        pytest.skip("the NESTA files are not beside the repository")
    network, _ = read_grid(path)
    assert f"{solved(network).cost:.2f}" == published


# -- against results by hand --------------------------------------------------------------------


def test_a_congested_line_splits_the_dispatch():
    # Lossless, both voltages 1, delta across x = 0.1: P = 10 sin(delta), Q at either end is
    # 10 (1 - cos(delta)), so S = 20 sin(delta/2) <= 0.3 gives delta = 2 asin(0.015).
    network = grid(
        buses([0, 50]),
        branches([(1, 2)], rate_a=30),
        units([1, 2], 100),
        polynomials([10, 0], [20, 5]),
    )
    cheap = 100 * 10 * np.sin(2 * np.arcsin(0.015))
    found = solved(network)
    assert found.p * 100 == pytest.approx([cheap, 50 - cheap], abs=1e-4)
    assert found.cost == pytest.approx(10 * cheap + 20 * (50 - cheap) + 5, rel=1e-7)


def test_losses_of_a_line():
    # The far end takes 0.8: g cos(delta) - b sin(delta) - g = -0.8 with y = g + jb, v = 1.
    y = 1 / (0.02 + 0.1j)
    network = grid(
        buses([0, 80], 10),
        branches([(1, 2)], r=0.02),
        units([1, 2], np.array([200, 0])),
        polynomials([0.01, 10, 100], [0, 0, 0]),
    )
    delta = brentq(
        lambda d: y.real - y.real * np.cos(d) + y.imag * np.sin(d) + 0.8, 0, 0.5, xtol=1e-14
    )
    sent = 100 * (y.real - y.real * np.cos(delta) - y.imag * np.sin(delta))
    found = solved(network)
    assert found.p[0] * 100 == pytest.approx(sent, abs=1e-5)
    assert found.cost == pytest.approx(0.01 * sent**2 + 10 * sent + 100, rel=1e-7)


def test_shunts_and_charging():
    # Both voltages 1.1: the conductance draws 5 * 1.21 MW, the line takes P = 12.1 sin(delta) to
    # it; each end of the line takes 12.1 (1 - cos(delta)) MVAr less less its charging.
    network = grid(
        replace(
            buses([20, 0], [30, 0], vmin=1.1, vmax=1.1),
            gs=np.array([0.0, 5.0]),
            bs=np.array([0.0, 12.0]),
        ),
        branches([(1, 2)], b=0.08),
        units([1, 2], np.array([100, 0])),
        polynomials([1, 0], [0, 0]),
    )
    delta = np.arcsin(0.05 * 1.21 / 12.1)
    end = 12.1 * (1 - np.cos(delta)) - 0.04 * 1.21
    found = solved(network)
    assert found.p * 100 == pytest.approx([20 + 5 * 1.21, 0], abs=1e-5)
    assert found.q == pytest.approx([0.3 + end, end - 0.12 * 1.21], abs=1e-6)


def test_piecewise_linear_costs_are_an_lp():
    curves = (
        [(0, 0), (50, 500), (100, 1500), (200, 5500)],
        [(0, 100), (80, 1300), (200, 4900)],
        [(0, 0), (200, 7000)],
    )
    network = grid(buses([0, 0, 210]), branches([(1, 2), (2, 3)]), units([1, 2, 3], 200),
                   piecewise(*curves))  # fmt: skip
    # min sum y_g  s.t.  y_g >= each line, sum p = 210
    rows, bounds = [], []
    for k, points in enumerate(curves):
        x, y = np.array(points, dtype=float).T
        for slope, at, value in zip(np.diff(y) / np.diff(x), x, y, strict=False):
            row = np.zeros(6)
            row[k], row[3 + k] = slope, -1
            rows.append(row)
            bounds.append(slope * at - value)
    answer = linprog(
        [0, 0, 0, 1, 1, 1], rows, bounds, [[1, 1, 1, 0, 0, 0]], [210],
        bounds=[(0, 200)] * 3 + [(None, None)] * 3,
    )  # fmt: skip
    assert answer.fun == pytest.approx(100 * 10 + 500 + 80 * 15 + 100 + 30 * 30)  # by merit order
    assert solved(network).cost == pytest.approx(answer.fun, rel=1e-6)


def test_polynomial_and_piecewise_costs_side_by_side():
    # The marginal cost 0.1 p + 5 meets the step from 10 to 40 $/MWh at 60 MW: 125 MW by the other.
    costs = Costs.from_matrix(
        np.array(
            [
                [PIECEWISE_LINEAR, 0, 0, 3, 0, 0, 60, 600, 100, 2200],
                [POLYNOMIAL, 0, 0, 3, 0.05, 5, 7, 0, 0, 0],
            ],
            dtype=float,
        )
    )
    network = grid(buses([0, 185]), branches([(1, 2)]), units([1, 2], 200), costs)
    found = solved(network)
    assert found.p * 100 == pytest.approx([60, 125], abs=1e-3)
    assert found.cost == pytest.approx(600 + 0.05 * 125**2 + 5 * 125 + 7, rel=1e-7)


@pytest.mark.parametrize(
    ("curves", "first"),
    [
        # equal marginal costs: 0.04 p + 10 = 0.02 (100 - p) + 12 at p = 200/3
        (([0.02, 10, 3], [0.01, 12, 4]), 200 / 3),
        # 3e-4 p^2 + 10 = 0.02 (100 - p) + 11: 3e-4 p^2 + 0.02 p - 3 = 0
        (([1e-4, 0, 10, 3], [0.01, 11, 4]), (-0.02 + np.sqrt(0.02**2 + 4 * 3e-4 * 3)) / 6e-4),
    ],
    ids=["quadratic", "cubic"],
)
def test_marginal_costs_are_equal_at_the_optimum(curves, first):
    network = grid(buses([0, 100]), branches([(1, 2)]), units([1, 2], 200), polynomials(*curves))
    found = solved(network)
    p = np.array([first, 100 - first])
    assert found.p * 100 == pytest.approx(p, abs=1e-2)
    by_hand = sum(np.polyval(curve, at) for curve, at in zip(curves, p, strict=True))
    assert found.cost == pytest.approx(by_hand, rel=1e-7)


@pytest.mark.parametrize(
    ("ends", "limit"), [((1, 2), {"angmax": 2}), ((2, 1), {"angmin": -2})], ids=["max", "min"]
)
def test_angle_limits(ends, limit):
    # P = 10 sin(2 degrees) can cross, in whichever direction the branch is written
    limits = {"angmin": -30, "angmax": 30} | limit
    network = grid(
        buses([0, 80]),
        branches([ends], **limits),
        units([1, 2], 100),
        polynomials([10, 0], [20, 0]),
    )
    assert solved(network).p[0] == pytest.approx(10 * np.sin(np.deg2rad(2)), abs=1e-6)


def test_two_zeros_are_no_angle_limit():
    limits = {"angmin": np.array([0, -2]), "angmax": np.array([0, 2])}
    network = grid(
        buses([0, 80, 0], vmin=0.99, vmax=1.01),
        branches([(1, 2), (2, 3)], **limits),
        units([1, 2], 100),
        polynomials([10, 0], [20, 0]),
    )
    assert solved(network).p[0] == pytest.approx(0.8, abs=1e-6)


def test_a_point_that_is_only_feasible_is_not_an_optimum():
    # As many equations as free variables: the solver then looks for a feasible point only.
    network = grid(
        buses([0, 80, 0]),
        branches([(1, 2), (2, 3)], angmin=-30, angmax=30),
        units([1, 2], 100),
        polynomials([10, 0], [20, 0]),
    )
    found = optimum(network)
    assert (found.solved, found.status) == (False, "Feasible_Point_Found")


def test_units_at_one_bus_share_it():
    # Two halves of a unit, each with the curve of less its output, cost what the whole does.
    two = buses([0, 150], 20, vmin=0.9, vmax=1.1), branches([(1, 2)], r=0.01)
    whole = grid(*two, units([1], 200), polynomials([0.02, 10, 40]))
    halves = grid(*two, units([1, 1], 100, q=150), polynomials([0.04, 10, 20], [0.04, 10, 20]))
    found = solved(halves)
    assert found.cost == pytest.approx(solved(whole).cost, rel=1e-7)
    assert found.p[0] == pytest.approx(found.p[1], abs=1e-5)


def test_what_is_out_of_service_plays_no_part():
    network = grid(
        buses([0, 50]),
        branches([(1, 2), (1, 2)], rate_a=np.array([30, 100])),
        units([1, 2, 1], 100),
        polynomials([10, 0], [20, 0], [1, 0]),
    )
    off = replace(
        network,
        branches=replace(network.branches, status=np.array([1, 0])),
        units=replace(network.units, status=np.array([1, 1, 0])),
    )
    cheap = 100 * 10 * np.sin(2 * np.arcsin(0.015))
    assert solved(off).cost == pytest.approx(10 * cheap + 20 * (50 - cheap), rel=1e-7)


def test_no_rating_and_no_angle_limit_at_all():
    free = {"rate_a": 0, "angmin": 0, "angmax": 0}
    two = buses([0, 80]), branches([(1, 2)], **free)
    network = grid(*two, units([1, 2], 100), polynomials([10, 0], [20, 0]))
    assert solved(network).p[0] == pytest.approx(0.8, abs=1e-6)


def test_too_little_capacity_is_told():
    network = grid(buses([0, 50]), branches([(1, 2)]), units([1], 40), polynomials([10, 0]))
    found = optimum(network)
    assert not found.solved
    assert found.status == "Infeasible_Problem_Detected"


# -- against PYPOWER ----------------------------------------------------------------------------


def tables(network: Grid) -> tuple:
    """Lay a grid out as MATPOWER's tables."""
    b, br, u = network.buses, network.branches, network.units
    types = np.where(np.isin(b.id, u.bus) & (b.type != REFERENCE), PV, b.type)
    bus = [b.id, types, b.pd, b.qd, b.gs, b.bs, b.area, b.vm, b.va, b.base_kv, b.zone]
    rates = [br.rate_a, br.rate_b, br.rate_c]
    line = [br.from_bus, br.to_bus, br.r, br.x, br.b, *rates, br.tap, br.shift, br.status]
    gen = [u.bus, u.pg, u.qg, u.qmax, u.qmin, u.vg, u.mbase, u.status, u.pmax, u.pmin]
    return (
        network.base_mva,
        np.column_stack([*bus, b.vmax, b.vmin]),
        np.column_stack([*gen, *np.zeros((11, len(u)))]),
        np.column_stack([*line, br.angmin, br.angmax]),
        network.costs.matrix,
    )


MESH = [(1, 2), (2, 3), (3, 4), (4, 1), (1, 3)]


@pytest.mark.parametrize(
    "columns",
    [
        {"tap": [0.95, 0, 1.05, 0, 0]},
        {"shift": [0, 5, 0, -8, 0]},
        {"tap": [0.95, 0, 1.05, 0.9, 0], "shift": [3, 5, 0, -8, 0], "b": 0.06},
        {"rate_a": 45, "shift": [3, 0, 0, -4, 0]},
        {"angmax": [1.5, 360, 360, 360, 2], "angmin": [-360, -360, -360, -1, -360]},
    ],
    ids=["ratio", "shift", "both", "congested", "angles"],
)
@pytest.mark.parametrize("curve", ["polynomial", "piecewise"])
def test_a_mesh_costs_what_pypower_says(columns, curve, pypower):
    given = {name: np.array(value) for name, value in columns.items()}
    resistance = np.array([0.01, 0.02, 0.015, 0.01, 0.03])
    loads = buses([10, 60, 90, 40], np.array([5, 20, 30, 10.0]), vmin=0.94, vmax=1.06)
    costs = {
        "polynomial": polynomials([0.02, 10, 0], [0.01, 14, 0], [0.03, 20, 5]),
        "piecewise": piecewise(
            [(0, 0), (80, 800), (200, 3000)], [(0, 0), (200, 2800)], [(0, 5), (50, 900), (99, 2400)]
        ),
    }[curve]
    network = grid(
        loads,
        branches(MESH, **({"r": resistance, "rate_a": 500} | given)),
        units([1, 3, 3], np.array([150, 60, 99]), q=80),
        costs,
    )
    plain = replace(network, branches=branches(MESH, r=resistance, rate_a=500))
    found = solved(network)
    assert found.cost != pytest.approx(solved(plain).cost, rel=1e-5)  # the columns matter
    assert found.cost == pytest.approx(pypower(*tables(network)), rel=1e-6)


@pytest.mark.parametrize("name", ["ieee14", "ieee30", "ieee57"])
def test_built_in_cases_cost_what_pypower_says(name, pypower):
    network, _ = read_grid(name)
    assert solved(network).cost == pytest.approx(pypower(*tables(network)), rel=1e-6)


# -- the model ----------------------------------------------------------------------------------


def test_two_solves_are_equal_to_the_last_bit():
    network, _ = read_grid("ieee30")
    first, second = optimum(network), optimum(network)
    anew = AcModel(Wires.of(network), *shape_of(network.costs))
    third = anew.optimum(limits_of(network), cost_terms(network.costs, network.base_mva))
    for other in (second, third):
        assert first.x.tobytes() == other.x.tobytes()
        assert first.unit_multipliers[0].tobytes() == other.unit_multipliers[0].tobytes()
        assert (first.cost, first.iterations) == (other.cost, other.iterations)


def test_one_model_a_topology():
    network, _ = read_grid("ieee30")
    model = model_of(network)
    again = parse_matpower(format_matpower(network, (), "again"), "again")
    assert model_of(again) is model
    smaller = replace(network, units=replace(network.units, pmax=0.9 * network.units.pmax))
    dearer = replace(network, costs=Costs.from_matrix(network.costs.matrix * [1, 1, 1, 1, 2, 2, 2]))
    assert model_of(smaller) is model
    assert model_of(dearer) is model
    loaded = replace(network, buses=replace(network.buses, pd=1.01 * network.buses.pd))
    assert model_of(loaded) is not model


def test_limits_and_costs_are_arguments():
    two = buses([0, 80]), branches([(1, 2)])
    network = grid(*two, units([1, 2], 100), polynomials([10, 0], [20, 0]))
    model, limits, terms = model_of(network), limits_of(network), terms_of(network)
    assert model.optimum(limits, terms).cost == pytest.approx(800, rel=1e-6)
    half = replace(limits, pmax=np.array([0.5, 1.0]))
    assert model.optimum(half, terms).cost == pytest.approx(50 * 10 + 30 * 20, rel=1e-6)
    dearer = replace(terms, polynomial=terms.polynomial * [[3], [1]])
    assert model.optimum(limits, dearer).cost == pytest.approx(80 * 20, rel=1e-6)
    must = replace(limits, pmin=np.array([0.0, 0.25]))
    assert model.optimum(must, terms).cost == pytest.approx(55 * 10 + 25 * 20, rel=1e-6)


def test_a_solution_is_a_power_flow():
    """Balances, limits and ratings, recomputed by complex arithmetic from the tables."""
    network, _ = read_grid("ieee30")
    found, base = solved(network), network.base_mva
    b, br, u = network.buses, network.branches, network.units
    theta, v = found.x[:30], found.x[30:60]
    voltage = v * np.exp(1j * theta)
    start, end = np.searchsorted(b.id, br.from_bus), np.searchsorted(b.id, br.to_bus)
    ratio = np.where(br.tap == 0, 1, br.tap) * np.exp(1j * np.deg2rad(br.shift))
    y = 1 / (br.r + 1j * br.x)
    near, far = voltage[start] / ratio, voltage[end]
    into = near * np.conj((y + 0.5j * br.b) * near - y * far)
    back = far * np.conj((y + 0.5j * br.b) * far - y * near)
    injected = -(b.pd + 1j * b.qd) / base - v**2 * (b.gs - 1j * b.bs) / base
    np.add.at(injected, np.searchsorted(b.id, u.bus), found.p + 1j * found.q)
    np.subtract.at(injected, start, into)
    np.subtract.at(injected, end, back)
    assert np.abs(injected).max() < 1e-7
    assert np.all(np.maximum(np.abs(into), np.abs(back)) <= br.rate_a / base + 1e-6)
    assert np.all((v >= b.vmin - 1e-6) & (v <= b.vmax + 1e-6))
    assert np.all((found.p <= u.pmax / base + 1e-6) & (found.p >= u.pmin / base - 1e-6))
    assert np.all((found.q <= u.qmax / base + 1e-6) & (found.q >= u.qmin / base - 1e-6))
    assert theta[np.flatnonzero(b.type == REFERENCE)[0]] == 0.0
