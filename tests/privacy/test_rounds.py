# SPDX-License-Identifier: MIT
"""The rounds of the sampler piece by piece: each against what it says, number by number."""

from __future__ import annotations

from fractions import Fraction
from itertools import product

import numpy as np
import pytest

from pocin.privacy import rounds
from pocin.privacy.metric import Hops, LinkHops
from pocin.privacy.proposals import Proposals
from pocin.privacy.rounds import ACCEPT, DONE, MORE_WORDS, OPEN, REJECT, Near, Task, Weights
from pocin.privacy.search import blank, enter

HIGH = np.array([11, 7, 4, 1])
WEIGHTS = Weights(np.array([9, 5, 2, 0]), HIGH)
PATH = np.column_stack([np.arange(5), np.arange(1, 6)])
TWO = np.concatenate([PATH, [[6, 7], [7, 8]]])  # a path of six nodes, and one of three


def near(order, ends, patience=10.0):
    return Near(np.array(order, np.int32), np.array(ends, np.int64), patience)


def kinds(ends, count):
    return Hops(ends, count, np.arange(count)), LinkHops(ends, count, ends)


def expected(place, hops, weights):
    """What [place, place + 1) is in for a distance that is known."""
    if place + 1 <= weights.low[hops]:
        return ACCEPT
    return REJECT if place >= weights.high[hops] else OPEN


def test_cells_are_handed_out_class_by_class_site_by_site():
    # Beyond the uniform part of 2 each: 9 more for site 4, 5 for sites 1 and 3, 2 for site 0.
    listed = near([4, 1, 3, 0], [1, 3, 4])
    found = [rounds.pick(r, HIGH, 2, listed, 3) for r in range(22)]
    cells = [(4, 11), (1, 7), (3, 7), (0, 4)]
    assert found[:21] == [(site, place) for site, end in cells for place in range(2, end)]
    assert found[21] == (-1, 0)
    assert rounds.cells(6, HIGH, 2, listed.ends, 3) == 6 * 2 + 21
    assert rounds.cells(6, HIGH, 2, listed.ends, 1) == 6 * 2 + 9


def test_a_cell_is_judged_by_the_farthest_and_the_nearest_that_it_may_be():
    for place, at_least in product(range(13), range(4)):
        for at_most in range(at_least, 4):
            found = rounds.judge(place, at_least, at_most, WEIGHTS)
            assert (found == ACCEPT) == (place + 1 <= WEIGHTS.low[at_most])
            assert (found == REJECT) == (place >= WEIGHTS.high[at_least])


def test_a_word_is_cut_to_the_bits_of_a_number_under_the_total():
    known = {1: 64, 2: 63, 3: 62, 4: 62, 5: 61, 2**20: 44, 2**20 + 1: 43, 2**62: 2}
    assert {total: rounds.idle(total) for total in known} == known


@pytest.mark.parametrize("metric", kinds(TWO, 9), ids=["nodes", "links"])
def test_landmarks_at_every_site_tell_every_distance(metric):
    sampler = Proposals(metric, Fraction(1, 2))
    vars(sampler)["bits"] = 4
    weights, marks, hops = sampler.weights, sampler.marks, metric.matrix()
    assert marks.shape == (len(metric), 16)
    for s, t in product(range(len(metric)), repeat=2):
        away = min(hops[s, t], sampler.reach + 1)
        for place in range(20):
            found = rounds.by_landmarks(place, marks[s], marks[t], weights)
            assert found == expected(place, away, weights)


def test_a_landmark_at_one_end_tells_the_least_and_the_most():
    here_there = [np.array([d], np.int32) for d in (1, 2)]
    # d is from 1 to 3, the last class is 4
    weights = Weights(np.array([9, 7, 5, 3, 0]), np.array([11, 9, 7, 5, 1]))
    for here, there in (here_there, here_there[::-1]):
        found = [rounds.by_landmarks(place, here, there, weights) for place in range(11)]
        assert found == [ACCEPT] * 3 + [OPEN] * 6 + [REJECT] * 2
    out = np.array([4], np.int32)
    # one of the two is out of reach of the landmark: so are they of each other
    for here, there in ((here_there[0], out), (out, here_there[0])):
        found = [rounds.by_landmarks(place, here, there, weights) for place in range(3)]
        assert found == [OPEN, REJECT, REJECT]
    # both are: nothing is told
    found = [rounds.by_landmarks(place, out, out, weights) for place in range(12)]
    assert found == [OPEN] * 11 + [REJECT]
    # the sum of two far classes says no more than that they are in reach
    three = np.array([3], np.int32)
    found = [rounds.by_landmarks(place, three, three, weights) for place in range(12)]
    assert found == [OPEN] * 11 + [REJECT]


def listing(metric, high, site, patience):
    n = len(metric)
    room = Near(np.empty(n, np.int32), np.zeros(len(high), np.int64), patience)
    search = blank(metric.node_count)
    weights = Weights(high, high)
    classes, first, end, envelope = rounds.near_sites(metric.net, weights, site, search, room)
    ends = room.ends[:classes].tolist()
    groups = [sorted(room.order[a:b].tolist()) for a, b in zip([0, *ends], ends, strict=False)]
    return groups, envelope, sorted(search.queue[first:end].tolist())


