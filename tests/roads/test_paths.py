# SPDX-License-Identifier: MIT
"""Shortest paths of trips against searches by networkx, and against exact sums."""

import math
from dataclasses import dataclass
from itertools import pairwise

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse import csgraph, csr_array

from pocin.roads import kernels, walks
from pocin.roads.paths import TripPaths


@dataclass
class City:
    """Links with whole weights, so that every sum is exact."""

    tail: np.ndarray
    head: np.ndarray
    node_count: int
    no_through: np.ndarray
    origins: np.ndarray
    destinations: np.ndarray
    w: np.ndarray

    def paths(self, threads=1):
        columns = self.tail, self.head, self.node_count, self.no_through
        return TripPaths.of(*columns, self.origins, self.destinations, threads=threads)

    def times(self):
        """The definition: a search in the network without the other zones, for every trip."""
        graph = nx.MultiDiGraph()
        graph.add_nodes_from(range(self.node_count))
        graph.add_weighted_edges_from(zip(self.tail, self.head, self.w, strict=True))
        found = []
        for o, d in zip(self.origins, self.destinations, strict=True):
            closed = set(np.flatnonzero(self.no_through)) - {o, d}
            open_graph = graph.subgraph(set(graph) - closed)
            lengths = nx.single_source_dijkstra_path_length(open_graph, o)
            found.append(lengths.get(d, math.inf))
        return np.array(found)


def city(rng, nodes, links, trips, *, zones, high):
    return City(
        rng.integers(0, nodes, links),
        rng.integers(0, nodes, links),
        nodes,
        rng.permutation(np.arange(nodes) < zones),
        rng.integers(0, nodes, trips),
        rng.integers(0, nodes, trips),
        rng.integers(0, high + 1, links).astype(float),
    )


