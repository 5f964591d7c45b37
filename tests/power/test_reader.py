# SPDX-License-Identifier: MIT
"""The reader's view: prices by finite differences, losses by the balance, and where it stands."""

import json
from dataclasses import replace

import numpy as np
import pytest
from matpowercaseframes import CaseFrames
from pypower import idx_brch, idx_bus, idx_gen

import pocin
from pocin import api
from pocin.power.files import read_grid
from pocin.power.opf import optimum
from pocin.power.reader import in_order, reader_view, seen

EXACT = {"ipopt.tol": 1e-10, "ipopt.bound_relax_factor": 0.0}


def viewed(name):
    grid = in_order(read_grid(name)[0])
    found = optimum(grid, EXACT)
    assert found.solved
    return grid, found, seen(grid, found)


@pytest.mark.parametrize(("name", "buses"), [("ieee14", (2, 9, 13)), ("ieee57", (0, 30, 56))])
def test_prices_are_the_cost_of_one_more_megawatt(name, buses):
    grid, _, view = viewed(name)
    for bus in buses:

        def cost(change, bus=bus):
            pd = grid.buses.pd.copy()
            pd[bus] += change
            return optimum(replace(grid, buses=replace(grid.buses, pd=pd)), EXACT).cost

        assert view.price[bus] == pytest.approx((cost(0.1) - cost(-0.1)) / 0.2, rel=1e-3)


@pytest.mark.parametrize("name", ["ieee30", "ieee118"])
def test_losses_are_what_is_generated_and_neither_used_nor_shunted(name):
    grid, found, view = viewed(name)
    n = len(grid.buses)
    shunted = float(np.sum(grid.buses.gs * found.x[n : 2 * n] ** 2))
    assert view.losses > 0
    assert view.losses == pytest.approx(view.output.sum() - view.load - shunted, abs=1e-4)


def test_no_line_is_loaded_over_its_rating_and_a_binding_one_is_full():
    _, _, view = viewed("ieee118")
    assert view.loading.max() == pytest.approx(1.0, abs=1e-5)
    assert np.all(view.loading >= 0)


@pytest.mark.parametrize("case", ["ieee14", "ieee118"])
def test_another_program_sees_the_same_in_the_released_file(case, tmp_path, pypower_solution):
    # PYPOWER's own flows, prices and outputs, from the written bytes. Its solver stops at 1e-6.
    pocin.write(pocin.release(api.read(case), seed=1), tmp_path / "released.m")
    frames = CaseFrames(str(tmp_path / "released.m"))
    tables = (frames.bus, frames.gen, frames.branch, frames.gencost)
    theirs = pypower_solution(float(frames.baseMVA), *(table.to_numpy() for table in tables))
    grid = in_order(read_grid(str(tmp_path / "released.m"))[0])
    view = seen(grid, optimum(grid, EXACT))
    buses = theirs["bus"][np.argsort(theirs["bus"][:, idx_bus.BUS_I])]
    np.testing.assert_allclose(view.price, buses[:, idx_bus.LAM_P], rtol=2e-3)
    outputs = theirs["gen"][:, idx_gen.PG].sum()
    assert view.output.sum() == pytest.approx(outputs, rel=1e-5)
    lines = theirs["branch"]
    at = [idx_brch.F_BUS, idx_brch.T_BUS, idx_brch.BR_R, idx_brch.BR_X, idx_brch.BR_B]
    lines = lines[np.lexsort([lines[:, column] for column in at][::-1])]
    near = np.hypot(lines[:, idx_brch.PF], lines[:, idx_brch.QF])
    far = np.hypot(lines[:, idx_brch.PT], lines[:, idx_brch.QT])
    loading = np.maximum(near, far) / lines[:, idx_brch.RATE_A]
    np.testing.assert_allclose(view.loading, loading[lines[:, idx_brch.RATE_A] > 0], atol=5e-3)
    losses = lines[:, idx_brch.PF].sum() + lines[:, idx_brch.PT].sum()
    assert view.losses == pytest.approx(losses, rel=1e-3)


def test_a_grid_seen_beside_itself_in_another_order_looks_the_same():
    grid = read_grid("ieee57")[0]
    mix = np.random.default_rng(1)
    buses, lines = mix.permutation(len(grid.buses)), mix.permutation(len(grid.branches))
    other = replace(grid, buses=grid.buses.take(buses), branches=grid.branches.take(lines))
    view = reader_view(other, in_order(grid))
    assert view["cost"]["original"] == pytest.approx(view["cost"]["released"], rel=1e-6)
    assert view["dispatch"]["sorted_apart_share"] < 1e-3
    assert view["loading"]["mean_apart"] < 1e-3
    assert view["prices"]["mean_apart"] < 1e-2
    assert view["losses"]["original"] == pytest.approx(view["losses"]["released"], rel=1e-3)


def test_the_certificates_solve_stands_in_for_another_one():
    network = api.read("ieee118")
    made = pocin.release(network, seed=1)
    solve = made.diagnostics.finished.certificate.solve
    with_it = reader_view(network.content, made.network, solve)
    without = reader_view(network.content, made.network)
    assert with_it["cost"]["released"] == made.diagnostics.finished.certificate.own_optimum
    assert with_it["prices"]["mean_apart"] == pytest.approx(without["prices"]["mean_apart"])
    assert with_it["loading"]["full_in_both"] <= min(with_it["loading"]["full"])


def test_a_grid_that_cannot_be_solved_is_said_so():
    grid = read_grid("ieee14")[0]
    starved = replace(grid, units=replace(grid.units, pmax=0.1 * grid.units.pmax))
    view = reader_view(grid, starved)
    assert view["missing"].startswith("the AC-OPF of the released grid ended with ")


def test_it_stands_in_the_curators_record_and_nowhere_else(tmp_path):
    made = pocin.release(api.read("ieee14"), seed=0)
    api.write(made, tmp_path / "released.m")
    record = json.loads((tmp_path / "released.m.curator.json").read_text())
    assert record["reader_view"]["cost"]["released"] == record["cost"]["own_optimum"]
    public = (tmp_path / "released.m.release.json").read_text()
    assert "reader_view" not in public
    assert "loading" not in public
