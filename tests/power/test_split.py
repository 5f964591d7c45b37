# SPDX-License-Identifier: MIT
"""The cut of a grid: what order, idle units and policies may and may not change in its parts."""

from dataclasses import fields, is_dataclass, replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pocin.errors import InputError
from pocin.policy import Treatment
from pocin.power.columns import AREA, BASE_KV, BOOK, PMIN, Q_LIMITS, RATE_B, RATE_C, ZONE
from pocin.power.grid import Grid
from pocin.power.matpower import read_matpower
from pocin.power.public import PublicGrid
from pocin.power.split import split
from pocin.privacy.secret import Secret

RICH = read_matpower(Path(__file__).parents[1] / "data" / "rich.m")
POLICIES = sorted(BOOK.policies)
DROPPED = (AREA, ZONE, BASE_KV, RATE_B, RATE_C)


def shuffled(grid: Grid, seed: int) -> Grid:
    """Return the same grid with the rows of every table in another order."""
    mix = np.random.default_rng(seed)
    buses, branches, units = (
        mix.permutation(len(rows)) for rows in (grid.buses, grid.branches, grid.units)
    )
    return replace(
        grid,
        buses=grid.buses.take(buses),
        branches=grid.branches.take(branches),
        units=grid.units.take(units),
        costs=grid.costs.take(units),
    )


def plain(data: object) -> object:
    """Return what a part holds as lists, so that two can be compared to the digit."""
    if is_dataclass(data):
        return {field.name: plain(getattr(data, field.name)) for field in fields(data)}
    return [repr(x) for x in np.ravel(data).tolist()] if isinstance(data, np.ndarray) else data


def records(public: PublicGrid, secret: Secret) -> list[tuple[float, ...]]:
    """Return the secret as a multiset: bus, value and moved columns of every element."""
    rows = zip(public.site_bus[secret.sites], secret.values, secret.moved, strict=True)
    return sorted((float(bus), float(value), *moved.tolist()) for bus, value, moved in rows)


@pytest.mark.parametrize("name", POLICIES)
@given(seed=st.integers(0, 2**32))
@settings(max_examples=25, deadline=None)
def test_the_order_of_rows_changes_nothing(name: str, seed: int) -> None:
    policy = BOOK.find(name)
    public, secret = split(RICH, policy)
    other_public, other_secret = split(shuffled(RICH, seed), policy)
    assert plain(other_public) == plain(public)
    assert records(other_public, other_secret) == records(public, secret)


@pytest.mark.parametrize("name", POLICIES)
@given(seed=st.integers(0, 2**32))
@settings(max_examples=25, deadline=None)
def test_swapped_elements_change_the_secret_only(name: str, seed: int) -> None:
    # Exchange what the policy hides or moves between random units: a neighbour of the guarantee.
    policy = BOOK.find(name)
    hidden = np.flatnonzero(RICH.live_units & (RICH.units.pmax > 0))
    order = np.arange(len(RICH.units))
    order[hidden] = np.random.default_rng(seed).permutation(hidden)
    columns = ["pmax"]
    columns += ["qmin", "qmax"] if policy[Q_LIMITS] is not Treatment.PUBLIC else []
    columns += ["pmin"] if policy[PMIN] is not Treatment.PUBLIC else []
    units = replace(RICH.units, **{name: getattr(RICH.units, name)[order] for name in columns})
    public, secret = split(RICH, policy)
    other, other_secret = split(replace(RICH, units=units, costs=RICH.costs.take(order)), policy)
    assert plain(other) == plain(public)
    assert sorted(other_secret.values.tolist()) == sorted(secret.values.tolist())
    assert sorted(other_secret.moved.tolist()) == sorted(secret.moved.tolist())


def test_values_alone_change_no_public_column() -> None:
    units = replace(RICH.units, pmax=np.where(RICH.units.pmax > 0, RICH.units.pmax + 7.5, 0))
    for name in POLICIES:
        policy = BOOK.find(name)
        assert plain(split(replace(RICH, units=units), policy)[0]) == plain(split(RICH, policy)[0])


@pytest.mark.parametrize("name", POLICIES)
def test_elements_are_the_live_units_with_capacity(name: str) -> None:
    public, secret = split(RICH, BOOK.find(name))
    assert public.site_bus.tolist() == [1, 2, 2, 4, 9, 13]
    assert sorted(secret.values.tolist()) == [4487, 5273, 6119, 7341, 8731, 24017]
    assert sorted(secret.sites.tolist()) == list(range(6))


def test_condensers_and_dispatchable_loads_stay_whole() -> None:
    public, _ = split(RICH, BOOK.find("derived"))
    fixed = public.fixed
    assert fixed.bus.tolist() == [3, 6, 14]
    assert fixed.qmax.tolist() == [40, 24, 0]
    assert fixed.pmin.tolist() == [0, 0, -12.43]
    assert public.fixed_costs.coefficients[2, :2].tolist() == [40.61, 0]