def test_near_sites_are_listed_class_by_class_to_the_last():
    high = np.array([32, 16, 8, 4, 2, 1, 1])
    nodes, links = kinds(PATH, 6)
    assert listing(nodes, high, 2, 0.0) == ([[2], [1, 3], [0, 4], [5]], 0, [5])
    assert listing(links, high, 1, 0.0) == ([[1], [0, 2], [3], [4]], 0, [4])
    shared = Hops(PATH, 6, np.array([2, 2, 5]))
    assert listing(shared, high, 1, 0.0) == ([[0, 1], [], [], [2]], 0, [5])


def test_near_sites_end_where_the_component_does():
    high = np.array([32, 16, 8, 4, 3, 2, 1])
    nodes, links = kinds(TWO, 9)
    assert listing(nodes, high, 7, 0.0) == ([[7], [6, 8]], 1, [6, 8])
    assert listing(links, high, 6, 0.0) == ([[6], [5], []], 1, [6])


def test_patience_is_proposals_a_node():
    # After class 0: 5 sites beyond in cells of 16, 1 node seen, 32 listed: 80 = 2.5 x 1 x 32.
    # After class 1: 3 sites beyond in cells of 8, 3 nodes seen, 64 listed: 24 = 0.125 x 3 x 64.
    high = np.array([32, 16, 8, 4, 2, 1, 1])
    nodes, links = kinds(PATH, 6)
    assert listing(nodes, high, 2, 2.5) == ([[2]], 16, [2])
    assert listing(nodes, high, 2, 2.49) == ([[2], [1, 3]], 8, [1, 3])
    assert listing(nodes, high, 2, 0.125) == ([[2], [1, 3]], 8, [1, 3])
    assert listing(nodes, high, 2, 0.124) == ([[2], [1, 3], [0, 4]], 4, [0, 4])
    # Links: after class 1, 2 beyond in cells of 8, 2 nodes seen, 64 listed: 16 = 0.125 x 2 x 64.
    assert listing(links, high, 1, 0.125) == ([[1], [0, 2]], 8, [1, 2])
    assert listing(links, high, 1, 0.124) == ([[1], [0, 2], [3]], 4, [0, 3])


@pytest.mark.parametrize("metric", kinds(TWO, 9), ids=["nodes", "links"])
def test_a_search_decides_as_the_distance_does(metric):
    sampler = Proposals(metric, Fraction(1, 2))
    vars(sampler)["bits"] = 5
    weights, hops = sampler.weights, metric.matrix()
    last = len(weights.high) - 1
    for site, other in product(range(len(metric)), repeat=2):
        away = min(hops[site, other], last)
        for place in range(36) if site != other else ():
            search = blank(metric.node_count)
            layer = (0, enter(metric.net, site, search))
            verdict, found, _ = rounds.by_search(metric.net, weights, (other, place), search, layer)
            assert verdict == expected(place, away, weights)
            if verdict != REJECT:
                assert found == away


def test_a_search_goes_no_farther_than_it_takes():
    metric = Hops(PATH, 6, np.arange(6))
    weights = Weights(*2 * [np.array([32, 16, 8, 4, 2, 1, 0])])
    for place, farthest in ((16, 0), (15, 1), (8, 1), (7, 2), (4, 2), (3, 3), (2, 3), (1, 4)):
        search = blank(6)
        cell, layer = (5, place), (0, enter(metric.net, 0, search))
        assert rounds.by_search(metric.net, weights, cell, search, layer)[0] == REJECT
        assert search.level.max() == farthest
    search = blank(6)
    layer = (0, enter(metric.net, 0, search))
    assert rounds.by_search(metric.net, weights, (5, 0), search, layer)[:2] == (ACCEPT, 5)


@pytest.mark.parametrize("metric", kinds(TWO, 9), ids=["nodes", "links"])
@pytest.mark.parametrize("patience", [0.0, 10.0])
def test_elements_are_drawn_one_after_the_other_as_if_each_were_alone(metric, patience):
    rng = np.random.default_rng(5)
    sampler = Proposals(metric, Fraction(1, 3))
    sites = rng.integers(0, len(metric), 40)
    words = rng.integers(0, 2**64, 900, dtype=np.uint64)
    given = sampler.metric.net, sampler.weights, sampler.marks
    together, alone = np.full(40, -1), np.full(40, -1)
    why, at, used, *_ = rounds.draw(*given, Task(sites, 0, words, together, patience))
    assert (why, at) == (DONE, 40)
    begin = 0
    for e, site in enumerate(sites):
        one = np.full(1, -1)
        why, at, took, *_ = rounds.draw(
            *given, Task(np.array([site]), 0, words[begin:], one, patience)
        )
        assert (why, at) == (DONE, 1)
        alone[e] = one[0]
        begin += took
    assert begin == used
    assert np.array_equal(together, alone)
    # one word short, the last element is left
    short = rounds.draw(*given, Task(sites, 0, words[: used - 1], np.empty(40, int), patience))
    assert short[:3] == (MORE_WORDS, 39, used - 1)
    # begun in the middle, those before are left alone
    late = np.full(40, -1)
    rounds.draw(*given, Task(sites, 38, words, late, patience))
    assert np.all(late[:38] == -1)
    assert np.all(late[38:] >= 0)
