# SPDX-License-Identifier: MIT
"""The assignment by a flow is a cheapest one, and a function of the sorted records alone."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import linear_sum_assignment
from tests.privacy.networks import by_networkx, metrics

from pocin.privacy import metric as metrics_of
from pocin.privacy.draws import seal
from pocin.privacy.location import assign
from pocin.privacy.metric import Hops, LinkHops
from pocin.privacy.transport import assign_by_flow, roads_for

LINE = np.array([[0, 1], [1, 2]])
EDGES = {(0, 1, 1), (1, 0, 1), (1, 2, 1), (2, 1, 1)}


@pytest.mark.parametrize(
    ("metric", "full", "empty", "arcs", "hub"),
    [
        (Hops(LINE, 3, np.array([0, 2, 2])), [0], [1, 2], {(3, 0, 0), (2, 4, 0), (2, 5, 0)}, 6),
        (LinkHops(LINE, 3, LINE), [0], [1], {(3, 0, 1), (3, 1, 1), (1, 4, 0), (2, 4, 0)}, 5),
        (
            Hops(LINE, 5, np.array([0, 4, 1])),
            [0, 2],
            [1],
            {(5, 0, 0), (7, 1, 0), (4, 6, 0), (5, 8, 5), (7, 8, 5), (8, 6, 0)},
            8,
        ),
    ],
    ids=["nodes", "links", "apart"],
)
def test_the_arcs_are_the_streets_and_the_doors_of_the_sites(metric, full, empty, arcs, hub):
    net = roads_for(np.array(full), np.array(empty), metric)
    found = list(zip(net.tail.tolist(), net.head.tolist(), net.cost.tolist(), strict=True))
    assert sorted(found) == sorted(EDGES | arcs)
    assert len(net.start) - 1 == hub + 1
    assert net.longest == metric.beyond


@st.composite
def records(draw):
    """A metric, and raw draws of as many records as it has sites, with many ties."""
    metric = draw(metrics())
    n = len(metric)
    column = st.lists(st.integers(0, n - 1), min_size=n, max_size=n)
    moved = np.array([draw(column), draw(column)], dtype=float).T
    return metric, np.array(draw(column)), np.array(draw(column)), moved


@given(records())
@settings(max_examples=300, deadline=None)
def test_no_assignment_is_cheaper(raw):
    metric, *columns = raw
    draws, _ = seal(*columns)
    placed = assign_by_flow(draws, metric)
    assert sorted(placed.tolist()) == list(range(len(metric)))
    cost = by_networkx(metric)[draws.sites]
    wanted = cost[linear_sum_assignment(cost)].sum()
    assert cost[placed, np.arange(len(metric))].sum() == wanted


@given(records())
@settings(deadline=None)
def test_every_drawn_site_keeps_the_first_record_that_drew_it(raw):
    metric, *columns = raw
    draws, _ = seal(*columns)
    placed = assign_by_flow(draws, metric)
    assert placed.dtype == np.int64
    for site in np.unique(draws.sites):
        assert placed[site] == np.flatnonzero(draws.sites == site)[0]


@given(records(), st.randoms(use_true_random=False))
@settings(deadline=None)
def test_the_order_of_the_source_plays_no_part(raw, rng):
    metric, *columns = raw
    order = np.array(rng.sample(range(len(metric)), len(metric)))
    one, _ = seal(*columns)
    other, _ = seal(*(column[order] for column in columns))
    assert np.array_equal(assign_by_flow(one, metric), assign_by_flow(other, metric))


@pytest.mark.parametrize("kind", ["links", "nodes"])
def test_networks_beyond_the_table_are_assigned_by_the_flow(kind, monkeypatch):
    rng = np.random.default_rng(1)
    at = np.arange(144).reshape(12, 12)
    ends = np.concatenate(
        [at[:, [k, k + 1]] for k in range(11)] + [at[[k, k + 1]].T for k in range(11)]
    )
    nodes = rng.integers(0, 144, len(ends))
    metric = LinkHops(ends, 144, ends) if kind == "links" else Hops(ends, 144, nodes)
    n = len(metric)
    draws, _ = seal(rng.integers(0, n, n), rng.integers(0, 9, n), np.zeros((n, 1)))
    dense, hops = assign(draws, metric), metric.matrix()
    monkeypatch.setattr(metrics_of, "TABLE", 10)
    found = assign(draws, metric)
    extra = rng.random((n, n)).astype(np.float32)
    assert np.array_equal(found, assign_by_flow(draws, metric))
    each = np.arange(n)
    assert hops[draws.sites[found], each].sum() == hops[draws.sites[dense], each].sum()
    weighed = assign(draws, metric, extra)
    cost = hops[draws.sites] + extra
    assert cost[weighed, each].sum() == pytest.approx(cost[linear_sum_assignment(cost)].sum())
