# SPDX-License-Identifier: MIT
"""The sampler for many sites follows the softmax law: every whole number that it draws is tried."""

from __future__ import annotations

from fractions import Fraction
from itertools import pairwise
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.privacy.networks import metrics
from tests.privacy.test_softmax import exact_weights

from pocin.audit.fit import LEAST_P, chi_square
from pocin.privacy import proposals, rounds
from pocin.privacy.metric import Hops, LinkHops
from pocin.privacy.noise import SeededNoise, SystemNoise
from pocin.privacy.proposals import Proposals
from pocin.privacy.rounds import DONE, MORE_WORDS, UNDECIDED, Task
from pocin.privacy.softmax import weight_bounds

RATES = st.fractions(Fraction(1, 20), 3)


def verdicts(sampler, site):
    """What becomes of each r, the whole part of y: a site, nothing, or a choice left open."""
    top = sampler.bits + len(sampler.metric).bit_length() + 1
    site, drawn = np.array([site]), np.empty(1, dtype=np.int64)
    for r in range(2**top):
        word = np.array([r << (64 - top)], dtype=np.uint64)
        why, _, used, (other, place), hops = rounds.draw(
            sampler.metric.net, sampler.weights, sampler.marks, Task(site, 0, word, drawn)
        )
        assert used == 1
        yield why, (int(drawn[0]) if why == DONE else other), place, hops


PATH = np.column_stack([np.arange(10), np.arange(1, 11)])
STAR = np.column_stack([np.zeros(10, int), np.arange(1, 11)])


@pytest.mark.parametrize(
    ("metric", "reach"),
    [
        (Hops(PATH, 11, np.arange(11)), 10),  # no path is longer than all nodes
        (Hops(PATH, 11, np.array([5, 0, 10])), 10),  # nor than twice the farthest of one site
        (Hops(STAR, 11, np.arange(11)), 2),
        (LinkHops(STAR, 11, STAR), 3),
        (LinkHops(PATH, 11, PATH), 11),
        (Hops(PATH[1:], 12, np.array([0, 1, 10])), 9),  # apart: 0, and 1 to 10, and 11
    ],
)
def test_no_site_in_reach_is_farther_than_the_reach(metric, reach):
    sampler, hops = Proposals(metric, Fraction(1, 3)), metric.matrix()
    assert sampler.reach == reach >= hops[hops < metric.beyond].max()


def test_weights_lie_on_both_sides_of_omega_and_the_upper_ones_fall():
    metric, x = Hops(PATH[1:], 12, np.array([0, 1, 10])), Fraction(2)
    sampler = Proposals(metric, x)
    low, high = sampler.weights
    exact = exact_weights(x, [*range(10), metric.beyond])
    assert len(low) == len(high) == len(exact)
    assert low.dtype == high.dtype == np.int64
    rows = zip(low.tolist(), exact, high.tolist(), strict=True)
    assert all(a <= weight * 2**sampler.bits <= b for a, weight, b in rows)
    assert np.all(high - low <= 4)
    assert np.all(np.diff(high) <= 0)


@pytest.mark.parametrize("sites", [1, 2, 3, 4, 1000, 2**16 - 1, 2**16])
def test_all_cells_fit_into_a_word_and_waste_few_of_its_bits(sites):
    sampler = Proposals(Hops(PATH, 11, np.zeros(sites, int)), Fraction(1))
    _, high = weight_bounds(Fraction(1), 0, sampler.bits)
    assert 2**60 < sites * high < 2**63


def test_landmarks_are_each_as_far_as_can_be_from_those_before():
    metric = Hops(PATH, 11, np.arange(11)[::-1])
    marks = Proposals(metric, Fraction(1)).marks
    assert marks.shape == (11, 16)
    assert marks.dtype == np.int32
    assert marks.flags.c_contiguous
    first, second, third = (int(np.flatnonzero(marks[:, k] == 0)[0]) for k in range(3))
    assert (first, second, third) == (0, 10, 5)
    assert np.array_equal(marks[:, 1], metric.row(10))
    apart = Hops(PATH[1:], 12, np.array([0, 1, 10]))
    sampler = Proposals(apart, Fraction(1))
    assert sampler.marks[:, :3].tolist() == [[0, 10, 10], [10, 0, 9], [10, 9, 0]]


def test_words_are_asked_for_by_the_elements_that_are_left():
    class Counted(SeededNoise):
        def words(self, count):
            asked.append(count)
            return super().words(3)

    asked = []
    metric = Hops(PATH, 11, np.arange(11))
    drawn = Proposals(metric, Fraction(5)).draw(np.arange(11), Counted(1))
    assert drawn.dtype == np.int64
    assert asked[0] == 64 + 4 * 11
    assert asked[-1] >= 64 + 4
    assert all(a >= b for a, b in pairwise(asked))


@given(metrics(), RATES, st.integers(2, 6), st.data())
@settings(max_examples=60, deadline=None)
def test_every_whole_number_is_tried_and_the_law_is_softmax(metric, x, bits, data):
    # Each site is taken for whole numbers below omega, and where one is left open, for the part
    # of it below omega: in all omega(d(l, s)) of T.
    law_is_softmax(metric, x, bits, data.draw(st.integers(0, len(metric) - 1)))


def test_a_lone_site_does_not_shorten_the_reach_of_the_others():
    path = np.column_stack([np.arange(11), np.arange(1, 12)])
    metric = Hops(path, 13, np.array([12, *range(12)]))
    for site in (0, 1, 6):
        law_is_softmax(metric, Fraction(1, 7), 4, site)


