# SPDX-License-Identifier: MIT
"""A made city is what was asked for, can be driven through, and has the traffic of its demand."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from pocin.errors import UsageError
from pocin.roads.assignment import Delay, assign, share_found
from pocin.roads.city import make_city
from pocin.roads.paths import TripPaths


@pytest.fixture(scope="module")
def city():
    return make_city(3000, 1000, 5)


def parts(made):
    count = len(made.nodes)
    graph = coo_array((np.ones(len(made.links)), (made.tail, made.head)), shape=(count, count))
    return connected_components(graph.tocsr(), connection="strong")[0]


@settings(max_examples=25, deadline=None)
@given(links=st.integers(40, 2000), trips=st.integers(1, 60), seed=st.integers(0, 2**64 - 1))
def test_a_city_has_what_was_asked_for(links, trips, seed):
    made = make_city(links, trips, seed)
    assert (len(made.links), len(made.trips)) == (links, trips)
    assert parts(made) == 1
    assert (made.tail != made.head).all()
    assert len(np.unique(made.tail * len(made.nodes) + made.head)) == links
    pairs = made.trips.origin * (len(made.nodes) + 1) + made.trips.destination
    assert (np.diff(pairs) > 0).all()  # each once, sorted
    assert (made.trips.origin != made.trips.destination).all()
    assert (made.trips.volume >= 0.1).all()
    assert (made.links.d > 0).all()
    assert (made.links.volume >= 1).all()
    assert (made.links.volume % 1 == 0).all()


def test_a_seed_makes_one_city(city):
    again, other = make_city(3000, 1000, 5), make_city(3000, 1000, 6)
    for table in ("nodes", "links", "trips"):
        ours, theirs = vars(getattr(city, table)), vars(getattr(again, table))
        assert all(ours[name].tobytes() == theirs[name].tobytes() for name in ours)
    assert other.links.volume.tobytes() != city.links.volume.tobytes()


def test_traffic_is_the_equilibrium_of_the_demand(city):
    links, trips = city.links, city.trips
    ends = city.positions(trips.origin), city.positions(trips.destination)
    open_nodes = np.zeros(len(city.nodes), bool)
    paths = TripPaths.of(city.tail, city.head, len(city.nodes), open_nodes, *ends)
    delay = Delay(links.d, links.capacity, links.b, links.power)
    found = assign(paths, trips.volume, delay)
    assert share_found(found.traffic, links.volume) >= 0.94
    # besides, there is local traffic: up to 2 % of a lane, and up to one vehicle of rounding
    local = links.volume - found.traffic
    assert 0 < local.sum() <= (0.02 * links.capacity + 1).sum()
    assert np.abs(local).sum() <= 0.1 * links.volume.sum()


def test_streets_are_like_those_of_a_city(city):
    links = city.links
    assert 2.2 <= len(links) / len(city.nodes) <= 3.0
    speed = 0.06 * links.length / links.d
    assert 15 < np.median(speed) < 40
    assert speed.max() == pytest.approx(100, rel=0.01)
    assert 50 < np.median(links.length) < 250
    both = set(zip(city.tail.tolist(), city.head.tolist(), strict=True))
    one_way = np.mean([(b, a) not in both for a, b in both])
    assert 0.0 < one_way < 0.1
    # drivers lose time, but the city does not stand still
    index = links.volume @ links.cost / (links.volume @ links.d)
    assert 1.05 < index < 1.5
    assert (links.volume / links.capacity).max() < 3.0
    np.testing.assert_allclose(
        links.cost,
        links.d * (1 + links.b * (links.volume / links.capacity) ** links.power),
        atol=1e-4,
    )


@pytest.mark.parametrize(
    ("links", "trips", "said"),
    [
        (39, 5, "--links 39: a city needs at least 40"),
        (40, 0, "--trips 0: with 40 links from 1 to 60 are possible"),
        (40, 61, "--trips 61: with 40 links from 1 to 60 are possible"),
    ],
)
def test_what_cannot_be_made_is_refused(links, trips, said):
    with pytest.raises(UsageError, match=said):
        make_city(links, trips, 1)


def test_the_most_trips_that_are_possible():
    assert len(make_city(40, 60, 3).trips) == 60


@pytest.mark.slow
def test_a_large_city():
    made = make_city(40_000, 100_000, 1)
    assert (len(made.links), len(made.trips), parts(made)) == (40_000, 100_000, 1)
