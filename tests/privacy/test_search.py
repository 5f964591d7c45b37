# SPDX-License-Identifier: MIT
"""Searches over the topology, by hand: the layout, the layers, and what is read off them."""

from __future__ import annotations

import numpy as np
import pytest

from pocin.privacy import search
from pocin.privacy.metric import Hops, LinkHops

# 0 - 1 - 2 - 3 with a chord 0 - 2 and a loop at 3; 4 - 5 apart, 6 alone
ENDS = np.array([[0, 1], [1, 2], [2, 3], [2, 0], [3, 3], [5, 4]])
NODES = Hops(ENDS, 7, np.array([3, 0, 3, 5, 6]))
LINKS = LinkHops(ENDS, 7, ENDS)


def neighbours(net, node):
    return sorted(net.near[net.start[node] : net.start[node + 1]].tolist())


def sites_at(net, node):
    return net.site[net.at[node] : net.at[node + 1]].tolist()


@pytest.mark.parametrize("metric", [NODES, LINKS], ids=["nodes", "links"])
def test_the_graph_is_laid_out_both_ways(metric):
    net = metric.net
    found = [neighbours(net, node) for node in range(7)]
    assert found == [[1, 2], [0, 2], [0, 1, 3], [2, 3], [5], [4], []]
    assert net.step == metric.step
    assert net.stands.tolist() == metric.stands.tolist()
    assert all(column.dtype == np.int32 for column in net[1:])


def test_sites_are_listed_at_their_nodes_once_each():
    assert [sites_at(NODES.net, node) for node in range(7)] == [[1], [], [], [0, 2], [], [3], [4]]
    found = [sites_at(LINKS.net, node) for node in range(7)]
    assert found == [[0, 3], [0, 1], [1, 2, 3], [2, 4], [5], [5], []]
    assert len(NODES.net.at) == len(LINKS.net.at) == 8


def test_room_is_whole_numbers_of_32_bits():
    for made, number in ((search.room(3), 0), (search.room(3, -1), -1)):
        assert made.dtype == np.int32
        assert made.tolist() == [number] * 3


def test_a_search_grows_by_layers_and_is_forgotten():
    looking = search.blank(7)
    assert looking.level.tolist() == [-1] * 7
    assert len(looking.queue) == 8
    assert looking.level.dtype == looking.queue.dtype == np.int32
    assert search.enter(LINKS.net, 0, looking) == 2
    assert looking.queue[:2].tolist() == [0, 1]
    assert search.grow(LINKS.net, looking, 0, 2) == 3
    assert search.grow(LINKS.net, looking, 2, 3) == 4
    assert looking.queue[:4].tolist() == [0, 1, 2, 3]
    assert looking.level.tolist() == [0, 0, 1, 2, -1, -1, -1]
    assert search.grow(LINKS.net, looking, 3, 4) == 4
    search.clear(looking, 4)
    assert looking.level.tolist() == [-1] * 7
    assert search.enter(LINKS.net, 4, looking) == 1
    assert looking.queue[0] == 3
    assert looking.level.tolist() == [-1, -1, -1, 0, -1, -1, -1]


def test_levels_are_hops_from_a_node():
    assert search.levels(NODES.net, 3).tolist() == [2, 2, 1, 0, -1, -1, -1]
    assert search.levels(NODES.net, 4).tolist() == [-1, -1, -1, -1, 0, 1, -1]
    assert search.levels(NODES.net, 6).tolist() == [-1] * 6 + [0]


def test_one_node_speaks_for_a_site():
    stands = np.array([[0, 1], [2, 2]], np.int32)

    def arrives(site, node, *level):
        return search.arrives(stands, site, node, np.array(level, np.int32))

    # the first of both ends in the newest layer; the other where only it is
    assert arrives(0, 0, 4, 4, 0)
    assert not arrives(0, 1, 4, 4, 0)
    assert arrives(0, 0, 4, -1, 0)
    assert arrives(0, 1, -1, 4, 0)
    # not again at the end that is farther
    assert not arrives(0, 0, 4, 3, 0)
    assert not arrives(0, 1, 3, 4, 0)
    assert arrives(1, 2, 0, 0, 5)


def test_partners_are_counted_within_the_radius():
    def count(metric, radius):
        found = np.zeros(len(metric), dtype=np.int64)
        search.partners(metric.net, radius, found)
        return found.tolist()

    # 3 and 3 are at no hops of each other, and at two of 0
    assert [count(NODES, radius) for radius in range(4)] == [
        [0] * 5,
        [0] * 5,
        [1, 2, 1, 0, 0],
        [1, 2, 1, 0, 0],
    ]
    assert [count(LINKS, radius) for radius in range(4)] == [
        [0] * 6,
        [2, 3, 3, 3, 1, 0],
        [3, 4, 4, 4, 3, 0],
        [4, 4, 4, 4, 4, 0],
    ]


def test_the_nearest_is_at_one_hop_or_more():
    def nearest(metric):
        found = np.full(len(metric), 77)
        search.nearest(metric.net, found)
        return found.tolist()

    away = search.OUT_OF_REACH
    assert nearest(NODES) == [2, 2, 2, away, away]
    assert nearest(LINKS) == [1, 1, 1, 1, 1, away]
    assert nearest(Hops(ENDS, 7, np.array([3, 3]))) == [search.NOWHERE] * 2
    assert nearest(Hops(ENDS, 7, np.array([3, 3, 4]))) == [away] * 3
    assert nearest(LinkHops(ENDS, 7, ENDS[[0, 4]])) == [3, 3]
    assert nearest(LinkHops(ENDS, 7, ENDS[[0]])) == [search.NOWHERE]
    assert search.NOWHERE != search.OUT_OF_REACH
