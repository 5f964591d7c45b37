# SPDX-License-Identifier: MIT
"""Other units of measurement, and units of a plant told apart: the same draws, the same release.

base power    r, x, b and MVA of another base      a grid step of each capacity
times         d, gamma and the figure in seconds   to the byte for a power of two, else 0.001 veh
lengths       in another unit                      to the byte, but for the lengths
demand        a pair's row in two, or in two units to the byte
split units   each into k equal ones at its bus    added up at each bus, a grid step for each
"""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from tests.metamorphic.changes import merged, retimed, split, told_tables
from tests.metamorphic.networks import (
    PER_TRIP,
    ROADS,
    Asked,
    drawn,
    finished,
    network,
    one_each,
    planned,
)

from pocin.kinds import Finished
from pocin.power.figure import merit_order_cost
from pocin.power.public import MEGAWATT
from pocin.privacy.draws import Draws, seal
from pocin.roads import gmns
from pocin.roads.checks import check

STEP = 0.01 * (1 + 1e-6)
"""MW: a solver's last digits may round a capacity to either side."""

GRIDS = [Asked(name, policy) for name in ("rich", "ieee14") for policy in ("derived", "unit")]
GRIDS += [Asked("ieee30"), Asked("ieee57", "site"), Asked("ieee14", None, (("model", "dc"),))]
TOWNS = [Asked(name, "pairs", choices) for name in ROADS for choices in ((), PER_TRIP)]
FACTORS = [(asked, factor) for asked in TOWNS for factor in (0.125, 60.0)]
FACTORS.remove((Asked("siouxfalls", "pairs", PER_TRIP), 60.0))  # a search, whose way digits decide


def same_ending(first: Finished, second: Finished, scale: float = 1.0) -> None:
    assert second.bilevel == first.bilevel
    own = scale * first.certificate.own_optimum
    assert second.certificate.own_optimum == pytest.approx(own, rel=1e-6)


# --------------------------------------------------------------------------------------- base power


@pytest.mark.parametrize("factor", [2.0, 0.01, 10.0])
@pytest.mark.parametrize("asked", GRIDS, ids=str)
def test_base_power(asked, factor):
    grid = network(asked.name).content
    made, other = planned(asked), planned(asked, grid.on_base(grid.base_mva * factor))
    assert other.guarantee == made.guarantee
    assert other.network_id == made.network_id
    draws, theirs = drawn(made, 1), drawn(other, 1)
    for column in ("sites", "values", "moved"):
        assert getattr(theirs, column).tobytes() == getattr(draws, column).tobytes()
    first, second = finished(made, draws), finished(other, theirs)
    same_ending(first, second)
    assert np.abs(second.released - first.released).max() <= STEP
    back = told_tables(second.content.on_base(grid.base_mva))["branches"]
    np.testing.assert_allclose(back, told_tables(first.content)["branches"], rtol=1e-14)


def test_alpha_per_unit_is_of_the_base():
    grid = network("ieee14").content
    of_100, of_200 = (
        planned(Asked("ieee14"), grid.on_base(base), alpha_value="0.1pu").guarantee.value.alpha
        for base in (100.0, 200.0)
    )
    assert (of_100, of_200) == (10, 20)


# -------------------------------------------------------------------------------- times and lengths


@pytest.mark.parametrize(("asked", "factor"), FACTORS, ids=str)
def test_times(asked, factor):
    made = planned(asked)
    other = planned(asked, retimed(network(asked.name).content, factor), factor)
    assert other.guarantee == made.guarantee
    draws = drawn(made, 2)
    first, second = finished(made, draws), finished(other, drawn(other, 2))
    same_ending(first, second, factor)
    if factor == 60.0:
        assert np.abs(second.released - first.released).max() <= 0.001001
    else:
        assert second.released.tobytes() == first.released.tobytes()
        assert (second.distance, second.bound) == (first.distance, first.bound)
    np.testing.assert_allclose(second.content.links.d, factor * first.content.links.d)


@pytest.mark.parametrize("name", ["block", "odd", "siouxfalls"])
def test_lengths(name):
    asked, roads = Asked(name, "pairs"), network(name).content
    long = replace(roads, links=replace(roads.links, length=1000 * roads.links.length))
    first, second = (finished(it, drawn(it, 3)) for it in (planned(asked), planned(asked, long)))
    ours, theirs = (told_tables(it.content) for it in (first, second))
    ours["links"][:, 4] *= 1000
    for table, numbers in ours.items():
        assert np.array_equal(theirs[table], numbers, equal_nan=True), table


