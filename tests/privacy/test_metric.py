# SPDX-License-Identifier: MIT
"""Hops are a metric, and what is read off them is what brute force finds."""

from __future__ import annotations

import networkx as nx
import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.privacy.networks import by_networkx, metrics

from pocin.audit.enumerate import Table
from pocin.privacy import metric as metrics_of
from pocin.privacy.metric import Hops, LinkHops


@st.composite
def networks(draw):
    """A connected graph of a few nodes, and sites at some of them, several at one perhaps."""
    count = draw(st.integers(2, 14))
    tree = [(draw(st.integers(0, k - 1)), k) for k in range(1, count)]
    node = st.integers(0, count - 1)
    more = draw(st.lists(st.tuples(node, node).filter(lambda e: e[0] != e[1]), max_size=12))
    sites = draw(st.lists(node, min_size=1, max_size=12))
    return np.array(tree + more), count, np.array(sorted(sites))


def by_hand(ends, count, sites):
    graph = nx.Graph()
    graph.add_nodes_from(range(count))
    graph.add_edges_from(ends.tolist())
    hops = dict(nx.all_pairs_shortest_path_length(graph))
    return graph, np.array([[hops[a][b] for b in sites] for a in sites])


@given(networks())
@settings(deadline=None)
def test_rows_matrix_partners_and_covering(network):
    metric = Hops(*network)
    _, hops = by_hand(*network)
    assert len(metric) == len(hops)
    assert np.array_equal(metric.matrix(), hops)
    for site in range(len(metric)):
        assert np.array_equal(metric.row(site), hops[site])
    for radius in range(6):
        near = (hops >= 1) & (hops <= radius)
        assert np.array_equal(metric.partners(radius), near.sum(axis=1))


@given(networks())
@settings(deadline=None)
def test_hops_are_a_metric(network):
    hops = Hops(*network).matrix()
    assert np.all(np.diag(hops) == 0)
    assert np.array_equal(hops, hops.T)
    assert np.all(hops[:, None, :] <= hops[:, :, None] + hops[None, :, :])
    apart = network[2][:, None] != network[2][None, :]
    assert np.array_equal(hops > 0, apart)


@given(networks())
@settings(deadline=None)
def test_the_diameter_is_that_of_the_topology(network):
    graph, _ = by_hand(*network)
    assert Hops(*network).diameter == nx.diameter(graph)


@given(networks())
@settings(deadline=None)
def test_covering_is_the_fewest_hops_that_cover_all(network):
    metric, (_, hops) = Hops(*network), by_hand(*network)
    radius = metric.covering()
    assert radius >= 2
    if len(set(network[2].tolist())) == 1:
        assert radius == 2
        return
    covered = [np.all(((hops >= 1) & (hops <= r)).any(axis=1)) for r in range(radius + 1)]
    assert covered[radius]
    assert radius == 2 or not covered[radius - 1]


@given(networks(), st.randoms(use_true_random=False))
@settings(deadline=None)
def test_names_of_nodes_and_order_of_edges_do_not_matter(network, rng):
    ends, count, sites = network
    renamed = np.array(rng.sample(range(count), count))
    edges = renamed[ends][rng.sample(range(len(ends)), len(ends))][:, ::-1]
    other = Hops(edges, count, renamed[sites])
    same = Hops(*network)
    assert np.array_equal(other.matrix(), same.matrix())
    assert other.diameter == same.diameter


@given(networks(), st.data())
@settings(deadline=None)
def test_a_table_is_the_metric_of_some_of_its_sites(network, data):
    metric = Hops(*network)
    sites = data.draw(st.lists(st.integers(0, len(metric) - 1), min_size=1, unique=True))
    table = Table.of(metric, sites)
    assert np.array_equal(table.matrix(), metric.matrix()[np.ix_(sites, sites)])
    assert np.array_equal(table.row(0), table.matrix()[0])
    near = (table.matrix() >= 1) & (table.matrix() <= 2)
    assert np.array_equal(table.partners(2), near.sum(axis=1))


@pytest.fixture(params=["table", "search"])
def tabled(request, monkeypatch):
    monkeypatch.setattr(metrics_of, "TABLE", 2_000 if request.param == "table" else 0)
    return request.param == "table"


