# SPDX-License-Identifier: MIT
"""Flows of least cost: by hand on a few arcs, and proved optimal by their prices on any."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.privacy.networks import graphs

from pocin.privacy.mincost import follow, least_cost, network


def arcs(*triples, nodes, longest=99):
    """A network from arcs as (tail, head, cost)."""
    return network(*np.array(triples).T, nodes, longest)


def carried(net, flow):
    """What every arc with flow carries."""
    return {
        (t, h): f
        for t, h, f in zip(net.tail.tolist(), net.head.tolist(), flow.tolist(), strict=True)
        if f
    }


def test_arcs_are_laid_out_by_tail_and_head_and_the_first_of_parallel_ones_is_kept():
    net = arcs((2, 0, 5), (0, 2, 4), (0, 1, 3), (0, 2, 9), (1, 2, 6), nodes=4, longest=7)
    assert net.longest == 7
    assert net.tail.tolist() == [0, 0, 1, 2]
    assert net.head.tolist() == [1, 2, 2, 0]
    assert net.cost.tolist() == [3, 4, 6, 5]
    assert net.start.tolist() == [0, 2, 3, 4, 4]
    assert net.back.tolist() == [3, 0, 1, 2]
    assert net.back_start.tolist() == [0, 1, 2, 4, 4]
    assert all(column.dtype == np.int32 for column in net[1:])


def test_arcs_into_a_node_are_listed_by_their_tails():
    """Sixty of them: a sort that is not stable would list them in some other order."""
    tail = np.arange(1, 61)
    net = network(tail, tail % 2 * 61, tail, 62, 9)
    assert net.back.tolist() == [*range(1, 60, 2), *range(0, 60, 2)]


def test_the_nearest_is_served_first_and_by_the_cheapest_way():
    # 0 -> 1 -> 2 costs 2, 0 -> 2 costs 3; 3 is farther off.
    net = arcs((0, 1, 1), (1, 2, 1), (0, 2, 3), (2, 3, 5), nodes=4)
    flow, price = least_cost(net, np.array([2, 0, -1, -1]))
    assert carried(net, flow) == {(0, 1): 2, (1, 2): 2, (2, 3): 1}
    assert price.tolist() == [0, 1, 2, 7]
    assert flow.dtype == price.dtype == np.int32


def test_what_was_sent_is_called_back_where_that_is_cheaper():
    # 0 takes 2, which is nearest to it; then only 1 -> 2 is left to 1, and 0 must go to 3.
    net = arcs((0, 2, 1), (0, 3, 2), (1, 2, 3), nodes=4)
    flow, _ = least_cost(net, np.array([1, 1, -1, -1]))
    assert carried(net, flow) == {(0, 3): 1, (1, 2): 1}


def test_what_was_sent_along_many_arcs_is_called_back_along_them():
    # A path 0 - 1 - 2 - 3 of cost 1 each way, sinks at both ends of it, sources in the middle.
    path = [(k, k + 1, 1) for k in range(5)] + [(k + 1, k, 1) for k in range(5)]
    net = arcs(*path, nodes=6)
    flow, _ = least_cost(net, np.array([-2, 1, 2, 0, 0, -1]))
    assert carried(net, flow) == {(1, 0): 2, (2, 1): 1, (2, 3): 1, (3, 4): 1, (4, 5): 1}


def test_what_reaches_no_one_is_not_sent():
    net = arcs((0, 1, 1), (2, 0, 1), nodes=3)
    flow, _ = least_cost(net, np.array([1, 1, -2]))
    assert not flow.any()
    flow, _ = least_cost(net, np.array([3, -1, -1]))
    assert carried(net, flow) == {(0, 1): 1}


def test_nothing_to_send_moves_nothing():
    net = arcs((0, 1, 1), nodes=2)
    flow, price = least_cost(net, np.array([0, -1]))
    assert not flow.any()
    assert not price.any()


def test_a_flow_is_cut_into_paths_in_turn_by_the_first_arc_with_flow_left():
    net = arcs((0, 1, 1), (0, 2, 1), (1, 3, 1), (1, 4, 1), (2, 4, 1), nodes=6)
    flow = np.array([2, 1, 1, 1, 1], dtype=np.int32)
    supply = np.array([3, 0, 0, -1, -2, 0])
    ends = follow(net, flow, supply, np.array([0, 0, 0]))
    assert ends.tolist() == [3, 4, 4]
    assert ends.dtype == np.int64
    assert not flow.any()


@given(graphs(connected=True), st.data())
@settings(deadline=None)
def test_prices_prove_the_flow_optimal(graph, data):
    ends, count = graph
    tail, head = np.concatenate([ends, ends[:, ::-1]]).T
    cost = data.draw(st.lists(st.integers(1, 9), min_size=len(tail), max_size=len(tail)))
    node = st.integers(0, count - 1)
    moves = data.draw(st.lists(st.tuples(node, node), max_size=20))
    supply = np.zeros(count, dtype=np.int64)
    for a, b in moves:
        supply[a] += 1
        supply[b] -= 1
    net = network(tail, head, np.array(cost), count, 9 * count)
    flow, price = least_cost(net, supply)
    sent = np.bincount(net.tail, flow, count) - np.bincount(net.head, flow, count)
    reduced = net.cost + price[net.tail] - price[net.head]
    assert np.array_equal(sent, supply)
    assert np.all(flow >= 0)
    assert np.all(reduced >= 0)
    assert np.all(reduced[flow > 0] == 0)


@pytest.mark.parametrize("longest", [18, 19, 99])
def test_the_longest_path_may_be_just_as_long_as_said(longest):
    net = arcs((0, 1, 9), (1, 2, 9), nodes=3, longest=longest)
    flow, _ = least_cost(net, np.array([1, 0, -1]))
    assert flow.tolist() == [1, 1]
