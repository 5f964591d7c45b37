# SPDX-License-Identifier: MIT
"""Equilibria known in closed form, and those published for the test networks."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import minimize
from tests.roads.tntp import network

from pocin.roads import files
from pocin.roads.assignment import Delay, assign, recomputed, share_found
from pocin.roads.paths import TripPaths


def linear(free, slope):
    """t(x) = free + slope x as a curve of ours."""
    free, slope = np.array(free, float), np.array(slope, float)
    return Delay(free, np.ones(len(free)), slope / free, np.ones(len(free)))


def trip(tail, head, origin, destination):
    nodes = max(*tail, *head) + 1
    ends = np.array([origin]), np.array([destination])
    return TripPaths.of(np.array(tail), np.array(head), nodes, np.zeros(nodes, bool), *ends)


def test_two_roads_take_equally_long():
    # 1 + x / 10 = 2 + (20 - x) / 5  at  x = 50 / 3
    found = assign(trip([0, 0], [1, 1], 0, 1), np.array([20.0]), linear([1, 2], [0.1, 0.2]))
    np.testing.assert_allclose(found.traffic, [50 / 3, 10 / 3], rtol=1e-9)
    np.testing.assert_allclose(found.times, [8 / 3, 8 / 3], rtol=1e-9)


def test_braess():
    # Six drivers from 0 to 3; links 0-1 and 2-3 take 10 x, 0-2 and 1-3 take 50 + x, 1-2 10 + x:
    # at equilibrium two take each of the three paths, and each of them takes 92.
    tail, head = [0, 1, 0, 2, 1], [1, 3, 2, 3, 2]
    delay = linear([1e-9, 50, 50, 1e-9, 10], [10, 1, 1, 10, 1])
    found = assign(trip(tail, head, 0, 3), np.array([6.0]), delay, gap=1e-9, rounds=2000)
    np.testing.assert_allclose(found.traffic, [4, 2, 2, 4, 2], atol=1e-3)
    np.testing.assert_allclose(found.traffic @ found.times, 6 * 92, rtol=1e-5)


@settings(max_examples=30, deadline=None)
@given(seed=st.integers(0, 2**32))
def test_no_other_traffic_has_a_smaller_sum(seed):
    # Beckmann's sum over path flows, minimised by scipy: three parallel roads.
    rng = np.random.default_rng(seed)
    delay = Delay(
        rng.uniform(1, 3, 3), rng.uniform(5, 20, 3), rng.uniform(0.1, 1, 3), rng.integers(1, 5, 3)
    )

    def beckmann(x):
        grown = delay.b * (x / delay.capacity) ** delay.power / (delay.power + 1.0)
        return float(delay.free @ (x * (1.0 + grown)))

    paths = trip([0, 0, 0], [1, 1, 1], 0, 1)
    found = assign(paths, np.array([30.0]), delay, gap=1e-10, rounds=500)
    total = {"type": "eq", "fun": lambda x: x.sum() - 30.0}
    best = minimize(
        beckmann, np.full(3, 10.0), bounds=[(0, 30)] * 3, constraints=total, method="SLSQP"
    )
    assert beckmann(found.traffic) <= best.fun * (1 + 1e-6)
    assert beckmann(found.traffic) >= best.fun * (1 - 1e-6)


@pytest.mark.parametrize("name", ["SiouxFalls", "Anaheim"])
def test_the_published_equilibrium_is_found(name):
    city = network(name)
    found = assign(city.paths(), city.volume, city.delay, gap=1e-5, rounds=1500)
    assert found.gap <= 1e-5
    off = np.abs(found.traffic - city.best_known)
    assert off.sum() <= 5e-3 * city.best_known.sum()
    assert off.max() <= 2e-2 * city.best_known.max()
    assert share_found(found.traffic, city.best_known) == 1.0


@pytest.mark.parametrize("name", ["SiouxFalls", "Anaheim"])
def test_the_gap_is_what_drivers_could_save(name):
    city = network(name)
    paths = city.paths()
    found = assign(paths, city.volume, city.delay, gap=0.0, rounds=7)
    assert found.rounds == 7
    np.testing.assert_array_equal(found.times, city.delay.times(found.traffic))
    total = found.times @ found.traffic
    least = city.volume @ paths.times(found.times)
    np.testing.assert_allclose(found.gap, 1.0 - least / total, rtol=1e-9)
    known = city.delay.times(city.best_known)
    assert abs(1.0 - city.volume @ paths.times(known) / (known @ city.best_known)) < 1e-12


def test_traffic_serves_the_trips():
    city = network("SiouxFalls")
    found = assign(city.paths(), city.volume, city.delay, gap=1e-3).traffic
    nodes = len(city.no_through)
    out = np.bincount(city.tail, found, nodes) - np.bincount(city.head, found, nodes)
    asked = np.bincount(city.ends[:, 0], city.volume, nodes)
    asked -= np.bincount(city.ends[:, 1], city.volume, nodes)
    np.testing.assert_allclose(out, asked, atol=1e-6)


def test_what_is_left_in_the_tables_tells_the_traffic():
    roads = files.read_roads("siouxfalls")[0]
    nothing = np.full(len(roads.links), np.nan)
    blank = replace(roads.links, volume=nothing, cost=nothing)
    without = replace(blank, capacity=nothing, b=nothing, power=nothing)
    pairs = replace(roads.trips, volume=np.full(len(roads.trips), np.nan))

    def found(links, trips):
        told = recomputed(replace(roads, links=links, trips=trips))
        return share_found(told.traffic, roads.links.volume, 20), told.gap

    share, gap = found(blank, roads.trips)
    assert share == 1.0
    assert gap <= 1e-4
    assert found(without, roads.trips)[0] < 0.9
    # capacities tell nothing without volumes
    assert found(blank, pairs) == found(without, pairs)


def test_without_trips_nothing_moves():
    found = assign(trip([0], [1], 1, 0), np.array([5.0]), linear([1], [1]))  # out of reach
    assert found.traffic.tolist() == [0.0]
    assert found.gap == 0.0


def test_the_share_of_the_busiest_links_found():
    traffic = np.arange(10.0)
    assert share_found(traffic, traffic, 4) == 1.0
    assert share_found(-traffic, traffic, 4) == 0.0
    assert share_found(np.roll(traffic, 1), traffic, 4) == 0.75
    assert share_found(traffic, traffic, 50) == 1.0