@given(metrics())
@settings(deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_both_kinds_by_table_and_by_search_are_by_hand(tabled, metric):
    hops = by_networkx(metric)
    n = len(metric)
    assert metric.tabled == tabled
    assert np.array_equal(metric.matrix(), hops)
    assert np.array_equal([metric.row(site) for site in range(n)], hops)
    made = metric.matrix(), metric.row(0), metric.partners(1), metric.nearest, metric.components
    assert {array.dtype for array in made} == {np.dtype(np.int64)}
    for radius in range(metric.beyond + 2):
        near = (hops >= 1) & (hops <= radius)
        assert np.array_equal(metric.partners(radius), near.sum(axis=1))
        assert metric.covered(radius) == near.any(axis=1).sum()
    partnered = (hops >= 1).any(axis=1)
    covered = [(((hops >= 1) & (hops <= r)).any(axis=1) | ~partnered).all() for r in range(20)]
    assert metric.covering() == max(2, covered.index(True))


@given(metrics())
@settings(deadline=None)
def test_both_kinds_are_metrics(metric):
    hops = metric.matrix()
    assert np.all(np.diag(hops) == 0)
    assert np.array_equal(hops, hops.T)
    assert np.all(hops[:, None, :] <= hops[:, :, None] + hops[None, :, :])


def test_links_that_share_an_end_are_a_hop_apart():
    # a street both ways, its parallel, and what follows: 0 -> 1, 1 -> 0, 0 -> 1, 1 -> 2, 2 -> 3
    ends = np.array([[0, 1], [1, 0], [0, 1], [1, 2], [2, 3]])
    assert LinkHops(ends, 4, ends).row(0).tolist() == [0, 1, 1, 1, 2]


@given(metrics(connected=True))
@settings(deadline=None)
def test_the_diameter_is_the_same_by_search(metric):
    graph = nx.Graph()
    graph.add_nodes_from(range(metric.node_count))
    graph.add_edges_from(metric.ends.tolist())
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(metrics_of, "TABLE", 0)
        assert metric.diameter == nx.diameter(graph)


def test_as_many_sites_as_it_is_told_are_tabled():
    ends, sites = np.array([[0, 1], [1, 2]]), np.array([0, 1, 2])
    assert [Hops(ends, 3, sites, table).tabled for table in (2, 3, 4, None)] == [
        False,
        True,
        True,
        True,
    ]
    assert [Hops(ends, 3, np.zeros(n, int)).tabled for n in (2_000, 2_001)] == [True, False]


@pytest.mark.parametrize(("count", "bits"), [(32_767, 16), (32_768, 32), (40_000, 32)])
def test_a_table_is_as_narrow_as_the_farthest_allows(count, bits):
    """16 bits hold a distance of 32,767: a longer path is not folded back."""
    path = np.column_stack([np.arange(count - 2), np.arange(1, count - 1)])
    metric = Hops(path, count, np.array([0, count - 2, count - 1]))
    long, out = count - 2, count
    assert metric.matrix().tolist() == [[0, long, out], [long, 0, out], [out, out, 0]]
    assert metric._between.dtype == np.dtype(f"i{bits // 8}")


def test_counting_the_nodes_between_is_no_metric():
    # a - b - c: hops - 1 makes d(a, b) = d(b, c) = 0 and d(a, c) = 1.
    hops = Hops(np.array([[0, 1], [1, 2]]), 3, np.array([0, 1, 2])).matrix()
    between = np.maximum(hops - 1, 0)
    assert between[0, 2] > between[0, 1] + between[1, 2]


def test_many_sites_are_searched_in_chunks():
    count = 600
    ends = np.column_stack([np.arange(count - 1), np.arange(1, count)])
    metric = Hops(ends, count, np.arange(count))
    assert np.array_equal(
        metric.matrix(), np.abs(np.subtract.outer(np.arange(count), np.arange(count)))
    )
    assert metric.diameter == count - 1
    assert metric.covering() == 2


class Counting(Hops):
    """Takes down how many nodes were searched from each time."""

    def from_nodes(self, nodes):
        vars(self).setdefault("asked", []).append(len(nodes))
        return super().from_nodes(nodes)


def test_every_place_is_searched_from_once_and_few_settle_the_diameter():
    count = 600
    path = np.column_stack([np.arange(count - 1), np.arange(1, count)])
    metric = Counting(path, count, np.repeat(np.arange(count), 2))
    metric.matrix()
    metric.row(7)
    assert metric.asked == [256, 256, 88]
    untabled = Counting(path, count, np.arange(count), 10)
    untabled.row(7)
    assert untabled.asked == [1]
    at = np.arange(400).reshape(20, 20)
    across = np.column_stack([at[:, :-1].ravel(), at[:, 1:].ravel()])
    streets = np.concatenate([across, np.column_stack([at[:-1].ravel(), at[1:].ravel()])])
    for ends, nodes, diameter, most in ((path, count, count - 1, 3), (streets, 400, 38, 5)):
        metric = Counting(ends, nodes, np.arange(nodes))
        assert metric.diameter == diameter
        assert len(metric.asked) <= most


@pytest.mark.parametrize("nodes", [[3], [3, 3, 3]])
def test_sites_at_one_node_have_no_partner(nodes):
    metric = Hops(np.array([[0, 3], [1, 3], [2, 3]]), 4, np.array(nodes))
    assert metric.covering() == 2
    assert np.all(metric.partners(5) == 0)
    assert np.all(metric.matrix() == 0)


def test_without_links_nothing_is_apart():
    assert Hops(np.empty((0, 2), np.int64), 2, np.array([0, 1])).diameter == 0


@pytest.mark.parametrize("count", [2, 3, 7])
def test_what_is_out_of_reach_is_farther_than_the_longest_path(count):
    # A path over all nodes but one: its last link is count - 1 hops from its first.
    ends = np.array([[v, v + 1] for v in range(count)])
    links = LinkHops(ends, count + 2, ends)
    assert links.beyond > links.row(0).max() == count - 1
    nodes = Hops(ends, count + 2, np.array([0, count, count + 1]))
    assert nodes.beyond > nodes.row(0)[1] == count
    assert nodes.row(0)[2] == nodes.beyond
