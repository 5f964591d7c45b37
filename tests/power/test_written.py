# SPDX-License-Identifier: MIT
"""The released grid: whatever the draws, what is public stands in it, and nothing of a solution."""

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pocin.power.checks import check
from pocin.power.columns import BOOK
from pocin.power.curves import open_ended
from pocin.power.grid import Grid
from pocin.power.matpower import format_matpower, parse_matpower, read_matpower
from pocin.power.placed import Placed, place
from pocin.power.public import MEGAWATT, PublicGrid
from pocin.power.split import split

DATA = Path(__file__).parents[1] / "data"
RICH = read_matpower(DATA / "rich.m")
POLICIES = sorted(BOOK.policies)
SITES = 6

drawn = st.tuples(
    st.lists(st.integers(0, 50_000), min_size=SITES, max_size=SITES),
    st.permutations(range(SITES)),
)


def placed(name: str, whole: list[int], order: list[int], **constants: float) -> Placed:
    """Put noisy values, in hundredths of a MW, and the moved columns on sites in some order."""
    public, secret = split(RICH, BOOK.find(name).with_constants(**constants))
    return place(public, MEGAWATT.real(np.array(whole)), secret.moved, np.array(order))


def at_sites(public: PublicGrid, grid: Grid) -> Grid:
    """Return the grid with the rows of the sites alone."""
    rows = public.site_rows
    return Grid(
        grid.base_mva, grid.buses, grid.branches, grid.units.take(rows), grid.costs.take(rows)
    )


@pytest.mark.parametrize("name", POLICIES)
@given(drawn)
@settings(max_examples=25, deadline=None)
def test_what_is_public_stays(name: str, draw: tuple[list[int], list[int]]) -> None:
    put = placed(name, *draw)
    grid = put.grid(put.noisy)
    live = RICH.units.bus[RICH.live_units]
    assert grid.units.bus.tolist() == sorted(live.tolist())
    for column in ("id", "pd", "qd", "gs", "bs", "vmax", "vmin", "area", "zone", "base_kv"):
        assert getattr(grid.buses, column).tolist() == getattr(RICH.buses, column).tolist()
    assert sorted(grid.branches.rate_a.tolist()) == sorted(RICH.branches.rate_a.tolist())
    assert sorted(grid.branches.x.tolist()) == sorted(RICH.branches.x.tolist())
    curves = open_ended(RICH.costs.take(RICH.live_units), 259.0).matrix  # ends tell of capacities
    assert sorted(grid.costs.matrix.tolist()) == sorted(curves.tolist())
    check(grid, "the release")


@pytest.mark.parametrize("name", POLICIES)
@given(drawn)
@settings(max_examples=25, deadline=None)
def test_nothing_of_a_solution_is_in_it(name: str, draw: tuple[list[int], list[int]]) -> None:
    put = placed(name, *draw)
    grid = put.grid(put.noisy)
    zeros = (grid.units.pg, grid.units.qg, grid.buses.va)
    ones = (grid.units.vg, grid.buses.vm, grid.units.status)
    assert not any(column.any() for column in zeros)
    assert all((column == 1).all() for column in ones)
    assert set(grid.units.mbase.tolist()) == {100}


@given(drawn)
@settings(max_examples=25, deadline=None)
def test_types_follow_from_the_sites_alone(draw: tuple[list[int], list[int]]) -> None:
    put = placed("derived", *draw)
    types = dict(zip(put.public.buses.id.tolist(), put.grid(put.noisy).buses.type, strict=True))
    assert types.pop(1) == 3  # the lowest site, however large its unit
    assert types.pop(15) == 4
    assert {bus for bus, kind in types.items() if kind == 2} == {2, 3, 4, 6, 9, 13, 14}
    assert set(types.values()) == {1, 2}