def law_is_softmax(metric, x, bits, site):
    sampler = Proposals(metric, x)
    vars(sampler)["bits"] = bits
    hops = metric.row(site)
    omega = [weight * 2**bits for weight in exact_weights(x, hops.tolist())]
    mass = [Fraction(0)] * len(metric)
    for why, other, place, away in verdicts(sampler, site):
        if why == DONE:
            mass[other] += 1
        elif why == UNDECIDED:
            assert (away if away <= sampler.reach else metric.beyond) == hops[other]
            mass[other] += min(Fraction(1), max(Fraction(0), omega[other] - place))
        else:
            assert why == MORE_WORDS
    total = sum(omega)
    for s, weight in enumerate(omega):
        assert abs(mass[s] / sum(mass) - weight / total) < Fraction(1, 10**30)


def city(side=9, seed=0):
    """A grid of streets with some missing, both directions of each."""
    rng = np.random.default_rng(seed)
    at = np.arange(side * side).reshape(side, side)
    across = np.column_stack([at[:, :-1].ravel(), at[:, 1:].ravel()])
    along = np.column_stack([at[:-1].ravel(), at[1:].ravel()])
    ends = np.concatenate([across, along])
    ends = ends[rng.random(len(ends)) < 0.85]
    return np.concatenate([ends, ends[:, ::-1]]), side * side


@pytest.mark.parametrize("noise", [SystemNoise(), SeededNoise(3)], ids=["system", "seeded"])
@pytest.mark.parametrize("x", [Fraction(2), Fraction(1, 4), Fraction(1, 20)])
@pytest.mark.parametrize("kind", ["links", "nodes"])
def test_draws_fit_the_law(noise, x, kind):
    ends, count = city()
    metric = LinkHops(ends, count, ends) if kind == "links" else Hops(ends, count, ends[:, 0])
    drawn = Proposals(metric, x).draw(np.full(60_000, 70), noise)
    weights = np.exp(-float(x) * metric.row(70))
    law = weights / weights.sum()
    assert chi_square(np.bincount(drawn, minlength=len(metric)), law) > LEAST_P
    wrong = np.exp(-2 * float(x) * metric.row(70))
    assert chi_square(np.bincount(drawn, minlength=len(metric)), wrong / wrong.sum()) < LEAST_P


@given(st.fractions(Fraction(1, 20), 3), st.integers(0, 9), st.integers(0, 2**5 + 2))
@settings(max_examples=60, deadline=None)
def test_a_choice_left_open_is_decided_exactly(x, hops, place):
    # All 8-bit continuations of v, against omega itself.
    sampler = Proposals(Hops(np.array([[0, 1]]), 2, np.array([0, 1])), x)
    vars(sampler)["bits"], vars(sampler)["reach"] = 5, 10
    (omega,) = (weight * 2**5 for weight in exact_weights(x, [hops]))

    class Fixed:
        def __init__(self, word):
            self.word = word

        def bits(self, count):
            word, self.word = self.word, 1 << (count - 1)
            return word << (count - 8) if word < 2**8 else word

    for word in range(2**8):
        taken = sampler._takes(place, hops, Fixed(word))
        v = place + Fraction(word, 2**8)
        if v + Fraction(1, 2**8) <= omega:
            assert taken
        if v >= omega:
            assert not taken


def test_few_words_at_a_time_and_open_rounds_do_not_change_the_law(monkeypatch):
    monkeypatch.setattr(proposals, "MORE", 3)
    ends, count = city(4)
    metric, x = LinkHops(ends, count, ends), Fraction(1, 3)
    sampler = Proposals(metric, x)
    vars(sampler)["bits"] = 3  # most rounds are left open

    class Sparing(SeededNoise):
        def words(self, count):
            assert count
            return super().words(2)

    drawn = sampler.draw(np.full(6_000, 5), Sparing(8))
    weights = np.exp(-float(x) * metric.row(5))
    counts = np.bincount(drawn, minlength=len(metric))
    assert chi_square(counts, weights / weights.sum()) > LEAST_P


@pytest.mark.parametrize(
    ("place", "taken", "asked"), [(6, True, 0), (7, None, 1), (9, None, 1), (10, False, 0)]
)
@pytest.mark.parametrize("far", [(2, 2), (3, 3), (4, 9)])
def test_bits_are_drawn_only_between_the_bounds(monkeypatch, place, taken, asked, far):
    # omega lies in [7, 10]: [v, v + 1) is below it for v + 1 <= 7, and is not for v >= 10.
    seen, (hops, away) = [], far

    def bounds(_, distance, bits):
        seen.append((distance, bits))
        more = bits - 5
        return (7 << more, 10 << more) if more < 128 else (2 << (more + 4), 2 << (more + 4))

    monkeypatch.setattr(proposals, "weight_bounds", bounds)
    sampler = Proposals(SimpleNamespace(beyond=9), Fraction(1))
    vars(sampler)["bits"], vars(sampler)["reach"] = 5, 3
    drawn = []
    noise = SimpleNamespace(bits=lambda count: drawn.append(count) or 0)
    found = sampler._takes(place, hops, noise)
    assert found is (taken if taken is not None else True)  # at last omega is 32
    # v = 7, and v = 9 with zeros behind it, stay between the bounds until these are one.
    assert drawn == [64, 64] * asked
    assert seen == [(away, 5), (away, 69), (away, 133)][: 1 + 2 * asked]
