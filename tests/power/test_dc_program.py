# SPDX-License-Identifier: MIT
"""The DC-OPF against PYPOWER's, against corners found by hand, and its slopes."""

import warnings
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from tests.power.dc_grids import COSTS, corners, factors, text, three_buses

from pocin.errors import InputError
from pocin.power.cases import builtin
from pocin.power.dc.certificate import solve
from pocin.power.dc.problem import own_optimum
from pocin.power.dc.program import program_of
from pocin.power.files import read_grid
from pocin.power.grid import PIECEWISE_LINEAR, POLYNOMIAL, Costs
from pocin.power.matpower import parse_matpower

NESTA = Path(__file__).resolve().parents[3] / "shared" / "data" / "power"


@pytest.fixture(scope="module")
def rundcopf():
    """Return a function from a grid to PYPOWER's DC optimum."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # its modules hold invalid escapes
        from pypower.api import ppoption, rundcopf

    def optimum(grid):
        bu, br, u = grid.buses, grid.branches, grid.units
        columns = {
            "bus": [
                bu.id, bu.type, bu.pd, bu.qd, bu.gs, bu.bs, bu.area, bu.vm, bu.va, bu.base_kv,
                bu.zone, bu.vmax, bu.vmin,
            ],
            "gen": [u.bus, u.pg, u.qg, u.qmax, u.qmin, u.vg, u.mbase, u.status, u.pmax, u.pmin]
            + 11 * [np.zeros(len(u))],
            "branch": [
                br.from_bus, br.to_bus, br.r, br.x, br.b, br.rate_a, br.rate_b, br.rate_c, br.tap,
                br.shift, br.status, br.angmin, br.angmax,
            ],
        }  # fmt: skip
        case = {name: np.column_stack(parts).astype(float) for name, parts in columns.items()}
        case |= {"version": "2", "baseMVA": grid.base_mva, "gencost": grid.costs.matrix}
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # its use of numpy and scipy, not ours
            options = ppoption(VERBOSE=0, OUT_ALL=0, OPF_IGNORE_ANG_LIM=False)
            answer = rundcopf(case, options)
        assert answer["success"]
        return float(answer["f"])

    return optimum


def scarce(grid):
    """Lower ratings and angle limits until they bind, shift and tap some lines, add shunts."""
    random = np.random.default_rng(4)
    m = len(grid.branches)
    some = random.random(m) < 0.3
    branches = replace(
        grid.branches,
        rate_a=np.where(random.random(m) < 0.1, 0.0, 0.99 * grid.branches.rate_a),
        tap=np.where(some, random.uniform(0.9, 1.1, m), 0.0),
        shift=np.where(some, random.uniform(-1, 1, m), 0.0),
        angmin=np.full(m, -12.0),
        angmax=np.full(m, 12.0),
    )
    buses = replace(grid.buses, gs=random.uniform(0, 2, len(grid.buses)))
    return replace(grid, branches=branches, buses=buses)


def quadratic(grid):
    """Give every unit a quadratic cost."""
    n = len(grid.units)
    second = np.linspace(0.001, 0.02, n)
    rows = [np.full(n, POLYNOMIAL), 0 * second, 0 * second, np.full(n, 3), second, 20 + 0 * second]
    return replace(grid, costs=Costs.from_matrix(np.column_stack([*rows, np.arange(n)])))


def bent(grid):
    """Give every other unit a piecewise-linear cost."""
    matrix = np.hstack([grid.costs.matrix, np.zeros((len(grid.units), 6))])[:, :10]
    for k in range(0, len(matrix), 2):
        top = max(grid.units.pmax[k], 1.0)
        points = [0, 0, top / 2, 10 * top + k, top, 30 * top + 2 * k]
        matrix[k] = [PIECEWISE_LINEAR, 0, 0, 3, *points]
    return replace(grid, costs=Costs.from_matrix(matrix))


@pytest.mark.parametrize("name", builtin())
def test_built_in_cases_against_pypower(name, rundcopf):
    grid, _ = read_grid(name)
    found = solve(grid)
    assert found.cost == pytest.approx(rundcopf(grid), rel=1e-8)


@pytest.mark.parametrize("number", [14, 30, 57, 118])
def test_nesta_cases_against_pypower(number, rundcopf):
    path = NESTA / f"nesta_case{number}_ieee.m"
    if not path.exists():
        pytest.skip("the NESTA cases are not beside the repository (shared/data/power)")
    grid, _ = read_grid(path)
    assert solve(grid).cost == pytest.approx(rundcopf(grid), rel=1e-8)


@pytest.mark.parametrize("change", [scarce, quadratic, bent])
@pytest.mark.parametrize("name", ["ieee14", "ieee118"])
def test_taps_shifters_shunts_limits_and_curves_against_pypower(name, change, rundcopf):
    grid, _ = read_grid(name)
    changed = change(grid)
    found = solve(changed).cost
    assert found != pytest.approx(solve(grid).cost, rel=1e-4)
    assert found == pytest.approx(rundcopf(changed), rel=1e-6)


def test_the_corners_agree_with_the_flows():
    # Lines in parallel share by admittance: of 1 MW from bus 1 to bus 3, half takes either way.
    np.testing.assert_allclose(factors() @ [1, 0, -1], [0.5, 0.5, 0.5])


@pytest.mark.parametrize("rho", [0.0, 0.3])
def test_three_buses_against_every_corner(rho):
    program = three_buses(rho=rho)
    random = np.random.default_rng(0)
    v = random.uniform(0, 160, (150, 3))
    found = np.array([own_optimum(program, at).cost for at in v])
    np.testing.assert_allclose(found, corners(v, rho=rho), rtol=1e-9)
    assert 20 < np.isfinite(found).sum() < 150


def test_a_rating_binds():
    v = np.array([[200.0, 200.0, 200.0]])
    assert corners(v)[0] > 120 * COSTS[0]
    assert own_optimum(three_buses(), v[0]).cost == pytest.approx(corners(v)[0])


def test_slopes_are_those_of_phi():
    program = three_buses(rho=0.2)
    random = np.random.default_rng(1)
    tried = 0
    for v in random.uniform(30, 150, (60, 3)):
        own = own_optimum(program, v)
        if not np.isfinite(own.cost):
            continue
        ahead, back = (own_optimum(program, v + s * 1e-4 * np.eye(3)[1]).cost for s in (1, -1))
        if (
            np.isfinite(ahead)
            and np.isfinite(back)
            and ahead - own.cost == pytest.approx(own.cost - back, abs=1e-8)
        ):
            tried += 1
            assert own.slope[1] == pytest.approx((ahead - back) / 2e-4, abs=1e-4)
    assert tried > 20


def test_phi_is_above_each_of_its_tangents():
    program = three_buses(rho=0.3)
    at = np.random.default_rng(2).uniform(20, 150, (40, 3))
    points = [own_optimum(program, v) for v in at]
    for own, v in zip(points, at, strict=True):
        if np.isfinite(own.cost):
            others = [
                o.cost - own.cost - own.slope @ (w - v)
                for o, w in zip(points, at, strict=True)
                if np.isfinite(o.cost)
            ]
            assert len(others) > 10
            assert min(others) > -1e-6


def test_a_condenser_is_load_and_keeps_its_cost():
    # ieee118 has 35 units of no capacity; a constant in their curves is paid all the same.
    grid, _ = read_grid("ieee118")
    matrix = grid.costs.matrix.copy()
    none = np.flatnonzero(grid.units.pmax == 0)
    matrix[none[0], 4:7] = [0, 0, 77.0]
    dearer = replace(grid, costs=Costs.from_matrix(matrix))
    assert len(program_of(grid).units) == len(grid.units) - len(none) == 19
    assert solve(dearer).cost == pytest.approx(solve(grid).cost + 77, rel=1e-12)


def test_what_the_dc_model_cannot_take():
    source = text()
    with pytest.raises(InputError, match=r"^branch row 2: x is 0.*give --model ac$"):
        program_of(parse_matpower(source.replace("1 3 0 0.2", "1 3 0.1 0"), "it"))
    with pytest.raises(InputError, match="convex costs up to the second degree"):
        program_of(parse_matpower(text(second=(-0.1, 0, 0)), "it"))
    cubic = text().replace("2 0 0 3 0.0 10.0 0;", "2 0 0 4 0.1 0 10 0;")
    cubic = cubic.replace("40.0 0;", "40.0 0 0;").replace("25.0 0;", "25.0 0 0;")
    with pytest.raises(InputError, match="convex costs up to the second degree"):
        program_of(parse_matpower(cubic, "it"))


def test_a_load_that_cannot_be_served():
    grid, _ = read_grid("ieee14")
    units = replace(grid.units, pmax=grid.units.pmax / 2)
    found = solve(replace(grid, units=units))
    assert found.cost is None
    assert found.reason == "its load cannot be served within the limits"
    assert own_optimum(three_buses(), np.full(3, 39.0)).cost == np.inf