def test_isolated_buses_stay_and_solutions_go() -> None:
    public, _ = split(RICH, BOOK.find("derived"))
    assert public.buses.id.tolist() == list(range(1, 16))
    assert public.buses.type.tolist() == [1] * 14 + [4]
    assert set(public.buses.vm.tolist()) == {1.0}
    assert set(public.buses.va.tolist()) == {0.0}
    assert public.node_count == 14


def test_an_isolated_bus_is_out_of_reach() -> None:
    metric = split(RICH, BOOK.find("derived"))[0].metric
    assert metric.from_nodes(np.array([0]))[0].tolist()[14] == 15
    assert metric.diameter == 5


def test_parallel_lines_stay() -> None:
    public, _ = split(RICH, BOOK.find("derived"))
    ends = sorted(zip(public.branches.from_bus, public.branches.to_bus, strict=True))
    assert ends.count((4, 5)) == ends.count((5, 4)) == 1
    assert len(public.branches) == len(RICH.branches)
    assert sorted(public.branches.shift.tolist())[-2:] == [0, 2.5]


def test_what_travels() -> None:
    widths = {name: split(RICH, BOOK.find(name))[1].moved.shape[1] for name in POLICIES}
    assert widths == {"derived": 10, "site": 10, "unit": 13}
    public, secret = split(RICH, BOOK.find("unit"))
    moved = public.moved_columns(secret.moved)
    (river,) = np.flatnonzero(secret.values == 24017)
    assert (moved.pmin[river], moved.qmin[river], moved.qmax[river]) == (11.03, -80, 90)
    assert moved.costs[river].tolist() == [2, 27.5, 4.5, 3, 0.011, 7.93, 101, 0, 0, 0]
    assert np.isnan(public.site_limits.pmin).all()


def test_a_curve_is_what_n_asks_for() -> None:
    # Whatever else stands in a row of gencost, or in the row of an idle unit, is the source's own.
    asked = np.where(RICH.costs.model == 1, 2 * RICH.costs.n, RICH.costs.n)
    width = RICH.costs.coefficients.shape[1]
    behind = np.arange(width + 3) >= asked[:, None]
    wide = np.hstack([RICH.costs.coefficients, np.zeros((len(RICH.costs), 3))])
    marked = np.where(behind, 4711.0, wide)
    marked[4] = 4711.0  # out of service
    grid = replace(RICH, costs=replace(RICH.costs, coefficients=marked))
    for name in POLICIES:
        public, secret = split(grid, BOOK.find(name))
        clean, clean_secret = split(RICH, BOOK.find(name))
        assert plain(public) == plain(clean)
        assert plain(secret.moved) == plain(clean_secret.moved)


def test_what_stays_at_the_site() -> None:
    public, secret = split(RICH, BOOK.find("site"))
    assert np.isnan(public.moved_columns(secret.moved).pmin).all()
    assert public.site_limits.qmax.tolist() == [90, 27, 44, 30, 37, 23]
    assert public.site_limits.pmin.tolist() == [11.03, 2.03, 5.09, 3.07, 4.01, 1.09]


@pytest.mark.parametrize("column", DROPPED)
def test_a_dropped_column_is_blank(column: str) -> None:
    varied = replace(
        RICH,
        buses=replace(RICH.buses, area=RICH.buses.id, zone=RICH.buses.id, base_kv=RICH.buses.vm),
        branches=replace(
            RICH.branches, rate_b=RICH.branches.rate_b + 1, rate_c=RICH.branches.rate_c + 2
        ),
    )
    base = BOOK.find("derived")
    policy = replace(base, treatments={**base.treatments, column: Treatment.DROPPED})
    kept, blank = plain(split(varied, base)[0]), plain(split(varied, policy)[0])
    table = column.partition(".")[0] + "es"
    name = {AREA: "area", ZONE: "zone", BASE_KV: "base_kv", RATE_B: "rate_b", RATE_C: "rate_c"}
    assert set(blank[table][name[column]]) <= {"0.0", "1.0", "1"}
    assert set(kept[table][name[column]]) - {"0.0", "1.0", "1"}
    blank[table][name[column]] = kept[table][name[column]]
    assert {**blank, "policy": None} == {**kept, "policy": None}


def test_only_some_buses() -> None:
    public, secret = split(RICH, BOOK.find("derived"), np.array([2, 13]))
    assert public.site_bus.tolist() == [2, 2, 13]
    assert sorted(secret.values.tolist()) == [4487, 5273, 8731]
    assert public.fixed.bus.tolist() == [1, 3, 4, 6, 9, 14]
    assert public.fixed.pmax.tolist() == [240.17, 0, 61.19, 0, 73.41, 0]


def test_nothing_to_protect() -> None:
    with pytest.raises(InputError, match="no unit with capacity"):
        split(RICH, BOOK.find("derived"), np.array([3]))