@pytest.mark.parametrize("name", POLICIES)
@given(drawn)
@settings(max_examples=25, deadline=None)
def test_the_file_reads_back_equal(name: str, draw: tuple[list[int], list[int]]) -> None:
    put = placed(name, *draw)
    grid = put.grid(put.noisy)
    text = format_matpower(grid, ("a header",), "released")
    back = parse_matpower(text, "the release")
    for table in ("buses", "branches", "units", "costs"):
        for column in getattr(grid, table).__dataclass_fields__:
            left, right = (getattr(getattr(g, table), column).tolist() for g in (grid, back))
            assert left == right, (table, column)
    assert back.notes == ()
    assert format_matpower(back, ("a header",), "released") == text


@pytest.mark.parametrize("name", POLICIES)
@given(drawn)
@settings(max_examples=25, deadline=None)
def test_fixed_units_stay_whole(name: str, draw: tuple[list[int], list[int]]) -> None:
    put = placed(name, *draw)
    grid = put.grid(put.noisy)
    zero = np.flatnonzero(RICH.live_units & (RICH.units.pmax == 0))
    for k in zero:
        (row,) = np.flatnonzero(grid.units.bus == RICH.units.bus[k])
        for column in ("pmin", "pmax", "qmin", "qmax"):
            assert getattr(grid.units, column)[row] == getattr(RICH.units, column)[k]
        assert grid.costs.matrix[row].tolist() == RICH.costs.matrix[k].tolist()


@given(drawn, st.sampled_from([0.0, 0.1, 0.9]))
@settings(max_examples=25, deadline=None)
def test_derived_limits_follow_the_capacity(
    draw: tuple[list[int], list[int]], ratio: float
) -> None:
    put = placed("derived", *draw, pmin_ratio=ratio)
    units = at_sites(put.public, put.grid(put.noisy)).units
    v = np.array(draw[0])[draw[1]] / 100
    assert units.pmax.tolist() == v.tolist()
    assert units.pmin == pytest.approx(ratio * v, abs=1e-9)
    assert units.qmax == pytest.approx(0.5 * v + 10, abs=1e-9)
    assert units.qmin == pytest.approx(-0.4 * v - 10, abs=1e-9)


@given(drawn)
@settings(max_examples=25, deadline=None)
def test_a_whole_unit_travels(draw: tuple[list[int], list[int]]) -> None:
    put = placed("unit", *draw)
    there = at_sites(put.public, put.grid(put.noisy))
    _, secret = split(RICH, BOOK.find("unit"))
    moved = put.public.moved_columns(secret.moved[draw[1]])
    assert there.costs.matrix.tolist() == moved.costs.tolist()
    assert there.units.qmax.tolist() == moved.qmax.tolist()
    assert there.units.qmin.tolist() == moved.qmin.tolist()
    assert there.units.pmin.tolist() == np.minimum(moved.pmin, put.noisy).tolist()


@given(drawn)
@settings(max_examples=25, deadline=None)
def test_limits_stay_at_the_site(draw: tuple[list[int], list[int]]) -> None:
    put = placed("site", *draw)
    units = at_sites(put.public, put.grid(put.noisy)).units
    assert units.qmax.tolist() == [90, 27, 44, 30, 37, 23]
    assert units.qmin.tolist() == [-80, -21, -33, -25, -29, -19]
    least = np.minimum([11.03, 2.03, 5.09, 3.07, 4.01, 1.09], put.noisy)
    assert units.pmin.tolist() == least.tolist()


@pytest.mark.parametrize("name", POLICIES)
def test_the_written_file_is_the_golden_one(name: str) -> None:
    # What a release shows of a source, to the byte. Look at every line that differs before a file
    # under tests/data is replaced: it is what becomes public.
    put = placed(name, [0, 1050, 4007, 9999, 12_345, 30_000], [3, 1, 5, 0, 4, 2])
    golden = (DATA / f"released_{name}.m").read_text("ascii")
    assert format_matpower(put.grid(put.noisy), ["A header."], "released") == golden
