# SPDX-License-Identifier: MIT
"""What maps show of a network, and the trip times before and after that the curator sees."""

from dataclasses import replace

import numpy as np
import pytest

import pocin
from pocin.power.grid import ISOLATED, Grid
from pocin.power.kind import POWER
from pocin.roads.network import Roads
from pocin.roads.reader import reader_view


@pytest.fixture(scope="module")
def grid() -> Grid:
    found: Grid = pocin.read("ieee14").content
    return found


@pytest.fixture(scope="module")
def roads() -> Roads:
    found: Roads = pocin.read("siouxfalls").content
    return found


def test_a_grid_is_drawn_by_its_ids(grid: Grid) -> None:
    drawn = POWER.drawing(grid)
    named = drawn.nodes[drawn.ends]
    assert np.array_equal(named, np.column_stack([grid.branches.from_bus, grid.branches.to_bus]))
    assert np.array_equal(drawn.nodes[drawn.at], grid.units.bus)
    assert np.array_equal(drawn.values, grid.units.pmax)


def test_what_is_out_of_service_is_not_drawn(grid: Grid) -> None:
    types = np.where(grid.buses.id == 8, ISOLATED, grid.buses.type)
    status = np.where(np.arange(len(grid.branches)) == 0, 0, grid.branches.status)
    off = np.where(grid.units.bus == 3, 0, grid.units.status)
    changed = replace(
        grid,
        buses=replace(grid.buses, type=types),
        branches=replace(grid.branches, status=status),
        units=replace(grid.units, status=off),
    )
    drawn = POWER.drawing(changed)
    assert 8 not in drawn.nodes
    named = {tuple(pair) for pair in drawn.nodes[drawn.ends].tolist()}
    assert (1, 2) not in named
    assert not any(8 in pair for pair in named)
    assert set(drawn.nodes[drawn.at].tolist()) == {1, 2, 6}


def test_roads_are_drawn_by_their_links_in_any_order(roads: Roads) -> None:
    kind = pocin.read("siouxfalls").kind
    drawn, turned = (
        kind.drawing(found)
        for found in (
            roads,
            replace(
                roads,
                links=roads.links.take(np.arange(len(roads.links))[::-1]),
                nodes=roads.nodes.take(np.arange(len(roads.nodes))[::-1]),
            ),
        )
    )
    assert np.array_equal(drawn.edges, np.sort(roads.links.id))
    assert np.array_equal(drawn.nodes[drawn.ends[:, 0]], roads.links.tail)
    for name in ("nodes", "edges", "ends", "at", "values"):
        assert np.array_equal(getattr(drawn, name), getattr(turned, name))


def test_a_node_that_no_link_joins_is_not_drawn(roads: Roads) -> None:
    ends = np.unique(np.concatenate([roads.links.tail, roads.links.head]))
    first = roads.links.take((roads.links.tail != 1) & (roads.links.head != 1))
    drawn = pocin.read("siouxfalls").kind.drawing(replace(roads, links=first))
    assert len(drawn.nodes) == len(ends) - 1


def test_the_same_roads_take_the_same_times(roads: Roads) -> None:
    turned = replace(roads, trips=roads.trips.take(np.arange(len(roads.trips))[::-1]))
    view = reader_view(roads, turned, 0.00034)
    assert view["trips"]["mean_apart"] == pytest.approx(0, abs=1e-12)
    assert view["trips"]["correlation"] == pytest.approx(1)
    assert view["cost"]["original"] == pytest.approx(pocin.solve(pocin.read("siouxfalls")).cost)


def test_longer_times_are_told(roads: Roads) -> None:
    slower = replace(roads, links=replace(roads.links, volume=2 * roads.links.volume))
    view = reader_view(roads, slower, 0.00034)
    before, after = view["trips"]["quantiles"]
    assert all(b > a for a, b in zip(before, after, strict=True))
    difference = view["cost"]["released"] - view["cost"]["original"]
    assert view["trips"]["mean_apart"] == pytest.approx(difference)


def test_the_certificates_times_are_taken_as_they_are(roads: Roads) -> None:
    known = np.full(len(roads.trips), 7.0)
    view = reader_view(roads, roads, 0.00034, known)
    assert view["cost"]["released"] == 7
    assert view["trips"]["correlation"] is None