def test_demand_in_more_rows_and_in_another_unit():
    # A pair counts once in the problem: its volume and its number of rows are nothing to a release.
    files = network("block").kind.write(network("block").content, ())
    head, *rows = files["demand.csv"].decode().splitlines()
    assert head == "o_zone_id,d_zone_id,volume"
    pairs = [row.split(",") for row in rows]
    twice = [f"{o},{d},{float(v) * share}" for o, d, v in pairs for share in (0.25, 0.75)]
    daily = [f"{o},{d},{24 * float(v)}" for o, d, v in pairs]
    made = []
    for told in (rows, twice, daily):
        told_files = {**files, "demand.csv": "\n".join([head, *told, ""]).encode()}
        roads = check(gmns.parse(told_files, "told"), "told")
        plan = planned(
            Asked("block", "pairs"), replace(roads, gamma=network("block").content.gamma)
        )
        made.append(finished(plan, drawn(plan, 1)).document)
    assert made[1] == made[0]
    assert made[2] == made[0]


# -------------------------------------------------------------------------------------- split units


def halves(draws: Draws, made: Any, other: Any, parts: int) -> Draws:
    """Records of whole units as records of their parts, at the sites of the whole's bus."""
    turn = np.tile(np.arange(parts), len(draws))
    columns = made.public.moved_columns(draws.moved)
    costs = columns.costs * np.array([1.0, 1.0, 1.0, 1.0, parts, 1.0, 1.0 / parts])
    limits = [it / parts for it in (columns.qmin, columns.qmax, columns.pmin)]
    moved = np.column_stack([costs, *(it for it in limits if not np.isnan(it).all())])
    rows = np.repeat(np.arange(len(draws)), parts)
    assert moved.shape[1] == other.secret.moved.shape[1]
    sites = parts * draws.sites[rows] + turn
    return seal(sites, draws.values[rows] // parts, moved[rows])[0]


@pytest.mark.parametrize("parts", [2, 5])
@pytest.mark.parametrize("policy", ["unit", "site", "derived"])
@pytest.mark.parametrize("name", ["ieee14", "ieee57"])
def test_split_units(name, policy, parts):
    # Derived limits have an offset each unit, which the parts share.
    offsets = dict.fromkeys(("qmax_offset", "qmin_offset"), 10.0 / parts)
    asked = Asked(name, policy)
    grid = network(name).content
    made, other = planned(asked), planned(asked, split(grid, parts), constants=offsets)
    assert other.guarantee.location.elements == parts * made.guarantee.location.elements
    assert other.guarantee.location.covered == parts * made.guarantee.location.covered
    assert other.guarantee.location.alpha == made.guarantee.location.alpha
    assert other.guarantee.value == made.guarantee.value
    assert (np.repeat(made.public.site_bus, parts) == other.public.site_bus).all()
    for seed in range(2):
        whole = one_each(drawn(made, seed), seed)
        whole = Draws(whole.sites, whole.values // parts * parts, whole.moved)
        first = finished(made, whole)
        second = finished(other, halves(whole, made, other, parts))
        assert second.bilevel == first.bilevel
        added = second.released.reshape(-1, parts).sum(axis=1)
        assert np.abs(added - first.released).max() <= parts * STEP
        assert np.ptp(second.released.reshape(-1, parts), axis=1).max() <= STEP
        # what a reader finds is what the whole units of these capacities give
        together = made.kind.solve(merged(second.content, parts))
        assert second.certificate.own_optimum == pytest.approx(together.cost, rel=1e-6)


def test_the_merit_order_of_split_units_is_that_of_whole_ones():
    for parts in (2, 3):
        made = planned(Asked("ieee57", "unit"))
        other = planned(Asked("ieee57", "unit"), split(network("ieee57").content, parts))
        costs = [
            merit_order_cost(it.public, MEGAWATT.real(it.secret.values), it.secret.moved)
            for it in (made, other)
        ]
        assert costs[1] == pytest.approx(costs[0], rel=1e-4)  # capacities round to 0.01 MW


def test_without_a_share_of_the_offset_split_units_have_more_reactive_power():
    # Which is why `derived` is not blind to splitting: every unit brings 10 MVAr of its own.
    made, other = (
        planned(Asked("ieee14"), content) for content in (None, split(network("ieee14").content, 2))
    )
    one, two = (finished(it, drawn(it, 0)).content.units for it in (made, other))
    for bus in made.public.site_bus:
        rooms = []
        for units in (one, two):
            at = (units.bus == bus) & (units.pmax > 0)
            rooms.append(float(np.sum(units.qmax[at] - 0.5 * units.pmax[at])))
        assert rooms == pytest.approx([10.0, 20.0])