@st.composite
def cities(draw):
    """Parallel and one-way links, loops, zero weights, parts apart, zones, trips to nowhere."""
    nodes = draw(st.integers(1, 14))
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    return city(
        rng,
        nodes,
        draw(st.integers(0, 5 * nodes)),
        draw(st.integers(0, 40)),
        zones=draw(st.integers(0, nodes // 2)),
        high=draw(st.sampled_from([0, 1, 3, 1000])),
    )


@settings(max_examples=300, deadline=None)
@given(some=cities())
def test_times_are_those_of_a_search_and_paths_attain_them(some):
    made = some.paths()
    times = made.times(some.w)
    assert times.tobytes() == some.times().tobytes()
    start, links = made.paths(some.w, np.arange(len(times)))
    for k, (o, d) in enumerate(zip(some.origins, some.destinations, strict=True)):
        path = links[start[k] : start[k + 1]]
        if o == d or math.isinf(times[k]):
            assert not len(path)
            continue
        nodes = [o, *some.head[path]]
        assert list(some.tail[path]) == nodes[:-1]
        assert nodes[-1] == d
        assert len(set(nodes)) == len(nodes)
        assert not some.no_through[nodes[1:-1]].any()
        assert some.w[path].sum() == times[k]


@settings(max_examples=100, deadline=None)
@given(some=cities(), seed=st.integers(0, 999))
def test_new_weights_leave_nothing_of_the_old(some, seed):
    made = some.paths()
    old = some.w.copy()
    before = made.times(some.w)
    some.w = np.random.default_rng(seed).integers(0, 5, len(some.w)).astype(float)
    assert made.times(some.w).tobytes() == some.times().tobytes()
    some.w[:] = old  # in place: what was remembered must be a copy
    assert made.times(some.w).tobytes() == before.tobytes()


@settings(max_examples=100, deadline=None)
@given(some=cities(), seed=st.integers(0, 999))
def test_an_endless_link_is_a_closed_one(some, seed):
    closed = np.random.default_rng(seed).random(len(some.w)) < 0.3
    rest = {"tail": some.tail[~closed], "head": some.head[~closed], "w": some.w[~closed]}
    without = City(**{**vars(some), **rest})
    made = some.paths()
    w = np.where(closed, np.inf, some.w)
    assert made.times(w).tobytes() == without.times().tobytes()
    assert not closed[made.paths(w, np.arange(len(some.origins)))[1]].any()


@settings(max_examples=100, deadline=None)
@given(some=cities(), seed=st.integers(0, 999))
def test_loads_are_the_volumes_on_paths(some, seed):
    some.w += 1.0  # without loops of length zero
    made = some.paths()
    volume = np.random.default_rng(seed).integers(0, 9, len(some.origins)).astype(float)
    start, links = made.paths(some.w, np.arange(len(volume)))
    along = np.bincount(links, np.repeat(volume, np.diff(start)), len(some.w))
    assert made.loads(some.w, volume).tolist() == along.tolist()


@pytest.fixture(scope="module")
def large():
    """A jittered grid of 2,500 nodes with real weights, and 900 trips."""
    rng = np.random.default_rng(7)
    side = 50
    at = np.arange(side * side).reshape(side, side)
    ends = np.concatenate(
        [
            np.stack((at[:, :-1].ravel(), at[:, 1:].ravel()), 1),
            np.stack((at[:-1].ravel(), at[1:].ravel()), 1),
        ]
    )
    tail, head = np.concatenate((ends, ends[:, ::-1])).T
    o, d = rng.integers(0, side * side, (2, 900))
    w = rng.uniform(0.0, 1.0, len(tail)) ** 3
    return City(tail, head, side * side, np.zeros(side * side, bool), o, d, w)


def test_any_number_of_threads_gives_the_same_bytes(large):
    volume = np.random.default_rng(1).uniform(0, 1, 900)
    found = []
    for threads in (1, 2):
        made = large.paths(threads)
        start, links = made.paths(large.w, np.arange(900)[::-1])
        found.append((made.times(large.w), start, links, made.loads(large.w, volume)))
    for one, two in zip(*found, strict=True):
        assert one.tobytes() == two.tobytes()


def test_rounding_is_that_of_one_sum_along_the_path(large):
    made = large.paths()
    times = made.times(large.w)
    start, links = made.paths(large.w, np.arange(len(times)))
    for k, (a, b) in enumerate(pairwise(start)):
        exact = math.fsum(large.w[links[a:b]])
        assert abs(times[k] - exact) <= max(0, b - a - 1) * 2.0**-53 * exact * (1 + 1e-9)


@pytest.mark.parametrize("destinations", [2500, 5])  # five: searches run against the links
def test_scipy_finds_the_same_times(large, destinations):
    d = large.destinations % destinations
    some = City(**{**large.__dict__, "destinations": d})
    made = some.paths()
    assert made.contraction.forward == (destinations != 5)
    graph = csr_array((large.w, (large.tail, large.head)), shape=(2500, 2500))
    theirs = csgraph.dijkstra(graph, indices=large.origins)[np.arange(900), d]
    np.testing.assert_allclose(made.times(some.w), theirs, rtol=4e-15)


def test_the_paths_of_some_trips_do_not_depend_on_the_others(large):
    large_w = np.round(large.w * 3)  # many ties
    made = large.paths()
    start, links = made.paths(large_w, np.arange(900))
    for k in (0, 17, 899):
        _, alone = made.paths(large_w, np.array([k]))
        assert alone.tolist() == links[start[k] : start[k + 1]].tolist()


def test_no_layout_of_the_arrays_is_compiled_twice(large):
    columns = {name: np.repeat(column, 2)[::2] for name, column in vars(large).items()
               if name != "node_count"}  # fmt: skip
    for column in columns.values():
        column.setflags(write=False)
    some = City(**columns, node_count=large.node_count)
    for city in (large, some):
        made = city.paths()
        made.times(city.w)
        made.paths(city.w, np.arange(900))
        made.loads(city.w, np.ones(900))
    for function in (kernels.place, kernels.customise, kernels.sweep, walks.paths, walks.arc_loads):
        assert len(function.signatures) == 1, function.__name__


def test_a_visit_twice_is_cut_out():
    tail, head = np.array([0, 1, 2, 3, 1]), np.array([1, 2, 3, 1, 4])
    links = np.array([0, 1, 2, 3, 4])
    end = walks.simple(links, 0, 5, walks.Ends(tail, head), np.zeros(5, int), np.full(6, -1))
    assert links[:end].tolist() == [0, 4]


@pytest.mark.parametrize("w", [[1.0, -1.0], [1.0, math.nan], [1.0]])
def test_weights_that_cannot_be_are_refused(w):
    made = TripPaths.of(
        np.array([0, 1]), np.array([1, 0]), 2, np.zeros(2, bool), np.array([0]), np.array([1])
    )
    with pytest.raises(ValueError, match="one weight >= 0 is needed for every link"):
        made.times(np.array(w))
